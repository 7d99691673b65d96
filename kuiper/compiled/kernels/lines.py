"""Loops that kernels share: over all lines of arrays with any strides, and over the vectors of a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.pointwise import merged
from kuiper.compiled.parts import Location, Module

SHARES = 8
"""Units for each thread."""


def emit_items(
    module: Module, places: Sequence[Location], total: int, one: Callable[[VectorBuilder, list[Value], Value], None],
    key: object = None,
) -> None:  # fmt: skip
    """A part that calls one(builder, pointers, number) for the numbers 0 ... total - 1.

    key : all that `one` depends on, as Module.part's, or None.
    """
    per_unit = max(1, total // (SHARES * module.threads)) if module.threads > 1 else total

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        stop = b.smaller(b.mul(end, i64(per_unit)), i64(total))
        b.between(b.mul(begin, i64(per_unit)), stop, lambda number: one(b, pointers, number))

    module.part(-(-total // per_unit), places, body, key and ("items", total, key))


def emit_lines(
    module: Module, places: Sequence[Location], shape: Sequence[int], strides: Sequence[Sequence[int]],
    line: Callable[[VectorBuilder, list[Value]], None], inner: int = 1, key: object = None,
) -> None:  # fmt: skip
    """A part that calls line(builder, pointers) for every index of `shape`, the pointers moved by their strides.

    inner : for each index it is called so often; the number of the call comes after the pointers.
    key : all that `line` depends on, as Module.part's, or None.
    """
    extents, steps = merged(shape, strides)

    def one(b: VectorBuilder, pointers: list[Value], number: Value) -> None:
        rest, at = number, list(pointers)
        turn = b.urem(rest, i64(inner)) if inner > 1 else i64(0)
        rest = b.udiv(rest, i64(inner)) if inner > 1 else rest
        for axis in reversed(range(len(extents))):
            index = b.urem(rest, i64(extents[axis])) if axis else rest
            rest = b.udiv(rest, i64(extents[axis])) if axis else rest
            at = [b.at(p, b.mul(index, i64(step[axis]))) if step[axis] else p for p, step in zip(at, steps)]
        line(b, [*at, turn])

    emit_items(module, places, prod(extents) * inner, one, key and ("lines", extents, steps, inner, key))


def emit_strips(
    module: Module, places: Sequence[Location], shape: Sequence[int], strides: Sequence[Sequence[int]], extent: int,
    steps: Sequence[int], strip: Callable[[VectorBuilder, list[Value], int], None], key: object = None,
) -> None:  # fmt: skip
    """A part that calls strip(builder, pointers, count) for every index of `shape` and every vector of a further axis.

    extent, steps : that axis, and bytes from one of its numbers to the next; the last vector may have a smaller count.
    key : all that `strip` depends on, as Module.part's, or None.
    """
    lanes = module.target.lanes
    strips = -(-extent // lanes)
    last = extent - (strips - 1) * lanes

    def line(b: VectorBuilder, at: list[Value]) -> None:
        *pointers, number = at
        moved = [b.at(p, b.mul(number, i64(lanes * step))) for p, step in zip(pointers, steps)]
        narrow = strips > 1 and last != lanes and b.icmp_signed("==", number, i64(strips - 1))
        b.either(narrow, lambda: strip(b, moved, last), lambda: strip(b, moved, lanes if strips > 1 else last))

    emit_lines(module, places, shape, strides, line, strips, key and ("strips", extent, steps, key))


def each_vector(b: VectorBuilder, size: int, body: Callable[[Value, int], None]) -> None:
    """body(offset in bytes, count) for all vectors of a row."""
    lanes = b.target.lanes
    whole = size // lanes * lanes
    if whole:
        b.loop(i64(0), i64(4 * whole), 4 * lanes, lambda at, _: body(at, lanes))
    if size - whole:
        body(i64(4 * whole), size - whole)
