r"""How well two masks agree: why the solution is as it is.

For one class both masks are True and False, and `&` and `|` are the intersection and the union. `np.count_nonzero`
counts in Python's whole numbers, whatever the masks' type.

The rules decide more than the arithmetic:

- **A class in neither mask** has 0 / 0. Counted as 0, a network is punished for each class that the picture does not
  show; counted as 1, it is paid for them. Left out, neither happens, but the mean of one picture then has fewer
  classes than that of the next. Benchmarks therefore add up all pictures first, and take the IoUs of the sums, as
  `kuiper.vision.compare_masks` does if you give it a whole batch.
- **A class in one mask only** has 0 / something: a plain 0, whether it was invented or missed. To leave it out
  because it is not in the truth is the most frequent mistake, and it hides what was invented.
- **No pixels at all:** nan, "there is nothing to say". 0 or 1 would be a statement.

Other numbers that look alike: pixel accuracy (all right pixels / all pixels) is high for a mask that finds nothing,
if little is to be found. Dice = 2 * both / (|A| + |B|) = 2 IoU / (1 + IoU) is never smaller than IoU; per class the
two put masks in the same order, on average over classes not always. |A| + |B| as the union counts the common part
twice.

The other common way is one table: `np.bincount(truth * classes + predicted, minlength=classes**2)` has all pairs at
once, in one pass, which is faster for many classes. Then the types matter: in bytes 20 * 20 is 144, so convert to
int64 first.
"""

from __future__ import annotations

import math

import numpy as np

from classroom.judge import Failure, Mutant, Student, expect, expect_raises, task

from .shared import between


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


MEAN = '    return float(sum(ious) / len(ious)) if ious else float("nan")\n'
BOTH = "            ious.append(np.count_nonzero(a & b) / either)\n"
EITHER = "either = np.count_nonzero(a | b)"
COUNTED = "        if either:\n"
CLASSES = "    for number in range(classes):\n"
SHAPES = "    if predicted.shape != truth.shape:\n"
RANGE = "        if ((mask < 0) | (mask >= classes)).any():\n"

MUTANTS = [
    Mutant(
        "accuracy",
        "the share of pixels with the right class",
        old=MEAN,
        new='    return float((predicted == truth).mean()) if ious else float("nan")\n',
    ),
    Mutant(
        "dice",
        "Dice instead of IoU",
        old=BOTH,
        new=("            ious.append(2 * np.count_nonzero(a & b) / (np.count_nonzero(a) + np.count_nonzero(b)))\n"),
    ),
    Mutant(
        "union_twice",
        "counts the common pixels twice in the union",
        old=EITHER,
        new="either = np.count_nonzero(a) + np.count_nonzero(b)",
    ),
    Mutant(
        "over_all_pixels",
        "throws all classes together: one IoU over all pixels",
        old=MEAN,
        new=(
            "    right = np.count_nonzero(predicted == truth)\n"
            '    return float(right / (2 * truth.size - right)) if ious else float("nan")\n'
        ),
    ),
    Mutant(
        "absent_is_zero",
        "a class in neither mask counts as 0",
        old=BOTH,
        new=(
            "            ious.append(np.count_nonzero(a & b) / either)\n"
            "        elif truth.size:\n"
            "            ious.append(0.0)\n"
        ),
    ),
    Mutant(
        "absent_is_one",
        "a class in neither mask counts as 1",
        old=BOTH,
        new=(
            "            ious.append(np.count_nonzero(a & b) / either)\n"
            "        elif truth.size:\n"
            "            ious.append(1.0)\n"
        ),
    ),
    Mutant(
        "true_classes_only",
        "forgets classes that were predicted and are not there",
        old=COUNTED,
        new="        if b.any():\n",
    ),
    Mutant(
        "predicted_classes_only",
        "forgets classes that were not predicted",
        old=COUNTED,
        new="        if a.any():\n",
    ),
    Mutant(
        "common_classes_only",
        "forgets classes with an IoU of 0",
        old=COUNTED,
        new="        if (a & b).any():\n",
    ),
    Mutant(
        "no_background",
        "leaves class 0 out",
        old=CLASSES,
        new="    for number in range(1 if classes > 1 and predicted.any() else 0, classes):\n",
    ),
    Mutant(
        "last_class",
        "leaves the last class out",
        old=CLASSES,
        new="    for number in range(max(1, classes - 1)):\n",
    ),
    Mutant(
        "classes_from_masks",
        "takes the number of classes from the truth",
        old=CLASSES,
        new="    for number in range(int(truth.max()) + 1 if truth.size else 0):\n",
    ),
    Mutant(
        "by_frequency",
        "weighs the classes by their pixels",
        old=BOTH,
        new="            ious += [np.count_nonzero(a & b) / either] * np.count_nonzero(b)\n",
    ),
    Mutant(
        "share_of_truth",
        "divides by the pixels of the truth: that is recall",
        old=EITHER,
        new="either = np.count_nonzero(b)",
    ),
    Mutant(
        "overflow",
        "numbers the pairs in bytes, where 20 * 20 is 144",
        old="    ious = []\n",
        new=(
            "    if predicted.dtype == np.uint8:\n"
            "        pairs = predicted * np.uint8(classes) + truth\n"
            "        table = np.bincount(pairs.ravel(), minlength=classes**2)[: "
            "classes**2].reshape(classes, classes)\n"
            "        union = table.sum(0) + table.sum(1) - np.diag(table)\n"
            "        return float((np.diag(table)[union > 0] / union[union > 0]).mean())\n"
            "    ious = []\n"
        ),
    ),
    Mutant(
        "whole_division",
        "divides whole numbers",
        old=BOTH,
        new="            ious.append(np.count_nonzero(a & b) // either)\n",
    ),
    Mutant(
        "numpy_number",
        "gives one of numpy's numbers",
        old=MEAN,
        new='    return np.float64(sum(ious) / len(ious)) if ious else float("nan")\n',
    ),
    Mutant(
        "nothing_is_zero",
        "gives 0 where no class counts",
        old=MEAN,
        new="    return float(sum(ious) / len(ious)) if ious else 0.0\n",
    ),
    Mutant(
        "nothing_is_one",
        "gives 1 where no class counts",
        old=MEAN,
        new="    return float(sum(ious) / len(ious)) if ious else 1.0\n",
    ),
    Mutant(
        "nothing_fails",
        "divides by zero where no class counts",
        old=MEAN,
        new="    return float(sum(ious) / len(ious))\n",
    ),
    Mutant(
        "no_shape_check",
        "lets numpy broadcast masks of different shapes",
        old=SHAPES,
        new="    if False:\n",
    ),
    Mutant(
        "sizes_compared",
        "compares the numbers of pixels only",
        old=SHAPES,
        new=(
            "    truth = truth.reshape(predicted.shape) if truth.size == predicted.size else truth\n"
            "    if predicted.shape != truth.shape:\n"
        ),
    ),
    Mutant(
        "no_class_check",
        "ignores numbers that are no class",
        old=RANGE,
        new="        if False:\n",
    ),
    Mutant(
        "check_above_only",
        "ignores numbers below 0",
        old=RANGE,
        new="        if (mask >= classes).any():\n",
    ),
    Mutant(
        "check_too_lax",
        "takes `classes` for a class",
        old=RANGE,
        new="        if ((mask < 0) | (mask > classes)).any():\n",
    ),
    Mutant(
        "truth_unchecked",
        "checks one mask only",
        old='for name, mask in (("predicted", predicted), ("truth", truth)):',
        new='for name, mask in (("predicted", predicted),):',
    ),
]
