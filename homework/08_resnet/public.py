"""Public tests of lesson 8: what the head of a classifier must do, and how a picture becomes its input."""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Student, expect, expect_refused, likely, task

POOL_ERRORS = {
    "slice indices must be integers": "a window's border is not a whole number: i * H // h rounds down, -(-a // b) up",
    "integer scalar": "a window's border is not a whole number: i * H // h rounds down, -(-a // b) up",
}
HEAD_ERRORS = {
    "matmul": "weight is (K, C), one row for each class: the product with (N, C) needs weight.T",
    "broadcast": "a sum or maximum lost its axis: keepdims=True keeps it, so that rows line up with rows",
}
PREPROCESS_ERRORS = {
    "broadcast": "MEAN and STD fit an array whose last axis is the channels: calculate first, transpose later",
}


def expect_pooled(student: Student, oracle: Any, x: np.ndarray, size: tuple[int, int], tolerance: float) -> None:
    """Raise Failure unless the student's pooling of `x` is right."""
    with likely(POOL_ERRORS):
        got = student.adaptive_avg_pool(x, size)
    what, mistakes = f"adaptive_avg_pool of {x.shape} to {size}", oracle.pooled_mistakes(x, size)
    expect(got, oracle.pooled(x, size), rtol=tolerance, atol=tolerance, what=what, mistakes=mistakes)


@task("adaptive_avg_pool", "windows", "sizes", "mean")
def five_numbers_to_three(student: Student, oracle: Any) -> None:
    """0 1 2 3 4 in three windows gives 0.5, 2 and 3.5: the windows are 0 1, 1 2 3 and 3 4."""
    expect_pooled(student, oracle, np.arange(5.0).reshape(1, 1, 1, 5), (1, 3), 1e-12)
    expect_pooled(student, oracle, np.arange(5.0).reshape(1, 1, 5, 1), (3, 1), 1e-12)


@task("adaptive_avg_pool", "mean", "planes")
def one_mean_for_each_plane(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Size (1, 1) gives the mean of each plane, of every channel and every picture: what a classifier needs."""
    expect_pooled(student, oracle, rng.integers(-99, 100, (3, 4, 4, 4)).astype(np.float64), (1, 1), 1e-12)


@task("adaptive_avg_pool", "sizes", "windows", "mean", "planes")
def rows_and_columns_have_their_own_sizes(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """h windows go down and w windows to the right, each by its own formula."""
    x = rng.integers(-99, 100, (2, 2, 7, 5)).astype(np.float64)
    for size in ((3, 4), (7, 1)):
        expect_pooled(student, oracle, x, size, 1e-12)


@task("adaptive_avg_pool", "larger", "windows", "sizes", "mean", "planes")
def more_windows_than_numbers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three numbers in five windows: the first, the middle of two, the second, the middle of two, the third."""
    x = rng.integers(-99, 100, (2, 2, 1, 3)).astype(np.float64)
    a, b, c = x[..., 0], x[..., 1], x[..., 2]
    with likely(POOL_ERRORS):
        got = student.adaptive_avg_pool(x, (1, 5))
    expected = np.stack([a, (a + b) / 2, b, (b + c) / 2, c], axis=-1)
    what, mistakes = f"adaptive_avg_pool of {x.shape} to (1, 5)", oracle.pooled_mistakes(x, (1, 5))
    expect(got, expected, rtol=1e-12, atol=1e-12, what=what, mistakes=mistakes)
    expect_pooled(student, oracle, rng.integers(-99, 100, (1, 2, 3, 2)).astype(np.float64), (4, 5), 1e-12)


@task("adaptive_avg_pool", "exact", "windows", "sizes", "mean")
def borders_that_are_whole_numbers(student: Student, oracle: Any) -> None:
    """A window that ends exactly at a whole number ends there: 58 numbers in 14 windows, 30 in 22, 56 in 52."""
    x = np.arange(58.0) ** 3 % 101
    for length, windows in ((58, 14), (30, 22), (56, 52)):
        expect_pooled(student, oracle, x[:length].reshape(1, 1, length, 1), (windows, 1), 1e-12)
        expect_pooled(student, oracle, x[:length].reshape(1, 1, 1, length), (1, windows), 1e-12)


@task("adaptive_avg_pool", "exact", "larger", "windows", "sizes", "mean")
def borders_that_are_nearly_whole_numbers(student: Student) -> None:
    """1,199 numbers in 1,200 windows: the first, the mean of each two neighbours, the last."""
    x = np.arange(1199.0) ** 3 % 101
    expected = np.concatenate([x[:1], (x[:-1] + x[1:]) / 2, x[-1:]])
    for shape, size in (((1, 1, 1, -1), (1, 1200)), ((1, 1, -1, 1), (1200, 1))):
        with likely(POOL_ERRORS):
            got = student.adaptive_avg_pool(x.reshape(shape), size)
        expect(got, expected.reshape(shape), rtol=1e-12, atol=1e-12)


@task("adaptive_avg_pool", "mean", "windows", "sizes", "dtype")
def a_large_number_in_another_window(student: Student) -> None:
    """As many windows as numbers give the numbers, the small ones beside a very large one, too."""
    for dtype, large, tolerance in ((np.float32, 3e8, 1e-5), (np.float64, 3e17, 1e-12)):
        for shape in ((1, 1, 1, 4), (1, 1, 4, 1)):
            x = np.array([large, 1, 2, 3], dtype).reshape(shape)
            with likely(POOL_ERRORS):
                got = student.adaptive_avg_pool(x, shape[2:])
            expect(got, x, rtol=tolerance, atol=tolerance, what=f"the result for {large:g}, 1, 2, 3")


@task("adaptive_avg_pool", "dtype", "windows", "sizes", "mean", "planes")
def both_types_stay(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-12)):
        expect_pooled(student, oracle, rng.normal(size=(1, 2, 6, 5)).astype(dtype), (3, 2), tolerance)


