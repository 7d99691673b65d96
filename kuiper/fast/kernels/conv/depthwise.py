"""Depthwise convolution: one kernel per channel, so there is no matrix product.

einsum multiplies and adds in one pass over its operands, where a product and a sum are two; on long runs of numbers
that makes it two to four times faster than pairs of numpy calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import Algorithm, Problem
from kuiper.fast.kernels.conv.gemm import row_bands, windows_of

NS_PER_PRODUCT = 0.15


class Depthwise(Algorithm):
    """y[h,w,c] = sum over i,j of x[h*s+i, w*s+j, c] * weight[i,j,c].

    runs : "rows" takes a whole row of pixels (OW*C numbers) at once, with the weights repeated OW times, which stride 1
        allows; "pixels" takes the C numbers of a pixel.
    """

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """One output channel per input channel."""
        if not (problem.groups == problem.channels == problem.out_channels and problem.groups > 1):
            return []
        return [{"runs": runs} for runs in (["rows", "pixels"] if problem.stride[1] == 1 else ["pixels"])]

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """For each band of rows: one einsum, then the epilogue."""
        problem = self.problem
        weight = problem.packed("depthwise", lambda w: w[:, 0].transpose(1, 2, 0))
        image, stages = self.image(inputs[0], space)
        view = windows_of(image, problem)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        channels, (_, width) = problem.channels, problem.out_size
        # a slice of wider pixels has no rows of OW*C numbers side by side
        rows = self.options["runs"] == "rows" and image.strides[2] == channels * image.itemsize
        if rows:
            repeated = problem.packed(
                f"depthwise x{width}", lambda w: np.tile(w[:, 0].transpose(1, 2, 0)[:, :, None], (1, 1, width, 1))
            ).reshape(*problem.kernel, -1)
        threads = space.threads_for(problem.flops / 2 * NS_PER_PRODUCT)
        work: Stage = []
        for thread, bands in enumerate(row_bands(problem, 4 * channels, threads)):
            calls: list[Call] = []
            for n, top, bottom in bands:
                windows, out = view[n, top:bottom], target[n, top:bottom]
                with space.tile(thread):
                    flat = out.strides[1] == channels * out.itemsize
                    source = out if flat else space.own(thread, out.shape)
                    if rows:
                        long = as_strided(
                            windows,
                            (bottom - top, *problem.kernel, width * channels),
                            (windows.strides[0], *windows.strides[2:]),
                            writeable=False,
                        )
                        line = as_strided(source, (bottom - top, width * channels), (source.strides[0], 4))
                        calls.append(partial(einsum, "hijx,ijx->hx", long, repeated, out=line))
                    else:
                        calls.append(partial(einsum, "hwijc,ijc->hwc", windows, weight, out=source))
                    rest = None if residual is None else residual[n, top:bottom]
                    calls += self.epilogue.calls(source, out, rest, space, thread)
            work.append(calls)
        return [*stages, work]


einsum = partial(np.einsum, optimize=False)
