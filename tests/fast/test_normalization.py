"""Normalizations give what the layers give: options, layouts, threads, and numbers far from 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.norm import group_norm, row_norm
from kuiper.fast.kernels.norm.row_norm import RowNorm
from kuiper.fast.tuning.benchmark import bind_kernel
from kuiper.layers.normalization.group_norm import GroupNorm, InstanceNorm, InstanceNorm1d, InstanceNorm2d
from kuiper.layers.normalization.normalization import LayerNorm, RMSNorm

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


@pytest.fixture(autouse=True)
def always_fork(monkeypatch):
    monkeypatch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    axes=st.integers(1, 3),
    weight=st.booleans(),
    bias=st.booleans(),
    rms=st.booleans(),
    eps=st.sampled_from([1e-5, 1e-3]),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 2),
    cached=st.sampled_from([1, 30, 1 << 15]),
)
def test_rows(beside, shape, axes, weight, bias, rms, eps, ways, threads, cached):
    last = tuple(shape[-min(axes, len(shape)) :])
    w, b = numbers(1, *last) if weight else None, numbers(2, *last) if bias else None
    layer = RMSNorm(last, w, eps) if rms else LayerNorm(last, w, b, eps)
    with pytest.MonkeyPatch.context() as patch:
        for module in (group_norm, row_norm):
            patch.setattr(module, "CACHED", cached)
        beside(layer, numbers(0, *shape), layouts=ways, threads=threads, atol=1e-5)


def test_the_step_of_the_type_keeps_the_root_from_0(beside):
    beside(RMSNorm(4), np.zeros((3, 4), np.float32))


def test_a_large_mean_does_not_drown_the_variance():
    """Against float64: rounding the mean of numbers near 1000 alone costs 3e-5 of their deviations."""
    x = numbers(0, 16, 512) + np.float32(1000)
    spec = Spec(x.shape, x.dtype, True, x)
    bound = bind_kernel(RowNorm(512, None, None, 1e-5), [spec], [Spec(x.shape, x.dtype)])
    bound.run()
    wide = x.astype(float)
    exact = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(bound.outputs[0].array, exact, atol=5e-4)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    n=st.integers(1, 3),
    groups=st.integers(1, 4),
    size=st.integers(1, 5),
    places=st.lists(st.integers(1, 7), max_size=3),
    weight=st.booleans(),
    bias=st.booleans(),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 3),
    cached=st.sampled_from([1, 30, 1 << 15]),
)
def test_groups_of_channels(beside, n, groups, size, places, weight, bias, ways, threads, cached):
    channels = groups * size
    w, b = numbers(1, channels) if weight else None, numbers(2, channels) if bias else None
    x = numbers(0, n, channels, *places)
    if n * size * int(np.prod(places)) == 1:
        return
    with pytest.MonkeyPatch.context() as patch:
        for module in (group_norm, row_norm):
            patch.setattr(module, "CACHED", cached)
        beside(GroupNorm(groups, w, b, 1e-3), x, layouts=ways, threads=threads, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "shape"), [(InstanceNorm, (2, 6, 5)), (InstanceNorm1d, (2, 6, 5)), (InstanceNorm2d, (1, 6, 5, 4))]
)
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("way", ["nchw", "nhwc", "halo", "wide"])
def test_each_channel_by_itself(beside, kind, shape, affine, way):
    layer = kind(weight=numbers(1, 6) if affine else None, bias=numbers(2, 6) if affine else None)
    for threads in (1, 2):
        beside(layer, numbers(0, *shape), layouts=(way, way), threads=threads, atol=1e-5)


def test_what_has_no_kernel(lowered):
    assert lowered(LayerNorm(3), np.ones((2, 3))) is None
    assert lowered(LayerNorm(3), np.ones((0, 3), np.float32)) is None
    assert lowered(LayerNorm(3, numbers(0, 3)), np.ones((2, 3), np.float16)) is None
    assert lowered(RMSNorm(3), np.ones((2, 3), np.float16)) is None
    assert lowered(GroupNorm(1), np.ones((2, 3, 4))) is None
    assert lowered(InstanceNorm1d(), numbers(0, 3, 4)) is None
    running = {"running_mean": numbers(0, 3), "running_var": np.ones(3, np.float32), "track_running_stats": True}
    assert lowered(InstanceNorm1d(**running), numbers(0, 2, 3, 4)) is None
