"""Adaptive pooling whose windows differ in size: for each output row a loop over the rows that it sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.kernels.resize import offset_at
from kuiper.compiled.kernels.windows import by_rows
from kuiper.compiled.parts import Module
from kuiper.compiled.ufuncs import FORMULAS
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.pooling.adaptive import Boxes

MOST_TAPS = 512
"""Input columns of all windows of a row, which are written out."""
TOGETHER = 8
"""Windows that share a loop over the rows, so that none waits for its own last sum."""


@emits(Boxes)
def boxes(module: Module, kernel: Boxes, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Channels side by side; each window's columns of a row first, then the rows."""
    x, y = inputs[0].nhwc, outputs[0].nhwc
    n, height, width, channels = y.shape
    lanes = module.target.lanes
    taps = sum(stop - start for start, stop in kernel.columns)
    if not all(_side_by_side(array) for array in (x, y)) or taps > MOST_TAPS or kernel.function not in FORMULAS:
        return False
    combine, scale = FORMULAS[kernel.function], kernel.scale
    ends = np.array([(start * x.strides[1], stop * x.strides[1]) for start, stop in kernel.rows], np.int32)
    table = module.weight(ends.view(np.float32))
    places = [module.place(x), module.place(y), table, table if scale is None else module.weight(scale)]

    def build(count: int) -> Callable[..., None]:
        def one_row(b: VectorBuilder, x_at: Value, y_at: Value, ends_at: Value, scale_at: Value) -> None:
            """One output row of a vector of channels."""
            start, stop = (offset_at(b, ends_at, 4 * i) for i in range(2))

            def windows(row: Value) -> list[Value]:
                """What each window of `some` sees of an input row."""
                found = []
                for first, last in some:
                    values = [b.read(b.at(x_at, row, q * x.strides[2]), count) for q in range(first, last)]
                    while len(values) > 1:
                        rest = values[len(values) // 2 * 2 :]
                        values = [combine(b, one, other) for one, other in zip(values[::2], values[1::2])] + rest
                    found += values
                return found

            def further(row: Value, carried: list[Value]) -> list[Value]:
                return [combine(b, one, other) for one, other in zip(carried, windows(row))]

            for begin in range(0, width, TOGETHER):
                some = kernel.columns[begin : begin + TOGETHER]
                neutral = b.splat(0 if kernel.function is np.add else -np.inf)
                totals = b.loop(start, stop, x.strides[1], further, [neutral] * len(some))
                for j, value in enumerate(totals, begin):
                    if scale is not None:
                        value = b.fmul(value, b.broadcast(scale_at, 4 * j))
                    b.write(value, b.at(y_at, j * y.strides[2]), count)

        return one_row

    key = "boxes", kernel.function.__name__, tuple(kernel.columns), x.strides, y.strides, scale is None

    def row(b: VectorBuilder, pointers: list[Value], count: int, v: Value, i: Value, image: Value) -> None:
        side = b.mul(v, i64(4 * lanes))
        x_at, y_at, ends_at, scale_at = pointers
        b.call(module.shared_function((*key, count), 4, 0, build(count)), [
            b.at(x_at, side, b.mul(image, i64(x.strides[0]))),
            b.at(y_at, side, b.mul(i, i64(y.strides[1])), b.mul(image, i64(y.strides[0]))),
            b.at(ends_at, b.mul(i, i64(8))), b.at(scale_at, b.mul(i, i64(4 * width))),
        ])  # fmt: skip

    by_rows(module, places, (n, height, channels), row)
    return True


def _side_by_side(image: np.ndarray) -> bool:
    """Whether a pixel's channels are."""
    return image.strides[-1] == 4 or image.shape[-1] == 1
