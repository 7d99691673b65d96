"""Products whose weights lie as in the file, an output's numbers side by side: float32, float16, or int8 with scales.

No copy of them is made: the code reads the arrays of the layer, and makes float32 of their numbers in registers.

    few rows of x    an output is the sum of the products of two runs of numbers, `rows` x `weights` outputs at a time;
                     sums are vectors, which become numbers at the end. Reading the weights is what takes time.
    many             a panel of weights is turned in scratch memory, as product.py's tiles want it, for all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kuiper.compiled.builder import BYTE, F32, HALF, SIZES, Value, VectorBuilder, i64
from kuiper.compiled.kernels.product import (
    UNITS_EACH,
    Cut,
    PackedProduct,
    PixelAxis,
    padded_bias,
    share,
    units_of,
)
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.target import Target
from kuiper.compiled.ufuncs import apply_with
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.quantize import QuantizedWeight

FEW, FEW_BLOCKED = 24, 12
"""Rows of x up to which dot products are faster than turning the weights; fewer where each block has its scale."""
SUMS = 8
"""Sums that are kept at the same time, at least: an addition takes some cycles, and the next need not wait for it."""
MOST_VECTORS = 8
"""Of a run of weights that are written out one after the other."""
STRETCH = 16 * 1024
"""Bytes of x that meet the weights of a strip before the next are read: a part of the first-level cache."""
LINE = 64
"""Bytes of a line of the caches."""
AHEAD = 8
"""Rows of weights by which lines are asked for before they are read: memory takes its time to begin."""
ELEMENTS = {np.dtype(np.float32): F32, np.dtype(np.float16): HALF, np.dtype(np.int8): BYTE}


@dataclass(frozen=True)
class StoredRows:
    """Weights (O, I): where they lie, the type of their numbers, and their scales.

    scale : (O,) or (O, blocks), or None.
    block : numbers that share a scale; `depth` where a whole row does.
    """

    place: Location
    element: Any
    outputs: int
    depth: int
    scale: Location | None
    block: int

    @classmethod
    def of(cls, module: Module, weight: np.ndarray | QuantizedWeight) -> StoredRows:
        """A layer's weight."""
        outputs, depth = weight.shape
        if not isinstance(weight, QuantizedWeight):
            values = module.hold(np.ascontiguousarray(weight))
            return cls(values, ELEMENTS[weight.dtype], outputs, depth, None, depth)
        by_row = weight.scale is None or weight.scale.ndim == 1
        scale = None if weight.scale is None else module.hold(np.ascontiguousarray(weight.scale))
        values = module.hold(np.ascontiguousarray(weight.values))
        return cls(values, ELEMENTS[weight.values.dtype], outputs, depth, scale, depth if by_row else weight.block)

    @property
    def blocks(self) -> int:
        """In a row."""
        return self.depth // self.block

    @property
    def pitch(self) -> int:
        """Bytes from one row to the next."""
        return SIZES[self.element] * self.depth

    @property
    def key(self) -> tuple[object, ...]:
        """What the code depends on, besides the places."""
        return str(self.element), self.depth, self.scale is not None, self.block


def knows(target: Target, weight: np.ndarray | QuantizedWeight) -> bool:
    """Whether there is code for blocks of that size, which have to be whole vectors."""
    if not isinstance(weight, QuantizedWeight) or weight.block == weight.shape[1]:
        return True
    return weight.block % target.lanes == 0


@dataclass(frozen=True)
class RowsOfArray:
    """(M, size): where the first number lies, and bytes from one row to the next."""

    place: Location
    rows: int
    pitch: int


def emit_stored(
    module: Module, x: RowsOfArray, weight: StoredRows, epilogue: Epilogue, y: RowsOfArray,
    residual: RowsOfArray | None,
) -> None:  # fmt: skip
    """A part for y = epilogue(x @ weight.T)."""
    if x.rows <= (FEW if weight.block == weight.depth else FEW_BLOCKED):
        strip = partial(_strip, module, x, weight, epilogue, y, residual)
        emit_strips(module, x, weight, epilogue, y, residual, strip, "dots")
    else:
        _emit_panels(module, x, weight, epilogue, y, residual)


