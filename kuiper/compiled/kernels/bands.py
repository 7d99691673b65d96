"""Chains of convolutions in bands of rows, whose wide image is computed a few rows at a time.

A thread goes down its strip of an image, band after band. Rows of the wide image lie in a ring, memory of the thread's
own: row r, counted with the padding above the image, has place r modulo the ring's rows. A band first computes the rows
that are new to it, then the depthwise convolution of all that it sees, then the product of that, straight to the
output, with residual and activation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder, i64
from kuiper.compiled.kernels.chains import Chain, kept_rows, ring_size
from kuiper.compiled.kernels.conv import direct, windows_by_channels
from kuiper.compiled.kernels.copies import halo_image
from kuiper.compiled.kernels.lines import emit_items
from kuiper.compiled.kernels.product import Cut, PackedProduct, pack, padded_bias, run_of, share
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.kernels.windows import DepthwiseRow
from kuiper.compiled.parts import Location, Module, write_zeros
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.conv.convolution import Convolution


class Steps(NamedTuple):
    """Bytes from one image to the next, from one row to the next, and from one pixel to the next."""

    image: int
    row: int
    pixel: int


@emits(Chain)
def chain(module: Module, kernel: Chain, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool | str:
    """A unit is a strip."""
    y = outputs[0].nhwc
    residual = inputs[1].nhwc if len(inputs) > 1 else None
    if y.strides[-1] != 4 or (residual is not None and residual.strides[-1] != 4):
        return False
    x = halo_image(module, inputs[0], kernel.convolutions[0].problem.pads)
    code = _StripCode(module, kernel, (x.place, Steps(*x.strides[:3])), y, residual)
    emit_items(module, list(code.places.values()), len(y) * kernel.bands.strips, code.strip, code.key)
    return f"Bands(rows={kernel.bands.rows})"


class _StripCode:
    """What is written for a chain; `places` are the pointers that it wants, by name."""

    def __init__(
        self, module: Module, kernel: Chain, x: tuple[Location, Steps], y: np.ndarray, residual: np.ndarray | None
    ) -> None:
        self.module, self.kernel = module, kernel
        problem, rows = kernel.depthwise.problem, kernel.bands.rows
        (self.slots, pixels), (height, width) = ring_size(problem, rows), problem.out_size
        pitch = 4 * module.target.rounded(problem.channels)
        self.x, self.y, rest = (
            x[1],
            Steps(*y.strides[:3]),
            Steps(*residual.strides[:3]) if residual is not None else None,
        )
        self.ring, self.band = Steps(0, pixels * pitch, pitch), Steps(0, width * pitch, pitch)
        self.rest = rest or Steps(0, 0, 0)
        self.places = {"x": x[0], "y": module.place(y), "residual": module.place(y if residual is None else residual)}
        source, row = (self.x, problem.dilation[0] * self.x.row) if kernel.wide is None else (self.ring, None)
        target = self.y if kernel.narrow is None else self.band
        beside = rest.pixel if rest is not None and kernel.narrow is None else None
        self.line = DepthwiseRow(problem, kernel.depthwise.epilogue, width, source.pixel, target.pixel, beside, row)
        taps, bias = self.line.weights(module)
        self.places |= {"taps": taps, "bias": bias}
        if kernel.wide is not None:
            self.wide = _Dense.of(module, kernel.wide, 1, self.x, self.ring, Steps(0, 0, 0))
            self.places |= {"ring": module.own(self.slots * self.ring.row // 4)}
            self.places |= self.wide.weights("wide", kernel.wide)
        if kernel.narrow is not None:
            sizes = {rows, height % rows} - {0}
            self.narrow = {n: _Dense.of(module, kernel.narrow, n, self.band, self.y, self.rest) for n in sizes}
            self.places |= {"band": module.own(rows * self.band.row // 4)}
            for size, dense in self.narrow.items():
                self.places |= dense.weights(f"narrow {size}", kernel.narrow)

    @property
    def key(self) -> tuple[object, ...]:
        """All that the code depends on, besides the target."""
        kernel = self.kernel
        options = [(each.problem.key, _name(each)) for each in kernel.convolutions]
        kinds = kernel.wide is not None, kernel.narrow is not None
        return "chain", kinds, options, kernel.bands, self.line.key, self.x, self.y, self.rest

    def strip(self, b: VectorBuilder, pointers: list[Value], number: Value) -> None:
        """Strip `number` of all images."""
        kernel, at = self.kernel, dict(zip(self.places, pointers))
        rows, height = kernel.bands.rows, kernel.depthwise.problem.out_size[0]
        bands, strips = -(-height // rows), kernel.bands.strips
        image = b.udiv(number, i64(strips))
        for name, steps in (("x", self.x), ("y", self.y), ("residual", self.rest)):
            at[name] = b.at(at[name], b.mul(image, i64(steps.image)))
        first, stop = share(b, b.urem(number, i64(strips)), bands, strips)
        if kernel.wide is not None:
            self._clear_sides(b, at["ring"])
            seen = b.mul(first, i64(rows * kernel.depthwise.problem.stride[0]))
            self._widen(b, at, seen, kept_rows(kernel.depthwise.problem))

        def of_band(index: Value) -> None:
            rest = height - (bands - 1) * rows
            lower = rest != rows and b.icmp_signed("==", index, i64(bands - 1))
            start = b.mul(index, i64(rows))
            b.either(lower, lambda: self._band(b, at, start, rest), lambda: self._band(b, at, start, rows))

        b.between(first, stop, of_band)

    def _band(self, b: VectorBuilder, at: dict[str, Value], start: Value, size: int) -> None:
        """Rows start ... start + size - 1 of the output."""
        problem = self.kernel.depthwise.problem
        if self.kernel.wide is not None:
            stride = problem.stride[0]
            new = b.add(b.mul(start, i64(stride)), i64(kept_rows(problem)))
            self._widen(b, at, new, size * stride)
        y, residual = (
            b.at(at["y"], b.mul(start, i64(self.y.row))),
            b.at(at["residual"], b.mul(start, i64(self.rest.row))),
        )
        ends = self.kernel.narrow is None
        target, row = (y, self.y.row) if ends else (at["band"], self.band.row)
        lanes = self.module.target.lanes
        whole, last = divmod(problem.channels, lanes)

        def line(i: Any) -> None:
            xs = self._seen(b, at, b.add(start, i64(i) if isinstance(i, int) else i))
            there, beside = b.at(target, b.times(i, row)), b.at(residual, b.times(i, self.rest.row))

            def vector(v: Value, count: int) -> None:
                self.line.call(b, self.module, v, count, xs, [at["taps"], at["bias"]], there, beside)

            b.each(whole, lambda v: vector(i64(v) if isinstance(v, int) else v, lanes))
            if last:
                vector(i64(whole), last)

        b.each(size, line)
        if not ends:
            self.narrow[size].call(b, at, f"narrow {size}", at["band"], y, residual)

    def _seen(self, b: VectorBuilder, at: dict[str, Value], row: Value) -> list[Value]:
        """Where the rows begin that an output row's windows see."""
        problem = self.kernel.depthwise.problem
        seen = b.mul(row, i64(problem.stride[0]))
        if self.kernel.wide is None:
            return [b.at(at["x"], b.mul(seen, i64(self.x.row)))]
        taps = (tap * problem.dilation[0] for tap in range(problem.kernel[0]))
        return [self._in_ring(b, at["ring"], b.add(seen, i64(tap))) for tap in taps]

    def _in_ring(self, b: VectorBuilder, ring: Value, row: Value) -> Value:
        return b.at(ring, b.mul(b.urem(row, i64(self.slots)), i64(self.ring.row)))

    def _widen(self, b: VectorBuilder, at: dict[str, Value], start: Value, count: int) -> None:
        """Rows start ... start + count - 1 of the wide image into the ring; zeros where they are padding."""
        assert self.kernel.wide is not None
        problem, stride = self.kernel.depthwise.problem, self.kernel.wide.problem.stride[0]

        def one(row: Value) -> None:
            there = b.at(self._in_ring(b, at["ring"], row), problem.pads.left * self.ring.pixel)
            inside = b.sub(row, i64(problem.pads.up))

            def compute() -> None:
                x = b.at(at["x"], b.mul(inside, i64(stride * self.x.row)))
                self.wide.call(b, at, "wide", x, there, there)

            def clear() -> None:
                write_zeros(b, there, (problem.size[1], problem.channels), (self.ring.pixel, 4))

            b.either(b.icmp_unsigned(">=", inside, i64(problem.size[0])), clear, compute)

        b.between(start, b.add(start, i64(count)), one)

    def _clear_sides(self, b: VectorBuilder, ring: Value) -> None:
        """Zeros for the padding beside the image, which stay for the whole strip."""
        pads, steps = self.kernel.depthwise.problem.pads, (self.ring.row, self.ring.pixel, 4)
        for start, columns in ((0, pads.left), (self.ring.row - pads.right * self.ring.pixel, pads.right)):
            if columns:
                shape = self.slots, columns, self.kernel.depthwise.problem.channels
                write_zeros(b, b.at(ring, start), shape, steps)


