"""Public tests of homework 11: `python3 course.py check` runs them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, task

Life = tuple[int, int]


# --- Tasks 11.1 and 11.2: convolutions whose products are counted


class Counter:
    """A multiply that counts the products it makes, each `scale` times as large as it should be."""

    LARGEST = 4_000_000

    def __init__(self, scale: int = 1) -> None:
        self.scale, self.count = scale, 0
        self.__name__ = "multiply" if scale == 1 else f"multiply, {scale} times as large"

    def __call__(self, a: Any, b: Any) -> Any:
        """scale * a * b. Raises ValueError for what is no array of numbers, and for far too many products."""
        for x in (a, b):
            if not isinstance(x, (np.ndarray, np.generic, int, float)) or np.asarray(x).dtype.kind not in "iuf":
                raise ValueError(f"multiply: expected arrays of numbers, found {type(x).__name__}")
        size = np.broadcast(a, b).size
        if size > self.LARGEST:
            raise ValueError(f"multiply: {size:,} products at once, which no test needs")
        self.count += size
        return self.scale * (a * b)


def expect_products(
    call: Callable[[Counter], Any],
    expected: np.ndarray,
    most: int,
    plain: int,
    tolerance: float = 1e-5,
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """Raise Failure unless `call(multiply)` is `expected`, by at most `most` products, all of them made by `multiply`.

    plain : how many products a convolution makes without any trick.
    """
    limits = {"rtol": tolerance, "atol": tolerance * float(np.abs(expected).max())}
    counter, eight = Counter(), Counter(8)
    expect(call(counter), expected, mistakes=mistakes, **limits)
    what = "the result with a multiply that gives 8 times the product"
    past = {
        "some products were not made by multiply: each one of a pixel and a weight belongs there": expected,
        "multiply was used twice on the way to one result: the transforms need no products of it": 64 * expected,
    }
    limits["atol"] *= 8
    expect(call(eight), 8 * expected, what=what, mistakes=past, **limits)
    if counter.count > most:
        failure = Failure(f"expected at most {most:,} products, counted {counter.count:,}", most, counter.count)
        if counter.count == plain:
            failure.cause = (
                "these are the products of the formula itself: transform tiles and kernel before you multiply"
            )
        elif counter.count > plain:
            failure.cause = (
                "more than the formula itself makes: is multiply called only for transformed tile and kernel?"
            )
        raise failure


def slow_line(d: np.ndarray, g: np.ndarray) -> np.ndarray:
    """(4, T) and (3,) -> (2, T): two outputs for each column, by the formula."""
    y = np.zeros((2, d.shape[1]), d.dtype)
    for i, k, t in np.ndindex(2, 3, d.shape[1]):
        y[i, t] += g[k] * d[i + k, t]
    return y


def line_mistakes(d: np.ndarray, g: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives."""
    a, e = (d[0] - d[2]) * g[0], (d[1] - d[3]) * g[2]
    b, c = (d[1] + d[2]) * (g[0] + g[1] + g[2]) / 2, (d[2] - d[1]) * (g[0] - g[1] + g[2]) / 2
    found = {
        "the halves are missing: both middle sums of weights are divided by 2": [a + 2 * (b + c), 2 * (b - c) - e],
        "the second output subtracts the last product": [a + b + c, b - c + e],
        "the second output subtracts the third product, too": [a + b + c, b + c - e],
        "the kernel is turned around: g[0] meets the first pixel": list(slow_line(d, g[::-1])),
    }
    return {cause: np.stack(wrong) for cause, wrong in found.items()}


def expect_line(student: Student, d: np.ndarray, g: np.ndarray, tolerance: float = 1e-5) -> None:
    """Raise Failure unless winograd_step gives what the formula gives, by four products for each tile."""
    tiles = d.shape[1]
    expect_products(
        lambda multiply: student.winograd_step(d, g, multiply),
        slow_line(d, g),
        4 * tiles,
        6 * tiles,
        tolerance,
        line_mistakes(d, g),
    )


@task("winograd_step")
def the_tiles_of_the_example(student: Student, rng: np.random.Generator) -> None:
    """The tiles 1 2 3 4 and 0 0 1 1 with the kernel 1 10 100 give 321 432 and 100 110, by four products each."""
    d = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 1.0]])
    expect_line(student, d, np.array([1.0, 10.0, 100.0]))


