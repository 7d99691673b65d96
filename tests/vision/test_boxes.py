"""Overlap of boxes against counted pixels; suppression against its definition, one pair at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import ShapeError
from kuiper.vision import corners, iou, non_maximum_suppression

SEEDS = st.integers(0, 2**32 - 1)


def random_boxes(rng: np.random.Generator, count: int, most: int = 12) -> np.ndarray:
    """(count,4) whole-numbered corners, the second never before the first."""
    return np.sort(rng.integers(0, most, (count, 2, 2)), axis=1).reshape(count, 4).astype(float)


@settings(max_examples=50, deadline=None)
@given(SEEDS)
def test_iou_is_the_share_of_common_pixels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_boxes(rng, 4), random_boxes(rng, 5)
    rows, columns = np.mgrid[:12, :12]

    def filled(box: np.ndarray) -> np.ndarray:
        return (rows >= box[1]) & (rows < box[3]) & (columns >= box[0]) & (columns < box[2])

    for i, k in np.ndindex(4, 5):
        either = (filled(a[i]) | filled(b[k])).sum()
        expected = (filled(a[i]) & filled(b[k])).sum() / either if either else 0
        assert iou(a, b)[i, k] == pytest.approx(expected)


def test_corners_turn_centres_and_extents_round() -> None:
    boxes = np.array([[10.0, 20, 4, 6], [0, 0, 1, 1]])
    np.testing.assert_array_equal(corners(boxes), [[8, 17, 12, 23], [-0.5, -0.5, 0.5, 0.5]])


@settings(max_examples=80, deadline=None)
@given(SEEDS, st.integers(0, 25), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.integers(1, 30))
def test_suppression_follows_its_definition(
    suppress: Callable[..., list[int]], seed: int, count: int, threshold: float, most: int
) -> None:
    rng = np.random.default_rng(seed)
    boxes, classes = random_boxes(rng, count, 6), rng.integers(0, 3, count)
    scores = rng.integers(0, 5, count) / 5
    found = non_maximum_suppression(boxes, scores, classes, threshold, most)
    assert found.tolist() == suppress(boxes, scores, classes, threshold, most)


def test_suppression_is_that_of_shifted_classes_at_full_size() -> None:
    rng = np.random.default_rng(3)
    low = rng.uniform(0, 600, (25200, 2))
    boxes = np.concatenate([low, low + rng.uniform(5, 120, (25200, 2))], 1)
    scores, classes = rng.random(25200), rng.integers(0, 4, 25200)
    found = non_maximum_suppression(boxes, scores, classes, 0.45, 80)
    apart = boxes + classes[:, None] * 10_000
    alive, expected = np.ones(25200, bool), []
    for i in np.argsort(-scores, kind="stable"):
        if alive[i] and len(expected) < 80:
            expected.append(int(i))
            alive &= iou(apart[i][None], apart)[0] <= 0.45
    assert found.tolist() == expected
    assert len(found) == 80


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(ShapeError, match=r"boxes: expected \(M,4\), corners"):
        non_maximum_suppression(np.zeros((3, 5)), np.zeros(3), np.zeros(3))
    with pytest.raises(ShapeError, match=r"classes: expected \(3,\), one for each box, found \(2,\)"):
        non_maximum_suppression(np.zeros((3, 4)), np.zeros(3), np.zeros(2))
