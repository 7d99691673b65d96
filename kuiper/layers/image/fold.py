"""Unfold and fold: im2col and its adjoint col2im as operators of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import OutputSizeError, ShapeError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import moves, per_input
from kuiper.layers.families import SHAPE
from kuiper.layers.image.windows import as_batch, col2im, im2col, pad_planes, per_axis, windows
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


class _Windows(Layer):
    """The options that say where the windows lie."""

    family = SHAPE

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        self.kernel_size = per_axis(2, "kernel_size", kernel_size, 1)
        self.dilation = per_axis(2, "dilation", dilation, 1)
        self.padding = per_axis(2, "padding", padding, 0)
        self.stride = per_axis(2, "stride", stride, 1)

    def _places(self, size: tuple[int, ...]) -> int:
        """How many windows lie in an image of `size`. Raises ShapeError when not even one does."""
        options = zip(size, self.kernel_size, self.dilation, self.padding, self.stride)
        counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in options]
        if min(counts) < 1:
            expected = f"large enough for kernel_size={self.kernel_size} and dilation={self.dilation}"
            raise OutputSizeError(f"{type(self).__name__} image with padding {self.padding}", expected, size)
        return math.prod(counts)


@registry.register("nn.Unfold", "F.unfold")
class Unfold(_Windows):
    """(N, C, H, W) -> (N, C*kh*kw, L): the L windows of the image, each a column, its channels one after the other.

    Parameters
    ----------
    kernel_size, dilation, padding, stride : one integer, or (rows, cols); the padding is 0.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html

    >>> Unfold((1, 2)).forward(np.array([[[1.0, 2, 3]]]))
    array([[1., 2.],
           [2., 3.]])
    """

    flops = moves

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The windows of `x`. Raises ShapeError for an image smaller than a window."""
        check_dtype("Unfold", x, "fcb")
        batch = as_batch("Unfold", x)
        self._places(batch.shape[2:])
        pads = [p for p in self.padding for _ in range(2)]
        view = windows(pad_planes(self.toolbox, batch, pads, 0), self.kernel_size, self.stride, self.dilation)
        columns = im2col(view).swapaxes(1, 2)
        return columns if x.ndim == 4 else columns[0]


@registry.register("nn.Fold", "F.fold")
class Fold(_Windows):
    """(N, C*kh*kw, L) -> (N, C, *output_size): each column back in the place of its window; overlaps add up.

    Parameters
    ----------
    output_size : (H, W), the image that Unfold with the same options makes L columns of; one integer for both.
    kernel_size, dilation, padding, stride : as in Unfold.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Fold.html

    >>> Fold((1, 3), (1, 2)).forward(np.array([[1.0, 2], [2, 3]]))
    array([[[1., 4., 3.]]])
    """

    flops = per_input(1)

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = per_axis(2, "output_size", output_size, 1)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The image of the columns `x`. Raises ShapeError when their number or their length does not fit."""
        check_dtype("Fold", x, "fcb")
        if x.ndim not in (2, 3) or 0 in x.shape:
            raise ShapeError("Fold input", "(N, C*kh*kw, L) or (C*kh*kw, L), no axis empty", x.shape)
        length, count = math.prod(self.kernel_size), self._places(self.output_size)
        if x.shape[-2] % length or x.shape[-1] != count:
            expected = f"(..., a multiple of {length}, {count}) for kernel_size={self.kernel_size}"
            raise ShapeError("Fold input", f"{expected} and output_size={self.output_size}", x.shape)
        rows = single(x if x.ndim == 3 else x[None]).swapaxes(1, 2)
        (up, left), (height, width) = self.padding, self.output_size
        image = col2im(rows, (height + 2 * up, width + 2 * left), self.kernel_size, self.stride, self.dilation)
        y = np.ascontiguousarray(image[:, :, up : up + height, left : left + width])
        return (y if x.ndim == 3 else y[0]).astype(x.dtype, copy=False)
