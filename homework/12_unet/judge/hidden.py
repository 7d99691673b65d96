"""Hidden tests of homework 12."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, expect_raises, task

Pair = tuple[int, int]


# --- Task 12.1: what is expected is computed as zeros between the pixels, and an ordinary convolution


def by_convolution(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None, stride: Pair = (1, 1), padding: Pair = (0, 0)
) -> np.ndarray:
    """The transposed convolution: zeros between and around the pixels, then a convolution with the turned kernel."""
    (n, channels, height, width), (_, outputs, kh, kw), (sh, sw) = x.shape, weight.shape, stride
    wide = np.zeros((n, channels, (height - 1) * sh + 1, (width - 1) * sw + 1), x.dtype)
    wide[:, :, ::sh, ::sw] = x
    wide = np.pad(wide, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, (kh, kw), axis=(2, 3))
    y = np.einsum("nchwij,coij->nohw", windows, weight[:, :, ::-1, ::-1])
    if bias is not None:
        y = y + bias.reshape(1, outputs, 1, 1)
    (ph, pw), (rows, cols) = padding, y.shape[2:]
    return np.ascontiguousarray(y[:, :, ph : rows - ph, pw : cols - pw])


def drawn(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Whole numbers from -9 to 9: sums of them are exact in any order."""
    return rng.integers(-9, 10, shape).astype(dtype)


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    return int(rng.integers(low, high + 1))


def geometry(rng: np.random.Generator) -> tuple[Pair, Pair, Pair, Pair]:
    """Size, kernel, stride and padding, so that something is left; one of each axis."""
    axes = []
    for _ in range(2):
        size, kernel, stride = between(rng, 1, 5), between(rng, 1, 4), between(rng, 1, 4)
        most = ((size - 1) * stride + kernel - 1) // 2
        axes.append((size, kernel, stride, between(rng, 0, min(3, most))))
    (h, kh, sh, ph), (w, kw, sw, pw) = axes
    return (h, w), (kh, kw), (sh, sw), (ph, pw)


@task("transposed_convolution")
def any_geometry(student: Student, rng: np.random.Generator) -> None:
    """The result is right for any sizes of image, kernel, stride and padding."""
    for _ in range(30):
        size, kernel, stride, padding = geometry(rng)
        n, channels, outputs = between(rng, 1, 2), between(rng, 1, 3), between(rng, 1, 3)
        x, weight = drawn(rng, n, channels, *size), drawn(rng, channels, outputs, *kernel)
        bias = drawn(rng, outputs) if rng.random() < 0.5 else None
        what = f"x {x.shape}, weight {weight.shape}, stride {stride}, padding {padding}, bias {bias is not None}"
        got = student.transposed_convolution(x, weight, bias, stride, padding)
        expect(got, by_convolution(x, weight, bias, stride, padding), what=what)


@task("transposed_convolution")
def as_large_as_promised(student: Student, rng: np.random.Generator) -> None:
    """H' = (H - 1) * sh - 2 * ph + kh, and W' likewise, also where rows and columns differ in everything."""
    for size, kernel, stride, padding in (
        ((2, 5), (4, 3), (3, 2), (2, 1)),
        ((1, 6), (5, 1), (2, 3), (2, 0)),
        ((4, 1), (1, 5), (4, 1), (1, 2)),
    ):
        x, weight, bias = drawn(rng, 2, 2, *size), drawn(rng, 2, 3, *kernel), drawn(rng, 3) + 20
        got = student.transposed_convolution(x, weight, bias, stride, padding)
        what = f"an image {size} with a kernel {kernel}, stride {stride}, padding {padding}"
        expect(got, by_convolution(x, weight, bias, stride, padding), what=what)


@task("transposed_convolution")
def stamps_that_do_not_touch(student: Student, rng: np.random.Generator) -> None:
    """With a stride larger than the kernel there are pixels without a stamp: they have the bias, or 0."""
    x, weight, bias = drawn(rng, 2, 3, 3, 2), drawn(rng, 3, 2, 2, 1), drawn(rng, 2) + 50
    for b in (bias, None):
        expect(student.transposed_convolution(x, weight, b, (3, 4), (0, 0)), by_convolution(x, weight, b, (3, 4)),
               what="stride (3, 4) and a kernel of 2x1")  # fmt: skip


