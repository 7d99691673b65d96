"""Max and average pooling of channel-last images: first along the rows, then along the columns.

A window is a box, so each axis is pooled by itself. Pixel i of all windows is one slice of the image, which is combined
only where it exists: the padding is never stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Call, Stage, image_tiles, spans
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.layers.image.pooling import AvgPool2d, MaxPool2d

CACHED = 131_072
"""Floats of pooled rows that a thread computes at a time, so that they are still cached when columns are pooled."""


@dataclass(frozen=True)
class Windows:
    """The windows along one axis: number r holds the elements r*stride - padding + i*dilation, 0 <= i < kernel."""

    size: int
    count: int
    kernel: int
    stride: int
    padding: int
    dilation: int

    @property
    def is_single(self) -> bool:
        """Whether a window is one element, so that a slice is enough."""
        return self.kernel == 1 and self.padding == 0

    def taps(self, start: int, stop: int) -> list[tuple[slice, slice]]:
        """For each i: the elements i of windows start ... stop - 1 that exist, and which of these windows have them.

        Longest first; windows are counted from `start`.

        >>> Windows(size=4, count=2, kernel=3, stride=2, padding=1, dilation=1).taps(0, 2)
        [(slice(0, 3, 2), slice(0, 2, None)), (slice(1, 4, 2), slice(0, 2, None)), (slice(1, 2, 2), slice(1, 2, None))]
        """
        found = []
        for i in range(self.kernel):
            shift = i * self.dilation - self.padding
            first = max(start, -(shift // self.stride))
            last = min(stop - 1, (self.size - 1 - shift) // self.stride)
            if first <= last:
                source = slice(first * self.stride + shift, last * self.stride + shift + 1, self.stride)
                found.append((source, slice(first - start, last + 1 - start)))
        return sorted(found, key=lambda tap: tap[1].start - tap[1].stop)


class PoolKernel(Kernel):
    """(N, C, H, W) -> (N, C, H', W'): `function` over each window, times `scale`.

    Parameters
    ----------
    function : a ufunc of two numbers, np.maximum or np.add.
    rows, columns : the windows along both axes.
    neutral : the result of an empty window.
    scale : None, a number, or (H', W', 1) numbers.
    """

    label = "Pool"
    output_layout = "nhwc"
    by_sample = always

    def __init__(
        self, function: np.ufunc, rows: Windows, columns: Windows, neutral: float, scale: np.ndarray | None = None
    ) -> None:
        self.function, self.rows, self.columns, self.neutral, self.scale = function, rows, columns, neutral, scale

    def halo(self, slot: int) -> Halo:
        """No border, channel-last."""
        return Halo()

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One stage; each thread pools its rows of output, some at a time."""
        source, target = inputs[0].nhwc, outputs[0].nhwc
        n, count = len(target), self.rows.count
        threads = space.threads_for(self._nanoseconds(source))
        stage: Stage = []
        for thread, (start, stop) in enumerate(spans(n * count, threads)):
            calls: list[Call] = []
            for images, first, last in image_tiles(start, stop, count, CACHED // (source.shape[2] * source.shape[3])):
                with space.reused(thread):
                    part = target[images, first:last]
                    calls += self._tile(source[images], part, first, space, thread)
            stage.append(calls)
        return [stage]

    def _nanoseconds(self, source: np.ndarray) -> float:
        n, _, width, channels = source.shape
        rows = width * self.rows.kernel
        columns = self.columns.count * (self.columns.kernel + (self.scale is not None))
        return 0.15 * n * self.rows.count * channels * (rows + columns)

    def _tile(self, source: np.ndarray, target: np.ndarray, first: int, space: Workspace, thread: int) -> list[Call]:
        """The calls for rows `first` ... of the output, (n, rows, W', C), from whole images (n, H, W, C)."""
        calls: list[Call] = []
        last = first + target.shape[1]
        if self.rows.is_single:
            source = source[:, first * self.rows.stride : (last - 1) * self.rows.stride + 1 : self.rows.stride]
        else:
            n, _, width, channels = source.shape
            pooled = target if self._columns_stay else space.own(thread, (n, last - first, width, channels))
            calls += self._combine(source, pooled, self.rows, 1, first)
            source = pooled
        if not self._columns_stay or self.rows.is_single:
            calls += self._combine(source, target, self.columns, 2, 0)
        if self.scale is not None:
            scale = self.scale[first:last] if self.scale.ndim else self.scale
            calls.append(partial(np.multiply, target, scale, out=target))
        return calls

    @property
    def _columns_stay(self) -> bool:
        return self.columns.is_single and self.columns.stride == 1

    def _combine(
        self, source: np.ndarray, target: np.ndarray, windows: Windows, axis: int, start: int
    ) -> Iterator[Call]:
        """The calls that pool one axis: `target` holds the windows from `start` on, `source` the whole axis."""
        ahead = (slice(None),) * axis
        taps = windows.taps(start, start + target.shape[axis])
        parts = [(source[(*ahead, inside)], target[(*ahead, where)], where) for inside, where in taps]
        if not parts or parts[0][1].shape[axis] < target.shape[axis]:
            yield partial(target.fill, self.neutral)
        else:
            base, _, _ = parts.pop(0)  # every window has it
            other, _, where = parts.pop(0) if parts else (None, None, slice(0, 0))
            if other is not None:
                yield partial(self.function, base[(*ahead, where)], other, out=target[(*ahead, where)])
            for rest in (slice(0, where.start), slice(where.stop, target.shape[axis])):
                if rest.start < rest.stop:
                    yield partial(np.copyto, target[(*ahead, rest)], base[(*ahead, rest)])
        for tap, part, _ in parts:
            yield partial(self.function, part, tap, out=part)


def windows_of(layer: MaxPool2d | AvgPool2d, step: Step) -> tuple[Windows, Windows]:
    """The windows along H and along W."""
    size, count = step.inputs[0].shape, step.outputs[0].shape
    assert size is not None
    assert count is not None
    options = zip(size[2:], count[2:], layer.kernel_size, layer.stride, layer.padding, layer.dilation)
    rows, columns = (Windows(*numbers) for numbers in options)
    return rows, columns


@lowers(AvgPool2d)
def avg_pool(step: Step) -> Kernel | None:
    """(N, C, H, W) -> (N, C, H', W') float32."""
    x, layer = step.inputs[0], step.layer
    if not x.is_float or x.shape is None or len(x.shape) != 4:
        return None
    rows, columns = windows_of(layer, step)
    if layer.divisor_override is not None:
        counts = np.float32(layer.divisor_override)
    else:
        counts = layer.counts(x.shape, (*x.shape[:2], rows.count, columns.count))[:, :, None]
    scale = np.asarray(1 / counts, np.float32)
    uniform = scale.ravel()[0]
    return PoolKernel(np.add, rows, columns, 0, np.asarray(uniform) if np.all(scale == uniform) else scale)
