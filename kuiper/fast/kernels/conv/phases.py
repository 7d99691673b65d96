"""Depthwise convolution with a stride: the columns sorted by phase first, so that long rows can be multiplied at once.

With stride s, the outputs of a row look at the columns s w + j. All columns of one phase (s w, or s w + 1, ...) copied
side by side make a row in which neighbours belong to neighbouring outputs, as with stride 1.
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
from kuiper.fast.kernels.conv.depthwise import NS_PER_PRODUCT, einsum
from kuiper.fast.kernels.conv.gemm import row_bands


class Phases(Algorithm):
    """y[h,w,c] = sum over i,j of x[h*s+i, w*s+j, c] * weight[i,j,c], one einsum for each phase of j."""

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """One output channel per input channel, a stride across, no dilation."""
        depthwise = problem.groups == problem.channels == problem.out_channels and problem.groups > 1
        return [{}] if depthwise and problem.stride[1] > 1 and problem.dilation == (1, 1) else []

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """For each band of rows: copy the phases, an einsum for each, the epilogue."""
        problem = self.problem
        image, stages = self.image(inputs[0], space)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        threads = space.threads_for(problem.flops * NS_PER_PRODUCT)
        work: Stage = []
        for thread, bands in enumerate(row_bands(problem, 8 * problem.channels, threads)):
            calls: list[Call] = []
            for n, top, bottom in bands:
                with space.tile(thread):
                    rest = None if residual is None else residual[n, top:bottom]
                    calls += self._band(image[n], target[n, top:bottom], rest, top, space, thread)
            work.append(calls)
        return [*stages, work]

    def _band(
        self, image: np.ndarray, out: np.ndarray, residual: np.ndarray | None, top: int, space: Workspace, thread: int
    ) -> list[Call]:
        """The calls for some rows of one image."""
        problem = self.problem
        (kh, kw), (sh, sw) = problem.kernel, problem.stride
        rows, width, channels = out.shape
        band = image[top * sh : (top + rows - 1) * sh + kh]
        result = space.own(thread, (rows, width * channels))
        more = space.own(thread, (rows, width * channels)) if min(sw, kw) > 1 else result
        calls: list[Call] = []
        for phase in range(min(sw, kw)):
            taps = -(-(kw - phase) // sw)
            columns = band[:, phase::sw][:, : width + taps - 1]
            side_by_side = space.own(thread, columns.shape)
            by_row, by_column, by_channel = side_by_side.strides
            windows = as_strided(
                side_by_side,
                (rows, kh, taps, width * channels),
                (sh * by_row, by_row, by_column, by_channel),
                writeable=False,
            )
            weight = problem.packed(
                f"phase {phase} of {sw} x{width}", partial(repeated, phase=phase, s=sw, width=width)
            )
            calls.append(partial(np.copyto, side_by_side, columns))
            calls.append(partial(einsum, "hijx,ijx->hx", windows, weight, out=more if phase else result))
            if phase:
                calls.append(partial(np.add, result, more, result))
        return calls + self.epilogue.calls(result.reshape(out.shape), out, residual, space, thread)


def repeated(weight: np.ndarray, phase: int, s: int, width: int) -> np.ndarray:
    """Weights (C, 1, kh, kw) -> (kh, taps of the phase, width * C), the C numbers of a tap again for every output."""
    taps = weight[:, 0, :, phase::s].transpose(1, 2, 0)
    return np.tile(taps[:, :, None], (1, 1, width, 1)).reshape(*taps.shape[:2], -1)