@task("transposed_convolution")
def every_element_type(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, with a bias and without."""
    for dtype, tolerance in ((np.float32, 2e-6), (np.float64, 1e-12)):
        x, weight, bias = (rng.standard_normal(s).astype(dtype) for s in ((2, 3, 4, 3), (3, 2, 3, 3), (2,)))
        for b in (bias, None):
            expected = by_convolution(x, weight, b, (2, 1), (1, 0))
            got = student.transposed_convolution(x, weight, b, (2, 1), (1, 0))
            limit = tolerance * float(np.abs(expected).max())
            expect(got, expected, rtol=tolerance, atol=limit, what=f"the result for {np.dtype(dtype)}")


@task("transposed_convolution")
def stride_one_and_no_padding_unless_said(student: Student, rng: np.random.Generator) -> None:
    """Without bias, stride and padding each stamp lies one pixel from the next, and nothing is cut."""
    x, weight = drawn(rng, 2, 2, 3, 4), drawn(rng, 2, 3, 2, 3)
    expect(student.transposed_convolution(x, weight), by_convolution(x, weight))
    expect(student.transposed_convolution(x, weight, drawn(rng, 3) * 0), by_convolution(x, weight))


@task("transposed_convolution")
def what_does_not_fit_is_refused(student: Student, rng: np.random.Generator) -> None:
    """Other channels than the kernels', and a cut that leaves nothing, raise; a cut that leaves one pixel does not."""
    x = drawn(rng, 1, 2, 2, 2)
    for channels in (1, 3):
        expect_raises(student.transposed_convolution, x, drawn(rng, channels, 2, 2, 2), None, (1, 1), (0, 0))
    weight = drawn(rng, 2, 3, 3, 3)
    for stride, padding in (((1, 1), (2, 0)), ((1, 1), (0, 2)), ((2, 1), (3, 1))):
        expect_raises(student.transposed_convolution, x, weight, None, stride, padding)
    for size, padding in (((2, 2), (1, 1)), ((1, 1), (1, 1)), ((1, 2), (1, 1))):
        x = drawn(rng, 1, 2, *size)
        expect(student.transposed_convolution(x, weight, None, (1, 1), padding), by_convolution(x, weight, None,
               (1, 1), padding), what=f"an image {size} with padding {padding}")  # fmt: skip


# --- Task 12.2: what is expected comes from the table of all pairs (predicted, true)


def averaged(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """The mean IoU over the classes that occur, from the (classes, classes) table of pairs."""
    table = np.zeros((classes, classes), np.int64)
    np.add.at(table, (predicted.astype(np.int64), truth.astype(np.int64)), 1)
    either = table.sum(axis=0) + table.sum(axis=1) - np.diag(table)
    return float((np.diag(table)[either > 0] / either[either > 0]).mean())


def blotches(rng: np.random.Generator, classes: int, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Two masks that agree in most places and have other classes in some."""
    truth = rng.integers(0, classes, (height, width))
    truth[: height // 2] = rng.integers(classes)
    predicted = np.where(rng.random((height, width)) < 0.7, truth, rng.integers(0, classes, (height, width)))
    return predicted, truth


@task("mean_iou")
def masks_with_many_classes(student: Student, rng: np.random.Generator) -> None:
    """The mean is right for any masks and any number of classes."""
    for _ in range(12):
        classes, height, width = between(rng, 2, 25), between(rng, 1, 12), between(rng, 3, 14)
        predicted, truth = blotches(rng, classes, height, width)
        what = f"masks of {height}x{width} with {classes} classes"
        expect(student.mean_iou(predicted, truth, classes), averaged(predicted, truth, classes), rtol=1e-9, what=what)


@task("mean_iou")
def all_right_and_all_wrong(student: Student, rng: np.random.Generator) -> None:
    """Two equal masks have 1.0, and masks without one common pixel 0.0; with one class everything is 1.0."""
    mask = rng.integers(0, 4, (5, 6))
    expect(student.mean_iou(mask, mask.copy(), 9), 1.0, rtol=1e-12, what="two equal masks")
    expect(student.mean_iou(mask, (mask + 1) % 4, 4), 0.0, what="masks without a common pixel")
    expect(student.mean_iou(0 * mask, 0 * mask, 1), 1.0, what="one class")


@task("mean_iou")
def small_element_types(student: Student, rng: np.random.Generator) -> None:
    """Masks of bytes give the same as masks of int64, also with classes whose product does not fit into a byte."""
    for classes in (3, 40, 200):
        predicted, truth = blotches(rng, classes, 20, 24)
        right = averaged(predicted, truth, classes)
        for dtype in (np.uint8, np.int32):
            got = student.mean_iou(predicted.astype(dtype), truth.astype(dtype), classes)
            expect(got, right, rtol=1e-9, what=f"masks of {np.dtype(dtype)} with {classes} classes")


@task("mean_iou")
def masks_without_pixels(student: Student, rng: np.random.Generator) -> None:
    """Where there are no pixels, no class counts, and the answer is nan."""
    for shape in ((0, 5), (4, 0)):
        got = student.mean_iou(np.zeros(shape, np.int64), np.zeros(shape, np.int64), 3)
        if type(got) is not float or not math.isnan(got):
            raise Failure(f"masks of {shape}: expected float('nan'), got {got!r:.80}", math.nan, got)


@task("mean_iou")
def what_is_no_mask_is_refused(student: Student, rng: np.random.Generator) -> None:
    """Different shapes, a class that is too large and one below 0 raise an exception, in either mask."""
    mask = rng.integers(0, 3, (4, 6))
    for other in (mask[:, :5], mask[:1], mask.T, mask.reshape(6, 4)):
        expect_raises(student.mean_iou, mask, other, 3)
        expect_raises(student.mean_iou, other, mask, 3)
    for number in (3, 4, 255, -1, -3):
        wrong = mask.copy()
        wrong[2, 4] = number
        expect_raises(student.mean_iou, wrong, mask, 3)
        expect_raises(student.mean_iou, mask, wrong, 3)
    expect(student.mean_iou(mask, mask, 3), 1.0, rtol=1e-12, what="masks with no such class")
