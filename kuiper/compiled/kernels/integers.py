"""Products of 8-bit integers: rows of x are rounded as they come, as kuiper.quantize.activations says.

    a row of x      becomes integers and scales in scratch memory, and what the processor's instruction needs besides
    few rows        dot products with the weights as they lie, as in dot.py
    many            a panel of weights is turned in scratch memory: groups of four numbers, an output in every lane

Sums of a block, or of a row without blocks, are whole numbers and exact. An instruction (Target.byte_dots) adds to each
lane of 32 bits the products of the four bytes there:

    sdot      signed times signed.
    vnni      unsigned times signed: the weights plus 128; sums begin at -128 times the sum of x, which makes up for it.
    maddubs   unsigned times signed, two products in 16 bits: |x| times the weights with the signs of x. No value is
              -128, so that 2 x 127 x 127 fits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import BYTE, F32, I32, Value, VectorBuilder, i64
from kuiper.compiled.kernels.dot import (
    LINE,
    SUMS,
    RowsOfArray,
    StoredRows,
    emit_strips,
    finished,
    together,
)
from kuiper.compiled.kernels.product import UNITS_EACH, padded_bias, share
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.target import Target
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.quantize.activations import SMALLEST
from kuiper.quantize.weights import LARGEST, QuantizedWeight

FEW, FEW_BLOCKED = 24, 3
"""Rows of x up to which dot products are faster than turning the weights; fewer where each block has its scale."""
MADDUBS_TILE = (4, 2)
"""Rows and vectors of a tile where 16 registers hold sums, weights, x, its magnitudes and products."""
MOST_DEPTH = (1 << 31) // LARGEST**2
"""Numbers of a block whose sums fit in 32 bits."""
AHEAD = 16 << 10
"""Bytes of weights by which lines are asked for before they are read: farther than in dot.py, since sums are quick."""
GROUPS = 2
"""Of four numbers, that a tile's loop takes at a time: with more, LLVM reads ahead, and runs out of registers."""
MOST_WRITTEN = 16
"""Steps of a block that are written out one after the other."""
I16 = ir.IntType(16)


def knows(target: Target, weight: QuantizedWeight) -> bool:
    """Whether there is code for this processor, and for blocks of that size."""
    size, block = 4 * target.lanes, weight.block
    whole = block == weight.shape[1] or (block % 4 == 0 and (block % size == 0 or size % block == 0))
    return target.byte_dots != "" and whole and block <= MOST_DEPTH


@dataclass(frozen=True)
class IntegerRows:
    """Rows of x as integers: where the first one begins, and where in a row its parts lie, in bytes.

    A row is its integers, filled up with zeros; of maddubs their magnitudes; the scales of its blocks; of vnni where
    sums begin, a 32-bit integer for each block.
    """

    place: Location
    rows: int
    depth: int
    block: int
    kind: str
    lanes: int

    @property
    def padded(self) -> int:
        """Integers with the zeros behind them; a block that is smaller than a vector is written as a whole one."""
        return _lines(self.depth + max(0, self.lanes - self.block))

    @property
    def blocks(self) -> int:
        """In a row."""
        return self.depth // self.block

    @property
    def scale(self) -> int:
        """Where the scales begin."""
        return self.padded * (2 if self.kind == "maddubs" else 1)

    @property
    def start(self) -> int:
        """Where it says at what number sums begin."""
        return self.scale + 4 * self.blocks

    @property
    def pitch(self) -> int:
        """From one row to the next."""
        return _lines(self.start + (4 * self.blocks if self.kind == "vnni" else 0))