def emit_strips(
    module: Module, x: RowsOfArray, weight: StoredRows, epilogue: Epilogue, y: RowsOfArray,
    residual: RowsOfArray | None, function_of: Callable[[int, int], Any], name: str,
) -> None:  # fmt: skip
    """Units are runs of strips, each of as many outputs as a vector has lanes, for all rows of x, some at a time.

    function_of : (outputs, rows) -> void(x, weight, scale, bias, y, residual), a strip's for some rows; name : of its
        code.
    """
    lanes = module.target.lanes
    strips = -(-weight.outputs // lanes)
    last = weight.outputs - (strips - 1) * lanes
    units = min(strips, module.threads * UNITS_EACH)
    most = 6 if module.target.registers > 16 else 4
    size = -(-x.rows // -(-x.rows // most))  # of a group: even shares
    groups = -(-x.rows // size)
    bias = module.weight(padded_bias(epilogue.bias, weight.outputs, module.target))
    places = [x.place, weight.place, weight.scale or bias, bias, y.place, (residual or y).place]

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        def one(number: Value) -> None:
            row = b.mul(number, i64(lanes))
            steps = [0, weight.pitch, 4 * weight.blocks if weight.scale else 0, 4, 4, 4]
            at = [b.at(p, b.mul(row, i64(step))) if step else p for p, step in zip(pointers, steps)]
            narrow = strips > 1 and last != lanes and b.icmp_signed("==", number, i64(strips - 1))

            def strip(count: int) -> None:
                def group(index: Any, rows: int) -> None:
                    pitches = [x.pitch, 0, 0, 0, y.pitch, 0 if residual is None else residual.pitch]
                    moved = [b.at(p, b.times(index, size * pitch)) for p, pitch in zip(at, pitches)]
                    b.call(function_of(count, rows), moved)

                b.each(groups - 1, lambda index: group(index, size))
                group(groups - 1, x.rows - (groups - 1) * size)

            b.either(narrow, lambda: strip(last), lambda: strip(lanes if strips > 1 else last))

        first, _ = share(b, begin, strips, units)
        _, stop = share(b, b.sub(end, i64(1)), strips, units)
        b.between(first, stop, one)

    rest = None if residual is None else residual.pitch
    activation = epilogue.activation.identity if epilogue.activation else ""
    key = name, weight.outputs, weight.key, x.rows, x.pitch, y.pitch, rest, activation
    module.part(units, places, body, key)


def finished(b: VectorBuilder, value: Value, epilogue: Epilogue, y: Value, residual: Value | None, count: int) -> None:
    """Write `count` outputs to y, after the residual that lies at a pointer, and the activation."""
    if residual is not None:
        value = b.fadd(value, b.read(residual, count))
    if epilogue.activation is not None:
        value = epilogue.activation(apply_with(b), value)
    b.write(value, y, count)


def _strip(
    module: Module, x: RowsOfArray, weight: StoredRows, epilogue: Epilogue, y: RowsOfArray,
    residual: RowsOfArray | None, count: int, rows: int,
) -> Any:  # fmt: skip
    """void(x, weight, scale, bias, y, residual): `count` outputs of some rows of x."""
    activation = epilogue.activation
    rest = None if residual is None else residual.pitch
    key = (
        "dot", weight.key, rows, x.pitch, y.pitch, rest, count, activation.identity if activation else "",
    )  # fmt: skip
    some_rows = RowsOfArray(x.place, rows, x.pitch)

    def build(b: VectorBuilder, *pointers: Value) -> None:
        at_x, at_w, at_scale, at_bias, at_y, at_rest = pointers
        sums = _dots(b, some_rows, weight, count, at_x, at_w, at_scale)
        first = b.read(at_bias)
        for r in range(rows):
            value = sums[r]
            if weight.scale is not None and weight.block == weight.depth:
                value = b.fmadd(value, b.read(at_scale, count), first)
            else:
                value = b.fadd(value, first)
            there = None if residual is None else b.at(at_rest, r * residual.pitch)
            finished(b, value, epilogue, b.at(at_y, r * y.pitch), there, count)

    return module.shared_function(key, 6, 0, build)


def together(rows: int, registers: int) -> int:
    """Outputs whose weights meet `rows` rows of x at the same time, so that sums and what is read fill the registers.

    One where reading the weights is all that takes time: they then come in the order in which they lie.
    """
    if rows <= 2:
        return 1
    return 4 if registers > 16 else 2


def _dots(
    b: VectorBuilder, x: RowsOfArray, weight: StoredRows, count: int, at_x: Value, at_w: Value, at_scale: Value
) -> list[Value]:
    """For each row of x a vector of `count` outputs (without the scale of a whole row), a stretch of x after the other.

    A stretch stays in the first-level cache while it meets the weights of all outputs.
    """
    lanes, size = b.target.lanes, SIZES[weight.element]
    blocked = weight.block != weight.depth
    many = together(x.rows, b.target.registers)
    in_block = weight.block // lanes if blocked else 0
    unroll = max(4 if many == 1 else 2, LINE // (size * lanes))
    if blocked:
        unroll = max(n for n in range(1, MOST_VECTORS + 1) if in_block % n == 0)
    stretch = max(1, STRETCH // (x.rows * 4 * lanes) // unroll) * unroll  # vectors
    whole = weight.depth // lanes // unroll * unroll
    stretches = max(1, whole // stretch)

    def some(first: Value, stop: Value | None, length: int, sums: Sequence[Value]) -> list[Value]:
        """sums + products of vectors first ... stop - 1, and of `length` numbers behind them."""
        found: list[list[Value]] = [[] for _ in range(x.rows)]
        for start in range(0, count, many):
            rows = range(start, min(start + many, count))
            made = _some_dots(b, x, weight, rows, unroll, first, stop, length, at_x, at_w, at_scale)
            for r, vectors in enumerate(made):
                found[r] += vectors
        return [b.fadd(total, b.totals(vectors)) for total, vectors in zip(sums, found)]

    sums: list[Value] = [b.splat(0)] * x.rows
    if stretches > 1:
        sums = b.loop(
            i64(0), i64((stretches - 1) * stretch), stretch,
            lambda k, carried: some(k, b.add(k, i64(stretch)), 0, carried), sums,
        )  # fmt: skip
    start = (stretches - 1) * stretch
    return some(i64(start), i64(whole) if whole > start else None, weight.depth - whole * lanes, sums)


def _some_dots(
    b: VectorBuilder, x: RowsOfArray, weight: StoredRows, some: range, unroll: int, first: Value, stop: Value | None,
    length: int, at_x: Value, at_w: Value, at_scale: Value,
) -> list[list[Value]]:  # fmt: skip
    """For each row of x a vector for each of some outputs, whose numbers sum up to it; weights are read in turns."""
    lanes, size = b.target.lanes, SIZES[weight.element]
    blocked = weight.block != weight.depth
    in_block = weight.block // lanes if blocked else 0
    apart = min(unroll, max(1, SUMS // (x.rows * len(some))))  # sums for one and the same output

    def vector(k: Any, v: int, sums: list[Value], scales: list[Value], count: int | None) -> None:
        """Products of vector k + v of every row; k counts vectors."""
        at = b.times(k, lanes)
        xs = [b.read(b.at(at_x, b.times(at, 4), r * x.pitch + 4 * lanes * v), count) for r in range(x.rows)]
        for i, row in enumerate(some):
            place = b.at(at_w, b.times(at, size), row * weight.pitch + size * lanes * v)
            w = b.read_wide(place, count, weight.element)
            if scales:
                w = b.fmul(w, scales[i])
            for r, value in enumerate(xs):
                slot = (r * len(some) + i) * apart + v % apart
                sums[slot] = b.fmadd(value, w, sums[slot])

    def run(k: Value, carried: Sequence[Value]) -> list[Value]:
        sums, scales = list(carried), []
        if blocked:
            block = b.udiv(k, i64(in_block)) if in_block > 1 else k
            scales = [b.broadcast(at_scale, b.times(block, 4), 4 * weight.blocks * row) for row in some]
        for v in range(unroll):
            if v * lanes * size % LINE == 0:
                for row in some:
                    ahead = (row + AHEAD) * weight.pitch + v * lanes * size
                    b.prefetch(at_w, b.times(k, lanes * size), ahead)
            vector(k, v, sums, scales, None)
        return sums

    sums: list[Value] = [b.splat(0)] * (x.rows * len(some) * apart)
    if stop is not None:
        sums = b.loop(first, stop, unroll, run, sums)
    for v in range(-(-length // lanes)):  # none in blocks, which are whole vectors
        vector(stop or first, v, sums, [], min(lanes, length - v * lanes))
    return [[_total(b, sums[(r * len(some) + i) * apart :][:apart]) for i in range(len(some))] for r in range(x.rows)]


def _total(b: VectorBuilder, vectors: Sequence[Value]) -> Value:
    value = vectors[0]
    for other in vectors[1:]:
        value = b.fadd(value, other)
    return value


def _emit_panels(
    module: Module, x: RowsOfArray, weight: StoredRows, epilogue: Epilogue, y: RowsOfArray,
    residual: RowsOfArray | None,
) -> None:  # fmt: skip
    """product.py's tiles; each unit turns its panels itself, into scratch memory of the thread's own."""
    axis = PixelAxis(x.rows, x.pitch, y.pitch, 0 if residual is None else residual.pitch)
    product = PackedProduct((axis,), (), weight.depth, weight.outputs, residual is not None, epilogue.activation)
    cut = Cut.of(product, module.target)
    room = module.own(weight.depth * cut.vectors * module.target.lanes)
    bias = module.weight(padded_bias(epilogue.bias, weight.outputs, module.target))

    def turned(b: VectorBuilder, pointers: Sequence[Value], index: Value, channels: int) -> Value:
        at_w, at_scale, scratch = pointers[1], pointers[5], pointers[6]
        row = b.mul(index, i64(cut.vectors * module.target.lanes))
        at = [b.at(at_w, b.mul(row, i64(weight.pitch)))]
        at.append(b.at(at_scale, b.mul(row, i64(4 * weight.blocks))) if weight.scale else at_scale)
        b.call(_panel(module, weight, channels), [*at, scratch])
        return scratch

    units, run = units_of(module, product, cut, prepare=turned)
    places = [x.place, weight.place, bias, y.place, (residual or y).place, weight.scale or bias, room]
    module.part(units, places, run, ("turned panels", product.key, cut, weight.key))


def _panel(module: Module, weight: StoredRows, channels: int) -> Any:
    """void(weight, scale, panel): rows of the weight become columns of a panel [depth][channels in whole vectors]."""
    lanes = module.target.lanes
    vectors = -(-channels // lanes)

    def build(b: VectorBuilder, at_w: Value, at_scale: Value, panel: Value) -> None:
        def square(k: Any, v: int, length: int) -> None:
            """`length` numbers of each of a vector's rows, from number k on."""
            k = i64(k) if isinstance(k, int) else k
            count = min(lanes, channels - lanes * v)
            block = b.udiv(k, i64(weight.block)) if weight.blocks > 1 else i64(0)
            rows = []
            for i in range(lanes * v, lanes * v + count):
                w = b.read_wide(b.at(at_w, b.times(k, SIZES[weight.element]), i * weight.pitch), length, weight.element)
                if weight.scale is not None:
                    w = b.fmul(w, b.broadcast(at_scale, b.times(block, 4), 4 * weight.blocks * i))
                rows.append(w)
            turned = b.transposed([*rows, *[b.splat(0)] * (lanes - count)])
            for j in range(length):
                there = b.at(panel, b.times(k, 4 * lanes * vectors), 4 * lanes * (j * vectors + v))
                b.write(turned[j], there)

        whole = weight.depth // lanes * lanes
        for v in range(vectors):
            b.each(whole, partial(square, v=v, length=lanes), lanes)
            if weight.depth - whole:
                square(whole, v, weight.depth - whole)

    return module.shared_function(("panel", weight.key, channels), 3, 0, build)
