"""GroupNorm and InstanceNorm: normalization of groups of channels by their own statistics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage, copies, spans
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.linear import tiles_of
from kuiper.fast.kernels.matmul.matrices import ROWS, blas_takes, columnwise
from kuiper.fast.kernels.norm.row_norm import NANOSECONDS_PER_NUMBER, fits
from kuiper.fast.kernels.norm.softmax import memory_order, ordered
from kuiper.layers.normalization.group_norm import (
    GroupNorm,
    InstanceNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)

CACHED = 1 << 16
"""Elements of a tile of pixels."""


class GroupNormKernel(Kernel):
    """(N, C, ...) -> (N, C, ...): (x - mean) / sqrt(variance + eps) * weight + bias, for each group of channels.

    Parameters: groups, weight and bias (C,) or None, eps.
    """

    label = "GroupNorm"
    output_layout = "nhwc"
    by_sample = always

    def __init__(self, groups: int, weight: np.ndarray | None, bias: np.ndarray | None, eps: float) -> None:
        self.groups, self.weight, self.bias, self.eps = groups, weight, bias, np.array(eps, np.float32)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Threads share the samples, or the groups of every sample."""
        stages: list[Stage] = []
        source, result = inputs[0].array, outputs[0].array
        x, y = by_pixels(source), by_pixels(result)
        scratch = result
        if x is None:
            copy = channels_last(space, source.shape)
            stages.append(copies(source, copy, space))
            x = by_pixels(copy)
        if y is None:
            scratch = channels_last(space, result.shape)
            y = by_pixels(scratch)
        assert x is not None
        assert y is not None
        samples, _, channels = x.shape
        threads = space.threads_for(x.size * NANOSECONDS_PER_NUMBER)
        size = channels // self.groups
        parts = 1 if samples >= threads else threads
        tasks = [(n, span) for n in range(samples) for span in spans(self.groups, parts)]
        stage: Stage = []
        for thread, (start, stop) in enumerate(spans(len(tasks), threads)):
            calls: list[Call] = []
            for n, (first, last) in tasks[start:stop]:
                some = slice(first * size, last * size)
                with space.reused(thread):
                    calls += self._calls(x[n, :, some], y[n, :, some], some, size, space, thread)
            stage.append(calls)
        stages.append(stage)
        if scratch is not result:
            stages.append(copies(scratch, result, space))
        return stages

    def _calls(self, x: np.ndarray, y: np.ndarray, some: slice, size: int, space: Workspace, thread: int) -> list[Call]:
        """x and y (pixels, channels): `some` channels, in groups of `size`; y = x * scale + shift in the end."""
        tiles = list(tiles_of(x.shape, CACHED))
        shape = ROWS, x.shape[1] // size, size
        mean, scale, shift = (space.own(thread, shape) for _ in range(3))
        calls = self._means(x, tiles, None, mean, space, thread)
        calls += self._means(x, tiles, mean, scale, space, thread)
        calls += [
            partial(np.add, scale, self.eps, scale),
            partial(np.sqrt, scale, scale),
            partial(np.divide, np.float32(1), scale, scale),
        ]
        if self.weight is not None:
            calls.append(partial(np.multiply, scale, self.weight[some].reshape(shape[1:]), scale))
        calls += [partial(np.multiply, mean, scale, shift), partial(np.negative, shift, shift)]
        if self.bias is not None:
            calls.append(partial(np.add, shift, self.bias[some].reshape(shape[1:]), shift))
        for tile in tiles:
            calls += columnwise(np.multiply, x[tile], scale.reshape(ROWS, -1), y[tile])
            calls += columnwise(np.add, y[tile], shift.reshape(ROWS, -1), y[tile])
        return calls

    def _means(
        self,
        x: np.ndarray,
        tiles: list[slice],
        centre: np.ndarray | None,
        mean: np.ndarray,
        space: Workspace,
        thread: int,
    ) -> list[Call]:
        """Each number of `mean` (ROWS, groups, channels of a group) = the mean over that group of x, or, with the
        `centre` of each group, of (x - centre)^2.
        """
        pixels, channels = x.shape
        sums = space.own(thread, (len(tiles), channels))
        ones = np.full(pixels, 1 / (pixels * mean.shape[2]), np.float32)
        calls: list[Call] = []
        for tile, line in zip(tiles, sums):
            part = x[tile]
            with space.reused(thread):
                if centre is not None:
                    squares = ordered(space, thread, part.shape, memory_order(part))
                    calls += columnwise(np.subtract, part, centre.reshape(ROWS, -1), squares)
                    calls.append(partial(np.multiply, squares, squares, squares))
                    part = squares
                if blas_takes(part):
                    calls.append(partial(np.matmul, ones[: len(part)], part, line))
                else:
                    calls += [partial(np.add.reduce, part, 0, None, line), partial(np.multiply, line, ones[0], line)]
        total = space.own(thread, (channels,))
        group = space.own(thread, (mean.shape[1], 1))
        return [
            *calls,
            partial(np.add.reduce, sums, 0, None, total),
            partial(np.add.reduce, total.reshape(mean.shape[1:]), 1, None, group, True),
            partial(np.copyto, mean, group),
        ]


def by_pixels(x: np.ndarray) -> np.ndarray | None:
    """(N, C, ...) -> (N, pixels, C): a view, or None where that takes a copy."""
    flat = x.reshape(*x.shape[:2], -1)
    return flat.swapaxes(1, 2) if np.may_share_memory(flat, x) else None


def channels_last(space: Workspace, shape: tuple[int, ...]) -> np.ndarray:
    """A channel-last scratch array (N, C, ...)."""
    array = space.shared((shape[0], *shape[2:], shape[1]))
    return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1))


@lowers(GroupNorm)
def group_norm(step: Step) -> Kernel | None:
    """float32 weights."""
    layer = step.layer
    if not fits(step, layer.weight, layer.bias):
        return None
    return GroupNormKernel(layer.num_groups, layer.weight, layer.bias, layer.eps)


@lowers(InstanceNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)
def instance_norm(step: Step) -> Kernel | None:
    """float32 weights, no running statistics."""
    layer, shape = step.layer, step.inputs[0].shape
    if layer.by_running_stats is not None or not fits(step, layer.weight, layer.bias):
        return None
    assert shape is not None
    if len(shape) < 3 or (layer.rank is not None and len(shape) != layer.rank):
        return None
    return GroupNormKernel(shape[1], layer.weight, layer.bias, layer.eps)
