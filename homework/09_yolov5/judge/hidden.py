"""Hidden tests of homework 9: sizes of one, odd bars, heads of other shapes, chains, ties, empty boxes."""

from __future__ import annotations

import numpy as np

from classroom.judge import Failure, Student, expect, public_of, task

public = public_of(__file__)


@task("letterbox")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Pictures and canvases of any size and shape."""
    done = 0
    while done < 12:
        (height, width), canvas = rng.integers(3, 60, 2).tolist(), rng.integers(20, 60, 2).tolist()
        if public.clear((height, width), *canvas):
            public.expect_boxed(student, public.pixels(rng, height, width), *canvas)
            done += 1


@task("letterbox")
def canvases_that_are_not_square(student: Student, rng: np.random.Generator) -> None:
    """The canvas may be wide or high: which side the picture touches depends on both."""
    for size, canvas in (((20, 30), (24, 64)), ((20, 30), (64, 24)), ((33, 12), (40, 41)), ((31, 50), (70, 50))):
        public.expect_boxed(student, public.pixels(rng, *size), *canvas)


@task("letterbox")
def rounded_sizes(student: Student, rng: np.random.Generator) -> None:
    """The new height, or width, is rounded to the nearest whole number."""
    for size in ((29, 41), (41, 29), (23, 57), (50, 37)):
        public.expect_boxed(student, public.pixels(rng, *size), 32, 32)


@task("letterbox")
def thin_pictures(student: Student, rng: np.random.Generator) -> None:
    """A picture so thin that nothing would be left of it keeps one row, or column."""
    for size in ((1, 200), (200, 1), (1, 1), (2, 150)):
        public.expect_boxed(student, public.pixels(rng, *size), 32, 32)


@task("letterbox")
def it_fits_exactly(student: Student, rng: np.random.Generator) -> None:
    """A picture of the canvas's shape leaves no bars."""
    for size in ((32, 48), (16, 24), (64, 96)):
        public.expect_boxed(student, public.pixels(rng, *size), 32, 48)


@task("decode")
def heads_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    """One class or many, one row of cells or one column, any number of anchors."""
    for kinds, classes, height, width in ((1, 1, 1, 1), (2, 1, 1, 6), (3, 3, 5, 1), (5, 4, 2, 3), (9, 4, 3, 2)):
        raw, anchors = public.random_head(rng, kinds, classes, height, width), public.random_anchors(rng, kinds)
        what = f"{kinds} anchors, {classes} classes, {height}x{width} cells"
        public.expect_rows(student, raw, anchors, int(rng.choice([4, 8, 16])), what)


@task("decode")
def many_anchors_as_values(student: Student, rng: np.random.Generator) -> None:
    """As many anchors as numbers in a row, as many rows of cells as columns: only their order tells the axes apart."""
    public.expect_rows(
        student, public.random_head(rng, 6, 1, 6, 6), public.random_anchors(rng, 6), 8, "six anchors, one class, 6x6"
    )


@task("decode")
def the_coarse_head_of_the_detector(student: Student, rng: np.random.Generator) -> None:
    """Three anchors, ten classes, 8x8 cells of 32 pixels."""
    anchors = np.array([[44, 68], [60, 62], [64, 88]], np.float32)
    public.expect_rows(student, public.random_head(rng, 3, 10, 8, 8), anchors, 32, "the detector's coarse head")


@task("decode")
def far_from_zero(student: Student, rng: np.random.Generator) -> None:
    """Large numbers: a box is at most four anchors wide, and its centre at most half a cell outside of its own."""
    raw = rng.choice(np.array([-60, -9, 9, 60], np.float32), (2 * 8, 3, 4))
    public.expect_rows(student, raw, public.random_anchors(rng, 2), 16, "numbers up to 60")


@task("non_maximum_suppression")
def a_chain(student: Student, rng: np.random.Generator) -> None:
    """In a row of boxes, each overlapping its neighbours only, every second one stays."""
    for count in (3, 4, 9):
        boxes = [[3 * i, 0, 3 * i + 10, 10] for i in range(count)]
        public.expect_stay(student, boxes, np.linspace(0.9, 0.3, count), [1] * count, what=f"a chain of {count}")


@task("non_maximum_suppression")
def exactly_the_threshold(student: Student, rng: np.random.Generator) -> None:
    """An IoU that equals the threshold is not above it."""
    boxes = [[0, 0, 8, 4], [0, 0, 4, 4], [20, 20, 24, 28], [20, 20, 24, 24], [20, 20, 24, 23]]
    public.expect_stay(student, boxes, [0.9, 0.8, 0.7, 0.6, 0.5], [0] * 5, 0.5, "IoU of 0.5, threshold 0.5")
    public.expect_stay(student, [[0, 0, 4, 4], [4, 0, 8, 4]], [0.2, 0.3], [0, 0], 0.0, "boxes that only touch")


@task("non_maximum_suppression")
def thresholds(student: Student, rng: np.random.Generator) -> None:
    """The threshold is the one that is given, and the scores are no threshold."""
    for threshold in (0.05, 0.3, 0.6, 0.9):
        boxes, scores, classes = public.crowd(rng, 30, 2, threshold)
        public.expect_stay(student, boxes, scores, classes, threshold, f"30 boxes, threshold {threshold}")


