"""Layers around other layers have the kernel of the layer inside, when their options are constants."""

from __future__ import annotations

import numpy as np
import pytest
from kuiper.layers.arrays.leftovers import Leftover
from kuiper.layers.image.late_pooling import LatePool
from kuiper.layers.operation import _Declared

from kuiper.fast.kernel import View
from kuiper.fast.kernels.box_pooling import ImageMean, MeanOf
from kuiper.fast.kernels.pooling import Pool
from kuiper.fast.kernels.reshape import Reshape
from kuiper.fast.kernels.resize import Resize
from kuiper.layers.arrays import joining, shape
from kuiper.layers.elementwise import conversion
from kuiper.layers.image import pooling, resize
from kuiper.layers.layer import _Late
from kuiper.layers.reduction import reduction

IMAGE = np.random.default_rng(0).standard_normal((2, 3, 6, 8)).astype(np.float32)


def late(layer, dropped=frozenset(), options=None, **slots):
    return _Late(layer, options or {}, {slot: name for name, slot in slots.items()}, set(dropped))


def declared(layer, asked=None, natural=reduction.Mean.natural_type):
    return _Declared(layer, None if asked is None else np.dtype(asked), natural, 1)


@pytest.mark.parametrize(
    ("layer", "inputs", "kernel"),
    [
        (late(resize.Upsample, size=1), ([9, 4],), Resize),
        (late(shape.Reshape, shape=1), ([2, -1],), Reshape),
        (LatePool(pooling.AvgPool2d), ([2, 3], [2, 2], [0, 0], False, True, None), Pool),
        (LatePool(pooling.MaxPool2d), ([2, 3], [2, 2], [0, 0], [1, 1], False), Pool),
        (declared(reduction.Mean([2, 3])), (), ImageMean),
        (declared(reduction.Mean()), ([1], True), None),
        (declared(reduction.Mean()), ([1], True, None), MeanOf),
        (Leftover(shape.Expand, "x sizes"), ([4, 2, 3, 6, 8],), View),
    ],
)
def test_constant_options_make_the_layer_inside(lowered, beside, layer, inputs, kernel):
    if kernel is None:
        with pytest.raises(Exception, match="expected"):
            layer.forward(IMAGE, *inputs)
        return
    found = lowered(layer, IMAGE, *inputs)
    assert isinstance(found, kernel)
    if not isinstance(found, View):
        beside(layer, IMAGE, *inputs)


def test_options_that_change_are_left_to_the_layer(lowered):
    size = np.array([9, 4])  # an array that is no constant
    assert lowered(late(resize.Upsample, size=1), IMAGE, size) is None
    assert lowered(LatePool(pooling.AvgPool2d), IMAGE, np.array([2, 3])) is None
    assert lowered(Leftover(shape.Expand, "x sizes"), IMAGE, np.array([1, *IMAGE.shape])) is None


def test_a_late_option_before_the_input_is_left_to_the_layer(lowered):
    assert lowered(late(shape.Reshape, shape=0), [2, -1], IMAGE) is None


def test_a_conversion_before_the_operation_is_left_to_the_layer(lowered):
    assert lowered(declared(reduction.Mean([1]), "f8"), IMAGE) is None


def test_what_has_no_kernel_has_none(lowered):
    assert lowered(declared(reduction.Amax([1])), IMAGE) is None
    assert lowered(Leftover(conversion.Copy, "x x _"), IMAGE, IMAGE, False) is None
    assert lowered(Leftover(np.transpose, "x"), IMAGE) is None


def test_a_join_does_not_take_its_options_for_parts(lowered):
    assert lowered(late(joining.Cat, dim=2), IMAGE, IMAGE, 1) is None
