"""Scratch arrays: memory that a kernel needs only while it runs, shared by all kernels of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

ALIGNMENT = 64
"""Bytes: a line of the processor's cache."""
WORTH_FORKING = 150_000.0
"""Nanoseconds of work for which it pays to wake the other lanes."""


class Workspace:
    """Hands out scratch arrays while a kernel is bound; `next_kernel` takes all of them back.

    The first time through, the sizes are only noted (the arrays are fresh ones, never touched); `settled` gives the
    workspace for the second time, which cuts everything from blocks of the sizes that were needed.

    lanes : how many threads run a stage.
    """

    def __init__(self, lanes: int, blocks: list[np.ndarray] | None = None) -> None:
        self.lanes = lanes
        self._blocks = blocks
        self._used = [0] * (lanes + 1)
        self.needed = [0] * (lanes + 1)

    def own(self, lane: int, shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
        """An array for the calls of one lane."""
        return self._take(lane, shape, dtype)

    def shared(self, shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
        """An array that all lanes see."""
        return self._take(self.lanes, shape, dtype)

    @contextmanager
    def tile(self, lane: int) -> Iterator[None]:
        """What `own` hands out inside may be handed out again afterwards: a lane computes one tile after the other."""
        used = self._used[lane]
        try:
            yield
        finally:
            self._used[lane] = used

    def lanes_for(self, nanoseconds: float) -> int:
        """How many lanes so much work of one thread is worth: one, or all."""
        return self.lanes if nanoseconds > WORTH_FORKING else 1

    def of_lane(self, lane: int) -> Workspace:
        """The part of it for a kernel that runs on one lane while others run on the other lanes."""
        return _OfLane(self, lane)

    def next_kernel(self) -> None:
        """The arrays handed out so far may be used again."""
        self._used = [0] * (self.lanes + 1)

    def settled(self) -> Workspace:
        """A workspace of just the size that was needed so far."""
        return Workspace(self.lanes, [aligned(size) for size in self.needed])

    @property
    def bytes(self) -> int:
        """Bytes that the kernels need at most, all lanes together."""
        return sum(self.needed)

    def _take(self, block: int, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        start = self._used[block]
        self._used[block] = start + -(-size // ALIGNMENT) * ALIGNMENT
        self.needed[block] = max(self.needed[block], self._used[block])
        if self._blocks is None:
            return np.empty(shape, dtype)
        return self._blocks[block][start : start + size].view(dtype).reshape(shape)


class _OfLane(Workspace):
    """One lane of a workspace, seen as a workspace."""

    def __init__(self, whole: Workspace, lane: int) -> None:
        super().__init__(1)
        self._whole, self._lane = whole, lane
        whole._used[lane] = 0

    def _take(self, block: int, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        return self._whole._take(self._lane, shape, dtype)

    @contextmanager
    def tile(self, lane: int) -> Iterator[None]:
        with self._whole.tile(self._lane):
            yield


def aligned(size: int) -> np.ndarray:
    """`size` bytes that begin at a line of the cache."""
    block = np.empty(size + ALIGNMENT, np.uint8)
    start = -block.ctypes.data % ALIGNMENT
    return block[start : start + size]
