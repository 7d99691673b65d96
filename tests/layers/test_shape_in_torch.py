"""Shape operators against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.layers.arrays.shape import (
    ChannelShuffle,
    Expand,
    ExpandAs,
    Flatten,
    Movedim,
    Permute,
    ReshapeAs,
    Squeeze,
    T,
    Transpose,
    Unflatten,
    Unsqueeze,
)

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=5)
QUICK = settings(max_examples=50, deadline=None)


def filled(shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def check(layer, x, expected):
    before = x.copy()
    y = layer.forward(x)
    assert y.shape == tuple(expected.shape)
    np.testing.assert_array_equal(y, expected.numpy())
    np.testing.assert_array_equal(x, before)


@given(shape=SHAPES, data=st.data())
@QUICK
def test_flatten(shape, data):
    rank = len(shape)
    start = data.draw(st.integers(0, rank - 1))
    end = data.draw(st.integers(start, rank - 1)) - data.draw(st.sampled_from([0, rank]))
    x = filled(shape)
    check(Flatten(start, end), x, torch.flatten(torch.from_numpy(x), start, end))


@given(shape=SHAPES, data=st.data())
@QUICK
def test_permute_and_transpose(shape, data):
    x = filled(shape)
    dims = data.draw(st.permutations(range(-len(shape), 0)))
    check(Permute(dims), x, torch.from_numpy(x).permute(*dims))
    check(Transpose(dims[0], dims[-1]), x, torch.from_numpy(x).transpose(dims[0], dims[-1]))


@given(shape=SHAPES, data=st.data())
@QUICK
def test_squeeze_and_unsqueeze(shape, data):
    x = filled(shape)
    dims = data.draw(st.sets(st.integers(0, len(shape) - 1)))
    new = data.draw(st.integers(-len(shape) - 1, len(shape)))
    check(Squeeze(), x, torch.from_numpy(x).squeeze())
    check(Squeeze(sorted(dims)), x, torch.from_numpy(x).squeeze(tuple(dims)))
    check(Unsqueeze(new), x, torch.from_numpy(x).unsqueeze(new))


@given(groups=st.integers(1, 4), each=st.integers(1, 3), rest=st.lists(st.integers(1, 3), max_size=3))
@QUICK
def test_channel_shuffle(groups, each, rest):
    x = filled([2, groups * each, *rest])
    expected = torch.from_numpy(x).reshape(2, groups, each, *rest).transpose(1, 2).reshape(x.shape)
    check(ChannelShuffle(groups), x, expected)


@given(shape=SHAPES, data=st.data())
@QUICK
def test_movedim(shape, data):
    x = filled(shape)
    source = data.draw(st.permutations(range(len(shape))))[: data.draw(st.integers(0, len(shape)))]
    destination = data.draw(st.permutations(range(-len(shape), 0)))[: len(source)]
    check(Movedim(source, destination), x, torch.movedim(torch.from_numpy(x), source, destination))
    check(Movedim(0, -1), x, torch.movedim(torch.from_numpy(x), 0, -1))


@given(before=st.lists(st.integers(0, 3), max_size=2), sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3))
@QUICK
def test_unflatten(before, sizes):
    x = filled([*before, int(np.prod(sizes)), 2])
    theirs = torch.from_numpy(x).unflatten(-2, sizes)
    check(Unflatten(-2, sizes), x, theirs)
    check(Unflatten(len(before), unflattened_size=[-1, *sizes[1:]]), x, theirs)


@pytest.mark.parametrize("shape", [[], [3], [2, 3], [0, 2]])
def test_t(shape):
    check(T(), filled(shape), torch.from_numpy(filled(shape)).t())


def test_shapes_taken_from_another_array():
    x, other = filled([2, 1, 3]), np.zeros((4, 2, 5, 3), bool)
    assert ExpandAs().forward(x, other).shape == (4, 2, 5, 3)
    check(Expand(size=[4, 2, 5, 3]), x, torch.from_numpy(x).expand(4, 2, 5, 3))
    np.testing.assert_array_equal(ReshapeAs().forward(x, np.zeros((3, 2))), x.reshape(3, 2))
