"""Pooling (lesson 6): one number for every window of every channel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from kuiper.errors import InferStatus, ParameterError, ParseParameterAttrStatus, ShapeError
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.layers.windows import Pair, as_batch, check_dtype, like_input, pad_planes, pair, single, windows


class _Pool(Layer):
    """The options that max and average pooling share, and the windows that they look through."""

    def __init__(self, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> None:
        self.kernel_size = pair("kernel_size", kernel_size, 1, ParseParameterAttrStatus.KERNEL)
        no_stride = stride is None or (np.iterable(stride) and len(tuple(stride)) == 0)
        self.stride = self.kernel_size if no_stride else pair("stride", stride, 1, ParseParameterAttrStatus.STRIDE)
        self.padding = pair("padding", padding, 0, ParseParameterAttrStatus.PADDING)
        self.dilation = pair("dilation", dilation, 1, ParseParameterAttrStatus.DILATION)
        self.ceil_mode = ceil_mode
        if any(2 * p > k for p, k in zip(self.padding, self.kernel_size)):
            expected = f"at most half of kernel_size {self.kernel_size}, so that every window sees the image"
            raise ParameterError("padding", expected, repr(padding), status=ParseParameterAttrStatus.PADDING)

    def _output_size(self, x: np.ndarray) -> Pair:
        """(H', W'). With ceil_mode a last, partial window counts if it starts inside the image or its left padding."""
        sizes = []
        for axis, size in enumerate(x.shape[2:]):
            k, s, p, d = (v[axis] for v in (self.kernel_size, self.stride, self.padding, self.dilation))
            room = size + 2 * p - d * (k - 1) - 1
            count = (room + (s - 1 if self.ceil_mode else 0)) // s + 1
            if self.ceil_mode and (count - 1) * s >= size + p:
                count -= 1
            sizes.append(count)
        if min(sizes) < 1:
            expected = f"large enough for kernel_size={self.kernel_size} and dilation={self.dilation}"
            name = f"{type(self).__name__} input with padding {self.padding}"
            raise ShapeError(name, expected, x.shape[2:], status=InferStatus.OUTPUT_SIZE)
        return sizes[0], sizes[1]

    def _windows(self, x: np.ndarray, value: float) -> np.ndarray:
        """(N, C, H, W) -> (N, C, H', W', kh, kw), `value` standing in the padding and beyond."""
        pads = []
        for axis, count in enumerate(self._output_size(x)):
            k, s, p, d = (v[axis] for v in (self.kernel_size, self.stride, self.padding, self.dilation))
            end = (count - 1) * s + d * (k - 1) + 1  # of the last window, which ceil_mode lets stick out
            pads += [p, max(p, end - p - x.shape[2 + axis])]
        padded = pad_planes(self.toolbox, x, pads, value)
        return windows(padded, self.kernel_size, self.stride, self.dilation)


def _taps(view: np.ndarray) -> Iterator[np.ndarray]:
    """(..., kh, kw) -> kh*kw arrays (...): one pixel of all windows at a time, which numpy combines fastest."""
    return (view[..., i, j] for i, j in np.ndindex(view.shape[-2:]))


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
        check_dtype("MaxPool2d", x, "fiu")
        batch = as_batch("MaxPool2d", x)
        view = self._windows(batch, -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)
        if self.return_indices:
            values, indices = self._with_indices(view, batch.shape)
            return like_input(values, x), indices if x.ndim == 4 else indices[0]
        first = view[..., 0, 0].copy()
        return like_input(reduce(lambda best, tap: np.maximum(best, tap, out=best), _taps(view), first), x)

    def _with_indices(self, view: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        (row_step, col_step), width = self.dilation, shape[3]
        starts = [np.arange(n) * s - p for n, s, p in zip(view.shape[2:4], self.stride, self.padding)]
        # -inf in the padding never wins, and neither does -inf in the image: then the first pixel inside is named
        rows, cols = (start + np.maximum(0, -(start // d)) * d for start, d in zip(starts, self.dilation))
        indices = np.broadcast_to(rows[:, None] * width + cols, view.shape[:4])
        values = np.full(view.shape[:4], -np.inf if view.dtype.kind == "f" else np.iinfo(view.dtype).min, view.dtype)
        for i, j in np.ndindex(*self.kernel_size):
            place = (starts[0] + i * row_step)[:, None] * width + starts[1] + j * col_step
            tap = view[..., i, j]
            better = (tap > values) | (tap != tap)  # only NaN differs from itself
            values, indices = np.where(better, tap, values), np.where(better, place, indices)
        return values, indices.astype(np.int64)


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
            check_dtype("AvgPool2d", x, "f")
        batch = as_batch("AvgPool2d", single(x))
        view = self._windows(batch, 0)
        total = reduce(lambda sums, tap: np.add(sums, tap, out=sums), _taps(view), np.zeros(view.shape[:4], view.dtype))
        divisor = self._counts(batch.shape, view.shape) if self.divisor_override is None else self.divisor_override
        return like_input(total / np.asarray(divisor, view.dtype), x)

    def _counts(self, shape: tuple[int, ...], view: tuple[int, ...]) -> np.ndarray:
        """(H', W'): the numbers in each window."""
        counts = []
        for size, n, k, s, p in zip(shape[2:], view[2:4], self.kernel_size, self.stride, self.padding):
            start = np.arange(n) * s - p
            end = np.minimum(start + k, size + p)
            counts.append(end - start if self.count_include_pad else np.minimum(end, size) - np.maximum(start, 0))
        return np.outer(*counts)


class _AdaptivePool(Layer):
    """Window i of `out` over `size` numbers runs from floor(i*size/out) up to ceil((i+1)*size/out)."""

    def __init__(self, output_size: Any) -> None:
        sizes = tuple(output_size) if np.iterable(output_size) and not isinstance(output_size, str) else output_size
        sizes = sizes if isinstance(sizes, tuple) else (sizes, sizes)
        status = ParseParameterAttrStatus.OUT_HW
        if len(sizes) != 2:
            raise ParameterError("output_size", "one size, or (rows, cols)", repr(output_size), status=status)
        # None and 0 both mean: as many as the input has; PNNX writes 0
        self.output_size = tuple(pair("output_size", 0 if s is None else s, 0, status)[0] for s in sizes)

    def _spans(self, shape: tuple[int, ...]) -> tuple[list[slice], list[slice]]:
        """The windows down and across an input of `shape`."""
        return _spans(shape[-2], self.output_size[0]), _spans(shape[-1], self.output_size[1])


def _spans(size: int, out: int) -> list[slice]:
    out = out or size
    return [slice(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]


@registry.register("nn.AdaptiveAvgPool2d", "F.adaptive_avg_pool2d")
class AdaptiveAvgPool2d(_AdaptivePool):
    """(N, C, H, W) -> (N, C, *output_size): averages over windows that fit, whatever H and W are.

    Parameters
    ----------
    output_size : one size, or (rows, cols); None or 0 keeps the input's.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html

    >>> AdaptiveAvgPool2d((1, 3)).forward(np.arange(5.0).reshape(1, 1, 5))
    array([[[0.5, 2. , 3.5]]])
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The averages of `x`. A window is a rectangle, so rows and columns can be averaged one after the other."""
        check_dtype("AdaptiveAvgPool2d", x, "f")
        batch = as_batch("AdaptiveAvgPool2d", single(x))
        rows, cols = self._spans(batch.shape)
        across = np.stack([batch[:, :, :, span].mean(axis=3) for span in cols], axis=3)
        return like_input(np.stack([across[:, :, span].mean(axis=2) for span in rows], axis=2), x)


@registry.register("nn.AdaptiveMaxPool2d", "F.adaptive_max_pool2d")
class AdaptiveMaxPool2d(_AdaptivePool):
    """(N, C, H, W) -> (N, C, *output_size): maxima over the windows of AdaptiveAvgPool2d, NaN as in MaxPool2d.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool2d.html

    >>> AdaptiveMaxPool2d((1, 3)).forward(np.arange(5.0).reshape(1, 1, 5))
    array([[[1., 3., 4.]]])
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, x: np.ndarray) -> Any:
        """The maxima of `x`, or (maxima, indices) as MaxPool2d gives them."""
        check_dtype("AdaptiveMaxPool2d", x, "f")
        batch = as_batch("AdaptiveMaxPool2d", x)
        n, channels, height, width = batch.shape
        rows, cols = self._spans(batch.shape)
        positions = np.arange(height * width).reshape(height, width)
        indices = np.empty((n, channels, len(rows), len(cols)), np.int64)
        for i, j in np.ndindex(*indices.shape[2:]):
            window = batch[:, :, rows[i], cols[j]].reshape(n, channels, -1)
            indices[:, :, i, j] = positions[rows[i], cols[j]].reshape(-1)[_winner(window)]
        flat = indices.reshape(n, channels, -1)
        values = np.take_along_axis(batch.reshape(n, channels, -1), flat, axis=2).reshape(indices.shape)
        if not self.return_indices:
            return like_input(values, x)
        return like_input(values, x), indices if x.ndim == 4 else indices[0]


def _winner(window: np.ndarray) -> np.ndarray:
    """(..., K) -> (...): where the largest of K numbers stands: the first of equals, but the last NaN."""
    nan = np.isnan(window)
    last_nan = window.shape[-1] - 1 - nan[..., ::-1].argmax(axis=-1)
    return np.where(nan.any(axis=-1), last_nan, window.argmax(axis=-1))
