"""Winograd's transforms are exact, and rounding stays small."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kuiper.fast.kernels.conv.winograd import Winograd, pieces, tiled, transformed, transforms, twice
from kuiper.fast.tuning.benchmark import bind_kernel
from kuiper.layers.image.convolution import Conv2d

ROOT = 2**0.5


class Exact:
    """a + b sqrt(2) with rational a and b."""

    def __init__(self, a, b=0):
        self.a, self.b = Fraction(a), Fraction(b)

    @classmethod
    def of(cls, value):
        """The number with small denominators that the float stands for: a rational, or one times sqrt(2)."""
        for a, b in ((value, 0), (0, value / ROOT)):
            found = cls(Fraction(a).limit_denominator(100), Fraction(b).limit_denominator(100))
            if abs(float(found.a) + float(found.b) * ROOT - value) < 1e-14:
                return found
        raise AssertionError(f"{value} is no such number")

    def __add__(self, other):
        return Exact(self.a + other.a, self.b + other.b)

    def __mul__(self, other):
        return Exact(self.a * other.a + 2 * self.b * other.b, self.a * other.b + self.b * other.a)

    def __eq__(self, other):
        return (self.a, self.b) == (other.a, other.b)


def exact(matrix):
    return np.array([[Exact.of(value) for value in row] for row in matrix.tolist()], object)


@pytest.mark.parametrize("m", [2, 4])
def test_the_transforms_are_a_correlation_exactly(m):
    """For every pair of unit vectors, in numbers a + b sqrt(2) without rounding."""
    back, g, into = map(exact, transforms(m))
    assert back.shape == (m, m + 2)
    assert (g.shape, into.shape) == ((m + 2, 3), (m + 2, m + 2))
    for i in range(m + 2):
        for j in range(3):
            product = [g[k, j] * into[k, i] for k in range(m + 2)]
            for row in range(m):
                total = sum((back[row, k] * product[k] for k in range(m + 2)), Exact(0))
                assert total == Exact(int(i - j == row)), (i, j, row)


@pytest.mark.parametrize(("m", "limit"), [(2, 1e-6), (4, 5e-6)])
@pytest.mark.parametrize(("channels", "size"), [(64, 28), (256, 12)])
def test_errors_are_small(lowered, m, limit, channels, size):
    rng = np.random.default_rng(m)
    x = rng.standard_normal((1, channels, size, size)).astype(np.float32)
    layer = Conv2d((rng.standard_normal((32, channels, 3, 3)) / channels**0.5).astype(np.float32), padding=1)
    general = lowered(layer, x)
    kernel = Winograd(general.problem, general.epilogue, m=m)
    from kuiper.fast.kernels.base.buffer import Spec

    bound = bind_kernel(kernel, [Spec(x.shape, x.dtype, True, x)], [Spec((1, 32, size, size), x.dtype)])
    bound.run()
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    expected = np.einsum("nchwij,ocij->nohw", windows, layer.weight.astype(np.float64), optimize=True)
    error = np.abs(bound.outputs[0].array - expected).max() / np.abs(expected).max()
    assert error <= limit


def test_weights_are_transformed_in_both_directions():
    weight = np.random.default_rng(0).standard_normal((5, 4, 3, 3))
    g = transforms(4)[1]
    result = transformed(weight, 4)
    assert (result.shape, result.dtype) == ((36, 4, 5), np.float32)
    expected = np.einsum("ai,ocij,bj->abco", g, weight, g).reshape(36, 4, 5)
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)


def test_a_matrix_applied_twice_is_applied_to_rows_and_columns():
    matrix, tile = np.random.default_rng(0).standard_normal((2, 3)), np.random.default_rng(1).standard_normal((3, 3))
    np.testing.assert_allclose(twice(matrix) @ tile.ravel(), (matrix @ tile @ matrix.T).ravel(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("m", [2, 4])
def test_pieces_cover_every_row_once(m):
    for extent in range(1, 20):
        rows = [row for (start, stop), _ in pieces(extent, m) for row in range(start, stop)]
        assert rows == list(range(extent))
        assert all((stop - start) % used == 0 for (start, stop), used in pieces(extent, m))


def test_pixels_by_tile_are_the_same_memory():
    pixels = np.arange(6 * 8 * 3).reshape(6, 8, 3)[:, :, 1:]
    view = tiled(pixels, 3, 2)
    assert np.shares_memory(view, pixels)
    np.testing.assert_array_equal(view.reshape(6, 8, 2), pixels)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (Conv2d(np.ones((8, 8, 3, 3), np.float32), stride=2), (1, 8, 20, 20)),
        (Conv2d(np.ones((8, 8, 3, 3), np.float32), dilation=2), (1, 8, 20, 20)),
        (Conv2d(np.ones((8, 8, 3, 2), np.float32)), (1, 8, 20, 20)),
        (Conv2d(np.ones((8, 4, 3, 3), np.float32), groups=2), (1, 8, 20, 20)),
        (Conv2d(np.ones((8, 8, 3, 3), np.float32)), (1, 8, 3, 20)),
        (Conv2d(np.ones((8, 7, 3, 3), np.float32)), (1, 7, 20, 20)),
    ],
)
def test_it_is_no_candidate_where_it_does_not_fit(lowered, layer, shape):
    assert Winograd.variants(lowered(layer, np.ones(shape, np.float32)).problem) == []
