"""Weights that stand alone, tuples, lists and dicts."""

import numpy as np
import pytest

from kuiper.errors import InferError
from kuiper.layers.arrays.structure import DictConstruct, ListConstruct, StoredArray, TupleConstruct, Unpack

X, Y = np.zeros(2), np.ones(3)


def test_attribute_gives_its_weights_without_a_copy():
    assert StoredArray(data=X).forward() is X


def test_tuples_and_lists_hold_the_inputs_themselves():
    assert TupleConstruct().forward(X, Y) == (X, Y)
    assert TupleConstruct().forward() == ()
    assert ListConstruct().forward(X, Y) == [X, Y]


def test_a_dict_alternates_keys_and_values_and_its_keys_are_strings():
    assert DictConstruct().forward("a", X, 0, Y) == {"a": X, "0": Y}


def test_a_dict_needs_a_value_for_each_key():
    with pytest.raises(InferError, match="keys and values in turn, found 3 inputs"):
        DictConstruct().forward("a", X, "b")


def test_unpack_gives_one_value_per_output():
    assert Unpack().forward((X, Y)) == (X, Y)
    assert Unpack().forward([X, Y]) == (X, Y)
    assert Unpack().forward((X,)) is X


def test_unpack_passes_the_array_of_an_operation_with_one_part():
    assert Unpack().forward(X) is X


def test_unpack_refuses_what_is_no_sequence():
    with pytest.raises(InferError, match="found int"):
        Unpack().forward(3)
