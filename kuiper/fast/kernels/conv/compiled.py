"""Depthwise convolution as a loop in machine code, where numba is installed: input, weights and output seen once.

It takes 0.5 to 2 ns for a number of the output, a third of what numpy's einsum and the calls after it take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from kuiper.fast.kernels.base import compiler
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.cache import cache_folder
from kuiper.fast.kernels.base.calls import Call, Index, Stage
from kuiper.fast.kernels.base.compiler import ARRAY, COUNT, NUMBER, contiguous, flat, strides_of
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import Algorithm, Problem
from kuiper.fast.kernels.conv.depthwise import Depthwise
from kuiper.fast.kernels.conv.gemm import in_bands

NS_PER_PRODUCT = 0.07
MOST_TAPS = 49
"""Of a kernel. With more than 63 the compiler gives up using vectors, and einsum is faster."""
SIGNATURE = f"void({', '.join([ARRAY] * 4 + [COUNT] * 11 + [NUMBER] * 2 + ['boolean'])})"
Loop = Callable[..., None]


class Compiled(Algorithm):
    """y[h,w,c] = f(bias[c] + sum over i,j of x[h*s+i*d, w*s+j*d, c] * weight[i,j,c]), one pixel after the other.

    f is what follows if that has bounds (ReLU, ReLU6, ...) or a gate (Hardswish). What else follows, numpy computes.
    """

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """Fits one output channel per input channel and kernels that are not too large, if numba is installed."""
        depthwise = problem.groups == problem.channels == problem.out_channels and problem.groups > 1
        small = problem.kernel[0] * problem.kernel[1] <= MOST_TAPS
        return [{}] if depthwise and small and compiler.installed() else []

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One call for each band of rows, then what is left of the epilogue. Compiles the loop at the first time."""
        problem = self.problem
        loop = depthwise(*problem.kernel)
        if loop is None:
            return Depthwise(problem, self.epilogue, runs="pixels").bind(inputs, outputs, space)
        function, rest = split(self.epilogue)
        image, stages = self.image(inputs[0], space)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        direct = target.strides[-1] == target.itemsize
        # where numpy goes over the result again, bands are small enough to stay in the cache
        again = not direct or rest != Epilogue()
        threads = space.threads_for(problem.flops / 2 * NS_PER_PRODUCT)

        def band(part: Index, thread: int) -> list[Call]:
            out, top = target[part][0], part[1].start * problem.stride[0]
            source = out if direct else space.own(thread, out.shape)
            others = None if residual is None else residual[part][0]
            call = self._call(loop, image[part[0]][0, top:], source, function)
            return [call, *rest.calls(source, out, others, space, thread)]

        return [*stages, in_bands(problem, 4 * problem.channels if again else 1, threads, space, band)]

    def _call(self, loop: Loop, image: np.ndarray, out: np.ndarray, function: tuple[float, float, bool]) -> Call:
        """The loop over all rows of `out`, (H, W, C), whose first reads the first rows of `image`."""
        problem, (a, b, gated) = self.problem, function
        weight = problem.packed("depthwise", lambda w: w[:, 0].transpose(1, 2, 0))
        bias = np.zeros(problem.channels, np.float32) if self.epilogue.bias is None else self.epilogue.bias
        arrays = [flat(image), contiguous(weight), contiguous(bias), flat(out)]
        counts = [*out.shape, *problem.stride, *problem.dilation, *strides_of(image), *strides_of(out)]
        return partial(loop, *arrays, *counts, np.float32(a), np.float32(b), gated)


def split(epilogue: Epilogue) -> tuple[tuple[float, float, bool], Epilogue]:
    """What the loop computes of an epilogue besides the bias, and what is left.

    The loop's part is (low, high, False) for bounds, (slope, shift, True) for a gate; see ActivationSteps.
    """
    activation = epilogue.activation
    if not epilogue.residual and activation is not None:
        if activation.gate is not None:
            return (*activation.gate, True), Epilogue()
        if activation.bounds is not None and activation.bounds[0] <= activation.bounds[1]:
            return (*activation.bounds, False), Epilogue()
    return (-np.inf, np.inf, False), Epilogue(None, epilogue.residual, activation)


@cache
def depthwise(height: int, width: int) -> Loop | None:
    """The loop for kernels of this size as machine code; None where numba cannot be used."""
    return compiler.machine_code(depthwise_loop(height, width), SIGNATURE, cache_folder() / "numba")


def depthwise_loop(height: int, width: int) -> Loop:
    """The loop for kernels of this size, in Python.

    The size is constant, so that the compiler writes out the loops over the kernel and computes many channels at once.
    For the same reason all counts are unsigned: an index that may be negative would count from the end.
    """
    kh, kw = np.uint64(height), np.uint64(width)
    zero, one = np.float32(0), np.float32(1)

    def loop(
        x: np.ndarray, weight: np.ndarray, bias: np.ndarray, y: np.ndarray,
        rows: int, columns: int, channels: int, sh: int, sw: int, dh: int, dw: int,
        x_row: int, x_pixel: int, y_row: int, y_pixel: int, a: float, b: float, gated: bool,
    ) -> None:  # fmt: skip
        for r in range(rows):
            for q in range(columns):
                source = r * sh * x_row + q * sw * x_pixel
                target = r * y_row + q * y_pixel
                for c in range(channels):
                    total = bias[c]
                    for i in range(kh):
                        for j in range(kw):
                            at = source + i * dh * x_row + j * dw * x_pixel + c
                            total += x[at] * weight[(i * kw + j) * channels + c]
                    if gated:
                        gate = a * total + b
                        gate = zero if gate < zero else gate
                        gate = one if gate > one else gate
                        total *= gate
                    else:
                        total = a if total < a else total
                        total = b if total > b else total
                    y[target + c] = total

    return loop
