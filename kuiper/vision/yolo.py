"""Lesson 9: what YOLOv5 puts out -> boxes with classes and scores.

Source: https://github.com/ultralytics/yolov5, Detect in models/yolo.py, non_max_suppression in utils/general.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.vision.boxes import corners, non_maximum_suppression

ANCHORS = (
    ((10, 13), (16, 30), (33, 23)),
    ((30, 61), (62, 45), (59, 119)),
    ((116, 90), (156, 198), (373, 326)),
)
"""Width and height in pixels of the three kinds of box that each head knows; the finest head first."""

CANDIDATES = 30_000
"""Boxes, the best ones, that suppression looks at."""

Anchors = Sequence[Sequence[tuple[float, float]]]


@dataclass(frozen=True)
class Detections:
    """The things found in one picture, best first: boxes (M,4) x1, y1, x2, y2, scores (M,), classes (M,)."""

    boxes: np.ndarray
    scores: np.ndarray
    classes: np.ndarray

    def __len__(self) -> int:
        return len(self.boxes)


def decode(heads: Sequence[np.ndarray], size: tuple[int, int], anchors: Anchors = ANCHORS) -> np.ndarray:
    """Raw heads -> (N, boxes, 5 + classes): centre x, y, width, height in pixels, objectness, classes' shares.

    centre = (2 sigmoid(x) - 0.5 + cell) * stride, extent = (2 sigmoid(x))^2 * anchor, the rest sigmoid(x).

    Parameters
    ----------
    heads : (N, A * (5 + classes), h, w) as the convolutions give them, or (N, A, h, w, 5 + classes); finest first.
    size : height and width of the network's input; the stride of a head is height / h.
    anchors : A kinds of box for each head.

    Raises ShapeError.
    """
    if len(heads) != len(anchors):
        raise ShapeError("heads", f"{len(anchors)} arrays, one for each group of anchors", f"{len(heads)}")
    return np.concatenate([_decode(head, size, kinds) for head, kinds in zip(heads, anchors)], 1)


def _decode(head: np.ndarray, size: tuple[int, int], kinds: Sequence[tuple[float, float]]) -> np.ndarray:
    count = len(kinds)
    if head.ndim == 4 and head.shape[1] % count == 0:
        n, channels, height, width = head.shape
        head = head.reshape(n, count, channels // count, height, width).transpose(0, 1, 3, 4, 2)
    if head.ndim != 5 or head.shape[1] != count or head.shape[4] < 6 or head.size == 0:
        wanted = f"(N,{count}*(5+classes),h,w) or (N,{count},h,w,5+classes)"
        raise ShapeError("a raw head", wanted, head.shape)
    height, width = head.shape[2:4]
    if size[0] % height or size[0] // height * width != size[1]:
        raise ShapeError("a raw head", f"the shape of the input {size[0]}x{size[1]} divided by a stride", head.shape)
    y = sigmoid(head.astype(np.float32))
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    cell = np.stack([columns, rows], -1)
    centre = (2 * y[..., :2] - 0.5 + cell) * (size[0] // height)
    extent = (2 * y[..., 2:4]) ** 2 * np.asarray(kinds, np.float32)[:, None, None]
    return np.concatenate([centre, extent, y[..., 4:]], -1).reshape(len(head), -1, head.shape[4])


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    return 0.5 * (1 + np.tanh(0.5 * x))


def predictions(outputs: Sequence[np.ndarray], size: tuple[int, int], anchors: Anchors = ANCHORS) -> np.ndarray:
    """The outputs of an exported YOLOv5 -> (N, boxes, 5 + classes), decoded already or now.

    An exported Detect gives one array with three axes (and perhaps its heads after it); a network cut before Detect
    gives only the heads, in any order. Raises ShapeError for other outputs, those of YOLOv8 and later among them.
    """
    arrays = [np.asarray(x) for x in outputs]
    done = next((x for x in arrays if x.ndim == 3), None)
    if done is not None and done.shape[2] >= 6 and done.shape[1] >= done.shape[2]:
        return done
    if done is None and len(arrays) == len(anchors) and all(x.ndim in (4, 5) for x in arrays):
        return decode(sorted(arrays, key=lambda x: -x.shape[2]), size, anchors)
    wanted = f"(N,boxes,5+classes), or {len(anchors)} raw heads (N,A*(5+classes),h,w)"
    raise ShapeError("outputs of YOLOv5", wanted, ", ".join(str(x.shape) for x in arrays) or "none")


def detect(
    rows: np.ndarray, *, confidence: float = 0.25, iou: float = 0.45, most: int = 300, multi_label: bool = False
) -> Detections:
    """(boxes, 5 + classes) of one picture -> the boxes that are left after thresholds and suppression.

    score = objectness * share of the class. A box counts with its best class.

    Parameters
    ----------
    confidence : a score must be above this.
    iou : of two boxes of a class that overlap by more, the better stays.
    most : boxes at most.
    multi_label : count a box once for every class above `confidence`, as measuring precision does.

    Raises ShapeError, and KuiperError for thresholds outside 0..1 and for numbers that are not finite.
    """
    for name, value in (("confidence", confidence), ("iou", iou)):
        if not 0 <= value <= 1:
            raise KuiperError(f"{name}: expected a number of 0 to 1, found {value}")
    if rows.ndim != 2 or rows.shape[1] < 6:
        raise ShapeError("rows", "(boxes,5+classes) of one picture", rows.shape)
    if not np.isfinite(rows).all():
        raise KuiperError("rows: expected finite numbers, found nan or infinity; are weights and input right?")
    rows = rows[rows[:, 4] > confidence]  # no share is above 1, so no score is above the objectness
    scores = rows[:, 5:] * rows[:, 4:5]
    if multi_label:
        box, classes = np.nonzero(scores > confidence)
    else:
        classes = scores.argmax(1)
        box = np.flatnonzero(scores[np.arange(len(rows)), classes] > confidence)
        classes = classes[box]
    scores = scores[box, classes]
    if len(box) > CANDIDATES:
        best = np.argsort(-scores, kind="stable")[:CANDIDATES]
        box, classes, scores = box[best], classes[best], scores[best]
    boxes = corners(rows[box, :4])
    stay = non_maximum_suppression(boxes, scores, classes, iou, most)
    return Detections(boxes[stay], scores[stay], classes[stay])
