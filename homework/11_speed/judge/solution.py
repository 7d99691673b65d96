"""Homework 11: a convolution with fewer multiplications, a plan of memory, and two layers folded into one.

Edit this file, then run `python3 course.py check winograd_step` (or the name of another task). You need numpy only.
Shapes: C input channels, O output channels, images of H rows and W columns, kernels of 3 x 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

Multiply = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""multiply(a, b) is a * b, number by number, with numpy's broadcasting; it counts how many products it makes."""

Life = tuple[int, int]
"""(first, last): the step that writes a value and the last step that reads it."""


def im2col_conv(x: np.ndarray, weight: np.ndarray, multiply: Multiply = np.multiply) -> np.ndarray:
    """(C, H, W) and (O, C, 3, 3) -> (O, H-2, W-2): stride 1, no padding; 9 * C products for each output. (Given.)"""
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    rows = windows.transpose(1, 2, 0, 3, 4).reshape(-1, 1, weight[0].size)
    products = multiply(rows, weight.reshape(len(weight), -1))
    return products.sum(axis=2).T.reshape(len(weight), *windows.shape[1:3])


# <solution>
BACK = np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]])
KERNEL = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]])
INTO = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]])
"""F(2, 3): y = BACK @ ((KERNEL @ g) * (INTO @ d)); A. Lavin, S. Gray, https://arxiv.org/abs/1509.09308."""


# </solution>
def winograd_step(d: np.ndarray, g: np.ndarray, multiply: Multiply = np.multiply) -> np.ndarray:
    """(4, T) and (3,) -> (2, T): T times F(2, 3), two outputs of a 1-D convolution by 4 products instead of 6.

    Parameters
    ----------
    d : (4, T); each column is one tile, four neighbouring pixels. T is at least 1.
    g : (3,), the kernel. d and g are both float32 or both float64.
    multiply : see Multiply.

    Rules
    -----
    result : in each column y[0] = d[0]*g[0] + d[1]*g[1] + d[2]*g[2] and y[1] = d[1]*g[0] + d[2]*g[1] + d[3]*g[2].
    products : `multiply` makes at most 4 * T products.
    only : a pixel meets a weight nowhere but in `multiply`; the result is made of what `multiply` gives, by adding,
        subtracting, and fixed factors such as 1/2.
    sides : one argument of `multiply` is made of pixels only, the other of weights only: sums, with fixed factors.
        Neither is a plain constant.
    default : `multiply` is np.multiply unless said.
    dtype : the result has the dtype of d and g.
    exact : the result is off by less than 2e-5 of its largest number in float32, and 1e-12 in float64.

    Example
    -------
        d = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 1.0]])
        winograd_step(d, np.array([1.0, 10.0, 100.0]))     # [[321. 100.] [432. 110.]]
    """
    # <solution winograd_step>
    back, kernel, into = (matrix.astype(d.dtype) for matrix in (BACK, KERNEL, INTO))
    products = multiply(into @ d, (kernel @ g)[:, None])
    return back @ products
    # </solution>


def winograd(x: np.ndarray, weight: np.ndarray, multiply: Multiply = np.multiply) -> np.ndarray:
    """(C, H, W) and (O, C, 3, 3) -> (O, H-2, W-2): as im2col_conv, by 16 products for each tile of 2 x 2 outputs.

    Parameters
    ----------
    x : (C, H, W), an image. H and W are at least 3.
    weight : (O, C, 3, 3), the kernels. x and weight are both float32 or both float64.
    multiply : see Multiply.

    Rules
    -----
    result : the numbers are those of im2col_conv: kernels are not turned around, all channels are summed.
    odd : H and W may be even or odd, each by itself; where the last tiles reach over the edge, the result is cut.
    products : `multiply` makes at most 16 * T * C * O products, for T = ceil((H-2)/2) * ceil((W-2)/2) tiles;
        im2col_conv makes 9 * (H-2) * (W-2) * C * O.
    only : a pixel meets a weight nowhere but in `multiply`; the result is made of what `multiply` gives, by adding,
        subtracting, and fixed factors such as 1/2.
    sides : one argument of `multiply` is made of pixels only, the other of weights only: sums, with fixed factors.
        Neither is a plain constant.
    default : `multiply` is np.multiply unless said.
    dtype : the result has the dtype of x and weight.
    exact : the result is off by less than 5e-5 of its largest number in float32, and 1e-12 in float64.

    Example
    -------
        x = np.arange(16.0).reshape(1, 4, 4)
        weight = np.array([[[[1.0, 2, 3], [3, 2, 1], [1, 2, 3]]]])
        winograd(x, weight)                          # [[[ 92. 110.] [164. 182.]]]
    """
    # <solution winograd>
    back, kernel, into = (matrix.astype(x.dtype) for matrix in (BACK, KERNEL, INTO))
    height, width = x.shape[1] - 2, x.shape[2] - 2
    padded = np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))
    tiles = np.lib.stride_tricks.sliding_window_view(padded, (4, 4), axis=(1, 2))[:, ::2, ::2]
    inner = into @ tiles @ into.T  # (C, down, across, 4, 4)
    kernels = kernel @ weight @ kernel.T  # (O, C, 4, 4)
    sums = multiply(inner, kernels[:, :, None, None]).sum(axis=1)  # (O, down, across, 4, 4)
    result = back @ sums @ back.T  # (O, down, across, 2, 2)
    down, across = result.shape[1:3]
    rows = result.transpose(0, 1, 3, 2, 4).reshape(len(weight), 2 * down, 2 * across)
    return rows[:, :height, :width]


