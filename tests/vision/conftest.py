"""Pictures for the tests of vision; benchmarks/ is no installed package: its networks are found in the repository."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


@pytest.fixture(scope="session")
def scene() -> np.ndarray:
    """(180,270,3) bytes: slopes, a disc and a little noise, so that resizing and cutting leave traces."""
    rows, columns = np.mgrid[:180, :270]
    picture = np.stack([rows * 255 / 179, columns * 255 / 269, (rows + columns) % 60 * 4], -1)
    picture[(rows - 60) ** 2 + (columns - 200) ** 2 < 900] = (250, 30, 60)
    picture += np.random.default_rng(0).normal(0, 6, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


@pytest.fixture(scope="session")
def suppress() -> Callable[..., list[int]]:
    """suppress(boxes, scores, classes, threshold, most) -> what stays, by the definition of suppression."""
    return in_a_loop


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """IoU of two boxes, one number at a time."""
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    together = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - width * height
    return width * height / together if together > 0 else 0.0


def in_a_loop(boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float, most: int) -> list[int]:
    """The definition: a box stays unless one that stays, of its class, is better and overlaps it too much."""
    stay: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda i: (-scores[i], i)):
        if all(classes[i] != classes[k] or overlap(boxes[i], boxes[k]) <= threshold for k in stay):
            stay.append(i)
    return stay[:most]
