"""A progress bar for work that takes long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kuiper.cli.text import console

PATIENCE = 1.0
"""Seconds before the bar appears."""


@contextmanager
def progress(what: str, total: int, patience: float = PATIENCE) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each of `total` steps.

    Once `patience` seconds have passed, it moves a bar on the terminal's error stream, which goes when the work is
    done; where there is no terminal, it does nothing.
    """
    out = console(stderr=True)
    if not out.is_terminal:
        yield lambda: None
        return
    from rich.progress import Progress

    bar = Progress(console=out, transient=True)
    task = bar.add_task(what, total=total)
    until = time.monotonic() + patience

    def advance() -> None:
        bar.advance(task)
        if not bar.live.is_started and time.monotonic() >= until:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()
