"""Public tests of homework 9: `python3 course.py check` runs them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, task
from kuiper.vision import Letterbox, resize

Boxed = tuple[np.ndarray, float, int, int]
GREY = 114


# --- Task 9.1: letterbox


def boxed(image: np.ndarray, height: int, width: int, **other: Any) -> Boxed:
    """What letterbox has to give; or what it gives with another `scale`, `size`, `place` or `fill`."""
    scale = other.get("scale", min(height / image.shape[0], width / image.shape[1]))
    fitted = Letterbox.fit((image.shape[0], image.shape[1]), (height, width))
    inner = other.get("size", fitted.scaled)
    top, left = other.get("place", (fitted.top, fitted.left))
    canvas = np.full((height, width, 3), other.get("fill", GREY), np.uint8)
    canvas[top : top + inner[0], left : left + inner[1]] = resize(image, *inner)[: height - top, : width - left]
    return canvas, scale, top, left


def letterbox_mistakes(image: np.ndarray, height: int, width: int) -> dict[str, Boxed]:
    """Likely cause -> what it gives."""
    right = boxed(image, height, width)
    _, scale, top, left = right
    exact = image.shape[0] * scale, image.shape[1] * scale
    cut = max(1, int(exact[0])), max(1, int(exact[1]))
    fitted = Letterbox.fit((image.shape[0], image.shape[1]), (height, width)).scaled
    bars = height - fitted[0], width - fitted[1]
    small = Letterbox.fit((image.shape[0], image.shape[1]), (height, width), scaleup=False)
    found = {
        "the picture is stretched over the whole canvas: one scale for both directions": (
            boxed(image, height, width, size=(height, width), place=(0, 0))
        ),
        "all of the bar is at one side: put the picture in the middle": boxed(image, height, width, place=(0, 0)),
        "the bars are black: fill the canvas with GREY": boxed(image, height, width, fill=0),
        "the odd pixel of a bar belongs below, or at the right": (
            boxed(image, height, width, place=((bars[0] + 1) // 2, (bars[1] + 1) // 2))
        ),
        "a picture that is smaller than the canvas has to grow": (
            boxed(image, height, width, scale=min(scale, 1.0), size=small.scaled, place=(small.top, small.left))
        ),
        "a picture that is smaller than the canvas has to grow: min has a 1 too many": (
            boxed(image, height, width, scale=min(scale, 1), size=small.scaled, place=(small.top, small.left))
        ),
        "the new size is rounded, not cut off": (
            boxed(image, height, width, size=cut, place=((height - cut[0]) // 2, (width - cut[1]) // 2))
        ),
        "top and left are exchanged in what is returned": (right[0], scale, left, top),
        "that is 1 / scale: return by what the picture is multiplied": (right[0], 1 / scale, top, left),
    }
    return {cause: wrong for cause, wrong in found.items() if not same(wrong, right)}


def same(a: Boxed, b: Boxed) -> bool:
    """Whether two results of letterbox are equal."""
    return a[1:] == b[1:] and np.array_equal(a[0], b[0])


def expect_boxed(student: Student, image: np.ndarray, height: int, width: int) -> None:
    """Raise Failure unless letterbox gives canvas, scale, top and left as it should."""
    what = f"a picture of {image.shape[0]}x{image.shape[1]} in {height}x{width}"
    mistakes = letterbox_mistakes(image, height, width)
    got = student.letterbox(image, height, width)
    names = ("canvas", "scale", "top", "left")
    expect(got, boxed(image, height, width), rtol=1e-9, what=what, names=names, mistakes=mistakes)


def pixels(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """A picture of noise."""
    return rng.integers(0, 256, (height, width, 3), np.uint8)


def clear(size: tuple[int, int], height: int, width: int) -> bool:
    """Whether no side comes to lie so near the middle between two whole numbers that rounding could go either way."""
    scale = min(height / size[0], width / size[1])
    return all(abs(side * scale % 1 - 0.5) > 0.02 for side in size)


@task("letterbox")
def the_picture_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """A picture of 480x640 keeps its size in 640x640, and has 80 grey rows above and below."""
    expect_boxed(student, pixels(rng, 480, 640), 640, 640)


@task("letterbox")
def an_odd_pixel(student: Student, rng: np.random.Generator) -> None:
    """If a bar has an odd number of pixels, the wider half is below, or at the right."""
    expect_boxed(student, pixels(rng, 11, 16), 16, 16)
    expect_boxed(student, pixels(rng, 16, 9), 16, 16)


@task("letterbox")
def larger_and_smaller(student: Student, rng: np.random.Generator) -> None:
    """A small picture grows and a large one shrinks until it touches two sides of the canvas."""
    expect_boxed(student, pixels(rng, 7, 10), 32, 32)
    expect_boxed(student, pixels(rng, 61, 40), 32, 32)


# --- Task 9.2: decode


def slow_rows(raw: np.ndarray, anchors: np.ndarray, stride: int, mistake: str = "") -> np.ndarray:
    """What decode has to give, number by number; or what it gives with one mistake."""
    kinds, (channels, height, width) = len(anchors), raw.shape
    values = channels // kinds
    rows = np.zeros((kinds * height * width, values))
    for a, i, j in np.ndindex(kinds, height, width):
        if mistake == "channels":
            one = raw.reshape(values, kinds, height, width)[:, a, i, j].astype(np.float64)
        elif mistake == "reshape":
            one = raw.reshape(kinds, height, width, values)[a, i, j].astype(np.float64)
        else:
            one = raw[a * values : (a + 1) * values, i, j].astype(np.float64)
        s = 1 / (1 + np.exp(-one)) if mistake != "sigmoid" else one
        half = 0.0 if mistake == "half" else 0.5
        x, y = (i, j) if mistake == "cell" else (j, i)
        step = 1 if mistake == "stride" else stride
        kind = anchors[0] if mistake == "one anchor" else anchors[a]
        extent = np.exp(one[2:4]) * kind if mistake == "exp" else (2 * s[2:4]) ** 2 * kind
        place = (i * width + j) * kinds + a if mistake == "order" else (a * height + i) * width + j
        rows[place] = [(2 * s[0] - half + x) * step, (2 * s[1] - half + y) * step, *extent, *s[4:]]
    return rows.astype(np.float32)


CAUSES = {
    "cell": "row and column of the cell are exchanged: x goes with the column j, y with the row i",
    "stride": "the centres count in cells: multiply by the stride",
    "half": "the 0.5 is missing: centre = (2 * s - 0.5 + cell) * stride",
    "exp": "that is e^w * anchor, as in YOLOv3: here it is (2 * s)^2 * anchor",
    "one anchor": "every box got the first anchor: each third of the channels has its own",
    "channels": "the channels lie anchor by anchor: split them into (A, 5+K), not into (5+K, A)",
    "reshape": "reshape alone mixes the cells: split the channels first, (A, 5+K, h, w), then bring 5+K to the end",
    "order": "the rows come in another order: anchor by anchor, in it row by row, in it cell by cell",
    "sigmoid": "the sigmoid is missing",
}


def expect_rows(student: Student, raw: np.ndarray, anchors: np.ndarray, stride: int, what: str) -> None:
    """Raise Failure unless decode gives the rows that the loops give."""
    right = slow_rows(raw, anchors, stride)
    wrong = {cause: slow_rows(raw, anchors, stride, mistake) for mistake, cause in CAUSES.items()}
    mistakes = {cause: rows for cause, rows in wrong.items() if not np.allclose(rows, right, rtol=1e-4, atol=1e-3)}
    got = student.decode(raw, anchors, stride)
    expect(got, right, rtol=1e-4, atol=1e-3, what=what, mistakes=mistakes)


def random_anchors(rng: np.random.Generator, kinds: int) -> np.ndarray:
    """(A, 2) widths and heights, no two alike."""
    return rng.permutation(np.arange(10, 10 + 16 * kinds, 4))[: 2 * kinds].reshape(kinds, 2).astype(np.float32)


def random_head(rng: np.random.Generator, kinds: int, classes: int, height: int, width: int) -> np.ndarray:
    """(A*(5+K), h, w) numbers as a convolution gives them."""
    return rng.normal(0, 1.5, (kinds * (5 + classes), height, width)).astype(np.float32)


@task("decode")
def zeros_are_the_anchors(student: Student, rng: np.random.Generator) -> None:
    """Where the convolution gives 0, the box is the anchor, in the middle of its cell."""
    anchors = np.array([[11, 16], [15, 22], [21, 29]], np.float32)
    expect_rows(student, np.zeros((3 * 15, 2, 4), np.float32), anchors, 8, "three anchors, 2x4 cells, zeros")


@task("decode")
def one_anchor(student: Student, rng: np.random.Generator) -> None:
    """One anchor, 3x5 cells: centres in pixels, widths and heights by the square, the rest by the sigmoid."""
    expect_rows(student, random_head(rng, 1, 2, 3, 5), random_anchors(rng, 1), 16, "one anchor, two classes, 3x5 cells")


@task("decode")
def three_anchors(student: Student, rng: np.random.Generator) -> None:
    """Three anchors: each has its own third of the channels, and its own width and height."""
    what = "three anchors, ten classes, 4x3 cells"
    expect_rows(student, random_head(rng, 3, 10, 4, 3), random_anchors(rng, 3), 32, what)


# --- Task 9.3: non_maximum_suppression


def share(a: np.ndarray, b: np.ndarray, mistake: str = "") -> float:
    """IoU of two boxes (4,), or what it is with one mistake."""
    x1, y1, x2, y2 = (float(v) for v in (*np.maximum(a[:2], b[:2]), *np.minimum(a[2:], b[2:])))
    least = -math.inf if mistake == "apart" else 0.0
    common = max(least, x2 - x1) * max(least, y2 - y1)
    areas = [float((c[2] - c[0]) * (c[3] - c[1])) for c in (a, b)]
    together = sum(areas) - (0.0 if mistake == "union" else common)
    return common / together if together > 0 else 0.0


def suppressed(
    boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float, mistake: str = ""
) -> list[int]:
    """What non_maximum_suppression has to give, by loops; or what it gives with one mistake."""
    order = sorted(range(len(boxes)), key=lambda i: -float(scores[i]))
    stay: list[int] = []
    met: list[int] = []
    for i in order:
        rivals = met if mistake == "chained" else stay
        rivals = [k for k in rivals if mistake == "any class" or classes[k] == classes[i]]
        if all(share(boxes[k], boxes[i], mistake) <= threshold for k in rivals):
            stay.append(i)
        met.append(i)
    if mistake == "positions":
        return [order.index(i) for i in stay]
    return sorted(stay) if mistake == "by index" else stay


WHY = {
    "any class": "boxes of another class went, too: only boxes of one class compete",
    "chained": "a box that has gone already suppresses nothing any more",
    "apart": "boxes apart have nothing in common: two negative lengths multiply to a positive area",
    "union": "the IoU is too small: the area in common is in both areas, subtract it once",
    "positions": "these are places in the sorted order: return places in `boxes`",
    "by index": "the right boxes in the wrong order: the best comes first",
}


def expect_stay(
    student: Student, boxes: Any, scores: Any, classes: Any, threshold: float = 0.45, what: str = "the boxes that stay"
) -> None:
    """Raise Failure unless the right boxes stay, in the right order."""
    arrays = np.asarray(boxes, np.float32).reshape(-1, 4), np.asarray(scores, np.float32), np.asarray(classes, np.int64)
    right = suppressed(*arrays, threshold)
    wrong = {cause: suppressed(*arrays, threshold, mistake) for mistake, cause in WHY.items()}
    mistakes = {
        "that is every box: nothing was suppressed, or the IoU is too small (subtract what is in common once)": (
            suppressed(*arrays, 1.0)
        ),
        **{cause: stay for cause, stay in wrong.items() if stay != right},
    }
    got = student.non_maximum_suppression(*arrays, threshold)
    if isinstance(got, np.ndarray):
        failure = Failure(f"{what}: expected list {right!r:.80}, got a numpy array of shape {got.shape}", right, got)
        failure.cause = "return a list of plain ints: .tolist() makes one of an array"
        raise failure
    expect(got, right, what=what, mistakes=mistakes)


LESSON = [[20, 20, 60, 80], [24, 24, 64, 84], [36, 24, 76, 84], [100, 30, 140, 90], [104, 32, 144, 96]]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5]
"""The five boxes of the lesson: 1 lies too close to 0 and to 2, which may stay both; 4 lies too close to 3."""


def crowd(
    rng: np.random.Generator, count: int, classes: int, threshold: float = 0.45, spread: int = 60
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boxes in clusters, scores, classes; all scores differ, and no IoU is within 0.005 of the threshold."""
    boxes: list[np.ndarray] = []
    while len(boxes) < count:
        near = boxes[int(rng.integers(len(boxes)))] if boxes and rng.random() < 0.6 else None
        low = rng.integers(-10, spread, 2) if near is None else near[:2] + rng.integers(-6, 7, 2)
        one = np.concatenate([low, low + rng.integers(8, 30, 2)]).astype(np.float32)
        if all(abs(share(one, other) - threshold) > 0.005 for other in boxes):
            boxes.append(one)
    scores = rng.permutation(np.linspace(0.05, 0.95, count))
    return np.stack(boxes), scores.astype(np.float32), rng.integers(0, classes, count)


