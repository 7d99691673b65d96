"""Masks and their agreement against loops over the pixels, and against torch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import KuiperError, ShapeError
from kuiper.vision import compare_masks, segment

SEEDS = st.integers(0, 2**32 - 1)


def test_the_greatest_score_wins_as_in_torch_also_when_resized() -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    scores = np.random.default_rng(0).normal(size=(21, 40, 30))
    resized = torch.nn.functional.interpolate(torch.from_numpy(scores[None]), (97, 113), mode="bilinear")
    before = scores.copy()
    np.testing.assert_array_equal(segment(scores), torch.from_numpy(scores).argmax(0).numpy())
    np.testing.assert_array_equal(segment(scores, (97, 113)), resized[0].argmax(0).numpy())
    np.testing.assert_array_equal(scores, before)


def test_the_lowest_class_wins_ties() -> None:
    assert (segment(np.ones((3, 4, 5), np.float32)) == 0).all()


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
def test_one_channel_is_a_probability_or_its_logit(threshold: float) -> None:
    logits = np.random.default_rng(1).normal(0, 3, (1, 20, 20))
    shares = 1 / (1 + np.exp(-logits))
    expected = shares[0] > threshold
    np.testing.assert_array_equal(segment(logits, threshold=threshold), expected)
    np.testing.assert_array_equal(segment(shares, threshold=threshold), expected)
    assert 0 < expected.sum() < expected.size


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 5), st.booleans())
def test_agreement_is_counted_pixel_by_pixel(seed: int, classes: int, ignoring: bool) -> None:
    rng = np.random.default_rng(seed)
    found, truth = rng.integers(0, classes, (2, 4, 6))
    truth[rng.random((4, 6)) < 0.3 * ignoring] = 255
    agreement = compare_masks(found, truth, classes, 255 if ignoring else None)
    for number in range(classes):
        both = ours = theirs = 0
        for a, b in zip(found.ravel(), truth.ravel(), strict=True):
            if b != 255:
                both += a == number and b == number
                ours += a == number
                theirs += b == number
        if ours + theirs:
            assert agreement.iou[number] == pytest.approx(both / (ours + theirs - both))
            assert agreement.dice[number] == pytest.approx(2 * both / (ours + theirs))
        else:
            assert np.isnan([agreement.iou[number], agreement.dice[number]]).all()
    known = ~np.isnan(agreement.iou)
    if known.any():
        assert agreement.mean_iou == pytest.approx(agreement.iou[known].sum() / known.sum())
        assert agreement.mean_dice >= agreement.mean_iou


def test_a_mask_agrees_with_itself_and_true_and_false_are_two_classes() -> None:
    mask = np.random.default_rng(2).random((9, 9)) > 0.5
    agreement = compare_masks(mask, mask, 2)
    assert (agreement.mean_iou, agreement.mean_dice) == (1.0, 1.0)
    assert compare_masks(mask, ~mask, 2).mean_iou == 0


def test_masks_and_scores_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"the shape of truth, \(3, 3\)"):
        compare_masks(np.zeros((3, 4), int), np.zeros((3, 3), int), 2)
    with pytest.raises(KuiperError, match=r"expected classes 0\.\.1, found 0\.\.2"):
        compare_masks(np.zeros((3, 3), int), np.full((3, 3), 2), 2)
    with pytest.raises(KuiperError, match="whole numbers"):
        compare_masks(np.zeros((3, 3)), np.zeros((3, 3)), 2)
    with pytest.raises(ShapeError, match=r"\(classes,H,W\) of one picture"):
        segment(np.zeros((1, 3, 4, 4), np.float32))
    with pytest.raises(KuiperError, match="nan or infinity"):
        segment(np.full((3, 4, 4), np.inf))
