"""Power-average pooling computes what PyTorch computes, and refuses what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.image.pooling import LPPool1d, LPPool2d, LPPool3d

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

LAYERS = {1: LPPool1d, 2: LPPool2d, 3: LPPool3d}
SMALL = st.integers(1, 3)
NORMS = st.sampled_from([1, 2, 3, 2.0, 1.2, 0.5, -1.0, float("inf"), -float("inf"), 0])


def same_or_both_refuse(ours, theirs, tolerance: float) -> None:
    """Either PyTorch computes and we compute the same, or it raises and we raise a KuiperError."""
    try:
        expected = theirs().numpy()
    except (RuntimeError, ValueError, ZeroDivisionError):
        with pytest.raises(KuiperError):
            ours()
        return
    found = ours()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(axes=st.sampled_from([1, 2, 2, 3]), norm_type=NORMS, ceil_mode=st.booleans(), data=st.data())
def test_lp_pool_is_pytorchs_for_every_option(axes, norm_type, ceil_mode, data):
    size = [data.draw(st.integers(1, 7)) for _ in range(axes)]
    batch = data.draw(st.sampled_from([(2,), (1, 2), (2, 1)]))
    x = np.random.default_rng(data.draw(st.integers(0, 1000))).uniform(-1, 3, (*batch, *size))
    each = SMALL if axes == 1 else st.one_of(SMALL, st.tuples(*[SMALL] * axes))
    kernel = data.draw(each)
    stride = data.draw(st.one_of(st.none(), each))
    # PyTorch wants an image at least as large as the window in 3-d only, whatever ceil_mode adds
    assume(axes < 3 or min(size) >= np.max(kernel))
    same_or_both_refuse(
        lambda: LAYERS[axes](norm_type, kernel, stride, ceil_mode).forward(x),
        lambda: getattr(F, f"lp_pool{axes}d")(torch.from_numpy(x), norm_type, kernel, stride, ceil_mode),
        tolerance=1e-9,
    )


@pytest.mark.parametrize("norm_type", [2, 2.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64, np.int32, np.bool_])
def test_lp_pool_gives_the_type_that_pytorch_gives(norm_type, dtype):
    x = np.random.default_rng(0).integers(0, 4, (1, 2, 6, 6)).astype(dtype)
    same_or_both_refuse(
        lambda: LPPool2d(norm_type, 2).forward(x),
        lambda: F.lp_pool2d(torch.from_numpy(x), norm_type, 2),
        tolerance=5e-3 if dtype == np.float16 else 1e-6,
    )


class Network(torch.nn.Module):
    """Modules and functions of the same number of axes."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        module = getattr(torch.nn, f"LPPool{axes}d")
        self.first, self.second, self.largest = module(2, 3, stride=2), module(1.2, 2, ceil_mode=True), module(1, 2)
        self.function = getattr(F, f"lp_pool{axes}d")

    def forward(self, x):
        x = self.first(x)
        return self.second(x), self.function(x, 3, 2, 1), self.function(x, 0.5, 3, ceil_mode=True), self.largest(x)


@pytest.mark.parametrize("axes", [1, 2])
def test_lp_pools_run_as_pnnx_exports_them(export, axes):
    model = Network(axes).eval()
    small, large = (torch.rand(n, 2, *[size] * axes) for n, size in ((1, 10), (2, 13)))
    graph = kuiper.load(export(model, small, dynamic=(large,)))
    for x in (small, large):
        for found, expected in zip(graph(x.numpy()), model(x), strict=True):
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)
