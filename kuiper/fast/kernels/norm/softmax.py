"""Softmax and log-softmax along any axis, in tiles that fit the cache."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Index, Stage, spans
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import beside_axis
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.layers.elementwise.softmax import LogSoftmax, Softmax, Softmax2d

NANOSECONDS_PER_NUMBER = 1.0
CACHED = 1 << 16
"""Elements of a tile."""
SHORT = 32
"""Rows shorter than this are transposed: numpy reduces columns faster than short rows."""
MATRIX = 1 << 12
"""Elements of a matrix from which a product pays, if there are several."""


class SoftmaxKernel(Kernel):
    """(...) -> (...): e^(x - max) / sum of e^(x - max) along `axis`, or x - max - log(sum of e^(x - max))."""

    label = "Softmax"
    output_layout = "like input"
    by_sample = beside_axis

    def __init__(self, axis: int, logarithm: bool = False) -> None:
        self.axis, self.logarithm = axis, logarithm

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Tiles that are whole along the axis, shared by the threads."""
        x, y = inputs[0].array, outputs[0].array
        threads = space.threads_for(x.size * NANOSECONDS_PER_NUMBER)
        tiles = list(tiles_along(x, self.axis, min(CACHED, -(-x.size // threads))))
        stage: Stage = []
        for thread, (start, stop) in enumerate(spans(len(tiles), threads)):
            calls: list[Call] = []
            for tile in tiles[start:stop]:
                with space.reused(thread):
                    calls += self._calls(x[tile], y[tile], space, thread)
            stage.append(calls)
        return [stage]

    def _calls(self, x: np.ndarray, y: np.ndarray, space: Workspace, thread: int) -> list[Call]:
        axis = self.axis
        across = x.shape[axis] < SHORT and abs(x.strides[axis]) == x.itemsize and x.size > x.shape[axis]
        order = memory_order(x)
        if across:
            order = [axis, *(i for i in order if i != axis)]
        work = ordered(space, thread, x.shape, order)
        line = ordered(space, thread, (*x.shape[:axis], 1, *x.shape[axis + 1 :]), order)
        calls: list[Call] = [partial(np.copyto, work, x)] if across else []
        source = work if across else x
        calls += [
            partial(np.maximum.reduce, source, axis, None, line, True),
            partial(np.subtract, source, line, work),
        ]
        if not self.logarithm:
            return [
                *calls,
                partial(np.exp, work, work),
                summing(work, line, axis, order),
                partial(np.divide, work, line, y),
            ]
        powers = ordered(space, thread, x.shape, order)
        return [
            *calls,
            partial(np.exp, work, powers),
            summing(powers, line, axis, order),
            partial(np.log, line, line),
            partial(np.subtract, work, line, y),
        ]


def summing(x: np.ndarray, line: np.ndarray, axis: int, order: Sequence[int]) -> Call:
    """line = the sums of x along `axis`; both are scratch arrays with their axes in memory in `order`.

    A product with ones is several times faster than np.sum and rounds less, except for many small matrices.
    """
    x, line, place = x.transpose(order), line.transpose(order), order.index(axis)
    n, inner = x.shape[place], math.prod(x.shape[place + 1 :])
    ones = np.ones(n, np.float32)
    if inner == 1:
        return partial(np.matmul, x.reshape(-1, n), ones, line.reshape(-1))
    if n * inner < MATRIX and x.size > n * inner:
        return partial(np.add.reduce, x, place, None, line, True)
    return partial(np.matmul, ones, x.reshape(-1, n, inner), line.reshape(-1, inner))


def memory_order(x: np.ndarray) -> list[int]:
    """The axes by stride, largest first."""
    return sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))


def ordered(space: Workspace, thread: int, shape: Sequence[int], order: Sequence[int]) -> np.ndarray:
    """A scratch array of `shape` with its axes in memory in `order`."""
    array = space.own(thread, tuple(shape[axis] for axis in order))
    return array.transpose([order.index(axis) for axis in range(len(order))])


def tiles_along(x: np.ndarray, axis: int, size: int) -> Iterator[Index]:
    """Indices that cut `x` into tiles of about `size` elements, whole along `axis`; outer axes are cut first."""
    shape = list(x.shape)
    for cut in memory_order(x):
        excess = math.prod(shape) / size
        if cut != axis and excess > 1:
            parts = min(math.ceil(excess), shape[cut])
            shape[cut] = -(-shape[cut] // parts)
    starts = (range(0, extent, step) for extent, step in zip(x.shape, shape))
    for corner in itertools.product(*starts):
        yield tuple(slice(start, min(start + step, extent)) for start, step, extent in zip(corner, shape, x.shape))


@lowers(Softmax, LogSoftmax, Softmax2d)
def softmax(step: Step) -> Kernel | None:
    """float32 with at least one axis."""
    layer, given, result = step.layer, step.inputs[0], step.outputs[0]
    if len(step.inputs) != 1 or not (given.is_float and result.is_float) or not given.shape or 0 in given.shape:
        return None
    rank = len(given.shape)
    dim = int(rank not in (1, 3)) if layer.dim is None else int(layer.dim)
    return SoftmaxKernel(dim % rank, isinstance(layer, LogSoftmax)) if -rank <= dim < rank else None
