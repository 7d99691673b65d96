"""Pooling (lesson 6): one number for every window of every channel; and max pooling undone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import single
from kuiper.errors import OutputSizeError, ParameterError, ShapeError
from kuiper.layers.arrays.shape import integers
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, moves, size
from kuiper.layers.families import POOLING
from kuiper.layers.image.windows import Sizes, as_batch, like_input, pad_planes, per_axis, unbatch, windows
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

ATEN_MAX_POOL = ("x kernel_size stride padding dilation ceil_mode",)
ATEN_AVG_POOL = (
    "x kernel_size stride padding ceil_mode count_include_pad",
    "x kernel_size stride padding ceil_mode count_include_pad divisor_override",
)
"""Networks exported for any image size compute a pool's options: F.avg_pool2d(x, x.shape[2:])."""


class _Pool(Layer):
    """The options that max and average pooling share, and the windows that they look through."""

    family = POOLING
    axes: ClassVar[int] = 2
    """How many spatial axes the input has: 2 in an image."""

    def __init__(self, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> None:
        self.kernel_size = per_axis(self.axes, "kernel_size", kernel_size, 1)
        no_stride = stride is None or (np.iterable(stride) and len(tuple(stride)) == 0)
        self.stride = self.kernel_size if no_stride else per_axis(self.axes, "stride", stride, 1)
        self.padding = per_axis(self.axes, "padding", padding, 0)
        self.dilation = per_axis(self.axes, "dilation", dilation, 1)
        self.ceil_mode = ceil_mode
        if any(2 * p > k for p, k in zip(self.padding, self.kernel_size)):
            expected = f"at most half of kernel_size {self.kernel_size}, so that every window sees the image"
            raise ParameterError("padding", expected, repr(padding))

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every output element looks at the elements of its window."""
        return size(outputs[0]) * math.prod(self.kernel_size)

    def _output_size(self, x: np.ndarray) -> Sizes:
        """(H', W'). With ceil_mode a last, partial window counts if it starts inside the image or its left padding."""
        sizes = []
        for extent, k, s, p, d in zip(x.shape[2:], self.kernel_size, self.stride, self.padding, self.dilation):
            room = extent + 2 * p - d * (k - 1) - 1
            count = (room + (s - 1 if self.ceil_mode else 0)) // s + 1
            if self.ceil_mode and (count - 1) * s >= extent + p:
                count -= 1
            sizes.append(count)
        if min(sizes) < 1:
            expected = f"large enough for kernel_size={self.kernel_size} and dilation={self.dilation}"
            raise OutputSizeError(f"{type(self).__name__} input with padding {self.padding}", expected, x.shape[2:])
        return tuple(sizes)

    def _windows(self, x: np.ndarray, value: float) -> np.ndarray:
        """(N, C, H, W) -> (N, C, H', W', kh, kw), `value` standing in the padding and beyond."""
        pads = []
        for axis, count in enumerate(self._output_size(x)):
            k, s, p, d = (v[axis] for v in (self.kernel_size, self.stride, self.padding, self.dilation))
            end = (count - 1) * s + d * (k - 1) + 1  # of the last window, which ceil_mode lets stick out
            pads += [p, max(p, end - p - x.shape[2 + axis])]
        return windows(pad_planes(self.toolbox, x, pads, value), self.kernel_size, self.stride, self.dilation)

    def _taps(self, view: np.ndarray) -> Iterator[np.ndarray]:
        """(..., kh, kw) -> kh*kw arrays (...): one pixel of all windows at a time, which numpy combines fastest."""
        return (view[(..., *place)] for place in np.ndindex(*self.kernel_size))


@registry.register("aten::max_pool2d", inputs=ATEN_MAX_POOL)
@registry.register("nn.MaxPool2d", "F.max_pool2d")
class MaxPool2d(_Pool):
    """(N, C, H, W) -> (N, C, H', W'): the largest number in each window; NaN where the window holds one.

    H' = floor((H + 2*padding - dilation*(kernel_size - 1) - 1) / stride) + 1, or ceil with `ceil_mode`.

    Parameters
    ----------
    kernel_size, stride, padding, dilation : one integer, or (rows, cols); stride None means kernel_size. The padding
        is -inf (the least number of an integer type), and at most half of kernel_size.
    ceil_mode : keep a last window that sticks out, if it starts inside the image or its left padding.
    return_indices : give also where each maximum stands, as int64 positions in the H*W numbers of its channel: the
        first of equal maxima, the last of several NaN.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html

    >>> image = np.array([[[1.0, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6], [4, 5, 6, 7]]])
    >>> MaxPool2d(2).forward(image)
    array([[[3., 5.],
            [5., 7.]]])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, padding, dilation, ceil_mode)
        self.return_indices = return_indices

    def forward(self, x: np.ndarray) -> Any:
        """The maxima of `x`, or (maxima, indices). Raises ShapeError for an image smaller than a window."""
        check_dtype(type(self).__name__, x, "fi")
        batch = as_batch(type(self).__name__, x, axes=self.axes)
        view = self._windows(batch, _least(x.dtype))
        if self.return_indices:
            values, indices = self._with_indices(view, batch.shape[2:])
            return like_input(values, x), unbatch(indices, x)
        first = next(self._taps(view)).copy()
        return like_input(reduce(lambda best, tap: np.maximum(best, tap, out=best), self._taps(view), first), x)

    def _with_indices(self, view: np.ndarray, image: Sizes) -> tuple[np.ndarray, np.ndarray]:
        shape = view.shape[: 2 + self.axes]
        starts = [np.arange(n) * s - p for n, s, p in zip(shape[2:], self.stride, self.padding)]
        # -inf in the padding never wins, and neither does -inf in the image: then the first pixel inside is named
        inside = [start + np.maximum(0, -(start // d)) * d for start, d in zip(starts, self.dilation)]
        indices = np.broadcast_to(_positions(inside, image), shape)
        values = np.full(shape, _least(view.dtype), view.dtype)
        for place, tap in zip(np.ndindex(*self.kernel_size), self._taps(view)):
            stands = _positions([start + i * d for start, i, d in zip(starts, place, self.dilation)], image)
            better = (tap > values) | (tap != tap)  # only NaN differs from itself
            values, indices = np.where(better, tap, values), np.where(better, stands, indices)
        return values, indices.astype(np.int64)


def _least(dtype: np.dtype) -> float:
    """What never wins over a number of `dtype`."""
    return -np.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)


def _positions(axes: list[np.ndarray], image: Sizes) -> np.ndarray:
    """Rows (H',) and columns (W',) -> (H', W'): where they meet, counted row by row in an image of that size."""
    steps = [math.prod(image[axis + 1 :]) for axis in range(len(image))]
    return reduce(np.add.outer, [numbers * step for numbers, step in zip(axes, steps)])


@registry.register("aten::max_pool1d", inputs=ATEN_MAX_POOL)
@registry.register("nn.MaxPool1d", "F.max_pool1d")
class MaxPool1d(MaxPool2d):
    """MaxPool2d with one spatial axis: (N, C, L) -> (N, C, L')."""

    axes = 1


@registry.register("aten::max_pool3d", inputs=ATEN_MAX_POOL)
@registry.register("nn.MaxPool3d", "F.max_pool3d")
class MaxPool3d(MaxPool2d):
    """MaxPool2d with three spatial axes: (N, C, D, H, W) -> (N, C, D', H', W')."""

    axes = 3


@registry.register("aten::avg_pool2d", inputs=ATEN_AVG_POOL)
@registry.register("nn.AvgPool2d", "F.avg_pool2d")
class AvgPool2d(_Pool):
    """(N, C, H, W) -> (N, C, H', W'): the sum of each window, divided by how many numbers it holds.

    Parameters
    ----------
    kernel_size, stride, padding, ceil_mode : as in MaxPool2d; the padding is 0.
    count_include_pad : whether the padding counts as numbers. What ceil_mode adds beyond the padding never does.
    divisor_override : divide by this instead.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html

    >>> AvgPool2d(2).forward(np.array([[[1.0, 2], [3, 4]]]))
    array([[[2.5]]])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, 1, ceil_mode)
        if divisor_override == 0:
            raise ParameterError("divisor_override", "a number other than 0", "0")
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The averages of `x` (int64 rounded towards zero). Raises ShapeError for an image smaller than a window."""
        if x.dtype != np.int64:
            check_dtype(type(self).__name__, x, "f")
        batch = as_batch(type(self).__name__, single(x), axes=self.axes)
        view = self._windows(batch, 0)
        total = np.zeros(view.shape[: 2 + self.axes], view.dtype)
        for tap in self._taps(view):
            total += tap
        divisor = self.counts(batch.shape, view.shape) if self.divisor_override is None else self.divisor_override
        return like_input(total / np.asarray(divisor, view.dtype), x)

    def counts(self, shape: tuple[int, ...], view: tuple[int, ...]) -> np.ndarray:
        """(H', W'): the numbers in each window."""
        counts = []
        for extent, n, k, s, p in zip(shape[2:], view[2:], self.kernel_size, self.stride, self.padding):
            start = np.arange(n) * s - p
            end = np.minimum(start + k, extent + p)
            counts.append(end - start if self.count_include_pad else np.minimum(end, extent) - np.maximum(start, 0))
        return reduce(np.multiply.outer, counts)


@registry.register("aten::avg_pool1d", inputs=ATEN_AVG_POOL)
@registry.register("nn.AvgPool1d", "F.avg_pool1d")
class AvgPool1d(AvgPool2d):
    """AvgPool2d with one spatial axis: (N, C, L) -> (N, C, L')."""

    axes = 1


@registry.register("aten::avg_pool3d", inputs=ATEN_AVG_POOL)
@registry.register("nn.AvgPool3d", "F.avg_pool3d")
class AvgPool3d(AvgPool2d):
    """AvgPool2d with three spatial axes: (N, C, D, H, W) -> (N, C, D', H', W').

    PyTorch also refuses, in three axes only, an image smaller than the window without its padding.
    """

    axes = 3


@registry.register("nn.LPPool2d", "F.lp_pool2d")
class LPPool2d(Layer):
    """(N, C, H, W) -> (N, C, H', W'): (sum of x**p over the window) ** (1/p), with p = norm_type.

    PyTorch takes the sum as the window's average times kh*kw, so a last window that sticks out with `ceil_mode` counts
    as much as a whole one. x**p has no absolute value in it: a negative x with an odd p can give NaN.

    Parameters
    ----------
    norm_type : p, a number other than 0; inf means the maximum of |x|, -inf the minimum.
    kernel_size, stride, ceil_mode : as in AvgPool2d.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool2d.html

    >>> LPPool2d(2, (1, 2)).forward(np.array([[[3.0, 4, 5, 12]]]))
    array([[[ 5., 13.]]])
    """

    family = POOLING
    average: ClassVar[type[AvgPool2d]] = AvgPool2d
    maximum: ClassVar[type[MaxPool2d]] = MaxPool2d

    def __init__(self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        self.norm_type = _exponent(norm_type)
        self.mean = self.average(kernel_size, stride, ceil_mode=ceil_mode)
        self.largest = self.maximum(kernel_size, stride, ceil_mode=ceil_mode)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """As many as the average."""
        return self.mean.flops(inputs, outputs)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The norms of the windows of `x`. Raises ShapeError for an image smaller than a window."""
        if math.isinf(self.norm_type):
            sign = x.dtype.type(math.copysign(1, self.norm_type))
            return np.asarray(sign * self.largest.forward(sign * np.abs(x)))
        with np.errstate(all="ignore"):
            mean = self.mean.forward(_power(x, self.norm_type))
            return _power(mean * math.prod(self.mean.kernel_size), 1.0 / self.norm_type)


def _exponent(norm_type: Any) -> float:
    try:
        p = norm_type if isinstance(norm_type, int) else float(norm_type)  # "inf" comes as a word
    except (TypeError, ValueError):
        p = 0
    if not p:
        raise ParameterError("norm_type", "a number other than 0", repr(norm_type))
    return p


def _power(x: np.ndarray, exponent: float) -> np.ndarray:
    """x ** exponent in the type that PyTorch gives it: an integer to a float is float32."""
    return np.power(x.astype(dtypes.result_type(x, exponent), copy=False), exponent)


@registry.register("nn.LPPool1d", "F.lp_pool1d")
class LPPool1d(LPPool2d):
    """LPPool2d with one spatial axis: (N, C, L) -> (N, C, L')."""

    average, maximum = AvgPool1d, MaxPool1d


@registry.register("nn.LPPool3d", "F.lp_pool3d")
class LPPool3d(LPPool2d):
    """LPPool2d with three spatial axes: (N, C, D, H, W) -> (N, C, D', H', W')."""

    average, maximum = AvgPool3d, MaxPool3d


@registry.register("aten::max_unpool2d", inputs=("x x output_size",))
@registry.register("aten::max_unpool3d", inputs=("x x output_size _ _",))
class MaxUnpool(Layer):
    """x (N, C, H, W), indices (N, C, H, W) -> (N, C, H', W'): zeros, with x[n, c, h, w] at position
    indices[n, c, h, w] of the H'*W' numbers of its channel. Without N, and with a third spatial axis, alike.

    Parameters
    ----------
    output_size : (H', W').

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html

    >>> MaxUnpool([2, 2]).forward(np.array([[[7.0, 8]]]), np.array([[[3, 0]]]))
    array([[[8., 0.],
            [0., 7.]]])
    """

    family = POOLING
    flops = moves

    def __init__(self, output_size: Any) -> None:
        self.output_size = integers(output_size)

    def forward(self, x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """The unpooled `x`. Raises ShapeError when the indices have another shape or leave the output."""
        axes = len(self.output_size)
        if x.ndim not in (axes + 1, axes + 2) or indices.shape != x.shape:
            expected = f"one index for each number, with {axes} spatial axes"
            raise ShapeError("MaxUnpool indices", expected, f"{indices.shape} for x {x.shape}")
        channels, count = x.shape[:-axes], math.prod(self.output_size)
        if indices.size and not 0 <= indices.min() <= indices.max() < count:
            raise OutputSizeError("MaxUnpool indices", f"0 to {count - 1}", f"{indices.min()} to {indices.max()}")
        y = np.zeros((*channels, count), x.dtype)
        np.put_along_axis(y, indices.reshape(*channels, -1), x.reshape(*channels, -1), axis=-1)
        return y.reshape(*channels, *self.output_size)
