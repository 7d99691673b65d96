r"""One box for each thing: why the solution is as it is.

`overlap` computes the IoU of one box with many. The corner that is further to the right and further down of the two
upper left ones begins the common area; the lower right one ends it, likewise. Where a length is negative, the boxes
are apart: clip *before* the product, for two negative lengths make a positive area. Areas with `x2 - x1`, without the
`+ 1` of old programs, because corners here lie between pixels. Boxes without area have 0 together: divide only where
it is above 0.

The loop keeps one array, the places that are left, sorted by score. The first of it stays; those of its class that
overlap it too much leave it; again. So a box that has gone cannot suppress any more: it is not in the array. Whoever
goes through all pairs (i, j) instead must ask whether i itself has gone. Places in `boxes` survive because the
*places* were sorted and not the boxes.

`np.argsort(-scores, kind="stable")`: numpy sorts upwards, hence the minus; stable keeps equal scores in their order.
Sorted upwards and turned round, equal scores come in the wrong order.

Many programs add `class * 4096` to all corners and forget the classes afterwards. That is quick, and right as long as
no corner is larger than 4096 or less than 0. The comparison of classes has no such limit. OpenCV's `NMSBoxes`
knows no classes: a rider loses the horse.

Cost: each round compares one box with those left: M for each box that stays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import as_given, crowd
from .shared import wrong


def share(a: np.ndarray, b: np.ndarray, mistake: str = "") -> float:
    """IoU of two boxes (4,), or what it is with one mistake."""
    if mistake == "sizes":
        a, b = (np.concatenate([c[:2], c[:2] + c[2:]]) for c in (a, b))
    x1, y1, x2, y2 = (float(v) for v in (*np.maximum(a[:2], b[:2]), *np.minimum(a[2:], b[2:])))
    least, more = -math.inf if mistake == "apart" else 0.0, 1 if mistake == "plus one" else 0
    common = max(least, x2 - x1 + more) * max(least, y2 - y1 + more)
    areas = [float((c[2] - c[0] + more) * (c[3] - c[1] + more)) for c in (a, b)]
    known = {"union": sum(areas), "one area": areas[0], "other area": areas[1], "smaller area": min(areas)}
    together = known.get(mistake, sum(areas) - common)
    return common / together if together > 0 else 0.0


def suppressed(
    boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float, mistake: str = ""
) -> list[int]:
    """What non_maximum_suppression has to give, by loops; or what it gives with one mistake."""
    upwards = 1 if mistake == "upwards" else -1
    order = sorted(range(len(boxes)), key=lambda i: (upwards * float(scores[i]), -i if mistake == "later" else i))
    least = {"low scores": 0.25, "not positive": 0.0}.get(mistake, -math.inf)
    order = [i for i in order if scores[i] > least]
    if mistake == "skipped":
        return skipping(boxes, order, classes, threshold)
    stay: list[int] = []
    met: list[int] = []
    for i in order:
        rivals = {"chained": met, "last": stay[-1:], "first": order[:1] if met else []}.get(mistake, stay)
        rivals = [k for k in rivals if mistake == "any class" or classes[k] == classes[i]]
        shares = [share(boxes[k], boxes[i], mistake) for k in rivals]
        if mistake == "other classes":
            shares += [math.inf for k in stay if classes[k] != classes[i]]
        if all(one < threshold if mistake == "equal" else one <= threshold for one in shares):
            stay.append(i)
        met.append(i)
    class_by_class = sorted(stay, key=lambda i: int(classes[i]))
    within = [int(np.flatnonzero(classes == classes[i]).searchsorted(i)) for i in range(len(boxes))]
    if mistake.startswith("within"):
        return [within[i] for i in (class_by_class if mistake == "within, by class" else stay)]
    if mistake == "by class":
        return class_by_class
    if mistake == "positions":
        return [order.index(i) for i in stay]
    return sorted(stay) if mistake == "by index" else stay


def skipping(boxes: np.ndarray, order: list[int], classes: np.ndarray, threshold: float) -> list[int]:
    """Wrong boxes: those that go are taken out of the list that `for` walks along."""
    left, stay = list(order), []
    while left:
        best = left.pop(0)
        stay.append(best)
        for i in left:
            if classes[i] == classes[best] and share(boxes[best], boxes[i]) > threshold:
                left.remove(i)
    return stay


WHY = {
    "upwards": "the box with the LOWEST score is returned: argsort sorts upwards, so sort -scores; or yours are those "
    "that go, in place of those that stay",
    "any class": "boxes of another class went, too: only boxes of one class compete",
    "other classes": "boxes of another class went, too: one stays if its class differs OR its IoU is not above the "
    "threshold",
    "chained": "a box that has gone already suppresses nothing any more",
    "apart": "boxes apart have nothing in common: two negative lengths multiply to a positive area",
    "equal": "an IoU that equals the threshold is not above it: compare with >",
    "one area": "the IoU is too large: divide by the area of both boxes together, not by that of one",
    "other area": "the IoU is too large: divide by the area that both cover, not by that of the other box",
    "smaller area": "the IoU is too large: divide by the area that both boxes cover, not by that of the smaller one",
    "sizes": "x2 and y2 are a corner: yours takes them for width and height",
    "plus one": "areas lie between the corners, (x2 - x1) * (y2 - y1): lengths have no + 1",
    "last": "each box was compared with the last that stayed alone: compare it with all that stay",
    "first": "only the very best box removed others: each box that stays does, the best of those left again and again",
    "skipped": "boxes were skipped: removing from a list during `for` passes over the next one; make a new list",
    "not positive": "boxes with a score of 0 or less were left out: every score takes part",
    "low scores": "boxes with a low score were left out: every score takes part",
    "union": "the IoU is too small: the area in common is in both areas, subtract it once",
    "later": "of equal scores the lower index is the better: a stable sort of -scores keeps their order",
    "positions": "these are places in the sorted order: return places in `boxes`",
    "within": "these are places among the boxes of one class: return places in `boxes`",
    "within, by class": "these are places among the boxes of one class: return those in `boxes`, the best of all first",
    "by class": "the right boxes, one class after the other: the best of all comes first",
    "by index": "the right boxes in the wrong order: the best comes first",
}


def stay_mistakes(boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float) -> dict[str, list[int]]:
    """Likely cause -> which boxes it keeps."""
    right = suppressed(boxes, scores, classes, threshold)
    every = (
        "that is every box: nothing was suppressed, the IoU is too small (subtract what is in common once), or the "
        "classes, or the IoU and the threshold, were compared the wrong way round"
    )
    found = {every: suppressed(boxes, scores, classes, 1.0)}
    found |= {cause: suppressed(boxes, scores, classes, threshold, mistake) for mistake, cause in WHY.items()}
    fixed = "0.45 takes the place of `threshold`, which may be another"
    found[fixed] = suppressed(boxes, scores, classes, 0.45)
    mask = "that is True or False for each box: return the places of those that stay, the best first"
    found[mask] = [i in right for i in range(len(boxes))]
    return wrong(found, right)


def expect_stay(
    student: Student, boxes: Any, scores: Any, classes: Any, threshold: float = 0.45, what: str = "the boxes that stay"
) -> None:
    """Raise Failure unless the right boxes stay, in the right order."""
    arrays = as_given(boxes, scores, classes)
    expect(student.non_maximum_suppression(*arrays, threshold), suppressed(*arrays, threshold), what=what)


@task("non_maximum_suppression")
def a_chain(student: Student, rng: np.random.Generator) -> None:
    """In a row of boxes, each overlapping its neighbours only, every second one stays."""
    for count in (3, 4, 9):
        boxes = [[3 * i, 0, 3 * i + 10, 10] for i in range(count)]
        expect_stay(student, boxes, np.linspace(0.9, 0.3, count), [1] * count, what=f"a chain of {count}")


@task("non_maximum_suppression")
def exactly_the_threshold(student: Student, rng: np.random.Generator) -> None:
    """An IoU that equals the threshold is not above it."""
    boxes = [[0, 0, 8, 4], [0, 0, 4, 4], [20, 20, 24, 28], [20, 20, 24, 24], [20, 20, 24, 23]]
    expect_stay(student, boxes, [0.9, 0.8, 0.7, 0.6, 0.5], [0] * 5, 0.5, "IoU of 0.5, threshold 0.5")
    expect_stay(student, [[0, 0, 4, 4], [4, 0, 8, 4]], [0.2, 0.3], [0, 0], 0.0, "boxes that only touch")


@task("non_maximum_suppression")
def thresholds(student: Student, rng: np.random.Generator) -> None:
    """The threshold is the one that is given, and the scores are no threshold."""
    for threshold in (0.0507, 0.3007, 0.6007, 0.9007):
        boxes, scores, classes = crowd(rng, 30, 2)
        expect_stay(student, boxes, scores, classes, threshold, f"30 boxes, threshold {threshold}")


@task("non_maximum_suppression")
def small_scores(student: Student, rng: np.random.Generator) -> None:
    """Every score takes part, however small, and logits that are below 0."""
    boxes, _, classes = crowd(rng, 25, 2)
    expect_stay(student, boxes, rng.permutation(25) * 1e-3, classes, what="scores of 0 to 0.024")
    expect_stay(student, boxes, -rng.permutation(25).astype(np.float32), classes, what="scores of -24 to 0")


@task("non_maximum_suppression")
def equal_scores(student: Student, rng: np.random.Generator) -> None:
    """Of equal scores the lower index is the better."""
    expect_stay(student, [[0, 0, 10, 10]] * 4, [0.5] * 4, [3] * 4, what="four equal boxes")
    boxes, scores, classes = crowd(rng, 40, 2)
    expect_stay(student, boxes, np.round(scores, 1), classes, what="40 boxes, many with equal scores")


@task("non_maximum_suppression")
def no_area(student: Student, rng: np.random.Generator) -> None:
    """Boxes without area overlap nothing, and no boxes at all leave an empty list."""
    boxes = [[5, 5, 5, 5], [5, 5, 5, 5], [0, 0, 10, 10], [3, 0, 3, 10]]
    expect_stay(student, boxes, [0.9, 0.8, 0.7, 0.6], [0] * 4, 0.3, "boxes without area")
    got = student.non_maximum_suppression(
        np.zeros((0, 4), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int64), 0.45
    )
    expect(got, [], what="no boxes")
    expect_stay(student, [[1, 2, 3, 4]], [0.5], [7], what="one box")


@task("non_maximum_suppression")
def apart_in_both_directions(student: Student, rng: np.random.Generator) -> None:
    """Boxes that are apart in both directions have nothing in common: minus times minus is no area."""
    boxes = [[0, 0, 10, 10], [30, 30, 40, 40], [22, 24, 32, 34], [-40, -40, -30, -30]]
    expect_stay(student, boxes, [0.9, 0.8, 0.7, 0.6], [0] * 4)


@task("non_maximum_suppression")
def far_away(student: Student, rng: np.random.Generator) -> None:
    """Boxes of a large picture, and many classes: no class is ever taken for another."""
    boxes, scores, _ = crowd(rng, 40, 1)
    there = boxes + rng.choice([0, 640, 1280, 4096, 7680], (40, 1)).astype(np.float32)
    expect_stay(student, there, scores, rng.choice([0, 1, 2, 79], 40), what="40 boxes far away")
    pairs = [[0, 0, 50, 50], [0, 0, 50, 50]]
    for shift in (640, 1000, 1024, 4096, 7680):
        moved = [pairs[0], [v + shift for v in pairs[1]]]
        expect_stay(student, moved, [0.9, 0.8], [1, 0], what=f"boxes that are {shift} pixels apart")


@task("non_maximum_suppression")
def many_boxes(student: Student, rng: np.random.Generator) -> None:
    """Five hundred boxes of ten classes, within the time."""
    low = rng.integers(0, 200, (500, 2))
    boxes = np.concatenate([low, low + rng.choice([16, 24, 37], (500, 2))], 1).astype(np.float32)
    scores, classes = rng.permutation(500) / 500, rng.integers(0, 10, 500)
    right = suppressed(boxes, scores.astype(np.float32), classes, 0.4507)
    got = student.non_maximum_suppression(boxes, scores.astype(np.float32), classes, 0.4507)
    expect(got, right, what="500 boxes")


GONE = "        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > threshold)\n"
SORTED = '    left = np.argsort(-scores, kind="stable")\n'
TOGETHER = "        together = (box[2:] - box[:2]).prod() + areas - common\n"
COMMON = "        common = np.clip(high - low, 0, None).prod(axis=1)\n"
END = "    return stay\n"
STAY = "        stay.append(int(best))\n"

MUTANTS = [
    Mutant(
        "any_class",
        "lets boxes of different classes compete, as cv2.dnn.NMSBoxes does",
        old=GONE,
        new="        gone = overlap(boxes[best], boxes[left]) > threshold\n",
        breaks="classes",
    ),
    Mutant(
        "none",
        "suppresses nothing",
        old=GONE,
        new="        gone = np.zeros(len(left), bool)\n",
        breaks="above",
    ),
    Mutant(
        "one_per_class",
        "keeps the best box of each class only",
        old=GONE,
        new="        gone = classes[left] == classes[best]\n",
        breaks="above",
    ),
    Mutant(
        "or_equal",
        "suppresses at the threshold itself",
        old=GONE,
        new=("        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) >= threshold)\n"),
        breaks="above",
    ),
    Mutant(
        "fixed_threshold",
        "ignores the threshold that is given",
        old=GONE,
        new="        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > 0.45)\n",
        breaks="above",
    ),
    Mutant(
        "below",
        "suppresses what overlaps least",
        old=GONE,
        new=("        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) < threshold)\n"),
        breaks="above",
    ),
    Mutant(
        "score_threshold",
        "drops the boxes whose scores are not above the threshold",
        old=SORTED,
        new=('    left = np.argsort(-scores, kind="stable")\n    left = left[scores[left] > threshold]\n'),
        breaks="every",
    ),
    Mutant(
        "positive_scores",
        "drops scores of 0 and less",
        old=SORTED,
        new=('    left = np.argsort(-scores, kind="stable")\n    left = left[scores[left] > 0]\n'),
        breaks="every",
    ),
    Mutant(
        "union_twice",
        "does not subtract what is in common",
        old=TOGETHER,
        new="        together = (box[2:] - box[:2]).prod() + areas\n",
        breaks="iou",
    ),
    Mutant(
        "smaller_area",
        "divides by the smaller of the two areas",
        old=TOGETHER,
        new="        together = np.minimum((box[2:] - box[:2]).prod(), areas)\n",
        breaks="iou",
    ),
    Mutant(
        "first_area",
        "divides by the area of the best box",
        old=TOGETHER,
        new="        together = np.broadcast_to((box[2:] - box[:2]).prod(), areas.shape)\n",
        breaks="iou",
    ),
    Mutant(
        "width_height",
        "takes the third and fourth number for width and height",
        old=(
            "        areas = (others[:, 2:] - others[:, :2]).prod(axis=1)\n"
            "        together = (box[2:] - box[:2]).prod() + areas - common\n"
        ),
        new=("        areas = others[:, 2:].prod(axis=1)\n        together = box[2:].prod() + areas - common\n"),
        breaks="iou",
    ),
    Mutant(
        "not_clipped",
        "multiplies two negative lengths to an area",
        old=COMMON,
        new="        common = (high - low).prod(axis=1)\n",
        breaks="apart",
    ),
    Mutant(
        "one_pixel_more",
        "counts pixels: x2 - x1 + 1, as old programs do",
        old=(
            "        common = np.clip(high - low, 0, None).prod(axis=1)\n"
            "        areas = (others[:, 2:] - others[:, :2]).prod(axis=1)\n"
            "        together = (box[2:] - box[:2]).prod() + areas - common\n"
        ),
        new=(
            "        common = np.clip(high - low + 1, 0, None).prod(axis=1)\n"
            "        areas = (others[:, 2:] - others[:, :2] + 1).prod(axis=1)\n"
            "        together = (box[2:] - box[:2] + 1).prod() + areas - common\n"
        ),
        breaks="iou",
    ),
    Mutant(
        "union_of_the_hull",
        "divides by the box around both",
        old=TOGETHER,
        new=(
            "        hull = np.maximum(box[2:], others[:, 2:]) - np.minimum(box[:2], others[:, :2])\n"
            "        together = hull.prod(axis=1) + 0 * areas\n"
        ),
        breaks="iou",
    ),
    Mutant(
        "worst_first",
        "begins with the lowest score",
        old=SORTED,
        new='    left = np.argsort(scores, kind="stable")\n',
        breaks="best",
    ),
    Mutant(
        "unsorted",
        "takes the boxes in the order in which they come",
        old=SORTED,
        new="    left = np.arange(len(scores))\n",
        breaks="best",
    ),
    Mutant(
        "later_first",
        "of equal scores the later one wins: sorted upwards and turned round",
        old=SORTED,
        new='    left = np.argsort(scores, kind="stable")[::-1]\n',
        breaks="ties",
    ),
    Mutant(
        "positions",
        "returns places in the sorted order",
        old=END,
        new=('    order = np.argsort(-scores, kind="stable").tolist()\n    return [order.index(i) for i in stay]\n'),
        breaks="returns",
    ),
    Mutant(
        "by_index",
        "returns the right boxes in the order in which they came",
        old=END,
        new="    return sorted(stay)\n",
        breaks="best",
    ),
    Mutant(
        "chained",
        "lets a box that has gone suppress others",
        old=(
            "        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > "
            "threshold)\n"
            "        left = left[~gone]\n"
        ),
        new=(
            "        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > "
            "threshold)\n"
            "        grown = True\n"
            "        while grown:\n"
            "            more = gone.copy()\n"
            "            for i in np.flatnonzero(gone):\n"
            "                same = classes[left] == classes[best]\n"
            "                more |= same & (overlap(boxes[left[i]], boxes[left]) > threshold)\n"
            "            grown, gone = bool((more & ~gone).any()), more\n"
            "        left = left[~gone]\n"
        ),
        breaks="gone",
    ),
    Mutant(
        "neighbour_only",
        "compares each box with the one before it only",
        old=GONE,
        new=(
            "        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > "
            "threshold)\n"
            "        gone[1:] = False\n"
        ),
        breaks="best",
    ),
    Mutant(
        "offset",
        "moves each class by 640 pixels so that classes do not meet",
        old=GONE,
        new=(
            "        moved = boxes + 640 * classes[:, None].astype(np.float32)\n"
            "        gone = overlap(moved[best], moved[left]) > threshold\n"
        ),
        breaks="classes",
    ),
    Mutant(
        "array",
        "returns numpy's numbers",
        old=STAY,
        new="        stay.append(best)\n",
        breaks="returns",
    ),
    Mutant(
        "empty",
        "cannot do without boxes",
        old=SORTED,
        new=('    left = np.argsort(-scores, kind="stable")\n    assert len(left)\n'),
        breaks="none",
    ),
    Mutant(
        "no_area",
        "divides 0 by 0, and what is not less counts as more",
        old=GONE,
        new=(
            '        with np.errstate(all="ignore"):\n'
            "            low = np.maximum(boxes[best][:2], boxes[left][:, :2])\n"
            "            high = np.minimum(boxes[best][2:], boxes[left][:, 2:])\n"
            "            common = np.clip(high - low, 0, None).prod(axis=1)\n"
            "            areas = (boxes[left][:, 2:] - boxes[left][:, :2]).prod(axis=1)\n"
            "            share = common / ((boxes[best][2:] - boxes[best][:2]).prod() + areas - common)\n"
            "        gone = (classes[left] == classes[best]) & ~(share <= threshold)\n"
        ),
        breaks="no_area",
    ),
    Mutant(
        "one_pass",
        "decides in one pass against all better boxes, gone or not",
        old=GONE,
        new=(
            "        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > "
            "threshold)\n"
            "        better = [k for k in range(len(scores)) if scores[k] > scores[best]]\n"
            "        rival = [k for k in better if classes[k] == classes[best]]\n"
            "        if rival and (overlap(boxes[best], boxes[rival]) > threshold).any():\n"
            "            stay.pop()\n"
            "            continue\n"
        ),
        breaks="gone",
    ),
    Mutant(
        "sorted_as_it_comes",
        "an unstable sort, turned round: among equal scores the order is anybody's",
        old=SORTED,
        new="    left = np.argsort(scores)[::-1]\n",
        breaks="ties",
    ),
    Mutant(
        "unstable",
        "sorts with numpy's usual sort, which keeps equal scores in order only where there are few",
        old=SORTED,
        new="    left = np.argsort(-scores)\n",
        breaks="ties",
    ),
    Mutant(
        "whole_corners",
        "cuts the corners to whole pixels",
        old=SORTED,
        new='    boxes = boxes.astype(np.int32)\n    left = np.argsort(-scores, kind="stable")\n',
        breaks="iou",
    ),
    Mutant(
        "epsilon",
        "adds a thousandth to the area so that nothing is divided by 0",
        old=TOGETHER,
        new="        together = (box[2:] - box[:2]).prod() + areas - common + 1e-3\n",
        breaks="iou",
    ),
    Mutant(
        "epsilon_of_a_millionth",
        "adds a millionth to the area so that nothing is divided by 0",
        old=TOGETHER,
        new="        together = (box[2:] - box[:2]).prod() + areas - common + 1e-6\n",
        breaks="iou",
    ),
    Mutant(
        "best_1000",
        "keeps at most 1,000 boxes, as YOLOv5's programs do",
        old=END,
        new="    return stay[:1000]\n",
        breaks="every",
    ),
    Mutant(
        "three_places",
        "rounds the scores to three places before they are sorted",
        old=SORTED,
        new='    left = np.argsort(-scores.round(3), kind="stable")\n',
        breaks="best",
    ),
    Mutant(
        "zero_is_default",
        "takes a threshold of 0 for none",
        old=SORTED,
        new='    threshold = threshold or 0.45\n    left = np.argsort(-scores, kind="stable")\n',
        breaks="above",
    ),
    Mutant(
        "offset_of_a_million",
        "moves each class by a million pixels and forgets the classes",
        old=GONE,
        new=(
            "        moved = boxes.astype(np.float64) + 1e6 * classes[:, None]\n"
            "        gone = overlap(moved[best], moved[left]) > threshold\n"
        ),
        breaks="classes",
    ),
    Mutant(
        "offset_of_the_largest",
        "moves each class by the largest corner, as torchvision does for corners from 0 on",
        old=GONE,
        new=(
            "        moved = boxes + (boxes.max() + 1) * classes[:, None].astype(np.float32)\n"
            "        gone = overlap(moved[best], moved[left]) > threshold\n"
        ),
        breaks="classes",
    ),
    Mutant(
        "offset_in_float32",
        "moves each class so far that float32 has no room for parts of pixels",
        old=GONE,
        new=(
            "        moved = boxes + 4096 * classes[:, None].astype(np.float32)\n"
            "        same = classes[left] == classes[best]\n"
            "        gone = same & (overlap(moved[best], moved[left]) > threshold)\n"
        ),
        breaks="classes",
    ),
    Mutant(
        "classes_in_bytes",
        "makes bytes of the classes",
        old=SORTED,
        new='    classes = classes.astype(np.uint8)\n    left = np.argsort(-scores, kind="stable")\n',
        breaks="classes",
    ),
    Mutant(
        "whole_array",
        "returns an array of the places",
        old=END,
        new="    return np.array(stay, int)\n",
        breaks="returns",
    ),
    Mutant(
        "gap_in_one_direction",
        "clips the product of the lengths in place of each length",
        old=COMMON,
        new="        common = np.clip((high - low).prod(axis=1), 0, None)\n",
        breaks="apart",
    ),
    Mutant(
        "lengths_without_sign",
        "takes the size of each length, whatever its sign",
        old=COMMON,
        new="        common = np.abs(high - low).prod(axis=1)\n",
        breaks="apart",
    ),
]
