"""Shape operators against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.layers.shape import ChannelShuffle, Flatten, Permute, Squeeze, Transpose, Unsqueeze

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
