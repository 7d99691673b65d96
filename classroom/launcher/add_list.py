"""Add a list to the running environment, for a command that needs more than the command line does."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from classroom.launcher import stamp
from classroom.launcher.main import ensure
from classroom.launcher.paths import Paths
from classroom.launcher.trouble import Stop, sentence_of
from classroom.started import VARIABLE


def add(root: Path, name: str) -> None:
    """Install the list `name` if the course runs in its own environment; else change nothing.

    Raises Stop.
    """
    paths = Paths(root, Path(sys.prefix))
    if VARIABLE not in os.environ or not stamp.is_sound(paths, stamp.read(paths)):
        return
    try:
        ensure(paths, name)
    except OSError as error:
        raise Stop(sentence_of(error, paths)) from error
    importlib.invalidate_caches()
