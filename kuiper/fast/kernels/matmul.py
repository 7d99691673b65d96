"""Products of matrices that are both computed by the network: matmul, mm, bmm, addmm, baddbmm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kuiper.fast.kernel import Call, Kernel, Node, Stage, copies, lowers, spans
from kuiper.fast.place import Place, Spec
from kuiper.fast.workspace import Workspace
from kuiper.layers import matmul as simple

NANOSECONDS_PER_MULTIPLY = 0.02
"""Of a matrix product on one core: 100 GFLOP/s."""
UNIT = 16
"""Columns or rows that BLAS computes together: cuts elsewhere leave it with a remainder."""


def blas_takes(x: np.ndarray) -> bool:
    """Whether np.matmul hands the matrices (..., n, m) to BLAS as they lie: rows, or columns, in one run of memory."""
    (far, near), (n, m), size = x.strides[-2:], x.shape[-2:], x.itemsize
    return any(
        step == size and leap % size == 0 and leap >= extent * size
        for leap, step, extent in ((far, near, m), (near, far, n))
    )


def operand(x: np.ndarray, space: Workspace, before: list[Stage]) -> np.ndarray:
    """`x` itself where BLAS takes it, else a scratch copy, which a stage that is added to `before` makes."""
    if blas_takes(x):
        return x
    copy = space.shared(x.shape)
    before.append(copies(x, copy, space))
    return copy


class MatMul(Kernel):
    """(..., n, k), (..., k, m) -> (..., n, m): alpha * (a @ b) + beta * x, leading axes broadcast, vectors welcome.

    slots : which inputs are a and b; where they are not the first two, input 0 is x.
    b : the second operand where it is constant and lies so that BLAS is slower with it.
    """

    def __init__(
        self, slots: tuple[int, int] = (0, 1), alpha: float = 1, beta: float = 1, b: np.ndarray | None = None
    ) -> None:
        self.slots, self.alpha, self.beta, self.b = slots, alpha, beta, b

    def bind(self, inputs: Sequence[Place], outputs: Sequence[Place], space: Workspace) -> list[Stage]:
        """Each lane multiplies some of the matrices, or some of the rows or columns of all."""
        a, b = (inputs[slot].array for slot in self.slots)
        y = outputs[0].array
        x = inputs[0].array if self.slots != (0, 1) and self.beta != 0 else None
        b = b if self.b is None else self.b
        if b.ndim == 1:
            b, y = b[:, None], y[..., None]
        if a.ndim == 1:
            a, y = a[None], y[..., None, :]
        stages: list[Stage] = []
        a, b = operand(a, space, stages), operand(b, space, stages)
        a, b, y = one_matrix(a, b, y) if x is None else (a, b, y)
        lead = y.shape[:-2]
        a, b = np.broadcast_to(a, lead + a.shape[-2:]), np.broadcast_to(b, lead + b.shape[-2:])
        x = None if x is None else np.broadcast_to(x, y.shape)
        lanes = space.lanes_for(y.size * a.shape[-1] * NANOSECONDS_PER_MULTIPLY)
        lane_calls = []
        for lane, cut in enumerate(even_cuts(y.shape, lanes)):
            part_a, part_b = a[(*cut[:-1], slice(None))], b[(*cut[:-2], slice(None), cut[-1])]
            lane_calls.append(self._calls(part_a, part_b, y[cut], None if x is None else x[cut], space, lane))
        return [*stages, lane_calls]

    def _calls(
        self, a: np.ndarray, b: np.ndarray, y: np.ndarray, x: np.ndarray | None, space: Workspace, lane: int
    ) -> list[Call]:
        work = y if blas_takes(y) else space.own(lane, y.shape)
        calls: list[Call] = [partial(np.matmul, a, b, work)]
        if self.alpha != 1:
            calls.append(partial(np.multiply, work, np.float32(self.alpha), work))
        if x is not None and self.beta != 1:
            scaled = space.own(lane, y.shape)
            calls.append(partial(np.multiply, x, np.float32(self.beta), scaled))
            x = scaled
        if x is not None:
            calls.append(partial(np.add, work, x, y))
        elif work is not y:
            calls.append(partial(np.copyto, y, work))
        return calls


def one_matrix(a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(..., n, k) @ (k, m) as one product of (... * n, k) with (k, m), where no copy is needed for that."""
    if b.size != b.shape[-2] * b.shape[-1]:
        return a, b, y
    flat_a, flat_y = rows_of(a), rows_of(y)
    if flat_a is None or flat_y is None or not blas_takes(flat_a) or len(flat_a) != len(flat_y):
        return a, b, y
    return flat_a, b.reshape(b.shape[-2:]), flat_y


