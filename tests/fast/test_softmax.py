"""Softmax and its logarithm give what the layer gives along any axis, infinities and NaN among the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kuiper.fast.kernels.norm import softmax
from kuiper.fast.kernels.norm.softmax import tiles_along
from kuiper.layers.binding import Binding
from kuiper.layers.elementwise.softmax import LogSoftmax, Softmax, Softmax2d
from kuiper.layers.layer import Bound

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])
ORDINARY = st.floats(-90, 90, width=16)
SPECIAL = ORDINARY | st.sampled_from([-np.inf, np.inf, np.nan, 3e38, -3e38])


@pytest.fixture(autouse=True)
def always_fork(monkeypatch):
    monkeypatch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)


@st.composite
def problems(draw):
    shape = draw(
        st.lists(st.integers(1, 6), min_size=1, max_size=4) | st.lists(st.integers(30, 40), min_size=1, max_size=2)
    )
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    return draw(arrays.arrays(np.float32, tuple(shape), elements=draw(st.sampled_from([ORDINARY, SPECIAL])))), axis


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    problem=problems(),
    kind=st.sampled_from([Softmax, LogSoftmax]),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 2),
    cached=st.sampled_from([1, 40, 1 << 15]),
    short=st.sampled_from([0, 32]),
)
def test_any_axis(beside, problem, kind, ways, threads, cached, short):
    x, axis = problem
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(softmax, "CACHED", cached)
        patch.setattr(softmax, "SHORT", short)
        beside(kind(axis), x, layouts=ways, threads=threads, atol=1e-5 if kind is LogSoftmax else 1e-6)


@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 3, 4, 5)])
def test_over_the_channels(beside, shape):
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    for threads in (1, 2):
        beside(Softmax2d(), x, threads=threads)


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5), (2, 3, 4, 5)])
def test_the_dimension_that_pytorch_takes_when_none_is_given(beside, shape):
    beside(Softmax(), np.random.default_rng(0).standard_normal(shape, np.float32))


def test_a_row_that_is_hidden_entirely_is_no_number(beside, lowered):
    x = np.array([[-np.inf, -np.inf], [-np.inf, 1]], np.float32)
    with np.errstate(all="ignore"):
        beside(Softmax(1), x)
        assert np.isnan(Softmax(1).forward(x)[0]).all()


def test_large_numbers_do_not_overflow(beside):
    with np.errstate(all="raise", under="ignore"):
        beside(Softmax(1), np.array([[1e4, 0, -1e4], [3e38, 3e38, 1]], np.float32))


@pytest.mark.parametrize("x", [np.ones((2, 3)), np.ones((2, 3), np.float16), np.ones((0, 3), np.float32)], ids=str)
def test_what_has_no_kernel(lowered, x):
    assert lowered(Softmax(1), x) is None


def test_another_type_than_the_inputs_has_no_kernel(lowered):
    layer = Bound(Softmax, Binding({"dim": 1}, ["x"], np.dtype(np.float64)))
    assert lowered(layer, np.ones((2, 3), np.float32)) is None


def test_no_axes_has_no_kernel(lowered):
    assert lowered(Softmax(0), np.array(1, np.float32)) is None


@given(shape=st.lists(st.integers(1, 9), min_size=1, max_size=4), size=st.integers(1, 200), axis=st.integers(0, 3))
def test_blocks_cover_everything_once_and_are_small(shape, size, axis):
    axis %= len(shape)
    x = np.zeros(shape, np.float32)
    for tile in tiles_along(x, axis, size):
        x[tile] += 1
        assert x[tile].shape[axis] == shape[axis]
        assert x[tile].size <= max(2 * size, shape[axis])
    assert (x == 1).all()
