"""Homework 12: a transposed convolution, and how well two masks agree.

Edit this file, then run `python3 course.py check transposed_convolution` (or mean_iou). You need numpy only.
Shapes: N samples, C input channels, O output channels, images of H rows and W columns, kernels of kh x kw.
"""

from __future__ import annotations

import numpy as np


def transposed_convolution(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None = None,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H', W'): every pixel of x stamps its multiple of the kernel; stamps add up.

    H' = (H - 1) * sh - 2 * ph + kh, and W' likewise.

    Parameters
    ----------
    x, weight : (N, C, H, W) and (C, O, kh, kw), both float32 or both float64; the result has the same type.
    bias : (O,), added once to every pixel of the result; or None for none.
    stride : (sh, sw), how far apart the stamps of two neighbours lie: down, and to the right.
    padding : (ph, pw), how many rows are cut off above and below, and how many columns at the left and at the right.

    Raises ValueError when the channels of x and weight differ, and when nothing would be left after the cut.

    Example
    -------
        x = np.array([[[[1.0, 2.0]]]])
        weight = np.array([[[[1.0, 10.0, 100.0]]]])
        transposed_convolution(x, weight)                            # [[[[  1.  12. 120. 200.]]]]
        transposed_convolution(x, weight, stride=(1, 2))             # [[[[  1.  10. 102.  20. 200.]]]]
        transposed_convolution(x, weight, stride=(1, 2), padding=(0, 1))     # [[[[ 10. 102.  20.]]]]
        transposed_convolution(x, weight, np.array([0.5]), (1, 4))   # [[[[1.5 10.5 100.5 0.5 2.5 20.5 200.5]]]]
    """
    # <solution transposed_convolution>
    (n, channels, height, width), (inputs, outputs, kh, kw) = x.shape, weight.shape
    (sh, sw), (ph, pw) = stride, padding
    rows, cols = (height - 1) * sh - 2 * ph + kh, (width - 1) * sw - 2 * pw + kw
    if inputs != channels:
        raise ValueError(f"transposed_convolution: weight {weight.shape} is for {inputs} channels, x has {channels}")
    if rows < 1 or cols < 1:
        raise ValueError(f"transposed_convolution: padding {padding} leaves {rows} rows and {cols} columns")
    full = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), x.dtype)
    for i, j in np.ndindex(height, width):
        stamps = np.tensordot(x[:, :, i, j], weight, axes=1)
        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps
    y = full[:, :, ph : ph + rows, pw : pw + cols]
    return y if bias is None else y + bias[:, None, None]
    # </solution>


def mean_iou(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """Two masks (H, W) -> the mean over the classes of IoU = pixels in both / pixels in either.

    Parameters
    ----------
    predicted, truth : (H, W) whole numbers, the class of each pixel: 0, 1, ..., classes - 1.
    classes : how many classes there are.

    A class in only one of the two masks has an IoU of 0, and counts. A class in neither has none, and does not count.
    Where no class counts, because there are no pixels, the answer is float("nan").
    The answer is a Python float. Raises ValueError when the shapes differ, and for a number that is no class.

    Example
    -------
        predicted, truth = np.array([[0, 1], [1, 1]]), np.array([[0, 0], [1, 1]])
        mean_iou(predicted, truth, 2)        # 0.5833..., the mean of 1/2 and 2/3
        mean_iou(predicted, truth, 5)        # the same: classes 2, 3 and 4 occur in neither
    """
    # <solution mean_iou>
    if predicted.shape != truth.shape:
        raise ValueError(f"mean_iou: predicted {predicted.shape} and truth {truth.shape} have different shapes")
    for name, mask in (("predicted", predicted), ("truth", truth)):
        if ((mask < 0) | (mask >= classes)).any():
            raise ValueError(f"mean_iou: expected classes 0..{classes - 1}, {name} has others")
    ious = []
    for number in range(classes):
        a, b = predicted == number, truth == number
        either = np.count_nonzero(a | b)
        if either:
            ious.append(np.count_nonzero(a & b) / either)
    return float(sum(ious) / len(ious)) if ious else float("nan")
    # </solution>