def _lines(size: int) -> int:
    """Rounded up to whole lines of the cache."""
    return -(-size // LINE) * LINE


def emit_integers(
    module: Module, x: RowsOfArray, weight: StoredRows, epilogue: Epilogue, y: RowsOfArray,
    residual: RowsOfArray | None,
) -> None:  # fmt: skip
    """Parts for y = epilogue(x @ weight.T), x as integers."""
    target = module.target
    shape = IntegerRows(x.place, x.rows, weight.depth, weight.block, target.byte_dots, target.lanes)
    made = replace(shape, place=module.shared(x.rows * shape.pitch // 4))
    _emit_rounding(module, x, made)
    if x.rows <= (FEW if made.blocks == 1 else FEW_BLOCKED):
        rows = RowsOfArray(made.place, x.rows, made.pitch)
        strip = partial(_strip, module, made, weight, epilogue, y, residual)
        emit_strips(module, rows, weight, epilogue, y, residual, strip, "integers")
    else:
        _emit_panels(module, made, weight, epilogue, y, residual)


# rows of x


def _emit_rounding(module: Module, x: RowsOfArray, made: IntegerRows) -> None:
    """A unit is a row of x."""
    key = "round", made.depth, made.block

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        def row(number: Value) -> None:
            at = [b.at(p, b.mul(number, i64(pitch))) for p, pitch in zip(pointers, (x.pitch, made.pitch))]
            b.call(module.shared_function(key, 2, 0, partial(_round, made)), at)

        b.between(begin, end, row)

    module.part(x.rows, [x.place, made.place], body, (*key, x.pitch))


def _round(made: IntegerRows, b: VectorBuilder, x: Value, to: Value) -> None:
    """A row of float32 -> one of IntegerRows."""
    lanes, ints = b.target.lanes, _ints(b.target)
    narrow = ir.VectorType(BYTE, lanes)
    whole, rest = divmod(made.block, lanes)
    for i in range(0, LINE, lanes):  # what the last blocks do not reach
        for part in range(made.scale // made.padded):
            b.store(ir.Constant(narrow, None), b.at(to, made.padded * (part + 1) - LINE + i), align=1)

    def over(one: Callable[[Value, int | None, Value], Value], at: Any) -> Value:
        """`one` for all vectors from number `at` of the row on; it is given, and gives, integers."""
        carried = ir.Constant(ints, None)
        if 0 < whole <= MOST_WRITTEN:
            for v in range(whole):
                carried = one(b.add(at, i64(v * lanes)), None, carried)
        elif whole:
            (carried,) = b.loop(
                i64(0), i64(whole), 1, lambda v, c: [one(b.add(at, b.mul(v, i64(lanes))), None, c[0])], [carried]
            )
        return one(b.add(at, i64(whole * lanes)), rest, carried) if rest else carried

    def bits(at: Value, count: int | None) -> Value:
        return b.bitcast(b.read(b.at(x, b.mul(at, i64(4))), count), ints)

    def largest(at: Value, count: int | None, most: Value) -> Value:
        magnitude = b.and_(bits(at, count), _constant(ints, 0x7FFFFFFF))  # in the order of what they stand for
        return b.select(b.icmp_signed(">", magnitude, most), magnitude, most)

    def block(number: Value) -> None:
        at = b.mul(number, i64(made.block))
        most = b.combined(over(largest, at), lambda m, n: b.select(b.icmp_signed(">", m, n), m, n))
        most = b.extract_element(most, ir.Constant(I32, 0))
        finite = b.icmp_signed("<", most, ir.Constant(I32, 0x7F800000))
        smallest = int(np.float32(SMALLEST).view(np.int32))
        counts = b.and_(finite, b.icmp_signed(">=", most, ir.Constant(I32, smallest)))
        magnitude, full = b.bitcast(most, F32), ir.Constant(F32, float(LARGEST))
        otherwise = b.select(finite, ir.Constant(F32, 0.0), ir.Constant(F32, float("nan")))
        scale = b.select(counts, b.fdiv(magnitude, full), otherwise)
        b.store(scale, b.at(to, b.mul(number, i64(4)), made.scale), align=4)
        factor = b.spread(b.select(counts, b.fdiv(full, magnitude), ir.Constant(F32, 0.0)))
        mask = _spread(b, b.sext(finite, I32))

        def rounded(at: Value, count: int | None, total: Value) -> Value:
            numbers = b.bitcast(b.and_(bits(at, count), mask), b.vector)
            values = b.fptosi(b.intrinsic("rint", b.fmul(numbers, factor)), ints)
            b.store(b.trunc(values, narrow), b.at(to, at), align=1)
            if made.kind == "maddubs":
                zero = ir.Constant(ints, None)
                magnitudes = b.select(b.icmp_signed("<", values, zero), b.sub(zero, values), values)
                b.store(b.trunc(magnitudes, narrow), b.at(to, at, made.padded), align=1)
            return b.add(total, values)

        total = over(rounded, at)
        if made.kind == "vnni":
            total = b.extract_element(b.combined(total, b.add), ir.Constant(I32, 0))
            b.store(b.mul(total, ir.Constant(I32, -128)), b.at(to, b.mul(number, i64(4)), made.start), align=4)

    b.between(i64(0), i64(made.blocks), block)


# integers in vectors


def _ints(target: Target) -> Any:
    return ir.VectorType(I32, target.lanes)


def _constant(kind: Any, number: int) -> Value:
    return ir.Constant(kind, [number] * kind.count)


def _spread(b: VectorBuilder, number: Value) -> Value:
    """A vector of one i32."""
    return b.bitcast(b.spread(b.bitcast(number, F32)), _ints(b.target))


def _load(b: VectorBuilder, pointer: Value) -> Value:
    """A vector of groups of four bytes, at any byte."""
    return b.load(pointer, typ=_ints(b.target), align=1)


def _load_some(b: VectorBuilder, pointer: Value, count: int) -> Value:
    """The same of `count` bytes, and zeros behind them; nothing beyond them is touched."""
    groups, rest = divmod(count, 4)
    if groups == b.target.lanes:
        return _load(b, pointer)
    found = b.bitcast(b.read(pointer, groups, align=1), _ints(b.target))
    if rest:
        group = ir.Constant(I32, 0)
        for i in range(rest):
            byte = b.zext(b.load(b.at(pointer, 4 * groups + i), typ=BYTE, align=1), I32)
            group = b.or_(group, b.shl(byte, ir.Constant(I32, 8 * i)))
        found = b.insert_element(found, group, ir.Constant(I32, groups))
    return found


def _weights(b: VectorBuilder, w: Value) -> Value:
    """Weights as `_added` takes them."""
    return b.xor(w, _constant(_ints(b.target), -0x7F7F7F80)) if b.target.byte_dots == "vnni" else w


def _added(b: VectorBuilder, sums: Value, w: Value, x: Value, magnitudes: Value) -> Value:
    """sums + the products of four bytes in every lane."""
    lanes, kind = b.target.lanes, b.target.byte_dots
    ints, few, many = _ints(b.target), ir.VectorType(I16, 2 * lanes), ir.VectorType(BYTE, 4 * lanes)
    if kind == "vnni":
        return _call(b, f"llvm.x86.avx512.vpdpbusd.{32 * lanes}", ints, sums, w, x)
    w, x = b.bitcast(w, many), b.bitcast(x, many)
    if kind == "sdot":
        return _call(b, "llvm.aarch64.neon.sdot.v4i32.v16i8", ints, sums, w, x)
    magnitudes = b.bitcast(magnitudes, many)
    if lanes == 8:
        signed = _call(b, "llvm.x86.avx2.psign.b", many, w, x)
        pairs = _call(b, "llvm.x86.avx2.pmadd.ub.sw", few, magnitudes, signed)
        return b.add(sums, _call(b, "llvm.x86.avx2.pmadd.wd", ints, pairs, _constant(few, 1)))
    zero = ir.Constant(many, None)
    signed = b.select(b.icmp_signed("<", x, zero), b.sub(zero, w), w)
    pairs = _call(b, "llvm.x86.avx512.pmaddubs.w.512", few, magnitudes, signed)
    return b.add(sums, _call(b, "llvm.x86.avx512.pmaddw.d.512", ints, pairs, _constant(few, 1)))


def _call(b: VectorBuilder, name: str, result: Any, *operands: Value) -> Value:
    known = b.module.globals.get(name)
    kind = ir.FunctionType(result, [operand.type for operand in operands])
    return b.call(known or ir.Function(b.module, kind, name), operands)


# few rows


def _strip(
    module: Module, x: IntegerRows, weight: StoredRows, epilogue: Epilogue, y: RowsOfArray,
    residual: RowsOfArray | None, count: int, rows: int,
) -> Any:  # fmt: skip
    """void(x, weight, scale, bias, y, residual): `count` outputs of some rows of x."""
    rest = None if residual is None else residual.pitch
    name = epilogue.activation.identity if epilogue.activation else ""
    key = "byte dots", weight.key, x.kind, rows, x.pitch, y.pitch, rest, count, name
    many = together(rows, module.target.registers)

    def build(b: VectorBuilder, *pointers: Value) -> None:
        at_x, at_w, at_scale, at_bias, at_y, at_rest = pointers
        sums: list[list[Value]] = [[] for _ in range(rows)]
        for start in range(0, count, many):
            some = range(start, min(start + many, count))
            for row, vectors in zip(sums, _some_dots(b, x, weight, rows, some, at_x, at_w, at_scale)):
                row += vectors
        for r in range(rows):
            value, here = b.totals(sums[r]), r * x.pitch
            if x.blocks == 1:
                if x.kind == "vnni":
                    value = b.add(value, _spread(b, b.load(b.at(at_x, here + x.start), typ=I32, align=4)))
                scale = b.fmul(b.broadcast(at_x, here + x.scale), b.read(at_scale, count))
                value = b.fmul(b.sitofp(value, b.vector), scale)
            there = None if rest is None else b.at(at_rest, r * rest)
            finished(b, b.fadd(value, b.read(at_bias)), epilogue, b.at(at_y, r * y.pitch), there, count)

    return module.shared_function(key, 6, 0, build)


def _some_dots(
    b: VectorBuilder, x: IntegerRows, weight: StoredRows, rows: int, some: range, at_x: Value, at_w: Value,
    at_scale: Value,
) -> list[list[Value]]:  # fmt: skip
    """For each row of x a vector for each of some outputs, whose numbers sum up to it: integers, of blocks float32."""
    size = 4 * b.target.lanes
    blocked = x.blocks > 1
    step = max(x.block, size) if blocked else size  # bytes of a chunk: a vector or several, a block or several
    blocks = step // x.block if blocked else 0
    pairs = [(r, i) for r in range(rows) for i in some]
    chunks, tail = divmod(x.depth, step)
    unroll = max(1, (4 if len(some) == 1 else 2) // (step // size))
    apart = min(unroll, max(1, SUMS // len(pairs)))
    zero: Value = ir.Constant(b.vector if blocked else _ints(b.target), None)

    def products(at: Value, more: int, sums: Sequence[Value], count: int = size) -> list[Value]:
        """sums + products of the vector that begins at number at + more of the rows."""
        xs = [_load(b, b.at(at_x, at, r * x.pitch + more)) for r in range(rows)]
        magnitudes = xs
        if x.kind == "maddubs":
            magnitudes = [_load(b, b.at(at_x, at, r * x.pitch + x.padded + more)) for r in range(rows)]
        ws = {i: _weights(b, _load_some(b, b.at(at_w, at, i * weight.pitch + more), count)) for i in some}
        return [_added(b, total, ws[i], xs[r], magnitudes[r]) for total, (r, i) in zip(sums, pairs)]

    def chunk(k: Value, v: int, sums: list[Value], count: int = size) -> None:
        """Chunk k + v, or `count` bytes of it."""
        at, slots = b.mul(k, i64(step)), [n * apart + v % apart for n in range(len(pairs))]
        if not blocked:
            for slot, value in zip(slots, products(at, step * v, [sums[slot] for slot in slots], count)):
                sums[slot] = value
            return
        block, some_blocks = b.mul(k, i64(4 * blocks)), -(-min(count, step) // x.block) if count < size else blocks
        found = (
            [_apart(b, b.at(at_x, block, r * x.pitch + x.start + 4 * blocks * v), some_blocks) for r, _ in pairs]
            if x.kind == "vnni"
            else [ir.Constant(_ints(b.target), None)] * len(pairs)
        )
        inside = step // size
        if inside <= MOST_WRITTEN:
            for j in range(inside):
                found = products(at, step * v + size * j, found, count)
        else:
            found = b.loop(i64(0), i64(step), size, lambda j, c: products(b.add(at, j), step * v, c), found)
        of_x = [
            _by_lane(b, b.at(at_x, block, r * x.pitch + x.scale + 4 * blocks * v), some_blocks) for r in range(rows)
        ]
        places = {i: b.at(at_scale, block, 4 * (weight.blocks * i + blocks * v)) for i in some}
        of_w = {i: _by_lane(b, place, some_blocks) for i, place in places.items()}
        for slot, value, (r, i) in zip(slots, found, pairs):
            sums[slot] = b.fmadd(b.sitofp(value, b.vector), b.fmul(of_x[r], of_w[i]), sums[slot])

    def ask(k: Value, length: int) -> None:
        """For so many bytes of what comes later, from chunk k on."""
        for offset in range(0, length, LINE):
            for row in some:
                b.prefetch(at_w, b.mul(k, i64(step)), row * weight.pitch + offset + AHEAD)

    def run(k: Value, carried: Sequence[Value]) -> list[Value]:
        sums = list(carried)
        ask(k, unroll * step)
        for v in range(unroll):
            chunk(k, v, sums)
        return sums

    def _by_lane(b: VectorBuilder, place: Value, count: int) -> Value:
        """In every lane the scale of its block."""
        if blocks == 1:
            return b.broadcast(place)
        each = b.target.lanes // blocks
        return _shuffled(b, b.read(place, count), [lane // each for lane in range(b.target.lanes)])

    def _apart(b: VectorBuilder, place: Value, count: int) -> Value:
        """The number of each block in the first of its lanes, 0 in the others."""
        found, lanes = b.bitcast(b.read(place, count), _ints(b.target)), b.target.lanes
        each = lanes // blocks
        chosen = [lane // each if lane % each == 0 else lanes for lane in range(lanes)]
        return found if blocks == 1 else _shuffled(b, found, chosen)

    sums: list[Value] = [zero] * (len(pairs) * apart)
    whole = chunks // unroll * unroll
    if whole:
        sums = b.loop(i64(0), i64(whole), unroll, run, sums)
    ask(i64(whole), x.depth - whole * step)
    for v in range(chunks - whole):
        chunk(i64(whole), v, sums)
    if tail:
        chunk(i64(chunks), 0, sums, tail)
    add = b.fadd if blocked else b.add
    found: list[list[Value]] = [[] for _ in range(rows)]
    for n, (r, _) in enumerate(pairs):
        total = sums[n * apart]
        for other in sums[n * apart + 1 : (n + 1) * apart]:
            total = add(total, other)
        found[r].append(total)
    return found


def _shuffled(b: VectorBuilder, vector: Value, chosen: Sequence[int]) -> Value:
    """Elements of a vector by their numbers; from the number of lanes on: 0."""
    mask = ir.Constant(ir.VectorType(I32, b.target.lanes), list(chosen))
    return b.shuffle_vector(vector, ir.Constant(vector.type, None), mask)


# many rows


@dataclass(frozen=True)
class BytePanel:
    """[groups of four numbers][vectors][lanes] of the weights of some outputs, behind them their scales by blocks."""

    vectors: int
    groups: int
    lanes: int
    blocks: int

    @property
    def channels(self) -> int:
        """Outputs."""
        return self.vectors * self.lanes

    @property
    def pitch(self) -> int:
        """Bytes from one group to the next."""
        return 4 * self.channels

    @property
    def scale(self) -> int:
        """Where the scales begin, in bytes."""
        return self.groups * self.pitch

    @property
    def numbers(self) -> int:
        """Of 32 bits that it takes."""
        return self.channels * (self.groups + (self.blocks if self.blocks > 1 else 0))


def _emit_panels(
    module: Module, x: IntegerRows, weight: StoredRows, epilogue: Epilogue, y: RowsOfArray,
    residual: RowsOfArray | None,
) -> None:  # fmt: skip
    """A unit is some panels; it turns each, and multiplies all rows of x by it, a tile after the other."""
    lanes = module.target.lanes
    most, vectors = MADDUBS_TILE if x.kind == "maddubs" and lanes == 8 else module.target.tile(2)
    vectors = min(vectors, -(-weight.outputs // lanes))
    size = -(-x.rows // -(-x.rows // most))  # rows of a tile: even shares
    tiles, rest = divmod(x.rows, size)
    panel = BytePanel(vectors, -(-weight.depth // (4 * lanes)) * lanes, lanes, x.blocks)
    panels = -(-weight.outputs // panel.channels)
    last = weight.outputs - (panels - 1) * panel.channels
    units = min(panels, module.threads * UNITS_EACH)
    bias = module.weight(padded_bias(epilogue.bias, weight.outputs, module.target))
    places = [x.place, weight.place, weight.scale or bias, bias, y.place, (residual or y).place]
    places.append(module.own(panel.numbers))
    beside = None if residual is None else residual.pitch
    pitches = [x.pitch, 0, 0, 0, y.pitch, beside or 0]

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        def over(index: Value, channels: int) -> None:
            row = b.mul(index, i64(panel.channels))
            steps = [0, weight.pitch, 4 * weight.blocks, 4, 4, 4, 0]
            at = [b.at(p, b.mul(row, i64(step))) if step else p for p, step in zip(pointers, steps)]
            scratch = at.pop()
            b.call(_turned(module, weight, panel, channels), [at[1], at[2], scratch])
            at[1] = scratch
            if x.blocks > 1:
                at[2] = b.at(scratch, panel.scale)

            def tile(number: Any, rows: int) -> None:
                moved = [b.at(p, b.times(number, size * pitch)) for p, pitch in zip(at, pitches)]
                b.call(_tile(module, x, panel, epilogue, y.pitch, beside, channels, rows), moved)

            b.each(tiles, lambda number: tile(number, size))
            if rest:
                tile(tiles, rest)

        def one(index: Value) -> None:
            if panels == 1 or last == panel.channels:
                over(index, last)
            else:
                is_last = b.icmp_signed("==", index, i64(panels - 1))
                b.either(is_last, lambda: over(index, last), lambda: over(index, panel.channels))

        first, _ = share(b, begin, panels, units)
        _, stop = share(b, b.sub(end, i64(1)), panels, units)
        b.between(first, stop, one)

    name = epilogue.activation.identity if epilogue.activation else ""
    key = "byte panels", weight.outputs, weight.key, x.kind, x.rows, x.pitch, y.pitch, beside, name
    module.part(units, places, body, key)


def _turned(module: Module, weight: StoredRows, panel: BytePanel, channels: int) -> Any:
    """void(weight, scale, panel): rows of the weight become columns of a panel, and so do their scales by blocks."""
    lanes = panel.lanes
    size, vectors = 4 * lanes, -(-channels // lanes)

    def build(b: VectorBuilder, at_w: Value, at_scale: Value, to: Value) -> None:
        def square(at: Any, v: int, read: Callable[[int], Value], start: int, length: int) -> None:
            """`length` groups or scales of each output of a vector, from number `at` on."""
            count = min(lanes, channels - lanes * v)
            rows = [read(i) for i in range(lanes * v, lanes * v + count)]
            turned = b.transposed([*rows, *[b.splat(0)] * (lanes - count)])
            for j in range(length):
                b.write(turned[j], b.at(to, b.times(at, panel.pitch), start + panel.pitch * j + size * v))

        def weights(at: Any, v: int, count: int) -> None:
            def read(i: int) -> Value:
                w = _load_some(b, b.at(at_w, b.times(at, 4), i * weight.pitch), count)
                return b.bitcast(_weights(b, w), b.vector)

            square(at, v, read, 0, lanes)

        def scales(at: Any, v: int, count: int) -> None:
            square(
                at,
                v,
                lambda i: b.read(b.at(at_scale, b.times(at, 4), 4 * weight.blocks * i), count),
                panel.scale,
                count,
            )

        def both(v: int, write: Callable[..., None], length: int, full: int, each: int) -> None:
            """Squares of a vector's outputs: `length` bytes or scales, `full` at a time, `each` of them to a column."""
            whole = length // full * full
            b.each(whole // each, partial(write, v=v, count=full), lanes)
            if length - whole:
                write(whole // each, v, length - whole)

        for v in range(vectors):
            both(v, weights, weight.depth, size, 4)
            if panel.blocks > 1:
                both(v, scales, panel.blocks, lanes, 1)

    return module.shared_function(("byte panel", weight.key, panel, channels), 3, 0, build)


def _tile(
    module: Module, x: IntegerRows, panel: BytePanel, epilogue: Epilogue, pitch: int, beside: int | None, channels: int,
    rows: int,
) -> Any:  # fmt: skip
    """void(x, panel, scale, bias, y, residual): some rows of x times the outputs of a panel.

    pitch, beside : bytes from one row to the next of y, and of the residual.
    """
    lanes, ints, vectors = panel.lanes, _ints(module.target), -(-channels // panel.lanes)
    grid = [(r, v) for r in range(rows) for v in range(vectors)]
    name = epilogue.activation.identity if epilogue.activation else ""
    key = "byte tile", x.kind, x.depth, x.block, x.pitch, panel, pitch, beside, channels, rows, name

    def build(b: VectorBuilder, *pointers: Value) -> None:
        at_x, at_w, at_scale, at_bias, at_y, at_rest = pointers

        def group(at: Any, more: int, sums: Sequence[Value]) -> list[Value]:
            """sums + the products of group at + more."""
            w = [
                _load(b, b.at(at_w, b.times(at, panel.pitch), panel.pitch * more + 4 * lanes * v))
                for v in range(vectors)
            ]
            xs, magnitudes = [], []
            for r in range(rows):
                place = b.at(at_x, b.times(at, 4), r * x.pitch + 4 * more)
                xs.append(_spread(b, b.load(place, typ=I32, align=4)))
                if x.kind == "maddubs":
                    magnitudes.append(_spread(b, b.load(b.at(place, x.padded), typ=I32, align=4)))
            return [_added(b, s, w[v], xs[r], (magnitudes or xs)[r]) for s, (r, v) in zip(sums, grid)]

        def products(first: Any, block: Any, count: int) -> list[Value]:
            """Sums of `count` groups from `first` on, which are a block."""
            sums = [ir.Constant(ints, None)] * len(grid)
            if x.kind == "vnni":
                starts = [
                    b.load(b.at(at_x, b.times(block, 4), r * x.pitch + x.start), typ=I32, align=4) for r in range(rows)
                ]
                spread = [_spread(b, start) for start in starts]
                sums = [spread[r] for r, _ in grid]
            step = max(n for n in range(1, GROUPS + 1) if count % n == 0)

            def some(k: Value, carried: Sequence[Value]) -> list[Value]:
                at = b.add(first, k)
                for more in range(step):
                    carried = group(at, more, carried)
                return list(carried)

            return b.loop(i64(0), i64(count), step, some, sums)

        def scaled(block: Any, sums: Sequence[Value], to: Sequence[Value]) -> list[Value]:
            """to + the sums of a block times its scales."""
            of_x = [b.broadcast(at_x, b.times(block, 4), r * x.pitch + x.scale) for r in range(rows)]
            counts = [min(lanes, channels - lanes * v) if x.blocks == 1 else lanes for v in range(vectors)]
            of_w = [
                b.read(b.at(at_scale, b.times(block, panel.pitch), 4 * lanes * v), count)
                for v, count in enumerate(counts)
            ]
            return [
                b.fmadd(b.sitofp(each, b.vector), b.fmul(of_x[r], of_w[v]), total)
                for each, total, (r, v) in zip(sums, to, grid)
            ]

        bias = [b.read(b.at(at_bias, 4 * lanes * v)) for v in range(vectors)]
        values = [bias[v] for _, v in grid]
        if x.blocks == 1:
            values = scaled(0, products(i64(0), 0, panel.groups), values)
        else:
            per = x.block // 4
            values = b.loop(
                i64(0), i64(x.blocks), 1, lambda n, c: scaled(n, products(b.mul(n, i64(per)), n, per), c), values
            )
        for value, (r, v) in zip(values, grid):
            here = b.at(at_y, r * pitch + 4 * lanes * v)
            there = None if beside is None else b.at(at_rest, r * beside + 4 * lanes * v)
            finished(b, value, epilogue, here, there, min(lanes, channels - lanes * v))

    return module.shared_function(key, 6, 0, build)
