"""LayerNorm and RMSNorm: normalization of each row by its own statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage, copies, spans
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import all_but_last
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.linear import in_rows, tiles_of
from kuiper.fast.kernels.matmul.matrices import ROWS, columnwise, fit, rows_of
from kuiper.layers.normalization.normalization import LayerNorm, RMSNorm

NANOSECONDS_PER_NUMBER = 0.9
CACHED = 1 << 18
"""Elements of a tile of rows."""


class RowNorm(Kernel):
    """(..., n) -> (..., n): (x - mean) / sqrt(variance + eps) * weight + bias, for each row of the last axes.

    Parameters: size, the elements of a row; weight and bias, (n,) or None; eps; centred, False for RMSNorm: the mean
    square instead of the variance, and no mean is subtracted.

    The mean is subtracted first: mean(x^2) - mean(x)^2 would lose the variance beside a large mean.
    """

    by_sample = all_but_last(1)

    def __init__(
        self, size: int, weight: np.ndarray | None, bias: np.ndarray | None, eps: float, centred: bool = True
    ) -> None:
        self.weight, self.bias = (None if each is None else each.reshape(-1) for each in (weight, bias))
        self.eps, self.centred = np.array(eps, np.float32), centred
        self.size, self.one_over_n = np.array(size, np.float32), np.full(size, 1 / size, np.float32)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Threads share the rows and compute them in tiles."""
        stages: list[Stage] = []
        n, array = len(self.one_over_n), outputs[0].array
        x = in_rows(inputs[0].array, space, stages, n)
        target = rows_of(array, n)
        scratch = space.shared(array.shape) if target is None else array
        y = scratch.reshape(-1, n) if target is None else target
        threads = space.threads_for(x.size * NANOSECONDS_PER_NUMBER)
        stage: Stage = []
        for thread, (start, stop) in enumerate(spans(len(x), threads)):
            calls: list[Call] = []
            for tile in tiles_of((stop - start, n), CACHED):
                with space.reused(thread):
                    calls += self._calls(x[start:stop][tile], y[start:stop][tile], space, thread)
            stage.append(calls)
        stages.append(stage)
        if target is None:
            stages.append(copies(scratch, array, space))
        return stages

    def _calls(self, x: np.ndarray, y: np.ndarray, space: Workspace, thread: int) -> list[Call]:
        line = space.own(thread, (len(x),))
        column = line[:, None]
        calls: list[Call] = []
        if self.centred:
            calls = [partial(np.matmul, x, self.one_over_n, line), partial(np.subtract, x, column, y)]
            x = y
        calls += [
            partial(np.vecdot, x, x, line),
            partial(np.divide, line, self.size, line),
            partial(np.add, line, self.eps, line),
            partial(np.sqrt, line, line),
            partial(np.divide, np.float32(1), line, line),
            partial(np.multiply, x, column, y),
        ]
        weight, bias = self._in_rows
        if weight is not None:
            calls += columnwise(np.multiply, y, weight, y)
        if bias is not None:
            calls += columnwise(np.add, y, bias, y)
        return calls

    @cached_property
    def _in_rows(self) -> list[np.ndarray | None]:
        """Weight and bias ROWS times, which numpy's calls want and machine code does not."""
        return [None if each is None else np.tile(each, (ROWS, 1)) for each in (self.weight, self.bias)]


@lowers(LayerNorm)
def layer_norm(step: Step) -> Kernel | None:
    """float32 weights."""
    layer = step.layer
    if not fits(step, layer.weight, layer.bias):
        return None
    return RowNorm(math.prod(layer.shape), layer.weight, layer.bias, layer.eps)


@lowers(RMSNorm)
def rms_norm(step: Step) -> Kernel | None:
    """A float32 weight."""
    layer = step.layer
    if not fits(step, layer.weight):
        return None
    eps = float(np.finfo(np.float32).eps) if layer.eps is None else layer.eps
    return RowNorm(math.prod(layer.shape), layer.weight, None, eps, centred=False)


def fits(step: Step, *weights: np.ndarray | None) -> bool:
    """Whether the step has one non-empty float32 input and float32 weights."""
    return (
        len(step.inputs) == 1
        and fit(*step.inputs, *step.outputs)
        and all(weight is None or weight.dtype == np.float32 for weight in weights)
    )
