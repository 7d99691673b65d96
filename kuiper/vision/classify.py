"""Lesson 8: a photograph into a classifier of ImageNet, and its scores into names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.scalars import softmax
from kuiper.vision.labels import name_of
from kuiper.vision.normalization import IMAGENET, Normalization
from kuiper.vision.pictures import checked, shrink, to_pillow


def preprocess(
    picture: np.ndarray,
    *,
    resize: int = 256,
    crop: int | tuple[int, int] = 224,
    normalization: Normalization = IMAGENET,
) -> np.ndarray:
    """(H,W,3) bytes -> (1,3,crop,crop) float32: shorter side to `resize`, centre cut out, normalized.

    Parameters
    ----------
    resize : pixels of the shorter side; Pillow's bilinear, as torchvision.
    crop : side of the square that is cut out, or its (height, width); at most what resizing leaves.
    normalization : how bytes become numbers.

    Raises ShapeError, and KuiperError without Pillow or for a crop that is larger than the resized picture.
    Source: https://docs.pytorch.org/vision/stable/models/generated/torchvision.models.resnet18.html (its transforms)
    """
    height, width = (crop, crop) if isinstance(crop, int) else crop
    picture = checked(picture)
    size = shorter_side((picture.shape[0], picture.shape[1]), resize)
    if height > size[0] or width > size[1]:
        raise KuiperError(f"crop: expected at most {size[0]}x{size[1]}, the resized picture, found {height}x{width}")
    top, left = round((size[0] - height) / 2), round((size[1] - width) / 2)
    cut = shrink(to_pillow(picture), *size)[top : top + height, left : left + width]
    return normalization(cut.transpose(2, 0, 1))[None]


def shorter_side(size: tuple[int, int], pixels: int) -> tuple[int, int]:
    """(H,W) -> (H,W) of the same shape whose shorter side has `pixels`; the longer one is rounded down.

    >>> shorter_side((480, 640), 256)
    (256, 341)
    """
    height, width = size
    if height <= width:
        return pixels, pixels * width // height
    return pixels * height // width, pixels


def probabilities(scores: np.ndarray) -> np.ndarray:
    """(N,classes) -> the same where each row is a distribution already (a network that ends in softmax), else softmax.

    >>> probabilities(np.array([[0.25, 0.75]])).tolist(), probabilities(np.array([[3.0, 3.0]])).tolist()
    ([[0.25, 0.75]], [[0.5, 0.5]])
    """
    done = (scores >= 0).all() and np.allclose(scores.sum(-1), 1, atol=1e-3)
    return scores if done else softmax(scores)


@dataclass(frozen=True)
class Guess:
    """One class that a picture may show: its number, its name, and how probable the network finds it."""

    number: int
    label: str
    probability: float


def top_classes(scores: np.ndarray, count: int = 5, labels: Sequence[str] | None = None) -> list[Guess]:
    """(classes,) logits or probabilities -> the `count` most probable classes, best first; the lower number wins ties.

    Raises ShapeError for another rank, KuiperError for numbers that are not finite.

    >>> [(g.label, round(g.probability, 2)) for g in top_classes(np.log([1.0, 3.0]), 1, ["cat", "dog"])]
    [('dog', 0.75)]
    """
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 1 or scores.size == 0:
        raise ShapeError("scores", "(classes,), one row", scores.shape)
    if not np.isfinite(scores).all():
        raise KuiperError("scores: expected finite numbers, found nan or infinity")
    shares = probabilities(scores[None])[0]
    best = np.argsort(-shares, kind="stable")[:count]
    return [Guess(int(i), name_of(labels, int(i)), float(shares[i])) for i in best]