@task("non_maximum_suppression")
def the_boxes_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """Of the lesson's five boxes 0, 2 and 3 stay: 1 has gone when 2 has its turn."""
    expect_stay(student, LESSON, SCORES, [8, 8, 8, 8, 8])


@task("non_maximum_suppression")
def classes_do_not_compete(student: Student, rng: np.random.Generator) -> None:
    """Two boxes in the same place stay both when their classes differ."""
    expect_stay(student, LESSON, SCORES, [8, 3, 3, 8, 3])
    expect_stay(student, [[0, 0, 10, 10]] * 3, [0.5, 0.7, 0.6], [2, 1, 2])


@task("non_maximum_suppression")
def best_first(student: Student, rng: np.random.Generator) -> None:
    """The boxes come in no order; the answer is their places, the best first."""
    order = rng.permutation(5)
    while order.tolist() in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0]) or order[0] in (0, 1):
        order = rng.permutation(5)
    boxes, scores = np.array(LESSON)[order], np.array(SCORES)[order]
    expect_stay(student, boxes, scores, [7] * 5, what="the lesson's boxes in another order")


@task("non_maximum_suppression")
def a_crowd(student: Student, rng: np.random.Generator) -> None:
    """Forty boxes of three classes in clusters."""
    expect_stay(student, *crowd(rng, 40, 3), what="40 boxes")


