"""Shape operators: PNNX's own conventions, errors, and the toolbox's flatten."""

from dataclasses import replace

import numpy as np
import pytest

from kuiper.errors import ShapeError
from kuiper.layers.arrays.shape import (
    ChannelShuffle,
    Expand,
    Flatten,
    Permute,
    Reshape,
    Squeeze,
    Transpose,
    Unsqueeze,
    integers,
)
from kuiper.toolbox import Toolbox

X = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)


@pytest.mark.parametrize("value", [7, [7], (7,), np.array(7), np.array([7]), np.int64(7), 7.0, [np.array(7)]])
def test_a_size_may_come_as_an_int_a_list_or_an_array(value):
    assert integers(value) == (7,)
    assert all(type(n) is int for n in integers(value))


def test_reshape_reads_minus_one_as_what_is_left():
    assert Reshape(shape=[2, -1]).forward(X).shape == (2, 60)


def test_reshape_reads_zero_as_the_inputs_size():
    assert Reshape(shape=[0, 0, -1]).forward(X).shape == (2, 3, 20)


@pytest.mark.parametrize(
    ("old", "shape", "new"),
    [
        ((0, 3), [-1, 3], (0, 3)),
        ((2, 0), [0, 5], (0, 5)),
        ((3, 0), [0, 3], (0, 3)),
        ((2, 0, 3), [0, -1], (2, 0)),
        ((2, 3, 0), [2, 0, 7], (2, 0, 7)),
    ],
)
def test_reshape_of_arrays_without_elements(old, shape, new):
    assert Reshape(shape=shape).forward(np.zeros(old)).shape == new


def test_reshape_to_rank_0():
    assert Reshape(shape=None).forward(np.ones((1, 1))).shape == ()


@pytest.mark.parametrize(
    ("dims", "shape"),
    [((1, -1), (2, 60)), ((0, -1), (120,)), ((2, 3), (2, 3, 20)), ((-3, -2), (2, 12, 5)), ((1, 1), (2, 3, 4, 5))],
)
def test_flatten_joins_the_dimensions_from_start_to_end(dims, shape):
    y = Flatten(*dims).forward(X)
    assert y.shape == shape
    assert y.ravel().tolist() == X.ravel().tolist()


def test_flatten_of_rank_0_has_one_element():
    assert Flatten(0, -1).forward(np.float32(3)).tolist() == [3.0]


def test_flatten_of_an_empty_batch():
    assert Flatten().forward(X[:0]).shape == (0, 60)


def test_flatten_of_images_calls_the_toolboxs_function_once_per_sample():
    seen = []

    def mine(x, row_major):
        seen.append((x.shape, row_major))
        return np.full(x.size, len(seen))

    layer = Flatten()
    layer.toolbox = replace(Toolbox(), flatten=mine)
    assert layer.forward(X).tolist() == [[1] * 60, [2] * 60]
    assert seen == [((3, 4, 5), True)] * 2


@pytest.mark.parametrize("dims", [(2, 1), (0, 4), (-5, -1)])
def test_flatten_refuses_dimensions_out_of_order_or_out_of_range(dims):
    with pytest.raises(ShapeError, match="start_dim"):
        Flatten(*dims).forward(X)


def test_permute_and_transpose_reorder_dimensions():
    assert Permute(dims=[0, -1, 1, 2]).forward(X).shape == (2, 5, 3, 4)
    assert Transpose(dim0=-1, dim1=1).forward(X).shape == (2, 5, 4, 3)


def test_squeeze_leaves_the_dimensions_that_are_not_one():
    x = np.zeros((1, 3, 1))
    assert Squeeze().forward(x).shape == (3,)
    assert Squeeze(dim=-1).forward(x).shape == (1, 3)
    assert Squeeze(dim=[0, 1]).forward(x).shape == (3, 1)
    assert Squeeze(dim=1).forward(x).shape == (1, 3, 1)


def test_unsqueeze_counts_the_new_dimension():
    assert Unsqueeze(dim=-1).forward(X).shape == (2, 3, 4, 5, 1)
    assert Unsqueeze(dim=np.array(0)).forward(X).shape == (1, 2, 3, 4, 5)


def test_expand_repeats_and_puts_dimensions_in_front():
    y = Expand(sizes=[4, -1, 3]).forward(np.array([[1], [2]]))
    assert y.tolist() == [[[1, 1, 1], [2, 2, 2]]] * 4


def test_channel_shuffle_deals_the_groups_out_in_turn():
    x = np.arange(6).reshape(1, 6, 1, 1)
    assert ChannelShuffle(groups=2).forward(x).ravel().tolist() == [0, 3, 1, 4, 2, 5]


def test_channel_shuffle_refuses_groups_that_do_not_divide():
    with pytest.raises(ShapeError, match="a multiple of groups=2 channels, found 3"):
        ChannelShuffle(groups=2).forward(X)
