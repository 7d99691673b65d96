"""Windows over an image (lesson 6): what convolution and pooling share.

A window is the patch of the image under the kernel. There are

    H' = floor((H + 2*padding - dilation*(kernel_size - 1) - 1) / stride) + 1

of them down an image of height H, and in the same way W' across.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from kuiper.errors import InferError, InferStatus, ParameterError, ParseParameterAttrStatus, ShapeError
from kuiper.runtime.toolbox import Toolbox

Pair: TypeAlias = tuple[int, int]


def windows(
    x: np.ndarray, kernel_size: Pair, stride: Pair = (1, 1), dilation: Pair = (1, 1), *, writeable: bool = False
) -> np.ndarray:
    """(..., H, W) -> (..., H', W', kh, kw): every window of `x`; a view, nothing is copied.

    >>> windows(np.arange(1, 17).reshape(4, 4), (3, 3))[0, 1]
    array([[ 2,  3,  4],
           [ 6,  7,  8],
           [10, 11, 12]])
    """
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel_size, dilation))
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(-2, -1), writeable=writeable)
    return view[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


def im2col(view: np.ndarray) -> np.ndarray:
    """(N, C, H', W', kh, kw) -> (N, H'*W', C*kh*kw): one row per window, its channels one after the other.

    With the kernels flattened in the same order, one matrix product is the whole convolution.

    Source: Chellapilla, Puri, Simard, "High Performance Convolutional Neural Networks for Document Processing" (2006).

    >>> im2col(windows(np.arange(1, 17).reshape(1, 1, 4, 4), (3, 3)))[0, 0]
    array([ 1,  2,  3,  5,  6,  7,  9, 10, 11])
    """
    n, channels, height, width, kh, kw = view.shape
    # Copied column by column, because one pixel of all windows lies in long runs of memory; seen as rows.
    columns = view.transpose(0, 1, 4, 5, 2, 3).reshape(n, channels * kh * kw, height * width)
    return columns.swapaxes(1, 2)


def col2im(rows: np.ndarray, size: Pair, kernel_size: Pair, stride: Pair, dilation: Pair) -> np.ndarray:
    """(N, H'*W', C*kh*kw) -> (N, C, H, W): add each row back to the place of its window; the adjoint of im2col.

    `size` is (H, W), the image that the windows lie in. Where windows overlap, their values add up.

    >>> col2im(np.ones((1, 4, 4)), (3, 3), (2, 2), (1, 1), (1, 1))[0, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    n, _, length = rows.shape
    channels = length // (kernel_size[0] * kernel_size[1])
    image = np.zeros((n, channels, *size), rows.dtype)
    view = windows(image, kernel_size, stride, dilation, writeable=True)
    height, width = view.shape[2:4]
    columns = rows.swapaxes(1, 2).reshape(n, channels, *kernel_size, height, width)
    for i, j in np.ndindex(*kernel_size):  # one pixel of all windows at a time: these do not overlap
        view[..., i, j] += columns[:, :, i, j]
    return image


def pad_planes(toolbox: Toolbox, x: np.ndarray, pads: Sequence[int], value: float) -> np.ndarray:
    """(N, C, H, W) -> (N, C, up + H + bottom, left + W + right) by the toolbox's `padding`, lesson 2's exercise."""
    if not any(pads):
        return x
    n, channels, height, width = x.shape
    padded = toolbox.padding(x.reshape(n * channels, height, width), pads, value)
    return padded.reshape(n, channels, *padded.shape[1:])


def pair(name: str, value: Any, least: int, status: ParseParameterAttrStatus) -> Pair:
    """One number for both axes, or (rows, cols), each at least `least`. Raises ParameterError naming the parameter.

    >>> pair("stride", 2, 1, ParseParameterAttrStatus.STRIDE)
    (2, 2)
    """
    expected = f"an integer or a pair of integers, each >= {least}"
    if isinstance(value, (bool, str)):
        raise ParameterError(name, expected, repr(value), status=status)
    try:
        numbers = tuple(operator.index(v) for v in (value if np.iterable(value) else (value,)))
    except TypeError:
        raise ParameterError(name, expected, repr(value), status=status) from None
    if len(numbers) not in (1, 2) or min(numbers) < least:
        raise ParameterError(name, expected, repr(value), status=status)
    return numbers[0], numbers[-1]


def as_batch(layer: str, x: np.ndarray, channels: int | None = None) -> np.ndarray:
    """(N, C, H, W) as it is, (C, H, W) -> (1, C, H, W). Raises ShapeError for anything else, and for empty axes."""
    what = f"{layer} input"
    if x.ndim not in (3, 4):
        raise ShapeError(what, "(N, C, H, W) or (C, H, W)", x.shape, status=InferStatus.DIMENSION)
    if 0 in x.shape:
        raise ShapeError(what, "no empty axis", x.shape, status=InferStatus.INPUT_EMPTY)
    if channels is not None and x.shape[-3] != channels:
        expected = f"{channels} channels, as in_channels says"
        raise ShapeError(what, expected, f"{x.shape[-3]} in {x.shape}", status=InferStatus.CHANNEL)
    return x if x.ndim == 4 else x[None]


def like_input(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """`y` (N, ...) without its batch axis when `x` came without one, in the element type of `x`."""
    return (y if x.ndim == 4 else y[0]).astype(x.dtype, copy=False)


def single(x: np.ndarray) -> np.ndarray:
    """float16 -> float32, in which sums are formed before they are rounded; other types as they are."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def check_dtype(layer: str, x: np.ndarray, kinds: str, *weights: np.ndarray | None) -> None:
    """Raise InferError unless the kind of `x` is one of `kinds` and every weight array has the type of `x`."""
    if x.dtype.kind not in kinds:
        names = {"f": "float", "i": "integer", "u": "unsigned integer", "c": "complex"}
        expected = " or ".join(names[k] for k in kinds)
        message = f"{layer} input: expected {expected} elements, found {x.dtype}"
        raise InferError(message, status=InferStatus.DTYPE)
    for weight in weights:
        if weight is not None and weight.dtype != x.dtype:
            message = f"{layer} weights: expected {x.dtype} like the input, found {weight.dtype}"
            raise InferError(message, status=InferStatus.DTYPE)
