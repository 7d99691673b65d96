"""Depthwise convolution and pooling: windows of one channel each, a vector of channels at a time.

A tile is some pixels of an output row: every pixel of the input that it sees is loaded once, and serves all windows
that it lies in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.copies import StoredImage
from kuiper.compiled.kernels.lines import emit_items
from kuiper.compiled.kernels.product import padded_bias
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.ufuncs import FORMULAS, apply_with
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.conv.convolution import Problem
from kuiper.fast.kernels.pooling.max_pool import CompiledMaxPool
from kuiper.fast.kernels.pooling.windows import PoolKernel, Windows

MOST_TAPS = 64
"""Of a window whose pixels are all written out."""


def emit_depthwise(
    module: Module, problem: Problem, epilogue: Epilogue, x: StoredImage, y: np.ndarray, residual: np.ndarray | None
) -> None:
    """y[h,w,c] = f(bias[c] + residual + sum over i,j of x[h*s+i*d, w*s+j*d, c] w[i,j,c])."""
    target, lanes = module.target, module.target.lanes
    (kh, kw), (sh, sw), (dh, dw) = problem.kernel, problem.stride, problem.dilation
    n, height, width, channels = y.shape
    vectors = -(-channels // lanes)
    weight = np.zeros((vectors, kh * kw, lanes), np.float32)
    taps = problem.weight.reshape(channels, kh * kw)
    for v in range(vectors):
        some = taps[v * lanes : (v + 1) * lanes]
        weight[v, :, : len(some)] = some.T
    columns = _columns(width, kw, target.registers)
    activation = epilogue.activation
    rest = (0, 0, 0, 0) if residual is None else residual.strides
    key = (
        "depthwise", problem.kernel, problem.stride, problem.dilation, x.strides, y.strides, rest, columns, width,
        residual is not None, activation.identity if activation else "",
    )  # fmt: skip

    def build(count: int) -> Callable[..., None]:
        def row(b: VectorBuilder, x_at: Value, w: Value, bias: Value, y_at: Value, rest_at: Value) -> None:
            """One output row of a vector of channels."""
            first = b.read(bias)

            def tile(start: Value) -> None:
                xs = b.at(x_at, b.times(start, sw * x.strides[2]))
                ys = b.at(y_at, b.times(start, y.strides[2]))
                sums = [first] * columns
                for i in range(kh):
                    ws = [b.read(b.at(w, 4 * lanes * (i * kw + j))) for j in range(kw)]
                    needed = sorted({t * sw + j * dw for t in range(columns) for j in range(kw)})
                    for q in needed:
                        value = b.read(b.at(xs, i * dh * x.strides[1] + q * x.strides[2]), count)
                        for t in range(columns):
                            j, off = divmod(q - t * sw, dw)
                            if off == 0 and 0 <= j < kw:
                                sums[t] = b.fmadd(value, ws[j], sums[t])
                for t, value in enumerate(sums):
                    if residual is not None:
                        at = b.at(rest_at, b.times(start, rest[2]), t * rest[2])
                        value = b.fadd(value, b.read(at, count))
                    if activation is not None:
                        value = activation(apply_with(b), value)
                    b.write(value, b.at(ys, t * y.strides[2]), count)

            _across(b, width, columns, tile)

        return row

    places = [x.place, module.weight(weight), module.weight(padded_bias(epilogue.bias, channels, target)),
              module.place(y), module.place(y if residual is None else residual)]  # fmt: skip

    def row(b: VectorBuilder, pointers: list[Value], count: int, v: Value, row: Value, image: Value) -> None:
        side = b.mul(v, i64(4 * lanes))
        x_at, w, bias, y_at, rest_at = pointers
        b.call(module.shared_function((*key, count), 5, 0, build(count)), [
            b.at(x_at, side, b.mul(row, i64(sh * x.strides[1])), b.mul(image, i64(x.strides[0]))),
            b.at(w, b.mul(v, i64(4 * lanes * kh * kw))), b.at(bias, side),
            b.at(y_at, side, b.mul(row, i64(y.strides[1])), b.mul(image, i64(y.strides[0]))),
            b.at(rest_at, side, b.mul(row, i64(rest[1])), b.mul(image, i64(rest[0]))),
        ])  # fmt: skip

    by_rows(module, places, (n, height, channels), row)


def by_rows(
    module: Module, places: Sequence[Location], sizes: tuple[int, int, int],
    row: Callable[[VectorBuilder, list[Value], int, Value, Value, Value], None],
) -> None:  # fmt: skip
    """A part that calls row(builder, pointers, channels of the vector, vector, row, image) for each of them.

    sizes : images, rows of an image, channels.
    """
    n, height, channels = sizes
    lanes = module.target.lanes
    vectors = -(-channels // lanes)
    last = channels - (vectors - 1) * lanes

    def one(b: VectorBuilder, pointers: list[Value], number: Value) -> None:
        v, rest = b.urem(number, i64(vectors)), b.udiv(number, i64(vectors))
        i, image = b.urem(rest, i64(height)), b.udiv(rest, i64(height))
        narrow = last != lanes and b.icmp_signed("==", v, i64(vectors - 1))
        b.either(
            narrow, lambda: row(b, pointers, last, v, i, image), lambda: row(b, pointers, lanes, v, i, image)
        )  # fmt: skip

    emit_items(module, places, n * height * vectors, one)


def _columns(width: int, kernel: int, registers: int) -> int:
    """Pixels of a tile, in even shares of the width; sums, the weights of a row and a number fit the registers."""
    most = max(1, min(registers - 2 - kernel, 14 if registers > 16 else 7))
    most = min(most, width)
    return -(-width // -(-width // most))


def _across(b: VectorBuilder, width: int, columns: int, tile: Callable[[Value], None]) -> None:
    """tile(start) for all columns; the last tile ends with the row."""
    whole = width // columns * columns
    b.each(whole, tile, columns)
    if whole < width:
        tile(width - columns)


@emits(PoolKernel, CompiledMaxPool)
def pool(
    module: Module, kernel: PoolKernel | CompiledMaxPool, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
) -> bool:
    """The windows of every row; those at the border see less of the image, and have code of their own."""
    kernel = kernel.numpy if isinstance(kernel, CompiledMaxPool) else kernel
    x, y = inputs[0].nhwc, outputs[0].nhwc
    n, height, width, channels = y.shape
    lanes = module.target.lanes
    if x.strides[-1] != 4 or y.strides[-1] != 4 or kernel.rows.kernel * kernel.columns.kernel > MOST_TAPS:
        return False
    rows, columns = _alike(kernel.rows), _alike(kernel.columns)
    scale = kernel.scale
    combine = FORMULAS[kernel.function]
    places = [module.place(x), module.place(y)]
    if scale is not None and scale.ndim:
        places.append(module.weight(scale))
    number = float(scale) if scale is not None and not scale.ndim else 1.0
    across = max(1, (module.target.registers - 4) // 2)

    def build(taps: Sequence[int], count: int) -> Callable[..., None]:
        def one_row(b: VectorBuilder, x_at: Value, y_at: Value, scale_at: Value) -> None:
            """One output row of a vector of channels; its windows see the rows `taps` of those that begin at x_at."""

            def tile(start: Any, size: int, seen: Sequence[int]) -> None:
                found: list[Value | None] = [None] * size
                s, d = kernel.columns.stride, kernel.columns.dilation
                xs = b.at(x_at, b.times(start, s * x.strides[2]))
                for i in taps:
                    for q in sorted({t * s + j * d for t in range(size) for j in seen}):
                        value = b.read(b.at(xs, i * kernel.rows.dilation * x.strides[1] + q * x.strides[2]), count)
                        for t in range(size):
                            if any(t * s + j * d == q for j in seen):
                                found[t] = value if found[t] is None else combine(b, found[t], value)
                for t, value in enumerate(found):
                    value = b.splat(kernel.neutral) if value is None else value
                    if scale is not None and scale.ndim:
                        value = b.fmul(value, b.broadcast(scale_at, b.times(start, 4), 4 * t))
                    elif number != 1:
                        value = b.fmul(value, b.splat(number))
                    b.write(value, b.at(y_at, b.times(start, y.strides[2]), t * y.strides[2]), count)

            def alike(first: int, stop: int, seen: Sequence[int]) -> None:
                size = min(across, stop - first)
                whole = (stop - first) // size * size
                if whole > size:
                    b.loop(i64(first), i64(first + whole), size, lambda q, _: tile(q, size, seen))
                else:
                    tile(first, size, seen)
                if whole < stop - first:
                    tile(stop - size, size, seen)

            for span in columns:
                alike(*span)

        return one_row

    key = (
        "pool", kernel.function.__name__, kernel.rows, kernel.columns, x.strides, y.strides, number,
        scale is not None and scale.ndim,
    )  # fmt: skip
    up, left = kernel.rows.padding * x.strides[1], kernel.columns.padding * x.strides[2]

    def row(b: VectorBuilder, pointers: list[Value], count: int, v: Value, number: Value, image: Value) -> None:
        side = b.mul(v, i64(4 * lanes))
        arguments = [
            b.at(pointers[0], side, b.mul(number, i64(kernel.rows.stride * x.strides[1])),
                 b.mul(image, i64(x.strides[0])), -up - left),
            b.at(pointers[1], side, b.mul(number, i64(y.strides[1])), b.mul(image, i64(y.strides[0]))),
            b.at(pointers[-1], b.mul(number, i64(4 * width))),
        ]  # fmt: skip
        for first, stop, taps in rows:
            function = module.shared_function((*key, tuple(taps), count), 3, 0, build(taps, count))
            if len(rows) == 1:
                b.call(function, arguments)
                continue
            here = b.and_(b.icmp_signed(">=", number, i64(first)), b.icmp_signed("<", number, i64(stop)))
            with b.if_then(here):
                b.call(function, arguments)

    by_rows(module, places, (n, height, channels), row)
    return True


def _alike(windows: Windows) -> list[tuple[int, int, list[int]]]:
    """(start, stop, i) of windows that see the same of their elements i, all others being padding.

    >>> _alike(Windows(size=4, count=4, kernel=3, stride=1, padding=1, dilation=1))
    [(0, 1, [1, 2]), (1, 3, [0, 1, 2]), (3, 4, [0, 1])]
    """
    found: list[tuple[int, int, list[int]]] = []
    for r in range(windows.count):
        start = r * windows.stride - windows.padding
        seen = [i for i in range(windows.kernel) if 0 <= start + i * windows.dilation < windows.size]
        if found and found[-1][2] == seen:
            found[-1] = found[-1][0], r + 1, seen
        else:
            found.append((r, r + 1, seen))
    return found
