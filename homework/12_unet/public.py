"""Public tests of lesson 12: every pixel stamps a kernel, how well two masks agree, and the whole U."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task

PIXELS = np.array([[1.0, 2.0], [3.0, 4.0]])
KERNEL = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
CHANNELS, SIZES = "Stamps with channels", "How large is the output?"
"""Sections of the lesson to read again."""
BIAS_LAST = "the bias (O,) lies along the last axis, the columns: bias[:, None, None] goes with the channels"
BIAS_ERRORS = {
    " (3,)": BIAS_LAST,
    "(3,1)": BIAS_LAST,
    "truth value": "an array has no single truth value: ask `bias is None`",
}
"""The errors of a bias for three channels; otherwise shapes of stamps do not fit."""
STAMP_ERRORS = {
    "broadcast": "a stamp and its place have different shapes: where does the stamp of pixel (i, j) begin, and how "
    "many rows and columns has it? Or the last stamp has no room: how many rows and columns are there before the cut?",
    "window shape cannot be larger": "windows of the image are read here, as in a convolution: in a transposed one "
    "each pixel WRITES its stamp. (In the way with zeros between the pixels, kh - 1 and kw - 1 more go around them.)",
    "shape-mismatch for sum": "weight is (C, O, kh, kw): its first axis goes with the channels of x, axes=1",
    "NoneType": "bias may be None: then nothing is added",
    "Cannot cast": "the result holds whole numbers only: give np.zeros the dtype of x",
    "matmul": "@ sums over the kernel's rows: sum over the channels, the first axis of weight, with "
    "np.tensordot(..., axes=1)",
    "out of bounds": "i runs over the H rows of x and j over its W columns; and all stamps need room, before the cut "
    "(H - 1) * sh + kh rows and (W - 1) * sw + kw columns",
    "negative values": "a border of kh - 1 - ph is negative where the padding is larger than the kernel: cut instead",
}
CHANNEL_ERRORS = STAMP_ERRORS | {
    "broadcast": "a pixel has C numbers: each times the kernels weight[c], and then their sum over c, as in "
    "np.tensordot(x[:, :, i, j], weight, axes=1). If the sum fails, and not the product: a stamp and its place "
    "have different shapes"
}
PADDING_ERRORS = STAMP_ERRORS | {
    "broadcast": "before the cut all stamps need room: (H - 1) * sh + kh rows and (W - 1) * sw + kw columns, which are "
    "more than H' and W'. Cut when all are down"
}
C_FOR_O = "the result has as many channels as weight has kernels for each channel of x: O, weight.shape[1], and not C"
TURNED = "i and j are exchanged: x is (N, C, H, W), so i runs over x.shape[2], its rows, and j over x.shape[3]"


def whole(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Whole numbers from -9 to 9, none of them 0, as float32: sums of them are exact in any order."""
    return (rng.integers(1, 10, shape) * rng.choice((-1, 1), shape)).astype(np.float32)


@task("transposed_convolution", "stamp", "overlap", "stride", "size", "padding", "bias", "dtype")
def the_stamps_of_the_lesson(student: Student, oracle: Any) -> None:
    """Four pixels stamp a kernel of 3x3, two apart: 5x5 numbers, with overlaps in the middle row and column."""
    x, weight = PIXELS[None, None], KERNEL[None, None]
    refused = "if this ValueError is yours: 5 rows and 5 columns are left. Are they counted as after a convolution?"
    with likely(STAMP_ERRORS | {"ValueError": refused}):
        got = student.transposed_convolution(x, weight, None, (2, 2), (0, 0))
    rows = [[1, 2, 5, 4, 6], [4, 5, 14, 10, 12], [10, 14, 36, 24, 30], [12, 15, 34, 20, 24], [21, 24, 55, 32, 36]]
    expect(got, np.array([[rows]], np.float64), mistakes=oracle.stamp_mistakes(x, weight, (2, 2)))


