"""Homework 9: a picture into a detector's canvas, its numbers into boxes, one box for each thing.

Edit this file, then run `python3 course.py check letterbox` (or the name of another task). You need numpy only.
Boxes are corners, (x1, y1, x2, y2) = (left, top, right, bottom) in pixels, unless it says otherwise.
"""

from __future__ import annotations

import numpy as np

GREY = 114


def resize_picture(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """(H, W, 3) uint8 -> (height, width, 3) uint8, bilinear; stretches where it is told to. (Given.)"""
    x = image.astype(np.float32)
    for axis, size in ((0, height), (1, width)):
        last = x.shape[axis] - 1
        place = np.clip((np.arange(size) + 0.5) * (x.shape[axis] / size) - 0.5, 0, last)
        low = place.astype(int)
        share = (place - low).astype(np.float32).reshape((-1, 1, 1) if axis == 0 else (-1, 1))
        before, after = x.take(low, axis), x.take(np.minimum(low + 1, last), axis)
        x = before + (after - before) * share
    return np.rint(x).astype(np.uint8)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), number by number, without overflow; float32 stays float32. (Given.)"""
    return 0.5 * (1 + np.tanh(0.5 * x))


def letterbox(image: np.ndarray, height: int, width: int) -> tuple[np.ndarray, float, int, int]:
    """(H, W, 3) uint8 -> (canvas (height, width, 3) uint8, scale, top, left): the whole picture, its shape kept.

    Parameters
    ----------
    image : a picture of any height H and width W.
    height, width : those of the canvas, each at least 1.

    Rules
    -----
    scale : height and width are scaled by one number, the largest at which the whole picture fits, whether it grows or
        shrinks.
    size : the new size is round(H * scale) x round(W * scale), with Python's round.
    least : a side that would be rounded to 0 is 1.
    resizing : the whole picture is resized to that by the given `resize_picture`, before anything else.
    middle : bars above and below are equal, and at the left and right; where they cannot be, the one below, or at the
        right, is the wider by a pixel.
    grey : whatever the picture does not cover is GREY.
    returns : `scale` is that of the first rule, a Python float; `top` and `left` are the row and the column of the
        canvas where the upper left pixel of the picture lies, Python ints.
    dtype : the canvas is uint8.

    >>> image = np.full((480, 640, 3), 9, np.uint8)
    >>> canvas, scale, top, left = letterbox(image, 640, 640)
    >>> canvas.shape, scale, top, left
    ((640, 640, 3), 1.0, 80, 0)
    >>> canvas[79, 0].tolist(), canvas[80, 0].tolist()
    ([114, 114, 114], [9, 9, 9])
    """
    # <solution letterbox>
    scale = min(height / image.shape[0], width / image.shape[1])
    inner_height, inner_width = (max(1, round(size * scale)) for size in image.shape[:2])
    top, left = (height - inner_height) // 2, (width - inner_width) // 2
    canvas = np.full((height, width, 3), GREY, np.uint8)
    canvas[top : top + inner_height, left : left + inner_width] = resize_picture(image, inner_height, inner_width)
    return canvas, scale, top, left
    # </solution>


def decode(raw: np.ndarray, anchors: np.ndarray, stride: int) -> np.ndarray:
    """(A*(5+K), h, w) -> (A*h*w, 5+K): one head of YOLOv5 (version 6), as its convolution gave it, into rows.

    Parameters
    ----------
    raw : A*(5+K) channels of h x w cells, float32; A, K, h and w are 1 or more. Below, s(...) is the sigmoid of a
        channel.
    anchors : (A, 2) float32, width and height of each anchor in pixels.
    stride : pixels from one cell to the next.

    Rules
    -----
    channels : the first 5+K channels belong to anchor 0, the next 5+K to anchor 1, and so on; they are x, y, w, h,
        objectness, and one score for each of K classes.
    rows : row (a * h + i) * w + j belongs to anchor a in the cell of row i and column j; it is centre x, centre y,
        width, height, objectness, scores.
    centre : centre x is (2 * s(x) - 0.5 + j) * stride, and centre y is (2 * s(y) - 0.5 + i) * stride.
    extent : width is (2 * s(w))**2 * anchors[a, 0], and height is (2 * s(h))**2 * anchors[a, 1].
    scores : objectness is s(objectness), and each score is s(score), by itself.
    dtype : the result is float32, right to 1e-4 of each number or to 1e-3, whichever is larger.

    >>> raw = np.zeros((3 * 15, 8, 8), np.float32)  # every sigmoid is 0.5
    >>> anchors = np.array([[44, 68], [60, 62], [64, 88]], np.float32)
    >>> decode(raw, anchors, 32)[10, :5].tolist()  # anchor 0, row 1, column 2
    [80.0, 48.0, 44.0, 68.0, 0.5]
    """
    # <solution decode>
    kinds = len(anchors)
    _, height, width = raw.shape
    y = sigmoid(raw).reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)
    row, column = np.indices((height, width), np.float32)
    cell = np.stack([column, row], -1)
    centre = (2 * y[..., :2] - 0.5 + cell) * stride
    extent = (2 * y[..., 2:4]) ** 2 * anchors[:, None, None]
    rows = np.concatenate([centre, extent, y[..., 4:]], -1)
    return rows.reshape(kinds * height * width, -1).astype(np.float32)
    # </solution>


def non_maximum_suppression(boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float) -> list[int]:
    """(M, 4) corners, (M,) scores, (M,) classes -> which boxes stay: a list of ints, the best first.

    Parameters
    ----------
    boxes, scores : float32, in any order; no x2 is below its x1, no y2 below its y1.
    classes : int64.
    threshold : how much two boxes of one class may overlap, from 0 to 1.

    Rules
    -----
    best : the box with the highest score stays; of the boxes left, the best stays again, until none is left.
    above : a box that stays removes the boxes whose IoU with it is above `threshold`, which may be 0; one that equals
        it is not above.
    gone : a box that was removed removes none.
    classes : boxes of different classes never remove each other, wherever they lie.
    iou : the IoU is the area in common / (area of one + area of the other - area in common); areas are those between
        the corners, (x2 - x1) * (y2 - y1).
    apart : boxes that are apart, in one direction or in both, have no area in common.
    no_area : two boxes without area have an IoU of 0.
    ties : of equal scores the lower index is the better.
    every : every score takes part, however small, negative ones too; and as many boxes may stay as there are.
    none : M may be 0; then the list is empty.
    returns : the ints are Python's own, and are places in `boxes` as they were given.

    >>> boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 12], [0, 0, 10, 12]], np.float32)
    >>> scores = np.array([0.7, 0.9, 0.8], np.float32)
    >>> non_maximum_suppression(boxes, scores, np.array([3, 3, 5]), 0.45)  # 0 overlaps 1 by 0.83
    [1, 2]
    """

    # <solution non_maximum_suppression>
    def overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(4,) and (M, 4) corners -> (M,) IoU, 0 where there is no area."""
        low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
        common = np.clip(high - low, 0, None).prod(axis=1)
        areas = (others[:, 2:] - others[:, :2]).prod(axis=1)
        together = (box[2:] - box[:2]).prod() + areas - common
        return np.divide(common, together, out=np.zeros_like(common), where=together > 0)

    left = np.argsort(-scores, kind="stable")
    stay: list[int] = []
    while len(left):
        best, left = left[0], left[1:]
        stay.append(int(best))
        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > threshold)
        left = left[~gone]
    return stay
    # </solution>


