"""Pixel shuffle: worked numbers, the inverse, errors."""

import numpy as np
import pytest

from kuiper.errors import ParameterError, ShapeError
from kuiper.layers.image.pixel import PixelShuffle, PixelUnshuffle


def test_four_channels_become_a_square_of_pixels():
    x = np.array([10, 20, 30, 40]).reshape(1, 4, 1, 1)
    assert PixelShuffle(2).forward(x).tolist() == [[[[10, 20], [30, 40]]]]


def test_channels_of_one_output_channel_lie_together():
    x = np.arange(8).reshape(8, 1, 1)
    assert PixelShuffle(2).forward(x).tolist() == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]


@pytest.mark.parametrize("shape", [(9, 2, 3), (2, 18, 1, 4), (2, 3, 9, 2, 2), (0, 9, 2, 2), (2, 0, 3, 3), (0, 9, 0, 2)])
def test_unshuffle_is_the_inverse_for_any_leading_dimensions(shape):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    y = PixelShuffle(3).forward(x)
    assert y.shape == (*shape[:-3], shape[-3] // 9, shape[-2] * 3, shape[-1] * 3)
    np.testing.assert_array_equal(PixelUnshuffle(3).forward(y), x, strict=True)


def test_channels_that_do_not_divide_are_refused():
    with pytest.raises(ShapeError, match=r"a multiple of upscale_factor\*upscale_factor=4 channels, found 6"):
        PixelShuffle(2).forward(np.zeros((1, 6, 2, 2)))


def test_pixels_that_do_not_divide_are_refused():
    with pytest.raises(ShapeError, match="multiples of downscale_factor=2"):
        PixelUnshuffle(2).forward(np.zeros((1, 1, 3, 2)))


def test_fewer_than_three_dimensions_are_refused():
    with pytest.raises(ShapeError, match=r"\(..., C, H, W\), found shape \(4, 4\)"):
        PixelShuffle(2).forward(np.zeros((4, 4)))


def test_a_factor_below_one_is_refused():
    with pytest.raises(ParameterError, match="upscale_factor: expected 1 or more, found 0"):
        PixelShuffle(0)
