"""Public tests of homework 12: `python3 course.py check` runs them."""

from __future__ import annotations

import numpy as np

from classroom.judge import Student, expect, expect_raises, task

Pair = tuple[int, int]

PIXELS = np.array([[1.0, 2.0], [3.0, 4.0]])
KERNEL = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])


# --- Task 12.1


def gathered(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None, stride: Pair = (1, 1), padding: Pair = (0, 0)
) -> np.ndarray:
    """What has to come out, number by number: each output asks every input pixel which part of its stamp it gets."""
    (n, _, height, width), (_, outputs, kh, kw) = x.shape, weight.shape
    rows, cols = ((size - 1) * s - 2 * p + k for size, s, p, k in zip((height, width), stride, padding, (kh, kw)))
    y = np.zeros((n, outputs, rows, cols), x.dtype)
    for r, c, i, j in np.ndindex(rows, cols, height, width):
        a, b = r + padding[0] - i * stride[0], c + padding[1] - j * stride[1]
        if 0 <= a < kh and 0 <= b < kw:
            y[:, :, r, c] += x[:, :, i, j] @ weight[:, :, a, b]
    return y if bias is None else y + bias[:, None, None]


def overwritten(x: np.ndarray, weight: np.ndarray, stride: Pair) -> np.ndarray:
    """A wrong one: each stamp replaces what lies below it."""
    (n, _, height, width), (_, outputs, kh, kw), (sh, sw) = x.shape, weight.shape, stride
    y = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), x.dtype)
    for i, j in np.ndindex(height, width):
        y[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] = np.tensordot(x[:, :, i, j], weight, 1)
    return y


def stamps_at(x: np.ndarray, weight: np.ndarray, stride: Pair) -> np.ndarray:
    """How many stamps lie on each pixel of the result, (H', W')."""
    return gathered(np.ones_like(x[:1, :1]), np.ones_like(weight[:1, :1]), None, stride)[0, 0]


