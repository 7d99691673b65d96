"""Homework 6: a test for grouped convolution, im2col, and a whole convolution made of it.

Edit this file, then run `python3 course.py check im2col` (or the name of another task). You need numpy only.
Shapes: N samples, C input channels, O output channels, images of H rows and W columns, kernels of kh x kw.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Convolution = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""conv(x (N, C, H, W), weight (O, C/groups, kh, kw), bias (O,), groups) -> (N, O, H', W'): stride 1, no padding."""


def output_size(size: int, kernel_size: int, stride: int = 1, padding: int = 0) -> int:
    """How many windows fit along one axis; less than 1 when not even one does. (Given.)

    >>> output_size(4, 3), output_size(8, 3, stride=2, padding=1), output_size(2, 3)
    (2, 4, 0)
    """
    return (size + 2 * padding - kernel_size) // stride + 1


# <solution>
def slow_convolution(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H', W'): the formula, one output number at a time."""
    outputs, channels, kh, kw = weight.shape
    y = np.empty((len(x), outputs, output_size(x.shape[2], kh), output_size(x.shape[3], kw)), x.dtype)
    for n, o, i, j in np.ndindex(*y.shape):
        first = o // (outputs // groups) * channels
        window = x[n, first : first + channels, i : i + kh, j : j + kw]
        y[n, o, i, j] = (window * weight[o]).sum() + bias[o]
    return y


# </solution>
def test_grouped_convolution(conv: Convolution) -> None:
    """Return when `conv` is a right grouped convolution; raise AssertionError when it is a wrong one.

    `conv` is somebody's convolution, and you cannot see inside. Call it as often as you like, with inputs of your own
    choice, and compare what comes back with what you know to be right:

        y[n, o, i, j] = bias[o] + sum over c, a, b of weight[o, c, a, b] * x[n, g * (C/groups) + c, i + a, j + b]

    where g = o // (O/groups) is the group that output channel o belongs to.

    Example: a test that can fail, but lets nearly every wrong convolution through. (Which ones does it catch?)

        x, weight, bias = np.ones((1, 2, 3, 3)), np.ones((2, 1, 3, 3)), np.zeros(2)
        assert np.allclose(conv(x, weight, bias, 2), [[[[9.0]], [[9.0]]]])
    """
    # <solution grouped_convolution_test>
    rng = np.random.default_rng(6)
    for groups, kh, kw in ((2, 3, 2), (3, 2, 3), (2, 1, 1)):
        # whole numbers, so that the order of the additions makes no difference; no two channels or kernels alike
        x = rng.integers(-9, 10, (2, 2 * groups, 5, 7)).astype(np.float64)
        weight = rng.integers(-9, 10, (3 * groups, 2, kh, kw)).astype(np.float64)
        bias = np.arange(1.0, 3 * groups + 1)
        expected = slow_convolution(x, weight, bias, groups)
        got = conv(x, weight, bias, groups)
        assert got.shape == expected.shape, f"groups={groups}: expected shape {expected.shape}, got {got.shape}"
        assert np.allclose(got, expected, rtol=1e-6, atol=1e-6), f"groups={groups}, kernel {kh}x{kw}: wrong numbers"
    # </solution>


def im2col(
    x: np.ndarray,
    kernel_size: tuple[int, int],
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
) -> np.ndarray:
    """(C, H, W) -> (H'*W', C*kh*kw): one row per window, its channels one after the other.

    Parameters
    ----------
    x : (C, H, W), of any element type; the result has the same.
    kernel_size, stride, padding : (rows, cols) each. The padding is 0, on all four sides.

    The windows come from left to right, then from top to bottom; inside a row, first all of channel 0 (line by line),
    then all of channel 1, and so on. Raises ValueError when no window fits into the padded image.

    Example
    -------
        x = np.arange(1, 17).reshape(1, 4, 4)
        im2col(x, (3, 3))[0]                         # [ 1  2  3  5  6  7  9 10 11]
        im2col(x, (3, 3)).shape                      # (4, 9)
        im2col(x, (3, 3), padding=(1, 1))[0]         # [ 0  0  0  0  1  2  0  5  6]
        im2col(x, (3, 3), padding=(1, 1)).shape      # (16, 9)
    """
    # <solution im2col>
    (kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding
    channels, height, width = x.shape
    rows, cols = output_size(height, kh, sh, ph), output_size(width, kw, sw, pw)
    if rows < 1 or cols < 1:
        raise ValueError(f"im2col: a kernel {kh}x{kw} does not fit into {height}x{width} with padding {ph}, {pw}")
    padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))
    result = np.empty((rows * cols, channels * kh * kw), x.dtype)
    for i, j in np.ndindex(rows, cols):
        window = padded[:, i * sh : i * sh + kh, j * sw : j * sw + kw]
        result[i * cols + j] = window.reshape(-1)
    return result
    # </solution>


def conv2d(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None = None,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
    groups: int = 1,
) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H', W'): the convolution, by `im2col` and one matrix product per sample and group.

    Parameters
    ----------
    x, weight : (N, C, H, W) and (O, C/groups, kh, kw), both float32 or both float64; the result has the same type.
    bias : (O,), or None for none.
    stride, padding : (rows, cols) each.
    groups : output channel o sees the input channels of group o // (O/groups) only.

    Raises ValueError when `groups` does not divide C and O, and when weight.shape[1] is not C/groups.

    Example
    -------
        x = np.arange(1.0, 17).reshape(1, 1, 4, 4)
        weight = np.array([[[[1.0, 2, 3], [3, 2, 1], [1, 2, 3]]]])
        conv2d(x, weight)                            # [[[[110. 128.] [182. 200.]]]]
        conv2d(x, weight, bias=np.array([0.5]))      # [[[[110.5 128.5] [182.5 200.5]]]]
    """
    # <solution conv2d>
    outputs, depth, kh, kw = weight.shape
    if x.shape[1] % groups or outputs % groups or depth != x.shape[1] // groups:
        raise ValueError(f"conv2d: weight {weight.shape} and groups={groups} do not fit an input {x.shape}")
    rows = output_size(x.shape[2], kh, stride[0], padding[0])
    cols = output_size(x.shape[3], kw, stride[1], padding[1])
    kernels = weight.reshape(groups, outputs // groups, depth * kh * kw)
    y = np.empty((len(x), groups, outputs // groups, rows, cols), x.dtype)
    for n, g in np.ndindex(len(x), groups):
        windows = im2col(x[n, g * depth : (g + 1) * depth], (kh, kw), stride, padding)
        y[n, g] = (windows @ kernels[g].T).T.reshape(-1, rows, cols)
    y = y.reshape(len(x), outputs, rows, cols)
    return y if bias is None else y + bias[:, None, None]
    # </solution>
