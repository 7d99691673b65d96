"""Resizing channel-last images: columns, then rows, each as few products or copies over strided views.

Neighbouring output elements often read the same input elements; such a group is a small matrix. Groups of one size at
regular distances, as integer factors give, are one numpy call on overlapping windows: a stack of products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Call, Stage, image_tiles, spans
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.move.reshape import reshaped
from kuiper.layers.image.resize import (
    BicubicAntialiased,
    BilinearAntialiased,
    NearestExact,
    Taps,
    Upsample,
    UpsamplingBilinear2d,
)

CACHED = 131_072
"""Floats of resized columns that a thread computes at a time, so that they are still cached when rows are resized."""
SAME = 1e-6
"""A weight this close to 1 counts as 1."""
MANY = 4
"""Most calls for one tile."""


@dataclass(frozen=True)
class TapRun:
    """Groups of m output elements that read k input elements each.

    start : the first output element.
    left, step : the first input element of the first group, and the distance to that of the next group.
    weights : (count, m, k), a matrix for each group.
    """

    start: int
    left: int
    step: int
    weights: np.ndarray

    @property
    def count(self) -> int:
        """How many groups."""
        return len(self.weights)

    @property
    def right(self) -> int:
        """One after the last input element."""
        return self.left + (self.count - 1) * self.step + self.weights.shape[2]

    @property
    def is_copy(self) -> bool:
        """Whether every output element is the same as a single input element."""
        return self.weights.shape[2] == 1 and bool(np.all(np.abs(self.weights - 1) < SAME))

    def below(self, top: int) -> TapRun:
        """The same, with input elements counted from `top`."""
        return replace(self, left=self.left - top)

    def views(self, source: np.ndarray, target: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """Windows (..., count, k, ...) of the source, groups (..., count, m, ...) of the target, both along `axis`."""
        count, m, k = self.weights.shape
        ahead = (slice(None),) * axis
        inputs = source[(*ahead, slice(self.left, self.right))]
        results = target[(*ahead, slice(self.start, self.start + count * m))]
        return _split(inputs, axis, (count, k), self.step), _split(results, axis, (count, m), m)


def _split(array: np.ndarray, axis: int, sizes: tuple[int, int], step: int) -> np.ndarray:
    """(..., n, ...) -> (..., *sizes, ...): windows that begin `step` elements after one another."""
    shape = (*array.shape[:axis], *sizes, *array.shape[axis + 1 :])
    stride = array.strides[axis]
    strides = (*array.strides[:axis], stride * step, stride, *array.strides[axis + 1 :])
    return np.lib.stride_tricks.as_strided(array, shape, strides)


class AxisWeights:
    """How one axis is resized: output element i is the sum over k of weights[k, i] * input[sources[k, i]]."""

    def __init__(self, inputs: int, taps: Taps) -> None:
        sources, weights = taps
        self.inputs, self.outputs = inputs, sources.shape[1]
        weights = np.ones(sources.shape, np.float32) if weights is None else weights
        self.left, self.right = sources.min(0), sources.max(0)
        self.matrix = np.zeros((self.outputs, inputs), np.float32)
        """(outputs, inputs): all weights."""
        for source, weight in zip(sources, weights):
            np.add.at(self.matrix, (np.arange(self.outputs), source), weight)

    @cached_property
    def whole(self) -> list[TapRun]:
        """All of the axis as runs."""
        return self.runs(0, self.outputs)

    def runs(self, start: int, stop: int) -> list[TapRun]:
        """The output elements start ... stop - 1 as runs, counted from `start`."""
        found: list[list[TapRun]] = []
        for group in self._groups(start, stop):
            if found and _goes_on(found[-1], group):
                found[-1].append(group)
            else:
                found.append([group])
        return [_joined(groups) for groups in found]

    def _groups(self, start: int, stop: int) -> Iterator[TapRun]:
        first = start
        while first < stop:
            left, right, after = self.left[first], self.right[first], first + 1
            while after < stop and (self.left[after], self.right[after]) == (left, right):
                after += 1
            yield TapRun(first - start, int(left), 0, self.matrix[None, first:after, left : right + 1])
            first = after


def _goes_on(groups: list[TapRun], group: TapRun) -> bool:
    step = group.left - groups[-1].left
    regular = step > 0 if len(groups) == 1 else step == groups[1].left - groups[0].left
    return regular and groups[0].weights.shape == group.weights.shape


def _joined(groups: list[TapRun]) -> TapRun:
    step = groups[1].left - groups[0].left if len(groups) > 1 else 0
    return replace(groups[0], step=step, weights=np.concatenate([group.weights for group in groups]))


class Resize(Kernel):
    """(N, C, H, W) -> (N, C, H', W') by a table for the rows and one for the columns."""

    output_layout = "nhwc"
    by_sample = always

    def __init__(self, rows: AxisWeights, columns: AxisWeights) -> None:
        self.rows, self.columns = rows, columns
        self.copies = all(run.is_copy for run in (*rows.whole, *columns.whole))

    def halo(self, slot: int) -> Halo:
        """No border, channel-last."""
        return Halo()

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One stage; each thread computes its rows of the output, some at a time."""
        source, target = inputs[0].nhwc, outputs[0].nhwc
        n, height, width, channels = target.shape
        threads = space.threads_for(target.size * (0.2 if self.copies else 0.4))
        limit = CACHED * height // (width * channels * max(height, source.shape[1]))
        stage: Stage = []
        for thread, (start, stop) in enumerate(spans(n * height, threads)):
            calls: list[Call] = []
            for images, first, last in image_tiles(start, stop, height, limit):
                with space.reused(thread):
                    calls += self._tile(source[images], target[images, first:last], first, space, thread)
            stage.append(calls)
        return [stage]

    def _tile(
        self, source: np.ndarray, target: np.ndarray, first: int, space: Workspace, thread: int
    ) -> Iterator[Call]:
        """The calls for rows `first` ... of the output, (n, rows, W', C), from whole images (n, H, W, C)."""
        runs = self.rows.runs(first, first + target.shape[1])
        if self.copies and len(runs) * len(self.columns.whole) <= MANY:
            yield from self._both(source, target, runs)
            return
        top = min(run.left for run in runs)
        bottom = max(run.right for run in runs)
        n, rows, width, channels = target.shape
        across = space.own(thread, (n, bottom - top, width, channels))
        yield from self._columns(source[:, top:bottom], across)
        lines = reshaped(target, (n, rows, width * channels))
        apart = lines is None
        if lines is None:
            lines = space.own(thread, (n, rows, width * channels))
        for run in runs:
            yield _weighted(run, *run.below(top).views(across.reshape(n, bottom - top, -1), lines, 1))
        if apart:
            yield partial(np.copyto, target, lines.reshape(target.shape))

    def _columns(self, source: np.ndarray, target: np.ndarray) -> Iterator[Call]:
        """(n, rows, W, C) -> (n, rows, W', C)."""
        if source.shape[3] == 1 and not self.copies:  # groups would be single numbers
            yield partial(np.matmul, source[..., 0], self.columns.matrix.T.copy(), out=target[..., 0])
            return
        runs = self.columns.whole
        if self.copies and len(runs) > MANY:
            yield partial(np.take, source, self.columns.left, 2, out=target, mode="clip")
            return
        for run in runs:
            yield _weighted(run, *run.views(source, target, 2))

    def _both(self, source: np.ndarray, target: np.ndarray, runs: list[TapRun]) -> Iterator[Call]:
        """Rows and columns at once, where they are only repeated or dropped."""
        for down in runs:
            x, y = down.views(source, target, 1)
            for across in self.columns.whole:
                yield partial(np.copyto, *reversed(across.views(x, y, 3)))


def _weighted(run: TapRun, windows: np.ndarray, groups: np.ndarray) -> Call:
    """groups (..., count, m, x) = weights (count, m, k) times windows (..., count, k, x)."""
    if run.is_copy:
        return partial(np.copyto, groups, windows)
    return partial(np.matmul, run.weights, windows, out=groups)


@lowers(Upsample, UpsamplingBilinear2d, NearestExact, BilinearAntialiased, BicubicAntialiased)
def upsample(step: Step) -> Resize | None:
    """(N, C, H, W) -> (N, C, H', W') float32, by any mode."""
    x, layer = step.inputs[0], step.layer
    if not x.is_float or x.shape is None or len(x.shape) != 4 or 0 in x.shape:
        return None
    images = np.broadcast_to(np.float32(0), x.shape)
    rows, columns = (AxisWeights(axis.inputs, layer.table(axis)) for axis in layer.axes(images))
    return Resize(rows, columns)
