"""Windows over an image: what convolution and pooling share.

A window is the patch of the image under the kernel. There are

    H' = floor((H + 2*padding - dilation*(kernel_size - 1) - 1) / stride) + 1

of them down an image of height H, and in the same way W' across. What lesson 6 says of (H, W) holds for any number of
spatial axes: (L) of a sound, (D, H, W) of a volume.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from kuiper.errors import ChannelError, EmptyError, ParameterError, RankError
from kuiper.toolbox import Toolbox

Sizes: TypeAlias = tuple[int, ...]
"""One number per spatial axis: (rows, cols) for an image."""

LAYOUT = {1: "L", 2: "H, W", 3: "D, H, W"}
"""The names of the spatial axes, by their number."""


def windows(
    x: np.ndarray, kernel_size: Sizes, stride: Sizes = (1, 1), dilation: Sizes = (1, 1), *, writeable: bool = False
) -> np.ndarray:
    """(..., H, W) -> (..., H', W', kh, kw): every window of `x`; a view, nothing is copied.

    >>> windows(np.arange(1, 17).reshape(4, 4), (3, 3))[0, 1]
    array([[ 2,  3,  4],
           [ 6,  7,  8],
           [10, 11, 12]])
    """
    if len(kernel_size) != 2:
        return _windows_along(x, kernel_size, stride, dilation, writeable)
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel_size, dilation))
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(-2, -1), writeable=writeable)
    return view[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


def _windows_along(x: np.ndarray, kernel_size: Sizes, stride: Sizes, dilation: Sizes, writeable: bool) -> np.ndarray:
    """What `windows` does to the last two axes, done to the last axes, as many as kernel_size has."""
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel_size, dilation))
    axes = tuple(range(-len(reach), 0))
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=axes, writeable=writeable)
    steps: Any = tuple(slice(None, None, step) for step in (*stride, *dilation))
    return view[(..., *steps)]


def im2col(view: np.ndarray) -> np.ndarray:
    """(N, C, H', W', kh, kw) -> (N, H'*W', C*kh*kw): one row per window, its channels one after the other.

    With the kernels flattened in the same order, one matrix product is the whole convolution.

    Source: Chellapilla, Puri, Simard, "High Performance Convolutional Neural Networks for Document Processing" (2006).

    >>> im2col(windows(np.arange(1, 17).reshape(1, 1, 4, 4), (3, 3)))[0, 0]
    array([ 1,  2,  3,  5,  6,  7,  9, 10, 11])
    """
    middle = view.ndim // 2 + 1  # where the axes of a place end, and those of a pixel begin
    # Copied column by column, because one pixel of all windows lies in long runs of memory; seen as rows.
    columns = view.transpose(0, 1, *range(middle, view.ndim), *range(2, middle))
    columns = columns.reshape(len(view), -1, math.prod(view.shape[2:middle]))
    return columns.swapaxes(1, 2)


def col2im(rows: np.ndarray, size: Sizes, kernel_size: Sizes, stride: Sizes, dilation: Sizes) -> np.ndarray:
    """(N, H'*W', C*kh*kw) -> (N, C, H, W): add each row back to the place of its window; the adjoint of im2col.

    `size` is (H, W), the image that the windows lie in. Where windows overlap, their values add up.

    >>> col2im(np.ones((1, 4, 4)), (3, 3), (2, 2), (1, 1), (1, 1))[0, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    n, _, length = rows.shape
    channels = length // math.prod(kernel_size)
    image = np.zeros((n, channels, *size), rows.dtype)
    view = windows(image, kernel_size, stride, dilation, writeable=True)
    columns = rows.swapaxes(1, 2).reshape(n, channels, *kernel_size, *view.shape[2 : 2 + len(size)])
    for place in np.ndindex(*kernel_size):  # one pixel of all windows at a time: these do not overlap
        view[(..., *place)] += columns[(slice(None), slice(None), *place)]
    return image


def pad_planes(toolbox: Toolbox, x: np.ndarray, pads: Sequence[int], value: float) -> np.ndarray:
    """(N, C, H, W) -> (N, C, up + H + bottom, left + W + right), the border filled with `value`.

    `pads` has two numbers per spatial axis. Images go through the toolbox's `padding`, lesson 2's exercise.
    """
    if not any(pads):
        return x
    if x.ndim != 4:
        return np.pad(x, [(0, 0), (0, 0), *zip(pads[::2], pads[1::2])], constant_values=value)
    n, channels, height, width = x.shape
    padded = toolbox.padding(x.reshape(n * channels, height, width), pads, value)
    return padded.reshape(n, channels, *padded.shape[1:])


def per_axis(axes: int, name: str, value: Any, least: int) -> Sizes:
    """One number for all `axes`, or one for each, none below `least`. Raises ParameterError naming the parameter.

    >>> per_axis(2, "stride", 3, 1)
    (3, 3)
    """
    several = {1: "", 2: " or a pair of integers"}.get(axes, f" or {axes} integers")
    expected = f"an integer{several}, each >= {least}"
    if isinstance(value, (bool, str)):
        raise ParameterError(name, expected, repr(value))
    try:
        numbers = tuple(operator.index(v) for v in (value if np.iterable(value) else (value,)))
    except TypeError:
        raise ParameterError(name, expected, repr(value)) from None
    if len(numbers) not in (1, axes) or min(numbers) < least:
        raise ParameterError(name, expected, repr(value))
    return numbers if len(numbers) == axes else numbers * axes


def as_batch(layer: str, x: np.ndarray, channels: int | None = None, axes: int = 2) -> np.ndarray:
    """(N, C, H, W) as it is, (C, H, W) -> (1, C, H, W). Raises ShapeError for anything else, and for empty axes.

    With other `axes` than 2 in the same way: (N, C, L) and (C, L), or (N, C, D, H, W) and (C, D, H, W).
    """
    what = f"{layer} input"
    if x.ndim not in (axes + 1, axes + 2):
        raise RankError(what, f"(N, C, {LAYOUT[axes]}) or (C, {LAYOUT[axes]})", x.shape)
    batch = x if x.ndim == axes + 2 else x[None]
    if 0 in x.shape:
        raise EmptyError(what, "no empty axis", x.shape)
    if channels is not None and batch.shape[1] != channels:
        raise ChannelError(what, f"{channels} channels, as in_channels says", f"{batch.shape[1]} in {x.shape}")
    return batch


def unbatch(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """`y` (N, ...) without its batch axis when `x` came without one."""
    return y if x.ndim == y.ndim else y[0]


def like_input(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """`y` (N, ...) without its batch axis when `x` came without one, in the element type of `x`."""
    return unbatch(y, x).astype(x.dtype, copy=False)
