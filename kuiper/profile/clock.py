"""How long a network takes: whole passes, and the operators within them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.graph import Operator
from kuiper.runtime import RuntimeGraph


@dataclass(frozen=True)
class Times:
    """Seconds of repeated measurements of one thing; the median is robust against the odd disturbed one.

    >>> Times([0.2, 0.1, 0.4]).median
    0.2
    """

    seconds: Sequence[float]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.seconds)

    @property
    def fastest(self) -> float:
        """The least disturbed one."""
        return min(self.seconds)

    @property
    def slowest(self) -> float:
        """The most disturbed one."""
        return max(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The values that a quarter and three quarters of them do not exceed."""
        if len(self.seconds) < 2:
            return self.median, self.median
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return low, high

    @property
    def spread(self) -> float:
        """(third quartile - first quartile) / median: how far to trust the median; 0 for a single measurement."""
        low, high = self.quartiles
        return (high - low) / self.median if self.median else 0.0


def time_passes(
    graph: RuntimeGraph,
    inputs: Sequence[np.ndarray],
    *,
    repeat: int = 20,
    warmup: int = 3,
    on_pass: Callable[[], None] = lambda: None,
) -> Times:
    """Seconds of `repeat` forward passes, after `warmup` that do not count (caches, memory, threads).

    `on_pass` is called after each pass, outside the measured time.
    """
    for _ in range(warmup):
        graph.forward(*inputs)
        on_pass()
    seconds = []
    for _ in range(repeat):
        started = time.perf_counter()
        graph.forward(*inputs)
        seconds.append(time.perf_counter() - started)
        on_pass()
    return Times(seconds)


def time_operators(
    graph: RuntimeGraph,
    inputs: Sequence[np.ndarray],
    *,
    repeat: int = 5,
    on_pass: Callable[[], None] = lambda: None,
) -> dict[str, Times]:
    """Operator name -> seconds in each of `repeat` forward passes, in execution order."""
    seconds: dict[str, list[float]] = {}

    def record(op: Operator, taken: float) -> None:
        seconds.setdefault(op.name, []).append(taken)

    for _ in range(repeat):
        graph.forward(*inputs, on_operator=record)
        on_pass()
    return {name: Times(taken) for name, taken in seconds.items()}
