"""Public tests of homework 6: `python3 course.py check` runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, task

Convolution = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]

IMAGE = np.arange(1.0, 17.0).reshape(4, 4)
KERNEL = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])


# --- Task 6.1: a right convolution, two broken ones, and what the student's test says of them


def right(x: Any, weight: Any, bias: Any, groups: Any) -> np.ndarray:
    """A right grouped convolution, one pixel of all kernels at a time; it names arguments that do not fit."""
    check(x, weight, bias, groups)
    (n, _, height, width), (outputs, channels, kh, kw) = x.shape, weight.shape
    images = x.reshape(n, groups, channels, height, width)
    kernels = weight.reshape(groups, outputs // groups, channels, kh, kw)
    y = np.zeros((n, outputs, height - kh + 1, width - kw + 1), np.result_type(x, weight, bias))
    for i, j in np.ndindex(kh, kw):
        part = images[..., i : height - kh + 1 + i, j : width - kw + 1 + j]
        y += np.einsum("ngchw,gkc->ngkhw", part, kernels[..., i, j]).reshape(y.shape)
    return y + bias[:, None, None]


def check(x: Any, weight: Any, bias: Any, groups: Any) -> None:
    """Raise ValueError unless the four fit together and the work is small."""
    arrays = {"x (N, C, H, W)": (x, 4), "weight (O, C/groups, kh, kw)": (weight, 4), "bias (O,)": (bias, 1)}
    for name, (array, axes) in arrays.items():
        if type(array) is not np.ndarray or array.ndim != axes or array.size == 0 or array.dtype.kind not in "iuf":
            found = f"{array.dtype} {array.shape}" if type(array) is np.ndarray else type(array).__name__
            raise ValueError(f"conv, {name}: expected a numpy array of numbers with {axes} axes, found {found}")
    if not isinstance(groups, (int, np.integer)) or groups < 1 or x.shape[1] % groups or len(weight) % groups:
        raise ValueError(f"conv: groups={groups!r} does not divide C={x.shape[1]} and O={len(weight)}")
    if weight.shape[1] * groups != x.shape[1] or len(bias) != len(weight):
        shapes = f"x {x.shape}, weight {weight.shape}, bias {bias.shape}, groups={groups}"
        raise ValueError(f"conv: expected weight (O, C/groups, kh, kw) and bias (O,), found {shapes}")
    if weight.shape[2] > x.shape[2] or weight.shape[3] > x.shape[3]:
        raise ValueError(f"conv: a kernel {weight.shape[2:]} does not fit into an image {x.shape[2:]}")
    if weight.size * len(x) * x.shape[2] * x.shape[3] > 20_000_000:
        raise ValueError("conv: more than 20 million multiplications; a test needs small images only")


def first_bias(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """Broken: the bias is looked up by the number inside the group, so that every group gets the first one's."""
    y = right(x, weight, bias, groups)
    inside = np.tile(np.arange(len(bias) // groups), groups)
    return y + (bias[inside] - bias)[:, None, None]


def first_channels(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """Broken: every group looks at the input channels of the first."""
    check(x, weight, bias, groups)
    return right(np.tile(x[:, : weight.shape[1]], (1, groups, 1, 1)), weight, bias, groups)


def must_pass(student: Student, conv: Convolution, advice: str) -> None:
    """Raise Failure when the student's test says that a right convolution is wrong."""
    try:
        student.test_grouped_convolution(conv)
    except SubmissionError as error:
        if error.type != "AssertionError":
            raise
        failure = Failure(f"the test refused a right convolution: {error.message}", "no error", "AssertionError")
        failure.cause = advice
        raise failure from None


def must_catch(student: Student, conv: Convolution, fault: str, advice: str) -> None:
    """Raise Failure when the student's test does not raise AssertionError for a broken convolution."""
    try:
        student.test_grouped_convolution(conv)
    except SubmissionError as error:
        if error.type == "AssertionError":
            return
        if error.type in ("ValueError", "IndexError", "TypeError"):
            message = f"for a broken convolution the test must raise AssertionError, it raised {error.type}"
            failure = Failure(f"{message}: {error.message}", "AssertionError", error.type)
            failure.cause = "the comparison itself fell over: compare the shapes with an assert before the numbers"
            raise failure from None
        raise
    failure = Failure(f"the test accepted a convolution in which {fault}", "AssertionError", "no error")
    failure.cause = advice
    raise failure


@task("grouped_convolution_test")
def right_convolutions_are_accepted(student: Student, rng: np.random.Generator) -> None:
    """The test returns for a right convolution, however often it is asked."""
    for _ in range(2):
        must_pass(student, right, "what the test expects is not what the formula gives: compute one number by hand")


@task("grouped_convolution_test")
def a_wrong_bias_is_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when every group takes the bias of the first group."""
    must_catch(
        student, first_bias, "every group takes the bias of the first", "some biases are alike, or 0: make each another"
    )


@task("grouped_convolution_test")
def wrong_channels_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when every group looks at the input channels of the first group."""
    fault = "every group looks at the input channels of the first"
    must_catch(student, first_channels, fault, "some input channels are alike, or groups is 1: take different ones")


# --- Task 6.2


def rows_by_loops(
    x: np.ndarray, kernel_size: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int]
) -> np.ndarray:
    """The windows of `x`, number by number."""
    (kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding
    channels, height, width = x.shape
    rows = []
    for top in range(-ph, height + ph - kh + 1, sh):
        for left in range(-pw, width + pw - kw + 1, sw):
            row = []
            for c, i, j in np.ndindex(channels, kh, kw):
                inside = 0 <= top + i < height and 0 <= left + j < width
                row.append(x[c, top + i, left + j] if inside else 0)
            rows.append(row)
    return np.array(rows, x.dtype)


@task("im2col")
def the_rows_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """The image 1..16 has four windows of 3x3, and their rows are those of the lesson."""
    expected = np.array(
        [
            [1, 2, 3, 5, 6, 7, 9, 10, 11],
            [2, 3, 4, 6, 7, 8, 10, 11, 12],
            [5, 6, 7, 9, 10, 11, 13, 14, 15],
            [6, 7, 8, 10, 11, 12, 14, 15, 16],
        ],
        np.float64,
    )
    mistakes = {
        "the windows go down before they go right: let the column move fastest": expected[[0, 2, 1, 3]],
        "each window is read column by column: flatten it row by row": expected.reshape(4, 3, 3)
        .swapaxes(1, 2)
        .reshape(4, 9),
    }
    expect(student.im2col(IMAGE[None], (3, 3), (1, 1), (0, 0)), expected, mistakes=mistakes)


@task("im2col")
def channels_follow_one_another(student: Student, rng: np.random.Generator) -> None:
    """In a row stand all the numbers of channel 0, then all of channel 1, and so on."""
    x = rng.integers(-99, 100, (3, 4, 5)).astype(np.float32)
    expected = rows_by_loops(x, (2, 3), (1, 1), (0, 0))
    by_pixel = expected.reshape(-1, 3, 6).swapaxes(1, 2).reshape(expected.shape)
    cause = "the channels alternate pixel by pixel: the channel is the outermost of the three axes of a window"
    expect(student.im2col(x, (2, 3), (1, 1), (0, 0)), expected, mistakes={cause: by_pixel})


@task("im2col")
def strides_and_padding_have_two_directions(student: Student, rng: np.random.Generator) -> None:
    """stride and padding are (rows, cols): the first number moves and pads downwards, the second to the right."""
    x = rng.integers(-99, 100, (2, 7, 7)).astype(np.float32)
    expected = rows_by_loops(x, (3, 3), (2, 1), (0, 1))
    mistakes = {
        "stride is ignored, or applied twice": rows_by_loops(x, (3, 3), (1, 1), (0, 1)),
        "the strides are swapped: stride[0] goes down, stride[1] to the right": rows_by_loops(
            x, (3, 3), (1, 2), (0, 1)
        ),
        "the paddings are swapped: padding[0] goes above and below": rows_by_loops(x, (3, 3), (2, 1), (1, 0)),
    }
    expect(student.im2col(x, (3, 3), (2, 1), (0, 1)), expected, mistakes=mistakes)


@task("im2col")
def the_padding_is_zero(student: Student, rng: np.random.Generator) -> None:
    """Outside the image every number is 0, on all four sides."""
    x = rng.integers(1, 100, (1, 3, 4)).astype(np.float64)
    expected = rows_by_loops(x, (3, 3), (1, 1), (1, 1))
    got = student.im2col(x, (3, 3), (1, 1), (1, 1))
    expect(got, expected, mistakes={"no padding was added": rows_by_loops(x, (3, 3), (1, 1), (0, 0))})


# --- Task 6.3


def conv_by_rows(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: tuple[int, int],
    padding: tuple[int, int],
    groups: int,
) -> np.ndarray:
    """The convolution of `x`, one output channel of one sample at a time."""
    (outputs, channels, kh, kw), y = weight.shape, []
    height, width = (
        (n + 2 * p - k) // s + 1 for n, p, k, s in zip(x.shape[2:], padding, (kh, kw), stride, strict=True)
    )
    for image in x:
        for o in range(outputs):
            first = o // (outputs // groups) * channels
            rows = rows_by_loops(image[first : first + channels], (kh, kw), stride, padding)
            y.append(rows @ weight[o].reshape(-1) + (0 if bias is None else bias[o]))
    return np.array(y, x.dtype).reshape(len(x), outputs, height, width)


@task("conv2d")
def the_numbers_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """1..16 with the lesson's kernel gives 110, 128, 182, 200, and twice that on two equal channels."""
    x, weight = np.tile(IMAGE, (1, 2, 1, 1)), np.tile(KERNEL, (1, 2, 1, 1))
    once = np.array([[[[110.0, 128.0], [182.0, 200.0]]]])
    expect(student.conv2d(x[:, :1], weight[:, :1], None, (1, 1), (0, 0), 1), once)
    got = student.conv2d(x, weight, None, (1, 1), (0, 0), 1)
    expect(got, 2 * once, mistakes={"only one of the two channels is added up": once})


@task("conv2d")
def each_output_channel_has_its_kernel_and_bias(student: Student, rng: np.random.Generator) -> None:
    """Three kernels and three biases make three output channels of every sample."""
    x = rng.integers(-9, 10, (2, 2, 4, 5)).astype(np.float32)
    weight = rng.integers(-9, 10, (3, 2, 2, 2)).astype(np.float32)
    bias = np.array([100, -200, 300], np.float32)
    expected = conv_by_rows(x, weight, bias, (1, 1), (0, 0), 1)
    pixel_first = expected.reshape(2, 3, 12).swapaxes(1, 2).reshape(2, 3, 3, 4)
    mistakes = {
        "the bias is missing": expected - bias[:, None, None],
        "the product is (H'*W', O): transpose it before it is reshaped to (O, H', W')": pixel_first,
    }
    expect(student.conv2d(x, weight, bias, (1, 1), (0, 0), 1), expected, mistakes=mistakes)


@task("conv2d")
def groups_keep_to_themselves(student: Student, rng: np.random.Generator) -> None:
    """With groups=2 each half of the output channels sees its half of the input channels."""
    x = rng.integers(-9, 10, (2, 4, 5, 4)).astype(np.float32)
    weight = rng.integers(-9, 10, (6, 2, 3, 3)).astype(np.float32)
    bias = np.arange(1, 7).astype(np.float32) * 100
    expected = conv_by_rows(x, weight, bias, (1, 1), (1, 1), 2)
    first = np.tile(x[:, :2], (1, 2, 1, 1))
    mistakes = {
        "every group takes the bias of the first: output channel k of group g has bias[g * (O/groups) + k]": (
            conv_by_rows(x, weight, np.tile(bias[:3], 2), (1, 1), (1, 1), 2)
        ),
        "every group looks at the channels of the first": conv_by_rows(first, weight, bias, (1, 1), (1, 1), 2),
    }
    expect(student.conv2d(x, weight, bias, (1, 1), (1, 1), 2), expected, mistakes=mistakes)
