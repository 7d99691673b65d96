"""A time limit for code that runs in this process: its loops are stopped, what one call of numpy does is not.

A page has no second process that could be killed, and no thread or signal that could interrupt this one. Python tells
of every jump, so of every turn of a loop (sys.monitoring, Python 3.12 and later; before, there is no limit).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

TOOL = 4
"""A tool id that no debugger or profiler has."""
monitoring: Any = getattr(sys, "monitoring", None)


class TooLong(BaseException):
    """Raised in a loop when the time is over; not an Exception, so that `except Exception` does not stop it."""


class Deadline:
    """Stops the loops of code in some folders. Watching them is begun once: to begin and end it takes long.

    late : whether a loop was stopped since the last `limit`.
    """

    def __init__(self) -> None:
        self._folders: tuple[str, ...] = ()
        self._at, self.late = math.inf, False

    def watch(self, folder: str) -> None:
        """From now on the code of files in the folder can be stopped."""
        if monitoring is None or folder in self._folders:
            return
        self._folders += (folder,)
        if monitoring.get_tool(TOOL) is None:
            monitoring.use_tool_id(TOOL, "course")
        monitoring.register_callback(TOOL, monitoring.events.JUMP, self._jumped)
        monitoring.set_events(TOOL, monitoring.events.JUMP)
        monitoring.restart_events()

    def _jumped(self, code: CodeType, start: int, end: int) -> Any:
        if not code.co_filename.startswith(self._folders):
            return monitoring.DISABLE
        if time.monotonic() > self._at:
            self.late = True
            raise TooLong
        return None

    @contextmanager
    def limit(self, at: float) -> Iterator[None]:
        """Within the context, watched loops raise TooLong when time.monotonic() is past `at`."""
        before, self._at, self.late = self._at, at, False
        try:
            yield
        finally:
            self._at = before

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Within the context, nothing is stopped."""
        before, self._at = self._at, math.inf
        try:
            yield
        finally:
            self._at = before


deadline = Deadline()
"""The one of this process."""
