"""Detection: images read in boxes, and through kernels whose taps wander.

Both read pixels between pixels, by linear interpolation; `sampling` explains how.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ChannelError, InferError, OutputSizeError, ParameterError, RankError, ShapeError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, UnknownShapeError, size
from kuiper.layers.families import CONVOLUTION, POOLING
from kuiper.layers.image.sampling import linear, sample
from kuiper.layers.image.windows import per_axis
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


def along(x: np.ndarray, axis: int, places: np.ndarray) -> np.ndarray:
    """(..., n, ...) -> (..., P, ...): x at P places of `axis`, 0 where they lie further outside than one pixel."""
    extent = x.shape[axis]
    inner = np.clip(places, 0, extent - 1)
    left = np.floor(inner).astype(np.intp)
    shape = (-1, *[1] * (x.ndim - axis - 1))
    t = (inner - left).reshape(shape)
    values = x.take(left, axis) * (1 - t) + x.take(np.minimum(left + 1, extent - 1), axis) * t
    return np.where(((places >= -1) & (places <= extent)).reshape(shape), values, 0)


@registry.register("torchvision.ops.RoIAlign")
class RoIAlign(Layer):
    """(N, C, H, W), boxes (K, 5) -> (K, C, h, w): each box cut into h x w cells, and the mean over some points of each.

    A box is (n, x1, y1, x2, y2): the image, and two corners. A cell has sampling_ratio points on each axis, evenly
    spaced; the image is interpolated linearly there. Boxes may also come as N arrays (K_n, 4), one for each image.

    Parameters
    ----------
    output_size : h and w.
    spatial_scale : from the coordinates of the boxes to those of the array.
    sampling_ratio : 0 or less means as many points as a cell has pixels, rounded up.
    aligned : pixel i lies from i to i + 1 and its middle at i + 1/2; otherwise its middle is at i, and a box is at
        least one pixel wide and high.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.ops.roi_align.html

    >>> image, box = np.array([[[[0.0, 1], [2, 3]]]]), np.array([[0.0, 0, 0, 2, 2]])
    >>> RoIAlign(1, aligned=True).forward(image, box)
    array([[[[1.5]]]])
    """

    family = POOLING

    def __init__(
        self, output_size: Any, spatial_scale: float = 1.0, sampling_ratio: Any = -1, aligned: bool = False
    ) -> None:
        self.output_size = per_axis(2, "output_size", output_size, 1)
        self.scale, self.ratio, self.aligned = float(spatial_scale), int(sampling_ratio), aligned

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """7 to interpolate each point of a cell, and 1 to add it; the boxes decide how many those are, if not told."""
        if self.ratio <= 0:
            raise UnknownShapeError("boxes")
        return size(outputs[0]) * 8 * self.ratio**2

    def forward(self, x: np.ndarray, boxes: Any) -> np.ndarray:
        """Read the boxes. Raises ShapeError for other shapes, InferError for a box of an image that is not there."""
        check_dtype("RoIAlign", x, "f")
        if isinstance(boxes, (list, tuple)):
            numbers = [np.full((len(rows), 1), n, x.dtype) for n, rows in enumerate(boxes)]
            boxes = np.concatenate([np.hstack(pair) for pair in zip(numbers, boxes)])
        if x.ndim != 4 or 0 in x.shape[2:]:
            raise RankError("input", "(N, C, H, W), with at least one pixel", x.shape)
        if boxes.ndim != 2 or boxes.shape[1] != 5:
            raise ShapeError("boxes", "(K, 5), or a list of (K, 4)", boxes.shape)
        images = boxes[:, 0].astype(np.intp)
        if np.any((images < 0) | (images >= len(x))):
            raise InferError(f"boxes: expected images 0 to {len(x) - 1} in column 0, found {boxes[:, 0]}")
        wide = single(x)
        y = np.empty((len(boxes), x.shape[1], *self.output_size), x.dtype)
        for k, (image, box) in enumerate(zip(images, boxes.astype(wide.dtype, copy=False))):
            y[k] = self._read(wide[image], box)
        return y

    def _read(self, image: np.ndarray, box: np.ndarray) -> np.ndarray:
        """(C, H, W) -> (C, h, w): the means of the cells of one box."""
        x1, y1, x2, y2 = box[1:] * box.dtype.type(self.scale) - box.dtype.type(0.5 if self.aligned else 0)
        rows, row_count = self._points(y1, y2, self.output_size[0])
        cols, col_count = self._points(x1, x2, self.output_size[1])
        points = along(along(image, 1, rows), 2, cols)
        cells = points.reshape(len(image), self.output_size[0], row_count, self.output_size[1], col_count)
        return cells.sum(axis=(2, 4)) / max(row_count * col_count, 1)

    def _points(self, start: np.floating, end: np.floating, cells: int) -> tuple[np.ndarray, int]:
        """The places of the points on one axis, cell by cell, and how many a cell has.

        In the order in which torchvision computes them: a rounding error decides whether a point at the border counts.
        """
        length = (end - start if self.aligned else max(end - start, type(start)(1))) / type(start)(cells)
        count = self.ratio if self.ratio > 0 else max(math.ceil(length), 0)
        corners = start + np.arange(cells, dtype=start.dtype) * length
        inside = (
            (np.arange(count, dtype=start.dtype) + start.dtype.type(0.5)) * length / start.dtype.type(max(count, 1))
        )
        return (corners[:, None] + inside).reshape(-1), count


@registry.register("torchvision.ops.DeformConv2d")
class DeformConv2d(Layer):
    """(N, C, H, W), offset (N, 2*D*kh*kw, H', W') -> (N, O, H', W'): a convolution each of whose taps is displaced.

    y[n,o,h,w] = bias[o] + sum over c, i, j of weight[o,c,i,j] * mask * x[n,c] at the place
    (h*stride - padding + i*dilation + dy, w*stride - padding + j*dilation + dx), interpolated linearly, 0 outside.
    The offset's channels are dy, dx for (i, j) = (0, 0), (0, 1), ..., for each of D groups of input channels;
    mask (N, D*kh*kw, H', W') is 1 where it is not given.

    Parameters
    ----------
    weight : (O, C/groups, kh, kw).
    bias : (O,), or None.
    stride, padding, dilation : one integer, or (rows, cols).
    groups : output channels see the input channels of their own group only.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.ops.deform_conv2d.html
    and https://arxiv.org/abs/1811.11168
    """

    family = CONVOLUTION
    weights: ClassVar[tuple[str, ...]] = ("weight", "bias")

    def __init__(
        self,
        weight: np.ndarray,
        bias: np.ndarray | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        in_channels: int | None = None,
        out_channels: int | None = None,
        kernel_size: Any = None,
    ) -> None:
        given = (out_channels or len(weight), (in_channels or weight.shape[1] * groups) // groups)
        kernel = weight.shape[2:] if kernel_size is None else per_axis(2, "kernel_size", kernel_size, 1)
        if weight.shape != (*given, *kernel) or len(weight) % groups:
            expected = f"{(*given, *kernel)}, the output channels in groups={groups}"
            raise ParameterError("weight", expected, str(weight.shape))
        self.weight, self.bias, self.groups = weight, bias, groups
        self.stride, self.padding = per_axis(2, "stride", stride, 1), per_axis(2, "padding", padding, 0)
        self.dilation = per_axis(2, "dilation", dilation, 1)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """A convolution's, with 7 to interpolate each tap of each input channel, and 1 more for the mask."""
        products = size(outputs[0]) * (2 * math.prod(self.weight.shape[1:]) + (self.bias is not None))
        taps = size(outputs[0]) // len(self.weight) * math.prod(self.weight.shape[1:]) * self.groups
        return products + taps * (7 + (len(inputs) > 2))

    def forward(self, x: np.ndarray, offset: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Convolve x with the displaced taps. Raises ShapeError when offset or mask does not fit x."""
        check_dtype("DeformConv2d", x, "f")
        taps = self.weight.shape[2] * self.weight.shape[3]
        places, parts = self._check(x, offset, mask, taps)
        wide = single(x)
        batch, channels, height, width = x.shape
        reads = self._places(offset.astype(wide.dtype).reshape(batch * parts, taps, 2, *places))
        image = wide.reshape(batch * parts, channels // parts, height, width)
        columns = sample(image, [linear(axis.reshape(batch * parts, -1)) for axis in reads])
        columns = columns.reshape(batch, parts, channels // parts, taps, *places)
        if mask is not None:
            columns = columns * mask.reshape(batch, parts, 1, taps, *places)
        kernels = self.weight.astype(wide.dtype).reshape(self.groups, len(self.weight) // self.groups, -1)
        y = kernels @ columns.reshape(batch, self.groups, kernels.shape[2], -1)
        y = y.reshape(batch, -1, *places)
        if self.bias is not None:
            y = y + self.bias[:, None, None]
        return y.astype(x.dtype, copy=False)

    def _places(self, offset: np.ndarray) -> list[np.ndarray]:
        """(B, kh*kw, 2, H', W') -> for each axis (B, kh*kw, H', W'): where each tap reads."""
        tap = np.indices(self.weight.shape[2:]).reshape(2, -1)
        places = []
        for axis, window in enumerate(np.indices(offset.shape[3:])):
            start = window * self.stride[axis] - self.padding[axis]
            step = tap[axis] * self.dilation[axis]
            places.append(offset[:, :, axis] + (start + step[:, None, None]).astype(offset.dtype))
        return places

    def _check(
        self, x: np.ndarray, offset: np.ndarray, mask: np.ndarray | None, taps: int
    ) -> tuple[Sequence[int], int]:
        """(H', W'), and the number of groups that have offsets of their own."""
        channels = self.weight.shape[1] * self.groups
        if x.ndim != 4 or x.shape[1] != channels:
            raise ChannelError("input", f"(N, {channels}, H, W)", x.shape)
        sizes = zip(x.shape[2:], self.weight.shape[2:], self.stride, self.padding, self.dilation)
        found = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in sizes)
        if min(found) < 1:
            raise OutputSizeError("input", "an image larger than the kernel", x.shape)
        parts = offset.shape[1] // (2 * taps) if offset.ndim == 4 else 0
        if parts < 1 or channels % parts or offset.shape != (len(x), parts * 2 * taps, *found):
            expected = f"({len(x)}, {2 * taps}*D, {found[0]}, {found[1]}), where D divides the {channels} channels"
            raise ShapeError("offset", expected, offset.shape)
        if mask is not None and mask.shape != (len(x), parts * taps, *found):
            raise ShapeError("mask", f"{(len(x), parts * taps, *found)}", mask.shape)
        return found, parts
