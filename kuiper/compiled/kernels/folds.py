"""Folds: sums, maxima and the like over some axes of an array, a vector at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kuiper.compiled.builder import Value, VectorBuilder, i64

SUMS = 4
"""Sums that are kept at the same time: an addition takes some cycles, and the next need not wait for it."""
Combine = Callable[[Value, Value], Value]
"""combine(one, other), of two vectors."""


def fold_row(
    b: VectorBuilder, size: int, start: float, combine: Combine, vector: Callable[[Value, int], Value]
) -> Value:
    """A vector of what `combine` makes of `start` and all numbers of vector(offset in bytes, count)."""
    lanes = b.target.lanes
    many = lanes * SUMS
    whole = size // many * many
    sums = [b.splat(start)] * SUMS

    def together(at: Value, carried: Sequence[Value]) -> list[Value]:
        found = (vector(b.add(at, i64(4 * lanes * k)), lanes) for k in range(SUMS))
        return [combine(one, value) for one, value in zip(carried, found)]

    if whole:
        sums = b.loop(i64(0), i64(4 * whole), 4 * many, together, sums)
    for k, first in enumerate(range(whole, size, lanes)):
        count = min(lanes, size - first)
        value = b.kept(vector(i64(4 * first), count), count, start)
        sums[k % SUMS] = combine(sums[k % SUMS], value)
    return b.combined(_joined(sums, combine), combine)


def fold_rows(
    b: VectorBuilder, axes: Sequence[tuple[int, int]], start: float, combine: Combine,
    vector: Callable[[Value, int], Value],
) -> Value:  # fmt: skip
    """The same of several axes (extent, stride in bytes), of which the last lies side by side."""
    *outer, (size, _) = axes

    def row(offset: Value) -> Value:
        return fold_row(b, size, start, combine, lambda at, count: vector(b.add(offset, at), count))

    return _nest(b, outer, start, combine, row)


def fold_lanes(
    b: VectorBuilder, axes: Sequence[tuple[int, int]], start: float, combine: Combine, vector: Callable[[Value], Value]
) -> Value:
    """A vector whose lanes are folded each by itself: `combine` of vector(offset in bytes) over all axes.

    Each run along the last axis has sums of its own, which rounds less than one long sum.
    """
    *outer, (size, step) = axes
    whole = size // SUMS * SUMS

    def row(offset: Value) -> Value:
        def some(at: Value, count: int, carried: Sequence[Value]) -> list[Value]:
            first = b.add(offset, b.times(at, step))
            found = [combine(carried[k], vector(b.add(first, i64(k * step)))) for k in range(count)]
            return [*found, *carried[count:]]

        sums = [b.splat(start)] * SUMS
        if whole:
            sums = b.loop(i64(0), i64(whole), SUMS, lambda at, carried: some(at, SUMS, carried), sums)
        return _joined(some(i64(whole), size - whole, sums), combine)

    return _nest(b, outer, start, combine, row)


def _nest(
    b: VectorBuilder, axes: Sequence[tuple[int, int]], start: float, combine: Combine, inner: Callable[[Value], Value]
) -> Value:
    """`combine` of inner(offset in bytes) over all axes."""

    def over(rest: Sequence[tuple[int, int]], offset: Value) -> Value:
        if not rest:
            return inner(offset)
        (count, step), *more = rest
        if count == 1:
            return over(more, offset)
        (total,) = b.loop(
            i64(0), i64(count), 1,
            lambda i, carried: [combine(carried[0], over(more, b.add(offset, b.mul(i, i64(step)))))],
            [b.splat(start)],
        )  # fmt: skip
        return total

    return over(axes, i64(0))


def _joined(sums: Sequence[Value], combine: Combine) -> Value:
    return combine(combine(sums[0], sums[1]), combine(sums[2], sums[3]))
