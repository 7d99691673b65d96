"""Homework 8: the last layers of a classifier, and what is done to a picture before the first one.

Edit this file, then run `python3 course.py check adaptive_avg_pool` (or the name of another task). You need numpy only.
Shapes: N pictures, C channels, planes of H rows and W columns, K classes.
"""

from __future__ import annotations

import numpy as np

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
"""Mean and standard deviation of ImageNet's red, green and blue, on a scale from 0 to 1."""
# <solution>


def spans(length: int, count: int) -> list[slice]:
    """The `count` windows of an axis of `length` numbers.

    >>> spans(5, 3)
    [slice(0, 2, None), slice(1, 4, None), slice(3, 5, None)]
    """
    return [slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]  # -(-a // b) rounds up


# </solution>


def adaptive_avg_pool(x: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """(N, C, H, W) -> (N, C, h, w): in every plane the means of h * w windows, whatever H and W are.

    Parameters
    ----------
    x : float32 or float64; the result has the same type.
    size : (h, w), each at least 1. It need not divide (H, W), and may be larger.

    Window i of the h windows has the rows from floor(i * H / h), inclusive, to ceil((i + 1) * H / h), exclusive.
    The columns go the same way with W and w. Neighbouring windows overlap where the sizes do not divide.

    Example
    -------
        x = np.arange(5.0).reshape(1, 1, 1, 5)
        adaptive_avg_pool(x, (1, 3))                 # [[[[0.5 2.  3.5]]]]
        adaptive_avg_pool(x, (1, 1))                 # [[[[2.]]]]
    """
    # <solution adaptive_avg_pool>
    y = np.empty((*x.shape[:2], *size), x.dtype)
    for i, rows in enumerate(spans(x.shape[2], size[0])):
        for j, cols in enumerate(spans(x.shape[3], size[1])):
            y[:, :, i, j] = x[:, :, rows, cols].mean(axis=(2, 3))
    return y
    # </solution>


def classifier_head(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(N, C, H, W) -> (N, K): how probable each of K classes is, for each of N pictures.

    The mean of each plane gives (N, C); a linear layer, weight and bias, makes (N, K) scores of it; softmax along the
    classes makes probabilities of these: each row adds up to 1.

    Parameters
    ----------
    x, weight, bias : (N, C, H, W), (K, C) and (K,), all float32 or all float64; the result has the same type.

    Scores may be as large as 10,000, or as small as -10,000: the result is finite all the same.

    Example
    -------
        x = np.array([[[[1.0, 3.0]], [[0.0, 0.0]]]])                     # (1, 2, 1, 2), the means are 2 and 0
        weight = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]])          # the scores are 2, 0 and 1
        classifier_head(x, weight, np.zeros(3)).round(3)                 # [[0.665 0.09  0.245]]
    """
    # <solution classifier_head>
    features = x.mean(axis=(2, 3))
    scores = features @ weight.T + bias
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
    # </solution>


def preprocess(image: np.ndarray, resize: int, crop: int) -> np.ndarray:
    """(H, W, 3) uint8, red first -> (1, 3, crop, crop) float32: what the network was trained on.

    1. Resize with `resize_picture`: the shorter side becomes `resize`; the longer one becomes
       floor(resize * longer / shorter), so that the picture keeps its shape.
    2. Cut `crop` x `crop` pixels out of the middle. From a side of n pixels the cut takes those from
       round((n - crop) / 2) on, with Python's round.
    3. Divide by 255, subtract MEAN, divide by STD, channel by channel.
    4. Put the channels first, and an axis for the batch before them.

    Raises ValueError when `crop` is larger than `resize`.

    Example
    -------
        image = np.full((6, 9, 3), 255, np.uint8)                        # a white picture
        preprocess(image, 4, 2).shape                                    # (1, 3, 2, 2); 6 x 9 became 4 x 6 first
        preprocess(image, 4, 2)[0, :, 0, 0].round(3)                     # [2.249 2.429 2.64 ]
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
