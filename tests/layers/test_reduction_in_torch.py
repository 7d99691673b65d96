"""Reductions against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.layers.reduction import Amax, Amin, Mean, Sum

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

ANY = [np.float16, np.float32, np.float64, np.int32, np.uint8, np.bool_]
TABLE = {
    "mean": (Mean, torch.mean, ANY[:3]),
    "sum": (Sum, torch.sum, ANY),
    "amax": (Amax, torch.amax, ANY),
    "amin": (Amin, torch.amin, ANY),
}


@pytest.mark.parametrize("name", TABLE)
@given(data=st.data(), shape=st.lists(st.integers(1, 4), min_size=1, max_size=4), keepdim=st.booleans())
@settings(max_examples=40, deadline=None)
def test_reductions_over_any_dimensions_are_pytorchs(name, data, shape, keepdim):
    layer, function, dtypes = TABLE[name]
    dims = data.draw(st.sets(st.integers(0, len(shape) - 1)))
    dims = [dim - len(shape) * data.draw(st.booleans()) for dim in sorted(dims)]
    x = np.random.default_rng(data.draw(st.integers(0, 99))).normal(3, 4, shape)
    x = np.abs(x).astype(data.draw(st.sampled_from(dtypes)))
    expected = function(torch.from_numpy(x), dim=tuple(dims), keepdim=keepdim).numpy()
    got = layer(dim=dims or None, keepdim=keepdim).forward(x)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    tolerance = 2e-3 if x.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(got, expected, rtol=tolerance)
