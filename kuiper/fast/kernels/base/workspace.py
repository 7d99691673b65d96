"""Scratch memory: arrays that a kernel needs only while it runs, shared by all kernels of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from kuiper.graph.alignment import ALIGNMENT, aligned

WORTH_FORKING = 150_000.0
"""Nanoseconds of work from which it pays to wake the other threads."""


class Workspace:
    """Hands out scratch arrays while a kernel is bound; `next_kernel` takes all of them back.

    Kernels are bound twice. The first time only notes the sizes (its arrays are never touched); `settled` gives the
    workspace for the second time, which cuts everything from pieces of memory of the sizes that were needed.

    threads : how many threads run a stage.
    """

    def __init__(self, threads: int, pieces: list[np.ndarray] | None = None) -> None:
        self.threads = threads
        self._pieces = pieces
        self._used = [0] * (threads + 1)
        self.needed = [0] * (threads + 1)

    def own(self, thread: int, shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
        """An array that only this thread's calls use."""
        return self._take(thread, shape, dtype)

    def shared(self, shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
        """An array that all threads use."""
        return self._take(self.threads, shape, dtype)

    @contextmanager
    def reused(self, thread: int) -> Iterator[None]:
        """What `own` hands out inside may be handed out again afterwards: for parts that a thread computes in turn."""
        used = self._used[thread]
        try:
            yield
        finally:
            self._used[thread] = used

    def threads_for(self, nanoseconds: float) -> int:
        """The number of threads for work that takes one thread this long: one, or all."""
        return self.threads if nanoseconds > WORTH_FORKING else 1

    def of_thread(self, thread: int) -> Workspace:
        """The share of a kernel that runs on this thread while others run on the other threads."""
        return _ThreadWorkspace(self, thread)

    def next_kernel(self) -> None:
        """Take back all arrays handed out so far."""
        self._used = [0] * (self.threads + 1)

    def settled(self) -> Workspace:
        """A workspace of just the size that was needed so far."""
        return Workspace(self.threads, [aligned(size) for size in self.needed])

    @property
    def bytes(self) -> int:
        """Bytes in all."""
        return sum(self.needed)

    def _take(self, number: int, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        start = self._used[number]
        self._used[number] = start + -(-size // ALIGNMENT) * ALIGNMENT
        self.needed[number] = max(self.needed[number], self._used[number])
        if self._pieces is None:
            return np.empty(shape, dtype)
        return self._pieces[number][start : start + size].view(dtype).reshape(shape)


class _ThreadWorkspace(Workspace):
    """The part of a workspace that belongs to one thread."""

    def __init__(self, whole: Workspace, thread: int) -> None:
        super().__init__(1)
        self._whole, self._thread = whole, thread
        whole._used[thread] = 0

    def _take(self, number: int, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        return self._whole._take(self._thread, shape, dtype)

    @contextmanager
    def reused(self, thread: int) -> Iterator[None]:
        with self._whole.reused(self._thread):
            yield
