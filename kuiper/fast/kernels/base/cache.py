"""The cache folder: timed choices and compiled loops."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """KUIPER_CACHE, or the system's own folder for caches.

    Without a home directory, a temporary folder for this process.
    """
    if folder := os.environ.get("KUIPER_CACHE"):
        return Path(folder)
    try:
        return _folder_of_user()
    except RuntimeError:  # there is no home
        return _folder_of_process()


@functools.cache
def _folder_of_process() -> Path:
    return Path(tempfile.mkdtemp(prefix="kuiper-"))


def _folder_of_user() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "kuiper"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "kuiper"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kuiper"
