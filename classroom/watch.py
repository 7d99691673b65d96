"""Watch files by polling their modification times: no dependency, and it works on network drives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Signature = tuple[int, int] | None
CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Clear the terminal and its scrollback, and move to the top left corner."""


def signature(path: Path) -> Signature:
    """Modification time and size of the file; None if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def changes(
    files: Iterable[Path], seconds: float = 0.5, sleep: Callable[[float], None] = time.sleep
) -> Iterator[list[Path]]:
    """Yield the files changed since the last poll, whenever there are some; never ends.

    The first poll compares with the moment of the call, so what is saved before the first one is asked for counts.
    A file that is still being written, or missing while an editor replaces it, is left for the next poll.
    """
    return _polled({path: signature(path) for path in files}, seconds, sleep)


def _polled(settled: dict[Path, Signature], seconds: float, sleep: Callable[[float], None]) -> Iterator[list[Path]]:
    before = dict(settled)
    while True:
        sleep(seconds)
        now = {path: signature(path) for path in settled}
        changed = [path for path, seen in now.items() if seen != settled[path] and seen == before[path]]
        # None: the editor may be about to replace it; the next poll decides
        before = now
        if changed:
            settled.update({path: now[path] for path in changed})
            yield changed
