"""Products: pixels times packed weights, which convolutions, Linear and Winograd's method consist of.

The innermost function, a tile, keeps `rows` x `vectors` vectors of sums in registers: for each step of the depth it
loads the vectors of weights, and one number of every row, and adds their products. Sums start at the bias; residual and
activation follow while they are still in registers. All sizes and strides are constants of the code.

Weights are packed in panels, [panel][depth][channels of the panel], the last one filled up with zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.target import Target
from kuiper.compiled.ufuncs import apply_with
from kuiper.fast.kernels.elementwise.activation import ActivationSteps
from kuiper.graph.alignment import aligned

CACHE = 256 * 1024
"""Bytes of input that a unit may read again and again: a part of a core's second-level cache."""
UNITS_EACH = 4
"""Units of a product for each thread, if there is enough work: threads that are held up leave theirs to the others."""
MOST_VECTORS = 8
UNROLLED = 4
"""Steps of the depth that are written out one after the other."""
Run = Callable[[VectorBuilder, list[Value], Value, Value], None]
"""run(builder, pointers, begin, end): some units."""


@dataclass(frozen=True)
class PixelAxis:
    """One axis of the pixels: its extent, and bytes from one element to the next in x, in y and in the residual."""

    extent: int
    x: int
    y: int
    residual: int = 0


@dataclass(frozen=True)
class PackedProduct:
    """y[pixel, channel] = f(bias + residual + sum over depth of x[pixel, depth] w[depth, channel]).

    axes : of the pixels, outermost first.
    depth : loops around the innermost one, (count, bytes in x), outermost first.
    run : numbers of x that lie side by side, over which the innermost loop of the depth goes.
    channels : of y, side by side.
    pitch : bytes from one step of the depth to the next in the weights, which then lie as they are, not in panels; 0:
        they are packed.
    step : bytes from one number of a run to the next, in x.
    activation : what follows, or None; residual : whether one is added before.
    """

    axes: tuple[PixelAxis, ...]
    depth: tuple[tuple[int, int], ...]
    run: int
    channels: int
    residual: bool = False
    activation: ActivationSteps | None = field(default=None, compare=False)
    pitch: int = 0
    step: int = 4

    @property
    def steps(self) -> int:
        """Of the depth, in all."""
        return self.run * prod(count for count, _ in self.depth)

    @property
    def key(self) -> tuple[object, ...]:
        """All that its code depends on, besides the tiles."""
        name = self.activation.identity if self.activation else ""
        return self.axes, self.depth, self.run, self.channels, self.residual, name, self.pitch, self.step

    @property
    def pixels(self) -> int:
        """How many there are."""
        return prod(axis.extent for axis in self.axes)

    def merged(self) -> PackedProduct:
        """The same with axes joined where memory allows it, and none of extent 1."""
        joined: list[PixelAxis] = []
        for axis in self.axes:
            if axis.extent == 1:
                continue
            if joined and _follow(joined[-1], axis):
                joined[-1] = PixelAxis(joined[-1].extent * axis.extent, axis.x, axis.y, axis.residual)
            else:
                joined.append(axis)
        return PackedProduct(
            tuple(joined) or (PixelAxis(1, 0, 0),), self.depth, self.run, self.channels, self.residual, self.activation
        )


def _follow(outer: PixelAxis, inner: PixelAxis) -> bool:
    return (outer.x, outer.y, outer.residual) == tuple(
        inner.extent * step for step in (inner.x, inner.y, inner.residual)
    )


