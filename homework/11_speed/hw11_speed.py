"""Homework 11: a convolution with fewer multiplications, a plan of memory, and two layers folded into one.

Edit this file, then run `python3 course.py check winograd_step` (or the name of another task). You need numpy only.
Shapes: C input channels, O output channels, images of H rows and W columns, kernels of 3 x 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

Multiply = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""multiply(a, b) is a * b, number by number, with numpy's broadcasting; it counts how many products it makes.

A number of the image may meet a number of a kernel only in here. To see that it does, some tests give a multiply that
returns 8 * a * b: then the result must be 8 times as large.
"""

Life = tuple[int, int]
"""(first, last): the step that writes a value and the last step that reads it."""


def im2col_conv(x: np.ndarray, weight: np.ndarray, multiply: Multiply = np.multiply) -> np.ndarray:
    """(C, H, W) and (O, C, 3, 3) -> (O, H-2, W-2): stride 1, no padding; 9 * C products for each output. (Given.)"""
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    rows = windows.transpose(1, 2, 0, 3, 4).reshape(-1, 1, weight[0].size)
    products = multiply(rows, weight.reshape(len(weight), -1))
    return products.sum(axis=2).T.reshape(len(weight), *windows.shape[1:3])


# TODO winograd_step (Task 11.1)
def winograd_step(d: np.ndarray, g: np.ndarray, multiply: Multiply = np.multiply) -> np.ndarray:
    """(4, T) and (3,) -> (2, T): T times F(2, 3), two outputs of a 1-D convolution by 4 products instead of 6.

    Parameters
    ----------
    d : each column is one tile, four neighbouring pixels.
    g : the kernel; d and g are both float32 or both float64, and the result has the same type.
    multiply : see Multiply; it may make 4 * T products, no more.

    The result has y[0] = d[0]*g[0] + d[1]*g[1] + d[2]*g[2] and y[1] = d[1]*g[0] + d[2]*g[1] + d[3]*g[2].

    Example
    -------
        d = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 1.0]])
        winograd_step(d, np.array([1.0, 10.0, 100.0]))     # [[321. 100.] [432. 110.]]
    """
    raise NotImplementedError("winograd_step: TODO")


# TODO winograd (Task 11.2)
def winograd(x: np.ndarray, weight: np.ndarray, multiply: Multiply = np.multiply) -> np.ndarray:
    """(C, H, W) and (O, C, 3, 3) -> (O, H-2, W-2): as im2col_conv, by 16 products for each tile of 2 x 2 outputs.

    Parameters
    ----------
    x, weight : both float32 or both float64; the result has the same type. H and W are at least 3, and may be odd.
    multiply : see Multiply; it may make 16 * T * C * O products, no more, for T = ceil((H-2)/2) * ceil((W-2)/2) tiles.
        im2col_conv makes 9 * (H-2) * (W-2) * C * O.

    Example
    -------
        x = np.arange(16.0).reshape(1, 4, 4)
        weight = np.array([[[[1.0, 2, 3], [3, 2, 1], [1, 2, 3]]]])
        winograd(x, weight)                          # [[[ 92. 110.] [164. 182.]]]
    """
    raise NotImplementedError("winograd: TODO")


# TODO plan_memory (Task 11.3)
def plan_memory(lives: Mapping[str, Life], sizes: Mapping[str, int]) -> dict[str, int]:
    """Each value's offset in one block of memory, such that two values that are alive together never overlap.

    Parameters
    ----------
    lives : each value's name -> (first, last), both steps included.
    sizes : the same names -> bytes, at least 1.

    Value v takes the bytes offset[v], ..., offset[v] + sizes[v] - 1. Two values are alive together when they share a
    step. The block is as long as it must be: the largest offset[v] + sizes[v]. Make it short.

    Returns a dict with the same names; the offsets are plain ints, 0 or more. No values: an empty dict.

    Example: b and c are alive together at step 2, a and c never are
    -------
        lives = {"a": (0, 1), "b": (1, 2), "c": (2, 3)}
        plan_memory(lives, {"a": 100, "b": 60, "c": 80})     # {"a": 0, "b": 100, "c": 0}: 160 bytes, not 240
    """
    raise NotImplementedError("plan_memory: TODO")


# TODO fold_batchnorm (Task 11.4, stretch)
def fold_batchnorm(
    weight: np.ndarray,
    bias: np.ndarray | None,
    gamma: np.ndarray,
    beta: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    eps: float = 1e-5,
) -> tuple[np.ndarray, np.ndarray]:
    """The weight and bias of the convolution that does what a convolution and the BatchNorm behind it do.

    Parameters
    ----------
    weight : (O, C/groups, kh, kw), float32 or float64.
    bias : (O,), or None for none.
    gamma, beta, mean, var : (O,) each, of the same type as weight.

    BatchNorm turns y of output channel o into gamma[o] * (y - mean[o]) / sqrt(var[o] + eps) + beta[o].
    Returns (weight, bias) with the shapes (O, C/groups, kh, kw) and (O,), of the same type as weight.

    Example
    -------
        weight, one = np.full((1, 1, 1, 1), 3.0), np.array([1.0])
        fold_batchnorm(weight, None, 2 * one, 10 * one, 5 * one, 4 * one, eps=0.0)     # ([[[[3.]]]], [5.])
    """
    raise NotImplementedError("fold_batchnorm: TODO")
