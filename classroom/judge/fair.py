"""Whether a time limit says anything about a submission: not where the machine did not let processes run.

Two things make a right answer late. A busy machine gives each process little of a core, which a short loop measures
once a limit has passed. And all may have stood still for a while, stopped or suspended, which nothing shows afterwards:
so a thread looks at the clock ten times a second, and a gap is time that nobody is charged for.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

LEAST_SHARE = 0.15
"""Of a core: where a process gets less, time limits say nothing about an answer."""
MOST_LOST = 0.25
"""Of the time that has passed: where this process stood still for more, neither do they."""
TICK = 0.1
GAP = 1.0
"""Seconds. Shorter gaps between two looks at the clock are nothing unusual."""


class Pulse:
    """Counts the seconds in which this process stood still; none where there are no threads, as in a browser."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = threading.Lock()
        self._lost, self._last = 0.0, time.monotonic()
        self._beats = True
        try:
            threading.Thread(target=self._beat, name="pulse", daemon=True).start()
        except RuntimeError:  # no threads here, or not one more
            self._beats = False

    def _beat(self) -> None:
        while True:
            time.sleep(TICK)
            self.lost()

    def lost(self) -> float:
        """Seconds lost so far."""
        if not self._beats:
            return 0.0
        with self._lock:
            now = time.monotonic()
            gap, self._last = now - self._last - TICK, now
            if gap > GAP:
                self._lost += gap
            return self._lost


_pulse: Pulse | None = None


def lost() -> float:
    """Seconds in which this process stood still since it asked for the first time."""
    global _pulse
    if _pulse is None or _pulse.process != os.getpid():  # threads do not outlive a fork
        _pulse = Pulse()
    return _pulse.lost()


@dataclass(frozen=True)
class Mark:
    """A point in time: on time.monotonic(), and the seconds lost until then."""

    clock: float
    lost: float

    @property
    def seconds(self) -> float:
        """Seconds since then in which this process ran."""
        return time.monotonic() - self.clock - (lost() - self.lost)


def mark() -> Mark:
    """Now."""
    return Mark(time.monotonic(), lost())


def too_busy(since: Mark) -> str:
    """Why a limit that has passed says nothing about a submission, in a sentence; "" if it does.

    since : when the time that was limited began.
    """
    passed, still = time.monotonic() - since.clock, lost() - since.lost
    if still > MOST_LOST * passed:
        why = f"the judge itself stood still for {still:.1f} of {passed:.1f} s"
    elif (share := share_of_a_core()) < LEAST_SHARE:
        why = f"a process gets {share:.0%} of a core, expected {LEAST_SHARE:.0%} or more"
    else:
        return ""
    return (
        f"time ran out, but the machine is too busy for fair limits: {why}. Try again when less runs beside it; a "
        "whole class with fewer --jobs"
    )


def share_of_a_core(work: float = 0.1, most: float = 4.0) -> float:
    """What this process gets of a core, 0 to 1: `work` seconds of processor time by the seconds that they take.

    It gives up after `most` seconds.
    """
    now = getattr(time, "thread_time", time.process_time)  # a browser's Python knows only the process's
    started, used = time.monotonic(), now()
    while now() - used < work and time.monotonic() - started < most:
        pass
    return min(1.0, (now() - used) / max(time.monotonic() - started, 1e-9))