def network(
    rng: np.random.Generator, shape: tuple[int, ...], classes: int, dtype: Any = np.float64
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Planes and a linear layer whose scores are a few units apart."""
    x = rng.uniform(0, 2, shape) * rng.uniform(0.2, 2, (*shape[:2], 1, 1))
    weight, bias = rng.normal(size=(classes, shape[1])), rng.normal(size=classes)
    return x.astype(dtype), weight.astype(dtype), bias.astype(dtype)


def expect_head(
    student: Student, oracle: Any, x: np.ndarray, weight: np.ndarray, bias: np.ndarray, tolerance: float = 1e-9
) -> None:
    """Raise Failure unless the student's head on `x` is right."""
    with likely(HEAD_ERRORS):
        got = student.classifier_head(x, weight, bias)
    what = f"classifier_head of {x.shape} for {len(weight)} classes"
    expected, mistakes = oracle.probabilities(x, weight, bias), oracle.head_mistakes(x, weight, bias)
    expect(got, expected, atol=tolerance, what=what, mistakes=mistakes)


@task("classifier_head", "mean", "linear", "softmax")
def one_picture_and_two_classes(student: Student, oracle: Any) -> None:
    """Scores 3 + log 3 and 3 give 3/4 and 1/4; a batch of one has one row, which adds up to 1."""
    x = np.array([[[[2.0, 4.0], [0.0, 6.0]], [[1.0, 1.0], [1.0, 1.0]]]])
    weight, bias = np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([np.log(3), 0.0])
    with likely(HEAD_ERRORS):
        got = student.classifier_head(x, weight, bias)
    expect(got, np.array([[0.75, 0.25]]), atol=1e-9, mistakes=oracle.head_mistakes(x, weight, bias))


@task("classifier_head", "batch", "mean", "linear", "softmax")
def every_picture_by_itself(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """In a batch each picture has its own probabilities, whatever else is in the batch."""
    expect_head(student, oracle, *network(rng, (4, 6, 3, 2), 5))
    expect_head(student, oracle, *network(rng, (4, 4, 2, 5), 4))


@task("classifier_head", "large", "batch", "mean", "linear", "softmax", "dtype")
def large_scores(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Scores near 10,000, and near -10,000, give finite probabilities."""
    for dtype, tolerance in ((np.float64, 1e-6), (np.float32, 1e-2)):
        x, weight, bias = network(rng, (3, 4, 2, 2), 6, dtype)
        for offset in (9_990, -9_990):
            expect_head(student, oracle, x, weight, bias + dtype(offset), tolerance)


@task("classifier_head", "large", "batch", "mean", "linear", "softmax")
def large_and_small_scores_together(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Pictures whose scores lie thousands apart, and a class that is far above the others, share no overflow."""
    x = np.repeat(np.array([4_000.0, -4_000.0, 0.5]), 4).reshape(3, 1, 2, 2)
    weight, bias = 1 + rng.uniform(0, 1e-4, (5, 1)), rng.normal(size=5)
    expect_head(student, oracle, x, weight, bias, 1e-6)
    expect_head(student, oracle, x, weight, bias + np.array([0.0, 9_000.0, 0.0, 0.0, -9_000.0]), 1e-6)


@task("classifier_head", "dtype", "batch", "mean", "linear", "softmax")
def floats_stay_as_wide_as_they_are(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-9)):
        expect_head(student, oracle, *network(rng, (2, 8, 2, 3), 5, dtype), tolerance)


def photograph(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Random bytes in which red, green and blue have levels of their own."""
    return (rng.integers(0, 150, (height, width, 3)) + rng.permutation([0, 50, 100])).astype(np.uint8)


def expect_prepared(student: Student, oracle: Any, image: np.ndarray, resize: int, crop: int) -> None:
    """Raise Failure unless the student's preparation of `image` is right; likely causes are those of size and place."""
    with likely(PREPROCESS_ERRORS):
        got = student.preprocess(image, resize, crop)
    what = f"preprocess of {image.shape} with resize={resize}, crop={crop}"
    expected, mistakes = oracle.prepared(image, resize, crop), oracle.place_mistakes(image, resize, crop)
    expect(got, expected, atol=1e-5, what=what, mistakes=mistakes)


@task("preprocess", "numbers", "axes", "dtype")
def a_picture_of_the_right_size(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Where nothing has to be resized or cut, the bytes become numbers: /255, - mean, / std, channels first."""
    image = photograph(rng, 4, 4)
    with likely(PREPROCESS_ERRORS):
        got = student.preprocess(image, 4, 4)
    expect(got, oracle.prepared(image, 4, 4), atol=1e-5, mistakes=oracle.number_mistakes(image))


@task("preprocess", "shorter", "longer", "resizing", "middle", "numbers", "axes", "dtype")
def the_shorter_side_counts(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A wide picture and a tall one keep their shape: the shorter side becomes `resize`, the middle is cut out."""
    expect_prepared(student, oracle, photograph(rng, 12, 20), 6, 2)
    expect_prepared(student, oracle, photograph(rng, 20, 12), 6, 2)
    expect_prepared(student, oracle, photograph(rng, 6, 5), 10, 6)


@task("preprocess", "longer", "shorter", "resizing", "middle", "numbers", "axes", "dtype")
def the_longer_side_is_rounded_down(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """19x11 with resize 8 becomes 13x8, although 8 * 19 / 11 is 13.8; 49x98 becomes 8x16, as 8 * 98 / 49 is 16."""
    expect_prepared(student, oracle, photograph(rng, 8, 19), 9, 3)
    expect_prepared(student, oracle, photograph(rng, 19, 11), 8, 3)
    expect_prepared(student, oracle, photograph(rng, 8, 23), 9, 3)
    expect_prepared(student, oracle, photograph(rng, 49, 98), 8, 3)
    expect_prepared(student, oracle, photograph(rng, 98, 49), 8, 3)
    expect_prepared(student, oracle, photograph(rng, 7, 61), 7, 3)
    expect_prepared(student, oracle, photograph(rng, 61, 7), 7, 3)


@task("preprocess", "middle", "shorter", "longer", "resizing", "numbers", "axes", "dtype")
def an_odd_rest_is_rounded_as_python_rounds(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Of 6 rows a cut of 3 begins at row 2, because round(1.5) is 2; of 8 columns at column 2, as round(2.5) is."""
    expect_prepared(student, oracle, photograph(rng, 6, 8), 6, 3)
    expect_prepared(student, oracle, photograph(rng, 17, 10), 10, 3)


@task("preprocess", "fits", "shorter", "longer", "resizing", "middle", "numbers", "axes", "dtype")
def a_crop_that_does_not_fit(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A crop as large as `resize` is fine; a larger one raises ValueError, even where the longer side has room."""
    expect_prepared(student, oracle, photograph(rng, 5, 9), 4, 4)
    cause = "crop is compared with something else than resize, or not at all: raise ValueError if crop > resize"
    for height, width in ((9, 16), (16, 9), (30, 30)):
        expect_refused(student.preprocess, photograph(rng, height, width), 8, 9, cause=cause)
