"""Resizing channel-last images: each output pixel is a sum of few input pixels, which a table names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kuiper.compiled.builder import I32, I64, Value, VectorBuilder, i64
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.kernels.windows import by_rows
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.move.resize import AxisWeights, Resize

MOST_TAPS = 16
"""Input pixels of one output pixel that are written out."""


def table(axis: AxisWeights, stride: int) -> tuple[np.ndarray, np.ndarray]:
    """(outputs, taps) each: bytes to the input elements of every output element, and their weights.

    An output element that sees fewer than the others sees its first one several times, by an equal share each: a weight
    of 0 would make NaN of infinity.
    """
    seen = [
        np.flatnonzero(row[left : right + 1]) + left for row, left, right in zip(axis.matrix, axis.left, axis.right)
    ]
    taps = max(map(len, seen))
    taps = 1 << (taps - 1).bit_length()
    places, weights = np.zeros((axis.outputs, taps), np.int32), np.zeros((axis.outputs, taps), np.float32)
    for i, sources in enumerate(seen):
        more = taps - len(sources)
        places[i] = [*[sources[0]] * more, *sources]
        weights[i] = axis.matrix[i, places[i]]
        weights[i, : more + 1] /= more + 1
    return places * stride, weights


@emits(Resize)
def resize(module: Module, kernel: Resize, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """A row of a vector of channels at a time."""
    x, y = inputs[0].nhwc, outputs[0].nhwc
    n, height, width, channels = y.shape
    lanes = module.target.lanes
    if x.strides[-1] != 4 or y.strides[-1] != 4 or not all(map(_is_seen, (kernel.rows, kernel.columns))):
        return False
    (row_places, row_weights), (places, weights) = table(kernel.rows, x.strides[1]), table(kernel.columns, x.strides[2])
    tall, wide = row_places.shape[1], places.shape[1]
    if tall * wide > MOST_TAPS:
        return False
    plain = bool(np.all(row_weights == 1) and np.all(weights == 1) and tall == wide == 1)
    tables = [module.weight(each.view(np.float32)) for each in (row_places, row_weights, places, weights)]

    def build_for(count: int) -> Callable[..., None]:
        def one_row(
            b: VectorBuilder, x_at: Value, y_at: Value, above: Value, above_by: Value, beside: Value, beside_by: Value
        ) -> None:
            starts = [b.at(x_at, offset_at(b, above, 4 * i)) for i in range(tall)]
            factors = [b.broadcast(above_by, 4 * i) for i in range(tall)]

            def pixel(j: Value) -> None:
                at = [offset_at(b, b.at(beside, b.times(j, 4 * wide)), 4 * k) for k in range(wide)]
                total = None
                if plain:
                    total = b.read(b.at(starts[0], at[0]), count)
                else:
                    by = [b.broadcast(beside_by, b.times(j, 4 * wide), 4 * k) for k in range(wide)]
                    for start, factor in zip(starts, factors):
                        across = b.fmul(b.read(b.at(start, at[0]), count), by[0])
                        for k in range(1, wide):
                            across = b.fmadd(b.read(b.at(start, at[k]), count), by[k], across)
                        total = b.fmul(across, factor) if total is None else b.fmadd(across, factor, total)
                b.write(total, b.at(y_at, b.times(j, y.strides[2])), count)

            b.each(width, pixel)

        return one_row

    key = "resize", x.strides, y.strides, tall, wide, width, plain

    def row(b: VectorBuilder, pointers: list[Value], count: int, v: Value, i: Value, image: Value) -> None:
        side = b.mul(v, i64(4 * lanes))
        x_at, y_at, above, above_by, beside, beside_by = pointers
        mine = b.mul(i, i64(4 * tall))
        b.call(module.shared_function((*key, count), 6, 0, build_for(count)), [
            b.at(x_at, side, b.mul(image, i64(x.strides[0]))),
            b.at(y_at, side, b.mul(i, i64(y.strides[1])), b.mul(image, i64(y.strides[0]))),
            b.at(above, mine), b.at(above_by, mine), beside, beside_by,
        ])  # fmt: skip

    by_rows(module, [module.place(x), module.place(y), *tables], (n, height, channels), row)
    return True


def _is_seen(axis: AxisWeights) -> bool:
    """Whether every output element sees an input element."""
    return bool(axis.matrix.any(1).all())


def offset_at(b: VectorBuilder, pointer: Value, offset: int) -> Value:
    """The i32 that lies there, as an i64."""
    return b.sext(b.load(b.at(pointer, offset), typ=I32, align=4), I64)
