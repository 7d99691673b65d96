"""Max unpooling: the maxima back in the places that max pooling took them from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.errors import OutputSizeError, ShapeError
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@registry.register("aten::max_unpool2d", "aten::max_unpool3d")
class MaxUnpool(Layer):
    """x (N, C, H, W), indices (N, C, H, W), (H', W') -> (N, C, H', W'): zeros, with x[n, c, h, w] at position
    indices[n, c, h, w] of the H'*W' numbers of its channel. Without N, and with a third spatial axis, alike.

    PNNX leaves PyTorch's own operator in the file, whose output size is an input. What else PyTorch lists there in
    three axes, stride and padding, has no effect on the result.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html

    >>> MaxUnpool().forward(np.array([[[7.0, 8]]]), np.array([[[3, 0]]]), [2, 2])
    array([[[8., 0.],
            [0., 7.]]])
    """

    def forward(self, x: np.ndarray, indices: np.ndarray, output_size: Any, *_: Any) -> np.ndarray:
        """The unpooled `x`. Raises ShapeError when the indices have another shape or leave the output."""
        size = tuple(int(n) for n in output_size)
        if x.ndim not in (len(size) + 1, len(size) + 2) or indices.shape != x.shape:
            expected = f"one index for each number, with {len(size)} spatial axes"
            raise ShapeError("MaxUnpool indices", expected, f"{indices.shape} for x {x.shape}")
        channels, count = x.shape[: -len(size)], math.prod(size)
        if indices.size and not 0 <= indices.min() <= indices.max() < count:
            found = f"{indices.min()} to {indices.max()}"
            raise OutputSizeError("MaxUnpool indices", f"0 to {count - 1}", found)
        y = np.zeros((*channels, count), x.dtype)
        np.put_along_axis(y, indices.reshape(*channels, -1), x.reshape(*channels, -1), axis=-1)
        return y.reshape(*channels, *size)
