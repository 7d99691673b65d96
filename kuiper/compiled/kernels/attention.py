"""Attention: the scores of a block of queries stay in the cache until they have become a mean of the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import BYTE, Value, VectorBuilder, i64
from kuiper.compiled.kernels.folds import fold_row
from kuiper.compiled.kernels.lines import each_vector, emit_lines
from kuiper.compiled.kernels.matmul import alone, in_rows
from kuiper.compiled.kernels.product import PackedProduct, PixelAxis, padded_bias
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.kernels.rows import larger
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.ufuncs import exp
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.matmul.attention import LOWEST, SMALLEST, Attention

MOST_VECTORS = 12
"""Of one query, which the registers hold while keys pass by."""


class Mask(NamedTuple):
    """Where a mask (..., L, S) lies; whether its elements are booleans; the steps of its axes in bytes."""

    place: Location
    flags: bool
    strides: tuple[int, ...]


@emits(Attention, inputs="fb")
def attention(module: Module, kernel: Attention, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Scores of some queries, their softmax, and the mean of the values."""
    q, k, v, y = (buffer.array for buffer in (*inputs[:3], outputs[0]))
    lead = y.shape[:-2] or (1,)
    group, (length, size), (keys, width) = kernel.group, q.shape[-2:], v.shape[-2:]
    if not attention_fits(q, v, y):
        return False
    given = None if kernel.mask_slot is None else inputs[kernel.mask_slot].array
    mask = _mask_of(module, kernel, given, (*lead, length, keys))
    if mask is None and (given is not None or kernel.mask is not None):
        return False
    shared = (*lead[:-1], lead[-1] // group)
    q, y = (x.reshape(lead + x.shape[-2:]) if x.ndim == 2 else x for x in (q, y))
    k, v = (x.reshape(shared + x.shape[-2:]) if x.ndim == 2 else x for x in (k, v))
    q = np.broadcast_to(q, lead + q.shape[-2:])
    k, v = (np.broadcast_to(x, shared + x.shape[-2:]) for x in (k, v))
    rows = min(module.target.tile(2)[0], length)
    blocks = -(-length // rows)
    pitch = module.target.rounded(keys)
    scores = module.own(rows * pitch)
    single = length == 1 and k.strides[-1] == 4 and size <= MOST_VECTORS * module.target.lanes
    if single:  # keys are read where they lie: turning them costs more than one query does
        from_keys, key_strides = module.place(k), k.strides
    else:
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
        if single:
            key = "scores of a query", keys, size, k.strides[-2]
            b.call(module.shared_function(key, 3, 0, _dots(keys, size, k.strides[-2])), [queries, k_at, room])
        else:
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
    emit_lines(module, places, (*shared, group), strides, line, blocks)
    return True


def attention_fits(q: np.ndarray, v: np.ndarray, y: np.ndarray) -> bool:
    """Whether there is code for queries, values and results that lie so."""
    return all(x.strides[-1] == 4 for x in (q, v, y)) and v.strides[-2] > 0


def _mask_of(module: Module, kernel: Attention, given: np.ndarray | None, shape: tuple[int, ...]) -> Mask | None:
    """The mask that a kernel has, or is given, broadcast to (..., L, S); None where no row of it lies side by side."""
    if given is None or not module.holds(given):
        if given is not None:
            numbers = np.where(given, np.float32(0), np.float32(-np.inf)) if given.dtype == bool else given
        elif kernel.mask is not None:
            numbers = kernel.mask.swapaxes(-1, -2)
        else:
            return None
        given = np.ascontiguousarray(numbers, np.float32)
    elif given.strides[-1] != given.itemsize and given.shape[-1] > 1:
        return None
    place = module.place(given)
    if given.ndim < 2:
        given = given[None]
    return Mask(place, given.dtype == bool, np.broadcast_to(given, shape).strides)


def _softmax(
    kernel: Attention, keys: int, mask: Mask | None, b: VectorBuilder, line: Value, hidden: Value, seen: Value
) -> None:
    """One row of scores in place; a causal query sees the first `seen` keys. One that sees none gets zeros."""

    def number(at: Value, count: int) -> Value:
        value = b.fmul(b.read(b.at(line, at), count), b.splat(kernel.scale))
        if mask is not None:
            return _masked(b, mask, value, hidden, at, count)
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


def _masked(b: VectorBuilder, mask: Mask, value: Value, hidden: Value, at: Value, count: int) -> Value:
    """Scores with their mask, `at` bytes of scores from the beginning of the row."""
    same = not mask.strides[-1]  # one element for all keys
    if not mask.flags:
        return b.fadd(value, b.broadcast(hidden) if same else b.read(b.at(hidden, at), count))
    if same:
        some = b.icmp_unsigned("!=", b.load(hidden, typ=BYTE, align=1), ir.Constant(BYTE, 0))
    else:
        flags = b.read(b.at(hidden, b.udiv(at, i64(4))), count, BYTE)
        some = b.icmp_unsigned("!=", flags, ir.Constant(flags.type, None))
    return b.select(some, value, b.splat(-np.inf))


def _dots(keys: int, size: int, stride: int) -> Callable[[VectorBuilder, Value, Value, Value], None]:
    """A function's body: scores[s] = query . key s, for keys `stride` bytes apart."""

    def build(b: VectorBuilder, query: Value, key: Value, scores: Value) -> None:
        lanes = b.target.lanes
        counts = [min(lanes, size - first) for first in range(0, size, lanes)]
        parts = [b.read(b.at(query, 4 * lanes * n), count) for n, count in enumerate(counts)]

        def product(at: Value) -> Value:
            """A vector whose sum is the score."""
            total = b.splat(0)
            for n, (part, count) in enumerate(zip(parts, counts)):
                total = b.fmadd(part, b.read(b.at(at, 4 * lanes * n), count), total)
            return total

        def several(first: Value | int, count: int) -> None:
            """The scores of as many keys as a vector has lanes, or fewer."""
            start = b.at(key, b.times(first, stride))
            rows = [product(b.at(start, stride * i)) if i < count else b.splat(0) for i in range(lanes)]
            sums = b.transposed(rows)
            while len(sums) > 1:
                sums = [b.fadd(one, other) for one, other in zip(sums[::2], sums[1::2])]
            b.write(sums[0], b.at(scores, b.times(first, 4)), count)

        whole = keys // lanes * lanes
        b.each(whole, lambda first: several(first, lanes), lanes)
        if keys - whole:
            several(whole, keys - whole)

    return build
