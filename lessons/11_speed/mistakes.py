"""What goes wrong in the cells of lesson 11 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Lives = Mapping[str, tuple[int, int]]


def _quartiles(seconds: Sequence[float]) -> list[float]:
    return statistics.quantiles(seconds, n=4, method="inclusive")


def _two_numbers(seconds: Sequence[float]) -> float:
    """Fails: there are three quartiles."""
    low, high = _quartiles(seconds)
    return high - low


def _ranked(seconds: Sequence[float], quarters: int) -> float:
    """The time at so many quarters of the sorted times."""
    return sorted(seconds)[quarters * len(seconds) // 4]


def _alive(lives: Lives, sizes: Mapping[str, int], step: int) -> int:
    """The bytes of the values that are alive at a step."""
    return sum(sizes[name] for name, (first, last) in lives.items() if first <= step <= last)


def _most_values(lives: Lives, steps: range) -> int:
    """The step with the most values, the first of several."""
    return max(steps, key=lambda step: _alive(lives, dict.fromkeys(lives, 1), step))


def _steps(lives: Lives) -> int:
    """The number of the last step."""
    return max(last for _, last in lives.values())


def _undefined(name: str) -> Callable[..., Any]:
    """A function that uses a name which is nowhere defined."""

    def fails(*_: object) -> Any:
        raise NameError(f"name {name!r} is not defined")

    return fails


CONV_FLOPS: Mistakes = {
    # the text writes C_out, H, W and C, which the notebook defines for its layer: 48, 26, 26 and 48
    **{
        f"{name} is no parameter: the function's own are c_out, h, w, c and k, in small letters": _undefined(name)
        for name in ("C_out", "H", "W", "C", "K")
    },
    "C_out, H, W and C are the sizes of the layer above: use the function's own, c_out, h, w and c": (
        lambda c_out, h, w, c, k: 2 * 48 * 26 * 26 * 48 * k * k
    ),
    "C_out, H, W and C are the sizes of the layer above, and 9 is its kernel's: use c_out, h, w, c and k": (
        lambda c_out, h, w, c, k: 2 * 48 * 26 * 26 * 48 * 9
    ),
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
    "that is one number of each output channel: there are h x w of them": lambda c_out, h, w, c, k: (
        2 * c_out * c * k * k
    ),
    "k * k * c products for an output: only k is squared": lambda c_out, h, w, c, k: 2 * c_out * h * w * (k * c) ** 2,
    "an output channel has h x w numbers": lambda c_out, h, w, c, k: 2 * c_out * h * h * c * k * k,
    "two operations for EACH product: times 2, and not plus 2": lambda c_out, h, w, c, k: 2 + c_out * h * w * c * k * k,
    "those are GFLOP: leave out the division": lambda c_out, h, w, c, k: 2 * c_out * h * w * c * k * k / 1e9,
    "^ is no power in Python: k ** 2, or k * k": lambda c_out, h, w, c, k: 2 * c_out * h * w * c * k ^ 2,
    "k * k weights for EACH input channel: times c, and not plus c": lambda c_out, h, w, c, k: (
        2 * c_out * h * w * (c + k * k)
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
    "/ comes before -: put the difference in brackets, (high - low) / middle": lambda seconds: (
        _quartiles(seconds)[2] - _quartiles(seconds)[0] / _quartiles(seconds)[1]
    ),
    "that is a quarter of the times, between the first and the second number: take the first and the third": (
        lambda seconds: (_quartiles(seconds)[1] - _quartiles(seconds)[0]) / _quartiles(seconds)[1]
    ),
    "that is half of the range: the whole of it counts": lambda seconds: (
        (_quartiles(seconds)[2] - _quartiles(seconds)[0]) / 2 / _quartiles(seconds)[1]
    ),
    "divide by the median, and not by how many times there are": lambda seconds: (
        (_quartiles(seconds)[2] - _quartiles(seconds)[0]) / len(seconds)
    ),
    "the times are not sorted: take the numbers of statistics.quantiles": lambda seconds: (
        (seconds[3 * len(seconds) // 4] - seconds[len(seconds) // 4]) / statistics.median(seconds)
    ),
    "that is the standard deviation of numpy: the spread is the range of the middle half, divided by the median": (
        lambda seconds: statistics.pstdev(seconds) / statistics.median(seconds)
    ),
    "all of these times count: `timed` below leaves the first call out itself": lambda seconds: (
        (_quartiles(seconds[1:])[2] - _quartiles(seconds[1:])[0]) / _quartiles(seconds[1:])[1]
    ),
    "the range is divided by the median, and not the median by the range": lambda seconds: (
        _quartiles(seconds)[1] / (_quartiles(seconds)[2] - _quartiles(seconds)[0])
    ),
    "a range is a difference, high - low, and not a ratio": lambda seconds: (
        _quartiles(seconds)[2] / _quartiles(seconds)[0]
    ),
    "it returns three numbers: low, middle, high": _two_numbers,
    "leave it unrounded": lambda seconds: round(
        (_quartiles(seconds)[2] - _quartiles(seconds)[0]) / _quartiles(seconds)[1], 2
    ),
    "the three numbers are at the places 0, 1 and 2": lambda seconds: (
        (_quartiles(seconds)[3] - _quartiles(seconds)[1]) / _quartiles(seconds)[2]
    ),
    "that is in seconds: divide by the median": lambda seconds: _quartiles(seconds)[2] - _quartiles(seconds)[0],
    'without method="inclusive" the quarters are other ones': lambda seconds: (
        (statistics.quantiles(seconds, n=4)[2] - statistics.quantiles(seconds, n=4)[0]) / statistics.median(seconds)
    ),
}

ATTAINABLE: Mistakes = {
    "both limits hold, so the higher one is out of reach": lambda flop, size, peak, bandwidth: max(
        peak, flop / size * bandwidth
    ),
    "peak and bandwidth are exchanged: the bandwidth goes with the intensity": (
        lambda flop, size, peak, bandwidth: min(bandwidth, flop / size * peak)
    ),
    "that has no end: the machine has another limit, too": lambda flop, size, peak, bandwidth: flop / size * bandwidth,
    "the intensity is FLOP per byte, f / b": lambda flop, size, peak, bandwidth: min(peak, size / flop * bandwidth),
    "that is the peak alone: what about an operator that waits for its bytes?": lambda flop, size, peak, bandwidth: (
        peak
    ),
    "FLOP times bytes a second are no speed: the operator's bytes are missing": lambda flop, size, peak, bandwidth: min(
        peak, flop * bandwidth
    ),
    "FLOP a byte divided by bytes a second are no FLOP a second: look at the units": (
        lambda flop, size, peak, bandwidth: min(peak, flop / size / bandwidth)
    ),
    "bytes a second cannot be compared with FLOP a second: the intensity is missing": (
        lambda flop, size, peak, bandwidth: min(peak, bandwidth)
    ),
    "FLOP per byte are no whole number: / and not //": lambda flop, size, peak, bandwidth: min(
        peak, flop // size * bandwidth
    ),
    "the slope need not meet the roof at 10 FLOP a byte: each machine has its own ridge": (
        lambda flop, size, peak, bandwidth: peak if flop / size >= 10 else flop / size * bandwidth
    ),
    "the FLOP of the operator are missing in the second limit": lambda flop, size, peak, bandwidth: min(
        peak, bandwidth / size
    ),
    "the times were added: the two limits work side by side, so the lower speed alone counts": (
        lambda flop, size, peak, bandwidth: flop / (flop / peak + size / bandwidth)
    ),
    "those are the seconds it takes at least: give FLOP a second": lambda flop, size, peak, bandwidth: max(
        flop / peak, size / bandwidth
    ),
    "that is the intensity, FLOP a byte: where do the two limits of the machine come in?": (
        lambda flop, size, peak, bandwidth: flop / size
    ),
    "bytes times bytes a second are no speed: the bandwidth goes with the intensity": (
        lambda flop, size, peak, bandwidth: min(peak, size * bandwidth)
    ),
    "that says how many such operators fit into a second: each of them does `flop` operations": (
        lambda flop, size, peak, bandwidth: min(peak / flop, bandwidth / size)
    ),
    "left of the ridge the intensity is missing: a bandwidth alone is no FLOP a second": (
        lambda flop, size, peak, bandwidth: peak if flop / size > peak / bandwidth else bandwidth
    ),
    "those are GFLOP/s: leave out the division": lambda flop, size, peak, bandwidth: (
        min(peak, flop / size * bandwidth) / 1e9
    ),
    "that is an intensity, FLOP a byte, the operator's or the ridge's: a speed is asked for": (
        lambda flop, size, peak, bandwidth: min(flop / size, peak / bandwidth)
    ),
    "FLOP times bytes a second are no speed, and the peak is missing: the bandwidth goes with the intensity": (
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
    "there may be more steps than values: range(last + 1), last being the largest of all": lambda lives, sizes: max(
        _alive(lives, sizes, step) for step in range(len(lives))
    ),
    "the life that stands last need not end last: the last step is the largest of all": lambda lives, sizes: max(
        _alive(lives, sizes, step) for step in range([*lives.values()][-1][1] + 1)
    ),
    "a value is alive between its two ends, too: first <= step <= last": lambda lives, sizes: max(
        sum(sizes[name] for name, life in lives.items() if step in life) for step in range(_steps(lives) + 1)
    ),
    "that is how many values are alive: add up their bytes, sizes[name]": lambda lives, sizes: max(
        _alive(lives, dict.fromkeys(sizes, 1), step) for step in range(_steps(lives) + 1)
    ),
    "that is the first step alone: does `return` stand in the loop?": lambda lives, sizes: _alive(lives, sizes, 0),
    "that is the last step alone: keep the largest of all steps": lambda lives, sizes: _alive(
        lives, sizes, _steps(lives)
    ),
    "that is what is alive at each step: the largest of these numbers is the bound": lambda lives, sizes: [
        _alive(lives, sizes, step) for step in range(_steps(lives) + 1)
    ],
    "that is the quietest step: max": lambda lives, sizes: min(
        _alive(lives, sizes, step) for step in range(_steps(lives) + 1)
    ),
    "the step with the most values need not hold the most bytes: compare bytes": lambda lives, sizes: _alive(
        lives, sizes, _most_values(lives, range(_steps(lives) + 1))
    ),
    "the step with the most values need not hold the most bytes, so compare bytes": lambda lives, sizes: _alive(
        lives, sizes, _most_values(lives, range(_steps(lives), -1, -1))
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
    "more than two may be alive at one step: add up ALL of them": lambda lives, sizes: max(
        sizes[one] + sizes[other]
        for one, (first, last) in lives.items()
        for other, (begin, end) in lives.items()
        if one != other and first <= end and begin <= last
    ),
    "the two largest need not be alive together, and more than two may be: add up step by step": lambda lives, sizes: (
        sum(sorted(sizes.values())[-2:])
    ),
    "step 0 is missing: range(last + 1) begins with it": lambda lives, sizes: max(
        _alive(lives, sizes, step) for step in range(1, _steps(lives) + 1)
    ),
    "`lives` gives names and no steps: go through range(last + 1)": lambda lives, sizes: max(
        _alive(lives, sizes, step) for step in lives
    ),
    "a value was added at its two ends alone, and twice where they are one step: add it at each step from first to "
    "last": lambda lives, sizes: max(
        sum(sizes[name] * life.count(step) for name, life in lives.items()) for step in range(_steps(lives) + 1)
    ),
    "those are bytes times steps: the bound is the bytes of one step, the busiest": lambda lives, sizes: sum(
        sizes[name] * (last - first + 1) for name, (first, last) in lives.items()
    ),
    "that is the step and not its bytes": lambda lives, sizes: max(
        range(_steps(lives) + 1), key=lambda step: _alive(lives, sizes, step)
    ),
}
