"""Convolutions and their transposes compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.image import convolution
from kuiper.layers.image.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from kuiper.layers.image.windows import col2im, im2col, windows

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

CONV = {1: Conv1d, 2: Conv2d, 3: Conv3d}
TRANSPOSE = {1: ConvTranspose1d, 2: ConvTranspose2d, 3: ConvTranspose3d}
AXES = st.sampled_from([1, 2, 2, 3])

SMALL = st.integers(1, 3)
PADS = st.integers(0, 3)
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


def option(draw, numbers, axes: int):
    """One number, or one for each axis."""
    return draw(st.one_of(numbers, st.tuples(*[numbers] * axes)))


@st.composite
def cases(draw, transposed: bool = False, axes: int | None = None):
    """An input, a weight, a bias or None, and the options, which fit together for the most part."""
    axes = draw(AXES) if axes is None else axes
    groups, per_in, per_out = draw(SMALL), draw(SMALL), draw(SMALL)
    kernel = [draw(SMALL) for _ in range(axes)]
    batch = draw(st.sampled_from([(), (1,), (3,)]))
    size = [draw(st.integers(1, 8 if axes < 3 else 5)) for _ in range(axes)]
    seed = draw(st.integers(0, 1000))
    first, second = (per_in, per_out) if transposed else (per_out, per_in)
    x = numbers(seed, *batch, groups * per_in, *size)
    weight = numbers(seed + 1, groups * first, second, *kernel)
    bias = numbers(seed + 2, groups * per_out) if draw(st.booleans()) else None
    options = {name: option(draw, SMALL, axes) for name in ("stride", "dilation")}
    return x, weight, bias, {**options, "groups": groups, "padding": option(draw, PADS, axes)}


def tensors(*arrays):
    return [None if a is None else torch.from_numpy(a) for a in arrays]


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@settings(max_examples=150, deadline=None)
@given(case=cases(), word=st.sampled_from([None, None, "same", "valid"]))
def test_convolution_is_pytorchs_for_every_option(case, word):
    x, weight, bias, options = case
    axes = weight.ndim - 2
    options = {**options, "padding": options["padding"] if word is None else word}
    same_or_both_refuse(
        lambda: CONV[axes](weight, bias, **options).forward(x),
        lambda: getattr(F, f"conv{axes}d")(*tensors(x, weight, bias), **options),
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Using padding='same'")
@settings(max_examples=150, deadline=None)
@given(case=cases(), same=st.booleans(), mode=MODES)
def test_convolution_pads_in_every_mode_as_the_module_does(case, same, mode):
    x, weight, bias, options = case
    axes = weight.ndim - 2
    options = {**options, "padding": "same" if same else options["padding"], "padding_mode": mode}

    def theirs():
        module = getattr(torch.nn, f"Conv{axes}d")(
            x.shape[-1 - axes],
            len(weight),
            weight.shape[2:],
            **options,
            bias=bias is not None,
            dtype=torch.float64,
        )
        module.load_state_dict({k: v for k, v in zip(("weight", "bias"), tensors(weight, bias)) if v is not None})
        with torch.no_grad():
            return module(torch.from_numpy(x))

    same_or_both_refuse(lambda: CONV[axes](weight, bias, **options).forward(x), theirs)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(case=cases(transposed=True), data=st.data())
def test_transposed_convolution_is_pytorchs_for_every_option(case, data):
    x, weight, bias, options = case
    axes = weight.ndim - 2
    options = {**options, "output_padding": option(data.draw, PADS, axes)}
    same_or_both_refuse(
        lambda: TRANSPOSE[axes](weight, bias, **options).forward(x),
        lambda: getattr(F, f"conv_transpose{axes}d")(*tensors(x, weight, bias), **options),
    )


@settings(max_examples=50, deadline=None)
@given(case=cases(axes=2))
def test_conv2d_is_the_sum_that_defines_it(case):
    x, weight, bias, options = case
    x = x if x.ndim == 4 else x[None]
    stride, dilation, groups = options["stride"], options["dilation"], options["groups"]
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
@given(axes=AXES, data=st.data())
def test_col2im_is_the_adjoint_of_im2col(axes, data):
    kernel, stride, dilation = (data.draw(st.tuples(*[SMALL] * axes)) for _ in range(3))
    x = numbers(0, 2, 3, *(8, 9, 7)[:axes])
    rows = im2col(windows(x, kernel, stride, dilation))
    other = numbers(1, *rows.shape)
    back = col2im(other, x.shape[2:], kernel, stride, dilation)
    np.testing.assert_allclose((rows * other).sum(), (x * back).sum())


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "complex128", "int64"])
def test_the_result_has_the_inputs_element_type(axes, transposed, dtype):
    x, weight, bias = (numbers(i, *shape) for i, shape in enumerate([(2, 4, *[7] * axes), (4, 4, *[3] * axes), (4,)]))
    if dtype.startswith("complex"):
        x, weight, bias = (a + 1j * a[::-1] for a in (x, weight, bias))
    if dtype == "int64":
        x, weight, bias = (10 * a for a in (x, weight, bias))
    x, weight, bias = (a.astype(dtype) for a in (x, weight, bias))
    layer, name = (TRANSPOSE[axes], "conv_transpose") if transposed else (CONV[axes], "conv")
    near = {"float16": {"rtol": 1e-2, "atol": 6e-2}, "int64": {"rtol": 0, "atol": 0}}
    same_or_both_refuse(
        lambda: layer(weight, bias).forward(x),
        lambda: getattr(F, f"{name}{axes}d")(*tensors(x, weight, bias)),
        **near.get(dtype, {"rtol": 1e-3, "atol": 1e-4}),
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


class Network(torch.nn.Module):
    """A module of convolutions in a row."""

    def __init__(self, *layers) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Functional(torch.nn.Module):
    """F.convNd and F.conv_transposeNd with weights that are inputs."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        self.forward_, self.back = getattr(F, f"conv{axes}d"), getattr(F, f"conv_transpose{axes}d")

    def forward(self, x, weight, bias, other):
        y = self.forward_(x, weight, bias, padding="same", dilation=2)
        return self.forward_(y, weight[:, :2], None, groups=2, stride=2), self.back(y, other, stride=2, groups=2)


def modules(axes: int):
    conv, transpose = getattr(torch.nn, f"Conv{axes}d"), getattr(torch.nn, f"ConvTranspose{axes}d")
    return Network(
        conv(4, 6, 3, padding=1, stride=2, padding_mode="reflect"),
        conv(6, 4, 3, padding="same", dilation=2, groups=2, bias=False, padding_mode="circular"),
        transpose(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2),
    )


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolutions_run_as_pnnx_exports_them(export, axes):
    model = modules(axes).eval()
    small, large = (torch.randn(n, 4, *[size] * axes) for n, size in ((1, 9), (2, 12)))
    graph = kuiper.load(export(model, small, dynamic=(large,)))
    for x in (small, large):
        np.testing.assert_allclose(graph(x.numpy())[0], model(x).detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolutions_whose_weights_are_inputs_run_as_pnnx_exports_them(export, axes):
    model = Functional(axes).eval()
    inputs = [torch.randn(*shape) for shape in ((2, 4, *[7] * axes), (4, 4, *[3] * axes), (4,), (4, 3, *[2] * axes))]
    graph = kuiper.load(export(model, *inputs))
    for found, expected in zip(graph(*(i.numpy() for i in inputs)), model(*inputs), strict=True):
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-4)
