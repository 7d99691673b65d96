"""The adaptive pools, in one to three dimensions, compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.image import adaptive

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

AVG = {n: getattr(adaptive, f"AdaptiveAvgPool{n}d") for n in (1, 2, 3)}
MAX = {n: getattr(adaptive, f"AdaptiveMaxPool{n}d") for n in (1, 2, 3)}
AXES = st.sampled_from([1, 2, 2, 3])


@st.composite
def cases(draw, special: bool = False):
    """An image of some axes, unbatched or not, and an output size of as many."""
    axes = draw(AXES)
    largest = 9 if axes < 3 else 5
    batch = draw(st.sampled_from([(), (1,), (2,)]))
    shape = (*batch, draw(st.integers(1, 2)), *(draw(st.integers(1, largest)) for _ in range(axes)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    x = rng.integers(-3, 4, shape).astype(np.float64)
    if special:
        x = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], shape)
    some = st.integers(1, largest + 2)
    each = some if axes == 1 else st.one_of(st.none(), some)
    return axes, x, draw(st.one_of(some, st.tuples(*[each] * axes)))


def same_or_both_refuse(ours, theirs, **tolerance: float) -> None:
    """Either PyTorch computes and we compute the same, or it raises and we raise a KuiperError."""
    try:
        expected = theirs()
    except (RuntimeError, ValueError):
        with pytest.raises(KuiperError):
            ours()
        return
    found = ours()
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for mine, other in zip(found, expected, strict=True):
        assert mine.dtype == other.numpy().dtype
        np.testing.assert_allclose(mine, other.numpy(), **{"rtol": 1e-12, "atol": 1e-12, **tolerance})


@settings(max_examples=120, deadline=None)
@given(case=cases())
def test_adaptive_avg_pool_is_pytorchs_for_every_size(case):
    axes, x, output_size = case
    same_or_both_refuse(
        lambda: AVG[axes](output_size).forward(x),
        lambda: getattr(F, f"adaptive_avg_pool{axes}d")(torch.from_numpy(x), output_size),
    )


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(case=st.one_of(cases(), cases(special=True)), return_indices=st.booleans())
def test_adaptive_max_pool_is_pytorchs_for_every_size(case, return_indices):
    axes, x, output_size = case
    same_or_both_refuse(
        lambda: MAX[axes](output_size, return_indices).forward(x),
        lambda: getattr(F, f"adaptive_max_pool{axes}d")(torch.from_numpy(x), output_size, return_indices),
    )


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize(("layers", "name"), [(AVG, "avg"), (MAX, "max")])
@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64, np.complex64])
def test_adaptive_pools_take_the_types_that_pytorch_takes(axes, layers, name, size, dtype):
    x = np.random.default_rng(0).integers(-9, 9, (2, 3, *[6] * axes)).astype(dtype)
    same_or_both_refuse(
        lambda: layers[axes](size).forward(x),
        lambda: getattr(F, f"adaptive_{name}_pool{axes}d")(torch.from_numpy(x), size),
        rtol=2e-3,
        atol=1e-6,
    )


class Network(torch.nn.Module):
    """Adaptive pools as modules and as functions, of fixed sizes and of one that another input decides."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        self.axes = axes
        self.avg = getattr(torch.nn, f"AdaptiveAvgPool{axes}d")(5)
        self.max = getattr(torch.nn, f"AdaptiveMaxPool{axes}d")(4)
        self.both = getattr(torch.nn, f"AdaptiveMaxPool{axes}d")((3, None, 2)[:axes], return_indices=True)
        self.f_avg = getattr(F, f"adaptive_avg_pool{axes}d")
        self.f_max = getattr(F, f"adaptive_max_pool{axes}d")

    def forward(self, x, like):
        largest, indices = self.both(x)
        size = like.shape[2:] if self.axes > 1 else 4  # pnnx writes a single size as a number, not as an input
        return self.max(self.avg(x)), largest, indices, self.f_max(x, 3), self.f_avg(x, size)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_adaptive_pools_run_as_pnnx_exports_them(export, axes):
    model = Network(axes).eval()
    small, large = (
        (torch.rand(n, 2, *[size] * axes), torch.rand(1, 1, *[size - 5] * axes)) for n, size in ((1, 9), (2, 12))
    )
    graph = kuiper.load(export(model, *small, dynamic=large))
    for inputs in (small, large):
        for found, expected in zip(graph(*(i.numpy() for i in inputs)), model(*inputs), strict=True):
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)
