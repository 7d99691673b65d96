"""Resizing against PyTorch: every mode, sizes and factors."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kuiper.layers.resize import Upsample

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
interpolate = torch.nn.functional.interpolate

MODES = [
    *(("nearest", n) for n in (1, 2, 3)),
    *(("nearest-exact", n) for n in (1, 2, 3)),
    *(("area", n) for n in (1, 2, 3)),
    ("linear", 1),
    ("bilinear", 2),
    ("bicubic", 2),
    ("trilinear", 3),
]
INTERPOLATING = ("linear", "bilinear", "bicubic", "trilinear")


def check(x, dtype, **options):
    expected = interpolate(torch.from_numpy(x), **options).numpy()
    got = Upsample(**options).forward(x)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    tolerance = {np.float16: 5e-3, np.float32: 3e-5, np.float64: 1e-12}[dtype]
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("mode", "spatial"), MODES)
@given(data=st.data(), dtype=st.sampled_from([np.float32, np.float64, np.float16]))
@settings(max_examples=40, deadline=None)
def test_any_sizes(mode, spatial, data, dtype):
    shape = data.draw(st.lists(st.integers(1, 9), min_size=spatial, max_size=spatial))
    size = data.draw(st.lists(st.integers(1, 12), min_size=spatial, max_size=spatial))
    options = {"align_corners": data.draw(st.booleans())} if mode in INTERPOLATING else {}
    x = np.random.default_rng(len(shape)).normal(size=(2, 2, *shape)).astype(dtype)
    check(x, dtype, size=size, mode=mode, **options)


@pytest.mark.parametrize(("mode", "spatial"), MODES)
@given(data=st.data(), recompute=st.sampled_from([None, False, True]))
@settings(max_examples=40, deadline=None)
def test_any_factors(mode, spatial, data, recompute):
    shape = data.draw(st.lists(st.integers(1, 9), min_size=spatial, max_size=spatial))
    factors = st.one_of(st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 1.2, 3.11]), st.floats(0.3, 4))
    scale = data.draw(st.lists(factors, min_size=spatial, max_size=spatial))
    assume(all(n * factor >= 1 for n, factor in zip(shape, scale)))
    if mode == "nearest" and spatial == 2 and not recompute:
        # where a factor like 1.1 leaves the size as it was (or doubles it), PyTorch's result depends on the memory
        # format and on the size of the image, and differs from its own result in one and three dimensions
        assume(all(int(n * factor) not in (n, 2 * n) or factor in (1, 2) for n, factor in zip(shape, scale)))
    options = {"align_corners": data.draw(st.booleans())} if mode in INTERPOLATING else {}
    x = np.random.default_rng(len(shape)).normal(size=(1, 2, *shape)).astype(np.float32)
    check(x, np.float32, scale_factor=scale, recompute_scale_factor=recompute, mode=mode, **options)
