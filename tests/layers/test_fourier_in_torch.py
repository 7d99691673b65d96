"""Fourier transforms against PyTorch: all eighteen, with any sizes, dimensions, norms and element types."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.signal.fourier import TRANSFORMS, ManyDimensions, OneDimension, TwoDimensions

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

SHAPES = {"": OneDimension, "2": TwoDimensions, "n": ManyDimensions}
DTYPES = ["f4", "f8", "c8", "c16", "i8", "?"]


def layer(kind, suffix, options):
    function, half = TRANSFORMS[kind]
    return type(kind, (SHAPES[suffix],), {"transform": staticmethod(function), "half": half})(**options)


def draw_options(data, suffix, rank):
    """Options that PyTorch takes, and some that it refuses."""
    options = {"norm": data.draw(st.sampled_from([None, "backward", "ortho", "forward"]))}
    dim = st.integers(-rank - 1, rank)
    if suffix == "":
        return options | {"n": data.draw(st.none() | st.integers(0, 8)), "dim": data.draw(dim)}
    count = 2 if suffix == "2" else data.draw(st.integers(1, rank))
    if data.draw(st.booleans()):
        options["dim"] = data.draw(st.lists(dim, min_size=count, max_size=count))
    if data.draw(st.booleans()):
        options["s"] = data.draw(st.lists(st.integers(-1, 7), min_size=count, max_size=count))
    return options


@pytest.mark.parametrize("kind", TRANSFORMS)
@pytest.mark.parametrize("suffix", SHAPES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_options_give_pytorchs_numbers_or_are_refused_as_by_pytorch(kind, suffix, data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    dtype = np.dtype(data.draw(st.sampled_from(DTYPES)))
    random = np.random.default_rng(0)
    x = 3 * random.normal(size=shape) + (1j * random.normal(size=shape) if dtype.kind == "c" else 0)
    x = x.astype(dtype)
    options = draw_options(data, suffix, len(shape))
    try:
        expected = getattr(torch.fft, kind + suffix)(torch.from_numpy(x), **options).resolve_conj().numpy()
    except (RuntimeError, IndexError):
        with pytest.raises(KuiperError):
            layer(kind, suffix, options).forward(x)
        return
    got = layer(kind, suffix, options).forward(x)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    tolerance = 1e-10 if expected.dtype in (np.float64, np.complex128) else 2e-4
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


class Everything(torch.nn.Module):
    def forward(self, x):
        outputs = []
        for kind in TRANSFORMS:
            one, two, many = (getattr(torch.fft, kind + suffix) for suffix in SHAPES)
            outputs += [one(x), one(x, 7, 1, "ortho"), two(x), two(x, (5, 6), (1, 3), "forward"), many(x, dim=(0, 2))]
        shifts = torch.fft.fftshift(x), torch.fft.ifftshift(x, dim=(1, 2)), torch.fft.fftfreq(5) + x[0, 0, 0, 0]
        return *outputs, *shifts


def test_an_exported_model_with_all_transforms(export):
    model, x = Everything().eval(), torch.randn(2, 3, 4, 6)
    outputs = kuiper.load(export(model, x))(x.numpy())
    for got, expected in zip(outputs, model(x), strict=True):
        expected = expected.resolve_conj().numpy()
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(got, expected, atol=1e-4)