def place(order: list[str], lives: Mapping[str, Life], sizes: Mapping[str, int]) -> dict[str, int]:
    """The values one after the other, each at the lowest offset that is free for its whole life."""
    offsets: dict[str, int] = {}
    for name in order:
        first, last = lives[name]
        together = [other for other in offsets if lives[other][0] <= last and first <= lives[other][1]]
        start = 0
        for other in sorted(together, key=offsets.__getitem__):
            if start + sizes[name] <= offsets[other]:
                break
            start = max(start, offsets[other] + sizes[other])
        offsets[name] = start
    return offsets
    # </solution>


def plan_memory(lives: Mapping[str, Life], sizes: Mapping[str, int]) -> dict[str, int]:
    """Each value's offset in one short block of memory, in which values that are alive together never overlap.

    Parameters
    ----------
    lives : each value's name -> (first, last), in no order.
    sizes : the same names, perhaps in another order -> bytes, at least 1.

    Rules
    -----
    apart : value v takes the bytes offset[v], ..., offset[v] + sizes[v] - 1; two values that are alive together have
        no byte in common.
    both_ends : a value is alive at every step from first to last, both included; two values that share one step are
        alive together.
    names : the result is a dict with the names of `sizes`, all of them and no others.
    offsets : offsets are plain ints, 0 or more.
    nothing : no values give an empty dict.
    few : a few values share their bytes as well: the three of the example need 160 bytes.
    within_100 : the block ends with the last byte that is taken; on average over the networks of a test it is at most
        100 % longer than the bound, the most bytes that are alive at any one step.
    within_25 : for one test more it is at most 25 % longer.
    within_10 : for the last one it is at most 10 % longer.

    Example: b and c are alive together at step 2, a and c never are
    -------
        lives = {"a": (0, 1), "b": (1, 2), "c": (2, 3)}
        plan_memory(lives, {"a": 100, "b": 60, "c": 80})     # {"a": 0, "b": 100, "c": 0}: 160 bytes, not 240
    """
    # <solution plan_memory>
    length = {name: last - first + 1 for name, (first, last) in lives.items()}
    by_size = sorted(sizes, key=lambda name: -sizes[name])
    by_area = sorted(sizes, key=lambda name: -sizes[name] * length[name])
    by_length = sorted(sizes, key=lambda name: (-length[name], -sizes[name]))
    plans = [place(order, lives, sizes) for order in (by_size, by_area, by_length)]
    return min(plans, key=lambda plan: max((plan[name] + sizes[name] for name in plan), default=0))
    # </solution>


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
    bias : (O,), or None.
    gamma, beta, mean, var : (O,) each, of the same type as weight.
    eps : a small number, so that nothing is divided by 0.

    Rules
    -----
    same : whatever the image, the new convolution gives what the old one and the BatchNorm give, which turns y of
        output channel o into gamma[o] * (y - mean[o]) / sqrt(var[o] + eps) + beta[o].
    eps : eps is added to the variance, under the root, so that var[o] may be 0.
    default : eps is 1e-5 unless said.
    channels : each output channel has its own four numbers, also where O is as large as another axis of `weight`.
    no_bias : None for `bias` is a bias of zeros; the new convolution has a bias all the same.
    form : the result is a tuple (weight, bias), of the shapes (O, C/groups, kh, kw) and (O,).
    dtype : both have the dtype of `weight`.
    exact : both are off by less than 2e-5 of their largest number in float32, and 1e-9 in float64.

    Example
    -------
        weight, one = np.full((1, 1, 1, 1), 2.0), np.array([1.0])
        fold_batchnorm(weight, None, 3 * one, 10 * one, 5 * one, 4 * one, eps=0.0)     # ([[[[3.]]]], [2.5])
    """
    # <solution fold_batchnorm>
    factor = gamma / np.sqrt(var + weight.dtype.type(eps))
    before = np.zeros_like(mean) if bias is None else bias
    return weight * factor[:, None, None, None], (before - mean) * factor + beta
    # </solution>
