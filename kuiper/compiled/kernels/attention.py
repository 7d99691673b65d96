"""Attention: the scores of a block of queries stay in the cache until they have become a mean of the values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.decoding import emit_one_query, matrices
from kuiper.compiled.kernels.folds import fold_row
from kuiper.compiled.kernels.lines import each_vector, emit_lines
from kuiper.compiled.kernels.masks import Mask, mask_of, masked
from kuiper.compiled.kernels.matmul import alone, in_rows
from kuiper.compiled.kernels.product import PackedProduct, PixelAxis, padded_bias
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.kernels.rows import larger
from kuiper.compiled.parts import Module
from kuiper.compiled.ufuncs import exp
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.matmul.attention import LOWEST, SMALLEST, Attention


@emits(Attention, inputs="fb")
def attention(module: Module, kernel: Attention, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Scores of some queries, their softmax, and the mean of the values."""
    q, k, v, y = (buffer.array for buffer in (*inputs[:3], outputs[0]))
    lead = y.shape[:-2] or (1,)
    group, (length, size), (keys, width) = kernel.group, q.shape[-2:], v.shape[-2:]
    if not attention_fits(q, v, y):
        return False
    if length == 1 and emit_one_query(module, kernel, q, [(k, v)], _given(kernel, inputs), y):
        return True
    given = _given(kernel, inputs)
    mask = mask_of(module, kernel, given, (*lead, length, keys))
    if mask is None and (given is not None or kernel.mask is not None):
        return False
    shared = (*lead[:-1], lead[-1] // group)
    q, y, k, v = (matrices(x, which) for x, which in ((q, lead), (y, lead), (k, shared), (v, shared)))
    rows = min(module.target.tile(2)[0], length)
    blocks = -(-length // rows)
    pitch = module.target.rounded(keys)
    scores = module.own(rows * pitch)
    from_keys, key_strides = in_rows(module, k.swapaxes(-1, -2))  # (..., E, S)
    ask = PackedProduct((PixelAxis(rows, q.strides[-2], 4 * pitch),), (), size, keys, pitch=max(key_strides[-2], 1))
    mix = PackedProduct((PixelAxis(rows, 4 * pitch, y.strides[-2]),), (), keys, width, pitch=v.strides[-2])
    zero = module.weight(padded_bias(None, max(keys, width), module.target))
    asked, mixed = (alone(module, product) for product in (ask, mix))
    softmax = partial(_softmax, kernel, keys, mask)
    row_key = "row of scores", keys, kernel.scale, kernel.causal, mask and (mask.flags, mask.strides[-1])

    def line(b: VectorBuilder, at: list[Value]) -> None:
        y_at, q_at, k_at, v_at, room, nothing, hidden, block = at
        start = b.mul(block, i64(rows))
        if length % rows:
            start = b.smaller(start, i64(length - rows))  # the last block ends with the queries
        queries = b.at(q_at, b.mul(start, i64(q.strides[-2])))
        asked(b, [queries, k_at, nothing, room, room])
        function = module.shared_function(row_key, 2, 1, softmax)

        def one(i: Value) -> None:
            number = b.add(start, i)
            seen = b.smaller(b.add(number, i64(1)), i64(keys))
            there = b.at(hidden, b.times(number, mask.strides[-2])) if mask else hidden
            b.call(function, [b.at(room, b.mul(i, i64(4 * pitch))), there, seen])

        b.each(rows, lambda i: one(i64(0) if isinstance(i, int) else i))
        result = b.at(y_at, b.mul(start, i64(y.strides[-2])))
        mixed(b, [room, v_at, nothing, result, result])

    def by_group(strides: Sequence[int]) -> list[int]:
        """Strides of (*shared, matrices) along (*shared, group)."""
        return [*strides[: len(lead)], 0]

    def of_query(strides: Sequence[int]) -> list[int]:
        return [*strides[: len(lead) - 1], strides[len(lead) - 1] * group, strides[len(lead) - 1]]

    nowhere = [0] * (len(lead) + 1)
    hidden = mask.place if mask else zero
    places = [module.place(y), module.place(q), from_keys, module.place(v), scores, zero, hidden]
    strides = [
        of_query(y.strides), of_query(q.strides), by_group(key_strides), by_group(v.strides), nowhere, nowhere,
        of_query(mask.strides) if mask else nowhere,
    ]  # fmt: skip
    key = (
        "attention", keys, size, width, length, group, key_strides[-2:], q.strides[-2], v.strides[-2],
        y.strides[-2], row_key, mask and mask.strides[-2],
    )  # fmt: skip
    emit_lines(module, places, (*shared, group), strides, line, blocks, key)
    return True


def _given(kernel: Attention, inputs: Sequence[Buffer]) -> np.ndarray | None:
    """The mask that is an input."""
    return None if kernel.mask_slot is None else inputs[kernel.mask_slot].array


def attention_fits(q: np.ndarray, v: np.ndarray, y: np.ndarray) -> bool:
    """Whether there is code for queries, values and results that lie so."""
    return all(x.strides[-1] == 4 for x in (q, v, y)) and v.strides[-2] > 0


def _softmax(
    kernel: Attention, keys: int, mask: Mask | None, b: VectorBuilder, line: Value, hidden: Value, seen: Value
) -> None:
    """One row of scores in place; a causal query sees the first `seen` keys. One that sees none gets zeros."""

    def number(at: Value, count: int) -> Value:
        value = b.fmul(b.read(b.at(line, at), count), b.splat(kernel.scale))
        if mask is not None:
            return masked(b, mask, value, hidden, at, count)
        if not kernel.causal:
            return value
        first = b.spread(b.uitofp(b.udiv(at, i64(4)), b.vector.element))
        place = b.fadd(first, b.counting())
        some = b.fcmp_ordered("<", place, b.spread(b.uitofp(seen, b.vector.element)))
        return b.select(some, value, b.splat(-np.inf))

    highest = fold_row(b, keys, -np.inf, larger(b), number)
    if mask is not None:  # -inf - -inf is NaN
        highest = b.most(highest, b.splat(float(LOWEST)))

    def power(at: Value, count: int) -> Value:
        result = exp(b, b.fsub(number(at, count), highest))
        b.write(result, b.at(line, at), count)
        return result

    total = fold_row(b, keys, 0, b.fadd, power)
    if mask is not None:
        total = b.most(total, b.splat(float(SMALLEST)))
    each_vector(b, keys, lambda at, count: b.write(
        b.fdiv(b.read(b.at(line, at), count), total), b.at(line, at), count))  # fmt: skip