def rows_of(x: np.ndarray, size: int | None = None) -> np.ndarray | None:
    """(...) -> (M, size): all rows one below the other, as a view; None where that takes a copy.

    size : numbers of a row; the last axis when None.
    """
    rows = x.reshape(-1, size or x.shape[-1])
    return rows if np.may_share_memory(rows, x) else None


def even_cuts(shape: tuple[int, ...], parts: int) -> list[tuple[slice, ...]]:
    """Indices that cut arrays of matrices (..., n, m) into `parts` of about the same size.

    The first axis that divides well is cut: matrices stay whole if there are enough of them.

    >>> [rows for _, rows, _ in even_cuts((3, 64, 32), 2)]
    [slice(0, 32, None), slice(32, 64, None)]
    """
    whole = tuple(slice(0, n) for n in shape)
    units = [1] * (len(shape) - 2) + [UNIT] * 2
    counts = [extent // unit for extent, unit in zip(shape, units)]
    worth = [-(-count // parts) * parts / count if count >= parts else np.inf for count in counts]
    axis = next((axis for axis, excess in enumerate(worth) if excess <= 1.2), int(np.argmin(worth)))
    if parts == 1 or worth[axis] == np.inf:
        return [whole]
    return [(*whole[:axis], cut, *whole[axis + 1 :]) for cut in unit_spans(shape[axis], parts, units[axis])]


def unit_spans(extent: int, parts: int, unit: int = UNIT) -> list[slice]:
    """range(extent) in at most `parts` runs that begin at multiples of `unit`.

    >>> unit_spans(70, 2)
    [slice(0, 32, None), slice(32, 70, None)]
    """
    starts = [start * unit for start, _ in spans(max(extent // unit, 1), parts)]
    return [slice(start, stop) for start, stop in zip(starts, [*starts[1:], extent])]


def fit(*specs: Spec) -> bool:
    """Whether these are arrays of float32 with elements in them."""
    return all(spec.is_float and spec.shape is not None and 0 not in spec.shape for spec in specs)


@lowers(simple.MatMul, simple.MM, simple.BMM, simple.MV)
def matmul(node: Node) -> Kernel | None:
    """The product of two arrays of at least one axis, not two vectors."""
    if len(node.inputs) != 2 or not fit(*node.inputs, *node.outputs):
        return None
    a, b = (len(spec.shape or ()) for spec in node.inputs)
    return MatMul(b=packed(node.inputs[1])) if min(a, b) >= 1 and max(a, b) >= 2 else None


@lowers(simple.AddMM, simple.BAddBMM)
def added_product(node: Node) -> Kernel | None:
    """beta * x + alpha * (a @ b)."""
    if len(node.inputs) != 3 or not fit(*node.inputs, *node.outputs):
        return None
    return MatMul((1, 2), float(node.layer.alpha), float(node.layer.beta), packed(node.inputs[2]))


def packed(b: Spec) -> np.ndarray | None:
    """A constant matrix row by row, which BLAS multiplies faster than one column by column; None: as it is."""
    return np.ascontiguousarray(b.value) if b.constant and not b.value.flags.c_contiguous else None
