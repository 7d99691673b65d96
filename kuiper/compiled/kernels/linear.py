"""Linear: rows times weights that are known when the code is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kuiper.compiled.kernels import dot, integers
from kuiper.compiled.kernels.dot import RowsOfArray, StoredRows
from kuiper.compiled.kernels.product import Operands, PackedProduct, PixelAxis, emit_product
from kuiper.compiled.kernels.registry import emits, epilogue_compiles
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.matmul.linear import CompactLinearKernel, LinearKernel
from kuiper.fast.kernels.matmul.matrices import rows_of
from kuiper.graph.alignment import ALIGNMENT
from kuiper.quantize import QuantizedWeight


@emits(LinearKernel, CompactLinearKernel, values=True)
def linear(
    module: Module, kernel: LinearKernel | CompactLinearKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
) -> bool:
    """One product, for rows in which numbers lie side by side.

    Weights are read where they lie in the file: those in fewer bits always, those of float32 for a single row if they
    lie aligned, for which that is as fast, and in a network that is too large for another copy of its weights. Others
    are packed.
    """
    epilogue = kernel.epilogue
    x, y = inputs[kernel.slot if isinstance(kernel, LinearKernel) else 0].array, outputs[0].array
    residual = inputs[-1].array if epilogue.residual else None
    if not linear_fits(x, epilogue, y, residual):
        return False
    if isinstance(kernel, LinearKernel):
        alone = x.size == x.shape[-1] and kernel.weight.ctypes.data % ALIGNMENT == 0
        in_place = alone or not module.keeps_packs
        if in_place and _emit_in_place(module, x, kernel.weight, 32, epilogue, y, residual):
            return True
        emit_linear(module, x, kernel.weight.T, epilogue, y, residual, kernel.packs)
        return True
    return _emit_in_place(module, x, kernel.weight, kernel.activation_bits, epilogue, y, residual)


def _emit_in_place(
    module: Module, x: np.ndarray, weight: np.ndarray | QuantizedWeight, activation_bits: int, epilogue: Epilogue,
    y: np.ndarray, residual: np.ndarray | None,
) -> bool:  # fmt: skip
    """y = epilogue(x @ weight.T), weight (O, I); False where rows of x and y do not lie one below the other."""
    arrays = [x, y] if residual is None else [x, y, residual]
    matrices = [rows_of(array) for array in arrays]
    if any(rows is None for rows in matrices):
        return False
    if activation_bits == 8:
        assert isinstance(weight, QuantizedWeight), "the layer refuses others"
        known, emit = integers.knows(module.target, weight), integers.emit_integers
    else:
        known, emit = dot.knows(module.target, weight), dot.emit_stored
    if not known:
        return False
    places = [
        RowsOfArray(module.place(array), len(rows), rows.strides[0])
        for array, rows in zip(arrays, matrices)
        if rows is not None
    ]
    stored = StoredRows.of(module, weight)
    emit(module, places[0], stored, epilogue, places[1], places[2] if len(places) > 2 else None)
    return True


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
