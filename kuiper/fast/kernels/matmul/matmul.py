"""Products of two computed matrices: matmul, mm, bmm, addmm, baddbmm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import all_but_last
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.linear import LinearKernel
from kuiper.fast.kernels.matmul.matrices import (
    NANOSECONDS_PER_MULTIPLY,
    UNIT,
    blas_takes,
    fit,
    for_blas,
    rows_of,
    unit_spans,
)
from kuiper.layers.linear.matmul import BMM, MM, MV, AddMM, BAddBMM, MatMul


class MatMulKernel(Kernel):
    """(..., n, k), (..., k, m) -> (..., n, m): alpha * (a @ b) + beta * x; leading axes broadcast, vectors are allowed.

    slots : which inputs are a and b; input 0 is x unless they are the first two.
    """

    label = "MatMul"
    by_sample = all_but_last(2)

    def __init__(self, slots: tuple[int, int] = (0, 1), alpha: float = 1, beta: float = 1) -> None:
        self.slots, self.alpha, self.beta = slots, alpha, beta

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Each thread multiplies some of the matrices, or some of the rows or columns of all."""
        a, b = (inputs[slot].array for slot in self.slots)
        y = outputs[0].array
        x = inputs[0].array if self.slots != (0, 1) and self.beta != 0 else None
        if b.ndim == 1:
            b, y = b[:, None], y[..., None]
        if a.ndim == 1:
            a, y = a[None], y[..., None, :]
        stages: list[Stage] = []
        a, b = for_blas(a, space, stages), for_blas(b, space, stages)
        a, b, y = one_matrix(a, b, y) if x is None else (a, b, y)
        lead = y.shape[:-2]
        a, b = np.broadcast_to(a, lead + a.shape[-2:]), np.broadcast_to(b, lead + b.shape[-2:])
        x = None if x is None else np.broadcast_to(x, y.shape)
        threads = space.threads_for(y.size * a.shape[-1] * NANOSECONDS_PER_MULTIPLY)
        thread_calls = []
        for thread, cut in enumerate(even_cuts(y.shape, threads)):
            part_a, part_b = a[(*cut[:-1], slice(None))], b[(*cut[:-2], slice(None), cut[-1])]
            thread_calls.append(self._calls(part_a, part_b, y[cut], None if x is None else x[cut], space, thread))
        return [*stages, thread_calls]

    def _calls(
        self, a: np.ndarray, b: np.ndarray, y: np.ndarray, x: np.ndarray | None, space: Workspace, thread: int
    ) -> list[Call]:
        work = y if blas_takes(y) else space.own(thread, y.shape)
        calls: list[Call] = [partial(np.matmul, a, b, work)]
        if self.alpha != 1:
            calls.append(partial(np.multiply, work, np.float32(self.alpha), work))
        if x is not None and self.beta != 1:
            scaled = space.own(thread, y.shape)
            calls.append(partial(np.multiply, x, np.float32(self.beta), scaled))
            x = scaled
        if x is not None:
            calls.append(partial(np.add, work, x, y))
        elif work is not y:
            calls.append(partial(np.copyto, y, work))
        return calls


def one_matrix(a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(..., n, k) @ (k, m) as one product of (... * n, k) with (k, m), where that takes no copy."""
    if b.size != b.shape[-2] * b.shape[-1]:
        return a, b, y
    flat_a, flat_y = rows_of(a), rows_of(y)
    if flat_a is None or flat_y is None or not blas_takes(flat_a) or len(flat_a) != len(flat_y):
        return a, b, y
    return flat_a, b.reshape(b.shape[-2:]), flat_y


def even_cuts(shape: tuple[int, ...], parts: int) -> list[tuple[slice, ...]]:
    """Indices that cut arrays of matrices (..., n, m) into `parts` of about the same size.

    The first axis that divides evenly is cut, the longer side of a matrix before the shorter: matrices stay whole if
    there are enough of them.

    >>> [rows for _, rows, _ in even_cuts((3, 64, 32), 2)]
    [slice(0, 32, None), slice(32, 64, None)]
    """
    whole = tuple(slice(0, n) for n in shape)
    units = [1] * (len(shape) - 2) + [UNIT] * 2
    axes = [*range(len(shape) - 2), *sorted((len(shape) - 2, len(shape) - 1), key=lambda axis: -shape[axis])]
    best, least = 0, math.inf
    for axis in axes:
        count = shape[axis] // units[axis]
        excess = -(-count // parts) * parts / count if count >= parts else math.inf
        if excess < least:
            best, least = axis, excess
        if least <= 1.2:
            break
    if parts == 1 or least == math.inf:
        return [whole]
    return [(*whole[:best], cut, *whole[best + 1 :]) for cut in unit_spans(shape[best], parts, units[best])]


@lowers(MatMul, MM, BMM, MV)
def matmul(step: Step) -> Kernel | None:
    """The product of two arrays of at least one axis, not two vectors; a constant matrix makes it a LinearKernel."""
    if len(step.inputs) != 2 or not fit(*step.inputs, *step.outputs):
        return None
    a, b = (len(spec.shape or ()) for spec in step.inputs)
    if b == 2 and step.inputs[1].constant:
        return LinearKernel(step.inputs[1].value.T, None, step.packs)
    return MatMulKernel() if min(a, b) >= 1 and max(a, b) >= 2 else None


@lowers(AddMM, BAddBMM)
def added_product(step: Step) -> Kernel | None:
    """beta * x + alpha * (a @ b); a constant matrix b and row x make it a LinearKernel."""
    if len(step.inputs) != 3 or not fit(*step.inputs, *step.outputs):
        return None
    alpha, beta = float(step.layer.alpha), float(step.layer.beta)
    x, _, b = step.inputs
    if alpha == beta == 1 and x.constant and b.constant and x.shape == (b.shape or ())[1:]:
        return LinearKernel(b.value.T, x.value, step.packs, slot=1)
    return MatMulKernel((1, 2), alpha, beta)
