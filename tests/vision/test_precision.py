"""Average precision against COCO's definition in slow loops, and where it is known beforehand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import KuiperError, ShapeError
from kuiper.vision import Detections, Truth, average_precision, iou


def slow(found: Sequence[Detections], truth: Sequence[Truth], number: int, threshold: float) -> float:
    """COCO's rules one box after the other: greedy matches, then the best precision at each of 101 recalls."""
    every: list[tuple[float, bool]] = []
    total = sum(int((t.classes == number).sum()) for t in truth)
    for ours, true in zip(found, truth, strict=True):
        targets = [k for k in range(len(true.boxes)) if true.classes[k] == number]
        mine = [i for i in range(len(ours.boxes)) if ours.classes[i] == number]
        for i in sorted(mine, key=lambda i: -ours.scores[i])[:100]:
            best, hit = threshold, -1
            for k in targets:
                overlap = iou(ours.boxes[i][None], true.boxes[k][None])[0, 0]
                if overlap >= best:
                    best, hit = overlap, k
            if hit >= 0:
                targets.remove(hit)
            every.append((ours.scores[i], hit >= 0))
    every.sort(key=lambda pair: -pair[0])
    points, right = [], 0
    for count, (_, hit) in enumerate(every, 1):
        right += hit
        points.append((right / total, right / count))
    recalls = [step / 100 for step in range(101)]
    return sum(max((p for recall, p in points if recall >= wanted - 1e-12), default=0.0) for wanted in recalls) / 101


def scene(rng: np.random.Generator, classes: int) -> tuple[Detections, Truth]:
    """True boxes, and boxes found near some of them, with scores that tie now and then."""
    count, guesses = int(rng.integers(0, 6)), int(rng.integers(0, 10))
    low = rng.integers(0, 40, (count, 2)).astype(float)
    boxes = np.concatenate([low, low + rng.integers(4, 25, (count, 2))], 1)
    near = boxes[rng.integers(0, count, guesses)] if count else np.tile([0.0, 0, 9, 9], (guesses, 1))
    near = near + rng.integers(-2, 3, (guesses, 4)) * (rng.random((guesses, 1)) < 0.7)
    scores = rng.random(guesses).round(1)
    return Detections(near, scores, rng.integers(0, classes, guesses)), Truth(boxes, rng.integers(0, classes, count))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_average_precision_follows_cocos_rules(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [scene(rng, 2) for _ in range(4)]
    found, truth = [p[0] for p in pairs], [p[1] for p in pairs]
    result = average_precision(found, truth)
    present = {int(c) for t in truth for c in t.classes}
    assert set(result.by_class) == present
    expected = [[slow(found, truth, c, t) for t in np.linspace(0.5, 0.95, 10)] for c in sorted(present)]
    if present:
        np.testing.assert_allclose([result.by_class[c] for c in sorted(present)], expected, atol=1e-12)
        assert result.at_50 == pytest.approx(np.mean([row[0] for row in expected]))
        assert result.at_50_to_95 == pytest.approx(np.mean(expected))
    else:
        assert np.isnan([result.at_50, result.at_50_to_95]).all()


BOXES = np.array([[0.0, 0, 10, 10], [20, 20, 30, 30]])


def single(boxes: np.ndarray, scores: list[float], classes: list[int]) -> list[Detections]:
    return [Detections(boxes, np.array(scores), np.array(classes))]


def test_all_boxes_found_is_one_and_none_is_zero() -> None:
    truth = [Truth(BOXES, np.array([3, 7]))]
    assert average_precision(single(BOXES, [0.4, 0.9], [3, 7]), truth).at_50_to_95 == 1
    assert average_precision(single(BOXES, [0.4, 0.9], [7, 3]), truth).at_50 == 0
    assert average_precision(single(np.zeros((0, 4)), [], []), truth).at_50 == 0


def test_a_worse_overlap_counts_only_up_to_its_threshold() -> None:
    shifted = BOXES[:1] + np.array([0, 0, 0, 6])  # 100 of 160 pixels: 0.625
    result = average_precision(single(shifted, [0.9], [0]), [Truth(BOXES[:1], np.array([0]))])
    assert (result.at_50, result.at_50_to_95) == (1.0, pytest.approx(0.3))


def test_a_second_box_on_the_same_thing_is_a_mistake() -> None:
    twice = single(BOXES[[0, 0, 1]], [0.9, 0.8, 0.7], [0, 0, 0])
    result = average_precision(twice, [Truth(BOXES, np.array([0, 0]))])
    assert result.at_50 == pytest.approx((51 + 50 * 2 / 3) / 101)


def test_pictures_must_be_as_many_as_truths_and_boxes_boxes() -> None:
    with pytest.raises(KuiperError, match=r"each of 1 picture\(s\), found 0"):
        average_precision([], [Truth(BOXES, np.array([0, 0]))])
    with pytest.raises(ShapeError, match=r"\(M,4\)"):
        average_precision(single(np.zeros(0), [], []), [Truth(BOXES, np.array([0, 0]))])


def test_only_the_hundred_best_boxes_of_a_class_and_picture_count() -> None:
    wrong = np.tile([50.0, 50, 60, 60], (100, 1))
    scores = [0.9] * 100 + [0.1]
    for before, expected in ((100, 0.0), (99, 1 / 100)):
        boxes = np.concatenate([wrong[:before], BOXES[:1]])
        found = single(boxes, scores[-before - 1 :], [0] * (before + 1))
        assert average_precision(found, [Truth(BOXES[:1], np.array([0]))]).at_50 == pytest.approx(expected)
