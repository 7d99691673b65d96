"""Layers some of whose options arrive as inputs have the kernel of the layer, when these options are constants."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.fast.kernels.base.kernel import View
from kuiper.fast.kernels.move.reshape import ReshapeKernel
from kuiper.fast.kernels.move.resize import Resize
from kuiper.fast.kernels.pooling.adaptive import ImageMean, MeanOf
from kuiper.fast.kernels.pooling.windows import PoolKernel
from kuiper.layers.arrays import joining, shape
from kuiper.layers.binding import Binding
from kuiper.layers.elementwise import conversion
from kuiper.layers.image import pooling, resize
from kuiper.layers.layer import Bound
from kuiper.layers.reduction import reduction

IMAGE = np.random.default_rng(0).standard_normal((2, 3, 6, 8)).astype(np.float32)


def late(layer, roles, **options):
    """The layer with the inputs in these roles: "x", the names of options, and "_" for what changes nothing."""
    return Bound(layer, Binding(options, roles.split()))


def declared(layer, asked=None, roles="x", **options):
    """The layer as an operator without a dtype that declares the type of its output."""
    return Bound(layer, Binding(options, roles.split(), None if asked is None else np.dtype(asked), 1))


AVERAGE = late(pooling.AvgPool2d, "x kernel_size stride padding ceil_mode count_include_pad divisor_override")
MAXIMUM = late(pooling.MaxPool2d, "x kernel_size stride padding dilation ceil_mode")


@pytest.mark.parametrize(
    ("layer", "inputs", "kernel"),
    [
        (late(resize.Upsample, "x size"), ([9, 4],), Resize),
        (late(shape.Reshape, "x shape"), ([2, -1],), ReshapeKernel),
        (AVERAGE, ([2, 3], [2, 2], [0, 0], False, True, None), PoolKernel),
        (MAXIMUM, ([2, 3], [2, 2], [0, 0], [1, 1], False), PoolKernel),
        (declared(reduction.Mean, dim=[2, 3]), (), ImageMean),
        (declared(reduction.Mean, roles="x dim keepdim dtype"), ([1], True, None), MeanOf),
        (late(shape.Expand, "x sizes"), ([4, 2, 3, 6, 8],), View),
    ],
)
def test_constant_options_make_the_layer(lowered, beside, layer, inputs, kernel):
    found = lowered(layer, IMAGE, *inputs)
    assert isinstance(found, kernel)
    if not isinstance(found, View):
        beside(layer, IMAGE, *inputs)


def test_options_that_change_are_left_to_the_layer(lowered):
    size = np.array([9, 4])  # an array that is no constant
    assert lowered(late(resize.Upsample, "x size"), IMAGE, size) is None
    assert lowered(late(pooling.AvgPool2d, "x kernel_size"), IMAGE, np.array([2, 3])) is None
    assert lowered(late(shape.Expand, "x sizes"), IMAGE, np.array([1, *IMAGE.shape])) is None


def test_an_option_before_the_input_is_left_to_the_layer(lowered):
    assert lowered(late(shape.Reshape, "shape x"), [2, -1], IMAGE) is None


def test_a_conversion_before_the_operation_is_left_to_the_layer(lowered):
    assert lowered(declared(reduction.Mean, "f8", dim=[1]), IMAGE) is None


def test_what_has_no_kernel_has_none(lowered):
    assert lowered(declared(reduction.Amax, dim=[1]), IMAGE) is None
    assert lowered(late(conversion.Copy, "x x _"), IMAGE, IMAGE, False) is None


def test_a_join_does_not_take_its_options_for_parts(lowered):
    assert lowered(late(joining.Cat, "x x dim"), IMAGE, IMAGE, 1) is None
