"""Linear: rows times weights that are known when the code is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kuiper.compiled.kernels.dot import FEW, RowsOfArray, StoredRows, emit_stored
from kuiper.compiled.kernels.product import Operands, PackedProduct, PixelAxis, emit_product
from kuiper.compiled.kernels.registry import emits, epilogue_compiles
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.matmul.linear import CompactLinearKernel, LinearKernel
from kuiper.fast.kernels.matmul.matrices import rows_of


@emits(LinearKernel, CompactLinearKernel)
def linear(
    module: Module, kernel: LinearKernel | CompactLinearKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
) -> bool:
    """One product, for rows in which numbers lie side by side.

    The weights are used as they lie in the file, unless there are many rows and the network is small enough for another
    copy of its weights, in panels.
    """
    epilogue = kernel.epilogue
    x, y = inputs[kernel.slot if isinstance(kernel, LinearKernel) else 0].array, outputs[0].array
    residual = inputs[-1].array if epilogue.residual else None
    if not linear_fits(x, epilogue, y, residual):
        return False
    many = isinstance(kernel, LinearKernel) and module.keeps_packs and x.size > FEW * x.shape[-1]
    arrays = [_in_rows(module, each) for each in (x, y, residual)]
    if many or None in arrays[:2] or (arrays[2] is None) != (residual is None):
        if isinstance(kernel, CompactLinearKernel):
            return False
        emit_linear(module, x, kernel.weight.T, epilogue, y, residual, kernel.packs)
        return True
    stored = StoredRows.of(module, kernel.weight)
    if stored is None:
        return False
    emit_stored(module, arrays[0], stored, epilogue, arrays[1], arrays[2])
    return True


def _in_rows(module: Module, array: np.ndarray | None) -> RowsOfArray | None:
    """(..., size) as rows one below the other; None where their distances differ."""
    rows = None if array is None else rows_of(array)
    return None if rows is None else RowsOfArray(module.place(array), len(rows), rows.strides[0])


def linear_fits(x: np.ndarray, epilogue: Epilogue, y: np.ndarray, residual: np.ndarray | None = None) -> bool:
    """Whether there is code for arrays that lie so, and for what follows."""
    return epilogue_compiles(epilogue) and all(each is None or each.strides[-1] == 4 for each in (x, y, residual))


def emit_linear(
    module: Module, x: np.ndarray, weight: np.ndarray, epilogue: Epilogue, y: np.ndarray,
    residual: np.ndarray | None = None, packs: dict[str, np.ndarray] | None = None,
) -> None:  # fmt: skip
    """y = epilogue(x @ weight): x (..., I), weight (I, O), y and residual (..., O); packs as Operands'."""
    rest = (0,) * y.ndim if residual is None else residual.strides
    axes = tuple(PixelAxis(*numbers) for numbers in zip(y.shape[:-1], x.strides[:-1], y.strides[:-1], rest[:-1]))
    depth, out = weight.shape
    product = PackedProduct(axes, (), depth, out, residual is not None, epilogue.activation)
    there = None if residual is None else module.place(residual)
    emit_product(module, product, Operands(module.place(x), weight, epilogue.bias, module.place(y), there, packs))
