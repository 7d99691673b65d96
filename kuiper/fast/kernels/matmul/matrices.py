"""What matrix kernels share: which arrays BLAS takes without a copy, and how work is split."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.base.calls import Call, Stage, copies, spans
from kuiper.fast.kernels.base.workspace import Workspace

NANOSECONDS_PER_MULTIPLY = 0.02
"""Of a matrix product on one core: 100 GFLOP/s."""
UNIT = 16
"""Rows or columns that BLAS computes together; work is split at multiples of it."""

ROWS = 16
"""Rows that `columnwise` takes as one."""


def blas_takes(x: np.ndarray) -> bool:
    """Whether np.matmul passes the matrices (..., n, m) to BLAS without a copy: rows or columns are contiguous."""
    (far, near), (n, m), size = x.strides[-2:], x.shape[-2:], x.itemsize
    return any(
        step == size and leap % size == 0 and leap >= extent * size
        for leap, step, extent in ((far, near, m), (near, far, n))
    )


def for_blas(x: np.ndarray, space: Workspace, before: list[Stage]) -> np.ndarray:
    """`x` itself where BLAS takes it, else a scratch copy, made by a stage that is added to `before`."""
    if blas_takes(x):
        return x
    copy = space.shared(x.shape)
    before.append(copies(x, copy, space))
    return copy


def rows_of(x: np.ndarray, size: int | None = None) -> np.ndarray | None:
    """(...) -> (M, size): all rows one below the other, as a view; None where that takes a copy.

    size : elements of a row; the last axis when None.
    """
    rows = x.reshape(-1, size or x.shape[-1])
    return rows if np.may_share_memory(rows, x) else None


def columnwise(function: Any, x: np.ndarray, numbers: np.ndarray, y: np.ndarray) -> list[Call]:
    """y = function(x, numbers): x and y (M, n), numbers (ROWS, n), all of whose rows are the same.

    Where x and y are contiguous, ROWS rows are taken as one: rows of a few hundred numbers cost numpy up to twice as
    much as long ones.
    """
    whole = len(x) // ROWS * ROWS if x.flags.c_contiguous and y.flags.c_contiguous else 0
    calls: list[Call] = []
    if whole:
        long = (whole // ROWS, numbers.size)
        calls.append(partial(function, x[:whole].reshape(long), numbers.reshape(-1), y[:whole].reshape(long)))
    if whole < len(x):
        calls.append(partial(function, x[whole:], numbers[0], y[whole:]))
    return calls


def unit_spans(extent: int, parts: int, unit: int = UNIT) -> list[slice]:
    """range(extent) in at most `parts` runs that begin at multiples of `unit`.

    >>> unit_spans(70, 2)
    [slice(0, 32, None), slice(32, 70, None)]
    """
    starts = [start * unit for start, _ in spans(max(extent // unit, 1), parts)]
    return [slice(start, stop) for start, stop in zip(starts, [*starts[1:], extent])]


def fit(*specs: Spec) -> bool:
    """Whether all are non-empty arrays of float32."""
    return all(spec.is_float and spec.shape is not None and 0 not in spec.shape for spec in specs)
