"""Public tests of homework 8: `python3 course.py check` runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from classroom.judge import Student, expect, expect_raises, task
from kuiper.vision import resize as bilinear

Bounds = list[tuple[int, int]]
"""First row and row after the last of every window."""


# --- Task 8.1: slow windows, right ones and wrong ones


def right(length: int, count: int) -> Bounds:
    """The windows of an axis: floor(i * length / count) to ceil((i + 1) * length / count)."""
    found = []
    for i in range(count):
        end, rest = divmod((i + 1) * length, count)
        found.append((i * length // count, end + (rest > 0)))
    return found


def fixed(length: int, count: int) -> Bounds:
    """Windows of one size and one step, as in the original course."""
    step = length // count
    size = length - (count - 1) * step
    return [(i * step, i * step + size) for i in range(count)]


def both_down(length: int, count: int) -> Bounds:
    """Windows that end at floor: what does not divide belongs to the next one."""
    return [(i * length // count, (i + 1) * length // count) for i in range(count)]


def exchanged(length: int, count: int) -> Bounds:
    """Windows from ceil to floor."""
    return [(-(-i * length // count), (i + 1) * length // count) for i in range(count)]


def pooled(x: np.ndarray, size: tuple[int, int], bounds: Callable[[int, int], Bounds] = right) -> np.ndarray:
    """The mean of every window, in float64 and then in the type of `x`."""
    y = np.empty((*x.shape[:2], *size))
    for i, (top, bottom) in enumerate(bounds(x.shape[2], size[0])):
        for j, (first, last) in enumerate(bounds(x.shape[3], size[1])):
            window = x[:, :, top:bottom, first:last].astype(np.float64)
            count = window.shape[2] * window.shape[3]
            y[:, :, i, j] = window.sum(axis=(2, 3)) / count if count else np.nan
    return y.astype(x.dtype)


def counts(length: int, count: int) -> np.ndarray:
    """How many rows each window has."""
    return np.array([b - a for a, b in right(length, count)])


def expect_pooled(student: Student, x: np.ndarray, size: tuple[int, int], tolerance: float = 0.0) -> None:
    """The student's pooling of `x`, with the well-known mistakes."""
    expected = pooled(x, size)
    numbers = np.outer(counts(x.shape[2], size[0]), counts(x.shape[3], size[1]))
    largest = numbers.max()
    mistakes = {
        "all windows have one size and one step: that is right only where the sizes divide": pooled(x, size, fixed),
        "a window ends at floor: round its end up, so that it has what it touches": pooled(x, size, both_down),
        "floor and ceil are exchanged: the beginning is rounded down, the end up": pooled(x, size, exchanged),
        "these are sums: divide each by the numbers in its own window": expected * numbers.astype(x.dtype),
        "every sum is divided by one number: windows differ in size, so divide each by its own count": (
            expected * (numbers / largest).astype(x.dtype)
        ),
        "every picture has the result of the first": np.repeat(expected[:1], len(x), axis=0),
        "every channel has the mean of all channels: each is averaged for itself": np.repeat(
            expected.mean(axis=1, keepdims=True), x.shape[1], axis=1
        ),
    }
    what = f"adaptive_avg_pool of {x.shape} to {size}"
    expect(student.adaptive_avg_pool(x, size), expected, rtol=tolerance, atol=tolerance, what=what, mistakes=mistakes)


@task("adaptive_avg_pool")
def five_numbers_to_three(student: Student, rng: np.random.Generator) -> None:
    """0 1 2 3 4 in three windows gives 0.5, 2 and 3.5: the windows are 0 1, 1 2 3 and 3 4."""
    expect_pooled(student, np.arange(5.0).reshape(1, 1, 1, 5), (1, 3), 1e-12)
    expect_pooled(student, np.arange(5.0).reshape(1, 1, 5, 1), (3, 1), 1e-12)


@task("adaptive_avg_pool")
def one_mean_for_each_plane(student: Student, rng: np.random.Generator) -> None:
    """Size (1, 1) gives the mean of each plane, of every channel and every picture: what a classifier needs."""
    expect_pooled(student, rng.integers(-99, 100, (3, 4, 4, 4)).astype(np.float64), (1, 1), 1e-12)


