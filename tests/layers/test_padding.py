"""Padding: worked borders, and what is refused."""

import numpy as np
import pytest

from kuiper.errors import ParameterError, ShapeError
from kuiper.layers.image.padding import CircularPad, ConstantPad, Pad, ReflectionPad, ReplicationPad, ZeroPad

ROW = np.array([[1, 2, 3]])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("constant", [0, 0, 1, 2, 3, 0]),
        ("reflect", [3, 2, 1, 2, 3, 2]),
        ("replicate", [1, 1, 1, 2, 3, 3]),
        ("circular", [2, 3, 1, 2, 3, 1]),
    ],
)
def test_each_mode_fills_the_border_in_its_own_way(mode, expected):
    assert Pad([2, 1], mode).forward(ROW).tolist() == [expected]


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_negative_numbers_take_elements_away(mode):
    assert Pad([-1, -1], mode).forward(ROW).tolist() == [[2]]


def test_the_first_pair_belongs_to_the_last_dimension():
    assert Pad([1, 0, 0, 1], value=9).forward(ROW).tolist() == [[9, 1, 2, 3], [9, 9, 9, 9]]


def test_no_value_is_zero_and_the_element_type_stays():
    y = Pad([1, 0], value=None).forward(ROW.astype(np.int8))
    assert (y.dtype, y.tolist()) == (np.int8, [[0, 1, 2, 3]])


def test_the_modules_are_f_pad_with_their_mode():
    image = np.arange(6.0).reshape(1, 1, 2, 3)
    for layer, mode in ((ReflectionPad, "reflect"), (ReplicationPad, "replicate"), (CircularPad, "circular")):
        np.testing.assert_array_equal(layer([1, 1, 1, 0]).forward(image), Pad([1, 1, 1, 0], mode).forward(image))
    assert ZeroPad([1, 0, 0, 0]).forward(image)[0, 0, 0].tolist() == [0, 0, 1, 2]
    assert ConstantPad([1, 0, 0, 0], 5.0).forward(image)[0, 0, 0].tolist() == [5, 0, 1, 2]


def test_the_input_stays_as_it_was():
    image = np.zeros((1, 1, 2, 2))
    Pad([1, 1], value=7.0).forward(image)
    assert not image.any()


def test_an_unknown_mode_is_named_with_the_known_ones():
    with pytest.raises(ParameterError, match="mode: expected one of constant, reflect, replicate, circular, found 'x'"):
        Pad([1, 1], "x")


def test_an_odd_count_of_numbers_is_refused():
    with pytest.raises(ParameterError, match="pad: expected two numbers for each dimension"):
        Pad([1, 1, 1])


@pytest.mark.parametrize(
    ("pad", "mode", "message"),
    [
        ([1, 1] * 3, "constant", r"at most 4 numbers for the input \(1, 3\)"),
        ([-2, -2], "constant", r"no more elements taken away from dimension 1 than the input \(1, 3\) has"),
        ([3, 0], "reflect", r"at most 2 for mode reflect and the input \(1, 3\), found 3"),
        ([4, 0], "circular", r"at most 3 for mode circular and the input \(1, 3\), found 4"),
        ([1, 1, 1, 1], "reflect", "as mode=reflect needs"),
    ],
)
def test_a_padding_that_does_not_fit_the_input_is_refused(pad, mode, message):
    with pytest.raises(ShapeError, match=message):
        Pad(pad, mode).forward(ROW)
