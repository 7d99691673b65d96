"""Max and average pooling compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.image.pooling import AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

MAX = {1: MaxPool1d, 2: MaxPool2d, 3: MaxPool3d}
AVG = {1: AvgPool1d, 2: AvgPool2d, 3: AvgPool3d}
AXES = st.sampled_from([1, 2, 2, 3])
SMALL = st.integers(1, 4)


@st.composite
def images(draw, axes: int, special: bool = False):
    """(C, H, W) or (N, C, H, W) with many equal numbers, and NaN and infinities if `special`."""
    batch = draw(st.sampled_from([(), (1,), (2,)]))
    largest = 9 if axes < 3 else 6
    shape = (*batch, draw(st.integers(1, 2)), *(draw(st.integers(1, largest)) for _ in range(axes)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    x = rng.integers(-3, 4, shape).astype(np.float64)
    if special:
        x = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], shape)
    return x


@st.composite
def pools(draw, axes: int):
    """kernel_size, and stride, padding and ceil_mode as options."""

    def option(numbers):
        return draw(st.one_of(numbers, st.tuples(*[numbers] * axes)))

    stride = draw(st.sampled_from([None, 1])) and option(SMALL)
    options = {"stride": stride, "padding": option(st.integers(0, 2)), "ceil_mode": draw(st.booleans())}
    return option(SMALL), options


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


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(axes=AXES, special=st.booleans(), return_indices=st.booleans(), data=st.data())
def test_max_pool_is_pytorchs_for_every_option(axes, special, return_indices, data):
    x, (kernel, options) = data.draw(images(axes, special)), data.draw(pools(axes))
    dilation = data.draw(st.one_of(SMALL, st.tuples(*[SMALL] * axes)))
    options = {**options, "dilation": dilation, "return_indices": return_indices}
    same_or_both_refuse(
        lambda: MAX[axes](kernel, **options).forward(x),
        lambda: getattr(F, f"max_pool{axes}d")(torch.from_numpy(x), kernel, **options),
    )


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8, np.uint8, np.float16, np.float32])
@pytest.mark.parametrize("return_indices", [False, True])
def test_max_pool_takes_the_types_that_pytorch_takes(axes, dtype, return_indices):
    x = np.random.default_rng(0).integers(0, 5, (2, 3, *[6] * axes)).astype(dtype)
    values, indices = getattr(F, f"max_pool{axes}d")(torch.from_numpy(x), 3, 2, 1, return_indices=True)
    same_or_both_refuse(
        lambda: MAX[axes](3, 2, 1, return_indices=return_indices).forward(x),
        lambda: (values, indices) if return_indices else values,
    )


def test_integer_padding_never_wins_over_negative_numbers():
    x = np.array([[[-7, -8], [-9, -6]]])
    assert MaxPool2d(3, 1, 1).forward(x).tolist() == F.max_pool2d(torch.from_numpy(x), 3, 1, 1).tolist()


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(axes=AXES, count_include_pad=st.booleans(), divisor=st.sampled_from([None, 1, 3, -2, 0]), data=st.data())
def test_avg_pool_is_pytorchs_for_every_option(axes, count_include_pad, divisor, data):
    x, (kernel, options) = data.draw(images(axes)), data.draw(pools(axes))
    options["count_include_pad"] = count_include_pad
    if axes > 1:
        options["divisor_override"] = divisor
    # PyTorch wants an image at least as large as the window in 3-d only, whatever padding and ceil_mode add
    assume(axes < 3 or min(x.shape[-3:]) >= np.max(kernel))
    same_or_both_refuse(
        lambda: AVG[axes](kernel, **options).forward(x),
        lambda: getattr(F, f"avg_pool{axes}d")(torch.from_numpy(x), kernel, **options),
    )


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.float32])
def test_avg_pool_takes_the_types_that_pytorch_takes(axes, dtype):
    x = np.random.default_rng(0).integers(-9, 9, (2, 3, *[6] * axes)).astype(dtype)
    same_or_both_refuse(
        lambda: AVG[axes](3, 2, 1).forward(x),
        lambda: getattr(F, f"avg_pool{axes}d")(torch.from_numpy(x), 3, 2, 1),
        rtol=1e-6,
    )


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_avg_pool_rounds_half_precision_once(axes):
    x = np.random.default_rng(0).standard_normal((2, 3, *[6] * axes)).astype(np.float16)
    found = AVG[axes](3, 2, 1).forward(x)
    assert found.dtype == np.float16
    np.testing.assert_array_equal(found, AVG[axes](3, 2, 1).forward(x.astype(np.float32)).astype(np.float16))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(axes=AXES, kernel=SMALL, stride=SMALL, data=st.data())
def test_the_indices_point_at_the_maxima(axes, kernel, stride, data):
    x = data.draw(images(axes))
    assume(min(x.shape[-axes:]) >= kernel)
    values, indices = MAX[axes](kernel, stride, return_indices=True).forward(x)
    channels = x.reshape(*x.shape[:-axes], -1)
    found = np.take_along_axis(channels, indices.reshape(*x.shape[:-axes], -1), axis=-1)
    assert found.ravel().tolist() == values.ravel().tolist()


class Network(torch.nn.Module):
    """Modules and functions of pooling, one after the other."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        self.modules_of_axes = torch.nn.ModuleList(
            [
                getattr(torch.nn, f"MaxPool{axes}d")(3, stride=2, padding=1, ceil_mode=True),
                getattr(torch.nn, f"AvgPool{axes}d")(3, stride=1, padding=1, count_include_pad=False),
            ]
        )
        self.max_pool, self.avg_pool = getattr(F, f"max_pool{axes}d"), getattr(F, f"avg_pool{axes}d")

    def forward(self, x):
        for module in self.modules_of_axes:
            x = module(x)
        values, indices = self.max_pool(x, 2, stride=1, dilation=2, return_indices=True)
        return self.avg_pool(values, 2, ceil_mode=True), self.max_pool(values, 2), indices


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_pools_run_as_pnnx_exports_them(export, axes):
    model = Network(axes).eval()
    small, large = (torch.rand(n, 2, *[size] * axes) for n, size in ((1, 10), (2, 13)))
    graph = kuiper.load(export(model, small, dynamic=(large,)))
    for x in (small, large):
        for found, expected in zip(graph(x.numpy()), model(x), strict=True):
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)
