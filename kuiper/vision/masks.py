"""Scores of every class at every pixel -> the class of each pixel, and how well masks agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.vision.bilinear import resize
from kuiper.vision.yolo import sigmoid


def segment(scores: np.ndarray, size: tuple[int, int] | None = None, threshold: float = 0.5) -> np.ndarray:
    """(C,h,w) scores -> (H,W) the class with the greatest score at each pixel, the lowest number where they tie.

    One channel (C = 1) says how probable class 1 is: pixels above `threshold` are 1, others 0. Its numbers are
    probabilities where all lie in 0..1, else logits, which go through the sigmoid.

    Parameters
    ----------
    size : height and width to resize the scores to (bilinear) before they are compared; by default theirs.

    Raises ShapeError, and KuiperError for numbers that are not finite.

    >>> segment(np.array([[[1.0, 5.0]], [[2.0, 3.0]]]))
    array([[1, 0]])
    """
    scores = np.asarray(scores)
    if scores.ndim != 3 or scores.size == 0 or scores.dtype.kind != "f":
        raise ShapeError("scores", "(classes,H,W) of one picture, real numbers", f"{scores.shape} of {scores.dtype}")
    if not np.isfinite(scores).all():
        raise KuiperError("scores: expected finite numbers, found nan or infinity; are weights and input right?")
    height, width = size or scores.shape[1:]
    if len(scores) == 1:
        shares = scores[0] if scores.min() >= 0 and scores.max() <= 1 else sigmoid(scores[0])
        return (resize(shares, height, width) > threshold).astype(np.int64)
    best = resize(scores[0], height, width)
    classes = np.zeros((height, width), np.int64)
    for number in range(1, len(scores)):  # one class at a time: a large picture times all classes would not fit
        one = resize(scores[number], height, width)
        classes[one > best] = number
        best = np.maximum(best, one)
    return classes


@dataclass(frozen=True)
class MaskAgreement:
    """How well masks agree, for each class: iou (classes,), dice (classes,), nan where a class occurs in neither."""

    iou: np.ndarray
    dice: np.ndarray

    @property
    def mean_iou(self) -> float:
        """Over the classes that occur; nan where none does."""
        return _mean(self.iou)

    @property
    def mean_dice(self) -> float:
        """Over the classes that occur; nan where none does."""
        return _mean(self.dice)


def compare_masks(found: np.ndarray, truth: np.ndarray, classes: int, ignore: int | None = None) -> MaskAgreement:
    """Two arrays of classes 0..classes-1 of one shape -> for each class IoU and Dice over all pixels.

    IoU = pixels in both / pixels in either; Dice = 2 * pixels in both / (pixels in one + pixels in the other).
    `ignore` is the class of pixels of `truth` that do not count (255 in Pascal VOC). Masks of True and False have
    2 classes. Raises ShapeError, KuiperError for classes out of range.

    >>> compare_masks(np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1]), 2).iou.round(3)
    array([0.5  , 0.667])
    """
    found, truth = np.asarray(found), np.asarray(truth)
    if found.shape != truth.shape:
        raise ShapeError("found", f"the shape of truth, {truth.shape}", found.shape)
    if any(x.dtype.kind not in "biu" for x in (found, truth)):
        raise KuiperError(f"masks: expected whole numbers, found {found.dtype} and {truth.dtype}")
    counted = np.ones(truth.shape, bool) if ignore is None else truth != ignore
    a, b = found[counted].astype(np.int64), truth[counted].astype(np.int64)
    if a.size and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= classes):
        span = f"{min(a.min(), b.min())}..{max(a.max(), b.max())}"
        raise KuiperError(f"masks: expected classes 0..{classes - 1}, found {span}")
    both = np.bincount(a[a == b], minlength=classes).astype(float)
    each = np.bincount(a, minlength=classes) + np.bincount(b, minlength=classes)
    nothing = np.full(classes, np.nan)
    iou = np.divide(both, each - both, out=nothing.copy(), where=each > 0)
    return MaskAgreement(iou, np.divide(2 * both, each, out=nothing, where=each > 0))


def _mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")
