"""How well boxes are found: COCO's average precision.

Source: https://cocodataset.org/#detection-eval and https://github.com/cocodataset/cocoapi (cocoeval.py). All sizes of
box count, and every box of the truth is one thing (COCO's crowds are not told apart).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError
from kuiper.vision.boxes import as_boxes, iou
from kuiper.vision.yolo import Detections

THRESHOLDS = np.linspace(0.5, 0.95, 10)
"""The overlaps from which a box counts as found."""
RECALLS = np.linspace(0, 1, 101)
MOST = 100
"""Boxes of one class in one picture that count, the best ones."""


@dataclass(frozen=True)
class Truth:
    """What is in one picture: boxes (K,4) x1, y1, x2, y2 and their classes (K,)."""

    boxes: np.ndarray
    classes: np.ndarray


@dataclass(frozen=True)
class AveragePrecision:
    """by_class: class -> its average precision at each of THRESHOLDS, (10,); classes without a true box are absent."""

    by_class: dict[int, np.ndarray]

    @property
    def at_50(self) -> float:
        """mAP@0.5: the mean over the classes at an overlap of 0.5; nan where there is no class."""
        return float(np.mean([p[0] for p in self.by_class.values()])) if self.by_class else float("nan")

    @property
    def at_50_to_95(self) -> float:
        """mAP@0.5:0.95: the mean over the classes and over ten overlaps; nan where there is no class."""
        return float(np.mean(list(self.by_class.values()))) if self.by_class else float("nan")


def average_precision(found: Sequence[Detections], truth: Sequence[Truth]) -> AveragePrecision:
    """The boxes found in each picture, and the true ones -> average precision of each class.

    Raises KuiperError when the numbers of pictures differ, ShapeError for boxes that are none.

    >>> boxes, classes = np.array([[0.0, 0, 9, 9], [20, 20, 30, 30]]), np.array([0, 0])
    >>> half = Detections(boxes[:1], np.array([0.9]), classes[:1])
    >>> round(average_precision([half], [Truth(boxes, classes)]).at_50, 3)
    0.505
    """
    if len(found) != len(truth):
        raise KuiperError(f"expected detections for each of {len(truth)} picture(s), found {len(found)}")
    for boxes in [picture.boxes for picture in found] + [picture.boxes for picture in truth]:
        as_boxes("boxes", boxes)
    present = sorted({int(c) for picture in truth for c in picture.classes})
    return AveragePrecision({number: _of_class(number, found, truth) for number in present})


def _of_class(number: int, found: Sequence[Detections], truth: Sequence[Truth]) -> np.ndarray:
    """(10,) average precision of one class."""
    scores, hits, total = [np.zeros(0)], [np.zeros((len(THRESHOLDS), 0), bool)], 0
    for ours, true in zip(found, truth):
        chosen = np.flatnonzero(np.asarray(ours.classes) == number)
        chosen = chosen[np.argsort(-ours.scores[chosen], kind="stable")][:MOST]
        targets = true.boxes[np.asarray(true.classes) == number]
        scores.append(ours.scores[chosen])
        hits.append(match(iou(ours.boxes[chosen], targets)))
        total += len(targets)
    order = np.argsort(-np.concatenate(scores), kind="stable")
    return np.array([area_under(row[order], total) for row in np.concatenate(hits, 1)])


def match(overlaps: np.ndarray) -> np.ndarray:
    """(M,K) IoU of the boxes found, best first, with the true ones -> (10,M): whether each is a hit at each threshold.

    Each box takes the true one that overlaps it most among those not yet taken, if the overlap reaches the threshold;
    the last of several that overlap it alike.

    >>> match(np.array([[0.9], [0.6]]))[[0, 9]].tolist()
    [[True, False], [False, False]]
    """
    hits = np.zeros((len(THRESHOLDS), len(overlaps)), bool)
    for row, threshold in zip(hits, THRESHOLDS):
        free = np.ones(overlaps.shape[1], bool)
        for i, one in enumerate(overlaps):
            left = np.where(free, one, -1.0)
            best = left.max(initial=-1.0)
            if best >= min(threshold, 1 - 1e-10):
                row[i], free[np.flatnonzero(left == best)[-1]] = True, False
    return hits


def area_under(hits: np.ndarray, total: int) -> float:
    """(M,) hits of all pictures, best score first -> the mean precision at 101 recalls from 0 to 1.

    The precision at a recall is the best that is reached at that recall or a greater one, 0 beyond the last.

    >>> area_under(np.array([True, True]), 2), area_under(np.array([False]), 1)
    (1.0, 0.0)
    """
    if not len(hits):
        return 0.0
    right = np.cumsum(hits)
    precision = right / np.arange(1, len(hits) + 1)
    ceiling = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return float(ceiling[np.searchsorted(right / total, RECALLS, side="left")].mean())
