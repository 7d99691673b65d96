"""The pooling layers compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError
from kuiper.layers.pooling import AdaptiveAvgPool2d, AdaptiveMaxPool2d, AvgPool2d, MaxPool2d

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

SMALL = st.integers(1, 4)
PAIRS = st.one_of(SMALL, st.tuples(SMALL, SMALL))
PADS = st.one_of(st.integers(0, 2), st.tuples(st.integers(0, 2), st.integers(0, 2)))
STRIDES = st.one_of(st.none(), PAIRS)


@st.composite
def images(draw, special: bool = False):
    """(C, H, W) or (N, C, H, W) with many equal numbers, and NaN and infinities if `special`."""
    batch = draw(st.sampled_from([(), (1,), (2,)]))
    shape = (*batch, draw(st.integers(1, 2)), draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    x = rng.integers(-3, 4, shape).astype(np.float64)
    if special:
        x = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], shape)
    return x


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


@settings(max_examples=200, deadline=None)
@given(
    x=st.one_of(images(), images(special=True)),
    kernel=PAIRS,
    stride=STRIDES,
    padding=PADS,
    dilation=PAIRS,
    ceil_mode=st.booleans(),
    return_indices=st.booleans(),
)
def test_max_pool_is_pytorchs_for_every_option(x, kernel, stride, padding, dilation, ceil_mode, return_indices):
    options = {"stride": stride, "padding": padding, "dilation": dilation, "ceil_mode": ceil_mode}
    options["return_indices"] = return_indices
    same_or_both_refuse(
        lambda: MaxPool2d(kernel, **options).forward(x),
        lambda: F.max_pool2d(torch.from_numpy(x), kernel, **options),
    )


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8, np.uint8, np.float16, np.float32])
@pytest.mark.parametrize("return_indices", [False, True])
def test_max_pool_takes_the_types_that_pytorch_takes(dtype, return_indices):
    x = np.random.default_rng(0).integers(0, 5, (2, 3, 6, 6)).astype(dtype)
    same_or_both_refuse(
        lambda: MaxPool2d(3, 2, 1, return_indices=return_indices).forward(x),
        lambda: F.max_pool2d(torch.from_numpy(x), 3, 2, 1, return_indices=return_indices),
    )


def test_integer_padding_never_wins_over_negative_numbers():
    x = np.array([[[-7, -8], [-9, -6]]])
    assert MaxPool2d(3, 1, 1).forward(x).tolist() == F.max_pool2d(torch.from_numpy(x), 3, 1, 1).tolist()


@settings(max_examples=200, deadline=None)
@given(
    x=images(),
    kernel=PAIRS,
    stride=STRIDES,
    padding=PADS,
    ceil_mode=st.booleans(),
    count_include_pad=st.booleans(),
    divisor_override=st.sampled_from([None, 1, 3, -2, 0]),
)
def test_avg_pool_is_pytorchs_for_every_option(x, kernel, stride, padding, **options):
    same_or_both_refuse(
        lambda: AvgPool2d(kernel, stride, padding, **options).forward(x),
        lambda: F.avg_pool2d(torch.from_numpy(x), kernel, stride, padding, **options),
    )


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.float16, np.float32])
def test_avg_pool_takes_the_types_that_pytorch_takes(dtype):
    x = np.random.default_rng(0).integers(-9, 9, (2, 3, 6, 6)).astype(dtype)
    same_or_both_refuse(
        lambda: AvgPool2d(3, 2, 1).forward(x), lambda: F.avg_pool2d(torch.from_numpy(x), 3, 2, 1), rtol=2e-3
    )


OUTPUT_SIZES = st.one_of(
    st.integers(1, 11), st.tuples(st.one_of(st.none(), st.integers(1, 11)), st.one_of(st.none(), st.integers(1, 11)))
)


@settings(max_examples=100, deadline=None)
@given(x=images(), output_size=OUTPUT_SIZES)
def test_adaptive_avg_pool_is_pytorchs_for_every_size(x, output_size):
    same_or_both_refuse(
        lambda: AdaptiveAvgPool2d(output_size).forward(x),
        lambda: F.adaptive_avg_pool2d(torch.from_numpy(x), output_size),
    )


@settings(max_examples=100, deadline=None)
@given(x=st.one_of(images(), images(special=True)), output_size=OUTPUT_SIZES, return_indices=st.booleans())
def test_adaptive_max_pool_is_pytorchs_for_every_size(x, output_size, return_indices):
    same_or_both_refuse(
        lambda: AdaptiveMaxPool2d(output_size, return_indices).forward(x),
        lambda: F.adaptive_max_pool2d(torch.from_numpy(x), output_size, return_indices),
    )


@pytest.mark.parametrize(("layer", "name"), [(AdaptiveAvgPool2d, "avg"), (AdaptiveMaxPool2d, "max")])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_adaptive_pools_take_the_types_that_pytorch_takes(layer, name, dtype):
    x = np.random.default_rng(0).integers(-9, 9, (2, 3, 6, 7)).astype(dtype)
    same_or_both_refuse(
        lambda: layer(4).forward(x), lambda: getattr(F, f"adaptive_{name}_pool2d")(torch.from_numpy(x), 4), rtol=2e-3
    )


@settings(max_examples=60, deadline=None)
@given(x=images(), kernel=SMALL, stride=SMALL)
def test_the_indices_point_at_the_maxima(x, kernel, stride):
    assume(min(x.shape[-2:]) >= kernel)
    values, indices = MaxPool2d(kernel, stride, return_indices=True).forward(x)
    planes = x.reshape(*x.shape[:-2], -1)
    found = np.take_along_axis(planes, indices.reshape(*x.shape[:-2], -1), axis=-1)
    assert found.ravel().tolist() == values.ravel().tolist()
