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

    The picture is scaled by the largest `scale` (a float) at which all of it fits, whether it grows or shrinks. Its
    new size is round(H * scale) x round(W * scale), at least 1 x 1. It stands in the middle of a canvas of GREY, its
    upper left pixel at row `top` and column `left` (ints). If the bars cannot be equal, the bar below, or at the right,
    is the wider one by a pixel.

    Example
    -------
        canvas, scale, top, left = letterbox(image, 640, 640)     # image has the shape (480, 640, 3)
        canvas.shape, scale, top, left                            # ((640, 640, 3), 1.0, 80, 0)
        canvas[79, 0], canvas[80, 0]                              # [114 114 114], image[0, 0]
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
    raw : float32. The first 5+K channels belong to anchor 0, the next 5+K to anchor 1, and so on. They are
        x, y, w, h, objectness, and one score for each of K classes.
    anchors : (A, 2) float32, width and height of each anchor in pixels.
    stride : pixels from one cell to the next.

    Row (a * h + i) * w + j, of anchor a in the cell of row i and column j, is (s is the sigmoid):

        centre x = (2 * s(x) - 0.5 + j) * stride       width  = (2 * s(w))**2 * anchors[a, 0]
        centre y = (2 * s(y) - 0.5 + i) * stride       height = (2 * s(h))**2 * anchors[a, 1]
        then s(objectness) and s(score) of each class

    Returns float32.

    Example
    -------
        raw = np.zeros((3 * 15, 8, 8), np.float32)               # every sigmoid is 0.5
        anchors = np.array([[44, 68], [60, 62], [64, 88]], np.float32)
        decode(raw, anchors, 32)[10, :5]                         # [80. 48. 44. 68. 0.5]: anchor 0, row 1, column 2
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


def overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(4,) and (M, 4) corners -> (M,) IoU, 0 where there is no area."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    common = np.clip(high - low, 0, None).prod(axis=1)
    areas = (others[:, 2:] - others[:, :2]).prod(axis=1)
    together = (box[2:] - box[:2]).prod() + areas - common
    return np.divide(common, together, out=np.zeros_like(common), where=together > 0)
    # </solution>


def non_maximum_suppression(boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float) -> list[int]:
    """(M, 4) corners, (M,) scores, (M,) classes -> which boxes stay: a list of ints, the best first.

    The box with the highest score stays. All others of its class go whose IoU with it is above `threshold`. Of those
    that are left, neither staying already nor gone, again the best stays, and so on until none is left.

        IoU = area in common / (area of one + area of the other - area in common), and 0 if both have no area

    Boxes of different classes never suppress each other. Of equal scores the lower index counts as the better. Every
    score takes part, however small. M may be 0. The ints are places in `boxes`.

    Example
    -------
        boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 12], [0, 0, 10, 12]], np.float32)
        scores = np.array([0.7, 0.9, 0.8], np.float32)
        non_maximum_suppression(boxes, scores, np.array([3, 3, 5]), 0.45)     # [1, 2]: 0 overlaps 1 by 0.83
    """
    # <solution non_maximum_suppression>
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
    boxes : float32.
    scale, top, left : what letterbox returned.
    height, width : those of the picture, H and W. What reaches beyond it is clipped: x to 0..W, y to 0..H.

    Returns float32.

    Example
    -------
        boxes = np.array([[100, 130, 200, 230]], np.float32)     # the picture is 240 x 320, the canvas 640 x 640
        restore(boxes, 2.0, 80, 0, 240, 320)                     # [[ 50. 25. 100. 75.]]
    """
    # <solution restore>
    moved = (boxes - np.array([left, top, left, top])) / scale
    return np.clip(moved, 0, [width, height, width, height]).astype(np.float32)
    # </solution>
