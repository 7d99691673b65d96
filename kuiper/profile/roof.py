"""The roof over every operator: how fast this machine multiplies matrices and moves memory, measured now.

An operator that does f operations and touches b bytes can reach at most min(peak, f/b x bandwidth) operations a second.

Source: Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009, https://doi.org/10.1145/1498765.1498785
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from kuiper.profile.clock import Times
from kuiper.profile.cost import NetworkCost
from kuiper.profile.hardware import blas_threads

GEMM_SIZES = (512, 1024, 1536)
COPY_BYTES = 64 << 20
SECONDS = 0.25
"""How long each measurement is repeated; the fastest counts."""
LONGEST = 1.0
"""Seconds that one product may take: where it takes longer, as without a BLAS, a larger one is no faster."""


@dataclass(frozen=True)
class Roof:
    """Operations a second of float32 matrix products, and bytes a second (read + written) of a large copy."""

    peak: float
    bandwidth: float
    threads: int

    @property
    def ridge(self) -> float:
        """The intensity in FLOP/byte from which on operations limit, and no longer memory."""
        return self.peak / self.bandwidth

    def at(self, intensity: float) -> float:
        """The most operations a second at an intensity in FLOP/byte.

        >>> Roof(peak=400e9, bandwidth=20e9, threads=2).at(0.5)
        10000000000.0
        """
        return min(self.peak, intensity * self.bandwidth)


@dataclass(frozen=True)
class Point:
    """One operator below the roof: operations per byte of inputs, weights and outputs, and operations a second."""

    name: str
    type: str
    intensity: float
    speed: float
    seconds: float


def measure_roof(threads: int) -> Roof:
    """Both limits with that many threads; about two seconds."""
    return Roof(gemm_peak(threads), copy_bandwidth(threads), threads)


def gemm_peak(threads: int) -> float:
    """Operations a second of the fastest of some square float32 matrix products; none that would take long is tried."""
    best = 0.0
    with blas_threads(threads):
        for n in GEMM_SIZES:
            if best and 2 * n**3 / best > LONGEST:
                break
            a, b = (np.random.default_rng(i).standard_normal((n, n), np.float32) for i in (0, 1))
            out = np.empty_like(a)
            best = max(best, 2 * n**3 / _fastest(lambda a=a, b=b, out=out: np.matmul(a, b, out)))  # type: ignore[misc]
    return best


def copy_bandwidth(threads: int) -> float:
    """Bytes a second, read and written, of a copy too large for the caches, divided among the threads."""
    source = np.ones(COPY_BYTES, np.uint8)
    target = np.zeros_like(source)
    parts = list(zip(np.array_split(source, threads), np.array_split(target, threads)))
    with ThreadPoolExecutor(threads) as pool:
        return 2 * COPY_BYTES / _fastest(lambda: list(pool.map(lambda part: np.copyto(part[1], part[0]), parts)))


def roofline_points(cost: NetworkCost, times: Mapping[str, Times]) -> list[Point]:
    """The operators that compute something and whose time and bytes are known, in execution order."""
    points = []
    for op in cost.operators:
        taken = times[op.name].median if op.name in times else 0.0
        if op.flops and taken and op.bytes_touched:
            points.append(Point(op.name, op.type, op.flops / op.bytes_touched, op.flops / taken, taken))
    return points


def _fastest(call: Callable[[], object]) -> float:
    """Seconds of the fastest call of those that `SECONDS` have room for, at least one; one before does not count."""
    call()
    taken: list[float] = []
    until = time.perf_counter() + SECONDS
    while not taken or time.perf_counter() < until:
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return min(taken)
