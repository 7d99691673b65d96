"""The folder for what can be made again: timed choices and compiled loops."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Where a program keeps what it can make again: KUIPER_CACHE, or the system's own convention.

    A user without a home gets a folder for this process.
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
