r"""Max pooling with a border that never wins: why the solution is as it is.

Pooling is the loop over windows without weights: `output_size` counts them, one slice takes window (i, j) of all
samples and channels at once, and `max(axis=(2, 3))` keeps one number of each plane. `max()` without the axes would
keep one number of everything.

The border is -inf. With zeros the result is right for images of positive numbers, as after a ReLU, and wrong for all
others: a mistake that a whole network can hide. `np.pad` writes the border in the dtype of the image, so the image must
be of a floating type; for integers one takes the least number of the type (kuiper's MaxPool2d does).

Typical mistakes: rows and columns exchanged in one of the three pairs, which square cases hide; the border on one side
only; `np.empty` without a dtype; a last window that sticks out.

Cost: N * C * H' * W' * kh * kw comparisons. Going over the kh * kw pixels of a window instead, with `np.maximum` of
whole planes, is faster for large images: kuiper does that.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from .shared import UNPADDED, Pair, in_both, pair

STRIDE_FORGOTTEN = (
    "the stride is missing where a window begins or where it ends: its rows are i * stride[0] : i * stride[0] + kh, "
    "its columns j * stride[1] : j * stride[1] + kw"
)
ROWS_WITHOUT = (
    "the stride is missing where the rows of a window begin or where they end: i * stride[0] : i * stride[0] + kh"
)
COLUMNS_WITHOUT = (
    "the stride is missing where the columns of a window begin or where they end: j * stride[1] : j * stride[1] + kw"
)
"""Both slices give the same numbers where the image rises alike in both directions, as the lesson's does."""