# --- Task 9.4: restore


def expect_restored(
    student: Student, boxes: Any, scale: float, top: int, left: int, size: tuple[int, int], what: str = "the boxes"
) -> None:
    """Raise Failure unless the boxes lie in the picture where letterbox took them from."""
    height, width = size
    given = np.asarray(boxes, np.float32)
    shift, high = np.array([left, top, left, top], np.float64), np.array([width, height, width, height], np.float64)
    exact = given.astype(np.float64)
    right = np.clip((exact - shift) / scale, 0, high)
    tried = {
        "the picture's place on the canvas was not subtracted": np.clip(exact / scale, 0, high),
        "subtract the bars first, then divide: they are pixels of the canvas": np.clip(exact / scale - shift, 0, high),
        "top and left are exchanged: x has left, y has top": np.clip((exact - shift[[1, 0, 3, 2]]) / scale, 0, high),
        "that multiplies by the scale: the way back divides": np.clip((exact - shift) * scale, 0, high),
        "the boxes reach beyond the picture: clip x to 0..W and y to 0..H": (exact - shift) / scale,
        "height and width are exchanged where it clips": np.clip((exact - shift) / scale, 0, high[[1, 0, 3, 2]]),
    }
    mistakes = {
        cause: wrong.astype(np.float32) for cause, wrong in tried.items() if not np.allclose(wrong, right, atol=1e-3)
    }
    got = student.restore(given, scale, top, left, height, width)
    expect(got, right.astype(np.float32), rtol=1e-5, atol=1e-3, what=what, mistakes=mistakes)


@task("restore")
def twice_as_large(student: Student, rng: np.random.Generator) -> None:
    """A picture of 240x320 was enlarged twice and moved down by 80 rows."""
    expect_restored(student, [[100, 130, 200, 230], [10, 100, 630, 500]], 2.0, 80, 0, (240, 320))


@task("restore")
def not_enlarged(student: Student, rng: np.random.Generator) -> None:
    """A picture that was only moved is only moved back."""
    expect_restored(student, [[170, 230, 200, 300], [200, 240, 400, 400]], 1.0, 220, 160, (200, 320))


@task("restore")
def beyond_the_edge(student: Student, rng: np.random.Generator) -> None:
    """What reaches into the bars, or beyond the canvas, ends at the picture's edge."""
    boxes = [[-20, 60, 90, 190], [500, 400, 700, 660], [200, 70, 300, 580], [-8, 300, 650, 320]]
    expect_restored(student, boxes, 0.5, 80, 0, (960, 1280))
