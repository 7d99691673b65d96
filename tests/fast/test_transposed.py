"""Transposed convolutions give what the layer gives, for every option and layout, with what is fused in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kuiper.errors import ShapeError
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel
from kuiper.fast.kernels.conv import subpixel, transposed
from kuiper.fast.kernels.conv.convolution import Convolution
from kuiper.fast.kernels.conv.subpixel import Grid, Subpixel
from kuiper.fast.kernels.conv.transposed import Overlapping
from kuiper.layers.image.convolution import ConvTranspose2d
from kuiper.layers.layer import Layer

RNG = np.random.default_rng(0)
LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])
PAIR = st.tuples(st.integers(1, 3), st.integers(1, 3))
KERNEL = st.tuples(st.integers(1, 5), st.integers(1, 5))
SIDE = st.tuples(st.integers(1, 6), st.integers(1, 6))


def numbers(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


class Square:
    """An activation of the simplest kind: y = x * x."""

    def calls(self, x, target, scratch):
        return [lambda: np.multiply(x, x, out=target)]


class Fused(Layer):
    """What a kernel computes after its epilogue was extended."""

    def __init__(self, layer, factor=1.0, shift=0.0, activation=False):
        self.layer, self.factor, self.shift, self.activation = layer, factor, shift, activation

    def forward(self, x, residual=None):
        y = self.layer.forward(x) * np.float32(self.factor) + np.float32(self.shift)
        y = y if residual is None else y + residual
        return y * y if self.activation else y


@st.composite
def layers(draw, channels: int, out_channels: int):
    stride = draw(PAIR)
    dilation = draw(st.just((1, 1)) | PAIR)
    kernel = draw(KERNEL | st.just(stride) | st.just((2 * stride[0], 2 * stride[1])))
    extra = tuple(draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation))
    return ConvTranspose2d(
        numbers(channels, out_channels, *kernel),
        draw(st.sampled_from([None, numbers(out_channels)])),
        stride=stride,
        padding=draw(st.tuples(st.integers(0, 3), st.integers(0, 3))),
        output_padding=extra,
        dilation=dilation,
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    batch=st.integers(1, 3),
    side=SIDE,
    out_channels=st.sampled_from([1, 3, 17]),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 2),
    limits=st.sampled_from([(1, 1), (200, 3), (10**6, 64)]),
    extended=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_every_option_with_what_follows(
    beside, lowered, data, batch, side, out_channels, ways, threads, limits, extended
):
    layer = data.draw(layers(4, out_channels))
    x = numbers(batch, 4, *side)
    try:
        result = layer.forward(x)
    except ShapeError:
        assume(False)
    kernel = lowered(layer, x)
    inputs: tuple[np.ndarray, ...] = (x,)
    fused = Fused(layer)
    if isinstance(kernel, Convolution):
        kernel = kernel.candidates()[0]
    scaled, added, activated = extended
    if scaled:
        factor, shift = numbers(out_channels), numbers(out_channels)
        kernel.fold(factor, shift)
        fused.factor, fused.shift = factor.reshape(-1, 1, 1), shift.reshape(-1, 1, 1)
    if added:
        kernel.epilogue.residual = True
        inputs = (x, numbers(*result.shape))
    if activated:
        kernel.epilogue.activation = Square()
        fused.activation = True
    with pytest.MonkeyPatch.context() as patch:
        for module in (subpixel, transposed):
            patch.setattr(module, "CACHED", limits[0])
            patch.setattr(module, "PIXELS", limits[1])
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)
        beside(fused, *inputs, layouts=ways, threads=threads, atol=2e-4, rtol=1e-4, kernel=kernel)


def kernel_for(lowered, kernel_size, **options) -> Kernel | None:
    return lowered(ConvTranspose2d(numbers(2, 3, *kernel_size), **options), numbers(1, 2, 5, 4))


def test_each_shape_has_its_algorithm(lowered):
    assert isinstance(kernel_for(lowered, (3, 3), padding=1), Convolution)
    assert isinstance(kernel_for(lowered, (2, 2), stride=2), Subpixel)
    assert isinstance(kernel_for(lowered, (4, 4), stride=2, padding=1), Subpixel)
    assert isinstance(kernel_for(lowered, (3, 3), stride=2, padding=1, output_padding=1), Overlapping)
    assert isinstance(kernel_for(lowered, (2, 2), stride=2, dilation=2), Overlapping)
    assert isinstance(kernel_for(lowered, (1, 1), stride=2), Overlapping)
    assert isinstance(kernel_for(lowered, (1, 1), padding=1), Subpixel)


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (ConvTranspose2d(numbers(4, 2, 2, 2), groups=2), numbers(1, 4, 3, 3)),
        (ConvTranspose2d(numbers(4, 2, 2, 2)), numbers(4, 3, 3)),
        (ConvTranspose2d(numbers(4, 2, 2, 2).astype(np.float64)), numbers(1, 4, 3, 3).astype(np.float64)),
    ],
)
def test_groups_other_types_and_ranks_are_left_to_the_layer(lowered, layer, x):
    assert lowered(layer, x) is None


@pytest.mark.parametrize("special", [np.nan, np.inf])
@pytest.mark.parametrize("kernel_size", [2, 4, 3])
def test_an_infinity_or_nan_stays_where_its_kernel_lands(beside, special, kernel_size):
    x = np.ones((1, 2, 5, 5), np.float32)
    x[0, 1, 2, 2] = special
    weight = np.abs(numbers(2, 3, kernel_size, kernel_size)) + 1
    with np.errstate(invalid="ignore"):  # OpenBLAS may multiply an infinity with the zeros that fill up its blocks
        beside(ConvTranspose2d(weight, stride=2), x)


@given(
    size=st.integers(1, 7), taps=st.integers(1, 3), stride=st.integers(1, 4), padding=st.integers(0, 5), data=st.data()
)
def test_every_output_is_made_by_one_window(size, taps, stride, padding, data):
    result = (size - 1) * stride + taps * stride - 2 * padding + data.draw(st.integers(0, stride - 1))
    assume(result > 0)
    grid = Grid(size, result, taps, stride, padding)
    cut = data.draw(st.integers(0, grid.count))
    made = []
    for start, stop in ((0, cut), (cut, grid.count)):
        for windows, outputs, place in grid.runs(start, stop):
            for number in range(windows.stop - windows.start):
                made += [place + number * stride + i for i in range(outputs.stop - outputs.start)]
    assert sorted(made) == list(range(result))


def test_fusing_leaves_the_layers_weights_alone(lowered):
    layer = ConvTranspose2d(numbers(2, 3, 2, 2), numbers(3), stride=2)
    before = layer.weight.copy(), layer.bias.copy()
    kernel = lowered(layer, numbers(1, 2, 4, 4))
    assert isinstance(kernel.epilogue, Epilogue)
    kernel.fold(numbers(3), numbers(3))
    np.testing.assert_array_equal(layer.weight, before[0])
    np.testing.assert_array_equal(layer.bias, before[1])


@pytest.mark.parametrize(("kernel", "options"), [(2, {"stride": 2}), (4, {"stride": 2, "padding": 1})])
def test_transposed_convolutions_are_pytorchs(beside, kernel, options):
    torch = pytest.importorskip("torch", reason="compares with torch, which is not installed")
    x, weight, bias = numbers(2, 5, 6, 7), numbers(5, 4, kernel, kernel), numbers(4)
    layer = ConvTranspose2d(weight, bias, **options)
    assert isinstance(beside(layer, x, atol=1e-5), Subpixel)
    theirs = torch.nn.functional.conv_transpose2d(*map(torch.from_numpy, (x, weight, bias)), **options)
    np.testing.assert_allclose(layer.forward(x), theirs.numpy(), rtol=1e-4, atol=1e-5)
