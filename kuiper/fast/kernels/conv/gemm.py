"""Convolution as a matrix product: windows in rows (im2col), or for 1x1 kernels the image itself.

Source: K. Chellapilla, S. Puri, P. Simard, High performance convolutional neural networks for document processing,
2006.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Index, Stage, spans
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import FEW_CHANNELS, Algorithm, Problem, part_of, rows_as_matrix

BAND = 1 << 18
"""Floats of windows and results in a band of rows: what a core's second-level cache holds."""
NS_PER_FLOP = 1 / 80
FEW_PIXELS = 400
"""Pixel count at or below which threads may better share output channels than rows."""


class PointwiseConvolution(Algorithm):
    """A 1x1 convolution of stride 1: pixels (N*H*W, C) times weights (C, O), without a copy of the image.

    Where a halo lies between the rows of the image, `whole` computes the halo too and drops it from the result;
    otherwise each row is a product of its own. Without a halo, and on one thread, the variants make the same calls.
    """

    label = "Pointwise"

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """Both ways to treat a halo; threads share rows or output channels."""
        fits = problem.kernel == problem.stride == (1, 1) and problem.groups == 1 and not any(problem.pads)
        few_pixels = problem.batch * problem.out_size[0] * problem.out_size[1] <= FEW_PIXELS
        splits = ["rows", "columns"] if few_pixels else ["rows"]
        return [{"whole": whole, "split": split} for whole in (True, False) for split in splits] if fits else []

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Products of bands of rows, each followed by the epilogue."""
        problem = self.problem
        weight = problem.packed("1x1", lambda w: w[:, :, 0, 0].T)
        image, stages = self.image(inputs[0], space)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        threads = space.threads_for(problem.flops * NS_PER_FLOP)
        work: Stage = []
        if self.options["split"] == "columns":
            for thread, (start, stop) in enumerate(spans(problem.out_channels, threads)):
                some = (Ellipsis, slice(start, stop))
                work.append(self._band(image, weight[:, start:stop], target, residual, some, space, thread))
        else:

            def band(part: Index, thread: int) -> list[Call]:
                return self._band(image[part], weight, target, residual, part, space, thread)

            work = in_bands(problem, problem.channels + problem.out_channels, threads, space, band)
        return [*stages, work]

    def _band(
        self,
        image: np.ndarray,
        weight: np.ndarray,
        target: np.ndarray,
        residual: np.ndarray | None,
        part: Index,
        space: Workspace,
        thread: int,
    ) -> list[Call]:
        """The calls that compute target[part] from its rows of the image."""
        out, rest = target[part], part_of(residual, part)
        if weight.shape[1] != self.problem.out_channels and self.epilogue.bias is not None:
            rest_of_epilogue = self.epilogue.columns(part[-1])
        else:
            rest_of_epilogue = self.epilogue
        matrix, result = rows_as_matrix(image), rows_as_matrix(out)
        if matrix is not None and result is not None:
            calls: list[Call] = [partial(np.matmul, matrix, weight, result)]
            source = result.reshape(out.shape) if result.flags.c_contiguous else out
            return calls + rest_of_epilogue.calls(source, out, rest, space, thread)
        _, rows, width, channels = image.shape
        if matrix is None and self.options["whole"]:
            by_row, by_column = image.strides[1:3]
            step = by_row // by_column if by_column > 0 else 0  # pixels from one row to the next
            if step >= width and by_row % by_column == 0 and image.shape[0] == 1:
                flat = as_strided(image, ((rows - 1) * step + width, channels), image.strides[2:])
                scratch = space.own(thread, (rows * step, weight.shape[1]))
                calls = [partial(np.matmul, flat, weight, scratch[: len(flat)])]
                source = scratch.reshape(1, rows, step, -1)[:, :, :width]
                return calls + rest_of_epilogue.calls(source, out, rest, space, thread)
        if matrix is not None:
            scratch = space.own(thread, out.shape)
            calls = [partial(np.matmul, matrix, weight, scratch.reshape(-1, weight.shape[1]))]
            return calls + rest_of_epilogue.calls(scratch, out, rest, space, thread)
        return [partial(np.matmul, image, weight, out), *rest_of_epilogue.calls(out, out, rest, space, thread)]


class Im2col(Algorithm):
    """Windows copied into rows (OH*OW, kh*kw*C), a band at a time, times weights (kh*kw*C, O).

    split : threads share the rows of the output, or (for small images of many channels) its columns, the channels. On
        one thread both make the same calls.
    """

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """One group, more than a few channels."""
        pixels = problem.batch * problem.out_size[0] * problem.out_size[1]
        splits = ["rows", "columns"] if pixels <= FEW_PIXELS else ["rows"]
        one_by_one = problem.kernel == problem.stride == (1, 1) and not any(problem.pads)
        fits = problem.groups == 1 and problem.channels > FEW_CHANNELS and not one_by_one
        return [{"split": split} for split in splits] if fits else []

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """For each band of rows: copy windows, multiply, epilogue."""
        problem = self.problem
        weight = problem.packed("im2col", lambda w: w.transpose(2, 3, 1, 0).reshape(-1, w.shape[0]))
        image, stages = self.image(inputs[0], space)
        view = windows_of(image, problem)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        threads = space.threads_for(problem.flops * NS_PER_FLOP)
        if self.options["split"] == "columns" and threads > 1:
            return stages + self._by_columns(view, weight, target, residual, space, threads)

        def band(part: Index, thread: int) -> list[Call]:
            windows = view[part]
            columns = space.own(thread, windows.shape)
            rest = part_of(residual, part)
            product = self._product(columns.reshape(-1, len(weight)), weight, target[part], space, thread, rest)
            return [partial(np.copyto, columns, windows), *product]

        return [*stages, in_bands(problem, len(weight) + problem.out_channels, threads, space, band)]

    def _product(
        self,
        columns: np.ndarray,
        weight: np.ndarray,
        out: np.ndarray,
        space: Workspace,
        thread: int,
        residual: np.ndarray | None,
    ) -> list[Call]:
        result = rows_as_matrix(out)
        source = out
        if result is None:
            source = space.own(thread, out.shape)
            result = source.reshape(-1, out.shape[-1])
        return [partial(np.matmul, columns, weight, result), *self.epilogue.calls(source, out, residual, space, thread)]

    def _by_columns(
        self,
        view: np.ndarray,
        weight: np.ndarray,
        target: np.ndarray,
        residual: np.ndarray | None,
        space: Workspace,
        threads: int,
    ) -> list[Stage]:
        columns = space.shared(view.shape)
        height = view.shape[1]
        copies: Stage = [[partial(np.copyto, columns[:, a:b], view[:, a:b])] for a, b in spans(height, threads)]
        matrix = columns.reshape(-1, len(weight))
        products: Stage = []
        for thread, (start, stop) in enumerate(spans(self.problem.out_channels, threads)):
            some = slice(start, stop)
            scratch = space.own(thread, (*target.shape[:-1], stop - start))
            calls: list[Call] = [partial(np.matmul, matrix, weight[:, some], scratch.reshape(len(matrix), -1))]
            rest = None if residual is None else residual[..., some]
            calls += self.epilogue.columns(some).calls(scratch, target[..., some], rest, space, thread)
            products.append(calls)
        return [copies, products]


class Grouped(Algorithm):
    """Several groups: windows of each group in rows (groups, OH*OW, kh*kw*C/groups), one product per group."""

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """Several groups, unless each channel is one."""
        depthwise = problem.groups == problem.channels == problem.out_channels
        return [{}] if problem.groups > 1 and not depthwise else []

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """For each band of rows: copy windows, multiply group by group, epilogue."""
        problem, groups = self.problem, self.problem.groups
        weight = problem.packed(
            "grouped", lambda w: w.reshape(groups, -1, *w.shape[1:]).transpose(0, 3, 4, 2, 1)
        ).reshape(groups, -1, problem.out_channels // groups)
        image, stages = self.image(inputs[0], space)
        view = windows_of(image, problem)
        shape = (*view.shape[:5], groups, problem.channels // groups)
        by_group = view.reshape(shape) if view.shape[-1] == 0 else as_strided(
            view, shape, (*view.strides[:5], view.strides[5] * (problem.channels // groups), view.strides[5])
        )  # fmt: skip
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        threads = space.threads_for(problem.flops * NS_PER_FLOP * 2)

        def band(part: Index, thread: int) -> list[Call]:
            windows = by_group[part][0].transpose(4, 0, 1, 2, 3, 5)  # groups, rows, columns, kh, kw, C/groups
            out, rows, width = target[part], windows.shape[1], windows.shape[2]
            columns = space.own(thread, windows.shape)
            result = space.own(thread, (groups, rows * width, weight.shape[2]))
            whole = space.own(thread, out.shape)
            ordered = result.reshape(groups, rows, width, -1).transpose(1, 2, 0, 3)
            return [
                partial(np.copyto, columns, windows),
                partial(np.matmul, columns.reshape(groups, -1, weight.shape[1]), weight, result),
                partial(np.copyto, whole.reshape(ordered.shape), ordered),
                *self.epilogue.calls(whole, out, part_of(residual, part), space, thread),
            ]

        return [*stages, in_bands(problem, len(weight[0]) * groups + problem.out_channels, threads, space, band)]


def windows_of(image: np.ndarray, problem: Problem) -> np.ndarray:
    """(N, Hp, Wp, C) -> a view (N, OH, OW, kh, kw, C): the pixels that each output reads."""
    n, _, _, channels = image.shape
    (kh, kw), (sh, sw), (dh, dw) = problem.kernel, problem.stride, problem.dilation
    by_image, by_row, by_column, by_channel = image.strides
    shape = (n, *problem.out_size, kh, kw, channels)
    return as_strided(
        image, shape, (by_image, sh * by_row, sw * by_column, dh * by_row, dw * by_column, by_channel), writeable=False
    )


def in_bands(
    problem: Problem, floats_per_pixel: int, threads: int, space: Workspace, band: Callable[[Index, int], list[Call]]
) -> Stage:
    """The calls that `band` gives for each band of output rows (index, thread); bands of a thread share scratch."""
    stage: Stage = []
    for thread, bands in enumerate(row_bands(problem, floats_per_pixel, threads)):
        calls: list[Call] = []
        for n, top, bottom in bands:
            with space.reused(thread):
                calls += band((slice(n, n + 1), slice(top, bottom)), thread)
        stage.append(calls)
    return stage


def row_bands(problem: Problem, floats_per_pixel: int, threads: int) -> Iterator[list[tuple[int, int, int]]]:
    """For each thread its bands of output rows (image, top, bottom), whose scratch fits the cache."""
    height, width = problem.out_size
    most = max(1, BAND // max(1, floats_per_pixel * width), -(-64 // width))
    for start, stop in spans(problem.batch * height, threads):
        bands = []
        while start < stop:
            n, top = divmod(start, height)
            left = min(height - top, stop - start)
            count = -(-left // -(-left // most))  # even bands rather than a small last one
            bands.append((n, top, top + count))
            start += count
        yield bands