@dataclass(frozen=True)
class Cut:
    """How a product is cut into tiles: rows of a tile along its last axis and the one before, vectors of a panel."""

    height: int
    width: int
    vectors: int

    @classmethod
    def of(cls, product: PackedProduct, target: Target) -> Cut:
        """Tiles that fill the registers, in even shares."""
        last = product.axes[-1].extent
        before = product.axes[-2].extent if len(product.axes) > 1 else 1
        all_vectors = -(-product.channels // target.lanes)
        rows, vectors = target.tile(2)
        if last * before < rows:  # few rows: more channels
            rows = last * before
            vectors = min(MOST_VECTORS, (target.registers - 1) // (rows + 1))
        vectors = min(vectors, all_vectors)
        if vectors == 1:
            rows = min(target.tile(1)[0], last * before)
        width = min(last, rows)
        width = -(-last // -(-last // width))
        height = min(before, rows // width) if width == last else 1
        return cls(height, width, vectors)


def pack(weight: np.ndarray, target: Target, vectors: int) -> np.ndarray:
    """(depth, channels) -> panels, one after the other."""
    depth, channels = weight.shape
    width = vectors * target.lanes
    panels = aligned(4 * depth * target.rounded(channels)).view(np.float32)
    for start in range(0, channels, width):
        some = weight[:, start : start + width]
        count = target.rounded(some.shape[1])
        panel = panels[depth * start : depth * (start + count)].reshape(depth, count)
        panel[:, : some.shape[1]] = some
        panel[:, some.shape[1] :] = 0
    return panels


def padded_bias(bias: np.ndarray | None, channels: int, target: Target) -> np.ndarray:
    """A number for each lane of each vector of channels."""
    result = np.zeros(target.rounded(channels), np.float32)
    if bias is not None:
        result[:channels] = bias
    return result


@dataclass(frozen=True)
class Operands:
    """The arrays of a product: weight (depth, channels), bias (channels,) or None, a residual or None.

    packs : the weight in panels, by their width, which plans for several input shapes share; None: it is packed anew.
    """

    x: Location
    weight: np.ndarray
    bias: np.ndarray | None
    y: Location
    residual: Location | None = None
    packs: dict[str, np.ndarray] | None = None

    def panels(self, target: Target, vectors: int) -> np.ndarray:
        """The weight in panels of so many vectors."""
        packs, name = {} if self.packs is None else self.packs, f"panels of {vectors} x {target.lanes}"
        if name not in packs:
            packs[name] = pack(self.weight, target, vectors)
        return packs[name]


def emit_products(module: Module, products: Sequence[tuple[PackedProduct, Operands]]) -> None:
    """Add the part that computes some products that do not depend on each other."""
    places: list[Location] = []
    work: list[tuple[int, Run]] = []
    keys: list[object] = []
    for each, operands in products:
        product = each.merged()
        cut = Cut.of(product, module.target)
        packed = module.packed(partial(operands.panels, module.target, cut.vectors))
        start = module.weight(padded_bias(operands.bias, product.channels, module.target))
        places += [operands.x, packed, start, operands.y, operands.residual or operands.y]
        shares = max(1, UNITS_EACH // len(products))
        work.append(units_of(module, product, cut, shares))
        keys.append((product.key, cut, shares))

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        first = 0
        for number, (units, run) in enumerate(work):
            mine = pointers[5 * number : 5 * number + 5]
            if len(work) == 1:
                run(b, mine, begin, end)
                continue
            start = b.select(b.icmp_signed(">", begin, i64(first)), b.sub(begin, i64(first)), i64(0))
            run(b, mine, start, b.smaller(b.sub(end, i64(first)), i64(units)))
            first += units

    module.part(sum(units for units, _ in work), places, body, ("products", *keys))


def emit_product(module: Module, product: PackedProduct, operands: Operands) -> None:
    """Add the part that computes one product."""
    emit_products(module, [(product, operands)])


Prepare = Callable[[VectorBuilder, list[Value], Value, int], Value]
"""prepare(builder, pointers, number of a panel, its channels) -> where it lies packed."""


def units_of(
    module: Module, product: PackedProduct, cut: Cut, shares: int = UNITS_EACH, prepare: Prepare | None = None
) -> tuple[int, Run]:
    """How many units a product has, and the body of its part, with pointers x, weight, bias, y and residual.

    prepare : packs a panel before its tiles are computed; the body then has the pointers that this wants, too.

    A unit is a block of tiles and a range of panels: it goes over its tiles for each panel. A panel that is packed on
    the way is packed once: then there is one block. There are `shares` of them
    for each thread, if there is work enough, and as many for each as for the others.
    """
    down, across, _, panels = _counts(product, cut, module.target.lanes)
    tiles = prod(axis.extent for axis in product.axes[:-2]) * down * across
    tile_bytes = 4 * cut.height * cut.width * product.steps
    weight_bytes = 4 * product.steps * product.channels
    wanted = module.threads * shares if module.threads > 1 else 1
    blocks = max(1, min(tiles, -(-tiles * tile_bytes // CACHE)))
    groups = 1
    if prepare is not None:  # a panel is prepared once for each block
        groups = min(panels, wanted)
        blocks = min(tiles, -(-module.threads // groups))
    elif weight_bytes > CACHE and tiles * tile_bytes <= 2 * CACHE:
        blocks, groups = 1, min(panels, max(wanted, 1))
    elif blocks < wanted:
        blocks = min(tiles, wanted)
        if blocks < wanted:
            groups = min(panels, -(-wanted // blocks))
    if blocks * groups % module.threads:
        blocks = _multiple(module.threads, blocks, tiles)
    if blocks * groups % module.threads:
        groups = _multiple(module.threads, groups, panels)

    return blocks * groups, run_of(module, product, cut, blocks, groups, prepare)


def run_of(
    module: Module, product: PackedProduct, cut: Cut, blocks: int = 1, groups: int = 1, prepare: Prepare | None = None
) -> Run:
    """The body of units_of for so many blocks of tiles and groups of panels; with one of each, unit 0 is all of it."""
    lanes = module.target.lanes
    last, before, outer = _axes(product)
    down, across, width, panels = _counts(product, cut, lanes)
    tiles = prod(axis.extent for axis in outer) * down * across

    def run(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        x, weight, bias, y, residual = pointers[:5]

        def panel(index: Value, first: Value, stop: Value) -> None:
            """All tiles of a block for one panel; the last panel may be narrower."""
            rest = product.channels - (panels - 1) * width
            narrow = rest != width

            def over(channels: int) -> None:
                function = tile(module, product, cut, channels)
                if prepare is None:
                    w = b.at(weight, b.mul(index, i64(4 * width if product.pitch else 4 * product.steps * width)))
                else:
                    w = prepare(b, pointers, index, channels)
                side = b.mul(index, i64(4 * width))
                mine = [w, b.at(bias, side), b.at(y, side), b.at(residual, side)]
                b.between(first, stop, lambda at: one(function, at, *mine))

            if not narrow:
                over(width)
            elif panels == 1:
                over(rest)
            else:
                is_last = b.icmp_signed("==", index, i64(panels - 1))
                with b.if_else(is_last) as (then, otherwise):
                    with then:
                        over(rest)
                    with otherwise:
                        over(width)

        def one(function: Any, at: Value, w: Value, bias: Value, y: Value, residual: Value) -> None:
            column, rest = _divided(b, at, across)
            row, image = _divided(b, rest, down)
            place = [
                (last, _within(b, column, cut.width, last.extent)),
                (before, _within(b, row, cut.height, before.extent)),
            ]
            for axis in reversed(outer):
                index, image = _divided(b, image, axis.extent)
                place.append((axis, index))
            offsets = [
                [b.times(index, getattr(axis, name)) for axis, index in place] for name in ("x", "y", "residual")
            ]
            b.call(function, [b.at(x, *offsets[0]), w, bias, b.at(y, *offsets[1]), b.at(residual, *offsets[2])])

        def unit(number: Value) -> None:
            block, group = _divided(b, number, blocks)
            first, stop = share(b, block, tiles, blocks)
            b.between(*share(b, group, panels, groups), lambda i: panel(i, first, stop))

        b.between(begin, end, unit)

    return run


def _axes(product: PackedProduct) -> tuple[PixelAxis, PixelAxis, list[PixelAxis]]:
    """The last axis of the pixels, the one before, and those outside of these."""
    *outer, last = product.axes
    before = outer.pop() if outer else PixelAxis(1, 0, 0)
    return last, before, outer


def _counts(product: PackedProduct, cut: Cut, lanes: int) -> tuple[int, int, int, int]:
    """Tiles along the axis before the last and along the last, channels of a panel, and panels."""
    last, before, _ = _axes(product)
    width = cut.vectors * lanes
    return (-(-before.extent // cut.height), -(-last.extent // cut.width), width, -(-product.channels // width))


def _multiple(of: int, count: int, most: int) -> int:
    """The next multiple of `of` if there may be so many, so that no thread waits for another's last unit."""
    rounded = -(-count // of) * of
    return rounded if rounded <= most else count


def share(b: VectorBuilder, index: Value, extent: int, count: int) -> tuple[Value, Value]:
    """Where share number `index` of 0 ... extent - 1 begins and ends: `count` shares as equal as can be."""
    if extent == count:
        return index, b.add(index, i64(1))
    start, stop = (b.udiv(b.mul(each, i64(extent)), i64(count)) for each in (index, b.add(index, i64(1))))
    return start, stop


def _divided(b: VectorBuilder, number: Value, by: int) -> tuple[Value, Value]:
    """(number % by, number // by)."""
    if by == 1:
        return i64(0), number
    return b.urem(number, i64(by)), b.udiv(number, i64(by))


def _within(b: VectorBuilder, index: Value, size: int, extent: int) -> Value:
    """Where tile number `index` begins: the last one ends with the axis, and so may cover the one before in part."""
    if size == extent:
        return i64(0)
    start = b.mul(index, i64(size))
    return start if extent % size == 0 else b.smaller(start, i64(extent - size))


def tile(module: Module, product: PackedProduct, cut: Cut, channels: int) -> Any:
    """void(x, weight, bias, y, residual): one tile, for so many channels of a panel."""
    lanes = module.target.lanes
    last = product.axes[-1]
    before = product.axes[-2] if len(product.axes) > 1 else PixelAxis(1, 0, 0)
    grid = [(i, j) for i in range(cut.height) for j in range(cut.width)]
    places = [tuple(i * getattr(before, n) + j * getattr(last, n) for n in ("x", "y", "residual")) for i, j in grid]
    name = product.activation.identity if product.activation else ""
    key = (
        "tile", tuple(places), product.depth, product.run, channels, product.residual, name, product.pitch,
        product.step,
    )  # fmt: skip
    vectors = -(-channels // lanes)
    counts = [min(lanes, channels - lanes * v) for v in range(vectors)]

    def build(b: VectorBuilder, x: Value, weight: Value, bias: Value, y: Value, residual: Value) -> None:
        first = [b.read(b.at(bias, 4 * lanes * v)) for v in range(vectors)]
        sums = _summed(b, product, [place[0] for place in places], counts, x, weight, first)
        for r, (_, to, rest) in enumerate(places):
            for v, count in enumerate(counts):
                value = sums[r * vectors + v]
                if product.residual:
                    value = b.fadd(value, b.read(b.at(residual, rest + 4 * lanes * v), count))
                if product.activation is not None:
                    value = product.activation(apply_with(b), value)
                b.write(value, b.at(y, to + 4 * lanes * v), count)

    return module.shared_function(key, 5, 0, build)


def _summed(
    b: VectorBuilder,
    product: PackedProduct,
    rows: Sequence[int],
    counts: Sequence[int],
    x: Value,
    weight: Value,
    first: Sequence[Value],
) -> list[Value]:  # fmt: skip
    """The sums of a tile, a vector for each count and row: x at these bytes, starting with `first`."""
    vectors, lanes = len(counts), b.target.lanes
    width = product.pitch or 4 * vectors * lanes

    def steps(count: int, x: Value, weight: Value, sums: Sequence[Value]) -> list[Value]:
        result = list(sums)
        for k in range(count):
            some = counts if product.pitch else [lanes] * vectors  # packed ones are filled up
            weights = [b.read(b.at(weight, k * width + 4 * lanes * v), n) for v, n in enumerate(some)]
            for r, start in enumerate(rows):
                number = b.broadcast(x, start + product.step * k)
                for v, w in enumerate(weights):
                    result[r * vectors + v] = b.fmadd(number, w, result[r * vectors + v])
        return result

    def run(x: Value, weight: Value, sums: Sequence[Value]) -> list[Value]:
        result, whole = list(sums), product.run // UNROLLED * UNROLLED
        if whole > UNROLLED:
            result = b.loop(
                i64(0), i64(whole), UNROLLED,
                lambda k, s: steps(
                    UNROLLED, b.at(x, b.mul(k, i64(product.step))), b.at(weight, b.mul(k, i64(width))), s
                ),
                result,
            )  # fmt: skip
        else:
            whole = 0
        rest = product.run - whole
        return steps(rest, b.at(x, product.step * whole), b.at(weight, whole * width), result) if rest else result

    def nest(levels: Sequence[tuple[int, int]], x: Value, weight: Value, sums: Sequence[Value]) -> list[Value]:
        if not levels:
            return run(x, weight, sums)
        (count, stride), *inner = levels
        if count == 1:
            return nest(inner, x, weight, sums)
        size = width * product.run * prod(n for n, _ in inner)
        return b.loop(
            i64(0), i64(count), 1,
            lambda i, s: nest(inner, b.at(x, b.mul(i, i64(stride))), b.at(weight, b.mul(i, i64(size))), s),
            sums,
        )  # fmt: skip

    return nest(product.depth, x, weight, [first[v] for _ in rows for v in range(vectors)])
