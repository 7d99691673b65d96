"""Costs by a simple model: computing, copying between devices, starting sub-graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kuiper.partition.errors import PartitionError


@dataclass(frozen=True)
class Link:
    """The way between any two devices: seconds before a copy starts, and bytes per second from then on.

    Raises PartitionError for a latency below 0 or a bandwidth that is not above 0.

    >>> Link(latency=1e-3, bandwidth=1e6).seconds(2000)
    0.003
    """

    latency: float = 1e-5
    bandwidth: float = 1e10

    def __post_init__(self) -> None:
        if not self.latency >= 0 or not self.bandwidth > 0:
            raise PartitionError(f"link: expected a latency of 0 or more and a bandwidth above 0, found {self}")

    def seconds(self, size: int | None) -> float:
        """How long a copy takes; an unknown size counts as 0 bytes."""
        return self.latency + (size or 0) / self.bandwidth


@dataclass(frozen=True)
class Cost:
    """Seconds by the model: computing the nodes of each device (by name), copying tensors, starting sub-graphs."""

    computes: Mapping[str, float]
    copy: float
    launch: float

    @property
    def compute(self) -> float:
        """Computing all nodes."""
        return sum(self.computes.values())

    @property
    def total(self) -> float:
        """Their sum."""
        return self.compute + self.copy + self.launch
