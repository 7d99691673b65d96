"""Max pooling as machine code, beside the layer."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.base import compiler
from kuiper.fast.kernels.pooling import max_pool
from kuiper.fast.kernels.pooling.max_pool import CompiledMaxPool
from kuiper.layers.image.pooling import MaxPool2d

needs_numba = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")


def image(shape, seed=0):
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    x.reshape(-1)[::17] = np.nan
    x.reshape(-1)[::23] = -np.inf
    return x


@st.composite
def options(draw):
    kernel = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    stride = tuple(draw(st.integers(-(-k // 2), k + 2)) for k in kernel)
    padding = tuple(draw(st.integers(0, k // 2)) for k in kernel)
    dilation = draw(st.sampled_from([(1, 1), (1, 2), (2, 1)]))
    return {
        "kernel_size": kernel,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": draw(st.booleans()),
    }


@pytest.mark.slow
@pytest.mark.parametrize("as_python", [True, pytest.param(False, marks=needs_numba)])
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_the_loop_gives_what_the_layer_gives(beside, lowered, layouts, as_python, data):
    layer = MaxPool2d(**data.draw(options()))
    shape = data.draw(st.tuples(*(st.integers(low, high) for low, high in ((1, 3), (1, 5), (8, 12), (8, 12)))))
    x = image(shape, data.draw(st.integers(0, 9)))
    numpy = lowered(layer, x)
    assert numpy is not None
    layout = (data.draw(st.sampled_from(layouts)), data.draw(st.sampled_from(layouts)))
    with pytest.MonkeyPatch.context() as patch:
        if as_python:
            patch.setattr(max_pool, "max_pool", lambda: max_pool.max_pool_loop)
        beside(layer, x, kernel=CompiledMaxPool(numpy), layouts=layout, threads=data.draw(st.integers(1, 3)))


def candidates(lowered, layer):
    return [type(kernel) for kernel in lowered(layer, image((1, 2, 9, 9))).candidates()]


def test_machine_code_is_a_candidate_where_windows_overlap_little(lowered, monkeypatch):
    monkeypatch.setattr(compiler, "installed", lambda: True)
    assert CompiledMaxPool in candidates(lowered, MaxPool2d(3, 2, 1))
    assert CompiledMaxPool in candidates(lowered, MaxPool2d(2))
    assert CompiledMaxPool not in candidates(lowered, MaxPool2d(5, 1, 2))


def test_without_numba_numpy_pools(lowered, beside, monkeypatch):
    monkeypatch.setattr(compiler, "installed", lambda: False)
    assert CompiledMaxPool not in candidates(lowered, MaxPool2d(2))
    monkeypatch.setattr(max_pool, "max_pool", lambda: None)
    x = image((1, 3, 8, 8))
    beside(MaxPool2d(2), x, kernel=CompiledMaxPool(lowered(MaxPool2d(2), x)))


def test_other_shapes_and_options_are_chosen_for_apart(lowered):
    keys = {
        lowered(layer, image(shape)).key
        for layer in (MaxPool2d(2), MaxPool2d(2, 3), MaxPool2d(3, 2, 1))
        for shape in ((1, 2, 9, 9), (1, 3, 9, 9), (2, 2, 9, 9))
    }
    assert len(keys) == 9
