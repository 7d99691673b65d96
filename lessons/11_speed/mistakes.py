"""What goes wrong in the cells of lesson 11 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Lives = Mapping[str, tuple[int, int]]


def _quartiles(seconds: Sequence[float]) -> list[float]:
    return statistics.quantiles(seconds, n=4, method="inclusive")


def _ranked(seconds: Sequence[float], quarters: int) -> float:
    """The time at so many quarters of the sorted times."""
    return sorted(seconds)[quarters * len(seconds) // 4]


def _alive(lives: Lives, sizes: Mapping[str, int], step: int) -> int:
    """The bytes of the values that are alive at a step."""
    return sum(sizes[name] for name, (first, last) in lives.items() if first <= step <= last)


def _steps(lives: Lives) -> int:
    """The number of the last step."""
    return max(last for _, last in lives.values())


CONV_FLOPS: Mistakes = {
    "a product and its addition are two operations: times 2": lambda c_out, h, w, c, k: c_out * h * w * c * k * k,
    "9 weights are those of a 3x3 kernel: k * k": lambda c_out, h, w, c, k: 2 * c_out * h * w * 9 * c,
    "here each product counts with an addition, the first of a sum, too: 2 * k * k * c for an output": (
        lambda c_out, h, w, c, k: c_out * h * w * (2 * c * k * k - 1)
    ),
    "a kernel has k x k weights for each channel": lambda c_out, h, w, c, k: 2 * c_out * h * w * c * k,
    "each output sums over the C input channels, too": lambda c_out, h, w, c, k: 2 * c_out * h * w * k * k,
    "that is one kernel: each of the c_out kernels makes a channel of h x w outputs": (
        lambda c_out, h, w, c, k: 2 * h * w * c * k * k
    ),
    "h and w are those of the output already: nothing is lost at the edges": lambda c_out, h, w, c, k: (
        2 * c_out * (h - k + 1) * (w - k + 1) * c * k * k
    ),
}

SPREAD: Mistakes = {
    "divide by the median, the second of the three numbers, and not by the mean": lambda seconds: (
        (_quartiles(seconds)[2] - _quartiles(seconds)[0]) / statistics.mean(seconds)
    ),
    "that is the range of all times: only the middle half counts": lambda seconds: (
        (max(seconds) - min(seconds)) / statistics.median(seconds)
    ),
    "that is a quarter of the times, between the second and the third number: take the first and the third": (
        lambda seconds: (_quartiles(seconds)[2] - _quartiles(seconds)[1]) / _quartiles(seconds)[1]
    ),
    "a quarter of four times lies between two of them: take the numbers of statistics.quantiles": lambda seconds: (
        (_ranked(seconds, 3) - _ranked(seconds, 1)) / _ranked(seconds, 2)
    ),
    "that is in percent: leave out the factor 100": lambda seconds: (
        100 * (_quartiles(seconds)[2] - _quartiles(seconds)[0]) / _quartiles(seconds)[1]
    ),
    "turned round: the third number minus the first": lambda seconds: (
        (_quartiles(seconds)[0] - _quartiles(seconds)[2]) / _quartiles(seconds)[1]
    ),
    "that is the standard deviation: the spread is the range of the middle half, divided by the median": (
        statistics.stdev
    ),
    "that is the standard deviation in place of the range of the middle half": lambda seconds: (
        statistics.stdev(seconds) / statistics.median(seconds)
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
    "the bandwidth limits it as well: min(peak, f / b * bandwidth)": lambda flop, size, peak, bandwidth: peak,
    "the bandwidth is in bytes a second: times FLOP per byte, f / b": lambda flop, size, peak, bandwidth: min(
        peak, flop * bandwidth
    ),
    "the bandwidth is multiplied by: bytes a second times FLOP a byte are FLOP a second": (
        lambda flop, size, peak, bandwidth: min(peak, flop / size / bandwidth)
    ),
    "the second limit is in FLOP a second, too: f / b * bandwidth": lambda flop, size, peak, bandwidth: min(
        peak, bandwidth
    ),
    "FLOP per byte are no whole number: / and not //": lambda flop, size, peak, bandwidth: min(
        peak, flop // size * bandwidth
    ),
    "the slope need not meet the roof at 10 FLOP a byte: each machine has its own ridge, so min of both": (
        lambda flop, size, peak, bandwidth: peak if flop / size >= 10 else flop / size * bandwidth
    ),
    "times FLOP per byte, f / b, and no operator exceeds the peak: min of both": (
        lambda flop, size, peak, bandwidth: flop * bandwidth
    ),
}


def _as_many_steps_as_values(lives: Lives, sizes: Mapping[str, int]) -> int:
    alive = [0] * len(lives)
    for name, (first, last) in lives.items():
        for step in range(first, last + 1):
            alive[step] += sizes[name]
    return max(alive)


LOWER_BOUND: Mistakes = {
    "there may be more steps than values: the last step is the largest of all lives": _as_many_steps_as_values,
    "that is the quietest step: max": lambda lives, sizes: min(
        _alive(lives, sizes, step) for step in range(_steps(lives) + 1)
    ),
    "the last step is missing: range(last + 1)": lambda lives, sizes: max(
        _alive(lives, sizes, step) for step in range(_steps(lives))
    ),
    "lives and sizes have the same names, in another order: sizes[name]": lambda lives, sizes: max(
        _alive(lives, dict(zip(lives, sizes.values(), strict=True)), step) for step in range(_steps(lives) + 1)
    ),
    "both ends count: first <= step <= last": lambda lives, sizes: max(
        sum(sizes[name] for name, (first, last) in lives.items() if first <= step < last)
        for step in range(_steps(lives) + 1)
    ),
    "that is the largest value: add up all that are alive at one step": lambda lives, sizes: max(sizes.values()),
    "that is a place for each value: only those alive at one step need theirs together": lambda lives, sizes: sum(
        sizes.values()
    ),
    "values that overlap the same one need not be alive together: add up at each step": lambda lives, sizes: max(
        sum(sizes[name] for name, (first, last) in lives.items() if first <= end and begin <= last)
        for begin, end in lives.values()
    ),
    "that is the step and not its bytes": lambda lives, sizes: max(
        range(_steps(lives) + 1), key=lambda step: _alive(lives, sizes, step)
    ),
}
