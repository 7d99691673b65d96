"""Convolutions read their windows where they lie: a row of a window is one run of numbers, so nothing is copied."""

from __future__ import annotations

from collections.abc import Sequence

from kuiper.compiled.kernels.copies import halo_image
from kuiper.compiled.kernels.product import Axis, Product, emit_product
from kuiper.compiled.kernels.registry import emits, epilogue_compiles
from kuiper.compiled.kernels.windows import emit_depthwise
from kuiper.compiled.kernels.winograd import emit_winograd, pays
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.conv.convolution import Convolution


@emits(Convolution)
def convolution(module: Module, kernel: Convolution, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
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
        return True
    if pays(problem):
        emit_winograd(module, problem, epilogue, x, y, residual)
        return True
    (kh, kw), (sh, sw), (dh, dw) = problem.kernel, problem.stride, problem.dilation
    channels, out = problem.channels // problem.groups, problem.out_channels // problem.groups
    (_, row, pixel, _), image = x.strides, x.strides[0]
    depth: tuple[tuple[int, int], ...]
    if dw * pixel == 4 * channels:  # a row of the window lies side by side
        depth, run = ((kh, dh * row),), kw * channels
    else:
        depth, run = ((kh, dh * row), (kw, dw * pixel)), channels
    rest = (0, 0, 0) if residual is None else residual.strides[:3]
    axes = tuple(Axis(*numbers) for numbers in zip(y.shape[:3], (image, sh * row, sw * pixel), y.strides[:3], rest))
    product = Product(axes, depth, run, out, residual is not None, epilogue.activation)
    for group in range(problem.groups):
        some = slice(group * out, group * out + out)
        weight = problem.weight[some].transpose(2, 3, 1, 0).reshape(-1, out)
        emit_product(
            module, product, x.place.after(4 * group * channels), weight,
            None if epilogue.bias is None else epilogue.bias[some],
            module.place(y[..., some]), None if residual is None else module.place(residual[..., some]),
        )  # fmt: skip
    return True
