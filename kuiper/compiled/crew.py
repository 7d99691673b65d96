"""The crew: threads that help with a pass of machine code, and sleep between passes.

Unlike those of kuiper.fast.threads they are not waited for: who comes late finds the work done.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from kuiper.fast.threads import keep_to

Call = Callable[[], None]
Ask = Callable[[Sequence[Call]], None]


class _Helper:
    """A thread that sleeps until there is a call to make."""

    def __init__(self, number: int) -> None:
        self._wake = threading.Lock()
        self._wake.acquire()
        self._call: Call | None = None
        self._cores: list[int] = []
        self._thread = threading.Thread(target=self._serve, name=f"kuiper-crew-{number}", daemon=True)
        self._thread.start()

    def ask(self, call: Call, cores: list[int]) -> None:
        """Make this call, if possible soon; it replaces one that has not begun."""
        if cores != self._cores:
            self._cores = cores
            keep_to(cores, self._thread.native_id)
        self._call = call
        with suppress(RuntimeError):  # it has been woken already
            self._wake.release()

    def _serve(self) -> None:
        while True:
            self._wake.acquire()
            call, self._call = self._call, None
            if call is not None:
                call()
            del call  # a plan that nobody uses is given back now, not at the next call


class Crew:
    """Helpers, of whom one caller at a time disposes."""

    def __init__(self) -> None:
        self._helpers: list[_Helper] = []
        self._in_use = threading.Lock()

    @contextmanager
    def session(self, threads: int, cores: list[int]) -> Iterator[Ask | None]:
        """Within the context the yielded function asks the helpers to make these calls, one each.

        With as many threads as `cores`, those that the caller may use, each keeps to its core. None with one thread,
        and while somebody else uses the crew: then there is no help.
        """
        if threads < 2 or not self._in_use.acquire(blocking=False):
            yield None
            return
        try:
            pinned = len(cores) == threads
            while len(self._helpers) < threads - 1:
                self._helpers.append(_Helper(len(self._helpers) + 1))

            def ask(calls: Sequence[Call]) -> None:
                for number, (helper, call) in enumerate(zip(self._helpers, calls), 1):
                    helper.ask(call, [cores[number]] if pinned else cores)

            if not pinned:
                yield ask
                return
            keep_to(cores[:1])
            try:
                yield ask
            finally:
                keep_to(cores)
        finally:
            self._in_use.release()


crew = Crew()


def _forget() -> None:
    """A forked child has none of its parent's threads."""
    global crew
    crew = Crew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
