"""Homework 6: a test for grouped convolution, max pooling, im2col, and a whole convolution made of it.

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


def test_grouped_convolution(conv: Convolution) -> None:
    """Return if `conv` is a correct grouped convolution; raise AssertionError if it is a wrong one.

    `conv` is somebody's convolution, and you cannot see inside. Call it as often as you like, with inputs of your own
    choice, and compare what comes back with what is right, always with stride 1 and without padding:

        y[n, o, i, j] = bias[o] + sum over c, a, b of weight[o, c, a, b] * x[n, g * (C/groups) + c, i + a, j + b]

    where g = o // (O/groups) is the group that output channel o belongs to.

    Rules
    -----
    right : it returns for a correct `conv`, also when asked again, and when `conv` adds in another order, so that sums
        of fractions differ in the last digits.
    assertion : for a wrong `conv` it raises AssertionError and no other error, even where two shapes do not match.
    bias : it catches a bias that is forgotten, added too often, or added to the wrong output channel, in another group
        or in the same one.
    kernels : it catches kernels that are rotated by 180 degrees, read column by column, or taken from another group.
    channels : it catches groups that read another group's input channels, only some of their own, or in another order.
    outputs : it catches output channels in the wrong order.
    samples : it catches a sample of the batch that gets no result, or another sample's.
    shape : it catches a result that lacks a row or a column, or has rows and columns exchanged.
    numbers : it catches wrong numbers anywhere in the result, even a single one that is off by a hundredth of itself,
        and right ones in the wrong rows or columns.
    pointwise : it catches a `conv` that is wrong for 1x1 kernels only, where many programs take a short cut: in the
        bias, the kernels, the channels, the outputs or the samples.
    three : it catches a `conv` that is right for two groups and wrong for a third: in the bias, the kernels or the
        channels.
    inputs : what it gives to `conv` has the shapes above, as numpy arrays of numbers, and is small: at most 20,000
        numbers in `weight`, at most 20 million for N * H * W times those. For others `conv` raises ValueError.

    Example: a test that can fail, but lets nearly every wrong convolution through. (Which ones does it catch?)

        x, weight, bias = np.ones((1, 2, 3, 3)), np.ones((2, 1, 3, 3)), np.zeros(2)
        assert np.allclose(conv(x, weight, bias, 2), [[[[9.0]], [[9.0]]]])
    """
    # <solution grouped_convolution_test>

    def slow_convolution(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
        """(N, C, H, W) -> (N, O, H', W'): the formula, one output number at a time."""
        outputs, channels, kh, kw = weight.shape
        y = np.empty((len(x), outputs, output_size(x.shape[2], kh), output_size(x.shape[3], kw)), x.dtype)
        for n, o, i, j in np.ndindex(*y.shape):
            first = o // (outputs // groups) * channels
            window = x[n, first : first + channels, i : i + kh, j : j + kw]
            y[n, o, i, j] = (window * weight[o]).sum() + bias[o]
        return y

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


def max_pool2d(
    x: np.ndarray, kernel_size: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int]
) -> np.ndarray:
    """(N, C, H, W) -> (N, C, H', W'): the largest number in each window.

    Parameters
    ----------
    x : (N, C, H, W) of float32 or float64.
    kernel_size, stride : how large a window is, and how far it moves.
    padding : how wide the border is on each side; at most half of kernel_size, so that every window sees the image.

    Rules
    -----
    value : y[n, c, i, j] is the largest number in window (i, j) of channel c of sample n.
    planes : every channel of every sample is pooled on its own.
    kernel : `kernel_size` is (rows, cols).
    stride : `stride` is (rows, cols): how far the window moves down and to the right.
    padding : `padding` is (rows, cols): the width of the border above and below, and on the left and the right.
    border : the border never wins, whatever the numbers in the image.
    last : a last window that would stick out of the padded image is left out.
    dtype : the result has the dtype of `x`.
    fits : when along either axis no window fits into the padded image, it raises ValueError.

    Example
    -------
        x = np.array([[[[1.0, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6], [4, 5, 6, 7]]]])
        max_pool2d(x, (2, 2), (2, 2), (0, 0))        # [[[[3. 5.] [5. 7.]]]]
        max_pool2d(-x, (2, 2), (2, 2), (1, 1))       # [[[[-1. -2. -4.] [-2. -3. -5.] [-4. -5. -7.]]]]
    """
    # <solution max_pool2d>
    sizes = [output_size(*along) for along in zip(x.shape[2:], kernel_size, stride, padding)]
    if min(sizes) < 1:
        raise ValueError(f"max_pool2d: a window {kernel_size} does not fit into {x.shape[2:]} with padding {padding}")
    above, left = padding
    bordered = np.pad(x, ((0, 0), (0, 0), (above, above), (left, left)), constant_values=-np.inf)
    y = np.empty((*x.shape[:2], *sizes), x.dtype)
    for i, j in np.ndindex(*sizes):
        top, start = i * stride[0], j * stride[1]
        y[:, :, i, j] = bordered[:, :, top : top + kernel_size[0], start : start + kernel_size[1]].max(axis=(2, 3))
    return y
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
    x : (C, H, W) of real numbers, whole ones too, in any layout: also a transposed array.
    kernel_size, stride, padding : how large a window is, how far it moves, how many zeros stand on each side.

    Rules
    -----
    windows : row i * W' + j is window (i, j): the windows come from left to right, then from top to bottom.
    channels : inside a row stands all of channel 0 first, then all of channel 1, and so on.
    lines : each channel of a window is read line by line.
    kernel : `kernel_size` is (rows, cols).
    stride : `stride` is (rows, cols): how far the window moves downwards and to the right.
    padding : `padding` is (rows, cols): zeros above and below, and left and right.
    last : a last window that would stick out of the padded image is left out.
    defaults : unless given, the stride is (1, 1) and the padding (0, 0).
    dtype : the result has the dtype of `x`.
    fits : when along either axis no window fits into the padded image, it raises ValueError.

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
    x, weight, bias : (N, C, H, W), (O, C/groups, kh, kw) and (O,), all float32 or all float64.
    stride, padding : as for `im2col`.
    groups : 1 or more.

    Rules
    -----
    value : y[n, o, i, j] is the sum of kernel o, not rotated, times window (i, j) of the input channels that o sees.
    bias : bias[o] is added to all of output channel o; where it is None nothing is added.
    batch : every sample has its own result.
    groups : output channel o sees the input channels of group o // (O/groups) only.
    stride : `stride` is (rows, cols).
    padding : `padding` is (rows, cols) of zeros, on both sides.
    defaults : unless given, there is no bias, the stride is (1, 1), the padding (0, 0), and all is one group.
    dtype : the result has the dtype of `x`.
    precision : sums of whole numbers that the type of `x` can hold are exact; other numbers agree to 1e-4.
    shapes : it raises ValueError when `groups` does not divide C and O, when weight.shape[1] is not C/groups, and when
        no window fits.

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
