"""Comparison, logic and clamp: worked values, and what is refused."""

import numpy as np
import pytest

from kuiper.errors import InferError, ParameterError
from kuiper.graph import Operand, Operator
from kuiper.layers import registry
from kuiper.layers.elementwise.elementwise import LAYERS, Clamp, ClampMax, ClampMin

X = np.array([1.0, 2.0, np.nan], np.float32)


def test_a_number_is_compared_in_the_arrays_own_type():
    assert LAYERS["eq"](other=0.1).forward(np.array([0.1], np.float32)).tolist() == [True]
    assert LAYERS["eq"](other=-1).forward(np.array([255, 1], np.uint8)).tolist() == [True, False]


def test_a_number_may_be_the_first_operand():
    layer = LAYERS["bitwise_left_shift"](input=3, other=np.array([0, 1, 2], np.int32))
    assert (layer.forward().tolist(), layer.forward().dtype) == ([3, 6, 12], np.int32)


def test_infinity_arrives_as_text():
    assert LAYERS["lt"](other="inf").forward(X).tolist() == [True, True, False]
    assert Clamp(min="-inf", max=1).forward(X)[:2].tolist() == [1, 1]


def test_clamp_takes_the_upper_bound_when_the_bounds_cross_and_keeps_nan():
    assert Clamp(min=3, max=0).forward(X)[:2].tolist() == [0, 0]
    assert np.isnan(Clamp(min=3, max=0).forward(X)[2])


def test_one_sided_clamps_take_their_bound_as_an_option_or_as_an_input():
    late = [
        registry.create(Operator(kind, "op", [Operand("x"), Operand("bound")], [Operand("y")]))
        for kind in ("aten::clamp_min", "aten::clamp_max")
    ]
    assert ClampMin(min=1.5).forward(X)[:2].tolist() == late[0].forward(X, 1.5)[:2].tolist() == [1.5, 2]
    assert ClampMax(max=1.5).forward(X)[:2].tolist() == late[1].forward(X, 1.5)[:2].tolist() == [1, 1.5]


def test_clamp_without_any_bound_is_refused():
    with pytest.raises(ParameterError, match="one of them at least"):
        Clamp().forward(X)


@pytest.mark.parametrize("name", ["lt", "bitwise_and", "bitwise_right_shift"])
def test_complex_numbers_have_no_order_and_no_bits(name):
    with pytest.raises(InferError, match="not defined for complex128"):
        LAYERS[name](other=1).forward(np.array([1j]))


def test_a_missing_operand_is_named():
    with pytest.raises(InferError, match="expected 2 inputs, found 1"):
        LAYERS["eq"]().forward(X)
