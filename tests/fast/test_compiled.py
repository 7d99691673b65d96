"""The compiled depthwise convolution: as numpy's, for every option and layout; and everything works without numba."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kuiper.fast import choices, compiler
from kuiper.fast.kernel import LOWERINGS, Epilogue
from kuiper.fast.kernels import compiled, curves
from kuiper.fast.kernels.compiled import Compiled
from kuiper.fast.kernels.convolution import Algorithm, Convolution
from kuiper.fast.kernels.depthwise import Depthwise
from kuiper.layers.convolution import Conv2d

LAYOUT = st.sampled_from(["plain", "pixels", "halo", "wide", "wide plain"])
PAIR = st.tuples(st.integers(1, 3), st.integers(1, 3))
SIZES = [(3, 3), (1, 2)]
"""Kernels that the tests compile; each takes a while."""
ACTIVATIONS = {
    "relu": curves.clamp(0, None),
    "relu6": curves.clamp(0, 6),
    "clamp": curves.clamp(-0.5, 0.25),
    "empty clamp": curves.clamp(1, -1),
    "clamp to nan": curves.clamp(float("nan"), 1),
    "hardswish": curves.HARDSWISH,
    "silu": curves.SILU,
    "identity": curves.IDENTITY,
    "none": None,
}


@pytest.fixture(scope="module")
def numba(tmp_path_factory):
    """numba, its code kept in a folder of the test's own."""
    module = pytest.importorskip("numba", reason="compiles with numba, which is not installed")
    folder = str(tmp_path_factory.mktemp("cache"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUIPER_CACHE", folder)
        compiled.depthwise.cache_clear()
        yield module
        compiled.depthwise.cache_clear()


@pytest.fixture
def interpreted(monkeypatch):
    """The loops run as the Python that they are, whether numba is there or not."""
    monkeypatch.setattr(compiled, "depthwise", compiled.depthwise_loop)


@pytest.fixture
def without_numba(monkeypatch):
    """A Python where numba is not installed."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "numba" else found(name, *rest))


@st.composite
def problems(draw, sizes):
    """A layer and an image that it takes."""
    channels = draw(st.sampled_from([2, 3, 8, 17, 40]))
    kernel, bias = draw(sizes), draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = rng.standard_normal((draw(st.integers(1, 2)), channels, draw(st.integers(1, 9)), draw(st.integers(1, 9))))
    layer = Conv2d(
        rng.standard_normal((channels, 1, *kernel)).astype(np.float32),
        rng.standard_normal(channels).astype(np.float32) if bias else None,
        stride=draw(PAIR),
        padding=draw(st.tuples(st.integers(0, 2), st.integers(0, 2))),
        dilation=draw(PAIR),
        groups=channels,
    )
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, layer.dilation)]
    up, bottom, left, right = layer.pads
    assume(x.shape[2] + up + bottom >= reach[0] and x.shape[3] + left + right >= reach[1])
    return layer, x.astype(np.float32)


def pair(layer, x, epilogue, lower):
    """The compiled algorithm and numpy's for the same convolution."""
    problem = lower(layer, x).problem
    return Compiled(problem, epilogue), Depthwise(problem, epilogue, runs="pixels")


def magnitude(layer, x):
    """For each output the sum of its terms' sizes, by which errors of rounding are measured."""
    twin = Conv2d(abs(layer.weight), None if layer.bias is None else abs(layer.bias), stride=layer.stride,
                  padding=list(layer.padding) if hasattr(layer, "padding") else 0, dilation=layer.dilation,
                  groups=layer.groups)  # fmt: skip
    twin.pads = layer.pads
    return twin.forward(abs(x))


@pytest.mark.usefixtures("interpreted")
@settings(max_examples=60, deadline=None)
@given(case=problems(st.tuples(st.integers(1, 4), st.integers(1, 4))), ways=st.tuples(LAYOUT, LAYOUT),
       lanes=st.integers(1, 2))  # fmt: skip
def test_the_loop_is_the_convolution_for_every_option(beside, lowered, case, ways, lanes):
    layer, x = case
    x = x[:, :, :6, :6]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.workspace.WORTH_FORKING", -1)
        kernel = lowered(layer, x)
        beside(layer, x, kernel=Compiled(kernel.problem, kernel.epilogue), layouts=ways, lanes=lanes, atol=1e-5)