@task("adaptive_avg_pool")
def rows_and_columns_have_their_own_sizes(student: Student, rng: np.random.Generator) -> None:
    """h windows go down and w windows to the right, each by its own formula."""
    x = rng.integers(-99, 100, (2, 3, 7, 5)).astype(np.float64)
    for size in ((3, 4), (2, 3), (7, 1), (5, 5)):
        expect_pooled(student, x, size, 1e-12)


# --- Task 8.2


def shares(scores: np.ndarray, axis: int | None = 1) -> np.ndarray:
    """Softmax, in float64."""
    scores = scores.astype(np.float64)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def risky(scores: np.ndarray, highest: Any) -> np.ndarray:
    """Softmax after `highest` has been subtracted, whatever comes of it."""
    with np.errstate(all="ignore"):
        powers = np.exp(scores - highest)
        return powers / powers.sum(axis=1, keepdims=True)


def probabilities(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """What the head has to give, in float64 and then in the type of `x`."""
    wide = [a.astype(np.float64) for a in (x, weight, bias)]
    features = wide[0].sum(axis=(2, 3)) / (x.shape[2] * x.shape[3])
    return shares(np.einsum("nc,kc->nk", features, wide[1]) + wide[2]).astype(x.dtype)


def expect_head(student: Student, x: np.ndarray, weight: np.ndarray, bias: np.ndarray, tolerance: float = 1e-9) -> None:
    """The student's head on `x`, with the well-known mistakes."""
    features, pixels = x.mean(axis=(2, 3)), x.shape[2] * x.shape[3]
    scores = features @ weight.T + bias
    wrong = {
        "softmax along the batch: each row adds up to 1, so axis=1, and keepdims=True": shares(scores, 0),
        "softmax over the whole array: every picture by itself, axis=1": shares(scores, None),
        "the exponential overflows: subtract the largest score of each row first": risky(scores, 0),
        "one maximum for the whole batch: subtract the largest score of each row from that row": risky(
            scores, scores.max()
        ),
        "these are the scores: softmax is missing": scores,
        "sums in place of means: divide by the pixels of a plane": shares(pixels * features @ weight.T + bias),
        "the bias is missing": shares(features @ weight.T),
        "the linear layer comes without weights": shares(features) if len(weight) == x.shape[1] else None,
        "weight is (K, C), one row for each class: the product needs weight.T": (
            shares(features @ weight + bias) if len(weight) == x.shape[1] else None
        ),
    }
    mistakes = {cause: np.asarray(value, x.dtype) for cause, value in wrong.items() if value is not None}
    what = f"classifier_head of {x.shape} for {len(weight)} classes"
    got = student.classifier_head(x, weight, bias)
    expect(got, probabilities(x, weight, bias), atol=tolerance, what=what, mistakes=mistakes)


def network(
    rng: np.random.Generator, shape: tuple[int, ...], classes: int, dtype: Any = np.float64
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Planes and a linear layer whose scores are a few units apart."""
    x = rng.uniform(0, 2, shape) * rng.uniform(0.2, 2, (*shape[:2], 1, 1))
    weight, bias = rng.normal(size=(classes, shape[1])), rng.normal(size=classes)
    return x.astype(dtype), weight.astype(dtype), bias.astype(dtype)


@task("classifier_head")
def one_picture_and_two_classes(student: Student, rng: np.random.Generator) -> None:
    """Scores 3 + log 3 and 3 give 3/4 and 1/4; a batch of one has one row, which adds up to 1."""
    x = np.array([[[[2.0, 4.0], [0.0, 6.0]], [[1.0, 1.0], [1.0, 1.0]]]])
    weight = np.array([[1.0, 0.0], [0.0, 3.0]])
    expect_head(student, x, weight, np.array([np.log(3), 0.0]))


@task("classifier_head")
def every_picture_by_itself(student: Student, rng: np.random.Generator) -> None:
    """In a batch each picture has its own probabilities, whatever else is in the batch."""
    expect_head(student, *network(rng, (4, 6, 3, 2), 5))
    expect_head(student, *network(rng, (3, 4, 2, 5), 4))


@task("classifier_head")
def large_scores(student: Student, rng: np.random.Generator) -> None:
    """Scores of thousands, in both directions, give finite probabilities."""
    x, weight, bias = network(rng, (3, 4, 2, 2), 6)
    for offset in (5000.0, -5000.0):
        expect_head(student, x, weight, bias + offset, 1e-6)


# --- Task 8.3


def prepared(image: np.ndarray, resize: int, crop: int, mistake: str = "") -> np.ndarray:
    """What preprocess has to give; or what it gives with one mistake."""
    mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    height, width = image.shape[:2]
    side = max(height, width) if mistake == "longer" else min(height, width)
    rows, cols = max(1, resize * height // side), max(1, resize * width // side)
    if mistake == "squeezed":
        rows = cols = resize
    small = bilinear(image, rows, cols)
    top, left = round((rows - crop) / 2), round((cols - crop) / 2)
    if mistake == "down":
        top, left = (rows - crop) // 2, (cols - crop) // 2
    if mistake == "corner":
        top = left = 0
    cut = small[top : top + crop, left : left + crop].astype(np.float64)
    cut = cut[..., ::-1] if mistake == "bgr" else cut
    cut = cut / (1 if mistake == "bytes" else 255)
    mean = np.zeros(3) if mistake == "mean" else mean
    std = np.ones(3) if mistake == "std" else std
    cut = cut / std - mean if mistake == "std first" else (cut - mean) / std
    x = cut.reshape(3, *cut.shape[:2]) if mistake == "reshape" else cut.transpose(2, 0, 1)
    x = x.swapaxes(1, 2) if mistake == "turned" else x
    return x[None].astype(np.float32)


CAUSES = {
    "longer": "the longer side was resized to `resize`: it is the shorter one",
    "squeezed": "both sides were resized to `resize`: the longer one keeps its proportion, and is cut afterwards",
    "corner": "the crop is the upper left corner: it comes from the middle",
    "down": "the crop begins a pixel off: the beginning is round((n - crop) / 2), not (n - crop) // 2",
    "bgr": "the channels are in the order blue, green, red: keep red first",
    "bytes": "the pixels are still 0..255: divide by 255 before anything else",
    "mean": "the mean was not subtracted",
    "std": "the difference was not divided by the standard deviation",
    "std first": "divided by STD first: subtract MEAN, then divide",
    "reshape": "reshape does not move axes, it only cuts the row of numbers elsewhere: transpose(2, 0, 1)",
    "turned": "rows and columns are exchanged: the axes become (channel, row, column), transpose(2, 0, 1)",
}


def expect_prepared(student: Student, image: np.ndarray, resize: int, crop: int) -> None:
    """The student's preparation of `image`, with the well-known mistakes."""
    mistakes = {cause: prepared(image, resize, crop, mistake) for mistake, cause in CAUSES.items()}
    what = f"preprocess of {image.shape} with resize={resize}, crop={crop}"
    got = student.preprocess(image, resize, crop)
    expect(got, prepared(image, resize, crop), atol=1e-5, what=what, mistakes=mistakes)


def photograph(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Random bytes in which red, green and blue have levels of their own."""
    return (rng.integers(0, 150, (height, width, 3)) + rng.permutation([0, 50, 100])).astype(np.uint8)


@task("preprocess")
def a_picture_of_the_right_size(student: Student, rng: np.random.Generator) -> None:
    """Where nothing has to be resized or cut, the bytes become numbers: /255, - mean, / std, channels first."""
    expect_prepared(student, photograph(rng, 8, 8), 8, 8)


@task("preprocess")
def the_shorter_side_counts(student: Student, rng: np.random.Generator) -> None:
    """A wide picture and a tall one keep their shape: the shorter side becomes `resize`, the middle is cut out."""
    expect_prepared(student, photograph(rng, 12, 20), 6, 4)
    expect_prepared(student, photograph(rng, 20, 12), 6, 4)


@task("preprocess")
def a_crop_that_does_not_fit(student: Student, rng: np.random.Generator) -> None:
    """A crop larger than `resize` raises an exception, even where the longer side has room for it."""
    expect_prepared(student, photograph(rng, 9, 16), 8, 8)
    expect_raises(student.preprocess, photograph(rng, 9, 16), 8, 9)