@task("transposed_convolution", "stamp", "overlap", "stride", "size", "padding", "bias", "dtype")
def rows_and_columns_of_their_own(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Image, kernel and stride may all be different down and to the right."""
    x, weight = whole(rng, 1, 1, 3, 2), whole(rng, 1, 1, 2, 3)
    with likely({"out of bounds for axis 3 with size 2": TURNED} | STAMP_ERRORS):
        got = student.transposed_convolution(x, weight, None, (3, 2), (0, 0))
    expect(got, oracle.transposed(x, weight, None, (3, 2)), mistakes=oracle.stamp_mistakes(x, weight, (3, 2)))


@task("transposed_convolution", "channels", "stamp", "overlap", "stride", "size", "padding", "bias", "dtype",
      section=CHANNELS)  # fmt: skip
def a_kernel_for_each_pair_of_channels(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """weight[c, o] is the kernel from input channel c to output channel o, and all input channels add up."""
    for samples, channels, outputs in ((2, 2, 2), (1, 4, 3)):
        x, weight = whole(rng, samples, channels, 3, 2), whole(rng, channels, outputs, 2, 3)
        refused = "this weight fits: it is (C, O, kh, kw), so compare weight.shape[0] with the channels of x"
        clash = {"(1,4,2,3) (1,3,2,3)": C_FOR_O, "(4,2,3) (3,2,3)": C_FOR_O}
        with likely(clash | CHANNEL_ERRORS | {"ValueError": refused}):
            got = student.transposed_convolution(x, weight, None, (1, 2), (0, 0))
        expected, mistakes = oracle.transposed(x, weight, None, (1, 2)), oracle.channel_mistakes(x, weight, (1, 2))
        expect(got, expected, what=f"{channels} channels to {outputs}", mistakes=mistakes)


@task("transposed_convolution", "padding", "stamp", "overlap", "stride", "size", "bias", "dtype", "channels", "nothing",
      section=SIZES)  # fmt: skip
def padding_cuts(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """padding=(ph, pw) takes ph rows off above and below, and pw columns off at the left and at the right."""
    x, weight, stride = whole(rng, 1, 2, 3, 3), whole(rng, 2, 2, 4, 4), (2, 3)
    refused = "H' and W' are at least 1 here, and nothing is to be refused: ph rows go at each end, whatever the stride"
    for padding in ((1, 2), (0, 1), (2, 0)):
        with likely(PADDING_ERRORS | {"ValueError": refused}):
            got = student.transposed_convolution(x, weight, None, stride, padding)
        expected = oracle.transposed(x, weight, None, stride, padding)
        mistakes = oracle.padding_mistakes(x, weight, stride, padding)
        expect(got, expected, what=f"padding {padding}", mistakes=mistakes)
    x, weight = whole(rng, 1, 1, 5, 7), whole(rng, 1, 1, 2, 2)
    for padding in ((2, 0), (0, 3), (2, 3)):
        with likely(
            PADDING_ERRORS | {"ValueError": "only a cut that leaves nothing is refused, not one of a kernel's size"}
        ):
            got = student.transposed_convolution(x, weight, None, (1, 1), padding)
        expected = oracle.transposed(x, weight, None, (1, 1), padding)
        mistakes = oracle.padding_mistakes(x, weight, (1, 1), padding)
        expect(got, expected, what=f"a kernel of 2x2 and padding {padding}", mistakes=mistakes)


@task("transposed_convolution", "bias", "stamp", "overlap", "stride", "size", "padding", "dtype", "channels",
      section=CHANNELS)  # fmt: skip
def the_bias_comes_once(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Each pixel of output channel o gets bias[o] once: where stamps overlap, and where there is none."""
    for samples, kernel, stride in ((1, (3, 3), (2, 2)), (3, (1, 2), (3, 3)), (1, (2, 2), (1, 1))):
        x, weight, bias = whole(rng, samples, 2, 2, 2), whole(rng, 2, 3, *kernel), whole(rng, 3) * 100
        with likely(BIAS_ERRORS | CHANNEL_ERRORS):
            got = student.transposed_convolution(x, weight, bias, stride, (0, 0))
        expected, mistakes = oracle.transposed(x, weight, bias, stride), oracle.bias_mistakes(x, weight, bias, stride)
        expect(got, expected, what=f"kernel {kernel}, stride {stride}, with bias", mistakes=mistakes)


@task("transposed_convolution", "default", "stamp", "overlap", "stride", "size", "padding", "bias", "dtype", "nothing")
def no_bias_stride_one_and_no_padding_unless_said(student: Student) -> None:
    """1 2 with the kernel 1 10 100 and nothing else gives 1 12 120 200; a stride alone, or a padding, can be named."""
    x, weight = np.array([[[[1.0, 2.0]]]]), np.array([[[[1.0, 10.0, 100.0]]]])
    refused = "one row is enough: raise ValueError only where H' or W' is below 1"
    with likely(STAMP_ERRORS | {"ValueError": refused}):
        expect(student.transposed_convolution(x, weight), np.array([[[[1.0, 12.0, 120.0, 200.0]]]]))
        got = student.transposed_convolution(x, weight, stride=(1, 2))
        expect(got, np.array([[[[1.0, 10.0, 102.0, 20.0, 200.0]]]]), what="the result with stride (1, 2)")
        got = student.transposed_convolution(x, weight, padding=(0, 1))
        expect(got, np.array([[[[12.0, 120.0]]]]), what="the result with padding (0, 1)")


@task("transposed_convolution", "inputs", "channels", section=CHANNELS)
def other_channels_are_refused(student: Student, rng: np.random.Generator) -> None:
    """x with two channels and a weight for one, or for three, raise ValueError."""
    x, cause = whole(rng, 1, 2, 2, 2), "compare x.shape[1] with weight.shape[0], and raise ValueError if they differ"
    instead = {"IndexError": f"an index ran over the end, and nothing was compared: {cause}"}
    for channels in (1, 3):
        call = student.transposed_convolution, x, whole(rng, channels, 2, 2, 2), None, (1, 1), (0, 0)
        expect_refused(*call, cause=cause, instead=instead)


@task("transposed_convolution", "nothing", "stamp", "overlap", "stride", "size", "padding", "bias", "dtype",
      section=SIZES)  # fmt: skip
def a_cut_that_leaves_nothing_is_refused(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A padding that leaves no row, or no column, raises ValueError; one that leaves a single pixel does not."""
    x, weight = whole(rng, 1, 1, 2, 2), whole(rng, 1, 1, 4, 4)
    with likely(
        {"ValueError": "a cut that leaves a pixel was refused: raise ValueError only where H' or W' is below 1"}
    ):
        got = student.transposed_convolution(x, weight, None, (1, 1), (2, 2))
    expect(got, oracle.transposed(x, weight, None, (1, 1), (2, 2)), what="5x5 numbers with padding (2, 2)")
    cause = "work out H' and W' first, and raise ValueError if one of them is below 1"
    for stride, padding in (((1, 1), (3, 0)), ((1, 1), (0, 3)), ((2, 1), (4, 1)), ((2, 2), (3, 3)), ((1, 1), (3, 3))):
        expect_refused(student.transposed_convolution, x, weight, None, stride, padding, cause=cause)


@task("transposed_convolution", "dtype", "stamp", "overlap", "stride", "size", "padding", "bias", "channels")
def both_types_stay(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 2e-6), (np.float64, 1e-12)):
        x, weight = rng.normal(size=(1, 2, 2, 3)).astype(dtype), rng.normal(size=(2, 1, 3, 2)).astype(dtype)
        with likely(CHANNEL_ERRORS):
            got = student.transposed_convolution(x, weight, None, (2, 1), (0, 0))
        expected, mistakes = oracle.transposed(x, weight, None, (2, 1)), oracle.stamp_mistakes(x, weight, (2, 1))
        limit = tolerance * float(np.abs(expected).max())
        expect(got, expected, atol=limit, what=f"the result for {np.dtype(dtype)}", mistakes=mistakes)
        bias = rng.normal(size=1).astype(dtype)
        with likely(CHANNEL_ERRORS):
            got = student.transposed_convolution(x, weight, bias, (2, 1), (0, 0))
        expected = oracle.transposed(x, weight, bias, (2, 1))
        mistakes, limit = oracle.bias_mistakes(x, weight, bias, (2, 1)), tolerance * float(np.abs(expected).max())
        expect(got, expected, atol=limit, what=f"the result for {np.dtype(dtype)} with a bias", mistakes=mistakes)


MEAN_ERRORS = {
    "ZeroDivisionError": "a class that occurs in neither mask has 0 / 0: leave it out",
    "negative elements": "a product of classes is too large for the masks' type: make both int64 first",
    "out of bounds": "`classes` is too large for the masks' type: make both int64 first",
    "zero-size": "an empty array has no smallest and no largest number: ask whether there are pixels first, mask.size",
    "truth value": "an array has no single truth value. Pixel by pixel it is & and |, with brackets around each "
    "comparison, as in (mask < 0) | (mask >= classes); one answer for all pixels give .any() and np.count_nonzero",
    "Cannot cast": "numpy does not count or index with every type of whole numbers: make both masks int64 first",
}
REFUSED = (
    "if this ValueError is yours: the masks have the same shape, and all their numbers are classes. Was a mask cast to "
    "a type too small for `classes`, or is the largest class, classes - 1, refused?"
)
NEARLY = (
    "nearly right: is a small number, such as 1e-6, in the fraction, or something rounded, or in float32? A class that "
    "occurs nowhere is left out, so that nothing divides by 0"
)


def expect_mean(
    student: Student, oracle: Any, predicted: np.ndarray, truth: np.ndarray, classes: int, what: str
) -> None:
    """Raise Failure unless the student's mean is right."""
    with likely(MEAN_ERRORS | {"ValueError": REFUSED}):
        got = student.mean_iou(predicted, truth, classes)
    right, mistakes = oracle.averaged(predicted, truth, classes), oracle.mean_mistakes(predicted, truth, classes)
    try:
        expect(got, right, rtol=1e-9, what=what, mistakes=mistakes)
    except Failure as failure:
        if failure.cause is None and not failure.of_type and isinstance(got, float) and abs(got - right) < 1e-5:
            failure.cause = NEARLY
        raise


@task("mean_iou", "iou", "mean", "returns")
def masks_with_three_classes(student: Student, oracle: Any) -> None:
    """Two masks of 3x4 that both have the classes 0, 1 and 2, most of it class 0."""
    predicted = np.array([[0, 0, 0, 0], [0, 1, 1, 0], [1, 1, 2, 2]])
    truth = np.array([[0, 0, 0, 0], [0, 0, 1, 2], [0, 1, 1, 2]])
    expect_mean(student, oracle, predicted, truth, 3, "the masks of 3x4")


@task("mean_iou", "one_mask", "iou", "mean", "returns")
def a_class_in_one_mask_alone_is_a_zero(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A class that was predicted and is not there, or is there and was not predicted, counts with an IoU of 0."""
    truth = rng.integers(0, 2, (5, 5))
    truth[0, :2] = 0, 1
    predicted = truth.copy()
    predicted[2, 2:4] = 2
    expect_mean(student, oracle, predicted, truth, 3, "class 2 in `predicted` alone")
    expect_mean(student, oracle, truth, predicted, 3, "class 2 in `truth` alone")


@task("mean_iou", "iou", "mean", "one_mask", "returns")
def the_masks_of_the_lesson(student: Student, oracle: Any) -> None:
    """Two masks of 2x2: an IoU of 1/2 for class 0 and of 2/3 for class 1. Two of 4x4, of which one finds nothing."""
    expect_mean(student, oracle, np.array([[0, 1], [1, 1]]), np.array([[0, 0], [1, 1]]), 2, "the masks of 2x2")
    truth = np.zeros((4, 4), np.int64)
    truth[1, 1:3] = 1
    expect_mean(student, oracle, np.zeros_like(truth), truth, 2, "a mask that finds nothing")


@task("mean_iou", "absent", "iou", "mean", "returns")
def a_class_that_is_nowhere_does_not_count(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With 7 classes of which the masks have only 3, the mean is over those 3."""
    predicted, truth = rng.choice((1, 3, 4), (2, 6, 5))
    predicted[0, :3], truth[0, :3] = (1, 3, 4), (1, 3, 1)
    expect_mean(student, oracle, predicted, truth, 7, "masks with the classes 1, 3 and 4 of 7")


@task("mean_iou", "types", "iou", "mean", "absent", "one_mask", "returns")
def masks_of_every_type(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Masks of any type of whole numbers, of 8 bits to 64, signed or not, give what masks of int64 give."""
    for classes, types in (
        (100, (np.int8,)),
        (200, (np.uint8, np.int32)),
        (300, (np.int16, np.uint16, np.uint32, np.uint64)),
    ):
        truth = rng.integers(0, classes, (6, 7))
        predicted = np.where(rng.random((6, 7)) < 0.6, truth, rng.integers(0, classes, (6, 7)))
        truth[0, 0] = predicted[0, 0] = classes - 1
        for dtype in types:
            what = f"masks of {np.dtype(dtype).name} with {classes} classes"
            expect_mean(student, oracle, predicted.astype(dtype), truth.astype(dtype), classes, what)
    truth = np.zeros((20, 20), np.int64)
    truth[5:11, 4:12] = 1
    for dtype in (np.uint8, np.int8):
        predicted, what = np.roll(truth, 2, axis=1), f"masks of {np.dtype(dtype).name} with 400 pixels"
        expect_mean(student, oracle, predicted.astype(dtype), truth.astype(dtype), 2, what)


@task("mean_iou", "empty")
def masks_without_pixels(student: Student) -> None:
    """Where there are no pixels no class counts, and the answer is nan."""
    nothing = np.zeros((0, 5), np.int64)
    none = "no class counts where there are no pixels: then return float('nan')"
    with likely(MEAN_ERRORS | {"ZeroDivisionError": none}):
        got = student.mean_iou(nothing, nothing, 3)
    if type(got) is not float or not math.isnan(got):
        failure = Failure(f"masks of (0, 5): expected float('nan'), got {got!r:.80}", math.nan, got)
        if isinstance(got, np.floating) and math.isnan(got):
            failure.of_type = True
            failure.cause = "this nan is one of numpy's numbers: make it a plain number with float(...)"
        elif isinstance(got, (int, float)) and got in (0, 1):
            failure.cause = f"{got} is a statement about masks, and here is nothing to say: {none}"
        raise failure


@task("mean_iou", "shapes")
def masks_of_different_shapes_are_refused(student: Student) -> None:
    """Masks of other shapes, as (3, 4) and (4, 3), raise ValueError; also if numpy would broadcast them, as (1, 4)."""
    cause = "compare predicted.shape with truth.shape, and raise ValueError if they differ"
    shapes = [((3, 4), other) for other in ((1, 4), (3, 1), (1, 1), (4, 3), (3, 5), (2, 6), (0, 5))]
    for shape, other in [*shapes, ((1, 4), (4, 1)), ((1, 3), (1, 1)), ((0, 5), (5, 0)), ((0, 5), (1, 5))]:
        one, two = np.zeros(shape, np.int64), np.zeros(other, np.int64)
        expect_refused(student.mean_iou, one, two, 2, cause=cause)
        expect_refused(student.mean_iou, two, one, 2, cause=cause)


@task("mean_iou", "range")
def numbers_that_are_no_class_are_refused(student: Student) -> None:
    """With 3 classes, 3 and -1 in either mask raise ValueError; so do numbers that become 1 in 8, 16 or 32 bits."""
    mask = np.arange(12, dtype=np.int64).reshape(3, 4) % 3
    for number in (3, -1, 255, 2**8 + 1, 2**16 + 1, 2**32 + 1):
        other = mask.copy()
        other[1, 2] = number
        for name, masks in (("predicted", (other, mask)), ("truth", (mask, other))):
            cause = f"there is {number} in `{name}`: raise ValueError unless 0 <= class < classes in both masks"
            if number > 255:
                cause = (
                    f"there is {number} in `{name}`, which a cast to a smaller type makes 1: compare before the cast"
                )
            expect_refused(student.mean_iou, *masks, 3, cause=cause)


MADE_OF = (
    "u_net is made of transposed_convolution, and yours is wrong: mend it first (python3 course.py check "
    "transposed_convolution), then look at u_net again"
)
STACKED = (
    "np.stack puts arrays of the same shape along a NEW axis: the channels of the two are joined, np.concatenate with "
    "axis=1"
)
PARTS = (
    "an entry of `down` is a list of convolutions for `block`; one of `up` has two parts, the "
    "transposed convolution (weight, bias) and a list of convolutions; `last` is (weight, bias)"
)
ONE_LIST = "np.concatenate takes ONE list of arrays, in brackets, before the axis"
COUNTED = "the levels are counted: 0 to len(down) - 1, and `up` has its own order, the lowest first"
U_ERRORS = {
    "same number of dimensions": "an array is joined with a list: which ONE of the arrays kept has the size of x?",
    "multiple values for argument": ONE_LIST,
    "only integer scalar": ONE_LIST,
    "shape-mismatch": "a block or a transposed convolution got another number of channels than its weight is for: is "
    "the skip joined along axis 1 (and not added) before `block`, and are `up` and `down` taken in their order?",
    "non-iterable int": "a stride is a pair, for rows and columns: stride=(2, 2)",
    "tuple indices": "transposed_convolution takes x, weight, bias and stride, in this order: name it, stride=(2, 2)",
    "cannot reshape": "max pooling: x is (N, C, H, W), and H // 2 squares of 2 lie below each other, W // 2 beside",
    "pop from empty": "the way up takes as many arrays as the way down kept, one for each level: is one list filled "
    "by `append`, or is it made anew on each level?",
    "remapped shapes": STACKED,
    "must have the same shape": STACKED,
    "too many values": PARTS,
    "not enough values": PARTS,
    "missing 1 required": "`convolution` takes x, weight and bias: convolution(x, *last)",
    "'tuple' object has no attribute": "a convolution is a pair, (weight, bias): take it apart",
    "'list' object has no attribute": "that is a list of convolutions, (weight, bias) each, as `block` takes it",
    "out of bounds": COUNTED,
    "list index": COUNTED,
    "local variable": "is a name used that gets its value only where there is a level?",
}


def levels_of(rng: np.random.Generator, count: int, channels: int = 2, classes: int = 3) -> list[Any]:
    """down, bottom, up and last of a U-Net with whole numbers in it; all its blocks have as many channels.

    No number on the way is so large that float32 would round it, and the first class has logits below 0 only.
    """

    def pair(*shape: int, outputs: int = channels) -> tuple[np.ndarray, np.ndarray]:
        return rng.integers(-1, 3, shape).astype(np.float32), rng.integers(1, 4, outputs).astype(np.float32)

    down = [[pair(channels, channels, 3, 3)] for _ in range(count)]
    bottom = [pair(channels, channels, 1, 1), pair(channels, channels, 3, 3)]
    up = [(pair(channels, channels, 2, 2), [pair(channels, 2 * channels, 3, 3)]) for _ in range(count)]
    weight, bias = pair(classes, channels, 1, 1, outputs=classes)
    weight[0], bias[0] = -1, -2
    return [down, bottom, up, (weight, bias)]


def compare_stamps(student: Student) -> None:
    """Raise Failure where the student's transposed_convolution is wrong with a kernel and a stride of 2."""
    x, weight = np.arange(1, 9, dtype=np.float32).reshape(1, 2, 2, 2), np.arange(16, dtype=np.float32)
    weight, bias = weight.reshape(2, 2, 2, 2), np.array([100, -100], np.float32)
    squares = np.einsum("nchw,coab->nohawb", x, weight).reshape(1, 2, 4, 4) + bias[:, None, None]
    try:
        with student.aside():
            expect(student.transposed_convolution(x, weight, bias, (2, 2)), squares, what="transposed_convolution")
    except (Failure, SubmissionError) as error:
        failure = error if isinstance(error, Failure) else Failure("transposed_convolution raises on what is right")
        failure.cause = MADE_OF
        raise failure from None


def why_apart(said: str, shape: tuple[int, ...], levels: int) -> str | None:
    """The likely cause where two arrays of different sizes are joined, for pictures of this shape."""
    found = re.search(r"along dimension (\d), .* 0 has size (\d+) and .* 1 has size (\d+)", said)
    if not found:
        return None
    axis, first, second = map(int, found.groups())
    if axis < 2:
        return "the channels are joined, axis 1: rows and columns are the same on both sides"
    sizes = f"the first of the arrays joined has {first} {('rows', 'columns')[axis - 2]}, and the second {second}"
    lowest = shape[axis] // 2 ** (levels - 1)  # what the last level of the way down keeps
    if second == 2 * first == 2 * shape[axis]:
        return f"{sizes}: is the pooling missing? It halves rows and columns on each level, after `block`"
    if second == 2 * first == lowest:
        return f"{sizes}: a level keeps what `block` gave BEFORE its pooling"
    if second == 2 * first:
        return f"{sizes}: each level of the way up takes an array of its own off `kept`, as kept.pop() does"
    if first == 2 * second == lowest:
        return (
            f"{sizes}: is the transposed convolution there, with stride=(2, 2) and without padding? And is there one "
            "pooling for each level, and no more?"
        )
    if first % second == 0:
        return f"{sizes}: the way up begins with what was kept LAST, which is the smallest"
    return f"{sizes}: does pooling halve both, and the transposed convolution, with stride=(2, 2), double both again?"


def expect_logits(student: Student, oracle: Any, x: np.ndarray, net: list[Any], what: str) -> None:
    """Raise Failure unless the student's logits are right."""
    refused = (
        "if this ValueError is yours: 2 to the number of levels, len(down), divides rows and columns here, so nothing "
        "is to be refused"
    )
    try:
        try:
            got = student.u_net(x, *net)
        except SubmissionError as error:
            apart = why_apart(error.message, x.shape, len(net[0]))
            with likely({error.message: apart} if apart else U_ERRORS | {"ValueError": refused}):
                raise
        try:
            expect(got, oracle.logits(x, *net), what=what, mistakes=oracle.logits_mistakes(x, *net))
        except Failure as failure:
            if failure.cause is None and isinstance(got, np.ndarray) and got.shape == (len(x), *x.shape[2:]):
                failure.cause = "these are masks: the logits of all classes are wanted, without argmax"
            raise
    except (Failure, SubmissionError) as error:
        if isinstance(error, Failure) or (error.kind == "raise" and error.type != "NotImplementedError"):
            compare_stamps(student)
        raise


def pictures(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Pictures of whole numbers from -2 to 4, as float32."""
    return rng.integers(-2, 5, shape).astype(np.float32)


@task("u_net", "levels", "bottom", "last", "dtype")
def without_a_level(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """No level at all: bottom and last are left."""
    expect_logits(student, oracle, pictures(rng, 1, 2, 3, 5), levels_of(rng, 0), "no level, 3x5 pixels")


@task("u_net", "down", "bottom", "up", "skip", "last", "levels", "dtype")
def one_level(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One level: down, bottom, and up again to where it began."""
    for cols in (6, 4):
        expect_logits(student, oracle, pictures(rng, 1, 2, 4, cols), levels_of(rng, 1), f"one level, 4x{cols} pixels")


@task("u_net", "levels", "down", "bottom", "up", "skip", "last", "sides", "dtype")
def two_levels(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Two levels and two pictures: what was kept last is joined first."""
    expect_logits(student, oracle, pictures(rng, 2, 2, 8, 4), levels_of(rng, 2), "two levels, 8x4 pixels")


@task("u_net", "levels", "down", "bottom", "up", "skip", "last", "sides", "dtype")
def three_levels(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three levels of one channel."""
    net = levels_of(rng, 3, channels=1, classes=1)
    expect_logits(student, oracle, pictures(rng, 1, 1, 8, 16), net, "three levels, 8x16 pixels")


@task("u_net", "sides", "levels", "down", "bottom", "up", "skip", "last", "dtype")
def sides_that_can_be_halved(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """2x6 pixels are enough for one level, and 4x12 for two; 3x7, 2x6 for two levels and 4x10 raise ValueError."""
    for levels, rows, cols in ((1, 2, 6), (2, 4, 12)):
        what = f"{levels} levels, {rows}x{cols} pixels"
        expect_logits(student, oracle, pictures(rng, 1, 2, rows, cols), levels_of(rng, levels), what)
    for levels, rows, cols in ((1, 3, 7), (1, 4, 7), (1, 5, 4), (2, 2, 6), (2, 4, 10), (2, 6, 4)):
        cause = (
            f"{rows}x{cols} pixels cannot be halved {('once', 'twice')[levels - 1]} without a row or column left over: "
            "ask before the way down, and raise ValueError"
        )
        expect_refused(student.u_net, pictures(rng, 1, 2, rows, cols), *levels_of(rng, levels), cause=cause)
