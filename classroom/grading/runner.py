"""Judge submissions in parallel on this machine: a few processes, each judging one submission at a time.

A process that dies (killed, out of memory) or hangs costs only its current submission one attempt. After ATTEMPTS the
submission is Status.INFRASTRUCTURE.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from classroom.grading.judging import ATTEMPTS, Job, infrastructure, judge
from classroom.grading.records import Graded

SPARE = 120.0
"""Seconds beyond the submission's time limit after which its judge counts as hanging."""
_SPAWN = multiprocessing.get_context("spawn")


@dataclass
class Attempt:
    """A job, the number of times it was started, and its deadline."""

    job: Job
    number: int = 1
    until: float = 0.0


class Slot:
    """One judging process and its current attempt."""

    def __init__(self, folder: Path | None = None) -> None:
        self.attempt: Attempt | None = None
        self.connection, theirs = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=serve, args=(theirs, folder), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, attempt: Attempt) -> None:
        """Start on a job."""
        settings = attempt.job.suite.settings
        attempt.until = time.monotonic() + ATTEMPTS * settings.submission_seconds + SPARE
        self.attempt = attempt
        with contextlib.suppress(OSError):  # already dead: `receive` notices
            self.connection.send(attempt.job)

    def receive(self) -> Graded | None:
        """The result, or None if the process died."""
        try:
            graded = self.connection.recv()
        except (EOFError, OSError):
            return None
        return graded if isinstance(graded, Graded) else None

    def end(self) -> None:
        """Kill the process; its workers die with it."""
        with contextlib.suppress(OSError):
            self.connection.close()
        self.process.kill()
        self.process.join()


def serve(connection: Connection, folder: Path | None = None) -> None:
    """Main loop of a judging process: receive jobs, send results, until the connection closes. Files go to `folder`."""
    tempfile.tempdir = str(folder) if folder else None
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(judge(connection.recv()))


def run_local(jobs: Iterable[Job], processes: int, folder: Path | None = None) -> Iterator[Graded]:
    """Judge the jobs in `processes` processes; yield results as they come. `jobs` is read only as fast as it is judged.

    Submissions are written to `folder` while they are judged; default: the system's temporary folder.
    """
    waiting, rest = deque[Attempt](), iter(jobs)
    slots: list[Slot] = []

    def following() -> Attempt | None:
        if waiting:
            return waiting.popleft()
        job = next(rest, None)
        return Attempt(job) if job is not None else None

    try:
        while True:
            slots += _filled(slots, processes, following, folder)
            busy = [slot for slot in slots if slot.attempt is not None]
            if not busy:
                return
            ready = wait([slot.connection for slot in busy], timeout=1.0)
            now = time.monotonic()
            for slot in busy:
                attempt = slot.attempt
                assert attempt is not None
                late = now > attempt.until
                if slot.connection not in ready and not late:
                    continue
                graded = slot.receive() if slot.connection in ready else None
                slot.attempt = None
                if graded is not None:
                    yield graded
                    continue
                slot.end()
                slots.remove(slot)
                if attempt.number < ATTEMPTS:
                    waiting.append(Attempt(attempt.job, attempt.number + 1))
                else:
                    why = "it did not come to an end" if late else "its process ended"
                    yield infrastructure(attempt.job, f"{why}, {ATTEMPTS} times")
    finally:
        for slot in slots:
            slot.end()


def _filled(
    slots: list[Slot], processes: int, following: Callable[[], Attempt | None], folder: Path | None
) -> list[Slot]:
    """Give every idle slot its next job -> newly started slots."""
    started: list[Slot] = []
    idle = [slot for slot in slots if slot.attempt is None]
    while len(slots) + len(started) < processes or idle:
        attempt = following()
        if attempt is None:
            break
        if not idle:
            started.append(Slot(folder))
        slot = idle.pop() if idle else started[-1]
        slot.give(attempt)
    return started