def whole(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Whole numbers from -9 to 9, none of them 0, as float32: sums of them are exact in any order."""
    return (rng.integers(1, 10, shape) * rng.choice((-1, 1), shape)).astype(np.float32)


@task("transposed_convolution")
def the_stamps_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """Four pixels stamp a kernel of 3x3, two apart: 5x5 numbers, with overlaps in the middle row and column."""
    x, weight = PIXELS[None, None], KERNEL[None, None]
    flipped = weight[:, :, ::-1, ::-1]
    mistakes = {
        "a stamp replaces what lies below it: where stamps overlap, add (+=)": overwritten(x, weight, (2, 2)),
        "stride is ignored: the stamp of pixel (i, j) begins at row i * sh and column j * sw": gathered(x, weight),
        "the kernel is turned by 180 degrees: a stamp is the kernel as it is, times the pixel": gathered(
            x, flipped, stride=(2, 2)
        ),
        "the kernel is turned over its diagonal": gathered(x, weight.swapaxes(2, 3), stride=(2, 2)),
    }
    expect(student.transposed_convolution(x, weight, None, (2, 2), (0, 0)), gathered(x, weight, stride=(2, 2)),
           mistakes=mistakes)  # fmt: skip


@task("transposed_convolution")
def a_kernel_for_each_pair_of_channels(student: Student, rng: np.random.Generator) -> None:
    """weight[c, o] is the kernel from input channel c to output channel o, and all input channels add up."""
    x, weight = whole(rng, 2, 2, 3, 2), whole(rng, 2, 2, 2, 3)
    expected = gathered(x, weight, stride=(1, 2))
    own = weight * np.eye(2, dtype=np.float32)[:, :, None, None]
    mistakes = {
        "weight is read as (O, C, kh, kw), a convolution's order; here it is (C, O, kh, kw)": gathered(
            x, weight.swapaxes(0, 1), stride=(1, 2)
        ),
        "only the first input channel is used: add up all of them": gathered(x[:, :1], weight[:1], stride=(1, 2)),
        "each output channel sees one input channel only: add up all of them": gathered(x, own, stride=(1, 2)),
        "every sample is the first one": np.broadcast_to(expected[:1], expected.shape),
    }
    expect(student.transposed_convolution(x, weight, None, (1, 2), (0, 0)), expected, mistakes=mistakes)
    x, weight = whole(rng, 1, 4, 2, 3), whole(rng, 4, 3, 2, 2)
    expect(student.transposed_convolution(x, weight, None, (2, 2), (0, 0)), gathered(x, weight, stride=(2, 2)),
           what="four channels to three")  # fmt: skip


@task("transposed_convolution")
def padding_cuts(student: Student, rng: np.random.Generator) -> None:
    """padding=(ph, pw) takes ph rows off above and below, and pw columns off at the left and at the right."""
    x, weight = whole(rng, 1, 2, 4, 4), whole(rng, 2, 3, 4, 4)
    stride, padding = (2, 3), (1, 2)
    full = gathered(x, weight, None, stride)
    height, width = full.shape[2:]
    mistakes = {
        "padding is ignored: cut it off when all stamps are down": full,
        "padding adds a border here, as in a convolution; in a transposed one it CUTS": np.pad(
            full, ((0, 0), (0, 0), (1, 1), (2, 2))
        ),
        "all of the padding is cut off above and at the left": full[:, :, 2:, 4:],
        "all of the padding is cut off below and at the right": full[:, :, : height - 2, : width - 4],
        "half of the padding is cut: ph rows above AND ph below": full[:, :, 1:, 2:],
        "the paddings are swapped: padding[0] is for the rows": gathered(x, weight, None, stride, padding[::-1]),
        "the strides are swapped: stride[0] goes down": gathered(x, weight, None, stride[::-1], padding),
    }
    expect(student.transposed_convolution(x, weight, None, stride, padding),
           gathered(x, weight, None, stride, padding), mistakes=mistakes)  # fmt: skip


@task("transposed_convolution")
def the_bias_comes_once(student: Student, rng: np.random.Generator) -> None:
    """Each pixel of output channel o gets bias[o] once: where stamps overlap, and where there is none."""
    for kernel, stride in (((3, 3), (2, 2)), ((1, 2), (3, 3))):
        x, weight, bias = whole(rng, 1, 2, 2, 2), whole(rng, 2, 4, *kernel), whole(rng, 4) * 100
        plain, column = gathered(x, weight, None, stride), bias[:, None, None]
        stamps = stamps_at(x, weight, stride)
        mistakes = {
            "the bias is missing": plain,
            "the bias comes with every stamp: add it once, at the end": plain + stamps * column,
            "the bias comes with every input channel: add it once, at the end": plain + 2 * column,
            "no bias where no stamp lies: it belongs to every pixel of the result": plain + (stamps > 0) * column,
        }
        what = f"kernel {kernel}, stride {stride}, with bias"
        got = student.transposed_convolution(x, weight, bias, stride, (0, 0))
        expect(got, gathered(x, weight, bias, stride), what=what, mistakes=mistakes)


# --- Task 12.2


def scores_of(predicted: np.ndarray, truth: np.ndarray, classes: int) -> list[tuple[int, int, int]]:
    """For each class: pixels in both masks, in the first, in the second, one pixel at a time."""
    found = [[0, 0, 0] for _ in range(classes)]
    for a, b in zip(predicted.ravel().tolist(), truth.ravel().tolist(), strict=True):
        found[a][1] += 1
        found[b][2] += 1
        found[a][0] += a == b
    return [(both, one, other) for both, one, other in found]


def averaged(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """What has to come out."""
    scores = scores_of(predicted, truth, classes)
    ious = [both / (one + other - both) for both, one, other in scores if one or other]
    return sum(ious) / len(ious)


def mistakes_of(predicted: np.ndarray, truth: np.ndarray, classes: int) -> dict[str, float]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    scores, right = scores_of(predicted, truth, classes), averaged(predicted, truth, classes)
    ious = [both / max(1, one + other - both) for both, one, other in scores]
    there, either = (
        [i for i, (_, one, other) in enumerate(scores) if choice(one, other)]
        for choice in (lambda one, other: other, lambda one, other: one or other)
    )
    total = [sum(column) for column in zip(*scores, strict=True)]

    def mean(values: list[float]) -> float:
        return sum(values) / max(1, len(values))

    found = {
        "a class that occurs in neither mask counts as 0: leave it out": mean(ious),
        "a class that occurs in neither mask counts as 1: leave it out": mean(
            [ious[i] if i in either else 1.0 for i in range(classes)]
        ),
        "a class in neither mask gives 0 / 0, which is nan, and one nan makes the whole mean nan: leave it out": (
            float("nan") if len(either) < classes else right
        ),
        "a class that only `predicted` has is left out: its IoU is 0, and counts": mean([ious[i] for i in there]),
        "that is pixel accuracy, which says little where one class is almost everywhere": total[0] / predicted.size,
        "that is the mean Dice, 2 * both / (one + other); IoU divides `both` by `either`": mean(
            [2 * scores[i][0] / max(1, scores[i][1] + scores[i][2]) for i in either]
        ),
        "pixels in both masks are counted twice in the union: |A or B| = |A| + |B| - |A and B|": mean(
            [scores[i][0] / max(1, scores[i][1] + scores[i][2]) for i in either]
        ),
        "all classes are thrown together: take each class's IoU first, then their mean": total[0]
        / max(1, total[1] + total[2] - total[0]),
        "class 0 is left out: the background is a class like the others": mean([ious[i] for i in either if i]),
    }
    return {cause: value for cause, value in found.items() if not abs(value - right) <= 1e-6}


def expect_mean(student: Student, predicted: np.ndarray, truth: np.ndarray, classes: int, what: str) -> None:
    """Raise Failure unless the student's mean is right."""
    right = averaged(predicted, truth, classes)
    mistakes = mistakes_of(predicted, truth, classes)
    expect(student.mean_iou(predicted, truth, classes), right, rtol=1e-9, what=what, mistakes=mistakes)


@task("mean_iou")
def the_masks_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """Two masks of 2x2: an IoU of 1/2 for class 0 and of 2/3 for class 1. Two of 4x4, of which one finds nothing."""
    expect_mean(student, np.array([[0, 1], [1, 1]]), np.array([[0, 0], [1, 1]]), 2, "the masks of 2x2")
    truth = np.zeros((4, 4), np.int64)
    truth[1, 1:3] = 1
    expect_mean(student, np.zeros_like(truth), truth, 2, "a mask that finds nothing")


@task("mean_iou")
def a_class_that_is_nowhere_does_not_count(student: Student, rng: np.random.Generator) -> None:
    """With 7 classes of which the masks have only 3, the mean is over those 3."""
    for _ in range(3):
        predicted, truth = rng.choice((1, 3, 4), (2, 6, 5))
        predicted[0, :3], truth[0, :3] = (1, 3, 4), (1, 3, 1)
        expect_mean(student, predicted, truth, 7, "masks with the classes 1, 3 and 4 of 7")


@task("mean_iou")
def a_class_in_one_mask_alone_is_a_zero(student: Student, rng: np.random.Generator) -> None:
    """A class that was predicted and is not there, or is there and was not predicted, counts with an IoU of 0."""
    truth = rng.integers(0, 2, (5, 5))
    truth[0, :2] = 0, 1
    predicted = truth.copy()
    predicted[2, 2:4] = 2
    expect_mean(student, predicted, truth, 3, "class 2 in `predicted` alone")
    expect_mean(student, truth, predicted, 3, "class 2 in `truth` alone")


@task("mean_iou")
def masks_of_different_shapes_are_refused(student: Student, rng: np.random.Generator) -> None:
    """Masks of (3, 4) and (1, 4), which numpy would broadcast, raise an exception."""
    expect_raises(student.mean_iou, np.zeros((3, 4), np.int64), np.zeros((1, 4), np.int64), 2)