@task("non_maximum_suppression")
def small_scores(student: Student, rng: np.random.Generator) -> None:
    """Every score takes part, however small, and logits that are below 0."""
    boxes, _, classes = public.crowd(rng, 25, 2)
    public.expect_stay(student, boxes, rng.permutation(25) * 1e-3, classes, what="scores of 0 to 0.024")
    public.expect_stay(student, boxes, -rng.permutation(25).astype(np.float32), classes, what="scores of -24 to 0")


@task("non_maximum_suppression")
def equal_scores(student: Student, rng: np.random.Generator) -> None:
    """Of equal scores the lower index is the better."""
    public.expect_stay(student, [[0, 0, 10, 10]] * 4, [0.5] * 4, [3] * 4, what="four equal boxes")
    boxes, scores, classes = public.crowd(rng, 40, 2)
    public.expect_stay(student, boxes, np.round(scores, 1), classes, what="40 boxes, many with equal scores")


@task("non_maximum_suppression")
def no_area(student: Student, rng: np.random.Generator) -> None:
    """Boxes without area overlap nothing, and no boxes at all leave an empty list."""
    boxes = [[5, 5, 5, 5], [5, 5, 5, 5], [0, 0, 10, 10], [3, 0, 3, 10]]
    public.expect_stay(student, boxes, [0.9, 0.8, 0.7, 0.6], [0] * 4, 0.3, "boxes without area")
    got = student.non_maximum_suppression(
        np.zeros((0, 4), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int64), 0.45
    )
    expect(got, [], what="no boxes")
    public.expect_stay(student, [[1, 2, 3, 4]], [0.5], [7], what="one box")


@task("non_maximum_suppression")
def apart_in_both_directions(student: Student, rng: np.random.Generator) -> None:
    """Boxes that are apart in both directions have nothing in common: minus times minus is no area."""
    boxes = [[0, 0, 10, 10], [30, 30, 40, 40], [22, 24, 32, 34], [-40, -40, -30, -30]]
    public.expect_stay(student, boxes, [0.9, 0.8, 0.7, 0.6], [0] * 4)


@task("non_maximum_suppression")
def far_away(student: Student, rng: np.random.Generator) -> None:
    """Boxes of a large picture, and many classes: no class is ever taken for another."""
    boxes, scores, _ = public.crowd(rng, 40, 1)
    there = boxes + rng.choice([0, 640, 1280, 4096, 7680], (40, 1)).astype(np.float32)
    public.expect_stay(student, there, scores, rng.choice([0, 1, 2, 79], 40), what="40 boxes far away")
    pairs = [[0, 0, 50, 50], [0, 0, 50, 50]]
    for shift in (640, 1000, 1024, 4096, 7680):
        moved = [pairs[0], [v + shift for v in pairs[1]]]
        public.expect_stay(student, moved, [0.9, 0.8], [1, 0], what=f"boxes that are {shift} pixels apart")


@task("non_maximum_suppression")
def many_boxes(student: Student, rng: np.random.Generator) -> None:
    """Five hundred boxes of ten classes, within the time."""
    low = rng.integers(0, 200, (500, 2))
    boxes = np.concatenate([low, low + rng.choice([16, 24, 37], (500, 2))], 1).astype(np.float32)
    scores, classes = rng.permutation(500) / 500, rng.integers(0, 10, 500)
    right = public.suppressed(boxes, scores.astype(np.float32), classes, 0.4507)
    got = student.non_maximum_suppression(boxes, scores.astype(np.float32), classes, 0.4507)
    expect(got, right, what="500 boxes")


@task("restore")
def random_boxes(student: Student, rng: np.random.Generator) -> None:
    """Pictures of any size that grew or shrank, and boxes all over the canvas."""
    for _ in range(8):
        height, width = rng.integers(50, 900, 2).tolist()
        scale = min(640 / height, 640 / width)
        top, left = (640 - round(height * scale)) // 2, (640 - round(width * scale)) // 2
        low = rng.uniform(-40, 600, (6, 2))
        boxes = np.concatenate([low, low + rng.uniform(5, 200, (6, 2))], 1)
        public.expect_restored(student, boxes, scale, top, left, (height, width), f"a picture of {height}x{width}")


@task("restore")
def parts_of_pixels(student: Student, rng: np.random.Generator) -> None:
    """Corners are real numbers, and stay so."""
    public.expect_restored(student, [[10.3, 20.7, 30.9, 41.1]], 1.6, 7, 3, (300, 200))


@task("restore")
def to_the_very_edge(student: Student, rng: np.random.Generator) -> None:
    """A box that covers the whole canvas becomes one that covers the whole picture, W wide and H high."""
    public.expect_restored(student, [[0, 0, 640, 640]], 2.0, 80, 0, (240, 320))
    public.expect_restored(student, [[0, 0, 640, 640]], 0.5, 0, 140, (1280, 720))


@task("restore")
def no_boxes(student: Student, rng: np.random.Generator) -> None:
    """No boxes give no boxes, of shape (0, 4)."""
    got = student.restore(np.zeros((0, 4), np.float32), 2.0, 80, 0, 240, 320)
    shape, dtype = getattr(got, "shape", None), getattr(got, "dtype", None)
    if shape != (0, 4) or dtype != np.float32:
        raise Failure(f"no boxes: expected an array (0, 4) of float32, got {shape} of {dtype}", (0, 4), got)
    public.expect_restored(student, [[90, 130, 200, 230]], 0.5, 20, 10, (800, 900))