def pooled(x: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair, value: float = -np.inf) -> np.ndarray:
    """The maxima, one pixel of all windows at a time; `value` stands in the border."""
    (kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding
    n, channels, height, width = x.shape
    padded = np.full((n, channels, height + 2 * ph, width + 2 * pw), value, x.dtype)
    padded[:, :, ph : ph + height, pw : pw + width] = x
    rows, cols = (height + 2 * ph - kh) // sh + 1, (width + 2 * pw - kw) // sw + 1
    best = np.full((n, channels, rows, cols), -np.inf, x.dtype)
    for a, b in np.ndindex(kh, kw):
        best = np.maximum(best, padded[:, :, a : a + rows * sh : sh, b : b + cols * sw : sw][:, :, :rows, :cols])
    return best


def without_stride(x: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> the windows counted with the stride, and taken without."""
    if stride == (1, 1):
        return {}
    rows, cols = pooled(x, kernel_size, stride, padding).shape[2:]
    steps = {STRIDE_FORGOTTEN: (1, 1)}
    if 1 not in stride:
        steps[ROWS_WITHOUT], steps[COLUMNS_WITHOUT] = (1, stride[1]), (stride[0], 1)
    near = {cause: pooled(x, kernel_size, step, padding) for cause, step in steps.items()}
    return {cause: np.ascontiguousarray(y[:, :, :rows, :cols]) for cause, y in near.items()}


def value_mistakes(x: np.ndarray, kernel_size: Pair, stride: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x without padding."""
    right = pooled(x, kernel_size, stride, (0, 0))
    view = np.lib.stride_tricks.sliding_window_view(x, kernel_size, axis=(2, 3))[:, :, :: stride[0], :: stride[1]]
    least, inner = -pooled(-x, kernel_size, stride, (0, 0)), (kernel_size[0] - 1, kernel_size[1] - 1)
    smallest = "that is the smallest number of each window"
    if min(inner) and np.array_equal(pooled(x, inner, stride, (0, 0))[:, :, : right.shape[2], : right.shape[3]], least):
        smallest += (
            ", or its last row and column are missing (a slice stops before its end: kh rows from row i * stride[0] on "
            "are i * stride[0] : i * stride[0] + kh)"
        )
    wrong = {
        smallest: least,
        "that is the mean of each window: average pooling": view.mean(axis=(4, 5)).astype(x.dtype),
        "that is the sum of each window": view.sum(axis=(4, 5)).astype(x.dtype),
        "that is the largest number by its size without the sign: -9 is below 1": pooled(
            np.abs(x), kernel_size, stride, (0, 0)
        ),
        "rows and columns of the result are exchanged": right.swapaxes(2, 3),
        "the maximum was taken over the windows: the last two axes of sliding_window_view are the pixels of each": (
            view.max(axis=(2, 3))
        ),
    }
    starts = [(0, 0), (0, 0), *((0, k - 1) for k in kernel_size)]
    every = pooled(np.pad(x, starts, constant_values=-np.inf), kernel_size, stride, (0, 0))
    if every.shape != right.shape:
        wrong["windows that stick out of the image were counted: output_size counts those that fit"] = every
    wrong |= without_stride(x, kernel_size, stride, (0, 0))
    if stride != (1, 1):
        wrong["the windows stand one pixel apart: take every stride-th of them, [::stride[0], ::stride[1]]"] = pooled(
            x, kernel_size, (1, 1), (0, 0)
        )
    if stride != kernel_size:
        rows, cols = right.shape[2:]
        near = pooled(x, stride, stride, (0, 0))[:, :, :rows, :cols]
        wrong["the windows are as large as the stride: they have kernel_size rows and columns"] = near
    return {cause: np.ascontiguousarray(one) for cause, one in wrong.items()}


def plane_mistakes(x: np.ndarray, kernel_size: Pair, stride: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of several samples and channels, without padding."""
    right = pooled(x, kernel_size, stride, (0, 0))
    channels, samples = right.max(axis=1, keepdims=True), right.max(axis=0, keepdims=True)
    return {
        "the largest number of all channels was kept: take the maximum over the last two axes only": (
            np.broadcast_to(channels, right.shape).copy()
        ),
        "the largest number of all samples was kept: take the maximum over the last two axes only": (
            np.broadcast_to(samples, right.shape).copy()
        ),
        "one number was kept of all samples and channels: take the maximum over the last two axes only": (
            np.broadcast_to(channels.max(axis=0, keepdims=True), right.shape).copy()
        ),
        "the channels are gone: each has a result of its own": channels[:, 0],
        "a list of windows has the axes (H'*W', N, C): reshape it to (H', W', N, C), and transpose that": (
            right.transpose(2, 3, 0, 1).reshape(right.shape)
        ),
        "every channel has the result of the first": np.repeat(right[:, :1], x.shape[1], 1),
        "every sample has the result of the first": np.repeat(right[:1], len(x), 0),
    }


def geometry_mistakes(x: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    wrong = {
        "kernel_size is swapped: kernel_size[0] goes down, kernel_size[1] to the right": (
            kernel_size[::-1],
            stride,
            padding,
        ),
        "the strides are swapped: stride[0] goes down, stride[1] to the right": (kernel_size, stride[::-1], padding),
        "the window moves by its own size: it must move by stride": (kernel_size, kernel_size, padding),
        "the window moves by one pixel: it must move by stride": (kernel_size, (1, 1), padding),
        "the paddings are swapped: padding[0] goes above and below": (kernel_size, stride, padding[::-1]),
        "no border was added": (kernel_size, stride, (0, 0)),
    }
    given = (kernel_size, stride, padding)
    wrong |= {cause: other for cause, other in in_both(*given).items() if other not in wrong.values()}
    sizes = x.shape[2:]
    rows, cols = ((n - k) // s + 1 for n, k, s in zip(sizes, kernel_size, stride, strict=True))
    (kh, kw), (ph, pw), right = kernel_size, padding, pooled(x, *given)
    wide = np.pad(x, ((0, 0), (0, 0), (ph, ph + kw), (pw, pw + kh)), constant_values=-np.inf)
    sides = {
        "the slice has its sides exchanged: kernel_size[0] rows and kernel_size[1] columns": (kw, kh),
        "the slice has kernel_size[0] columns: it has kernel_size[0] rows and kernel_size[1] columns": (kh, kh),
        "the slice has kernel_size[1] rows: it has kernel_size[0] rows and kernel_size[1] columns": (kw, kw),
    }
    slices = {
        cause: np.ascontiguousarray(pooled(wide, side, stride, (0, 0))[:, :, : right.shape[2], : right.shape[3]])
        for cause, side in sides.items()
    }
    fewer = {UNPADDED: np.ascontiguousarray(pooled(x, *given)[:, :, :rows, :cols])} if any(padding) else {}
    return (without_stride(x, kernel_size, stride, padding) | fewer | (slices if kh != kw else {})) | {
        cause: pooled(x, *other)
        for cause, other in wrong.items()
        if other != given and all(n + 2 * p >= k for n, k, p in zip(sizes, other[0], other[2], strict=True))
    }


def border_mistakes(x: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    (ph, pw), none = padding, (0, 0)
    above = np.pad(x, ((0, 0), (0, 0), (2 * ph, 0), (2 * pw, 0)), constant_values=-np.inf)
    below = np.pad(x, ((0, 0), (0, 0), (0, 2 * ph), (0, 2 * pw)), constant_values=-np.inf)
    rows, cols = pooled(x, kernel_size, stride, padding).shape[2:]
    more = rows * stride[0] + kernel_size[0], cols * stride[1] + kernel_size[1]  # a slice beyond the end is shorter
    pairs = np.pad(x, ((0, 0), (0, 0), (ph, pw + more[0]), (ph, pw + more[1])), constant_values=-np.inf)
    axes = "np.pad(x, p) pads all axes alike, samples and channels too"
    return {
        f"{axes}: give a pair for each axis, (0, 0) for those": pooled(
            np.pad(x, padding, constant_values=-np.inf), kernel_size, stride, none
        ),
        f"{axes}, and it pads with 0: give a pair for each axis, (0, 0) for those, and a border of -np.inf": pooled(
            np.pad(x, padding), kernel_size, stride, none
        ),
        "the border is 0, and 0 beats every negative pixel: it must be -np.inf": pooled(
            x, kernel_size, stride, padding, 0.0
        ),
        "the border is -1, which beats smaller pixels: it must be -np.inf": pooled(
            x, kernel_size, stride, padding, -1.0
        ),
        "the whole border stands above and on the left: put `padding` on each of the four sides": (
            pooled(above, kernel_size, stride, none)
        ),
        "no border stands above and on the left: put `padding` on each of the four sides": (
            pooled(below, kernel_size, stride, none)
        ),
        "padding[0] stands above and on the left, padding[1] below and on the right: it is (rows, cols), so pad with "
        "((0, 0), (0, 0), (ph, ph), (pw, pw))": np.ascontiguousarray(
            pooled(pairs, kernel_size, stride, none)[:, :, :rows, :cols]
        ),
        "the border is nan, and so is each maximum with one: it must be -np.inf": pooled(
            x, kernel_size, stride, padding, np.nan
        ),
    }


def last_mistakes(x: np.ndarray, kernel_size: Pair, stride: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, without padding."""
    rest = [-(size - k) % s for size, k, s in zip(x.shape[2:], kernel_size, stride, strict=True)]
    larger = np.pad(x, ((0, 0), (0, 0), (0, rest[0]), (0, rest[1])), constant_values=-np.inf)
    cause = "windows that stick out of the image were counted: output_size counts those that fit"
    return {cause: pooled(larger, kernel_size, stride, (0, 0))}


@task("max_pool2d")
def any_geometry(student: Student, rng: np.random.Generator) -> None:
    """The maxima are right for any sizes of image, window, stride and border."""
    for _ in range(25):
        kernel_size, stride = pair(rng, 1, 5), pair(rng, 1, 4)
        padding = tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel_size)
        height, width = (int(rng.integers(max(1, k - 2 * p), 10)) for k, p in zip(kernel_size, padding, strict=True))
        x = rng.integers(-99, 100, (*pair(rng, 1, 4), height, width)).astype(rng.choice([np.float32, np.float64]))
        got = student.max_pool2d(x, kernel_size, stride, padding)
        what = f"max_pool2d of {x.shape} with {kernel_size=}, {stride=}, {padding=}"
        expect(got, pooled(x, kernel_size, stride, padding), what=what)


@task("max_pool2d")
def cold_images(student: Student, rng: np.random.Generator) -> None:
    """The border wins nowhere, be the pixels far below zero."""
    for lowest in (-5.0, -1e30, -np.inf):
        x = np.minimum(rng.standard_normal((2, 3, 5, 4)), -1.0)
        x[..., 0] = lowest
        expect(student.max_pool2d(x, (3, 2), (2, 1), (1, 1)), pooled(x, (3, 2), (2, 1), (1, 1)))


@task("max_pool2d")
def a_window_that_does_not_fit_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A window higher or wider than the padded image raises ValueError, and one that just fits does not."""
    x = rng.standard_normal((1, 2, 2, 4)).astype(np.float32)
    expect_refused(student.max_pool2d, x, (5, 2), (1, 1), (1, 0))
    expect_refused(student.max_pool2d, x, (1, 6), (2, 2), (0, 0))
    expect(student.max_pool2d(x, (4, 4), (3, 3), (1, 0)), pooled(x, (4, 4), (3, 3), (1, 0)))


@task("max_pool2d")
def a_batch_of_feature_maps(student: Student, rng: np.random.Generator) -> None:
    """Eight samples with 16 channels of some 24x30 numbers are done within the time that a call may take."""
    x = rng.standard_normal((8, 16, int(rng.integers(20, 28)), int(rng.integers(26, 34)))).astype(np.float32)
    expect(student.max_pool2d(x, (3, 3), (2, 2), (1, 1)), pooled(x, (3, 3), (2, 2), (1, 1)))


SIZES = "sizes = [output_size(*along) for along in zip(x.shape[2:], kernel_size, stride, padding)]"
BORDER = "bordered = np.pad(x, ((0, 0), (0, 0), (above, above), (left, left)), constant_values=-np.inf)"
MAXIMUM = "bordered[:, :, top : top + kernel_size[0], start : start + kernel_size[1]].max(axis=(2, 3))"
RESULT = "y = np.empty((*x.shape[:2], *sizes), x.dtype)"
CORNER = "top, start = i * stride[0], j * stride[1]"

MUTANTS = [
    Mutant("minimum", "keeps the smallest", old=MAXIMUM, new=MAXIMUM.replace(".max(", ".min("), breaks="value"),
    Mutant("mean", "average pooling", old=MAXIMUM, new=MAXIMUM.replace(".max(", ".mean("), breaks="value"),
    Mutant(
        "largest_by_size",
        "forgets the sign",
        old=BORDER,
        new=BORDER.replace("np.pad(x,", "np.pad(np.abs(x),"),
        breaks="value",
    ),
    Mutant(
        "all_channels",
        "one maximum of all channels",
        old=MAXIMUM,
        new=MAXIMUM.replace("axis=(2, 3)", "axis=(1, 2, 3), keepdims=True") + "[..., 0, 0]",
        breaks="planes",
    ),
    Mutant(
        "all_samples",
        "one maximum of all samples",
        old=MAXIMUM,
        new=MAXIMUM.replace("axis=(2, 3)", "axis=(0, 2, 3)"),
        breaks="planes",
    ),
    Mutant("everything", "max() without axes", old=MAXIMUM, new=MAXIMUM.replace("axis=(2, 3)", ""), breaks="planes"),
    Mutant(
        "first_sample",
        "pools the first sample only",
        old=RESULT,
        new="y = np.zeros((*x.shape[:2], *sizes), x.dtype)\n    bordered[1:] = bordered[:1]",
        breaks="planes",
    ),
    Mutant(
        "kernel_swapped",
        "kernel_size is (cols, rows)",
        old=SIZES,
        new="kernel_size = kernel_size[::-1]\n    " + SIZES,
        breaks="kernel",
    ),
    Mutant(
        "square_windows",
        "takes the rows for both",
        old=SIZES,
        new="kernel_size = (kernel_size[0], kernel_size[0])\n    " + SIZES,
        breaks="kernel",
    ),
    Mutant(
        "stride_swapped",
        "stride is (cols, rows)",
        old=SIZES,
        new="stride = stride[::-1]\n    " + SIZES,
        breaks="stride",
    ),
    Mutant(
        "stride_is_the_window",
        "moves by a whole window, as pooling mostly does",
        old=SIZES,
        new="stride = kernel_size\n    " + SIZES,
        breaks="stride",
    ),
    Mutant("one_pixel_on", "moves by one pixel", old=CORNER, new="top, start = i, j", breaks="stride"),
    Mutant(
        "padding_swapped",
        "padding is (cols, rows)",
        old=SIZES,
        new="padding = padding[::-1]\n    " + SIZES,
        breaks="padding",
    ),
    Mutant(
        "no_border",
        "forgets the border",
        old=SIZES,
        new="padding = (0, 0)\n    " + SIZES,
        breaks="padding",
    ),
    Mutant(
        "border_above_only",
        "the whole border above and on the left",
        old=BORDER,
        new=BORDER.replace("(above, above), (left, left)", "(2 * above, 0), (2 * left, 0)"),
        breaks="padding",
    ),
    Mutant(
        "border_below_only",
        "the whole border below and on the right",
        old=BORDER,
        new=BORDER.replace("(above, above), (left, left)", "(0, 2 * above), (0, 2 * left)"),
        breaks="padding",
    ),
    Mutant(
        "windows_of_the_stride",
        "takes windows as large as the stride",
        old=MAXIMUM,
        new=MAXIMUM.replace("kernel_size[", "stride["),
        breaks="kernel",
    ),
    Mutant(
        "counted_without_the_border",
        "the windows of the image alone, taken from the padded image",
        old=SIZES,
        new="sizes = [output_size(*along) for along in zip(x.shape[2:], kernel_size, stride)]",
        breaks="padding",
    ),
    Mutant(
        "a_billion_below",
        "a border that looks lower than any number",
        old=BORDER,
        new=BORDER.replace("-np.inf", "-1e9"),
        breaks="border",
    ),
    Mutant(
        "least_finite",
        "a border of the least finite number, which beats -inf",
        old=BORDER,
        new=BORDER.replace("-np.inf", "np.finfo(x.dtype).min"),
        breaks="border",
    ),
    Mutant("zeros", "a border of zeros", old=BORDER, new=BORDER.replace("-np.inf", "0.0"), breaks="border"),
    Mutant(
        "minus_one",
        "a border below what one happens to try",
        old=BORDER,
        new=BORDER.replace("-np.inf", "-1.0"),
        breaks="border",
    ),
    Mutant(
        "a_thousand_below",
        "a border that looks low enough",
        old=BORDER,
        new=BORDER.replace("-np.inf", "-1000.0"),
        breaks="border",
    ),
    Mutant(
        "other_side",
        "the border goes on at the other side of the image",
        old=BORDER,
        new=BORDER.replace("constant_values=-np.inf", 'mode="wrap"'),
        breaks="border",
    ),
    Mutant(
        "partial_windows",
        "counts a last window that sticks out",
        old=SIZES,
        new=(
            "sizes = [\n"
            "        -(-(n + 2 * p - k) // s) + 1 if n + 2 * p >= k else 0\n"
            "        for n, k, s, p in zip(x.shape[2:], kernel_size, stride, padding)\n"
            "    ]"
        ),
        breaks="last",
    ),
    Mutant(
        "every_start",
        "a window begins at every s-th pixel, as in range(0, H, s)",
        old=SIZES,
        new=(
            "sizes = [\n"
            "        -(-(n + 2 * p) // s) if n + 2 * p >= k else 0\n"
            "        for n, k, s, p in zip(x.shape[2:], kernel_size, stride, padding)\n"
            "    ]"
        ),
        breaks="last",
    ),
    Mutant(
        "padding_counted_twice",
        "gives output_size the size of the padded image",
        old=SIZES,
        new=(
            "larger = [n + 2 * p for n, p in zip(x.shape[2:], padding)]\n"
            "    sizes = [output_size(*along) for along in zip(larger, kernel_size, stride, padding)]"
        ),
    ),
    Mutant(
        "empty_slice",
        "-0 is 0, so without padding the slice is empty",
        old=BORDER,
        new=(
            "bordered = np.full((*x.shape[:2], x.shape[2] + 2 * above, x.shape[3] + 2 * left), -np.inf, x.dtype)\n"
            "    bordered[:, :, above:-above, left:-left] = x"
        ),
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old=RESULT,
        new="y = np.empty((*x.shape[:2], *sizes))",
        breaks="dtype",
    ),
    Mutant(
        "always_float32",
        "the type of the lesson's networks",
        old=RESULT,
        new="y = np.empty((*x.shape[:2], *sizes), np.float32)",
        breaks="dtype",
    ),
    Mutant(
        "empty_instead",
        "returns something empty when nothing fits",
        old="if min(sizes) < 1:\n",
        new="sizes = [max(size, 0) for size in sizes]\n    if False:\n",
        breaks="fits",
    ),
    Mutant(
        "too_strict",
        "refuses a window that just fits",
        old="if min(sizes) < 1:",
        new="if min(sizes) < 2:",
        breaks="fits",
    ),
    Mutant(
        "one_direction",
        "checks the rows only",
        old="if min(sizes) < 1:\n",
        new="sizes[1] = max(sizes[1], 0)\n    if sizes[0] < 1:\n",
        breaks="fits",
    ),
    Mutant(
        "without_the_border",
        "compares the window with the image before it is padded",
        old="if min(sizes) < 1:",
        new="if kernel_size[0] > x.shape[2] or kernel_size[1] > x.shape[3]:",
        breaks="fits",
    ),
    Mutant(
        "index_error",
        "another exception than the rule names",
        old='raise ValueError(f"max_pool2d:',
        new='raise IndexError(f"max_pool2d:',
        breaks="fits",
    ),
]
