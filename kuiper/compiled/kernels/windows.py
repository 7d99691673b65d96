"""Depthwise convolution and pooling: windows of one channel each, a vector of channels at a time.

A tile is some pixels of an output row: every pixel of the input that it sees is loaded once, and serves all windows
that it lies in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class DepthwiseRow:
    """Rows of a depthwise convolution: y[w,c] = f(bias[c] + residual + sum over i,j of x_i[w*s+j*d, c] w[i,j,c]).

    width : of y.
    x, y, residual : bytes from one pixel of a row to the next; no residual: None.
    row : bytes from one row that a window sees to the next; None: where each of them begins is given.
    """

    problem: Problem
    epilogue: Epilogue
    width: int
    x: int
    y: int
    residual: int | None
    row: int | None

    @property
    def pointers(self) -> int:
        """How many of them say where the rows of x begin."""
        return self.problem.kernel[0] if self.row is None else 1

    @property
    def key(self) -> tuple[object, ...]:
        """All that its code depends on, besides the target."""
        problem, activation = self.problem, self.epilogue.activation
        options = problem.kernel, problem.stride[1], problem.dilation[1]
        name = activation.identity if activation else ""
        return "depthwise row", options, self.width, self.x, self.y, self.residual, self.row, name

    def weights(self, module: Module) -> list[Location]:
        """Where taps and biases lie, a vector of channels after the other."""
        lanes, channels = module.target.lanes, self.problem.channels
        taps = self.problem.weight.reshape(channels, -1)
        vectors = -(-channels // lanes)
        weight = np.zeros((vectors, taps.shape[1], lanes), np.float32)
        for v in range(vectors):
            some = taps[v * lanes : (v + 1) * lanes]
            weight[v, :, : len(some)] = some.T
        return [module.weight(weight), module.weight(padded_bias(self.epilogue.bias, channels, module.target))]

    def call(self, b: VectorBuilder, module: Module, v: Value, count: int, xs: Sequence[Value],
             weights: Sequence[Value], y: Value, residual: Value) -> None:  # fmt: skip
        """Compute a row for vector v of the channels, which has `count` of them, given where rows and weights begin."""
        lanes, (kh, kw) = module.target.lanes, self.problem.kernel
        side = b.mul(v, i64(4 * lanes))
        function = module.shared_function((*self.key, count), self.pointers + 4, 0, self._build(module, count))
        w, bias = b.at(weights[0], b.mul(v, i64(4 * lanes * kh * kw))), b.at(weights[1], side)
        b.call(function, [*(b.at(x, side) for x in xs), w, bias, b.at(y, side), b.at(residual, side)])

    def _build(self, module: Module, count: int) -> Callable[..., None]:
        (kh, kw), sw, dw = self.problem.kernel, self.problem.stride[1], self.problem.dilation[1]
        lanes, columns = module.target.lanes, _columns(self.width, kw, module.target.registers)
        activation = self.epilogue.activation

        def build(b: VectorBuilder, *pointers: Value) -> None:
            *xs, w, bias, y_at, rest_at = pointers
            first = b.read(bias)

            def tile(start: Value) -> None:
                across = [b.at(x, b.times(start, sw * self.x)) for x in xs]
                ys = b.at(y_at, b.times(start, self.y))
                sums = [first] * columns
                for i in range(kh):
                    ws = [b.read(b.at(w, 4 * lanes * (i * kw + j))) for j in range(kw)]
                    needed = sorted({t * sw + j * dw for t in range(columns) for j in range(kw)})
                    row, down = (across[i], 0) if self.row is None else (across[0], i * self.row)
                    for q in needed:
                        value = b.read(b.at(row, down + q * self.x), count)
                        for t in range(columns):
                            j, off = divmod(q - t * sw, dw)
                            if off == 0 and 0 <= j < kw:
                                sums[t] = b.fmadd(value, ws[j], sums[t])
                for t, value in enumerate(sums):
                    if self.residual is not None:
                        at = b.at(rest_at, b.times(start, self.residual), t * self.residual)
                        value = b.fadd(value, b.read(at, count))
                    if activation is not None:
                        value = activation(apply_with(b), value)
                    b.write(value, b.at(ys, t * self.y), count)

            _across(b, self.width, columns, tile)

        return build


def emit_depthwise(
    module: Module, problem: Problem, epilogue: Epilogue, x: StoredImage, y: np.ndarray, residual: np.ndarray | None
) -> None:
    """y[h,w,c] = f(bias[c] + residual + sum over i,j of x[h*s+i*d, w*s+j*d, c] w[i,j,c])."""
    n, height, width, channels = y.shape
    rest = (0, 0, 0, 0) if residual is None else residual.strides
    step = None if residual is None else rest[2]
    line = DepthwiseRow(problem, epilogue, width, x.strides[2], y.strides[2], step, problem.dilation[0] * x.strides[1])
    places = [x.place, *line.weights(module), module.place(y), module.place(y if residual is None else residual)]

    def row(b: VectorBuilder, pointers: list[Value], count: int, v: Value, row: Value, image: Value) -> None:
        x_at, w, bias, y_at, rest_at = pointers
        down = b.at(x_at, b.mul(row, i64(problem.stride[0] * x.strides[1])), b.mul(image, i64(x.strides[0])))
        target = b.at(y_at, b.mul(row, i64(y.strides[1])), b.mul(image, i64(y.strides[0])))
        other = b.at(rest_at, b.mul(row, i64(rest[1])), b.mul(image, i64(rest[0])))
        line.call(b, module, v, count, [down], [w, bias], target, other)

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
