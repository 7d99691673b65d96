"""Transposed convolution of channel-last images, by one of three algorithms.

With stride 1 it is a convolution with the kernel rotated by 180 degrees. A kernel that is a multiple of the stride is a
product of windows (subpixel.py). Otherwise one product gives each pixel times the kernel, and these are added up where
they overlap, one element of the kernel at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Call, Stage, blocks, image_tiles
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import Convolution, Problem, rows_as_matrix
from kuiper.fast.kernels.conv.subpixel import Grid, Subpixel
from kuiper.layers.image.convolution import ConvTranspose2d

CACHED = 262_144
"""Floats of products that a thread computes at a time."""
PIXELS = 64
"""Least pixels of a product, so that the weights are not read too often."""
FEW = 12
"""Output channels up to which products are stored channel by channel, so that numpy's inner loops run along rows."""
NS_PER_FLOP, NS_PER_SUM = 1 / 60, 0.2


@dataclass(frozen=True)
class Landing:
    """Where one axis of the kernel lands: element k of input i's kernel at i*stride + k*dilation - padding."""

    size: int
    kernel: int
    stride: int
    padding: int
    dilation: int

    def inputs(self, k: int, start: int, stop: int) -> range:
        """The inputs whose element k lands on start ... stop - 1."""
        shift = k * self.dilation - self.padding
        first, last = -((shift - start) // self.stride), (stop - 1 - shift) // self.stride
        return range(max(0, first), min(self.size, last + 1))

    def outputs(self, k: int, inputs: range, start: int) -> slice:
        """Where the elements k of some inputs land, counted from `start`."""
        first = inputs[0] * self.stride + k * self.dilation - self.padding - start
        return slice(first, first + (len(inputs) - 1) * self.stride + 1, self.stride)


class Overlapping(Kernel):
    """(N, C, H, W) -> (N, O, H', W') with weight (C, O, kh, kw) of any size, stride, padding and dilation.

    The output starts as the bias, and the products are added to it. For few output channels products and sums are
    stored channel by channel.
    """

    output_layout = "nhwc"
    by_sample = always

    def __init__(
        self, weight: np.ndarray, rows: Landing, columns: Landing, epilogue: Epilogue, packs: dict[str, np.ndarray]
    ) -> None:
        self.weight, self.rows, self.columns, self.packs = weight, rows, columns, packs
        self.epilogue: Epilogue = epilogue
        self.by_channel = weight.shape[1] <= FEW

    def fold(self, factor: np.ndarray, shift: np.ndarray) -> bool:
        """Into the weights and the bias."""
        self.weight = self.weight * factor.reshape(1, -1, 1, 1)
        self.epilogue.fold(factor, shift)
        return True

    def halo(self, slot: int) -> Halo | None:
        """No border, channel-last."""
        return Halo() if slot == 0 else None

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One stage; each thread computes its images, or its rows of the output."""
        source, target = inputs[0].nhwc, outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        n, height = target.shape[:2]
        stage: Stage = []
        for thread, part in enumerate(blocks((n, height), space.threads_for(self._nanoseconds(n)))):
            images = part[0] if part else slice(0, n)
            rows = part[1] if len(part) > 1 else slice(0, height)
            rest = None if residual is None else residual[part]
            stage.append(list(self._part(source[images], target[part], rest, rows.start, space, thread)))
        return [stage]

    @property
    def _matrix(self) -> np.ndarray:
        """(C, kh*kw*O)."""
        if "transposed" not in self.packs:
            by_place = self.weight.transpose(0, 2, 3, 1).reshape(len(self.weight), -1)
            self.packs["transposed"] = np.ascontiguousarray(by_place, np.float32)
        return self.packs["transposed"]

    @property
    def _limit(self) -> int:
        """Input rows whose products a thread computes at a time."""
        width, per_pixel = self.columns.size, self.weight[0].size
        return max(CACHED // (width * per_pixel), -(-PIXELS // width))

    def _nanoseconds(self, batch: int) -> float:
        sums = batch * self.rows.size * self.columns.size * self.weight[0].size
        return sums * (2 * len(self.weight) * NS_PER_FLOP + NS_PER_SUM)

    def _products(self, source: np.ndarray, space: Workspace, thread: int) -> tuple[list[Call], np.ndarray]:
        """(n, rows, W, C) -> the calls that make (n, rows, W, kh, kw, O), and that array."""
        n, rows, width, channels = source.shape
        _, out_channels, kh, kw = self.weight.shape
        pixels = rows_as_matrix(source) if source.strides[-1] == source.itemsize else None
        calls: list[Call] = []
        if pixels is None:
            pixels = space.own(thread, (n * rows * width, channels))
            calls.append(partial(np.copyto, pixels.reshape(source.shape), source))
        if self.by_channel:
            planes = space.own(thread, (kh * kw * out_channels, len(pixels)))
            calls.append(partial(np.matmul, self._matrix.T, pixels.T, out=planes))
            return calls, planes.reshape(kh, kw, out_channels, n, rows, width).transpose(3, 4, 5, 0, 1, 2)
        products = space.own(thread, (len(pixels), kh * kw * out_channels))
        calls.append(partial(np.matmul, pixels, self._matrix, out=products))
        return calls, products.reshape(n, rows, width, kh, kw, out_channels)

    def _part(
        self,
        source: np.ndarray,
        target: np.ndarray,
        residual: np.ndarray | None,
        start: int,
        space: Workspace,
        thread: int,
    ) -> Iterator[Call]:
        """The calls for rows `start` ... of the output from whole images."""
        n, rows, width, channels = target.shape
        total = target
        if self.by_channel:
            total = space.own(thread, (n, channels, rows, width)).transpose(0, 2, 3, 1)
        yield partial(np.copyto, total, 0 if self.epilogue.bias is None else self.epilogue.bias)
        reached = [self.rows.inputs(k, start, start + rows) for k in range(self.rows.kernel)]
        top = min((some.start for some in reached if some), default=0)
        bottom = max((some.stop for some in reached if some), default=0)
        for images, first, last in image_tiles(0, n * (bottom - top), bottom - top, self._limit):
            with space.reused(thread):
                calls, products = self._products(source[images, top + first : top + last], space, thread)
                yield from calls
                yield from self._sums(products, total[images], top + first, start)
        with space.reused(thread):
            yield from replace(self.epilogue, bias=None).calls(total, total, residual, space, thread)
        if self.by_channel:
            yield from _by_channel(total, target)

    def _sums(self, products: np.ndarray, total: np.ndarray, first: int, start: int) -> Iterator[Call]:
        """Add the products of input rows `first` ... to what they land on: `total`, output rows from `start` on."""
        _, rows, _, kh, kw, _ = products.shape
        for i, j in np.ndindex(kh, kw):
            down, across = self.rows.inputs(i, start, start + total.shape[1]), self.columns.inputs(j, 0, total.shape[2])
            down = range(max(down.start, first), min(down.stop, first + rows))
            if down and across:
                landed = total[:, self.rows.outputs(i, down, start), self.columns.outputs(j, across, 0)]
                some = products[:, down.start - first : down.stop - first, across.start : across.stop, i, j]
                yield partial(np.add, landed, some, out=landed)


def _by_channel(source: np.ndarray, target: np.ndarray) -> Iterator[Call]:
    """target = source, both (..., O), for few channels that are far apart in the source."""
    for channel in range(source.shape[-1]):
        yield partial(np.copyto, target[..., channel], source[..., channel])


@lowers(ConvTranspose2d)
def transposed_convolution(step: Step) -> Kernel | None:
    """float32 images, one group."""
    layer: ConvTranspose2d = step.layer
    x, y = step.inputs[0], step.outputs[0]
    if not x.is_float or x.shape is None or len(x.shape) != 4 or 0 in x.shape or len(step.inputs) != 1:
        return None
    if layer.groups != 1 or layer.weight.dtype != np.float32:
        return None
    epilogue = Epilogue(None if layer.bias is None else layer.bias.astype(np.float32))
    if layer.stride == (1, 1) and all(d * (k - 1) >= p for d, k, p in _axes(layer)):
        return Convolution(as_convolution(step), epilogue)
    assert y.shape is not None
    options = list(zip(x.shape[2:], y.shape[2:], layer.kernel_size, layer.stride, layer.padding, layer.dilation))
    if layer.dilation == (1, 1) and all(k % s == 0 for _, _, k, s, _, _ in options):
        down, across = (Grid(size, outputs, k // s, s, p) for size, outputs, k, s, p, _ in options)
        return Subpixel(layer.weight, down, across, epilogue, step.packs)
    rows, columns = (Landing(size, k, s, p, d) for size, _, k, s, p, d in options)
    return Overlapping(layer.weight, rows, columns, epilogue, step.packs)


def _axes(layer: ConvTranspose2d) -> Iterator[tuple[int, int, int]]:
    return zip(layer.dilation, layer.kernel_size, layer.padding)


def as_convolution(step: Step) -> Problem:
    """The equivalent convolution of a transposed convolution with stride 1."""
    layer, x, y = step.layer, step.inputs[0].shape, step.outputs[0].shape
    assert x is not None
    assert y is not None
    (up, extra_rows), (left, extra_columns) = (
        (d * (k - 1) - p, extra) for (d, k, p), extra in zip(_axes(layer), layer.output_padding)
    )
    return Problem(
        batch=x[0],
        channels=x[1],
        size=(x[2], x[3]),
        out_channels=y[1],
        out_size=(y[2], y[3]),
        kernel=layer.kernel_size,
        stride=(1, 1),
        dilation=layer.dilation,
        pads=Halo(up, up + extra_rows, left, left + extra_columns),
        groups=1,
        weight=np.ascontiguousarray(layer.weight[:, :, ::-1, ::-1].swapaxes(0, 1)),
        packs=step.packs,
    )
