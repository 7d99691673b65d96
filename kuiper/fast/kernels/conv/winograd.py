"""Winograd's convolution: 3x3 windows at stride 1 with 2.25 or 4 times fewer multiplications.

A tile of m x m outputs comes from (m+2) x (m+2) inputs d and the kernel g as A^T [(G g G^T) * (B^T d B)] A. Tiles in
rows, each of the three transforms is one matrix product (with a Kronecker product such as B^T (x) B^T), and the
elementwise product summed over channels is (m+2)^2 products of matrices (tiles, C) and (C, O).

Sources: A. Lavin, S. Gray, Fast algorithms for convolutional neural networks, https://arxiv.org/abs/1509.09308
B. Barabasz et al., Error analysis and improving the accuracy of Winograd convolution,
https://arxiv.org/abs/1803.10986
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Call, Stage, spans
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import Algorithm, Problem
from kuiper.fast.kernels.conv.gemm import NS_PER_FLOP

BAND = 1 << 19
"""Floats that a band of rows of tiles takes, intermediate results included."""
FEW_TILES = 12
"""With fewer tiles the products do not pay for the transforms."""
POINTS = {2: (0.0, 1.0, -1.0), 4: (0.0, 0.5**0.5, -(0.5**0.5), 2.0**0.5, -(2.0**0.5))}
"""The points at which the polynomials are evaluated, besides infinity. The usual 0, 1, -1, 2, -2 make the error four
times larger."""


def transforms(m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(A^T, G, B^T) of F(m, 3), by the construction of Toom and Cook: shapes (m, m+2), (m+2, 3), (m+2, m+2); float64.

    A correlation of m + 2 inputs with 3 weights is the transpose of a product of two polynomials. That is found from
    its values at m + 1 points and at infinity.

    >>> back, g, into = transforms(2)
    >>> (back @ (g @ [1, 2, 3] * (into @ [1, 0, 0, 1]))).round(6).tolist()
    [1.0, 3.0]
    """
    points = POINTS[m]
    count = len(points) + 1
    back, g, into = np.zeros((m, count)), np.zeros((count, 3)), np.zeros((count, count))
    for j, point in enumerate(points):
        others = [other for other in points if other != point]
        back[:, j] = np.power(point, np.arange(m))
        g[j] = np.power(point, np.arange(3)) / np.prod(point - np.array(others))
        into[j, :-1] = np.polynomial.polynomial.polyfromroots(others)
    back[-1, -1] = g[-1, -1] = 1
    into[-1] = np.polynomial.polynomial.polyfromroots(points)
    return back, g, into


def twice(matrix: np.ndarray) -> np.ndarray:
    """The matrix that applies `matrix` to the rows and to the columns of a tile written as one column.

    >>> twice(np.array([[1, 1]]))
    array([[1., 1., 1., 1.]], dtype=float32)
    """
    return np.kron(matrix, matrix).astype(np.float32)


