"""Max pooling by numpy, or where numba is installed by a compiled loop over the windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from kuiper.fast.kernels.base import compiler
from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.cache import cache_folder
from kuiper.fast.kernels.base.calls import Call, Stage, image_tiles, spans
from kuiper.fast.kernels.base.compiler import ARRAY, COUNT, flat, strides_of
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.pooling.windows import PoolKernel, Windows, windows_of
from kuiper.layers.image.pooling import MaxPool2d

NS_PER_COMPARISON = 0.1
SIGNATURE = f"void({', '.join([ARRAY] * 2 + ['int64'] * 13 + [COUNT] * 5)})"
Loop = Callable[..., None]


class MaxPool(PoolKernel):
    """(N, C, H, W) -> (N, C, H', W'): the largest number in each window, NaN where there is one."""

    label = "MaxPool"

    def __init__(self, rows: Windows, columns: Windows, shape: tuple[int, ...]) -> None:
        super().__init__(np.maximum, rows, columns, -np.inf)
        self.shape = shape

    @property
    def key(self) -> str:
        """The shape and options."""
        numbers = (f"k{a.kernel} s{a.stride} p{a.padding} d{a.dilation}" for a in (self.rows, self.columns))
        return f"max pool {'x'.join(map(str, self.shape))} {' '.join(numbers)}"

    def candidates(self) -> Sequence[Kernel]:
        """numpy; compiled too where numba is installed and windows overlap little.

        Windows that overlap much are faster pooled by rows and then by columns.
        """
        axes = (self.rows, self.columns)
        fits = all(2 * axis.stride >= axis.kernel and _sees_the_image(axis) for axis in axes)
        return [self, CompiledMaxPool(self)] if fits and compiler.installed() else [self]


class CompiledMaxPool(Kernel):
    """The same as a compiled loop."""

    output_layout = "nhwc"
    by_sample = always

    def __init__(self, numpy: MaxPool) -> None:
        self.numpy, self.rows, self.columns = numpy, numpy.rows, numpy.columns

    def halo(self, slot: int) -> Halo:
        """No border, channel-last."""
        return Halo()

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One call for each thread and image. Compiles the loop when it is first needed."""
        loop = max_pool()
        source, target = inputs[0].nhwc, outputs[0].nhwc
        if loop is None or source.strides[-1] != 4 or target.strides[-1] != 4:
            return self.numpy.bind(inputs, outputs, space)
        n, rows = len(target), self.rows.count
        work = target.size * self.rows.kernel * self.columns.kernel * NS_PER_COMPARISON
        stage: Stage = []
        for start, stop in spans(n * rows, space.threads_for(work)):
            calls: list[Call] = []
            for images, first, last in image_tiles(start, stop, rows, rows):
                calls += [self._call(loop, source[i], target[i], first, last) for i in range(images.start, images.stop)]
            stage.append(calls)
        return [stage]

    def _call(self, loop: Loop, image: np.ndarray, out: np.ndarray, first: int, last: int) -> Call:
        """The loop over the rows first ... last - 1 of `out`, (H', W', C)."""
        axes = [
            number
            for axis in (self.rows, self.columns)
            for number in (axis.size, axis.kernel, axis.stride, axis.padding, axis.dilation)
        ]
        numbers = [first, last, self.columns.count, *axes, image.shape[2], *strides_of(image), *strides_of(out)]
        return partial(loop, flat(image), flat(out), *numbers)


def _sees_the_image(axis: Windows) -> bool:
    """Whether every window has an element, which may fail with much padding and dilation."""
    starts = [r * axis.stride - axis.padding for r in range(axis.count)]
    return all(any(0 <= start + i * axis.dilation < axis.size for i in range(axis.kernel)) for start in starts)


@cache
def max_pool() -> Loop | None:
    """The loop as machine code; None where numba cannot be used."""
    return compiler.machine_code(max_pool_loop, SIGNATURE, cache_folder() / "numba")


def max_pool_loop(
    x: np.ndarray, y: np.ndarray, first: int, last: int, columns: int,
    height: int, kh: int, sh: int, ph: int, dh: int, width: int, kw: int, sw: int, pw: int, dw: int,
    channels: int, x_row: int, x_pixel: int, y_row: int, y_pixel: int,
) -> None:  # fmt: skip
    """The rows first ... last - 1 of one image, in Python."""
    for r in range(first, last):
        for q in range(columns):
            target = np.uint64(r) * y_row + np.uint64(q) * y_pixel
            fresh = True
            for i in range(kh):
                h = r * sh - ph + i * dh
                if h < 0 or h >= height:
                    continue
                for j in range(kw):
                    w = q * sw - pw + j * dw
                    if w < 0 or w >= width:
                        continue
                    source = np.uint64(h) * x_row + np.uint64(w) * x_pixel
                    if fresh:
                        for c in range(channels):
                            y[target + c] = x[source + c]
                        fresh = False
                    else:
                        for c in range(channels):
                            new, best = x[source + c], y[target + c]
                            y[target + c] = best if best > new or best != best else new


@lowers(MaxPool2d)
def max_pool_2d(step: Step) -> Kernel | None:
    """(N, C, H, W) -> (N, C, H', W') float32, without indices."""
    x = step.inputs[0]
    if not x.is_float or x.shape is None or len(x.shape) != 4 or step.layer.return_indices:
        return None
    return MaxPool(*windows_of(step.layer, step), x.shape)
