"""Winograd's convolution F(4, 3): 36 products of transformed tiles instead of 144 multiplications for 16 outputs.

Three parts: tiles of 6 x 6 inputs are transformed, a vector of channels at a time; 36 products (tiles, C) x (C, O); and
the tiles of 4 x 4 outputs are transformed back, with all that follows. The transforms are kuiper's (see
kuiper/fast/kernels/conv/winograd.py, and its sources).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.copies import StoredImage
from kuiper.compiled.kernels.lines import emit_items
from kuiper.compiled.kernels.product import Cut, PackedProduct, PixelAxis, pack, padded_bias, units_of
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.ufuncs import apply_with
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.conv.convolution import Problem
from kuiper.fast.kernels.conv.winograd import transforms

M = 4
"""The side of a tile of outputs."""
A = M + 2
"""The side of the tile of inputs that it comes from."""
LEAST_SIDE, LEAST_CHANNELS = 12, 16
"""Of images for which the transforms pay."""
BACK, KERNEL, INTO = transforms(M)


def pays(problem: Problem) -> bool:
    """Whether it is the faster way: 3x3 windows at stride 1, of large images with channels enough."""
    plain = problem.kernel == (3, 3) and problem.stride == problem.dilation == (1, 1) and problem.groups == 1
    return (
        plain and min(problem.out_size) >= LEAST_SIDE and min(problem.channels, problem.out_channels) >= LEAST_CHANNELS
    )


def emit_winograd(
    module: Module, problem: Problem, epilogue: Epilogue, x: StoredImage, y: np.ndarray, residual: np.ndarray | None
) -> None:
    """y (N, H, W, O) = epilogue(convolution of x, an image with its padding around it)."""
    target = module.target
    n, height, width, out = y.shape
    channels = problem.channels
    down, across = -(-height // M), -(-width // M)
    tiles = n * down * across
    pitch, out_pitch = (target.rounded(count) for count in (channels, out))
    into = module.shared(A * A * tiles * pitch)
    back = module.shared(A * A * tiles * out_pitch)
    grid = n, down, across

    def transformed(b: VectorBuilder, pointers: list[Value], count: int, side: Value, place: _Tile) -> None:
        source = b.at(pointers[0], side, place.offset(b, x.strides, M))
        scratch = b.at(pointers[1], side, b.mul(place.number, i64(4 * pitch)))
        key = "winograd in", x.strides[1:3], tiles * pitch, place.rows, place.columns, count
        b.call(module.shared_function(key, 2, 0, _into(place, x, 4 * tiles * pitch, count)), [source, scratch])

    _each_tile(module, [x.place, into], grid, (height, width), channels, transformed)
    _products(module, problem, tiles, into, back, pitch, out_pitch)

    strides = y.strides[:3], (0, 0, 0) if residual is None else residual.strides[:3]
    activation = epilogue.activation.identity if epilogue.activation else ""

    def transformed_back(b: VectorBuilder, pointers: list[Value], count: int, side: Value, place: _Tile) -> None:
        scratch = b.at(pointers[0], side, b.mul(place.number, i64(4 * out_pitch)))
        result, rest = (b.at(p, side, place.offset(b, s, M)) for p, s in zip(pointers[2:], strides))
        key = (
            "winograd out", strides, tiles * out_pitch, place.rows, place.columns, count, activation,
            residual is not None,
        )  # fmt: skip
        build = _back(place, strides, 4 * tiles * out_pitch, count, epilogue)
        b.call(module.shared_function(key, 4, 0, build), [scratch, b.at(pointers[1], side), result, rest])

    bias = module.weight(padded_bias(epilogue.bias, out, target))
    places = [back, bias, module.place(y), module.place(y if residual is None else residual)]
    _each_tile(module, places, grid, (height, width), out, transformed_back)


def _products(
    module: Module, problem: Problem, tiles: int, into: Location, back: Location, pitch: int, out_pitch: int
) -> None:
    """The part that computes back[k] = into[k] @ weights[k] for the 36 places of a tile."""
    out, channels = problem.out_channels, problem.channels
    product = PackedProduct((PixelAxis(tiles, 4 * pitch, 4 * out_pitch),), (), channels, out_pitch)
    cut = Cut.of(product, module.target)
    units, run = units_of(module, product, cut, shares=1)
    numbers = channels * out_pitch
    size = 4 * numbers

    def packed() -> np.ndarray:
        weights = np.einsum("ij,ocjk,lk->ilco", KERNEL, problem.weight.astype(np.float64), KERNEL)
        matrices = weights.astype(np.float32).reshape(A * A, channels, out)
        return np.concatenate([pack(matrix, module.target, cut.vectors) for matrix in matrices])

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        x, w, zero, y = pointers

        def one(number: Value) -> None:
            k, unit = b.udiv(number, i64(units)), b.urem(number, i64(units))
            source, weight = b.at(x, b.mul(k, i64(4 * tiles * pitch))), b.at(w, b.mul(k, i64(size)))
            result = b.at(y, b.mul(k, i64(4 * tiles * out_pitch)))
            run(b, [source, weight, zero, result, result], unit, b.add(unit, i64(1)))

        b.between(begin, end, one)

    zero = module.weight(padded_bias(None, out_pitch, module.target))
    module.part(A * A * units, [into, module.packed(packed), zero, back], body)


class _Tile:
    """One tile while code is written: its number, its place among the tiles, and how much of it is in the image."""

    def __init__(self, number: Value, image: Value, i: Value, j: Value, rows: int, columns: int) -> None:
        self.number, self.image, self.i, self.j, self.rows, self.columns = number, image, i, j, rows, columns

    def offset(self, b: VectorBuilder, strides: Sequence[int], side: int) -> Value:
        """Bytes from the first image to the tile's first pixel."""
        steps = (self.image, strides[0]), (self.i, side * strides[1]), (self.j, side * strides[2])
        first, second, third = (b.mul(index, i64(step)) for index, step in steps)
        return b.add(b.add(first, second), third)


