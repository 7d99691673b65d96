"""What a command adds to the environment that it runs in, when it first needs more than the command line does."""

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
    """Install the list `name` where the course was started in its own environment; elsewhere change nothing.

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
