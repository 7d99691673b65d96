"""Convolutions read their windows where they lie: a row of a window is one run of numbers, so nothing is copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kuiper.compiled.kernels.copies import halo_image
from kuiper.compiled.kernels.product import Operands, PackedProduct, PixelAxis, emit_products
from kuiper.compiled.kernels.registry import emits, epilogue_compiles
from kuiper.compiled.kernels.windows import emit_depthwise
from kuiper.compiled.kernels.winograd import M, emit_winograd, pays
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.conv.convolution import Convolution
from kuiper.fast.kernels.conv.subpixel import Grid, Subpixel


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
    (kh, kw), (sh, sw), (dh, dw) = problem.kernel, problem.stride, problem.dilation
    channels, out = problem.channels // problem.groups, problem.out_channels // problem.groups
    (_, row, pixel, _), image = x.strides, x.strides[0]
    depth: tuple[tuple[int, int], ...]
    if dw * pixel == 4 * channels:  # a row of the window lies side by side
        depth, run = ((kh, dh * row),), kw * channels
    else:
        depth, run = ((kh, dh * row), (kw, dw * pixel)), channels
    rest = (0, 0, 0) if residual is None else residual.strides[:3]
    axes = tuple(
        PixelAxis(*numbers) for numbers in zip(y.shape[:3], (image, sh * row, sw * pixel), y.strides[:3], rest)
    )
    product = PackedProduct(axes, depth, run, out, residual is not None, epilogue.activation)
    products = []
    for group in range(problem.groups):
        some = slice(group * out, group * out + out)
        operands = Operands(
            x.place.after(4 * group * channels),
            problem.weight[some].transpose(2, 3, 1, 0).reshape(-1, out),
            None if epilogue.bias is None else epilogue.bias[some],
            module.place(y[..., some]),
            None if residual is None else module.place(residual[..., some]),
        )
        products.append((product, operands))
    emit_products(module, products)
    return "Direct"


@emits(Subpixel)
def transposed(module: Module, kernel: Subpixel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """A product for each of the stride's phases: its outputs are a stride apart, and see the same windows."""
    epilogue, y = kernel.epilogue, outputs[0].nhwc
    residual = inputs[-1].nhwc if epilogue.residual else None
    if not epilogue_compiles(epilogue) or y.strides[-1] != 4 or (residual is not None and residual.strides[-1] != 4):
        return False
    x = halo_image(module, inputs[0], Halo(*kernel.rows.pads, *kernel.columns.pads))
    (_, row, pixel, _), image = x.strides, x.strides[0]
    channels, out, *_ = kernel.weight.shape
    products = []
    for down in _phases(kernel.rows):
        for across in _phases(kernel.columns):
            weight = kernel.weight[:, :, down.taps, :][..., across.taps]  # (C, O, T, T)
            tall, wide = weight.shape[2:]
            side = wide * channels if pixel == 4 * channels else channels
            depth = ((tall, row),) if pixel == 4 * channels else ((tall, row), (wide, pixel))
            rest = (0, 0, 0, 0) if residual is None else residual.strides
            axes = (
                PixelAxis(y.shape[0], image, y.strides[0], rest[0]),
                PixelAxis(down.outputs, row, kernel.rows.stride * y.strides[1], kernel.rows.stride * rest[1]),
                PixelAxis(across.outputs, pixel, kernel.columns.stride * y.strides[2], kernel.columns.stride * rest[2]),
            )
            corner = slice(None), slice(down.target, None), slice(across.target, None)
            operands = Operands(
                x.place.after(down.source * row + across.source * pixel),
                np.ascontiguousarray(weight.transpose(2, 3, 0, 1)).reshape(-1, out),
                epilogue.bias,
                module.place(y[corner]),
                None if residual is None else module.place(residual[corner]),
            )
            products.append(
                (PackedProduct(axes, depth, side, out, residual is not None, epilogue.activation), operands)
            )
    emit_products(module, products)
    return True


class _Phase(NamedTuple):
    """Outputs of one axis that are a stride apart.

    taps : of the kernel, in the order of the inputs that they meet.
    outputs : how many.
    source, target : where the first window begins, in the image with its border; the first output.
    """

    taps: slice
    outputs: int
    source: int
    target: int


def _phases(grid: Grid) -> list[_Phase]:
    """The phases of an axis that have outputs."""
    found = []
    for r in range(grid.stride):
        windows = [q for q in range(grid.count) if grid.inside(q)[0] <= r < grid.inside(q)[1]]
        if windows:
            target = (grid.first + windows[0]) * grid.stride - grid.padding + r
            found.append(_Phase(slice(r, None, grid.stride), len(windows), grid.start + windows[0], target))
    return [phase._replace(taps=_backwards(phase.taps, grid)) for phase in found]


def _backwards(taps: slice, grid: Grid) -> slice:
    """The last tap first: it meets the first input of a window."""
    last = taps.start + (grid.taps - 1) * grid.stride
    return slice(last, None if taps.start - grid.stride < 0 else taps.start - grid.stride, -grid.stride)
