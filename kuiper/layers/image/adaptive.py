"""Adaptive pooling (lesson 8): as many windows as the output asks for, whatever the size of the input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ParameterError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import per_input
from kuiper.layers.families import POOLING
from kuiper.layers.image.windows import as_batch, like_input, per_axis, unbatch
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

SIZES = {1: "one size", 2: "one size, or (rows, cols)", 3: "one size, or (depth, rows, cols)"}


class _AdaptivePool(Layer):
    """Window i of `out` over `size` numbers runs from floor(i*size/out) up to ceil((i+1)*size/out).

    A window is a box, so the axes can be pooled one after the other.
    """

    family = POOLING
    flops = per_input(1)
    axes: ClassVar[int] = 2
    """How many spatial axes the input has: 2 in an image."""

    def __init__(self, output_size: Any) -> None:
        several = np.iterable(output_size) and not isinstance(output_size, str)
        sizes = tuple(output_size) if several else (output_size,) * self.axes
        if len(sizes) != self.axes:
            raise ParameterError("output_size", SIZES[self.axes], repr(output_size))
        # None and 0 both mean: as many as the input has; PNNX writes 0
        self.output_size = tuple(per_axis(1, "output_size", 0 if s is None else s, 0)[0] for s in sizes)

    def spans(self, shape: tuple[int, ...]) -> Iterator[tuple[int, list[slice]]]:
        """Each spatial axis of an input of `shape` with its windows, the last axis first."""
        for axis, out in reversed(list(enumerate(self.output_size, start=2))):
            size = shape[axis]
            out = out or size
            yield axis, [slice(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]

    def _reduce(self, function: Callable[..., np.ndarray], y: np.ndarray) -> np.ndarray:
        """The mean or the maximum of every window."""
        for axis, spans in self.spans(y.shape):
            lines = np.moveaxis(y, axis, 0)
            y = np.stack([function(lines[span], axis=0) for span in spans], axis=axis)
        return y


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
        """The averages of `x`."""
        check_dtype(type(self).__name__, x, "fc" if set(self.output_size) == {1} else "f")
        return like_input(self._reduce(np.mean, as_batch(type(self).__name__, single(x), axes=self.axes)), x)


@registry.register("nn.AdaptiveAvgPool1d", "F.adaptive_avg_pool1d")
class AdaptiveAvgPool1d(AdaptiveAvgPool2d):
    """AdaptiveAvgPool2d with one spatial axis: (N, C, L) -> (N, C, output_size)."""

    axes = 1


@registry.register("nn.AdaptiveAvgPool3d", "F.adaptive_avg_pool3d")
class AdaptiveAvgPool3d(AdaptiveAvgPool2d):
    """AdaptiveAvgPool2d with three spatial axes: (N, C, D, H, W) -> (N, C, *output_size)."""

    axes = 3


@registry.register("nn.AdaptiveMaxPool2d", "F.adaptive_max_pool2d")
class AdaptiveMaxPool2d(_AdaptivePool):
    """(N, C, H, W) -> (N, C, *output_size): maxima over the windows of AdaptiveAvgPool2d, NaN as in MaxPool2d.

    Parameters
    ----------
    output_size : as in AdaptiveAvgPool2d.
    return_indices : give also where each maximum stands, as MaxPool2d does.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool2d.html

    >>> AdaptiveMaxPool2d((1, 3)).forward(np.arange(5.0).reshape(1, 1, 5))
    array([[[1., 3., 4.]]])
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, x: np.ndarray) -> Any:
        """The maxima of `x`, or (maxima, indices)."""
        check_dtype(type(self).__name__, x, "f")
        batch = as_batch(type(self).__name__, x, axes=self.axes)
        if not self.return_indices:
            return like_input(self._reduce(np.max, batch), x)
        size = batch.shape[2:]
        indices = np.broadcast_to(np.arange(math.prod(size), dtype=np.int64).reshape(size), batch.shape)
        values, indices = self._reduce_both(batch, indices)
        return like_input(values, x), unbatch(indices, x)

    def _reduce_both(self, values: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of every window the largest of `values` and the number that `indices` has in its place."""
        for axis, spans in self.spans(values.shape):
            lines = np.moveaxis(values, axis, -1)
            best = np.stack([span.start + _winner(lines[..., span]) for span in spans], axis=axis)
            values, indices = (np.take_along_axis(array, best, axis) for array in (values, indices))
        return values, indices


def _winner(window: np.ndarray) -> np.ndarray:
    """(..., K) -> (...): where the largest of K numbers stands: the first of equals, but the last NaN."""
    nan = np.isnan(window)
    last_nan = window.shape[-1] - 1 - nan[..., ::-1].argmax(axis=-1)
    return np.where(nan.any(axis=-1), last_nan, window.argmax(axis=-1))


@registry.register("nn.AdaptiveMaxPool1d", "F.adaptive_max_pool1d")
class AdaptiveMaxPool1d(AdaptiveMaxPool2d):
    """AdaptiveMaxPool2d with one spatial axis: (N, C, L) -> (N, C, output_size)."""

    axes = 1


@registry.register("nn.AdaptiveMaxPool3d", "F.adaptive_max_pool3d")
class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """AdaptiveMaxPool2d with three spatial axes: (N, C, D, H, W) -> (N, C, *output_size)."""

    axes = 3
