"""Sampling: worked places, padding modes, errors."""

import numpy as np
import pytest

from kuiper.errors import InferError, ParameterError, ShapeError
from kuiper.layers.image.sampling import AffineGrid, GridSample, fold_back

ROW = np.array([[[[1.0, 2.0, 4.0]]]])


def at(*numbers, **options):
    """The samples of ROW at the given numbers -1 ... 1."""
    grid = np.array([[[[number, 0.0] for number in numbers]]])
    return GridSample(**options).forward(ROW, grid)[0, 0, 0].tolist()


def test_corners_are_the_middles_of_the_outer_pixels_when_aligned():
    assert at(-1, -0.5, 0, 0.5, 1, align_corners=True) == [1, 1.5, 2, 3, 4]


def test_corners_are_the_outer_edges_otherwise_and_half_of_a_pixel_is_seen_there():
    assert at(-1, -2 / 3, 0, 1) == [0.5, 1, 2, 2]


@pytest.mark.parametrize(("mode", "expected"), [("zeros", 0), ("border", 4), ("reflection", 2)])
def test_each_padding_mode_reads_something_else_beyond_the_border(mode, expected):
    assert at(2, padding_mode=mode, align_corners=True) == [expected]


def test_nearest_takes_one_pixel_and_a_half_goes_to_the_even_one():
    assert at(-0.6, -0.5, 0.5, mode="nearest", align_corners=True) == [1, 1, 4]


def test_cubic_goes_through_the_pixels():
    assert at(-1, 0, 1, mode="bicubic", align_corners=True) == [1, 2, 4]


def test_a_value_outside_never_spreads():
    x = np.array([[[[np.inf, 1.0]]]])
    assert GridSample().forward(x, np.array([[[[5.0, 0.0]]]])).item() == 0


@pytest.mark.parametrize(("place", "expected"), [(-1, 1), (0, 0), (3, 3), (4, 2), (7, 1), (-8, 2)])
def test_folding_back_mirrors_at_both_ends(place, expected):
    assert fold_back(np.array([float(place)]), 0, 3) == [expected]


def test_folding_back_between_two_equal_ends_gives_zero():
    assert fold_back(np.array([5.0]), 0, 0) == [0]


def test_the_identity_matrix_gives_a_grid_that_changes_nothing():
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
    theta = np.tile(np.array([[1.0, 0, 0], [0, 1, 0]]), (2, 1, 1))
    for align_corners in (True, False):
        grid = AffineGrid(x.shape, align_corners).forward(theta)
        np.testing.assert_allclose(GridSample(align_corners=align_corners).forward(x, grid), x, atol=1e-12)


def test_an_affine_grid_scales_turns_and_shifts():
    theta = np.array([[[0.0, 2, 0.5], [1, 0, 0]]])
    grid = AffineGrid([1, 1, 2, 2], align_corners=True).forward(theta)
    assert grid[0].tolist() == [[[-1.5, -1], [-1.5, 1]], [[2.5, -1], [2.5, 1]]]


@pytest.mark.parametrize("option", ["mode", "padding_mode"])
def test_unknown_modes_are_named_with_the_known_ones(option):
    with pytest.raises(ParameterError, match=f"{option}: expected one of .*, found 'x'"):
        GridSample(**{option: "x"})


@pytest.mark.parametrize(
    ("shape", "grid", "message"),
    [
        ((1, 2, 3), (1, 3, 2), "rank 4 or 5 for mode bilinear"),
        ((1, 1, 0, 2), (1, 1, 1, 2), "at least one pixel"),
        ((1, 1, 2, 2), (2, 1, 1, 2), r"grid: expected \(1, H', W', 2\)"),
        ((1, 1, 2, 2, 2), (1, 1, 1, 1, 2), r"grid: expected \(1, ..., H', W', 3\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shape, grid, message):
    with pytest.raises(ShapeError, match=message):
        GridSample().forward(np.zeros(shape), np.zeros(grid))


def test_cubic_in_space_is_refused():
    with pytest.raises(ShapeError, match="rank 4 for mode bicubic"):
        GridSample("bicubic").forward(np.zeros((1, 1, 2, 2, 2)), np.zeros((1, 1, 1, 1, 3)))


def test_different_element_types_are_refused():
    with pytest.raises(InferError, match="the same float type, found float64 and float32"):
        GridSample().forward(ROW, np.zeros((1, 1, 1, 2), np.float32))


def test_a_matrix_of_another_shape_is_refused():
    with pytest.raises(ShapeError, match=r"theta: expected \(1, 2, 3\)"):
        AffineGrid([1, 1, 2, 2]).forward(np.zeros((1, 3, 4)))


def test_a_size_without_pixels_is_refused():
    with pytest.raises(ParameterError, match="size"):
        AffineGrid([1, 1, 0, 2])
