"""Convolution and its transpose (lesson 6), each as one matrix product per group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import OutputSizeError, ParameterError, ShapeError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, size
from kuiper.layers.families import CONVOLUTION
from kuiper.layers.image.windows import Sizes, as_batch, col2im, im2col, like_input, pad_planes, per_axis, windows
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

NUMPY_MODE = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
BAND = 2**19
"""Elements that im2col copies at a time: about as much as a processor's cache holds."""


class _Convolution(Layer):
    """The options that both directions share, checked against the weights once, when the model is loaded."""

    family = CONVOLUTION
    weights: ClassVar[tuple[str, ...]] = ("weight", "bias")
    axes: ClassVar[int] = 2
    """How many spatial axes the input has: 2 in an image."""

    def __init__(
        self, weight: np.ndarray, bias: np.ndarray | None, stride: Any, dilation: Any, groups: int, *declared: Any
    ) -> None:
        if weight.ndim != self.axes + 2 or 0 in weight.shape:
            raise ParameterError("weight", f"{self.axes + 2} axes, none empty", str(weight.shape))
        self.stride = per_axis(self.axes, "stride", stride, 1)
        self.dilation = per_axis(self.axes, "dilation", dilation, 1)
        self.kernel_size: Sizes = weight.shape[2:]
        counts = [n for n in (*declared[:2], weight.shape[0]) if n is not None]
        if not isinstance(groups, int) or groups < 1 or any(n % groups for n in counts):
            expected = f"a positive divisor of in_channels and out_channels ({', '.join(map(str, counts))})"
            raise ParameterError("groups", expected, str(groups))
        self.groups = groups
        self.in_channels, self.out_channels = self.channels(weight.shape, groups)
        self._compare_with_weight(weight.shape, declared)
        if bias is not None and bias.shape != (self.out_channels,):
            expected = f"shape ({self.out_channels},), one number per output channel"
            raise ParameterError("bias", expected, str(bias.shape))
        self.weight, self.bias = weight, bias
        # flattened once, here: (groups, rows of one group, all the rest)
        self.kernels = single(weight).reshape(groups, weight.shape[0] // groups, -1)

    @staticmethod
    def channels(shape: tuple[int, ...], groups: int) -> tuple[int, int]:
        """The numbers of input and output channels that a weight array of `shape` stands for."""
        raise NotImplementedError

    def _compare_with_weight(self, shape: tuple[int, ...], declared: tuple[Any, ...]) -> None:
        for name, value in zip(("in_channels", "out_channels", "kernel_size"), declared, strict=True):
            expected = getattr(self, name)
            if name == "kernel_size" and value is not None:
                value = per_axis(self.axes, name, value, 1)
            if value not in (None, expected):
                found = f"{value!r}; weight {shape} and groups={self.groups} say otherwise"
                raise ParameterError(name, repr(expected), found)

    def add_bias(self, y: np.ndarray) -> np.ndarray:
        """y (N, O, H', W') + bias, one number per output channel; y is written to."""
        if self.bias is not None:
            y += self.bias.reshape(-1, *(1,) * self.axes)
        return y


@registry.register("nn.Conv2d", "F.conv2d")
class Conv2d(_Convolution):
    """(N, C, H, W) -> (N, O, H', W'): y[n,o,h,w] = bias[o] + sum over c,i,j of weight[o,c,i,j] * windows[n,c,h,w,i,j].

    H' = floor((H + 2*padding - dilation*(kernel_size - 1) - 1) / stride) + 1. An input (C, H, W) gives (O, H', W').

    Parameters
    ----------
    weight : (O, C/groups, kh, kw); output channel o sees the input channels of its own group only.
    bias : (O,), or None.
    stride, padding, dilation : one integer, or (rows, cols); padding also "valid" (none) and "same" (H' = H).
    groups : divides C and O.
    padding_mode : "zeros", "reflect", "replicate" or "circular": what stands in the border.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html

    >>> image, kernel = np.arange(1.0, 17).reshape(1, 1, 4, 4), np.array([[[[1.0, 2, 3], [3, 2, 1], [1, 2, 3]]]])
    >>> Conv2d(kernel).forward(image)[0, 0]
    array([[110., 128.],
           [182., 200.]])
    """

    def __init__(
        self,
        weight: np.ndarray,
        bias: np.ndarray | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        in_channels: int | None = None,
        out_channels: int | None = None,
        kernel_size: Any = None,
    ) -> None:
        super().__init__(weight, bias, stride, dilation, groups, in_channels, out_channels, kernel_size)
        if padding_mode != "zeros" and padding_mode not in NUMPY_MODE:
            raise ParameterError("padding_mode", f"one of zeros, {', '.join(NUMPY_MODE)}", repr(padding_mode))
        self.padding_mode = padding_mode
        self.pads = self._pads(padding)

    @staticmethod
    def channels(shape: tuple[int, ...], groups: int) -> tuple[int, int]:
        """Weight (O, C/groups, kh, kw) -> (C, O)."""
        return shape[1] * groups, shape[0]

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every output element sums in_channels/groups x kernel products, and the bias."""
        return size(outputs[0]) * (2 * math.prod(self.weight.shape[1:]) + (self.bias is not None))

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The convolution of `x`. Raises ShapeError for other channels than the weight's, or too small an image."""
        check_dtype(type(self).__name__, x, "fic", self.weight, self.bias)
        batch = self._pad(as_batch(type(self).__name__, single(x), self.in_channels, self.axes))
        reach = tuple((k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation))
        if any(r > extent for r, extent in zip(reach, batch.shape[2:])):
            raise OutputSizeError(
                f"{type(self).__name__} input with its padding",
                f"at least {reach}, which kernel_size={self.kernel_size}, dilation={self.dilation} reach over",
                batch.shape[2:],
            )
        view = windows(batch, self.kernel_size, self.stride, self.dilation)
        n, places = len(view), view.shape[2 : 2 + self.axes]
        y = np.empty((n, self.groups, self.out_channels // self.groups, *places), batch.dtype)
        for band in _bands(view):
            rows = im2col(view[:, :, band])
            by_group = rows.reshape(n, rows.shape[1], self.groups, -1).transpose(0, 2, 3, 1)
            y[:, :, :, band] = (self.kernels @ by_group).reshape(*y.shape[:3], -1, *places[1:])
        return like_input(self.add_bias(y.reshape(n, self.out_channels, *places)), x)

    def _pads(self, padding: Any) -> Sizes:
        """Rows and columns to add: (up, bottom, left, right); two numbers per spatial axis."""
        if isinstance(padding, str) and padding == "valid":
            return (0, 0) * self.axes
        if isinstance(padding, str) and padding == "same":
            if max(self.stride) > 1:
                expected = f"a number, since 'same' needs stride 1 and stride is {self.stride}"
                raise ParameterError("padding", expected, "'same'")
            needed = [(k - 1) * d for k, d in zip(self.kernel_size, self.dilation)]
            return tuple(part for n in needed for part in (n // 2, n - n // 2))
        return tuple(n for n in per_axis(self.axes, "padding", padding, 0) for _ in range(2))

    def _pad(self, x: np.ndarray) -> np.ndarray:
        if self.padding_mode == "zeros" or not any(self.pads):
            return pad_planes(self.toolbox, x, self.pads, 0)
        sides = list(zip(self.pads[::2], self.pads[1::2]))
        spare = 1 if self.padding_mode == "reflect" else 0  # a mirror does not repeat the edge
        for extent, widest in zip(x.shape[2:], map(max, sides)):
            if self.padding_mode != "replicate" and widest > extent - spare:
                expected = f"at most {extent - spare} for padding_mode={self.padding_mode} of an input {x.shape}"
                raise ShapeError(f"{type(self).__name__} padding", expected, widest)
        mode: Any = NUMPY_MODE[self.padding_mode]
        return np.pad(x, [(0, 0), (0, 0), *sides], mode=mode)


@registry.register("nn.Conv1d", "F.conv1d")
class Conv1d(Conv2d):
    """Conv2d with one spatial axis: (N, C, L) -> (N, O, L')."""

    axes = 1


@registry.register("nn.Conv3d", "F.conv3d")
class Conv3d(Conv2d):
    """Conv2d with three spatial axes: (N, C, D, H, W) -> (N, O, D', H', W')."""

    axes = 3


def _bands(view: np.ndarray) -> Iterator[slice]:
    """Slices of output rows, so many at a time that their im2col stays in the processor's cache."""
    height = view.shape[2]
    step = max(1, BAND * height // view.size)
    return (slice(top, top + step) for top in range(0, height, step))


@registry.register("nn.ConvTranspose2d", "F.conv_transpose2d")
class ConvTranspose2d(_Convolution):
    """(N, C, H, W) -> (N, O, H', W'): every pixel of x lays down its multiple of the kernel; overlaps add up.

    H' = (H - 1)*stride - 2*padding + dilation*(kernel_size - 1) + output_padding + 1: an image of that height is
    one from which Conv2d makes H rows. Where Conv2d gathers windows by im2col, this scatters them by col2im.

    Parameters
    ----------
    weight : (C, O/groups, kh, kw), input channels first.
    bias, stride, dilation, groups : as in Conv2d.
    padding : rows and columns cut off at every side.
    output_padding : rows and columns added below and at the right; smaller than the stride or the dilation.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html

    >>> ConvTranspose2d(np.ones((1, 1, 2, 2)), stride=2).forward(np.array([[[[1.0, 2]]]]))[0, 0]
    array([[1., 1., 2., 2.],
           [1., 1., 2., 2.]])
    """

    def __init__(
        self,
        weight: np.ndarray,
        bias: np.ndarray | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        in_channels: int | None = None,
        out_channels: int | None = None,
        kernel_size: Any = None,
    ) -> None:
        super().__init__(weight, bias, stride, dilation, groups, in_channels, out_channels, kernel_size)
        self.padding = per_axis(self.axes, "padding", padding, 0)
        self.output_padding = per_axis(self.axes, "output_padding", output_padding, 0)
        for extra, s, d in zip(self.output_padding, self.stride, self.dilation):
            if extra >= max(s, d):
                expected = f"less than stride {self.stride} or dilation {self.dilation}"
                raise ParameterError("output_padding", expected, repr(output_padding))

    @staticmethod
    def channels(shape: tuple[int, ...], groups: int) -> tuple[int, int]:
        """Weight (C, O/groups, kh, kw) -> (C, O)."""
        return shape[0], shape[1] * groups

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every input element is spread over out_channels/groups x kernel outputs; every output has its bias."""
        products = size(inputs[0]) * math.prod(self.weight.shape[1:])
        return 2 * products + (0 if self.bias is None else size(outputs[0]))

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The transposed convolution of `x`. Raises ShapeError for other channels than the weight's."""
        check_dtype(type(self).__name__, x, "fic", self.weight, self.bias)
        batch = as_batch(type(self).__name__, single(x), self.in_channels, self.axes)
        n = len(batch)
        full, left = self._sizes(batch.shape[2:])
        pixels = batch.reshape(n, self.groups, self.in_channels // self.groups, -1)
        columns = self.kernels.swapaxes(1, 2) @ pixels
        rows = columns.reshape(n, -1, pixels.shape[-1]).swapaxes(1, 2)
        image = col2im(rows, full, self.kernel_size, self.stride, self.dilation)
        y = np.zeros((n, self.out_channels, *left), image.dtype)
        inside: Any = tuple(slice(p, p + count) for p, count in zip(self.padding, left))
        cut = image[(..., *inside)]
        y[tuple(map(slice, cut.shape))] = cut
        return like_input(self.add_bias(y), x)

    def _sizes(self, extents: Sizes) -> tuple[Sizes, Sizes]:
        """What the windows cover, and what is left of that after padding and output_padding."""
        options = zip(extents, self.stride, self.dilation, self.kernel_size)
        full = tuple((n - 1) * s + d * (k - 1) + 1 for n, s, d, k in options)
        left = tuple(f - 2 * p + extra for f, p, extra in zip(full, self.padding, self.output_padding))
        if min(left) < 1:
            expected = f"an input large enough for padding {self.padding}: an output of at least {(1,) * self.axes}"
            raise OutputSizeError(f"{type(self).__name__} output", expected, left)
        return full, left


@registry.register("nn.ConvTranspose1d", "F.conv_transpose1d")
class ConvTranspose1d(ConvTranspose2d):
    """ConvTranspose2d with one spatial axis: (N, C, L) -> (N, O, L')."""

    axes = 1


@registry.register("nn.ConvTranspose3d", "F.conv_transpose3d")
class ConvTranspose3d(ConvTranspose2d):
    """ConvTranspose2d with three spatial axes: (N, C, D, H, W) -> (N, O, D', H', W')."""

    axes = 3
