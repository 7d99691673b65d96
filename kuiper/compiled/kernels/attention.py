"""Attention: the scores of a block of queries stay in the cache until they have become a mean of the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import BYTE, Value, VectorBuilder, i64
from kuiper.compiled.kernels.copies import emit_strided_copy
from kuiper.compiled.kernels.decoding import CachedAttention, emit_one_query, matrices
from kuiper.compiled.kernels.folds import fold_row
from kuiper.compiled.kernels.lines import each_vector, emit_lines
from kuiper.compiled.kernels.masks import Mask, mask_of, masked
from kuiper.compiled.kernels.matmul import alone
from kuiper.compiled.kernels.product import PackedProduct, PixelAxis, padded_bias
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.kernels.rows import larger
from kuiper.compiled.parts import Location, Module, write_zeros
from kuiper.compiled.ufuncs import exp
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.matmul.attention import LOWEST, SMALLEST, Attention

CHUNK = 256
"""Keys of a cache that are left out together where no query of a block sees any of them."""
PREFIXES = 4
"""How many lengths the keys of causal attention are cut to: each block of queries takes the shortest that it can."""
FLAGS = ir.VectorType(BYTE, 64)


class KeyPiece(NamedTuple):
    """Keys of one run whose scores are made together.

    run : number of the run; first : of its keys. before : keys that come before them in a row of the mask.
    place : numbers that come before them in a row of scores. keys : how many there are.
    repeated : how often more of them follow, of which the first are looked at that a query sees; 0: all are.
    """

    run: int
    first: int
    before: int
    place: int
    keys: int
    repeated: int = 0


@emits(Attention, inputs="fb")
def attention(module: Module, kernel: Attention, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Scores of some queries, their softmax, and the mean of the values."""
    q, k, v = (buffer.array for buffer in inputs[:3])
    given = None if kernel.mask_slot is None else inputs[kernel.mask_slot].array
    return _emit(module, kernel, q, [(k, v)], given, outputs[0].array)


@emits(CachedAttention, inputs="fb")
def cached_attention(
    module: Module, kernel: CachedAttention, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
) -> bool:
    """The same of earlier keys and of new ones, which lie apart."""
    q, *parts = (buffer.array for buffer in inputs[:5])
    given = inputs[5].array if len(inputs) > 5 else None
    return _emit(module, kernel.attention, q, [(parts[0], parts[2]), (parts[1], parts[3])], given, outputs[0].array)


