"""Resizing against torch's interpolate and against the definition, one pixel at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import ShapeError
from kuiper.vision import resize

SIZES = st.integers(1, 9)


@settings(max_examples=60, deadline=None)
@given(SIZES, SIZES, SIZES, SIZES, st.integers(0, 2**32 - 1))
def test_each_pixel_is_the_weighted_mean_of_its_four_neighbours(h: int, w: int, height: int, width: int, seed: int):
    x = np.random.default_rng(seed).normal(size=(h, w))
    expected = np.empty((height, width))
    for i, j in np.ndindex(height, width):
        y = min(max((i + 0.5) * h / height - 0.5, 0), h - 1)
        z = min(max((j + 0.5) * w / width - 0.5, 0), w - 1)
        top, left = math.floor(y), math.floor(z)
        bottom, right = min(top + 1, h - 1), min(left + 1, w - 1)
        above = x[top, left] * (1 - (z - left)) + x[top, right] * (z - left)
        below = x[bottom, left] * (1 - (z - left)) + x[bottom, right] * (z - left)
        expected[i, j] = above * (1 - (y - top)) + below * (y - top)
    np.testing.assert_allclose(resize(x, height, width), expected, atol=1e-12)


@pytest.mark.parametrize("size", [(480, 640), (77, 91), (180, 300), (360, 540), (1, 1)])
def test_it_is_torchs_interpolate(scene: np.ndarray, size: tuple[int, int]) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    x = torch.from_numpy(scene.transpose(2, 0, 1)[None].astype(np.float64))
    expected = torch.nn.functional.interpolate(x, size, mode="bilinear", align_corners=False)[0].numpy()
    np.testing.assert_allclose(resize(scene.astype(float), *size).transpose(2, 0, 1), expected, atol=1e-9)
    assert np.abs(resize(scene, *size).transpose(2, 0, 1) - expected).max() <= 0.501


@settings(max_examples=30, deadline=None)
@given(SIZES, SIZES, st.integers(0, 255))
def test_one_colour_stays_one_colour(height: int, width: int, value: int) -> None:
    x = np.full((4, 5, 3), value, np.uint8)
    np.testing.assert_array_equal(resize(x, height, width), np.full((height, width, 3), value))


def test_no_pixels_are_an_error() -> None:
    with pytest.raises(ShapeError, match="resize: expected"):
        resize(np.zeros((0, 3)), 2, 2)
    with pytest.raises(ShapeError, match="to 0x2"):
        resize(np.zeros((3, 3)), 0, 2)
