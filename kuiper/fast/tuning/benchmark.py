"""One kernel bound outside any plan, to time the candidates for a shape and to test kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Halo, Spec, image_buffer
from kuiper.fast.kernels.base.calls import Stage
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import Algorithm, Problem
from kuiper.fast.threads import run_serially


@dataclass(frozen=True)
class BoundKernel:
    """A kernel bound to arrays of its own."""

    inputs: list[Buffer]
    outputs: list[Buffer]
    stages: list[Stage]

    def run(self) -> None:
        """One pass, all on the calling thread."""
        run_serially(self.stages)


def bind_kernel(kernel: Kernel, inputs: Sequence[Spec], outputs: Sequence[Spec], threads: int = 1) -> BoundKernel:
    """`kernel` bound to buffers that are laid out as it asks: inputs hold their constant value, or small numbers."""
    buffers = [buffer_for(spec, kernel.halo(slot)) for slot, spec in enumerate(inputs)]
    for spec, buffer in zip(inputs, buffers):
        buffer.array[...] = spec.value if spec.constant else np.linspace(-1, 1, buffer.array.size).reshape(spec.shape)
    layout = kernel.output_layout
    nhwc = layout == "nhwc" or (layout == "like input" and buffers[0].padded is not None)
    results = [buffer_for(spec, Halo() if nhwc and len(spec.shape or ()) == 4 else None) for spec in outputs]
    space = Workspace(threads)
    kernel.bind(buffers, results, space)
    settled = space.settled()
    return BoundKernel(buffers, results, kernel.bind(buffers, results, settled))


def bind_convolution(
    algorithm: type[Algorithm], x: np.ndarray, weight: np.ndarray, *, padding: int = 0, threads: int = 1, **options: Any
) -> BoundKernel:
    """`algorithm` bound to x (N, C, H, W) and weight (O, C, kh, kw): stride 1, without bias.

    Parameters
    ----------
    options : of the algorithm, such as the size m of a tile.

    >>> from kuiper.fast.kernels.conv.winograd import Winograd
    >>> x, weight = np.ones((1, 2, 6, 6), np.float32), np.ones((3, 2, 3, 3), np.float32)
    >>> bound = bind_convolution(Winograd, x, weight, m=2)
    >>> bound.run()
    >>> bound.outputs[0].array.shape, float(bound.outputs[0].array[0, 0, 0, 0].round(3))
    ((1, 3, 4, 4), 18.0)
    """
    (n, c, h, w), (o, _, kh, kw) = x.shape, weight.shape
    size = h + 2 * padding - kh + 1, w + 2 * padding - kw + 1
    problem = Problem(
        batch=n, channels=c, size=(h, w), out_channels=o, out_size=size, kernel=(kh, kw),
        stride=(1, 1), dilation=(1, 1), pads=Halo(padding, padding, padding, padding), groups=1, weight=weight,
    )  # fmt: skip
    specs = [Spec(x.shape, x.dtype)], [Spec((n, o, *size), x.dtype)]
    bound = bind_kernel(algorithm(problem, Epilogue(), **options), *specs, threads)
    bound.inputs[0].array[...] = x
    return bound


def buffer_for(spec: Spec, halo: Halo | None) -> Buffer:
    """A buffer of its own for a value, zeros in it: channel-last with a halo, or as it is where `halo` is None."""
    assert spec.shape is not None
    if halo is None or len(spec.shape) != 4:
        return Buffer(np.zeros(spec.shape, spec.dtype))
    n, c, h, w = spec.shape
    return image_buffer(np.zeros((n, halo.up + h + halo.bottom, halo.left + w + halo.right, c), spec.dtype), halo)