def _emit(
    module: Module, kernel: Attention, q: np.ndarray, pairs: Sequence[tuple[np.ndarray, np.ndarray]],
    given: np.ndarray | None, y: np.ndarray,
) -> bool:  # fmt: skip
    """y = attention of q (..., L, E) over the keys (..., S, E) and values (..., S, Ev) of all pairs; False: no code."""
    lead, group = y.shape[:-2] or (1,), kernel.group
    length, size, width = q.shape[-2], q.shape[-1], y.shape[-1]
    keys = sum(k.shape[-2] for k, _ in pairs)
    if not all(attention_fits(q, v, y) for _, v in pairs) or (kernel.causal and len(pairs) > 1):
        return False
    if length == 1 and emit_one_query(module, kernel, q, pairs, given, y):
        return True
    mask = mask_of(module, kernel, given, (*lead, length, keys))
    if mask is None and (given is not None or kernel.mask is not None):
        return False
    shared = (*lead[:-1], lead[-1] // group)
    q, y = matrices(q, lead), matrices(y, lead)
    pairs = [(matrices(k, shared), matrices(v, shared)) for k, v in pairs]
    rows = min(module.target.tile(2)[0], length)
    blocks = -(-length // rows)
    pieces, numbers = _pieces([k.shape[-2] for k, _ in pairs], mask, module)
    prefixes = [pieces]
    if kernel.causal and mask is None:
        prefixes = [_pieces([count], mask, module)[0] for count in _prefixes(min(keys, length), module)]
    several, last_ones = len(pieces) > 1, {prefix[-1] for prefix in prefixes}
    pitch = 4 * numbers
    scores = module.own(rows * numbers)
    breadth = module.target.rounded(width)
    sums = module.own(rows * breadth if several else 0)
    turned = [
        _turned(module, k, [piece for piece in pieces if piece.run == run], mask, rows, length)
        for run, (k, _) in enumerate(pairs)
    ]
    zero = module.weight(padded_bias(None, max(width, *(piece.keys for piece in pieces)), module.target))
    # of each run the keys behind those of its repeated piece
    behind = [k.shape[-2] - sum(piece.keys * piece.repeated for piece in pieces if piece.run == run)
              for run, (k, _) in enumerate(pairs)]  # fmt: skip
    steps = [v.strides[-2] for _, v in pairs]

    def asking(piece: KeyPiece) -> PackedProduct:
        axis = PixelAxis(rows, q.strides[-2], pitch)
        pitch_of_keys = 4 * (piece.keys if piece.repeated else behind[piece.run])
        return PackedProduct((axis,), (), size, piece.keys, pitch=pitch_of_keys)

    def mixing(piece: KeyPiece) -> PackedProduct:
        """Values that are added to the sums of the pieces before; the last piece writes the result."""
        axis = PixelAxis(rows, pitch, y.strides[-2] if piece in last_ones else 4 * breadth, 4 * breadth * several)
        return PackedProduct((axis,), (), piece.keys, width, residual=several, pitch=steps[piece.run])

    asked = {piece: alone(module, asking(piece)) for prefix in prefixes for piece in prefix}
    mixed = {piece: alone(module, mixing(piece)) for prefix in prefixes for piece in prefix}
    row_key = "row of scores", kernel.scale, kernel.causal, mask and (mask.flags, mask.strides[-1])

    def line(b: VectorBuilder, at: list[Value]) -> None:
        y_at, q_at, room, sums_at, nothing, hidden, *there, block = at
        start = b.mul(block, i64(rows))
        if length % rows:
            start = b.smaller(start, i64(length - rows))  # the last block ends with the queries
        queries = b.at(q_at, b.mul(start, i64(q.strides[-2])))
        flags = b.at(hidden, b.times(start, mask.strides[-2])) if mask else hidden
        used = _used(b, pieces[0], rows, mask, flags)
        result = b.at(y_at, b.mul(start, i64(y.strides[-2])))

        def ask(piece: KeyPiece, after: Value, _: list[Value]) -> list[Value]:
            to = b.at(room, b.times(after, 4), 4 * piece.place)
            turned_keys = b.at(there[piece.run], b.times(after, 4 * size), 4 * size * piece.first)
            asked[piece](b, [queries, turned_keys, nothing, to, to])
            return []

        def mix(piece: KeyPiece, after: Value, _: list[Value]) -> list[Value]:
            step = steps[piece.run]
            values = b.at(there[len(pairs) + piece.run], b.times(after, step), step * piece.first)
            to = result if piece in last_ones else sums_at
            mixed[piece](b, [b.at(room, b.times(after, 4), 4 * piece.place), values, nothing, to, sums_at])
            return []

        def attend(prefix: list[KeyPiece]) -> None:
            softmax = partial(_softmax, kernel, prefix, keys, mask)
            function = module.shared_function((*row_key, tuple(prefix)), 2, 2, softmax)

            def one(i: Value) -> None:
                seen = b.smaller(b.add(b.add(start, i), i64(1)), i64(keys))
                mine = b.at(flags, b.times(i, mask.strides[-2])) if mask else hidden
                b.call(function, [b.at(room, b.mul(i, i64(pitch))), mine, seen, used])

            _each(b, prefix, used, ask)
            b.each(rows, lambda i: one(i64(0) if isinstance(i, int) else i))
            if several:
                write_zeros(b, sums_at, (rows * breadth,), (4,))
            _each(b, prefix, used, mix)

        def attend_to_shortest(prefix: list[KeyPiece], *longer: list[KeyPiece]) -> None:
            """Attend to the shortest prefix in which is all that the block's last query sees."""
            if not longer:
                attend(prefix)
                return
            enough = b.icmp_signed("<=", b.add(start, i64(rows)), i64(prefix[0].keys))
            b.either(enough, lambda: attend(prefix), lambda: attend_to_shortest(*longer))

        attend_to_shortest(*prefixes)

    def by_group(strides: Sequence[int]) -> list[int]:
        """Strides of (*shared, matrices) along (*shared, group)."""
        return [*strides[: len(lead)], 0]

    def of_query(strides: Sequence[int]) -> list[int]:
        return [*strides[: len(lead) - 1], strides[len(lead) - 1] * group, strides[len(lead) - 1]]

    nowhere = [0] * (len(lead) + 1)
    places = [module.place(y), module.place(q), scores, sums, zero, mask.place if mask else zero]
    strides = [
        of_query(y.strides), of_query(q.strides), nowhere, nowhere, nowhere,
        of_query(mask.strides) if mask else nowhere,
    ]  # fmt: skip
    places += [place for place, _ in turned] + [module.place(v) for _, v in pairs]
    strides += [by_group(each) for _, each in turned] + [by_group(v.strides) for _, v in pairs]
    key = (
        "attention", size, width, length, group, tuple(behind), tuple(steps), q.strides[-2], y.strides[-2], row_key,
        tuple(map(tuple, prefixes)), mask and mask.strides[-2],
    )  # fmt: skip
    emit_lines(module, places, (*shared, group), strides, line, blocks, key)
    return True


def _turned(
    module: Module, k: np.ndarray, pieces: Sequence[KeyPiece], mask: Mask | None, rows: int, length: int
) -> tuple[Location, tuple[int, ...]]:
    """The keys (..., S, E) of one run as columns, in scratch memory, and the strides of the matrices there.

    Those of a repeated piece lie as (..., how often, E, keys of the piece), those behind them as (..., E, S'), so that
    what no query sees is left out: a cache has room for many more keys than a short text.
    """
    *lead, keys, size = k.shape
    shape = tuple(1 if step == 0 else extent for extent, step in zip(lead, k.strides))
    steps = tuple(4 * keys * size * prod(shape[axis + 1 :]) for axis in range(len(shape)))
    place = module.shared(prod(shape) * keys * size)
    k = k[tuple(slice(extent) for extent in shape)]
    for piece in pieces:
        if not piece.repeated:
            columns = k[..., piece.first :, :].swapaxes(-1, -2)
            to = *steps, 4 * columns.shape[-1], 4
            there = place.after(4 * size * piece.first)
            emit_strided_copy(module, (there, to), (module.place(columns), columns.strides), columns.shape)
            continue
        several = k[..., : piece.keys * piece.repeated, :].reshape(*shape, piece.repeated, piece.keys, size)
        columns = several.swapaxes(-1, -2)
        to = *steps, 4 * piece.keys * size, 4 * piece.keys, 4
        seen = None
        if mask is not None and not any(mask.strides[:-2]):
            seen = _seen(module, piece, mask, rows, length), (*(0 for _ in shape), 8, 0, 0)
        emit_strided_copy(module, (place, to), (module.place(columns), columns.strides), columns.shape, seen)
    return place, (*(0 if step == 0 and extent > 1 else new for extent, step, new in zip(lead, k.strides, steps)), 0, 0)


def _seen(module: Module, piece: KeyPiece, mask: Mask, rows: int, length: int) -> Location:
    """An i64 for each repeated piece: 0 where no query sees any key of it, or of those behind it."""
    found = module.shared(2 * piece.repeated)

    def tell_all(b: VectorBuilder, flags: Value, to: Value) -> None:
        def block(number: Value, most: list[Value]) -> list[Value]:
            start = b.smaller(b.mul(number, i64(rows)), i64(length - rows))
            used = _used(b, piece, rows, mask, b.at(flags, b.times(start, mask.strides[-2])))
            return [b.select(b.icmp_signed(">", used, most[0]), used, most[0])]

        (used,) = b.loop(i64(0), i64(-(-length // rows)), 1, block, [i64(0)])

        def tell(number: Value, _: list[Value]) -> None:
            some = b.select(b.icmp_signed("<", number, used), i64(1), i64(0))
            b.store(some, b.at(to, b.times(number, 8)), align=8)

        b.loop(i64(0), i64(piece.repeated), 1, tell)

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        b.between(begin, end, lambda _: tell_all(b, *pointers))

    module.part(1, [mask.place, found], body, ("seen", piece, rows, length, mask.strides[-2]))
    return found


def _pieces(runs: Sequence[int], mask: Mask | None, module: Module) -> tuple[list[KeyPiece], int]:
    """The pieces of runs of so many keys, and how many numbers a row of scores has room for."""
    found: list[KeyPiece] = []
    before = place = 0
    for run, count in enumerate(runs):
        chunks = count // CHUNK if run == 0 and len(runs) > 1 and mask and mask.flags and mask.strides[-1] == 1 else 0
        if chunks:
            found.append(KeyPiece(run, 0, before, place, CHUNK, chunks))
        first = chunks * CHUNK
        if count > first:
            found.append(KeyPiece(run, first, before + first, place + first, count - first))
        before, place = before + count, place + module.target.rounded(count)
    return found, place


def _prefixes(keys: int, module: Module) -> list[int]:
    """How many keys a block of causal queries may attend to: at most PREFIXES numbers, the last of which is `keys`."""
    panel = 2 * module.target.lanes
    step = panel * -(-keys // (panel * PREFIXES))
    return [*range(step, keys, step), keys]


def _used(b: VectorBuilder, piece: KeyPiece, rows: int, mask: Mask | None, flags: Value) -> Value:
    """How many of a repeated piece there are up to the last one of which a row of the mask lets anything be seen."""
    if not piece.repeated or mask is None:
        return i64(0)
    offsets = [
        row * mask.strides[-2] + start
        for row in range(rows if mask.strides[-2] else 1)
        for start in range(0, piece.keys, FLAGS.count)
    ]
    bits = ir.IntType(8 * FLAGS.count)

    def look(i: Value, carried: list[Value]) -> list[Value]:
        here = b.at(flags, b.times(i, piece.keys), piece.before)
        found = ir.Constant(FLAGS, None)
        for offset in offsets:
            found = b.or_(found, b.load(b.at(here, offset), typ=FLAGS, align=1))
        some = b.icmp_unsigned("!=", b.bitcast(found, bits), ir.Constant(bits, 0))
        return [b.select(some, b.add(i, i64(1)), carried[0])]

    (used,) = b.loop(i64(0), i64(piece.repeated), 1, look, [i64(0)])
    return used


def _each(
    b: VectorBuilder, pieces: Sequence[KeyPiece], used: Value,
    body: Callable[[KeyPiece, Value, list[Value]], list[Value]], carried: Sequence[Value] = (),
) -> list[Value]:  # fmt: skip
    """carried = body(piece, keys after its first ones, carried) for all pieces; a repeated one `used` times."""
    found = list(carried)

    def again(piece: KeyPiece, before: list[Value]) -> list[Value]:
        return b.loop(i64(0), used, 1, lambda i, old: body(piece, b.mul(i, i64(piece.keys)), old), before)

    for piece in pieces:
        if piece.repeated:
            some = b.icmp_signed(">", used, i64(0))
            found = b.where(some, partial(again, piece, found), found)
        else:
            found = body(piece, i64(0), found)
    return found


def attention_fits(q: np.ndarray, v: np.ndarray, y: np.ndarray) -> bool:
    """Whether there is code for queries, values and results that lie so."""
    return all(x.strides[-1] == 4 for x in (q, v, y)) and v.strides[-2] > 0


def _softmax(
    kernel: Attention, pieces: Sequence[KeyPiece], keys: int, mask: Mask | None, b: VectorBuilder, line: Value,
    hidden: Value, seen: Value, used: Value,
) -> None:  # fmt: skip
    """One row of scores in place; a causal query sees the first `seen` keys. One that sees none gets zeros."""

    def number(at: Value, count: int, scores: Value, flags: Value) -> Value:
        value = b.fmul(b.read(b.at(scores, at), count), b.splat(kernel.scale))
        if mask is not None:
            return masked(b, mask, value, flags, at, count)
        if not kernel.causal:
            return value
        first = b.spread(b.uitofp(b.udiv(at, i64(4)), b.vector.element))
        place = b.fadd(first, b.counting())
        some = b.fcmp_ordered("<", place, b.spread(b.uitofp(seen, b.vector.element)))
        return b.select(some, value, b.splat(-np.inf))

    def there(piece: KeyPiece, after: Value) -> tuple[Value, Value]:
        """Where the scores of a piece lie, and its part of the mask."""
        scores = b.at(line, b.times(after, 4), 4 * piece.place)
        step = mask.strides[-1] if mask is not None else 0
        return scores, b.at(hidden, b.times(after, step), step * piece.before)

    def high(piece: KeyPiece, after: Value, found: list[Value]) -> list[Value]:
        scores, flags = there(piece, after)
        most = fold_row(b, piece.keys, -np.inf, larger(b), lambda at, count: number(at, count, scores, flags))
        return [larger(b)(found[0], most)]

    (highest,) = _each(b, pieces, used, high, [b.splat(-np.inf)])
    if mask is not None:  # -inf - -inf is NaN
        highest = b.most(highest, b.splat(float(LOWEST)))

    def sum_up(piece: KeyPiece, after: Value, found: list[Value]) -> list[Value]:
        scores, flags = there(piece, after)

        def power(at: Value, count: int) -> Value:
            result = exp(b, b.fsub(number(at, count, scores, flags), highest))
            b.write(result, b.at(scores, at), count)
            return result

        return [b.fadd(found[0], fold_row(b, piece.keys, 0, b.fadd, power))]

    (total,) = _each(b, pieces, used, sum_up, [b.splat(0)])
    if mask is not None:
        total = b.most(total, b.splat(float(SMALLEST)))

    def divide(piece: KeyPiece, after: Value, _: list[Value]) -> list[Value]:
        scores, _flags = there(piece, after)
        each_vector(b, piece.keys, lambda at, count: b.write(
            b.fdiv(b.read(b.at(scores, at), count), total), b.at(scores, at), count))  # fmt: skip
        return []

    _each(b, pieces, used, divide)
