"""Linear: rows times weights that are known when the code is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kuiper.compiled.kernels.product import Operands, PackedProduct, PixelAxis, emit_product
from kuiper.compiled.kernels.registry import emits, epilogue_compiles
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.matmul.linear import LinearKernel


@emits(LinearKernel)
def linear(module: Module, kernel: LinearKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """One product, for rows in which numbers lie side by side."""
    epilogue = kernel.epilogue
    x, y = inputs[kernel.slot].array, outputs[0].array
    residual = inputs[-1].array if epilogue.residual else None
    if not linear_fits(x, epilogue, y, residual):
        return False
    emit_linear(module, x, kernel.weight.T, epilogue, y, residual, kernel.packs)
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
