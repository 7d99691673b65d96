"""Products of two computed matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.copies import emit_strided_copy
from kuiper.compiled.kernels.product import Cut, PackedProduct, PixelAxis, padded_bias, units_of
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.parts import Location, Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.matmul.matmul import MatMulKernel


@emits(MatMulKernel)
def matmul(module: Module, kernel: MatMulKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """(..., n, k) @ (..., k, m), the rows of the second where they lie, or turned into rows first."""
    if kernel.slots != (0, 1) or kernel.alpha != 1:
        return False
    a, b, y = inputs[0].array, inputs[1].array, outputs[0].array
    if b.ndim == 1:
        b, y = b[:, None], y[..., None]
    if a.ndim == 1:
        a, y = a[None], y[..., None, :]
    if y.shape[-1] > 1 and y.strides[-1] != 4:
        return False
    lead = y.shape[:-2]
    a, b = np.broadcast_to(a, lead + a.shape[-2:]), np.broadcast_to(b, lead + b.shape[-2:])
    right, strides = module.place(b), b.strides
    depth, m = b.shape[-2:]
    if m > 1 and strides[-1] != 4:
        right, strides = in_rows(module, b)
    product = PackedProduct((PixelAxis(y.shape[-2], a.strides[-2], y.strides[-2]),), (), depth, m,
                            pitch=strides[-2], step=a.strides[-1])  # fmt: skip
    if product.pitch <= 0 or product.step < 0:
        return False
    emit_batch(module, product, lead, (module.place(a), a.strides), (right, strides), (module.place(y), y.strides))
    return True


def in_rows(module: Module, b: np.ndarray) -> tuple[Location, tuple[int, ...]]:
    """A copy of the matrices (..., k, m) in scratch memory whose rows lie side by side; each different one once."""
    shape = tuple(1 if step == 0 else extent for extent, step in zip(b.shape[:-2], b.strides)) + b.shape[-2:]
    steps = [4 * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    place = module.shared(prod(shape))
    emit_strided_copy(module, (place, steps), (module.place(b), b.strides), shape)
    return place, tuple(0 if old == 0 and extent > 1 else new for old, new, extent in zip(b.strides, steps, b.shape))


def emit_batch(
    module: Module, product: PackedProduct, lead: Sequence[int], a: tuple[Location, Sequence[int]],
    b: tuple[Location, Sequence[int]], y: tuple[Location, Sequence[int]],
) -> None:  # fmt: skip
    """A part that computes the same product for matrices (*lead, ..., ...) with these strides."""
    cut = Cut.of(product, module.target)
    matrices = prod(lead)
    units, run = units_of(module, product, cut, max(1, -(-4 // matrices)))
    zero = module.weight(padded_bias(None, product.channels, module.target))

    def body(builder: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        def one(number: Value) -> None:
            rest, unit = builder.udiv(number, i64(units)), builder.urem(number, i64(units))
            at = pointers[:3]
            for axis in reversed(range(len(lead))):
                index, rest = builder.urem(rest, i64(lead[axis])), builder.udiv(rest, i64(lead[axis]))
                steps = (strides[axis] for _, strides in (a, b, y))
                at = [builder.at(p, builder.mul(index, i64(step))) if step else p for p, step in zip(at, steps)]
            run(builder, [at[0], at[1], pointers[3], at[2], at[2]], unit, builder.add(unit, i64(1)))

        builder.between(begin, end, one)

    steps = tuple(tuple(strides[: len(lead)]) for _, strides in (a, b, y))
    key = "batch", product.key, cut, tuple(lead), steps
    module.part(matrices * units, [a[0], b[0], y[0], zero], body, key)


def alone(module: Module, product: PackedProduct) -> Callable[[VectorBuilder, list[Value]], None]:
    """A function that writes code for a whole product: pointers to x, weight, bias, y and residual."""
    cut = Cut.of(product, module.target)
    units, run = units_of(module, product, cut, shares=0)
    return lambda b, pointers: run(b, pointers, i64(0), i64(units))