def _each_tile(
    module: Module, places: Sequence[Location], grid: tuple[int, int, int], size: tuple[int, int], channels: int,
    tile: Callable[[VectorBuilder, list[Value], int, Value, _Tile], None],
) -> None:  # fmt: skip
    """A part that calls tile(builder, pointers, channels of the vector, bytes to them, tile) for each of both."""
    lanes = module.target.lanes
    vectors = -(-channels // lanes)
    last = channels - (vectors - 1) * lanes
    _, down, across = grid
    lower, right = (extent - (count - 1) * M for extent, count in zip(size, (down, across)))

    def one(b: VectorBuilder, pointers: list[Value], item: Value) -> None:
        v, number = b.urem(item, i64(vectors)), b.udiv(item, i64(vectors))
        j, rest = b.urem(number, i64(across)), b.udiv(number, i64(across))
        i, image = b.urem(rest, i64(down)), b.udiv(rest, i64(down))
        side = b.mul(v, i64(4 * lanes))

        def at_border(count: int, rows: int) -> None:
            def call(columns: int) -> None:
                tile(b, pointers, count, side, _Tile(number, image, i, j, rows, columns))

            b.either(right != M and b.icmp_signed("==", j, i64(across - 1)), lambda: call(right), lambda: call(M))

        def with_channels(count: int) -> None:
            edge = lower != M and b.icmp_signed("==", i, i64(down - 1))
            b.either(edge, lambda: at_border(count, lower), lambda: at_border(count, M))

        narrow = last != lanes and b.icmp_signed("==", v, i64(vectors - 1))
        b.either(narrow, lambda: with_channels(last), lambda: with_channels(lanes))

    emit_items(module, places, prod(grid) * vectors, one)


def _into(place: _Tile, x: StoredImage, plane: int, count: int) -> Callable[..., None]:
    """void(x, scratch): B^T d B of one tile and vector of channels; what lies beyond the image is 0."""
    (row, column), rows, columns = x.strides[1:3], place.rows + 2, place.columns + 2

    def build(b: VectorBuilder, source: Value, scratch: Value) -> None:
        def read(r: int, q: int) -> Value:
            return b.read(b.at(source, r * row + q * column), count) if r < rows and q < columns else b.splat(0)

        half = [multiplied(b, INTO, [read(r, q) for r in range(A)]) for q in range(A)]
        for r in range(A):
            for q, value in enumerate(multiplied(b, INTO, [half[k][r] for k in range(A)])):
                b.write(value, b.at(scratch, (A * r + q) * plane))

    return build


def _back(
    place: _Tile, strides: Sequence[Sequence[int]], plane: int, count: int, epilogue: Epilogue
) -> Callable[..., None]:
    """void(scratch, bias, y, residual): A^T m A, then the epilogue, of one tile and vector of channels."""
    (_, row, column), (_, rest_row, rest_column) = strides
    rows, columns = place.rows, place.columns

    def build(b: VectorBuilder, scratch: Value, bias: Value, y: Value, residual: Value) -> None:
        half = [multiplied_back(b, [b.read(b.at(scratch, (A * r + q) * plane)) for r in range(A)]) for q in range(A)]
        first = b.read(bias)
        for r in range(rows):
            for q, value in enumerate(multiplied_back(b, [half[k][r] for k in range(A)])[:columns]):
                value = b.fadd(value, first)
                if epilogue.residual:
                    value = b.fadd(value, b.read(b.at(residual, r * rest_row + q * rest_column), count))
                if epilogue.activation is not None:
                    value = epilogue.activation(apply_with(b), value)
                b.write(value, b.at(y, r * row + q * column), count)

    return build


def folded(b: VectorBuilder, matrix: np.ndarray, values: Sequence[Value]) -> tuple[np.ndarray, list[Value]]:
    """The same product with sums and differences: columns for points a and -a differ in their signs alone.

    m x + m' y with m' = m or -m in every row is m times x + y, or m times x - y.
    """
    columns, given, j = [], [], 0
    while j < len(values):
        one = matrix[:, j]
        other = matrix[:, j + 1] if j + 1 < len(values) else np.zeros(0)
        if len(other) and np.allclose(abs(one), abs(other)) and np.count_nonzero(abs(one) > 1e-9) > 2:
            alike = np.isclose(one, other)
            columns += [np.where(alike, one, 0), np.where(alike, 0, one)]
            given += [b.fadd(values[j], values[j + 1]), b.fsub(values[j], values[j + 1])]
            j += 2
        else:
            columns.append(one)
            given.append(values[j])
            j += 1
    return np.stack(columns, 1), given


def multiplied(b: VectorBuilder, matrix: np.ndarray, values: Sequence[Value]) -> list[Value]:
    """matrix @ values. Rows for points a and -a differ in the signs of odd columns alone: e + o and e - o."""
    results: list[Value] = []
    signs = np.where(np.arange(len(values)) % 2, -1, 1)
    while len(results) < len(matrix):
        row = matrix[len(results)]
        following = matrix[len(results) + 1] if len(results) + 1 < len(matrix) else None
        if following is not None and any(row) and np.allclose(following, row * signs) and any(row[1::2]):
            even, odd = weighted(b, row * (signs > 0), values), weighted(b, row * (signs < 0), values)
            results += [b.fadd(even, odd), b.fsub(even, odd)]
        elif following is not None and np.allclose(following, -row * signs) and any(row[::2]) and any(row[1::2]):
            even, odd = weighted(b, row * (signs > 0), values), weighted(b, row * (signs < 0), values)
            results += [b.fadd(even, odd), b.fsub(odd, even)]
        else:
            results.append(weighted(b, row, values))
    return results


def multiplied_back(b: VectorBuilder, values: Sequence[Value]) -> list[Value]:
    """A^T @ values."""
    matrix, given = folded(b, BACK, values)
    return [weighted(b, row, given) for row in matrix]


def weighted(b: VectorBuilder, row: np.ndarray, values: Sequence[Value]) -> Value:
    """The sum of row[i] values[i], of which terms with 1 come first: they need no multiplication."""
    terms = sorted((i for i in range(len(values)) if abs(row[i]) > 1e-12), key=lambda i: abs(abs(row[i]) - 1) > 1e-9)
    total: Value = None
    for i in terms:
        number = float(row[i])
        if total is None:
            total = values[i] if number == 1 else b.fmul(values[i], b.splat(number))
        elif number == 1:
            total = b.fadd(total, values[i])
        elif number == -1:
            total = b.fsub(total, values[i])
        else:
            total = b.fmadd(values[i], b.splat(number), total)
    return b.splat(0) if total is None else total
