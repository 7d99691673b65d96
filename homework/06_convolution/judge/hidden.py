"""Hidden tests of homework 6, and the broken convolutions that a student's test has to catch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_raises, task

Convolution = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
Pair = tuple[int, int]


# --- Task 6.1: right convolutions, and broken ones as a right one of other arguments or with another ending


def product(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A right grouped convolution: one matrix product for each group."""
    n, (outputs, channels, kh, kw) = len(x), weight.shape
    view = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))
    out = view.shape[2:4]
    rows = view.reshape(n, groups, channels, *out, kh, kw).transpose(0, 1, 3, 4, 2, 5, 6)
    rows = rows.reshape(n, groups, -1, channels * kh * kw)
    kernels = weight.reshape(groups, outputs // groups, -1)
    y = (rows @ kernels.swapaxes(1, 2)).swapaxes(2, 3).reshape(n, outputs, *out)
    return y + bias[:, None, None]


def backwards(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A right grouped convolution that begins with the bias and adds the last pixel of the kernel first."""
    (n, _, height, width), (outputs, channels, kh, kw) = x.shape, weight.shape
    out = height - kh + 1, width - kw + 1
    y = np.zeros((n, outputs, *out), np.result_type(x, weight, bias)) + bias[:, None, None]
    for o, c, i, j in np.ndindex(*weight.shape):
        i, j, c = kh - 1 - i, kw - 1 - j, channels - 1 - c
        source = x[:, o // (outputs // groups) * channels + c]
        y[:, o] += weight[o, c, i, j] * source[:, i : i + out[0], j : j + out[1]]
    return y


def by_group(x: np.ndarray, groups: int) -> np.ndarray:
    """(A, C, ...) -> (A, groups, C/groups, ...)."""
    return x.reshape(len(x), groups, -1, *x.shape[2:])


def first_kernels(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """Every group uses the kernels of the first."""
    return product(x, np.tile(weight[: len(weight) // groups], (groups, 1, 1, 1)), bias, groups)


def reading(choice: Callable[[np.ndarray, int], np.ndarray]) -> Convolution:
    """A convolution in which `choice` replaces the input channels (N, groups, C/groups, H, W)."""
    return lambda x, w, b, g: product(
        np.broadcast_to(choice(by_group(x, g), g), by_group(x, g).shape).reshape(x.shape), w, b, g
    )


def ending(change: Callable[[np.ndarray, int], np.ndarray]) -> Convolution:
    """A convolution whose result goes through `change`."""
    return lambda x, w, b, g: change(product(x, w, b, g), g)


def with_bias(choice: Callable[[np.ndarray, np.ndarray, int], np.ndarray]) -> Convolution:
    """A convolution with other biases."""
    return lambda x, w, b, g: product(x, w, choice(b, w, g), g)


def with_kernels(choice: Callable[[np.ndarray], np.ndarray]) -> Convolution:
    """A convolution with other kernels of the same shape."""
    return lambda x, w, b, g: product(x, choice(w), b, g)


def pointwise(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A short cut for 1x1 kernels that forgets where a group begins (KuiperInfer's)."""
    same = reading(lambda x, g: x[:, :1])
    return (same if weight.shape[2:] == (1, 1) else product)(x, weight, bias, groups)


def zero(y: np.ndarray, *place: Any) -> np.ndarray:
    """`y` with zeros at a place."""
    y[place] = 0
    return y


class Broken(NamedTuple):
    """One broken convolution: what is wrong with it, and why a test may fail to see it."""

    conv: Convolution
    fault: str
    advice: str


ALL = slice(None)
BIASES = "some biases are alike, or 0: give every output channel another one"
KERNELS = "some kernels are alike, or symmetric: let all their numbers differ"
CHANNELS = "some input channels are alike, or a group has only one: take two different ones or more for each group"
OUTPUTS = "a group has one output channel only, or equal ones: take two kernels or more for each group"
BROKEN = {
    "first_bias": Broken(
        with_bias(lambda b, w, g: np.tile(b[: len(b) // g], g)), "every group takes the bias of the first", BIASES
    ),
    "no_bias": Broken(with_bias(lambda b, w, g: 0 * b), "the bias is forgotten", BIASES),
    "bias_twice": Broken(with_bias(lambda b, w, g: 2 * b), "the bias is added twice", BIASES),
    "bias_per_channel": Broken(
        with_bias(lambda b, w, g: w.shape[1] * b), "the bias is added once for every input channel", BIASES
    ),
    "bias_reversed": Broken(with_bias(lambda b, w, g: b[::-1]), "the biases come in the wrong order", BIASES),
    "first_kernels": Broken(first_kernels, "every group uses the kernels of the first", KERNELS),
    "flipped": Broken(with_kernels(lambda w: w[:, :, ::-1, ::-1]), "the kernels are turned by 180 degrees", KERNELS),
    "by_columns": Broken(
        with_kernels(lambda w: w.reshape(*w.shape[:2], w.shape[3], w.shape[2]).swapaxes(2, 3)),
        "the kernels are read column by column",
        KERNELS,
    ),
    "depth_reversed": Broken(
        with_kernels(lambda w: w[:, ::-1]), "the channels of each kernel come in the wrong order", CHANNELS
    ),
    "one_channel": Broken(
        reading(lambda x, g: zero(x.copy(), ALL, ALL, slice(1, None))), "a group sees its first channel only", CHANNELS
    ),
    "first_channels": Broken(
        reading(lambda x, g: x[:, :1]), "every group looks at the channels of the first", CHANNELS
    ),
    "groups_ignored": Broken(
        reading(lambda x, g: x.sum(1, keepdims=True)), "every output channel sees all input channels", CHANNELS
    ),
    "swapped": Broken(reading(lambda x, g: x[:, ::-1]), "the groups look at one another's channels", CHANNELS),
    "interleaved": Broken(
        reading(lambda x, g: x.reshape(len(x), -1, g, *x.shape[3:]).swapaxes(1, 2)),
        "group g looks at channels g, g + groups, g + 2*groups, ...",
        CHANNELS,
    ),
    "shuffled": Broken(
        ending(lambda y, g: by_group(y, g).swapaxes(1, 2).reshape(y.shape)),
        "the output channels of the groups alternate",
        OUTPUTS,
    ),
    "first_sample": Broken(
        ending(lambda y, g: zero(y, slice(1, None))),
        "only the first sample of the batch is computed",
        "the batch has one sample only, or only one is compared",
    ),
    "same_sample": Broken(
        ending(lambda y, g: np.broadcast_to(y[:1], y.shape).copy()),
        "every sample gets the result of the first",
        "the batch has one sample only, or equal ones",
    ),
    "short": Broken(
        ending(lambda y, g: y[:, :, :-1]), "the last row of the result is missing", "the shape is not compared"
    ),
    "turned": Broken(
        ending(lambda y, g: np.ascontiguousarray(y.swapaxes(2, 3))),
        "rows and columns of the result are exchanged",
        "the shape is not compared, or not all numbers are",
    ),
    "last_column": Broken(
        ending(lambda y, g: zero(y, ..., -1)), "the last column is never written", "not all numbers are compared"
    ),
    "pointwise": Broken(
        pointwise, "1x1 kernels take a short cut that forgets the groups", "there is no case with 1x1 kernels: add one"
    ),
    "two_groups": Broken(
        reading(lambda x, g: x[:, np.minimum(np.arange(g), 1)]),
        "the third group looks at the channels of the second",
        "there is no case with three groups: add one",
    ),
}


def checked(conv: Convolution) -> Convolution:
    """`conv` behind one check of the arguments, the same for right and broken ones."""

    def call(x: Any, weight: Any, bias: Any, groups: Any) -> np.ndarray:
        for name, array, axes in (("x", x, 4), ("weight", weight, 4), ("bias", bias, 1)):
            if type(array) is not np.ndarray or array.ndim != axes or array.size == 0 or array.dtype.kind not in "iuf":
                raise ValueError(f"conv, {name}: expected a numpy array of numbers with {axes} axes")
        if not isinstance(groups, (int, np.integer)) or groups < 1 or x.shape[1] % groups or len(weight) % groups:
            raise ValueError(f"conv: groups={groups!r} does not divide C={x.shape[1]} and O={len(weight)}")
        if weight.shape[1] * groups != x.shape[1] or len(bias) != len(weight):
            raise ValueError("conv: expected weight (O, C/groups, kh, kw) and bias (O,)")
        if weight.shape[2] > x.shape[2] or weight.shape[3] > x.shape[3]:
            raise ValueError("conv: the kernel does not fit into the image")
        if weight.size > 20_000 or weight.size * len(x) * x.shape[2] * x.shape[3] > 20_000_000:
            raise ValueError("conv: a test needs small images and few kernels only")
        return conv(x, weight, bias, int(groups))

    return call


def judge(student: Student, rng: np.random.Generator, names: Sequence[str]) -> None:
    """Ask the student's test about some broken convolutions and two right ones, in random order."""
    suspects: list[Broken | Convolution] = [*(BROKEN[name] for name in names), product, backwards]
    for i in rng.permutation(len(suspects)):
        suspect = suspects[i]
        if isinstance(suspect, Broken):
            must_catch(student, suspect)
        else:
            must_pass(student, suspect)


def must_pass(student: Student, conv: Convolution) -> None:
    """Raise Failure when the student's test says that a right convolution is wrong."""
    try:
        student.test_grouped_convolution(checked(conv))
    except SubmissionError as error:
        if error.type != "AssertionError":
            raise
        message = f"the test refused a right convolution: {error.message}"
        advice = "right ones may add in another order: use whole numbers or a tolerance; keep nothing between two calls"
        raise failure(message, "no error", "AssertionError", advice) from None


def must_catch(student: Student, broken: Broken) -> None:
    """Raise Failure when the student's test does not raise AssertionError for a broken convolution."""
    what = f"a convolution in which {broken.fault}"
    try:
        student.test_grouped_convolution(checked(broken.conv))
    except SubmissionError as error:
        if error.type == "AssertionError":
            return
        if error.type not in ("ValueError", "IndexError", "TypeError"):
            raise
        message = f"for {what} the test must raise AssertionError, it raised {error.type}: {error.message}"
        advice = "the comparison itself fell over: compare the shapes with an assert before the numbers"
        raise failure(message, "AssertionError", error.type, advice) from None
    raise failure(f"the test accepted {what}", "AssertionError", "no error", broken.advice)


def failure(message: str, expected: str, got: str, cause: str) -> Failure:
    """A Failure with its likely cause."""
    result = Failure(message, expected, got)
    result.cause = cause
    return result


@task("grouped_convolution_test")
def wrong_biases_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees a bias that is forgotten, added too often or given to the wrong channel."""
    judge(student, rng, ["first_bias", "no_bias", "bias_twice", "bias_per_channel", "bias_reversed"])


@task("grouped_convolution_test")
def wrong_kernels_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees kernels that are flipped, transposed, or taken from another group."""
    judge(student, rng, ["first_kernels", "flipped", "by_columns", "depth_reversed"])


@task("grouped_convolution_test")
def channels_of_other_groups_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees groups that look at the wrong input channels or write to the wrong output channels."""
    judge(student, rng, ["first_channels", "groups_ignored", "one_channel", "swapped", "interleaved", "shuffled"])


@task("grouped_convolution_test")
def wrong_samples_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees that only the first sample of a batch is right."""
    judge(student, rng, ["first_sample", "same_sample"])


@task("grouped_convolution_test")
def wrong_shapes_and_borders_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees a missing row, exchanged axes and a column that was never written."""
    judge(student, rng, ["short", "turned", "last_column"])


@task("grouped_convolution_test")
def special_cases_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees faults that only 1x1 kernels or a third group bring out."""
    judge(student, rng, ["pointwise", "two_groups"])


# --- Task 6.2


def rows_of(x: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair) -> np.ndarray:
    """The rows of im2col by index arithmetic."""
    (kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding
    channels, height, width = x.shape
    padded = np.zeros((channels, height + 2 * ph, width + 2 * pw), x.dtype)
    padded[:, ph : ph + height, pw : pw + width] = x
    tops = np.arange((height + 2 * ph - kh) // sh + 1) * sh
    lefts = np.arange((width + 2 * pw - kw) // sw + 1) * sw
    row = tops[:, None, None, None, None] + np.arange(kh)[:, None]
    col = lefts[None, :, None, None, None] + np.arange(kw)
    taken = padded[np.arange(channels)[:, None, None], row, col]
    return taken.reshape(len(tops) * len(lefts), channels * kh * kw)


@task("im2col")
def any_geometry(student: Student, rng: np.random.Generator) -> None:
    """The rows are right for any sizes of image, kernel, stride and padding."""
    for _ in range(30):
        kernel_size, stride = pair(rng, 1, 5), pair(rng, 1, 4)
        padding = pair(rng, 0, 3)
        height, width = (int(rng.integers(max(1, k - 2 * p), 10)) for k, p in zip(kernel_size, padding, strict=True))
        x = rng.integers(-99, 100, (int(rng.integers(1, 5)), height, width)).astype(np.float32)
        got = student.im2col(x, kernel_size, stride, padding)
        what = f"im2col of {x.shape} with kernel_size={kernel_size}, stride={stride}, padding={padding}"
        expect(got, rows_of(x, kernel_size, stride, padding), what=what)


@task("im2col")
def steps_that_do_not_come_out_even(student: Student, rng: np.random.Generator) -> None:
    """A last window that would stick out of the image is left out."""
    for size in (6, 7, 8, 9):
        x = rng.integers(-99, 100, (2, size, size + 1)).astype(np.float64)
        expect(student.im2col(x, (2, 3), (3, 4), (1, 0)), rows_of(x, (2, 3), (3, 4), (1, 0)))


@task("im2col")
def every_element_type(student: Student, rng: np.random.Generator) -> None:
    """The rows have the element type of the image."""
    for dtype in (np.int64, np.float32, np.uint8, np.float64):
        x = rng.integers(0, 100, (2, 4, 3)).astype(dtype)
        expect(student.im2col(x, (2, 2), (1, 1), (1, 0)), rows_of(x, (2, 2), (1, 1), (1, 0)))


@task("im2col")
def stride_one_and_no_padding_unless_said(student: Student, rng: np.random.Generator) -> None:
    """Without stride and padding the window moves by one pixel over the image alone."""
    x = rng.standard_normal((2, 5, 6)).astype(np.float32)
    expect(student.im2col(x, (2, 2)), rows_of(x, (2, 2), (1, 1), (0, 0)))


@task("im2col")
def a_window_that_does_not_fit_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A kernel higher or wider than the padded image raises an exception, and one that just fits does not."""
    x = rng.standard_normal((1, 2, 4)).astype(np.float32)
    expect_raises(student.im2col, x, (5, 1), (1, 1), (1, 0))
    expect_raises(student.im2col, x, (1, 6), (2, 2), (3, 0))
    expect_raises(student.im2col, x, (7, 7), (1, 1), (0, 0))
    expect(student.im2col(x, (4, 4), (3, 3), (1, 0)), rows_of(x, (4, 4), (3, 3), (1, 0)))


@task("im2col")
def images_as_large_as_a_photograph(student: Student, rng: np.random.Generator) -> None:
    """Three channels of some 60x80 pixels are done within the time that a call may take."""
    x = rng.standard_normal((3, int(rng.integers(56, 64)), int(rng.integers(72, 90)))).astype(np.float32)
    expect(student.im2col(x, (7, 5), (2, 2), (3, 2)), rows_of(x, (7, 5), (2, 2), (3, 2)))


# --- Task 6.3


def pair(rng: np.random.Generator, low: int, high: int) -> Pair:
    """Two whole numbers from low up to, but not including, high."""
    return int(rng.integers(low, high)), int(rng.integers(low, high))


def reference(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, stride: Pair, padding: Pair, groups: int
) -> np.ndarray:
    """The convolution of `x` from a stride of 1 and a padded image."""
    (ph, pw), (sh, sw) = padding, stride
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    none = np.zeros(len(weight), x.dtype)
    return np.ascontiguousarray(backwards(padded, weight, none if bias is None else bias, groups)[:, :, ::sh, ::sw])


def problem(rng: np.random.Generator, groups: int, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, weight and bias of whole numbers with random shapes that fit together."""
    depth, outputs = int(rng.integers(1, 4)), groups * int(rng.integers(1, 4))
    kernel_size = pair(rng, 1, 4)
    x = rng.integers(-9, 10, (int(rng.integers(1, 4)), groups * depth, *pair(rng, 4, 9))).astype(dtype)
    weight = rng.integers(-9, 10, (outputs, depth, *kernel_size)).astype(dtype)
    return x, weight, rng.integers(100, 200, outputs).astype(dtype) * np.arange(1, outputs + 1).astype(dtype)


@task("conv2d")
def any_convolution(student: Student, rng: np.random.Generator) -> None:
    """Values and element type are right for any shapes, stride, padding and groups."""
    for groups in (1, 2, 3, 4) * 4:
        x, weight, bias = problem(rng, groups, rng.choice([np.float32, np.float64]))
        stride, padding = pair(rng, 1, 4), pair(rng, 0, 3)
        got = student.conv2d(x, weight, bias, stride, padding, groups)
        what = f"conv2d of {x.shape} with weight {weight.shape}, {stride=}, {padding=}, {groups=}"
        expect(got, reference(x, weight, bias, stride, padding, groups), what=what)


@task("conv2d")
def a_bias_can_be_missing(student: Student, rng: np.random.Generator) -> None:
    """bias=None adds nothing, and it is what a call without a bias means."""
    x, weight, _ = problem(rng, 2, np.float32)
    expect(student.conv2d(x, weight, None, (1, 2), (1, 0), 2), reference(x, weight, None, (1, 2), (1, 0), 2))
    x, weight, _ = problem(rng, 1, np.float32)
    expect(student.conv2d(x, weight), reference(x, weight, None, (1, 1), (0, 0), 1))


@task("conv2d")
def one_kernel_for_each_channel(student: Student, rng: np.random.Generator) -> None:
    """groups=C, the depthwise convolution of mobile networks: every channel is filtered for itself."""
    channels = int(rng.integers(3, 9))
    x = rng.integers(-9, 10, (2, channels, 6, 5)).astype(np.float64)
    weight = rng.integers(-9, 10, (channels, 1, 3, 3)).astype(np.float64)
    bias = rng.integers(100, 200, channels).astype(np.float64)
    got = student.conv2d(x, weight, bias, (2, 1), (1, 1), channels)
    expect(got, reference(x, weight, bias, (2, 1), (1, 1), channels))


@task("conv2d")
def real_numbers(student: Student, rng: np.random.Generator) -> None:
    """Sums of real numbers agree to the last digits but a few."""
    x = rng.standard_normal((2, 8, 9, 7)).astype(np.float32)
    weight, bias = rng.standard_normal((6, 4, 3, 3)).astype(np.float32), rng.standard_normal(6).astype(np.float32)
    expected = reference(x.astype(np.float64), weight.astype(np.float64), bias.astype(np.float64), (1, 1), (1, 1), 2)
    got = student.conv2d(x, weight, bias, (1, 1), (1, 1), 2)
    expect(got, expected.astype(np.float32), rtol=1e-4, atol=1e-4)


@task("conv2d")
def shapes_that_do_not_fit_are_refused(student: Student, rng: np.random.Generator) -> None:
    """groups that do not divide C or O, and kernels of another depth than C/groups, raise an exception."""
    x, bias = rng.standard_normal((1, 4, 5, 5)).astype(np.float32), np.zeros(4, np.float32)
    for outputs, depth, groups in ((4, 1, 3), (4, 3, 1), (4, 1, 2), (3, 2, 2)):
        weight = rng.standard_normal((outputs, depth, 3, 3)).astype(np.float32)
        expect_raises(student.conv2d, x, weight, bias[:outputs], (1, 1), (0, 0), groups)
