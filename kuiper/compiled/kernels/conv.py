"""Convolutions read their windows where they lie: a row of a window is one run of numbers, so nothing is copied."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder
from kuiper.compiled.kernels.copies import halo_image
from kuiper.compiled.kernels.pointwise import Strided, emit_pointwise
from kuiper.compiled.kernels.product import Operands, PackedProduct, PixelAxis, emit_products
from kuiper.compiled.kernels.registry import emits, epilogue_compiles
from kuiper.compiled.kernels.windows import emit_depthwise
from kuiper.compiled.kernels.winograd import M, emit_winograd, pays
from kuiper.compiled.parts import Module
from kuiper.compiled.ufuncs import apply_with
from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.conv.convolution import Convolution, Problem
from kuiper.fast.kernels.conv.subpixel import Grid, Subpixel
from kuiper.fast.kernels.conv.transposed import Landing, Overlapping


@emits(Convolution)
def convolution(module: Module, kernel: Convolution, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool | str:
    """Each group of channels is a product; with one channel in each, vectors hold channels side by side."""
    problem, epilogue = kernel.problem, kernel.epilogue
    y = outputs[0].nhwc
    residual = inputs[-1].nhwc if epilogue.residual else None
    if not epilogue_compiles(epilogue) or y.strides[-1] != 4:
        return False
    if residual is not None and residual.strides[-1] != 4:
        return False
    x = halo_image(module, inputs[0], problem.pads)
    if problem.groups == problem.channels == problem.out_channels and problem.groups > 1:
        emit_depthwise(module, problem, epilogue, x, y, residual)
        return "Depthwise"
    if pays(problem):
        emit_winograd(module, problem, epilogue, x, y, residual)
        return f"Winograd(m={M})"
    channels, out = problem.channels // problem.groups, problem.out_channels // problem.groups
    rest = (0, 0, 0) if residual is None else residual.strides[:3]
    product = direct(problem, epilogue, y.shape[:3], x.strides, y.strides[:3], rest)
    products = []
    for group in range(problem.groups):
        some = slice(group * out, group * out + out)
        operands = Operands(
            x.place.after(4 * group * channels),
            windows_by_channels(problem.weight[some]),
            None if epilogue.bias is None else epilogue.bias[some],
            module.place(y[..., some]),
            None if residual is None else module.place(residual[..., some]),
        )
        products.append((product, operands))
    emit_products(module, products)
    return "Direct"


def direct(
    problem: Problem, epilogue: Epilogue, extents: Sequence[int], x: Sequence[int], y: Sequence[int],
    residual: Sequence[int],
) -> PackedProduct:  # fmt: skip
    """The product that a group of channels of a convolution is.

    extents : images, rows and columns of y; one of them may be fewer than there are.
    x, y, residual : bytes along these axes, in x from pixel to pixel, no matter the convolution's stride.
    """
    (kh, kw), (sh, sw), (dh, dw) = problem.kernel, problem.stride, problem.dilation
    image, row, pixel = x[:3]
    channels, out = problem.channels // problem.groups, problem.out_channels // problem.groups
    depth: tuple[tuple[int, int], ...]
    if dw * pixel == 4 * channels:  # a row of the window lies side by side
        depth, run = ((kh, dh * row),), kw * channels
    else:
        depth, run = ((kh, dh * row), (kw, dw * pixel)), channels
    axes = tuple(PixelAxis(*numbers) for numbers in zip(extents, (image, sh * row, sw * pixel), y, residual))
    return PackedProduct(axes, depth, run, out, epilogue.residual, epilogue.activation)


def windows_by_channels(weight: np.ndarray) -> np.ndarray:
    """Weights (O, C, kh, kw) as a product's (depth, channels): one row for each number of a window."""
    return weight.transpose(2, 3, 1, 0).reshape(-1, len(weight))


