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


# TODO grouped_convolution_test (Task 6.1)
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
    raise NotImplementedError("test_grouped_convolution: TODO")


# TODO im2col (Task 6.2)
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
    raise NotImplementedError("im2col: TODO")


# TODO conv2d (Task 6.3, stretch)
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
    raise NotImplementedError("conv2d: TODO")