def restore(boxes: np.ndarray, scale: float, top: int, left: int, height: int, width: int) -> np.ndarray:
    """(M, 4) corners on the canvas -> (M, 4) corners in the picture: what letterbox did, undone.

    Parameters
    ----------
    boxes : float32, in pixels of the canvas.
    scale, top, left : what letterbox returned.
    height, width : those of the picture, H and W.

    Rules
    -----
    order : first the place of the picture on the canvas is subtracted, then all is divided by `scale`.
    axes : `left` is subtracted from both x, and `top` from both y.
    given : `scale`, `top` and `left` are taken as given; the canvas may have any size.
    clip : at last x is clipped to 0..W, and y to 0..H.
    fractions : corners are not rounded.
    every : every box keeps its row, also where nothing is left of it; M may be 0, and 1 gives (1, 4).
    dtype : the result is float32, right to 1e-5 of each number or to 1e-3, whichever is larger.

    >>> boxes = np.array([[100, 130, 200, 230]], np.float32)  # the picture is 240 x 320, the canvas 640 x 640
    >>> restore(boxes, 2.0, 80, 0, 240, 320).tolist()
    [[50.0, 25.0, 100.0, 75.0]]
    """
    # <solution restore>
    moved = (boxes - np.array([left, top, left, top])) / scale
    return np.clip(moved, 0, [width, height, width, height]).astype(np.float32)
    # </solution>
