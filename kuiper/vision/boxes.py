"""Boxes as corners (x1, y1, x2, y2): how much two overlap, and which of many stay."""

from __future__ import annotations

import numpy as np

from kuiper.errors import ShapeError


def corners(boxes: np.ndarray) -> np.ndarray:
    """(...,4) centre x, centre y, width, height -> (...,4) x1, y1, x2, y2.

    >>> corners(np.array([5.0, 5.0, 2.0, 4.0]))
    array([4., 3., 6., 7.])
    """
    centre, half = boxes[..., :2], boxes[..., 2:4] / 2
    return np.concatenate([centre - half, centre + half], -1)


def iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(M,4) and (K,4) corners -> (M,K) area in common / area together, 0 where both are empty.

    Raises ShapeError.

    >>> iou(np.array([[0.0, 0, 2, 2]]), np.array([[0.0, 0, 2, 2], [1, 0, 3, 2], [5, 5, 6, 6]])).round(2)
    array([[1.  , 0.33, 0.  ]])
    """
    a, b = (as_boxes(name, x).astype(np.float64) for name, x in (("a", a), ("b", b)))
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(-1)
    together = area(a)[:, None] + area(b) - common
    return np.divide(common, together, out=np.zeros_like(common), where=together > 0)


def area(boxes: np.ndarray) -> np.ndarray:
    """(M,4) corners -> (M,) areas; a box whose corners are the wrong way round has none."""
    return np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(-1)


def non_maximum_suppression(
    boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float = 0.45, most: int = 300
) -> np.ndarray:
    """(M,4) corners, (M,) scores, (M,) classes -> indices of the boxes that stay, best first, at most `most`.

    The best box stays, and all of its class that overlap it by an IoU above `threshold` go; then the best of those that
    are left, and so on. Boxes of different classes do not compete. Of equal scores the lower index is the better.

    Raises ShapeError.

    >>> boxes = np.array([[0.0, 0, 9, 9], [0, 0, 9, 10], [0, 0, 9, 9]])
    >>> non_maximum_suppression(boxes, np.array([0.8, 0.9, 0.7]), np.array([0, 0, 1]))
    array([1, 2])
    """
    boxes = as_boxes("boxes", boxes)
    for name, values in (("scores", scores), ("classes", classes)):
        if np.shape(values) != (len(boxes),):
            raise ShapeError(name, f"({len(boxes)},), one for each box", np.shape(values))
    classes = np.asarray(classes)
    left = np.argsort(-np.asarray(scores, np.float64), kind="stable")
    stay: list[int] = []
    while left.size and len(stay) < most:
        best, left = left[0], left[1:]
        stay.append(int(best))
        rival = classes[left] == classes[best]
        rival[rival] = iou(boxes[best][None], boxes[left[rival]])[0] > threshold
        left = left[~rival]
    return np.array(stay, np.intp)


def as_boxes(name: str, boxes: np.ndarray) -> np.ndarray:
    """The array, if it is (M,4). Raises ShapeError."""
    boxes = np.asarray(boxes)
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ShapeError(name, "(M,4), corners x1, y1, x2, y2", boxes.shape)
    return boxes
