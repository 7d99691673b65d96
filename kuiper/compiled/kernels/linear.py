"""Linear: rows times weights that are known when the code is made."""

from __future__ import annotations

from collections.abc import Sequence

from kuiper.compiled.kernels.product import Operands, PackedProduct, PixelAxis, emit_product
from kuiper.compiled.kernels.registry import emits, epilogue_compiles
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.matmul.linear import LinearKernel


@emits(LinearKernel)
def linear(module: Module, kernel: LinearKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """One product, for rows in which numbers lie side by side."""
    epilogue = kernel.epilogue
    x, y = inputs[kernel.slot].array, outputs[0].array
    residual = inputs[-1].array if epilogue.residual else None
    arrays = [x, y] if residual is None else [x, y, residual]
    if not epilogue_compiles(epilogue) or any(array.strides[-1] != 4 for array in arrays):
        return False
    rest = (0,) * y.ndim if residual is None else residual.strides
    axes = tuple(PixelAxis(*numbers) for numbers in zip(y.shape[:-1], x.strides[:-1], y.strides[:-1], rest[:-1]))
    out, depth = kernel.weight.shape
    product = PackedProduct(axes, (), depth, out, residual is not None, epilogue.activation)
    there = None if residual is None else module.place(residual)
    emit_product(module, product, Operands(module.place(x), kernel.weight.T, epilogue.bias, module.place(y), there))
    return True
