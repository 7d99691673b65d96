"""Public tests of lesson 9: a picture in a detector's canvas, its numbers as boxes, one box for each thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, likely, task

GREY = 114
NAMES = ("canvas", "scale", "top", "left")
LETTERBOX_ERRORS = {
    "ZeroDivisionError": "nothing was left of a thin picture: each side of the new size is at least 1",
    ",0,3)": "the block is empty: a slice that ends at -0 ends at 0, so write left : left + new width",
    "into shape (0,": "the block is empty: a slice that ends at -0 ends at 0, so write top : top + new height",
    "from shape (64,85,3)": "85 columns do not fit into 64: the SMALLER of height / H and width / W is the scale",
    "from shape (64,48,3) into shape (48,64,3)": "resize_picture takes the height first, then the width",
    "broadcast": "the picture does not fit into its block of the canvas: take the smaller of the scales height / H "
    "and width / W, and make the block as large as the resized picture, new height x new width; "
    "resize_picture takes the height first",
    "slice indices": "top and left are halves: whole numbers come from //",
}


def pixels(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """A picture of noise."""
    return rng.integers(0, 256, (height, width, 3), np.uint8)


def expect_boxed(student: Student, oracle: Any, image: np.ndarray, height: int, width: int) -> None:
    """Raise Failure unless letterbox gives canvas, scale, top and left as it should."""
    expect_four(student, oracle, image, (height, width), oracle.boxed(image, height, width))


def expect_moved(student: Student, oracle: Any, image: np.ndarray, side: int, top: int, left: int) -> None:
    """Raise Failure unless an image that needs no resizing stands at row `top` and column `left` of a square canvas."""
    height, width = image.shape[:2]
    canvas = np.full((side, side, 3), GREY, np.uint8)
    canvas[top : top + height, left : left + width] = image
    expect_four(student, oracle, image, (side, side), (canvas, 1.0, top, left))


def expect_four(student: Student, oracle: Any, image: np.ndarray, size: tuple[int, int], expected: Any) -> None:
    """Raise Failure unless letterbox gives these four for a canvas of this size."""
    with likely(LETTERBOX_ERRORS):
        got = student.letterbox(image, *size)
    what = f"a picture of {image.shape[0]}x{image.shape[1]} in {size[0]}x{size[1]}"
    mistakes, numbers = oracle.letterbox_mistakes(image, *size), oracle.numbers_mistakes(image, *size)
    try:
        expect(got, expected, rtol=1e-9, what=what, names=NAMES, mistakes=mistakes)
    except Failure as failure:
        if isinstance(got, np.ndarray):
            failure.cause = "return four things: canvas, scale, top, left"
        elif isinstance(got, tuple) and np.array_equal(got[0], expected[0]) and type(got[1]) is int:
            failure.cause = "a 1 in min(1, ...), or //, makes the scale a whole number: min(height / H, width / W)"
        elif failure.cause is None and np.array_equal(got[0], expected[0]):
            failure.cause = cause_of(got[1:], expected[1:], numbers)
        raise


def cause_of(got: Any, expected: Any, mistakes: Mapping[str, Any]) -> str | None:
    """The likely cause that `expect` names."""
    try:
        expect(got, expected, rtol=1e-9, mistakes=mistakes)
    except Failure as failure:
        return failure.cause
    return None


@task("letterbox", "scale", "resizing", "middle", "grey", "returns", "dtype")
def a_picture_that_is_as_wide_as_the_canvas(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A picture of 48x64 keeps its size in 64x64, and has 8 grey rows above and below."""
    expect_moved(student, oracle, pixels(rng, 48, 64), 64, 8, 0)


