"""Products of two computed matrices, and attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.copies import emit_strided_copy
from kuiper.compiled.kernels.lines import each_vector, emit_lines
from kuiper.compiled.kernels.product import Cut, PackedProduct, PixelAxis, padded_bias, units_of
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.kernels.rows import fold_row, larger
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.ufuncs import exp
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.matmul.attention import Attention
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

    module.part(matrices * units, [a[0], b[0], y[0], zero], body)


@emits(Attention)
def attention(module: Module, kernel: Attention, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Scores of some queries, their softmax, and the mean of the values: without a mask, or a causal one."""
    if kernel.mask is not None or kernel.mask_slot is not None:
        return False
    q, k, v, y = (buffer.array for buffer in (*inputs[:3], outputs[0]))
    lead = y.shape[:-2] or (1,)
    group, (length, size), (keys, width) = kernel.group, q.shape[-2:], v.shape[-2:]
    if v.strides[-1] != 4 or y.strides[-1] != 4 or q.strides[-1] != 4 or v.strides[-2] <= 0:
        return False
    shared = (*lead[:-1], lead[-1] // group)
    q, y = (x.reshape(lead + x.shape[-2:]) if x.ndim == 2 else x for x in (q, y))
    k, v = (x.reshape(shared + x.shape[-2:]) if x.ndim == 2 else x for x in (k, v))
    q = np.broadcast_to(q, lead + q.shape[-2:])
    k, v = (np.broadcast_to(x, shared + x.shape[-2:]) for x in (k, v))
    turned, turned_strides = in_rows(module, k.swapaxes(-1, -2))  # (..., E, S)
    pitch = module.target.rounded(keys)
    rows = min(module.target.tile(2)[0], length)
    blocks = -(-length // rows)
    scores = module.own(rows * pitch)
    ask = PackedProduct((PixelAxis(rows, q.strides[-2], 4 * pitch),), (), size, keys, pitch=turned_strides[-2])
    mix = PackedProduct((PixelAxis(rows, 4 * pitch, y.strides[-2]),), (), keys, width, pitch=v.strides[-2])
    zero = module.weight(padded_bias(None, max(keys, width), module.target))
    asked, mixed = (alone(module, product) for product in (ask, mix))

    def softmax(b: VectorBuilder, line: Value, seen: Value) -> None:
        """One row of scores, of which the first `seen` count."""

        def number(at: Value, count: int) -> Value:
            value = b.fmul(b.read(b.at(line, at), count), b.splat(kernel.scale))
            if not kernel.causal:
                return value
            first = b.spread(b.uitofp(b.udiv(at, i64(4)), b.vector.element))
            place = b.fadd(first, b.counting())
            return b.select(b.fcmp_ordered("<", place, b.spread(b.uitofp(seen, b.vector.element))), value,
                            b.splat(-np.inf))  # fmt: skip

        highest = fold_row(b, keys, -np.inf, larger(b), number)

        def power(at: Value, count: int) -> Value:
            result = exp(b, b.fsub(number(at, count), highest))
            b.write(result, b.at(line, at), count)
            return result

        total = fold_row(b, keys, 0, b.fadd, power)
        each_vector(b, keys, lambda at, count: b.write(
            b.fdiv(b.read(b.at(line, at), count), total), b.at(line, at), count))  # fmt: skip

    def line(b: VectorBuilder, at: list[Value]) -> None:
        y_at, q_at, k_at, v_at, room, nothing, block = at
        start = b.mul(block, i64(rows))
        if length % rows:
            start = b.smaller(start, i64(length - rows))  # the last block ends with the queries
        queries = b.at(q_at, b.mul(start, i64(q.strides[-2])))
        asked(b, [queries, k_at, nothing, room, room])
        function = module.shared_function(("row of scores", keys, kernel.scale, kernel.causal), 1, 1, softmax)

        def one(i: Value) -> None:
            seen = b.smaller(b.add(b.add(start, i), i64(1)), i64(keys))
            b.call(function, [b.at(room, b.mul(i, i64(4 * pitch))), seen])

        b.each(rows, lambda i: one(i64(0) if isinstance(i, int) else i))
        result = b.at(y_at, b.mul(start, i64(y.strides[-2])))
        mixed(b, [room, v_at, nothing, result, result])

    def by_group(strides: Sequence[int]) -> list[int]:
        """Strides of (*shared, matrices) along (*shared, group)."""
        return [*strides[: len(lead)], 0]

    def of_query(strides: Sequence[int]) -> list[int]:
        return [*strides[: len(lead) - 1], strides[len(lead) - 1] * group, strides[len(lead) - 1]]

    nowhere = [0] * (len(lead) + 1)
    places = [module.place(y), module.place(q), turned, module.place(v), scores, zero]
    strides = [
        of_query(y.strides),
        of_query(q.strides),
        by_group(turned_strides),
        by_group(v.strides),
        nowhere,
        nowhere,
    ]
    emit_lines(module, places, (*shared, group), strides, line, blocks)
    return True


def alone(module: Module, product: PackedProduct) -> Callable[[VectorBuilder, list[Value]], None]:
    """A function that writes code for a whole product: pointers to x, weight, bias, y and residual."""
    cut = Cut.of(product, module.target)
    units, run = units_of(module, product, cut, shares=0)
    return lambda b, pointers: run(b, pointers, i64(0), i64(units))