@dataclass(frozen=True)
class _Dense:
    """Some rows of a dense convolution, as a function."""

    module: Module
    product: PackedProduct
    cut: Cut

    @classmethod
    def of(cls, module: Module, kernel: Convolution, rows: int, x: Steps, y: Steps, residual: Steps) -> _Dense:
        """Code for so many rows."""
        extents = 1, rows, kernel.problem.out_size[1]
        product = direct(kernel.problem, kernel.epilogue, extents, x, y, residual).merged()
        return cls(module, product, Cut.of(product, module.target))

    def weights(self, name: str, kernel: Convolution) -> dict[str, Location]:
        """Where its weights, packed for this cut, and its biases lie."""
        target = self.module.target
        panels = partial(pack, windows_by_channels(kernel.problem.weight), target, self.cut.vectors)
        bias = padded_bias(kernel.epilogue.bias, self.product.channels, target)
        return {f"{name} weight": self.module.packed(panels), f"{name} bias": self.module.weight(bias)}

    def call(self, b: VectorBuilder, at: dict[str, Value], name: str, x: Value, y: Value, residual: Value) -> None:
        """Compute these rows."""
        run = run_of(self.module, self.product, self.cut)
        function = self.module.shared_function(
            ("rows", self.product.key, self.cut), 5, 0, lambda inner, *mine: run(inner, list(mine), i64(0), i64(1))
        )
        b.call(function, [x, at[f"{name} weight"], at[f"{name} bias"], y, residual])


def _name(kernel: Convolution) -> str:
    return kernel.epilogue.activation.identity if kernel.epilogue.activation else ""
