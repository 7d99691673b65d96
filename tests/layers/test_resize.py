"""Resizing: worked numbers, sizes, errors."""

import numpy as np
import pytest

from kuiper.errors import InferError, ParameterError, ShapeError
from kuiper.graph import Operand, Operator
from kuiper.layers import registry
from kuiper.layers.image.resize import Upsample, UpsamplingBilinear2d

ROW = np.array([[[0.0, 1.0]]])
SQUARE = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])


def test_nearest_by_one_and_a_half_repeats_the_first():
    assert Upsample(scale_factor=1.5).forward(ROW).tolist() == [[[0.0, 0.0, 1.0]]]


def test_nearest_by_two_repeats_rows_and_columns():
    y = Upsample(scale_factor=[2.0, 2.0]).forward(SQUARE)
    assert y[0, 0].tolist() == [[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]]


def test_linear_by_two_has_quarters_and_a_flat_border():
    assert Upsample(scale_factor=2, mode="linear").forward(ROW).tolist() == [[[0.0, 0.25, 0.75, 1.0]]]


def test_linear_with_corners_aligned_is_evenly_spaced():
    y = Upsample(size=5, mode="linear", align_corners=True).forward(ROW)
    assert y.tolist() == [[[0.0, 0.25, 0.5, 0.75, 1.0]]]


def test_area_takes_means():
    assert Upsample(size=[1, 2], mode="area").forward(SQUARE).tolist() == [[[[2.0, 3.0]]]]


def test_upsampling_bilinear_aligns_corners():
    assert UpsamplingBilinear2d(size=[2, 3]).forward(SQUARE)[0, 0].tolist() == [[1.0, 1.5, 2.0], [3.0, 3.5, 4.0]]


@pytest.mark.parametrize("size", [3, [3, 3], np.array(3), np.array([3, 3]), [3.0, 3.0]])
def test_a_size_may_come_in_any_form(size):
    assert Upsample(size=size).forward(SQUARE).shape == (1, 1, 3, 3)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_choosing_modes_keep_integers(mode):
    y = Upsample(size=3, mode=mode).forward(np.array([[[1, 2]]], np.int32))
    assert y.dtype == np.int32


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "area"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_constant_image_stays_constant_and_keeps_its_type(mode, dtype):
    y = Upsample(size=[7, 2], mode=mode).forward(np.full((1, 2, 3, 5), 2.5, dtype))
    assert y.dtype == dtype
    np.testing.assert_allclose(y, np.full((1, 2, 7, 2), 2.5), rtol=1e-6)


def test_an_unknown_mode_is_named_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"mode: expected one of nearest, .* found 'lanczos'"):
        Upsample(size=2, mode="lanczos")


@pytest.mark.parametrize("options", [{}, {"size": 2, "scale_factor": 2.0}])
def test_either_size_or_scale_factor_must_be_given(options):
    with pytest.raises(ParameterError, match="either scale_factor or size"):
        Upsample(**options)


def test_antialias_lets_every_element_have_its_part():
    row = np.array([[[[0.0, 0, 0, 8, 0, 0, 0, 0]]]])
    assert Upsample(size=[1, 2], mode="bilinear").forward(row).tolist() == [[[[0, 0]]]]
    y = Upsample(size=[1, 2], mode="bilinear", antialias=True).forward(row)
    assert y[0, 0, 0, 0] > y[0, 0, 0, 1] > 0


def test_antialias_is_refused_where_the_mode_has_none():
    with pytest.raises(ParameterError, match="antialias: expected False, or mode bilinear or bicubic, found True with"):
        Upsample(size=2, mode="nearest", antialias=True)


@pytest.mark.parametrize(("scales", "size"), [([[0.5, 0.5]], None), ([None], [2, 2]), ([0.5, None], [2, 2])])
def test_the_operators_that_pnnx_leaves_for_antialias_take_sizes_or_scales_as_inputs(scales, size):
    x = np.random.default_rng(0).normal(size=(1, 1, 4, 4))
    for mode in ("bilinear", "bicubic"):
        expected = Upsample(size=2, mode=mode, antialias=True).forward(x)
        inputs = [Operand(str(slot)) for slot in range(3 + len(scales))]
        layer = registry.create(Operator(f"aten::_upsample_{mode}2d_aa", "resize", inputs, [Operand("y")]))
        np.testing.assert_allclose(layer.forward(x, size, False, *scales), expected)


def test_bytes_are_rounded():
    y = Upsample(size=[1, 3], mode="bilinear", align_corners=True).forward(np.array([[[[0, 255]]]], np.uint8))
    assert (y.dtype, y.ravel().tolist()) == (np.uint8, [0, 128, 255])


@pytest.mark.parametrize(("mode", "dtype"), [("bilinear", np.int64), ("linear", np.uint8), ("area", np.uint8)])
def test_integers_cannot_be_interpolated(mode, dtype):
    x = np.ones((1, 1, 2) if mode == "linear" else (1, 1, 2, 2), dtype)
    with pytest.raises(InferError, match=f"expected float elements for mode {mode}"):
        Upsample(size=3, mode=mode).forward(x)


def test_a_rank_that_does_not_fit_the_mode_is_refused():
    with pytest.raises(ShapeError, match=r"rank 4 for mode bilinear, found shape \(1, 1, 2\)"):
        Upsample(size=2, mode="bilinear").forward(ROW)


@pytest.mark.parametrize("options", [{"size": [0, 2]}, {"scale_factor": 0.3}])
def test_an_output_without_elements_is_refused(options):
    with pytest.raises(ShapeError, match="output: expected sizes of 1 at least, found"):
        Upsample(**options).forward(SQUARE)


@pytest.mark.parametrize("name", ["size", "scale_factor"])
def test_one_number_or_one_for_each_dimension_is_needed(name):
    with pytest.raises(ShapeError, match=f"{name}: expected one number, or 2: one for each dimension"):
        Upsample(**{name: [2, 2, 2]}).forward(SQUARE)
