"""Transposed convolution whose kernel size is a multiple of its stride: one product of windows.

An output pixel at row q*s + r - padding sees the inputs q - T + 1 ... q only, T = kernel/s, through the rows r, r + s,
... of the kernel. So the windows (T, T) of the image times a matrix (T*T*C, s*s*O) give all the output, s x s pixels
for each window; the epilogue writes them where they belong. With T = 1 the image itself is the windows.

Source: W. Shi et al., Real-time single image and video super-resolution using an efficient sub-pixel convolutional
neural network, 2016, https://arxiv.org/abs/1609.05158
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Call, Stage, image_tiles, spans
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import padded_image, rows_as_matrix
from kuiper.fast.kernels.move.reshape import reshaped

CACHED = 524_288
"""Floats of windows and products that a thread computes at a time."""
PIXELS = 64
"""Least windows of a product, so that the weights are not read too often."""
NS_PER_FLOP, NS_PER_PIXEL = 1 / 80, 0.5


@dataclass(frozen=True)
class Grid:
    """One axis: `size` inputs, `result` outputs; window q makes the outputs q*stride - padding + 0 ... stride - 1."""

    size: int
    result: int
    taps: int
    stride: int
    padding: int

    @property
    def first(self) -> int:
        """The first window."""
        return self.padding // self.stride

    @property
    def count(self) -> int:
        """How many windows."""
        return (self.result - 1 + self.padding) // self.stride + 1 - self.first

    @property
    def pads(self) -> tuple[int, int]:
        """Inputs that windows see before the first and after the last one that there is."""
        return max(0, self.taps - 1 - self.first), max(0, self.first + self.count - self.size)

    @property
    def start(self) -> int:
        """Where the first window begins, in the input with its border."""
        return self.first - self.taps + 1 + self.pads[0]

    def inside(self, window: int) -> tuple[int, int]:
        """Which of its outputs exist, (first, one after the last); windows are counted from 0 here."""
        corner = (self.first + window) * self.stride - self.padding
        return max(0, -corner), min(self.stride, self.result - corner)

    def runs(self, start: int, stop: int) -> Iterator[tuple[slice, slice, int]]:
        """Windows start ... stop - 1 in runs with the same outputs: (windows, outputs, where the first output is)."""
        for (low, high), run in groupby(range(start, stop), self.inside):
            windows = list(run)
            place = (self.first + windows[0]) * self.stride - self.padding + low
            yield slice(windows[0], windows[-1] + 1), slice(low, high), place


class Subpixel(Kernel):
    """(N, C, H, W) -> (N, O, H', W') with weight (C, O, kh, kw), the kernel a multiple of the stride, not dilated."""

    output_layout = "nhwc"
    by_sample = always

    def __init__(
        self, weight: np.ndarray, rows: Grid, columns: Grid, epilogue: Epilogue, packs: dict[str, np.ndarray]
    ) -> None:
        self.weight, self.rows, self.columns, self.packs = weight, rows, columns, packs
        self.epilogue: Epilogue = epilogue

    def fold(self, factor: np.ndarray, shift: np.ndarray) -> bool:
        """Into the weights and the bias."""
        self.weight = self.weight * factor.reshape(1, -1, 1, 1)
        self.epilogue.fold(factor, shift)
        return True

    def halo(self, slot: int) -> Halo | None:
        """What windows at the border read beyond the image."""
        return Halo(*self.rows.pads, *self.columns.pads) if slot == 0 else None

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The padded image, if it is not stored so; then each thread computes its rows of windows."""
        image, stages = padded_image(inputs[0], Halo(*self.rows.pads, *self.columns.pads), space)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        n, count = len(image), self.rows.count
        pixels = n * count * self.columns.count
        nanoseconds = 2 * pixels * self.weight.size * NS_PER_FLOP + target.size * NS_PER_PIXEL
        per_row = self.columns.count * (self.weight.size // self.weight.shape[1] + self.weight[0].size)
        limit = max(CACHED // per_row, -(-PIXELS // self.columns.count))
        stage: Stage = []
        for thread, (start, stop) in enumerate(spans(n * count, space.threads_for(nanoseconds))):
            calls: list[Call] = []
            for images, first, last in image_tiles(start, stop, count, limit):
                rest = None if residual is None else residual[images]
                with space.reused(thread):
                    calls += self._tile(image[images], target[images], rest, first, last, space, thread)
            stage.append(calls)
        return [*stages, stage]

    @property
    def _matrix(self) -> np.ndarray:
        """(T*T*C, s*s*O)."""
        if "subpixel" not in self.packs:
            channels, out_channels, *_ = self.weight.shape
            (down, across), (tall, wide) = ((g.taps for g in self._grids), (g.stride for g in self._grids))
            taps = self.weight.reshape(channels, out_channels, down, tall, across, wide)[:, :, ::-1, :, ::-1]
            by_window = taps.transpose(2, 4, 0, 3, 5, 1).reshape(down * across * channels, -1)
            self.packs["subpixel"] = np.ascontiguousarray(by_window, np.float32)
        return self.packs["subpixel"]

    @property
    def _grids(self) -> tuple[Grid, Grid]:
        return self.rows, self.columns

    def _tile(
        self,
        image: np.ndarray,
        target: np.ndarray,
        residual: np.ndarray | None,
        first: int,
        last: int,
        space: Workspace,
        thread: int,
    ) -> Iterator[Call]:
        """The calls for windows of rows first ... last - 1 of whole images (n, H, W, C), and whole results."""
        calls, matrix = self._windows(image, first, last, space, thread)
        yield from calls
        products = space.own(thread, (len(matrix), self._matrix.shape[1]))
        yield partial(np.matmul, matrix, self._matrix, out=products)
        shape = (len(image), last - first, self.columns.count, self.rows.stride, self.columns.stride, -1)
        made = products.reshape(shape)
        for rows, down, top in self.rows.runs(first, last):
            for columns, across, left in self.columns.runs(0, self.columns.count):
                for i in range(down.start, down.stop):
                    part = made[:, rows.start - first : rows.stop - first, columns, i, across]
                    corner = (top + i - down.start, left)
                    out = self._landing(target, corner, part.shape)
                    rest = None if residual is None else self._landing(residual, corner, part.shape)
                    with space.reused(thread):
                        yield from _written(self.epilogue, part, out, rest, space, thread)

    def _windows(
        self, image: np.ndarray, first: int, last: int, space: Workspace, thread: int
    ) -> tuple[list[Call], np.ndarray]:
        """The calls that put the windows in rows, (n*rows*W', T*T*C), and that matrix."""
        n, _, _, channels = image.shape
        down, across = self.rows.taps, self.columns.taps
        corner = image[:, self.rows.start + first :, self.columns.start :]
        batch, row, column, channel = image.strides
        shape = (n, last - first, self.columns.count, down, across, channels)
        windows = as_strided(corner, shape, (batch, row, column, row, column, channel))
        if down == across == 1 and channel == image.itemsize:
            lying = rows_as_matrix(windows[:, :, :, 0, 0])
            if lying is not None:
                return [], lying
        copy = space.own(thread, shape)
        return [partial(np.copyto, copy, windows)], copy.reshape(-1, down * across * channels)

    def _landing(self, image: np.ndarray, corner: tuple[int, int], shape: tuple[int, ...]) -> np.ndarray:
        """The pixels of the result that a part of the products, (n, rows, columns, outputs in a row, O), makes."""
        batch, row, column, channel = image.strides
        strides = (batch, row * self.rows.stride, column * self.columns.stride, column, channel)
        return as_strided(image[:, corner[0] :, corner[1] :], shape, strides)


def _written(
    epilogue: Epilogue, part: np.ndarray, out: np.ndarray, residual: np.ndarray | None, space: Workspace, thread: int
) -> list[Call]:
    """The epilogue from (n, rows, columns, m, O) to `out`; on m*O numbers at a time where they lie together."""
    m = part.shape[3]
    shape = (*part.shape[:3], -1)
    joined = [None if array is None else reshaped(array, shape) for array in (part, out, residual)]
    if joined[0] is None or joined[1] is None or (joined[2] is None) != (residual is None):
        return epilogue.calls(part, out, residual, space, thread)
    bias = epilogue.bias
    repeated = replace(epilogue, bias=None if bias is None else np.tile(bias, m))
    return repeated.calls(joined[0], joined[1], joined[2], space, thread)
