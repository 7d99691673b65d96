"""Convolution of channel-first images (NCHW) with few channels, such as photographs, to channel-last ones (NHWC).

Channel-last, three channels make runs of a few numbers, too short to copy fast. So the image stays as it is, (C, H, W),
and the windows are gathered as (C*kh*kw, OH*OW), for each weight one strided plane; the product takes them transposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Call, Index, Stage
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import FEW_CHANNELS, Algorithm, Problem, part_of, rows_as_matrix, within_zeros
from kuiper.fast.kernels.conv.gemm import NS_PER_FLOP, in_bands


class Planes(Algorithm):
    """Windows (C*kh*kw, OH*OW), a band of rows at a time; their transpose times weights (C*kh*kw, O).

    The image is read channel-first, the output is channel-last.
    """

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """One group, few channels."""
        return [{}] if problem.groups == 1 and problem.channels <= FEW_CHANNELS else []

    def halo(self, slot: int) -> Halo | None:
        """None: no border is stored around a channel-first image."""
        return None

    def prefers_nhwc(self, slot: int) -> bool:
        """No."""
        return False

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The padded image; then for each band of rows the windows, the product, the epilogue."""
        problem = self.problem
        weight = problem.packed("planes", lambda w: w.reshape(len(w), -1).T)
        image, stages = self._padded(inputs[0].array, space)
        windows = self._windows(image)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        threads = space.threads_for(problem.flops * NS_PER_FLOP)

        def band(part: Index, thread: int) -> list[Call]:
            out, some = target[part], windows[part[0].start, ..., part[1], :]
            columns = space.own(thread, some.shape)
            result = rows_as_matrix(out)
            source = out if result is not None else space.own(thread, out.shape)
            product = source.reshape(-1, out.shape[-1]) if result is None else result
            return [
                partial(np.copyto, columns, some),
                partial(np.matmul, columns.reshape(len(weight), -1).T, weight, product),
                *self.epilogue.calls(source, out, part_of(residual, part), space, thread),
            ]

        return [*stages, in_bands(problem, len(weight) + problem.out_channels, threads, space, band)]

    def _padded(self, image: np.ndarray, space: Workspace) -> tuple[np.ndarray, list[Stage]]:
        """(N, C, H, W) with its border of zeros, and the stage that copies it there."""
        up, bottom, left, right = self.problem.pads
        n, c, h, w = image.shape
        if not any(self.problem.pads) and image.strides[-1] == image.itemsize:
            return image, []
        padded = space.shared((n, c, up + h + bottom, left + w + right))
        return padded, [within_zeros(image, padded, padded[:, :, up : up + h, left : left + w])]

    def _windows(self, image: np.ndarray) -> np.ndarray:
        """(N, C, Hp, Wp) -> a view (N, C, kh, kw, OH, OW)."""
        problem = self.problem
        by_image, by_channel, by_row, by_column = image.strides
        (kh, kw), (sh, sw), (dh, dw) = problem.kernel, problem.stride, problem.dilation
        return as_strided(
            image,
            (image.shape[0], image.shape[1], kh, kw, *problem.out_size),
            (by_image, by_channel, dh * by_row, dw * by_column, sh * by_row, sw * by_column),
            writeable=False,
        )
