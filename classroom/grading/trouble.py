"""What to tell when the machine fails in the middle of a grading: a full disk, a locked or damaged database."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

KEPT = "What was judged before is kept, and the same command goes on from there"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No room: on the disk, in one's quota, for a file of this size."""


def advice(error: sqlite3.Error | OSError, where: str | Path = "") -> str:
    """What happened and what to do, in sentences.

    >>> advice(sqlite3.OperationalError("database is locked"))[:52]
    'the results are locked: another command writes there'
    """
    said, place = str(error), str(getattr(error, "filename", "") or where)
    at = f"{place}: " if place else ""
    if isinstance(error, OSError):
        if error.errno in FULL:
            return f"{at}there is no room left on the disk ({error.strerror}). {KEPT} once there is."
        return f"{at}{error.strerror or error}"
    if "locked" in said or "busy" in said:
        return f"{at}the results are locked: another command writes there. {KEPT} once that one has ended."
    if "full" in said or "disk I/O" in said:
        return f"{at}the disk is full or cannot be written ({said}). {KEPT} once there is room."
    if "malformed" in said or "not a database" in said:
        return f"{at}the file is damaged or no results ({said}). Take a copy of it from before, or another folder."
    if "readonly" in said:
        return f"{at}the results cannot be written ({said}): they belong to somebody else, or are protected."
    return f"{at}{said}"
