"""A lock between processes, so that two simultaneous starts do not set up the same environment."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Hold the lock, waiting while another process holds it.

    The installer inherits the lock: if the launcher is killed, the next start still waits for the installer.
    """
    with open(path, "a+", encoding="utf-8") as file:
        if not _try(file):
            print("Another start is setting up the course; waiting for it.", flush=True)
            while not _try(file):
                time.sleep(0.3)
        yield


def _try(file: IO[str]) -> bool:
    """Try to lock the file -> whether it is ours. True on a file system without locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            os.set_inheritable(file.fileno(), True)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True
