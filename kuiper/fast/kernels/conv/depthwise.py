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
from kuiper.fast.kernels.base.calls import Call, Index, Stage
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import Algorithm, Problem
from kuiper.fast.kernels.conv.gemm import in_bands, windows_of

NS_PER_PRODUCT = 0.15
einsum = partial(np.einsum, optimize=False)


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
            tiled = problem.packed(
                f"depthwise x{width}", lambda w: np.tile(w[:, 0].transpose(1, 2, 0)[:, :, None], (1, 1, width, 1))
            ).reshape(*problem.kernel, -1)
        threads = space.threads_for(problem.flops / 2 * NS_PER_PRODUCT)

        def band(part: Index, thread: int) -> list[Call]:
            windows, out = view[part][0], target[part][0]
            flat = out.strides[1] == channels * out.itemsize
            source = out if flat else space.own(thread, out.shape)
            if rows:
                shape = (len(out), *problem.kernel, width * channels)
                long = as_strided(windows, shape, (windows.strides[0], *windows.strides[2:]), writeable=False)
                line = as_strided(source, (len(out), width * channels), (source.strides[0], 4))
                product = partial(einsum, "hijx,ijx->hx", long, tiled, out=line)
            else:
                product = partial(einsum, "hwijc,ijc->hwc", windows, weight, out=source)
            rest = None if residual is None else residual[part][0]
            return [product, *self.epilogue.calls(source, out, rest, space, thread)]

        return [*stages, in_bands(problem, 4 * channels, threads, space, band)]


class Phases(Algorithm):
    """y[h,w,c] = sum over i,j of x[h*s+i, w*s+j, c] * weight[i,j,c], one einsum for each phase of j.

    With stride s, the outputs of a row read columns s w + j. The columns of one phase (s w, or s w + 1, ...), copied
    side by side, make a row in which neighbours belong to neighbouring outputs, as with stride 1.
    """

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

        def band(part: Index, thread: int) -> list[Call]:
            rest = None if residual is None else residual[part][0]
            return self._band(image[part[0]][0], target[part][0], rest, part[1].start, space, thread)

        return [*stages, in_bands(problem, 8 * problem.channels, threads, space, band)]

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
