"""A temporary folder for one run, holding submissions while they are judged.

A killed run leaves it behind. The next run with the same results folder removes it: the name says which results it
belongs to, and a lock, released when the process ends, whether that run is still active.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LOCK = "in-use"


@contextmanager
def workplace(out: Path) -> Iterator[Path]:
    """A new folder for a run with results in `out`; removes what earlier runs left behind. Raises OSError."""
    prefix = f"judging-{hashlib.sha256(os.fsencode(out.resolve())).hexdigest()[:12]}-"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        if _is_mine(left) and not _in_use(left):
            shutil.rmtree(left, ignore_errors=True)
    new = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
    with new as folder, (Path(folder) / LOCK).open("wb") as file:
        _lock(file)
        yield Path(folder)


def _is_mine(folder: Path) -> bool:
    """Whether this user created it: anybody can write to the temporary folder."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def _in_use(folder: Path) -> bool:
    """Whether a process holds the lock; a folder without a lock file is just being created."""
    try:
        with (folder / LOCK).open("r+b") as file:
            _lock(file)
    except OSError:
        return True
    return False


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed. Raises OSError if another process has locked it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
