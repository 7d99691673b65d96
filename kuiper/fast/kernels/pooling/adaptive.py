"""Adaptive pooling, whose windows differ in size, and means over whole images and over any axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Halo, Spec
from kuiper.fast.kernels.base.calls import Call, Index, Stage, blocks
from kuiper.fast.kernels.base.kernel import ImageLayout, Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.pooling.windows import PoolKernel, Windows
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d, AdaptiveMaxPool2d
from kuiper.layers.reduction.reduction import Mean

Spans = list[tuple[int, int]]
"""(start, stop) of each window along one axis."""


class Boxes(Kernel):
    """(N, C, H, W) -> (N, C, H', W'): `function` over rows[i] x columns[j], times `scale`.

    Parameters
    ----------
    function : a ufunc whose `reduce` pools, np.add or np.maximum.
    scale : None, or (H', W', 1) numbers.
    """

    output_layout = "nhwc"
    by_sample = always

    def __init__(self, function: np.ufunc, rows: Spans, columns: Spans, scale: np.ndarray | None = None) -> None:
        self.function, self.rows, self.columns, self.scale = function, rows, columns, scale

    def halo(self, slot: int) -> Halo:
        """No border, channel-last."""
        return Halo()

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Rows on all threads, each with its own images or columns; then columns on one."""
        source, target = inputs[0].nhwc, outputs[0].nhwc
        n, _, width, channels = source.shape
        pooled = space.shared((n, len(self.rows), width, channels))
        stage: Stage = []
        for cut in blocks((n, width), space.threads_for(source.size * 0.3)):
            part = (cut[0], slice(None), *cut[1:]) if cut else ()
            stage.append(self._calls(source[part], pooled[part], 1, self.rows))
        last = self._calls(pooled, target, 2, self.columns)
        if self.scale is not None:
            last.append(partial(np.multiply, target, self.scale, out=target))
        return [stage, [last]]

    def _calls(self, x: np.ndarray, y: np.ndarray, axis: int, windows: Spans) -> list[Call]:
        ahead: Index = (slice(None),) * axis
        return [
            partial(self.function.reduce, x[(*ahead, slice(start, stop))], axis, out=y[(*ahead, i)])
            for i, (start, stop) in enumerate(windows)
        ]


class ImageMean(Kernel):
    """(N, C, H, W) -> (N, C, 1, 1), or (N, C) with `flat`: means over H and W as products with a row of ones.

    Summing rows first, then what is left of the columns, also rounds less than one long sum.
    """

    by_sample = always

    def __init__(self, flat: bool = False) -> None:
        self.flat = flat
        self.output_layout: ImageLayout = "nchw" if flat else "nhwc"

    def halo(self, slot: int) -> Halo:
        """No border, channel-last."""
        return Halo()

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Rows on all threads, each with its own images or rows; then their sums on one."""
        source = inputs[0].nhwc
        target = outputs[0].array if self.flat else outputs[0].array[:, :, 0, 0]
        n, height, width, channels = source.shape
        sums = space.shared((n, height, channels))
        ones, weights = np.ones(width, np.float32), np.full(height, 1 / (height * width), np.float32)
        parts = blocks((n, height), space.threads_for(source.size * 0.1))
        rows: Stage = [[partial(np.matmul, ones, source[part], out=sums[part])] for part in parts]
        last: Call = partial(np.matmul, weights, sums, out=target)
        return [rows, [[last]]]


class MeanOf(Kernel):
    """(..., n, ...) -> (..., ...): the mean over `axes`, by one numpy reduction."""

    def __init__(self, axes: tuple[int, ...], keepdim: bool) -> None:
        self.axes, self.keepdim = axes, keepdim

    def by_sample(self, rank: int, inputs: Sequence[Spec]) -> bool:
        """Unless samples are what the mean is taken over."""
        return 0 not in self.axes

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One call, and one for the division."""
        x, y = inputs[0].array, outputs[0].array
        count = np.float32(np.prod([x.shape[axis] for axis in self.axes]))
        total: Call = partial(np.add.reduce, x, self.axes, out=y, keepdims=self.keepdim)
        return [[[total, partial(np.divide, y, count, out=y)]]]


@lowers(AdaptiveAvgPool2d, AdaptiveMaxPool2d)
def adaptive_pool(step: Step) -> Kernel | None:
    """(N, C, H, W) -> (N, C, *output_size) float32, without indices."""
    x, result = step.inputs[0], step.outputs[0]
    mean = isinstance(step.layer, AdaptiveAvgPool2d)
    if not x.is_float or x.shape is None or result.shape is None or len(x.shape) != 4 or 0 in x.shape:
        return None
    if not mean and step.layer.return_indices:
        return None
    if mean and result.shape[2:] == (1, 1):
        return ImageMean()
    function, neutral = (np.add, 0.0) if mean else (np.maximum, -np.inf)
    sizes = list(zip(x.shape[2:], result.shape[2:]))
    if all(size % count == 0 for size, count in sizes):
        rows, columns = (Windows(size, count, size // count, size // count, 0, 1) for size, count in sizes)
        scale = np.asarray(1 / (rows.kernel * columns.kernel), np.float32) if mean else None
        return PoolKernel(function, rows, columns, neutral, scale)
    across, down = ([(span.start, span.stop) for span in spans] for _, spans in step.layer.spans(x.shape))
    heights, widths = (np.array([stop - start for start, stop in spans], np.float32) for spans in (down, across))
    return Boxes(function, down, across, 1 / np.multiply.outer(heights, widths)[:, :, None] if mean else None)


@lowers(Mean)
def mean(step: Step) -> Kernel | None:
    """(..., n, ...) -> (..., ...) float32; of images over H and W as average pooling computes it."""
    x, layer = step.inputs[0], step.layer
    if not x.is_float or not x.shape or 0 in x.shape or not step.outputs[0].is_float or len(step.inputs) > 1:
        return None
    axes = tuple(sorted(axis % len(x.shape) for axis in layer.dims or range(len(x.shape))))
    if len(x.shape) == 4 and axes == (2, 3):
        return ImageMean(flat=not layer.keepdim)
    return MeanOf(axes, layer.keepdim)