@task("letterbox", "middle", "scale", "resizing", "grey", "returns", "dtype")
def an_odd_pixel(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """If a bar has an odd number of pixels, the wider half is below, or at the right."""
    expect_moved(student, oracle, pixels(rng, 11, 16), 16, 2, 0)
    expect_moved(student, oracle, pixels(rng, 16, 9), 16, 0, 3)


@task("letterbox", "scale", "size", "resizing", "middle", "grey", "returns", "dtype")
def larger_and_smaller(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A small picture grows and a large one shrinks until it touches two sides of the canvas."""
    expect_boxed(student, oracle, pixels(rng, 3, 4), 8, 8)
    expect_boxed(student, oracle, pixels(rng, 12, 9), 4, 4)


@task("letterbox", "scale", "size", "resizing", "middle", "grey", "returns", "dtype")
def canvases_that_are_not_square(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The canvas may be wide or high: which side the picture touches depends on both."""
    expect_boxed(student, oracle, pixels(rng, 10, 15), 4, 10)
    expect_boxed(student, oracle, pixels(rng, 15, 10), 10, 4)


@task("letterbox", "size", "scale", "resizing", "middle", "grey", "returns", "dtype")
def the_new_size_is_rounded(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """3.56 columns, or rows, become 4, and 6.22 become 6; 2.5 become 2, as Python rounds."""
    for height, width in ((9, 4), (4, 9), (9, 7), (7, 9), (16, 5), (5, 16)):
        expect_boxed(student, oracle, pixels(rng, height, width), 8, 8)


@task("letterbox", "least", "scale", "resizing", "middle", "grey", "returns", "dtype")
def thin_pictures(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A picture of 1x2000 keeps one row, and one of 300x2 a column."""
    expect_boxed(student, oracle, pixels(rng, 1, 2000), 6, 6)
    expect_boxed(student, oracle, pixels(rng, 300, 2), 6, 6)


DECODE_ERRORS = {
    "(4,1)": "there are h rows and w columns: i comes from np.arange(h)[:, None], and j from np.arange(w)",
    "broadcast": "shapes do not line up: beside (A, h, w, 2) anchors need (A, 1, 1, 2), cells (h, w, 2); "
    "transpose(0, 2, 3, 1) gives (A, h, w, 5+K), transpose(0, 3, 2, 1) exchanges h and w",
    "cannot reshape": "A is len(anchors), and raw.shape[0] // A channels belong to each: neither is always the same",
}


def expect_rows(student: Student, oracle: Any, raw: np.ndarray, anchors: np.ndarray, stride: int, what: str) -> None:
    """Raise Failure unless decode gives the right rows."""
    with likely(DECODE_ERRORS):
        got = student.decode(raw, anchors, stride)
    expected, mistakes = oracle.slow_rows(raw, anchors, stride), oracle.rows_mistakes(raw, anchors, stride)
    expect(got, expected, rtol=1e-4, atol=1e-3, what=what, mistakes=mistakes)


def random_anchors(rng: np.random.Generator, kinds: int) -> np.ndarray:
    """(A, 2) widths and heights, no two alike."""
    return rng.permutation(np.arange(10, 10 + 16 * kinds, 4))[: 2 * kinds].reshape(kinds, 2).astype(np.float32)


def random_head(rng: np.random.Generator, kinds: int, classes: int, height: int, width: int) -> np.ndarray:
    """(A*(5+K), h, w) numbers as a convolution gives them."""
    return rng.normal(0, 1.5, (kinds * (5 + classes), height, width)).astype(np.float32)


@task("decode", "centre", "extent", "scores", "rows", "dtype")
def zeros_are_the_anchors(student: Student, oracle: Any) -> None:
    """Where the convolution gives 0, the box is the anchor, in the middle of its cell."""
    raw, anchors = np.zeros((3 * 15, 2, 4), np.float32), np.array([[11, 16], [15, 22], [21, 29]], np.float32)
    with likely(DECODE_ERRORS):
        got = student.decode(raw, anchors, 8)
    middles = [(4, 4), (12, 4), (20, 4), (28, 4), (4, 12), (12, 12), (20, 12), (28, 12)]
    rows = [[*middle, *anchor, *[0.5] * 11] for anchor in anchors.tolist() for middle in middles]
    mistakes = oracle.rows_mistakes(raw, anchors, 8)
    expect(got, np.array(rows, np.float32), rtol=1e-4, atol=1e-3, what="three anchors, 2x4 cells", mistakes=mistakes)


@task("decode", "centre", "extent", "scores", "rows", "channels", "dtype")
def one_anchor(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One anchor, 2x3 cells: centres in pixels, widths and heights by the square, the rest by the sigmoid. One cell."""
    for height, width in ((2, 3), (1, 1)):
        what = f"one anchor, two classes, {height}x{width} cells"
        expect_rows(student, oracle, random_head(rng, 1, 2, height, width), random_anchors(rng, 1), 16, what)


@task("decode", "channels", "rows", "centre", "extent", "scores", "dtype")
def three_anchors(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three anchors: each has its own third of the channels, and its own width and height."""
    what = "three anchors, two classes, 3x2 cells"
    expect_rows(student, oracle, random_head(rng, 3, 2, 3, 2), random_anchors(rng, 3), 32, what)


@task("decode", "scores", "centre", "extent", "channels", "rows", "dtype")
def one_class_and_large_numbers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With one class a row has six numbers; 8 and -8 are near the sigmoid's ends, and not yet there."""
    raw = rng.choice(np.array([-8, -1, 1, 8], np.float32), (2 * 6, 2, 3))
    expect_rows(student, oracle, raw, random_anchors(rng, 2), 16, "two anchors, one class, 2x3 cells")


NO_AREA = {"ZeroDivisionError": "two boxes without area cover nothing together: their IoU is 0, without a division"}
NO_BOX = {"Error": "there may be no box at all: then the answer is []"}
ENDLESS = "does the loop take the box that stays out of those left? Without an area its IoU with itself is 0"
LESSON = [[20, 20, 60, 80], [24, 24, 64, 84], [36, 24, 76, 84], [100, 30, 140, 90], [104, 32, 144, 96]]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5]
"""The five boxes of the lesson: 1 lies too close to 0 and to 2, which may stay both; 4 lies too close to 3."""


def as_given(boxes: Any, scores: Any, classes: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boxes, scores and classes as the arrays that a detector has."""
    return np.asarray(boxes, np.float32).reshape(-1, 4), np.asarray(scores, np.float32), np.asarray(classes, np.int64)


def crowd(rng: np.random.Generator, count: int, classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boxes in clusters, scores, classes; all scores differ. Corners are whole, so that 0.4507 is nobody's IoU."""
    boxes: list[np.ndarray] = []
    for _ in range(count):
        near = boxes[int(rng.integers(len(boxes)))] if boxes and rng.random() < 0.6 else None
        low = rng.integers(-10, 60, 2) if near is None else near[:2] + rng.integers(-6, 7, 2)
        boxes.append(np.concatenate([low, low + rng.integers(8, 30, 2)]))
    return as_given(np.stack(boxes), rng.permutation(np.linspace(0.05, 0.95, count)), rng.integers(0, classes, count))


def expect_stay(
    student: Student,
    oracle: Any,
    boxes: Any,
    scores: Any,
    classes: Any,
    *,
    stay: list[int] | None = None,
    threshold: float = 0.45,
    what: str = "the boxes that stay",
    mistakes: Mapping[str, list[int]] | None = None,
) -> None:
    """Raise Failure unless the right boxes stay, in the right order.

    stay, mistakes : these boxes, and what comes of likely causes, where the test knows them better than the oracle.
    """
    arrays = as_given(boxes, scores, classes)
    with likely(NO_AREA if len(boxes) else NO_BOX, timeout=ENDLESS):
        got = student.non_maximum_suppression(*arrays, threshold)
    right = oracle.suppressed(*arrays, threshold) if stay is None else stay
    alike = isinstance(got, (list, np.ndarray)) and np.ndim(got) == 1 and len(got) == len(right)
    names = [f"number {i} that stays" for i in range(1, len(right) + 1)] if alike else ()
    try:
        expect(got, right, what=what, names=names, mistakes=mistakes or oracle.stay_mistakes(*arrays, threshold))
    except Failure as failure:
        if isinstance(got, np.ndarray) and got.ndim == 2:
            failure.cause = "these are the boxes themselves: return their places in `boxes`, a list of plain ints"
        elif failure.of_type and isinstance(got, np.ndarray):
            failure.cause = "return a list of plain ints: .tolist() makes one of an array"
        raise


@task("non_maximum_suppression", "iou", "above", "best", "returns")
def two_boxes(student: Student, oracle: Any) -> None:
    """An IoU of 0.72 is above 0.45, and one of 0.39 is not; what stays is named by its place, the best score first."""
    expect_stay(student, oracle, LESSON[:2], [0.9, 0.8], [8, 8], stay=[0], what="boxes 0 and 1 of the lesson")
    alone = (
        "both stay, for their IoU is 0.39: print yours. Is it computed from corners, from the larger x1 to the smaller "
        "x2, and so for y? Is what is in common divided by the area that both boxes cover together, and does only a "
        "box whose IoU is above the threshold go?"
    )
    what = "boxes 0 and 2 of the lesson"
    expect_stay(student, oracle, LESSON[:3:2], [0.9, 0.7], [8, 8], stay=[0, 1], what=what, mistakes={alone: [0]})
    boxes, what = [[20 * i, 0, 20 * i + 10, 10] for i in range(3)], "three boxes apart, scores 0.5, 0.9, 0.7"
    sided = "in common is what lies from the LARGER x1 to the SMALLER x2, whichever box they come from; and so for y"
    places = {
        sided: [1, 2],
        "the places count in `boxes` as given, and the best comes first: yours are places in the sorted boxes (then "
        "take order[k]), or were sorted themselves": [0, 1, 2],
        "boxes that are apart have nothing in common: a length below 0 becomes 0, and abs makes an overlap of it": [1],
        "the lowest score comes first: argsort sorts upwards, so sort -scores": [0, 2, 1],
    }
    expect_stay(student, oracle, boxes, [0.5, 0.9, 0.7], [7] * 3, stay=[1, 2, 0], what=what, mistakes=places)
    what = "boxes 0 and 2 of the lesson, and 2, which lies to the right and below, is the better"
    expect_stay(student, oracle, LESSON[:3:2], [0.7, 0.9], [8, 8], stay=[1, 0], what=what, mistakes={sided: [1]})


@task("non_maximum_suppression", "gone", "above", "iou", "best", "returns")
def the_boxes_of_the_lesson(student: Student, oracle: Any) -> None:
    """Of the lesson's five boxes 0, 2 and 3 stay: 1 has gone when 2 has its turn."""
    expect_stay(student, oracle, LESSON, SCORES, [8, 8, 8, 8, 8], stay=[0, 2, 3])


@task("non_maximum_suppression", "classes", "best", "above", "iou", "returns")
def classes_do_not_compete(student: Student, oracle: Any) -> None:
    """Two boxes in the same place stay both when their classes differ, and so do boxes far apart."""
    expect_stay(student, oracle, LESSON, SCORES, [8, 3, 3, 8, 3], stay=[0, 1, 3, 4])
    expect_stay(student, oracle, [[0, 0, 10, 10]] * 3, [0.5, 0.7, 0.6], [2, 1, 2], stay=[1, 2])
    moved = {"classes that are moved apart can meet other boxes there: compare the classes of two boxes instead": [0]}
    for shift in (640, 1000, 1024, 4096, 7680, 10_000, 100_000, 1_000_000):
        boxes, what = [[0, 0, 50, 50], [shift, shift, shift + 50, shift + 50]], f"boxes {shift} pixels apart"
        expect_stay(student, oracle, boxes, [0.9, 0.8], [1, 0], stay=[0, 1], what=what, mistakes=moved)


@task("non_maximum_suppression", "classes", "best", "above", "iou", "returns")
def no_class_is_taken_for_another(student: Student, oracle: Any) -> None:
    """Corners may be negative and class numbers large: moving each class away from the others goes wrong."""
    boxes, what = [[40, 40, 60, 60], [-21, -21, -1, -1]], "a box below 0 of class 1"
    moved = {"classes that are moved apart can meet other boxes there: compare the classes of two boxes instead": [0]}
    expect_stay(student, oracle, boxes, [0.9, 0.8], [0, 1], stay=[0, 1], what=what, mistakes=moved)
    for other in (256, 1000, 65_536):
        what = f"classes 0 and {other}"
        expect_stay(student, oracle, [[3, 3, 9, 9]] * 2, [0.9, 0.8], [0, other], stay=[0, 1], what=what)
    boxes, what = [[0.25, 0.25, 1.25, 1.25], [0.25, 0.25, 0.95, 1.25]], "two boxes of class 5000 with an IoU of 0.7"
    cause = "the IoU of small boxes is wrong: lengths have no + 1, and far from 0 float32 loses the parts of a pixel"
    expect_stay(student, oracle, boxes, [0.9, 0.8], [5000, 5000], stay=[0], what=what, mistakes={cause: [0, 1]})


@task("non_maximum_suppression", "returns", "best", "gone", "above", "iou")
def best_first(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The boxes come in no order; the answer is their places, the best first. A score of 0.80002 is above 0.80001."""
    order = rng.permutation(5)
    while order[0] in (0, 1) or order[1] == 1 or np.all(np.diff(order) < 0):
        order = rng.permutation(5)
    boxes, scores, stay = np.array(LESSON)[order], np.array(SCORES)[order], [order.tolist().index(i) for i in (0, 2, 3)]
    expect_stay(student, oracle, boxes, scores, [7] * 5, stay=stay, what="the lesson's boxes in another order")
    rounded = {"the scores were rounded before they were compared: take them as they are": [0]}
    what = "scores of 0.80001 and 0.80002"
    expect_stay(student, oracle, LESSON[:2], [0.80001, 0.80002], [7, 7], stay=[1], what=what, mistakes=rounded)


@task("non_maximum_suppression", "apart", "best", "above", "iou", "returns")
def boxes_apart_in_both_directions(student: Student, oracle: Any) -> None:
    """Boxes that are apart to the right and below have nothing in common: minus times minus is no area."""
    two, what = [[0, 0, 10, 10], [20, 20, 30, 30]], "two boxes apart"
    expect_stay(student, oracle, two, [0.9, 0.8], [0, 0], stay=[0, 1], what=what)
    boxes = [[0, 0, 10, 10], [20, 20, 30, 30], [40, 0, 50, 10], [-19, -19, -9, -9]]
    expect_stay(student, oracle, boxes, [0.9, 0.8, 0.7, 0.6], [0] * 4, stay=[0, 1, 2, 3])


@task("non_maximum_suppression", "best", "above", "gone", "classes", "iou", "apart", "every", "returns")
def a_crowd(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Forty boxes of three classes in clusters, with a low threshold and with higher ones."""
    for threshold in (0.2507, 0.4507, 0.7007):
        expect_stay(student, oracle, *crowd(rng, 40, 3), threshold=threshold, what=f"40 boxes, threshold {threshold}")


@task("non_maximum_suppression", "iou", "best", "above", "gone", "classes", "apart", "every", "returns")
def parts_of_a_pixel(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Corners are real numbers: boxes of a few pixels, and boxes that are smaller than one."""
    boxes, scores, classes = crowd(rng, 30, 2)
    expect_stay(student, oracle, boxes / 4, scores, classes, threshold=0.3007, what="corners in quarters of a pixel")
    boxes, what = [[0, 0, 0.25, 0.25], [0, 0, 0.25, 0.1251]], "boxes of a quarter of a pixel with an IoU of 0.5004"
    cause = "the IoU of small boxes comes out too small: do not round it, and add nothing to lengths or areas"
    added = {cause: [0, 1]}
    expect_stay(student, oracle, boxes, [0.9, 0.8], [0, 0], stay=[0], threshold=0.5, what=what, mistakes=added)
    boxes, what = [[0, 0, 0.001, 0.001]] * 2, "two equal boxes of a thousandth of a pixel"
    expect_stay(student, oracle, boxes, [0.9, 0.8], [0, 0], stay=[0], threshold=0.6, what=what, mistakes=added)


@task("non_maximum_suppression", "above", "iou", "best", "returns")
def exactly_the_threshold(student: Student, oracle: Any) -> None:
    """Boxes that overlap by 0.5 stay both with a threshold of 0.5, and boxes that only touch with one of 0."""
    expect_stay(student, oracle, [[0, 0, 8, 4], [0, 0, 4, 4]], [0.9, 0.8], [0, 0], stay=[0, 1], threshold=0.5)
    expect_stay(student, oracle, [[0, 0, 4, 4], [4, 0, 8, 4]], [0.9, 0.8], [0, 0], stay=[0, 1], threshold=0.0)
    boxes, what = [[0, 0, 10, 10], [5, 0, 15, 10]], "an IoU of 1/3, threshold 0"
    default = {"a threshold of 0 is a threshold: `threshold or ...` takes it for none": [0, 1]}
    expect_stay(student, oracle, boxes, [0.9, 0.8], [0, 0], stay=[0], threshold=0.0, what=what, mistakes=default)
    boxes, what = [[0, 0, 20, 10], [0, 0, 19, 10]], "an IoU of 0.95, threshold 0.97"
    expect_stay(student, oracle, boxes, [0.9, 0.8], [0, 0], stay=[0, 1], threshold=0.97, what=what)


@task("non_maximum_suppression", "no_area", "iou", "best", "above", "returns")
def boxes_without_area(student: Student, oracle: Any) -> None:
    """Boxes that are points, in the same place, stay all of them."""
    undefined = {"0 / 0 is nan, and no comparison with nan is true: where there is no area, the IoU is 0": [0]}
    boxes, scores = [[5, 5, 5, 5]] * 3, [0.9, 0.8, 0.7]
    expect_stay(student, oracle, boxes, scores, [0] * 3, stay=[0, 1, 2], threshold=0.3, mistakes=undefined)


@task("non_maximum_suppression", "ties", "best", "above", "gone", "classes", "iou", "apart", "every", "returns")
def equal_scores(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Of equal scores the lower index is the better, also among eighty boxes: not every sort keeps their order."""
    boxes = [[0, 0, 10, 10], [0, 0, 10, 10], [50, 0, 60, 10], [50, 0, 60, 11]]
    expect_stay(student, oracle, boxes, [0.5] * 4, [3] * 4, stay=[0, 2], what="four boxes with one score")
    boxes, _, classes = crowd(rng, 80, 4)
    scores = rng.choice([0.25, 0.5, 0.75], 80)
    try:
        what = "80 boxes with three different scores"
        expect_stay(student, oracle, boxes, scores, classes, threshold=0.4507, what=what)
    except Failure as failure:
        failure.cause = failure.cause or 'argsort keeps the order of equal scores with kind="stable" only'
        raise


@task("non_maximum_suppression", "every", "best", "above", "iou", "returns")
def small_and_negative_scores(student: Student, oracle: Any) -> None:
    """Scores of 0.001, 0 and less take part like all others."""
    stay = [4, 0, 1, 2, 3]
    boxes = [[20 * i, 0, 20 * i + 10, 10] for i in range(5)]
    expect_stay(student, oracle, boxes, [0.001, 0.0, -0.5, -3000.0, 0.3], [1] * 5, stay=stay, what="boxes far apart")


@task("non_maximum_suppression", "none", "returns")
def no_boxes_and_one(student: Student, oracle: Any) -> None:
    """No boxes leave an empty list, and a single one stays."""
    expect_stay(student, oracle, [[1, 2, 3, 4]], [0.5], [7], stay=[0], what="one box")
    expect_stay(student, oracle, [], [], [], stay=[], what="no boxes")


@task("non_maximum_suppression", "best", "above", "iou", "apart", "every", "returns")
def as_many_as_there_are(student: Student, rng: np.random.Generator) -> None:
    """1,010 boxes of ten classes that are far apart stay, all of them."""
    row, column = np.divmod(np.arange(1010), 40)
    boxes, scores = 20 * np.stack([column, row, column + 0.5, row + 0.5], axis=1), rng.permutation(1010) / 1010
    with likely({"RecursionError": "a function that calls itself for each box that stays ends at 1,000: write a loop"}):
        got = student.non_maximum_suppression(*as_given(boxes, scores, np.arange(1010) % 10), 0.45)
    best = np.argsort(-scores).tolist()
    mistakes = {f"only the best {most} boxes were kept: every one may stay": best[:most] for most in (100, 300, 1000)}
    mistakes["the box with a score of 0 is missing: every score takes part"] = best[:-1]
    expect(got, best, what="1,010 boxes far apart", mistakes=mistakes)


def expect_restored(
    student: Student, oracle: Any, boxes: Any, scale: float, top: int, left: int, size: tuple[int, int]
) -> None:
    """Raise Failure unless the boxes lie in the picture where letterbox took them from."""
    given = np.asarray(boxes, np.float32)
    got = student.restore(given, scale, top, left, *size)
    expected = oracle.restored(given, scale, top, left, *size)
    mistakes = oracle.restored_mistakes(given, scale, top, left, *size)
    what = f"boxes of a picture of {size[0]}x{size[1]}"
    expect(got, expected, rtol=1e-5, atol=1e-3, what=what, mistakes=mistakes)


@task("restore", "order", "axes", "clip", "dtype")
def twice_as_large(student: Student, oracle: Any) -> None:
    """A picture of 240x320 was doubled and moved down by 80 rows."""
    expect_restored(student, oracle, [[100, 130, 200, 230], [10, 100, 630, 500]], 2.0, 80, 0, (240, 320))


@task("restore", "order", "axes", "given", "clip", "dtype")
def not_enlarged(student: Student, oracle: Any) -> None:
    """A picture that was only moved is only moved back."""
    expect_restored(student, oracle, [[170, 230, 200, 300], [200, 240, 400, 400]], 1.0, 220, 160, (200, 320))


@task("restore", "clip", "order", "axes", "every", "dtype")
def beyond_the_edge(student: Student, oracle: Any) -> None:
    """What reaches into the bars, or beyond the canvas, ends at the picture's edge."""
    boxes = [[-20, 60, 90, 190], [500, 400, 700, 660], [200, 70, 300, 580], [-8, 300, 650, 320]]
    expect_restored(student, oracle, boxes, 0.5, 80, 0, (960, 1280))


@task("restore", "fractions", "given", "order", "axes", "clip", "dtype")
def parts_of_pixels(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Corners are real numbers, and stay so; the canvas is one of 480x640."""
    low = rng.uniform(30, 200, (3, 2))
    boxes = np.concatenate([low, low + rng.uniform(5, 200, (3, 2))], axis=1)
    expect_restored(student, oracle, boxes, 1.6, 7, 3, (290, 390))


@task("restore", "every", "order", "axes", "clip", "dtype")
def no_box_and_boxes_in_the_bars(student: Student, oracle: Any) -> None:
    """A box that lies in the bars keeps its row, without area; one box gives (1, 4), and no boxes give (0, 4)."""
    boxes = [[100, 10, 200, 60], [100, 130, 200, 230], [50, 600, 90, 630]]
    expect_restored(student, oracle, boxes, 2.0, 80, 0, (240, 320))
    expect_restored(student, oracle, boxes[1:2], 2.0, 80, 0, (240, 320))
    cause = "there may be no box: arithmetic with whole arrays keeps the shape (0, 4), a list made box by box loses it"
    with likely({"Error": cause}):
        got = student.restore(np.zeros((0, 4), np.float32), 2.0, 80, 0, 240, 320)
    if not isinstance(got, np.ndarray) or got.shape != (0, 4) or got.dtype != np.float32:
        failure = Failure(f"no boxes: expected an array (0, 4) of float32, got {got!r:.80}", "an array (0, 4)", got)
        failure.cause = cause
        raise failure
