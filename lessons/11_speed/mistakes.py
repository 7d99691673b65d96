"""What goes wrong in the cells of lesson 11 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Lives = Mapping[str, tuple[int, int]]


def _quartiles(seconds: Sequence[float]) -> list[float]:
    return statistics.quantiles(seconds, n=4, method="inclusive")


def _alive(lives: Lives, sizes: Mapping[str, int], step: int) -> int:
    """The bytes of the values that are alive at a step."""
    return sum(sizes[name] for name, (first, last) in lives.items() if first <= step <= last)


def _steps(lives: Lives) -> int:
    """The number of the last step."""
    return max(last for _, last in lives.values())


CONV_FLOPS: Mistakes = {
    "a product and its addition are two operations: times 2": lambda c_out, h, w, c, k: c_out * h * w * c * k * k,
    "a kernel has k x k weights for each channel": lambda c_out, h, w, c, k: 2 * c_out * h * w * c * k,
    "each output sums over the C input channels, too": lambda c_out, h, w, c, k: 2 * c_out * h * w * k * k,
}

SPREAD: Mistakes = {
    "divide by the median, the second of the three numbers, and not by the mean": lambda seconds: (
        (_quartiles(seconds)[2] - _quartiles(seconds)[0]) / statistics.mean(seconds)
    ),
    "that is the range of all times: only the middle half counts": lambda seconds: (
        (max(seconds) - min(seconds)) / statistics.median(seconds)
    ),
    "that is in seconds: divide by the median": lambda seconds: _quartiles(seconds)[2] - _quartiles(seconds)[0],
    'without method="inclusive" the quarters are other ones': lambda seconds: (
        (statistics.quantiles(seconds, n=4)[2] - statistics.quantiles(seconds, n=4)[0]) / statistics.median(seconds)
    ),
}

ATTAINABLE: Mistakes = {
    "the lower of the two limits counts: min": lambda flop, size, peak, bandwidth: max(peak, flop / size * bandwidth),
    "no operator exceeds the peak: min of both": lambda flop, size, peak, bandwidth: flop / size * bandwidth,
    "the intensity is FLOP per byte, f / b": lambda flop, size, peak, bandwidth: min(peak, size / flop * bandwidth),
}

LOWER_BOUND: Mistakes = {
    "the last step is missing: range(last + 1)": lambda lives, sizes: max(
        _alive(lives, sizes, step) for step in range(_steps(lives))
    ),
    "lives and sizes have the same names, in another order: sizes[name]": lambda lives, sizes: max(
        _alive(lives, dict(zip(lives, sizes.values(), strict=True)), step) for step in range(_steps(lives) + 1)
    ),
    "the last step counts as well: first <= step <= last": lambda lives, sizes: max(
        sum(sizes[name] for name, (first, last) in lives.items() if first <= step < last)
        for step in range(_steps(lives) + 1)
    ),
    "that is the largest value: add up all that are alive at one step": lambda lives, sizes: max(sizes.values()),
    "that is a place for each value: only those alive at one step need theirs together": lambda lives, sizes: sum(
        sizes.values()
    ),
    "that is the step and not its bytes": lambda lives, sizes: max(
        range(_steps(lives) + 1), key=lambda step: _alive(lives, sizes, step)
    ),
}