@emits(Subpixel, Overlapping)
def transposed(
    module: Module, kernel: Subpixel | Overlapping, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
) -> bool:
    """A product for each of the stride's phases: its outputs are a stride apart, and see windows that are alike."""
    epilogue, y = kernel.epilogue, outputs[0].nhwc
    residual = inputs[-1].nhwc if epilogue.residual else None
    if not epilogue_compiles(epilogue) or y.strides[-1] != 4 or (residual is not None and residual.strides[-1] != 4):
        return False
    rows, columns = (
        _phases(axis, kernel.weight.shape[place], y.shape[place - 1])
        for axis, place in ((kernel.rows, 2), (kernel.columns, 3))
    )
    x = halo_image(module, inputs[0], Halo(*_pads(rows, kernel.rows.size), *_pads(columns, kernel.columns.size)))
    up, left = _pads(rows, kernel.rows.size)[0], _pads(columns, kernel.columns.size)[0]
    (_, row, pixel, _), image = x.strides, x.strides[0]
    channels, out, *_ = kernel.weight.shape
    products = []
    for down in rows:
        for across in columns:
            corner = slice(None), slice(down.target, None, down.stride), slice(across.target, None, across.stride)
            target, rest = y[corner], None if residual is None else residual[corner]
            if not down.taps or not across.taps:
                _emit_without_taps(module, epilogue, target, rest)
                continue
            weight = kernel.weight[:, :, down.taps][..., across.taps]  # (C, O, T, T)
            tall, wide = len(down.taps), len(across.taps)
            whole = across.step * pixel == 4 * channels  # a row of the window lies side by side
            depth = ((tall, down.step * row),) if whole else ((tall, down.step * row), (wide, across.step * pixel))
            x_steps = image, row, pixel
            rest_steps = (0, 0, 0) if rest is None else rest.strides[:3]
            axes = tuple(PixelAxis(*each) for each in zip(target.shape[:3], x_steps, target.strides[:3], rest_steps))
            operands = Operands(
                x.place.after((up + down.source) * row + (left + across.source) * pixel),
                np.ascontiguousarray(weight.transpose(2, 3, 0, 1)).reshape(-1, out),
                epilogue.bias,
                module.place(target),
                None if rest is None else module.place(rest),
            )
            side = wide * channels if whole else channels
            product = PackedProduct(axes, depth, side, out, rest is not None, epilogue.activation)
            products.append((product, operands))
    if products:
        emit_products(module, products)
    return True


class _Phase(NamedTuple):
    """Outputs of one axis that are a stride apart.

    taps : of the kernel, in the order of the inputs that they meet; none where the kernel leaves gaps.
    step : from one of these inputs to the next.
    outputs, stride : how many, and how far apart.
    source, target : the first input and the first output; inputs before 0 and behind the last are zeros.
    """

    taps: list[int]
    step: int
    outputs: int
    stride: int
    source: int
    target: int

    @property
    def last(self) -> int:
        """The last input."""
        return self.source + (len(self.taps) - 1) * self.step + self.outputs - 1


def _phases(axis: Grid | Landing, kernel: int, outputs: int) -> list[_Phase]:
    """The phases of an axis that have outputs: tap k of input i makes output i*stride + k*dilation - padding."""
    stride, dilation = axis.stride, axis.dilation if isinstance(axis, Landing) else 1
    found = []
    for target in range(min(stride, outputs)):
        taps = [k for k in reversed(range(kernel)) if (target + axis.padding - k * dilation) % stride == 0]
        source = (target + axis.padding - taps[0] * dilation) // stride if taps else 0
        count = -(-(outputs - target) // stride)
        found.append(_Phase(taps, dilation // gcd(stride, dilation), count, stride, source, target))
    return found


def _pads(phases: Sequence[_Phase], size: int) -> tuple[int, int]:
    """Inputs that windows see before the first and behind the last of those that there are."""
    seen = [phase for phase in phases if phase.taps]
    return max([0, *(-phase.source for phase in seen)]), max([0, *(phase.last - size + 1 for phase in seen)])


def _emit_without_taps(module: Module, epilogue: Epilogue, y: np.ndarray, residual: np.ndarray | None) -> None:
    """Outputs that no input reaches: f(bias + residual)."""
    activation = epilogue.activation
    sources: list[Strided] = []
    if epilogue.bias is not None:
        sources.append((module.weight(epilogue.bias), (0, 0, 0, 4)))
    if residual is not None:
        sources.append((module.place(residual), residual.strides))

    def formula(b: VectorBuilder, *values: Value) -> Value:
        total = b.splat(0)
        for value in values:
            total = b.fadd(total, value)
        return total if activation is None else activation(apply_with(b), total)

    name = f"without taps {len(sources)} {activation.identity if activation else ''}"
    emit_pointwise(module, (module.place(y), y.strides), sources, y.shape, formula, name)
