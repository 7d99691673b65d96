"""Resizing against PyTorch: every mode, sizes and factors."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.layers.image.resize import Upsample

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


@pytest.mark.slow
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


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@given(data=st.data(), align_corners=st.booleans(), dtype=st.sampled_from([np.float32, np.float64]))
@settings(max_examples=60, deadline=None)
def test_any_sizes_and_factors_with_antialias(mode, data, align_corners, dtype):
    shape = data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=2))
    if data.draw(st.booleans()):
        # PyTorch repeats the first row where the result is one column wide
        options = {"size": [data.draw(st.integers(1, 15)), data.draw(st.integers(2, 15))]}
    else:
        scale = data.draw(st.lists(st.floats(0.2, 3), min_size=2, max_size=2))
        assume(shape[0] * scale[0] >= 1 and shape[1] * scale[1] >= 2)
        options = {"scale_factor": scale, "recompute_scale_factor": data.draw(st.sampled_from([None, True]))}
    x = np.random.default_rng(0).normal(size=(1, 2, *shape)).astype(dtype)
    check(x, dtype, mode=mode, align_corners=align_corners, antialias=True, **options)


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_bytes_differ_by_two_at_most(mode, antialias):
    x = np.random.default_rng(0).integers(0, 256, (1, 3, 7, 9)).astype(np.uint8)
    for size in ((4, 5), (7, 3), (12, 20)):
        expected = interpolate(torch.from_numpy(x), size=size, mode=mode, antialias=antialias).numpy()
        got = Upsample(size=size, mode=mode, antialias=antialias).forward(x)
        assert got.dtype == expected.dtype
        assert np.abs(got.astype(int) - expected).max() <= 2


class Resizes(torch.nn.Module):
    def forward(self, x, other):
        height, width = x.shape[2:]
        sizes = {"size": (height * 2, width - 1)}
        return (
            interpolate(x, **sizes),
            interpolate(x, **sizes, mode="bicubic", align_corners=True),
            interpolate(x, size=other.shape[2:], mode="bilinear"),
            interpolate(x, scale_factor=2, mode="nearest-exact"),
            interpolate(x, **sizes, mode="nearest-exact"),
            interpolate(x, scale_factor=(1.5, 2.2), mode="bilinear", recompute_scale_factor=True),
            interpolate(x, scale_factor=0.5, mode="bilinear", antialias=True),
            interpolate(x, size=(5, 3), mode="bicubic", antialias=True),
            torch.nn.functional.upsample(x, scale_factor=2, mode="bicubic"),
            torch.nn.functional.upsample_bilinear(x, size=(4, 5)),
        )


@pytest.mark.filterwarnings("ignore")  # upsample is an old name of interpolate
def test_an_exported_model_for_images_of_any_size(export):
    model = Resizes().eval()
    first = torch.randn(1, 3, 6, 8), torch.randn(1, 1, 5, 7)
    second = torch.randn(1, 3, 9, 6), torch.randn(1, 1, 4, 9)
    graph = kuiper.load(export(model, *first, dynamic=second))
    for inputs in (first, second):
        for got, expected in zip(graph(*(x.numpy() for x in inputs)), model(*inputs), strict=True):
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected.numpy(), atol=1e-4)
