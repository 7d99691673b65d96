"""Sampling against PyTorch: every mode, padding mode and alignment, in the plane and in space."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.layers.image.sampling import MODES, PADDING_MODES, AffineGrid, GridSample

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

CASES = [(mode, rank) for mode in MODES for rank in (2, 3) if (mode, rank) != ("bicubic", 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "rank"), CASES)
@pytest.mark.parametrize("padding_mode", PADDING_MODES)
@given(data=st.data(), align_corners=st.booleans(), dtype=st.sampled_from([np.float32, np.float64]))
@settings(max_examples=25, deadline=None)
def test_any_grid(mode, rank, padding_mode, data, align_corners, dtype):
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=2 * rank, max_size=2 * rank))
    batch, channels = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 3))
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    x = random.normal(size=(batch, channels, *sizes[:rank])).astype(dtype)
    reach = data.draw(st.sampled_from([1.0, 1.5, 6.0]))  # far beyond the border, too
    grid = random.uniform(-reach, reach, (batch, *sizes[rank:], rank)).astype(dtype)
    expected = F.grid_sample(torch.from_numpy(x), torch.from_numpy(grid), mode, padding_mode, align_corners).numpy()
    got = GridSample(mode, padding_mode, align_corners).forward(x, grid)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, atol=2e-5)


@given(data=st.data(), align_corners=st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_affine_grid(data, align_corners):
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=3))
    size = [data.draw(st.integers(1, 3)), 1, *sizes]
    if 1 in sizes:
        align_corners = False  # PyTorch warns that it has no meaning there
    theta = np.random.default_rng(0).normal(size=(size[0], len(sizes), len(sizes) + 1)).astype(np.float32)
    expected = F.affine_grid(torch.from_numpy(theta), size, align_corners).numpy()
    got = AffineGrid(size, align_corners).forward(theta)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, atol=1e-6)


class SpatialTransformer(torch.nn.Module):
    """https://arxiv.org/abs/1506.02025"""

    def forward(self, theta, x):
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False), F.grid_sample(x, grid, "bicubic", "border", True)


def test_an_exported_spatial_transformer_of_any_size(export):
    model, theta = SpatialTransformer().eval(), torch.randn(1, 2, 3)
    first, second = torch.randn(1, 3, 6, 8), torch.randn(1, 3, 7, 5)
    graph = kuiper.load(export(model, theta, first, dynamic=(theta, second)))
    for x in (first, second):
        for got, expected in zip(graph(theta.numpy(), x.numpy()), model(theta, x), strict=True):
            np.testing.assert_allclose(got, expected.numpy(), atol=1e-5)
