"""A convolution, given: it is used where the bonus of lesson 6, `conv2d`, is not solved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import tensor, windows


def conv2d(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: Sequence[int],
    padding: Sequence[int],
    groups: int,
) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H', W'): lesson 2's padding, lesson 6's im2col, and a product per sample and group."""
    outputs, depth, *kernel = weight.shape
    above, left = padding
    sizes = [windows.output_size(*along) for along in zip(x.shape[2:], kernel, stride, padding)]
    kernels = weight.reshape(groups, outputs // groups, -1)
    y = np.empty((len(x), groups, outputs // groups, sizes[0] * sizes[1]), x.dtype)
    for n, g in np.ndindex(len(x), groups):
        image = tensor.padding(x[n, g * depth : (g + 1) * depth], (above, above, left, left))
        y[n, g] = kernels[g] @ windows.im2col(image, tuple(kernel), tuple(stride)).T
    y = y.reshape(len(x), outputs, *sizes)
    return y if bias is None else y + bias[:, None, None]
