"""Conv2d and ConvTranspose2d compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError
from kuiper.layers import convolution
from kuiper.layers.convolution import Conv2d, ConvTranspose2d
from kuiper.layers.windows import col2im, im2col, windows

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

SMALL = st.integers(1, 3)
SIZES = st.integers(1, 8)
PAIRS = st.one_of(SMALL, st.tuples(SMALL, SMALL))
PADS = st.one_of(st.integers(0, 3), st.tuples(st.integers(0, 3), st.integers(0, 3)))
MODES = st.sampled_from(["zeros", "reflect", "replicate", "circular"])


def numbers(seed: int, *shape: int, dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def same_or_both_refuse(ours, theirs, **tolerance: float) -> None:
    """Either PyTorch computes and we compute the same, or it raises and we raise a KuiperError."""
    try:
        expected = theirs()
    except (RuntimeError, ValueError):
        with pytest.raises(KuiperError):
            ours()
        return
    found = ours()
    assert found.dtype == expected.numpy().dtype
    np.testing.assert_allclose(found, expected.numpy(), **{"rtol": 1e-10, "atol": 1e-10, **tolerance})


@st.composite
def cases(draw, transposed: bool = False):
    """An input, a weight, a bias or None, and the number of groups, which fit together."""
    groups, per_in, per_out, kh, kw = draw(SMALL), draw(SMALL), draw(SMALL), draw(SMALL), draw(SMALL)
    batch = draw(st.sampled_from([(), (1,), (3,)]))
    seed = draw(st.integers(0, 1000))
    first, second = (per_in, per_out) if transposed else (per_out, per_in)
    x = numbers(seed, *batch, groups * per_in, draw(SIZES), draw(SIZES))
    weight = numbers(seed + 1, groups * first, second, kh, kw)
    bias = numbers(seed + 2, groups * per_out) if draw(st.booleans()) else None
    return x, weight, bias, groups


def tensors(*arrays):
    return [None if a is None else torch.from_numpy(a) for a in arrays]


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@settings(max_examples=150, deadline=None)
@given(case=cases(), stride=PAIRS, padding=st.one_of(PADS, st.sampled_from(["same", "valid"])), dilation=PAIRS)
def test_conv2d_is_pytorchs_for_every_option(case, stride, padding, dilation):
    x, weight, bias, groups = case
    same_or_both_refuse(
        lambda: Conv2d(weight, bias, stride, padding, dilation, groups).forward(x),
        lambda: F.conv2d(*tensors(x, weight, bias), stride, padding, dilation, groups),
    )


@settings(max_examples=100, deadline=None)
@given(case=cases(), stride=PAIRS, padding=st.one_of(PADS, st.just("same")), dilation=PAIRS, mode=MODES)
def test_conv2d_pads_in_every_mode_as_the_module_does(case, stride, padding, dilation, mode):
    x, weight, bias, groups = case

    def theirs():
        module = torch.nn.Conv2d(
            x.shape[-3],
            len(weight),
            weight.shape[2:],
            stride,
            padding,
            dilation,
            groups,
            bias is not None,
            mode,
            dtype=torch.float64,
        )
        module.load_state_dict({k: v for k, v in zip(("weight", "bias"), tensors(weight, bias)) if v is not None})
        with torch.no_grad():
            return module(torch.from_numpy(x))

    same_or_both_refuse(
        lambda: Conv2d(weight, bias, stride, padding, dilation, groups, padding_mode=mode).forward(x), theirs
    )


@settings(max_examples=150, deadline=None)
@given(case=cases(transposed=True), stride=PAIRS, padding=PADS, extra=PADS, dilation=PAIRS)
def test_conv_transpose2d_is_pytorchs_for_every_option(case, stride, padding, extra, dilation):
    x, weight, bias, groups = case
    same_or_both_refuse(
        lambda: ConvTranspose2d(weight, bias, stride, padding, extra, dilation, groups).forward(x),
        lambda: F.conv_transpose2d(*tensors(x, weight, bias), stride, padding, extra, groups, dilation),
    )


@settings(max_examples=50, deadline=None)
@given(case=cases(), stride=PAIRS, dilation=PAIRS)
def test_conv2d_is_the_sum_that_defines_it(case, stride, dilation):
    x, weight, bias, groups = case
    x = x if x.ndim == 4 else x[None]
    (sh, sw), (dh, dw) = (v if isinstance(v, tuple) else (v, v) for v in (stride, dilation))
    out, per_group, kh, kw = weight.shape
    height, width = (x.shape[2] - dh * (kh - 1) - 1) // sh + 1, (x.shape[3] - dw * (kw - 1) - 1) // sw + 1
    assume(height > 0 and width > 0)
    y = np.zeros((len(x), out, height, width))
    for n, o, h, w, c, i, j in np.ndindex(*y.shape, per_group, kh, kw):
        channel = o // (out // groups) * per_group + c
        y[n, o, h, w] += weight[o, c, i, j] * x[n, channel, h * sh + i * dh, w * sw + j * dw]
    y += 0 if bias is None else bias[:, None, None]
    found = Conv2d(weight, bias, stride, 0, dilation, groups).forward(x)
    np.testing.assert_allclose(found, y, rtol=1e-10, atol=1e-10)


@settings(max_examples=50, deadline=None)
@given(kernel=st.tuples(SMALL, SMALL), stride=st.tuples(SMALL, SMALL), dilation=st.tuples(SMALL, SMALL))
def test_col2im_is_the_adjoint_of_im2col(kernel, stride, dilation):
    x = numbers(0, 2, 3, 8, 9)
    rows = im2col(windows(x, kernel, stride, dilation))
    other = numbers(1, *rows.shape)
    np.testing.assert_allclose((rows * other).sum(), (x * col2im(other, (8, 9), kernel, stride, dilation)).sum())


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("layer", "name"), [(Conv2d, "conv2d"), (ConvTranspose2d, "conv_transpose2d")])
def test_the_result_has_the_inputs_element_type(layer, name, dtype):
    x, weight, bias = (
        numbers(0, 2, 4, 7, 7, dtype=dtype),
        numbers(1, 4, 4, 3, 3, dtype=dtype),
        numbers(2, 4, dtype=dtype),
    )
    near = {"rtol": 1e-2, "atol": 3e-2} if dtype == np.float16 else {"rtol": 1e-4, "atol": 1e-5}
    same_or_both_refuse(
        lambda: layer(weight, bias).forward(x), lambda: getattr(F, name)(*tensors(x, weight, bias)), **near
    )


def test_integers_convolve_exactly():
    x, weight = np.arange(50).reshape(1, 2, 5, 5), np.arange(36).reshape(2, 2, 3, 3)
    assert Conv2d(weight).forward(x).tolist() == F.conv2d(*tensors(x, weight)).tolist()


@pytest.mark.parametrize("elements", [1, 100, 1000])
def test_the_size_of_the_bands_does_not_change_the_result(monkeypatch, elements):
    x, weight, bias = numbers(0, 2, 4, 9, 6), numbers(1, 6, 2, 3, 2), numbers(2, 6)
    layer = Conv2d(weight, bias, stride=(1, 2), padding=1, groups=2)
    whole = layer.forward(x)
    monkeypatch.setattr(convolution, "BAND", elements)
    np.testing.assert_allclose(layer.forward(x), whole, rtol=1e-12)


def test_a_view_with_other_strides_convolves_like_its_copy():
    x, weight = numbers(0, 5, 7, 3, 2).transpose(3, 2, 1, 0)[:, :, ::-1], numbers(1, 4, 3, 3, 3)
    np.testing.assert_allclose(Conv2d(weight, padding=1).forward(x), Conv2d(weight, padding=1).forward(x.copy()))


@pytest.mark.parametrize("dtypes", [("f8", "f4", "f4"), ("f4", "f4", "f8"), ("f4", "f2", "f4")])
def test_mixed_element_types_are_refused_as_pytorch_refuses_them(dtypes):
    x, weight, bias = (numbers(0, *s).astype(t) for s, t in zip(((1, 2, 5, 5), (3, 2, 3, 3), (3,)), dtypes))
    with pytest.raises(RuntimeError):
        F.conv2d(*tensors(x, weight, bias))
    with pytest.raises(KuiperError, match=r"Conv2d weights: expected float\d+ like the input, found float"):
        Conv2d(weight, bias).forward(x)
