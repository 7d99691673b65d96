"""Progress of a long job: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

EVERY = 10.0
"""Seconds between two lines without a terminal."""


class ProgressDisplay(Protocol):
    """Displays how many items of a job are done."""

    def done(self) -> None:
        """Count one more item."""


@contextmanager
def progress(what: str, total: int | None) -> Iterator[ProgressDisplay]:
    """Show a bar with rate and remaining time on a terminal, plain lines elsewhere."""
    if not sys.stdout.isatty():
        lines = ProgressLines(what, total)
        yield lines
        lines.end()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]:.1f} a second")
    with Progress(TextColumn(what), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn()) as bar:
        yield ProgressBar(bar, bar.add_task(what, total=total, rate=0.0))


class ProgressBar:
    """A Rich progress bar."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task = bar, task
        self._count, self._start = 0, time.monotonic()

    def done(self) -> None:
        """Count one more item."""
        self._count += 1
        self._bar.update(self._task, advance=1, rate=self._count / max(time.monotonic() - self._start, 1e-9))


class ProgressLines:
    """A line every EVERY seconds: items done, items per second, remaining time."""

    def __init__(self, what: str, total: int | None) -> None:
        self._what, self._total, self._count = what, total, 0
        self._start = self._told = time.monotonic()
        self._last = -1

    def done(self) -> None:
        """Count one more item."""
        self._count += 1
        if time.monotonic() - self._told > EVERY:
            self.tell()

    def end(self) -> None:
        """Print the last line, unless it was printed already."""
        if self._last != self._count:
            self.tell()

    def tell(self) -> None:
        """Print the line."""
        self._told, self._last = time.monotonic(), self._count
        rate = self._count / max(self._told - self._start, 1e-9)
        line = f"{self._what}: {self._count}" + (f" of {self._total}" if self._total is not None else "")
        line += f", {rate:.1f} a second"
        if self._total is not None and rate and self._count < self._total:
            line += f", {math.ceil((self._total - self._count) / rate / 60)} min left"
        print(line, flush=True)
