"""Work that nobody waits for, one piece after the other, on a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

Job = Callable[[], None]
enabled = True
"""False: nothing is done behind the scenes. The tests of other things turn it off."""


class Background:
    """A thread that begins with the first job, and ends with the process."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def ask(self, job: Job) -> None:
        """Do this when what was asked for before is done."""
        self._jobs.put(job)
        with self._starting:
            if self._thread is None or not self._thread.is_alive():  # a forked child has no thread of its parent's
                self._thread = threading.Thread(target=self._serve, name="kuiper-background", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            job()
            del job


background = Background()
