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

from classroom.judge import Failure, Mutant, Student, expect, expect_refused, task

from .shared import between, wrong


def averaged(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """The mean IoU over the classes that occur, from the (classes, classes) table of pairs."""
    table = np.zeros((classes, classes), np.int64)
    np.add.at(table, (predicted.astype(np.int64), truth.astype(np.int64)), 1)
    either = table.sum(axis=0) + table.sum(axis=1) - np.diag(table)
    return float((np.diag(table)[either > 0] / either[either > 0]).mean())


def scores_of(predicted: np.ndarray, truth: np.ndarray, classes: int) -> list[tuple[int, int, int]]:
    """For each class: pixels in both masks, in the first, in the second, one pixel at a time."""
    found = [[0, 0, 0] for _ in range(classes)]
    for a, b in zip(predicted.ravel().tolist(), truth.ravel().tolist(), strict=True):
        found[a][1] += 1
        found[b][2] += 1
        found[a][0] += a == b
    return [(both, one, other) for both, one, other in found]


def in_bytes(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """A wrong one: the pairs of classes are numbered in bytes, where 20 * 20 is 144."""
    pairs = predicted * np.uint8(classes) + truth
    table = np.bincount(pairs.ravel(), minlength=classes**2).reshape(classes, classes)
    either = table.sum(0) + table.sum(1) - np.diag(table)
    return float((np.diag(table)[either > 0] / either[either > 0]).mean())


def counted_in_masks_type(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """A wrong one: the pairs of classes are counted in the masks' own type, in bytes up to 255."""
    table = np.zeros((classes, classes), predicted.dtype)
    np.add.at(table, (predicted, truth), 1)
    either = table.sum(0) + table.sum(1) - np.diag(table)
    return float((np.diag(table)[either > 0] / either[either > 0]).mean())


def mean_mistakes(predicted: np.ndarray, truth: np.ndarray, classes: int) -> dict[str, float]:
    """Likely cause -> what it gives for these masks."""
    scores, right = scores_of(predicted, truth, classes), averaged(predicted, truth, classes)
    ious = [both / max(1, one + other - both) for both, one, other in scores]
    found_there, there, in_both, either = (
        [i for i, (_, one, other) in enumerate(scores) if choice(one, other)]
        for choice in (
            lambda one, other: one,
            lambda one, other: other,
            lambda one, other: one and other,
            lambda one, other: one or other,
        )
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
        "a class that only `truth` has is left out: its IoU is 0, and counts": mean([ious[i] for i in found_there]),
        "a class that only one mask has is left out: its IoU is 0, and counts": mean([ious[i] for i in in_both]),
        "that is recall, both / truth; IoU divides `both` by `either`": mean(
            [scores[i][0] / max(1, scores[i][2]) for i in either]
        ),
        "that is precision, both / predicted; IoU divides `both` by `either`": mean(
            [scores[i][0] / max(1, scores[i][1]) for i in either]
        ),
        "the classes are weighed by their pixels: all that count weigh the same": sum(
            iou * other for iou, (_, _, other) in zip(ious, scores, strict=True)
        )
        / max(1, total[2]),
        "that is pixel accuracy, which says little where one class is almost everywhere": total[0] / predicted.size,
        "that is the mean Dice, 2 * both / (one + other); IoU divides `both` by `either`": mean(
            [2 * scores[i][0] / max(1, scores[i][1] + scores[i][2]) for i in either]
        ),
        "pixels in both masks are counted twice in the union: |A or B| = |A| + |B| - |A and B|": mean(
            [scores[i][0] / max(1, scores[i][1] + scores[i][2]) for i in either]
        ),
        "all classes are thrown together: take each class's IoU first, then their mean": total[0]
        / max(1, total[1] + total[2] - total[0]),
        "== is True, too, where neither mask has the class: how do you ask whether BOTH have it?": mean(
            [
                (predicted.size - scores[i][1] - scores[i][2] + 2 * scores[i][0])
                / max(1, scores[i][1] + scores[i][2] - scores[i][0])
                for i in either
            ]
        ),
        "the IoUs are added up: divide by how many classes count": sum(ious),
        "only the first class was looked at: is `return` in the loop?": ious[either[0]],
        "upside down: IoU divides `both` by `either`": mean(
            [(scores[i][1] + scores[i][2] - scores[i][0]) / max(1, scores[i][0]) for i in either]
        ),
        "divided by the number of all pixels: IoU divides `both` by `either`": mean(
            [scores[i][0] / predicted.size for i in either]
        ),
        "& and | of the masks themselves: for class k take those of predicted == k and truth == k": (
            float(np.count_nonzero(predicted & truth) / max(1, np.count_nonzero(predicted | truth)))
        ),
        **{f"the answer was rounded to {n} digits: give it as it is": round(right, n) for n in (2, 3, 4, 6)},
        "class 0 is left out: the background is a class like the others": mean([ious[i] for i in either if i]),
        "the last class is left out: the classes are 0 to classes - 1, range(classes)": mean(
            [ious[i] for i in either if i < classes - 1]
        ),
        "only the last class is in the answer: keep the IoU of each, and take their mean": ious[either[-1]],
        "a ^ b has the pixels of one mask alone: IoU divides by those of either, a | b": mean(
            [scores[i][0] / max(1, scores[i][1] + scores[i][2] - 2 * scores[i][0]) for i in either]
        ),
        "1 is added to both counts, which changes every IoU: leave classes out that occur nowhere": mean(
            [(both + 1) / (one + other - both + 1) for both, one, other in scores]
        ),
    }
    if predicted.dtype == np.uint8:
        cause = "numbers of bytes end at 255: before you multiply, make the masks int64"
        found[cause] = in_bytes(predicted, truth, classes)
    if predicted.dtype.itemsize == 1:
        cause = f"the pixels are counted in {predicted.dtype}, which is too small for so many: count in int64"
        found[cause] = counted_in_masks_type(predicted, truth, classes)
    return wrong(found, right)


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
    """Masks of small types give the same as masks of int64, also where a product of classes does not fit into them."""
    for classes in (3, 40, 200, 300):
        predicted, truth = blotches(rng, classes, 20, 24)
        right = averaged(predicted, truth, classes)
        for dtype in (np.uint8, np.int32) if classes < 256 else (np.int16, np.uint16):
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
        expect_refused(student.mean_iou, mask, other, 3)
        expect_refused(student.mean_iou, other, mask, 3)
    for number in (3, 4, 255, -1, -3):
        wrong = mask.copy()
        wrong[2, 4] = number
        expect_refused(student.mean_iou, wrong, mask, 3)
        expect_refused(student.mean_iou, mask, wrong, 3)
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
        breaks="mean",
    ),
    Mutant(
        "dice",
        "Dice instead of IoU",
        old=BOTH,
        new=("            ious.append(2 * np.count_nonzero(a & b) / (np.count_nonzero(a) + np.count_nonzero(b)))\n"),
        breaks="iou",
    ),
    Mutant(
        "union_twice",
        "counts the common pixels twice in the union",
        old=EITHER,
        new="either = np.count_nonzero(a) + np.count_nonzero(b)",
        breaks="iou",
    ),
    Mutant(
        "over_all_pixels",
        "throws all classes together: one IoU over all pixels",
        old=MEAN,
        new=(
            "    right = np.count_nonzero(predicted == truth)\n"
            '    return float(right / (2 * truth.size - right)) if ious else float("nan")\n'
        ),
        breaks="mean",
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
        breaks="absent",
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
        breaks="absent",
    ),
    Mutant(
        "true_classes_only",
        "forgets classes that were predicted and are not there",
        old=COUNTED,
        new="        if b.any():\n",
        breaks="one_mask",
    ),
    Mutant(
        "predicted_classes_only",
        "forgets classes that were not predicted",
        old=COUNTED,
        new="        if a.any():\n",
        breaks="one_mask",
    ),
    Mutant(
        "common_classes_only",
        "forgets classes with an IoU of 0",
        old=COUNTED,
        new="        if (a & b).any():\n",
        breaks="one_mask",
    ),
    Mutant(
        "rounded",
        "rounds the answer to four digits",
        old=MEAN,
        new=MEAN.replace("float(sum(ious) / len(ious))", "round(float(sum(ious) / len(ious)), 4)"),
        breaks="returns",
    ),
    Mutant(
        "no_background",
        "leaves class 0 out",
        old=CLASSES,
        new="    for number in range(1 if classes > 1 and predicted.any() else 0, classes):\n",
        breaks="mean",
    ),
    Mutant(
        "last_class",
        "leaves the last class out",
        old=CLASSES,
        new="    for number in range(max(1, classes - 1)):\n",
        breaks="mean",
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
        breaks="mean",
    ),
    Mutant(
        "share_of_truth",
        "divides by the pixels of the truth: that is recall",
        old=EITHER,
        new="either = np.count_nonzero(b)",
        breaks="iou",
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
        breaks="types",
    ),
    Mutant(
        "counted_in_bytes",
        "counts in the type of the masks",
        old="    ious = []\n",
        new=(
            "    if predicted.dtype.itemsize == 1:\n"
            "        table = np.zeros((classes, classes), predicted.dtype)\n"
            "        np.add.at(table, (predicted, truth), 1)\n"
            "        union = table.sum(0) + table.sum(1) - np.diag(table)\n"
            "        return float((np.diag(table)[union > 0] / union[union > 0]).mean())\n"
            "    ious = []\n"
        ),
        breaks="types",
    ),
    Mutant(
        "whole_division",
        "divides whole numbers",
        old=BOTH,
        new="            ious.append(np.count_nonzero(a & b) // either)\n",
        breaks="iou",
    ),
    Mutant(
        "numpy_number",
        "gives one of numpy's numbers",
        old=MEAN,
        new='    return np.float64(sum(ious) / len(ious)) if ious else float("nan")\n',
        breaks="returns",
    ),
    Mutant(
        "nothing_is_zero",
        "gives 0 where no class counts",
        old=MEAN,
        new="    return float(sum(ious) / len(ious)) if ious else 0.0\n",
        breaks="empty",
    ),
    Mutant(
        "nothing_is_one",
        "gives 1 where no class counts",
        old=MEAN,
        new="    return float(sum(ious) / len(ious)) if ious else 1.0\n",
        breaks="empty",
    ),
    Mutant(
        "nothing_fails",
        "divides by zero where no class counts",
        old=MEAN,
        new="    return float(sum(ious) / len(ious))\n",
        breaks="empty",
    ),
    Mutant(
        "no_shape_check",
        "lets numpy broadcast masks of different shapes",
        old=SHAPES,
        new="    if False:\n",
        breaks="shapes",
    ),
    Mutant(
        "one_row_fits_all",
        "compares the numbers of rows, and makes a line of each mask",
        old=SHAPES,
        new=(
            "    if len(predicted) == len(truth):\n"
            "        predicted, truth = np.broadcast_arrays(predicted.ravel(), truth.ravel())\n"
            "    if predicted.shape != truth.shape:\n"
        ),
        breaks="shapes",
    ),
    Mutant(
        "wrapped",
        "makes 32 bits of the classes before they are checked",
        old=SHAPES,
        new=(
            "    predicted, truth = predicted.astype(np.int32), truth.astype(np.int32)\n"
            "    if predicted.shape != truth.shape:\n"
        ),
        breaks="range",
    ),
    Mutant(
        "sizes_compared",
        "compares the numbers of pixels only",
        old=SHAPES,
        new=(
            "    truth = truth.reshape(predicted.shape) if truth.size == predicted.size else truth\n"
            "    if predicted.shape != truth.shape:\n"
        ),
        breaks="shapes",
    ),
    Mutant(
        "no_class_check",
        "ignores numbers that are no class",
        old=RANGE,
        new="        if False:\n",
        breaks="range",
    ),
    Mutant(
        "check_above_only",
        "ignores numbers below 0",
        old=RANGE,
        new="        if (mask >= classes).any():\n",
        breaks="range",
    ),
    Mutant(
        "check_too_lax",
        "takes `classes` for a class",
        old=RANGE,
        new="        if ((mask < 0) | (mask > classes)).any():\n",
        breaks="range",
    ),
    Mutant(
        "truth_unchecked",
        "checks one mask only",
        old='for name, mask in (("predicted", predicted), ("truth", truth)):',
        new='for name, mask in (("predicted", predicted),):',
        breaks="range",
    ),
    Mutant(
        "absent_is_nan",
        "0 / 0 is nan, and so is every mean with it",
        old=BOTH,
        new=(
            "            ious.append(np.count_nonzero(a & b) / either)\n"
            "        elif truth.size:\n"
            '            ious.append(float("nan"))\n'
        ),
        breaks="absent",
    ),
    Mutant(
        "only_broadcast_refused",
        "leaves the shapes to numpy, which refuses some of them",
        old=SHAPES,
        new="    np.broadcast_shapes(predicted.shape, truth.shape)\n    if False:\n",
        breaks="shapes",
    ),
    Mutant(
        "three_places",
        "rounds the answer to three places, as a table shows it",
        old=MEAN,
        new='    return round(float(sum(ious) / len(ious)), 3) if ious else float("nan")\n',
        breaks="returns",
    ),
    Mutant(
        "only_bytes_widened",
        "numbers the pairs in the masks' own type unless they are bytes",
        old="    ious = []\n",
        new=(
            "    if predicted.dtype == np.uint8:\n"
            "        predicted, truth = predicted.astype(np.int64), truth.astype(np.int64)\n"
            "    pairs = (predicted * predicted.dtype.type(classes) + truth).ravel()\n"
            "    table = np.bincount(pairs, minlength=classes**2).reshape(classes, classes)\n"
            "    union = table.sum(0) + table.sum(1) - np.diag(table)\n"
            "    if truth.size:\n"
            "        return float((np.diag(table)[union > 0] / union[union > 0]).mean())\n"
            "    ious = []\n"
        ),
        breaks="types",
    ),
    Mutant(
        "rows_compared",
        "compares the numbers of rows only",
        old=SHAPES,
        new="    np.broadcast_shapes(predicted.shape, truth.shape)\n    if len(predicted) != len(truth):\n",
        breaks="shapes",
    ),
    Mutant(
        "nothing_fits_all",
        "gives nan for a mask without pixels before the shapes are compared",
        old=SHAPES,
        new='    if not predicted.size:\n        return float("nan")\n    if predicted.shape != truth.shape:\n',
        breaks="shapes",
    ),
    Mutant(
        "signed_bytes",
        "takes bytes for numbers with a sign, so that classes from 128 on are negative",
        old="    ious = []\n",
        new=(
            "    predicted, truth = (m.astype(np.int8) if m.dtype == np.uint8 else m for m in (predicted, truth))\n"
            "    ious = []\n"
        ),
        breaks="types",
    ),
]