@task("winograd_step")
def four_products_for_two_outputs(student: Student, rng: np.random.Generator) -> None:
    """Any tiles and kernel give what the formula gives, by 4 products for each tile and all of them by multiply."""
    for tiles in (1, 2, 5):
        d = rng.integers(-9, 10, (4, tiles)).astype(np.float64)
        expect_line(student, d, rng.choice([-7.0, -4.0, 2.0, 3.0, 5.0, 9.0], 3, replace=False))


def slow_convolution(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(C, H, W) and (O, C, 3, 3) -> (O, H-2, W-2), one pixel of all kernels at a time."""
    _, height, width = x.shape
    y = np.zeros((len(weight), height - 2, width - 2), x.dtype)
    for i, j in np.ndindex(3, 3):
        part = x[:, i : height - 2 + i, j : width - 2 + j]
        y += np.einsum("chw,oc->ohw", part, weight[:, :, i, j])
    return y


def image_mistakes(x: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives."""
    y = slow_convolution(x, weight)
    outputs, height, width = y.shape
    found = {
        "only the first channel is there: sum the products over all": slow_convolution(x[:1], weight[:, :1]),
        "the kernels are transposed: G g G^T, with g as it is": slow_convolution(x, weight.swapaxes(2, 3)),
        "the kernels are turned by 180 degrees: ours are not": slow_convolution(x, weight[:, :, ::-1, ::-1]),
    }
    if height % 2 == 0 and width % 2 == 0:
        tiles = y.reshape(outputs, height // 2, 2, width // 2, 2).transpose(0, 1, 3, 2, 4)
        found["the tiles were only reshaped: their rows must lie side by side, (down, 2, across, 2), first"] = (
            tiles.reshape(y.shape)
        )
    return found


def expect_image(student: Student, x: np.ndarray, weight: np.ndarray, tolerance: float = 1e-5) -> None:
    """Raise Failure unless winograd gives what the formula gives, by 16 products for each tile, channel and kernel."""
    height, width = x.shape[1] - 2, x.shape[2] - 2
    pairs = weight.shape[0] * weight.shape[1]
    most = 16 * ceil(height / 2) * ceil(width / 2) * pairs
    expect_products(
        lambda multiply: student.winograd(x, weight, multiply),
        slow_convolution(x, weight),
        most,
        9 * height * width * pairs,
        tolerance,
        image_mistakes(x, weight),
    )


@task("winograd")
def one_tile(student: Student, rng: np.random.Generator) -> None:
    """The image 1..16 with the kernel of lesson 6 gives 110, 128, 182, 200, by 16 products instead of 36."""
    x = np.arange(1.0, 17.0).reshape(1, 4, 4)
    expect_image(student, x, np.array([[[[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]]]))


@task("winograd")
def channels_and_kernels(student: Student, rng: np.random.Generator) -> None:
    """Several tiles, channels and kernels give what im2col_conv gives, by 16 products for each tile and pair."""
    x = rng.integers(-9, 10, (3, 6, 8)).astype(np.float32)
    expect_image(student, x, rng.integers(-9, 10, (4, 3, 3, 3)).astype(np.float32))


@task("winograd")
def odd_sizes(student: Student, rng: np.random.Generator) -> None:
    """With an odd number of output rows or columns the last tiles reach over the edge, and the result is cut."""
    for height, width in ((5, 6), (6, 5), (7, 7)):
        x = rng.integers(-9, 10, (2, height, width)).astype(np.float32)
        expect_image(student, x, rng.integers(-9, 10, (3, 2, 3, 3)).astype(np.float32))


# --- Task 11.3: plans of memory


def expect_plan(got: Any, lives: Mapping[str, Life], sizes: Mapping[str, int]) -> int:
    """Raise Failure unless `got` is a right plan -> the bytes of its block."""
    if type(got) is not dict or set(got) != set(sizes):
        missing = sorted(set(sizes) - set(got)) if type(got) is dict else []
        found = f"a dict without {missing[:3]}" if missing else f"{got!r:.200}"
        raise Failure(f"expected a dict with the {len(sizes)} names of sizes, got {found}", sorted(sizes), got)
    for name, offset in got.items():
        if type(offset) is not int or offset < 0:
            failure = Failure(f"offset of {name!r}: expected an int of 0 or more, got {offset!r}", "an int", offset)
            failure.cause = "numpy's numbers are no plain ints: int(offset)" if isinstance(offset, np.integer) else None
            raise failure
    for a, b in itertools.combinations(sizes, 2):
        shared = max(lives[a][0], lives[b][0]), min(lives[a][1], lives[b][1])
        if shared[0] <= shared[1] and got[a] < got[b] + sizes[b] and got[b] < got[a] + sizes[a]:
            said = " and ".join(f"{n!r} (steps {lives[n]}, bytes {got[n]} to {got[n] + sizes[n] - 1})" for n in (a, b))
            failure = Failure(f"{said} overlap, and both are alive at step {shared[0]}", "no overlap", got)
            if shared[0] == shared[1]:
                failure.cause = "the last step of the one is the first of the other: then both are alive, < is <= here"
            raise failure
    return max((got[name] + size for name, size in sizes.items()), default=0)


def lower_bound(lives: Mapping[str, Life], sizes: Mapping[str, int]) -> int:
    """The most bytes that are alive at any one step."""
    return max(
        sum(sizes[name] for name, (first, last) in lives.items() if first <= step <= last)
        for step in {first for first, _ in lives.values()}
    )


def network(rng: np.random.Generator, steps: int, kind: int) -> tuple[dict[str, Life], dict[str, int]]:
    """The values of a network that computes one at each step, in no order.

    kind : 0 a classifier, whose values get smaller; 1 a decoder, whose values get larger; 2 first smaller, then larger.
    """
    names = [f"v{number}" for number in rng.permutation(10 * steps)[:steps]]
    bends = np.sort(rng.integers(0, steps, 4))
    base = int(rng.integers(2_000, 20_000))
    lives: dict[str, Life] = {}
    sizes: dict[str, int] = {}
    for step, name in enumerate(names):
        depth = int((bends <= step).sum())
        level = {0: -depth, 1: depth, 2: -min(depth, 4 - depth)}[kind]
        share = float(rng.choice([0.125, 0.5, 0.5, 1.0, 1.0, 1.0, 2.0]))
        sizes[name] = int(base * 2.0**level * share) + int(rng.integers(1, 64))
        length = int(rng.choice([1, 1, 1, 2, 2, 3, rng.integers(4, max(5, steps // 2))]))
        lives[name] = (step, min(steps - 1, step + length))
    order = rng.permutation(names).tolist()
    return {name: lives[name] for name in order}, {name: sizes[name] for name in order}


def expect_within(student: Student, rng: np.random.Generator, kinds: tuple[int, ...], count: int, most: float) -> None:
    """Raise Failure unless the plans of `count` networks are right, and on average within `most` times the bound."""
    ratios = []
    for i in range(count):
        lives, sizes = network(rng, int(rng.integers(20, 45)), kinds[i % len(kinds)])
        got = student.plan_memory(lives, sizes)
        ratios.append(expect_plan(got, lives, sizes) / lower_bound(lives, sizes))
        if got and expect_plan(got, lives, sizes) == sum(sizes.values()):
            failure = Failure("no value shares memory with another", "a shorter block", "the sum of all sizes")
            failure.cause = "every value has a place of its own: look only at those that are alive at the same time"
            raise failure
    mean = float(np.mean(ratios))
    if mean > most:
        above, allowed = f"{100 * (mean - 1):.1f} %", f"{100 * (most - 1):.0f} %"
        failure = Failure(
            f"the blocks of {count} networks are on average {above} longer than the bound, expected at most {allowed}",
            f"at most {allowed}",
            above,
        )
        failure.cause = "right, but not short enough: place the values in another order, each at its lowest free offset"
        raise failure


@task("plan_memory")
def three_values_in_160_bytes(student: Student, rng: np.random.Generator) -> None:
    """a and c are never alive together and share their place, b is alive with both: 160 bytes are enough."""
    lives, sizes = {"a": (0, 1), "b": (1, 2), "c": (2, 3)}, {"a": 100, "b": 60, "c": 80}
    height = expect_plan(student.plan_memory(lives, sizes), lives, sizes)
    if height > 160:
        failure = Failure(f"expected a block of 160 bytes, got {height}", 160, height)
        failure.cause = "no value shares memory with another" if height == 240 else None
        raise failure


@task("plan_memory")
def nothing_overlaps(student: Student, rng: np.random.Generator) -> None:
    """Whatever the network, two values that are alive at the same step have no byte in common."""
    for steps in (1, 2, 3, 5, 8, 13, 30):
        for kind in (0, 1, 2):
            lives, sizes = network(rng, steps, kind)
            expect_plan(student.plan_memory(lives, sizes), lives, sizes)


@task("plan_memory")
def within_twice_the_bound(student: Student, rng: np.random.Generator) -> None:
    """On average the block is no longer than twice the most that is alive at one step."""
    expect_within(student, rng, (0, 1, 2), 15, 2.0)


# --- Task 11.4


def normalized(y: np.ndarray, gamma: Any, beta: Any, mean: Any, var: Any, eps: float) -> np.ndarray:
    """BatchNorm of (O, H, W), as its formula says."""
    gamma, beta, mean, var = (np.asarray(x, np.float64)[:, None, None] for x in (gamma, beta, mean, var))
    return gamma * (y - mean) / np.sqrt(var + eps) + beta


def expect_folded(
    student: Student,
    weight: np.ndarray,
    bias: np.ndarray | None,
    statistics: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    eps: float,
) -> None:
    """Raise Failure unless the folded layer's weight and bias are those that the formula gives."""
    gamma, beta, mean, var = (np.asarray(x, np.float64) for x in statistics)
    before = np.zeros_like(mean) if bias is None else bias.astype(np.float64)
    # what a layer gives for an input of zeros is its bias; without it, each weight is seen alone
    at_zero = normalized(before[:, None, None], *statistics, eps)[:, 0, 0]
    slope = normalized(1 + before[:, None, None], *statistics, eps)[:, 0, 0] - at_zero
    kernels = (slope[:, None, None, None] * weight).astype(weight.dtype)
    shift = {
        "the convolution's own bias is forgotten": at_zero - slope * before,
        "the bias is added as it is: BatchNorm scales it, too": at_zero - slope * before + before,
        "the mean is subtracted as it is: BatchNorm scales it, too": slope * before - mean + beta,
    }
    got = student.fold_batchnorm(weight, bias, *statistics, eps)
    if type(got) is not tuple or len(got) != 2:
        raise Failure(f"expected a tuple (weight, bias), got {type(got).__name__}", "(weight, bias)", got)
    tolerance = 1e-9 if weight.dtype == np.float64 else 2e-5
    wrong = {
        "eps is left out, or not added to the variance": gamma / np.sqrt(np.maximum(var, 1e-30)),
        "the variance is not a deviation yet: take its root": gamma / (var + eps),
    }
    wrong = {cause: factor[:, None, None, None] * weight for cause, factor in wrong.items()}
    size = float(np.abs(kernels).max())
    expect(got[0], kernels, rtol=tolerance, atol=tolerance * size, what="the weight", mistakes=_as(weight.dtype, wrong))
    size = float(np.abs(at_zero).max() + np.abs(slope * before).max() + np.abs(slope * mean).max())
    shifted = at_zero.astype(weight.dtype)
    expect(got[1], shifted, rtol=tolerance, atol=tolerance * size, what="the bias", mistakes=_as(weight.dtype, shift))


def _as(dtype: np.dtype, mistakes: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {cause: wrong.astype(dtype) for cause, wrong in mistakes.items()}


def statistics_of(rng: np.random.Generator, outputs: int, dtype: Any) -> Any:
    """gamma, beta, mean, var of a trained BatchNorm."""
    signs = rng.choice([-1.0, 1.0], outputs)
    found = signs * rng.uniform(0.5, 2, outputs), rng.normal(0, 3, outputs), rng.normal(0, 3, outputs)
    return tuple(x.astype(dtype) for x in (*found, rng.uniform(0.1, 4, outputs)))


@task("fold_batchnorm")
def one_weight(student: Student, rng: np.random.Generator) -> None:
    """3 x, then 2 (y - 5) / 2 + 10, is 3 x + 5."""
    one = np.array([1.0])
    got = student.fold_batchnorm(np.full((1, 1, 1, 1), 3.0), None, 2 * one, 10 * one, 5 * one, 4 * one, 0.0)
    expect(got, (np.full((1, 1, 1, 1), 3.0), np.array([5.0])), rtol=1e-9)


@task("fold_batchnorm")
def every_channel_has_its_own(student: Student, rng: np.random.Generator) -> None:
    """Each output channel's kernel and bias are scaled and shifted by its own four numbers."""
    weight, bias = rng.normal(size=(4, 3, 3, 3)), rng.normal(size=4)
    expect_folded(student, weight, bias, statistics_of(rng, 4, np.float64), 0.1)
