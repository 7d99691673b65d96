"""Homework 8: the last layers of a classifier, and what is done to a picture before the first one.

Edit this file, then run `python3 course.py check adaptive_avg_pool` (or the name of another task). You need numpy only.
Shapes: N pictures, C channels, planes of H rows and W columns, K classes.
"""

from __future__ import annotations

import numpy as np

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
"""Mean and standard deviation of ImageNet's red, green and blue, on a scale from 0 to 1."""


def adaptive_avg_pool(x: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """(N, C, H, W) -> (N, C, h, w): in every plane the means of h * w windows, whatever H and W are.

    Parameters
    ----------
    x : N pictures of C planes.
    size : (h, w), each at least 1.

    Rules
    -----
    windows : of n windows along L numbers, window i begins at place floor(i * L / n), and ends before place
        ceil((i + 1) * L / n).
    exact : these places are those of the exact fractions, also where L / n has to be rounded.
    sizes : h windows go down the H rows, and w go across the W columns.
    larger : h may be larger than H, and w than W; neighbouring windows then share numbers.
    mean : each result is the sum of the numbers in its window, divided by how many that window has; numbers outside of
        the window change nothing, however large they are.
    planes : each channel of each picture is averaged by itself.
    dtype : float32 gives float32, right to 1e-5 of each result or to 1e-5, whichever is larger; float64 gives float64,
        likewise with 1e-12.

    >>> x = np.arange(5.0).reshape(1, 1, 1, 5)
    >>> adaptive_avg_pool(x, (1, 3)).tolist()
    [[[[0.5, 2.0, 3.5]]]]
    >>> adaptive_avg_pool(x, (1, 1)).tolist()
    [[[[2.0]]]]
    """

    # <solution adaptive_avg_pool>
    def spans(length: int, count: int) -> list[slice]:
        """The `count` windows of an axis of `length` numbers; -(-a // b) rounds up."""
        return [slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]

    y = np.empty((*x.shape[:2], *size), x.dtype)
    for i, rows in enumerate(spans(x.shape[2], size[0])):
        for j, cols in enumerate(spans(x.shape[3], size[1])):
            y[:, :, i, j] = x[:, :, rows, cols].mean(axis=(2, 3))
    return y
    # </solution>


def classifier_head(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(N, C, H, W) -> (N, K): how probable each of K classes is, for each of N pictures.

    Parameters
    ----------
    x : (N, C, H, W), the planes of N pictures.
    weight, bias : (K, C) and (K,), a linear layer as PyTorch stores it.

    Rules
    -----
    mean : first comes the mean of each plane, (N, C).
    linear : the score of class k is its bias plus the sum over c of weight[k, c] * mean[c], (N, K).
    softmax : the probability of a class is e^score, divided by the sum of e^score over all classes.
    batch : a picture's probabilities do not depend on the other pictures, and add up to 1.
    large : scores from -10,000 to 10,000, in one batch or in one row, give probabilities that are finite and right.
    dtype : all in float32 gives float32, and all in float64 float64; with scores below 100 no probability is off by
        more than 1e-5 in float32 or 1e-9 in float64, and with larger scores by more than 1e-2 or 1e-6.

    >>> x = np.array([[[[1.0, 3.0]], [[0.0, 0.0]]]])  # (1, 2, 1, 2), the means are 2 and 0
    >>> weight = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]])  # the scores are 2, 0 and 1
    >>> classifier_head(x, weight, np.zeros(3)).round(3).tolist()
    [[0.665, 0.09, 0.245]]
    """
    # <solution classifier_head>
    features = x.mean(axis=(2, 3))
    scores = features @ weight.T + bias
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
    # </solution>


def preprocess(image: np.ndarray, resize: int, crop: int) -> np.ndarray:
    """(H, W, 3) uint8, red first -> (1, 3, crop, crop) float32: what the network was trained on.

    Parameters
    ----------
    image : a picture of any height and width.
    resize : what its shorter side becomes, in pixels.
    crop : how many rows, and how many columns, are cut out of that.

    Rules
    -----
    shorter : the shorter side becomes `resize`, whether it is the height or the width, and whether it shrinks or grows.
    longer : the longer side becomes floor(resize * longer / shorter).
    resizing : the whole picture is resized, once, by the given `resize_picture`.
    middle : of n rows the cut takes `crop` from row round((n - crop) / 2) on, with Python's round; likewise of columns.
    fits : a `crop` larger than `resize` raises ValueError, even where the longer side has room for it; an equal one
        does not.
    numbers : every byte is divided by 255, then MEAN is subtracted, and then it is divided by STD.
    axes : the axes of the result are batch, channel, row and column; channel 0 is red.
    dtype : the result is float32, and no number is off by more than 1e-5.

    >>> image = np.full((6, 9, 3), 255, np.uint8)  # a white picture
    >>> preprocess(image, 4, 2).shape  # 6 x 9 became 4 x 6 first
    (1, 3, 2, 2)
    >>> preprocess(image, 4, 2)[0, :, 0, 0].astype(float).round(2).tolist()
    [2.25, 2.43, 2.64]
    """
    # <solution preprocess>
    if crop > resize:
        raise ValueError(f"preprocess: a crop of {crop} does not fit into a shorter side of {resize}")
    height, width = image.shape[:2]
    shorter = min(height, width)
    rows, cols = resize * height // shorter, resize * width // shorter
    top, left = round((rows - crop) / 2), round((cols - crop) / 2)
    cut = resize_picture(image, rows, cols)[top : top + crop, left : left + crop]
    x = (cut.astype(np.float32) / 255 - MEAN) / STD
    return x.transpose(2, 0, 1)[None]
    # </solution>


def resize_picture(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """(H, W, 3) uint8 -> (height, width, 3) uint8, bilinear: each pixel a weighted mean of four neighbours. (Given.)

    Output row i lies at (i + 0.5) * H / height - 0.5 in the input, between two rows; the nearer one weighs more. Then
    the same with the columns.
    """
    work = image.astype(np.float32)
    for size in (height, width):
        length = len(work)
        place = np.clip((np.arange(size) + 0.5) * (length / size) - 0.5, 0, length - 1)
        low = place.astype(int)
        share = (place - low).astype(np.float32)[:, None, None]
        work = work[low] + (work[np.minimum(low + 1, length - 1)] - work[low]) * share
        work = work.swapaxes(0, 1)  # the columns' turn, and the rows' again at the end
    return np.rint(work).astype(np.uint8)