class Winograd(Algorithm):
    """F(m, 3) in two dimensions.

    m : the side of a tile of outputs, 2 or 4.
    """

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """3x3 windows at stride 1, one group."""
        fits = problem.kernel == (3, 3) and problem.stride == problem.dilation == (1, 1) and problem.groups == 1
        if not fits or problem.channels < 8 or problem.out_channels < 8 or min(problem.out_size) < 2:
            return []
        found: list[dict[str, object]] = []
        for m in (2, 4):
            tiles = problem.batch * prod(-(-extent // m) for extent in problem.out_size)
            if tiles >= FEW_TILES:
                found.append({"m": m})
        return found

    @property
    def m(self) -> int:
        """The side of a tile."""
        return int(self.options["m"])  # type: ignore[call-overload]

    def halo(self, slot: int) -> Halo | None:
        """The padding, extended to the end of the last tile."""
        if slot:
            return None
        up, bottom, left, right = self.problem.pads
        (height, width), m = self.problem.out_size, self.m
        return Halo(up, bottom + -height % m, left, right + -width % m)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Bands of rows of tiles, each band through all transforms."""
        problem, m = self.problem, self.m
        image, stages = self.image(inputs[0], space)
        target = outputs[0].nhwc
        residual = inputs[-1].nhwc if self.epilogue.residual else None
        threads = space.threads_for(problem.flops * NS_PER_FLOP / m)
        down, across = (-(-extent // m) for extent in problem.out_size)
        a = m + 2
        per_tile = a * a * (2 * problem.channels + problem.out_channels) + m * m * problem.out_channels
        work: Stage = []
        for thread, (start, stop) in enumerate(spans(problem.batch * down, threads)):
            calls: list[Call] = []
            most = max(1, BAND // (per_tile * across))
            while start < stop:
                n, row = divmod(start, down)
                left = min(down - row, stop - start)
                count = -(-left // -(-left // most))
                with space.reused(thread):
                    rest = None if residual is None else residual[n]
                    calls += self._band(image[n], target[n], rest, row, count, across, space, thread)
                start += count
            work.append(calls)
        return [*stages, work]

    def _band(
        self,
        image: np.ndarray,
        target: np.ndarray,
        residual: np.ndarray | None,
        row: int,
        down: int,
        across: int,
        space: Workspace,
        thread: int,
    ) -> list[Call]:
        """The calls for the tile rows row..row+down of one image."""
        problem, m = self.problem, self.m
        a, tiles = m + 2, down * across
        back, _, into = transforms(m)
        weight = problem.packed(f"winograd{m}", partial(transformed, m=m))
        patches = space.own(thread, (a * a, tiles, problem.channels))
        inner = space.own(thread, (a * a, tiles, problem.channels))
        sums = space.own(thread, (a * a, tiles, problem.out_channels))
        results = space.own(thread, (m * m, tiles, problem.out_channels))
        by_row, by_column, by_channel = image.strides
        gathered = as_strided(
            image[row * m :],
            (a, a, down, across, problem.channels),
            (by_row, by_column, m * by_row, m * by_column, by_channel),
            writeable=False,
        )
        calls: list[Call] = [
            partial(np.copyto, patches.reshape(gathered.shape), gathered),
            partial(np.matmul, twice(into), patches.reshape(a * a, -1), inner.reshape(a * a, -1)),
            partial(np.matmul, inner, weight, sums),
            partial(np.matmul, twice(back), sums.reshape(a * a, -1), results.reshape(m * m, -1)),
        ]
        # (m, m, down, across, O) -> (down, m, across, m, O): the order of the image
        ordered = results.reshape(m, m, down, across, -1).transpose(2, 0, 3, 1, 4)
        height, width = min(problem.out_size[0] - row * m, down * m), problem.out_size[1]
        for rows, i in pieces(height, m):
            for columns, j in pieces(width, m):
                source = ordered[rows[0] // m : -(-rows[1] // m), :i, columns[0] // m : -(-columns[1] // m), :j]
                part = (slice(row * m + rows[0], row * m + rows[1]), slice(*columns))
                with space.reused(thread):
                    rest = None if residual is None else tiled(residual[part], i, j)
                    calls += self.epilogue.calls(source, tiled(target[part], i, j), rest, space, thread)
        return calls


def transformed(weight: np.ndarray, m: int) -> np.ndarray:
    """Kernels (O, C, 3, 3) -> ((m+2)^2, C, O): G g G^T of each, computed in float64."""
    out_channels, channels = weight.shape[:2]
    g = transforms(m)[1]
    columns = weight.transpose(2, 3, 1, 0).reshape(9, -1).astype(np.float64)
    return (np.kron(g, g) @ columns).reshape(-1, channels, out_channels).astype(np.float32)


def pieces(extent: int, m: int) -> list[tuple[tuple[int, int], int]]:
    """Whole tiles, then the part of a tile that is left: ((start, stop), rows used of each tile).

    >>> pieces(10, 4), pieces(8, 4)
    ([((0, 8), 4), ((8, 10), 2)], [((0, 8), 4)])
    """
    whole = extent // m * m
    found = [((0, whole), m)] if whole else []
    return found + ([((whole, extent), extent - whole)] if extent > whole else [])


def tiled(pixels: np.ndarray, i: int, j: int) -> np.ndarray:
    """(down*i, across*j, O) -> a view (down, i, across, j, O)."""
    height, width, channels = pixels.shape
    by_row, by_column, by_channel = pixels.strides
    return as_strided(
        pixels,
        (height // i, i, width // j, j, channels),
        (i * by_row, by_row, j * by_column, by_column, by_channel),
    )
