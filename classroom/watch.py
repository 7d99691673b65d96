"""Watch files by asking for their times again and again: no dependency, and it works on network drives too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Signature = tuple[int, int] | None
CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Empty the terminal, its memory too, and go to its top left corner."""


def signature(path: Path) -> Signature:
    """What changes when the file is written: its time and its size; None while it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def changes(
    files: Iterable[Path], seconds: float = 0.5, sleep: Callable[[float], None] = time.sleep
) -> Iterator[list[Path]]:
    """Yield the files that were written since the last look, whenever there are some; never ends by itself.

    A file that is still being written, or away while an editor replaces it, is left for the next look.
    """
    settled = {path: signature(path) for path in files}
    before = dict(settled)
    while True:
        sleep(seconds)
        now = {path: signature(path) for path in settled}
        changed = [path for path, seen in now.items() if seen != settled[path] and seen == before[path]]
        # None: the editor may be about to put the new one there; a second look decides
        before = now
        if changed:
            settled.update({path: now[path] for path in changed})
            yield changed
