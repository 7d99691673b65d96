"""What happened in one run of a partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Transfer:
    """A tensor (by id) copied from one device's memory to another's, by names, and its bytes as they cross."""

    tensor: int
    source: str
    target: str
    bytes: int


@dataclass(frozen=True)
class Stats:
    """One run.

    Parameters
    ----------
    order : sub-graphs in the order in which they were started.
    times : sub-graph -> seconds from the begin of the run at which it started and ended, its copies included.
    copies : every transfer from device to device. The network's inputs and constants are at hand on all devices.
    casts : how many tensors changed their type on the way into or out of a device that casts.
    peak_bytes : most bytes in all memories at a time, as far as the executor holds them.
    left_bytes : bytes that it still held at the end: 0, unless something is wrong.
    """

    order: Sequence[int] = ()
    times: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    copies: Sequence[Transfer] = ()
    casts: int = 0
    peak_bytes: int = 0
    left_bytes: int = 0

    @property
    def transfers(self) -> int:
        """How many copies from device to device."""
        return len(self.copies)

    @property
    def bytes(self) -> int:
        """Bytes of these copies."""
        return sum(copy.bytes for copy in self.copies)

    @property
    def concurrency(self) -> int:
        """Most sub-graphs at work at the same time.

        >>> Stats(times={0: (0.0, 2.0), 1: (1.0, 3.0), 2: (3.0, 4.0)}).concurrency
        2
        """
        starts = [(start, 1) for start, _ in self.times.values()]
        events = sorted(starts + [(end, -1) for _, end in self.times.values()])
        most = now = 0
        for _, step in events:
            now += step
            most = max(most, now)
        return most

    @property
    def seconds(self) -> float:
        """How long the sub-graphs took, from the first start to the last end."""
        return max((end for _, end in self.times.values()), default=0.0) - min(
            (start for start, _ in self.times.values()), default=0.0
        )
