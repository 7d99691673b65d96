"""From the detector's rows to boxes, and from boxes to mean average precision. Needs numpy alone.

Source: COCO's evaluation, https://cocodataset.org/#detection-eval (101 recalls, IoU 0.5 to 0.95 in steps of 0.05)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0, 1, 101)


def iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(M, 4), (K, 4) of left, top, right, bottom -> (M, K): intersection over union."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=2)
    areas = [np.prod(x[:, 2:] - x[:, :2], axis=1) for x in (a, b)]
    return shared / (areas[0][:, None] + areas[1][None] - shared + 1e-9)


def detections(rows: np.ndarray, least: float = 0.25, most_overlap: float = 0.45) -> np.ndarray:
    """(boxes, 5 + classes) of one picture -> (M, 6): left, top, right, bottom, score, class, best first.

    The score is confidence times the best class's probability; boxes that score less than `least` go, and so does each
    that overlaps a better one of its class by more than `most_overlap` (non-maximum suppression).
    """
    classes = rows[:, 5:].argmax(axis=1)
    scores = rows[:, 4] * rows[np.arange(len(rows)), 5 + classes]
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] >= least]
    centre, half = rows[order, :2], rows[order, 2:4] / 2
    found = np.column_stack([centre - half, centre + half, scores[order], classes[order]])
    shifted = found[:, :4] + 1e4 * found[:, 5:]  # boxes of different classes never meet
    clash = iou(shifted, shifted) > most_overlap
    kept: list[int] = []
    for i in range(len(found)):
        if not clash[i, kept].any():
            kept.append(i)
    return found[kept]


def matches(found: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """(M, 6) best first, (K, 4) -> (M, 10) bool: at each threshold, whether a detection is the first of a true box.

    Each detection takes the box that it overlaps most among those that no better detection took.
    """
    right = np.zeros((len(found), len(THRESHOLDS)), bool)
    if not len(boxes):
        return right
    overlaps = iou(found[:, :4], boxes)
    for t, threshold in enumerate(THRESHOLDS):
        free = np.ones(len(boxes), bool)
        for i, row in enumerate(overlaps):
            best = np.where(free, row, -1).argmax()
            if free[best] and row[best] >= threshold:
                free[best], right[i, t] = False, True
    return right


def average_precision(right: np.ndarray, scores: np.ndarray, total: int) -> np.ndarray:
    """(M, 10) bool, (M,), the number of true boxes -> (10,): mean over 101 recalls of the best precision there or later."""
    ordered = right[np.argsort(-scores, kind="stable")]
    hits = ordered.cumsum(axis=0)
    precision = hits / np.arange(1, len(ordered) + 1)[:, None]
    best = np.maximum.accumulate(precision[::-1], axis=0)[::-1]
    result = np.zeros(right.shape[1])
    for t in range(len(result)):
        reached = np.searchsorted(hits[:, t] / total, RECALLS, side="left")
        result[t] = np.where(reached < len(best), best[np.minimum(reached, len(best) - 1), t], 0).mean() if total else 0
    return result


def mean_average_precision(
    rows: Sequence[np.ndarray], boxes: Sequence[np.ndarray], labels: Sequence[np.ndarray]
) -> tuple[float, float]:
    """mAP at IoU 0.5, and the mean over 0.5 to 0.95, of the classes that occur.

    rows : per picture (boxes, 5 + classes), what the network gave.
    boxes, labels : per picture (K, 4) and (K,), what is there.
    """
    found = [detections(r, least=0.001, most_overlap=0.6)[:300] for r in rows]
    results = []
    for digit in np.unique(np.concatenate(labels)):
        mine = [f[f[:, 5] == digit] for f in found]
        truth = [b[label == digit] for b, label in zip(boxes, labels)]
        right = np.concatenate([matches(f, b) for f, b in zip(mine, truth)])
        scores = np.concatenate([f[:, 4] for f in mine])
        results.append(average_precision(right, scores, sum(map(len, truth))) if len(right) else np.zeros(10))
    mean = np.mean(results, axis=0)
    return float(mean[0]), float(mean.mean())
