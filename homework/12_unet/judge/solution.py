"""Homework 12: a transposed convolution, how well two masks agree, and as a bonus the whole U.

Edit this file, then run `python3 course.py check transposed_convolution` (or mean_iou, u_net). You need numpy only.
Shapes: N samples, C input channels, O output channels, images of H rows and W columns, kernels of kh x kw.
"""

from __future__ import annotations

import numpy as np

Convolution = tuple[np.ndarray, np.ndarray]
"""weight and bias."""


def transposed_convolution(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None = None,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H', W'): every pixel of x stamps its multiple of the kernel; stamps add up.

    Parameters
    ----------
    x, weight, bias : (N, C, H, W), (C, O, kh, kw), and (O,) or None.
    stride, padding : (sh, sw) and (ph, pw), for rows and for columns.

    Rules
    -----
    stamp : in every sample, the stamp of pixel (i, j) is the pixel times the kernel, which is not rotated.
    channels : weight[c, o] is the kernel from channel c of x to channel o of the result; what comes from all c adds up.
    stride : the upper left corner of that stamp lies at row i * sh and column j * sw, before anything is cut.
    overlap : where stamps overlap they add up, and where none lies there is 0.
    padding : when all stamps are down, ph rows are cut off above and ph below, and pw columns at the left and pw at the
        right, also where ph or pw is larger than the kernel.
    size : H' is (H - 1) * sh - 2 * ph + kh, and W' is (W - 1) * sw - 2 * pw + kw.
    bias : bias[o] is added once to each pixel of channel o of the result, also where no stamp lies; None adds nothing.
    default : unless given, there is no bias, `stride` is (1, 1) and `padding` (0, 0).
    inputs : if x has another number of channels than weight is for, it raises ValueError.
    nothing : if H' or W' is below 1, it raises ValueError; 1 is enough.
    dtype : all in float32 gives float32, and all in float64 float64; whole numbers below 1,000 come out exactly,
        others right to 2e-6 or 1e-12 of the largest.

    >>> x = np.array([[[[1.0, 2.0]]]])
    >>> weight = np.array([[[[1.0, 10.0, 100.0]]]])
    >>> transposed_convolution(x, weight).tolist()
    [[[[1.0, 12.0, 120.0, 200.0]]]]
    >>> transposed_convolution(x, weight, stride=(1, 2)).tolist()
    [[[[1.0, 10.0, 102.0, 20.0, 200.0]]]]
    >>> transposed_convolution(x, weight, stride=(1, 2), padding=(0, 1)).tolist()
    [[[[10.0, 102.0, 20.0]]]]
    >>> transposed_convolution(x, weight, np.array([0.5]), (1, 4)).tolist()
    [[[[1.5, 10.5, 100.5, 0.5, 2.5, 20.5, 200.5]]]]
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
    predicted, truth : (H, W), the class of each pixel, a whole number.
    classes : how many classes there are, at most 1,000: 0, 1, ..., classes - 1.

    Rules
    -----
    iou : the IoU of a class is the number of pixels that both masks give it, divided by the number of those that at
        least one of them gives it.
    mean : all classes that count weigh the same, class 0 among them.
    one_mask : a class that only one of the masks has, whichever, has an IoU of 0, and counts.
    absent : a class that neither mask has does not count.
    empty : if no class counts, because there are no pixels, the answer is nan.
    shapes : masks of different shapes raise ValueError, whether numpy could broadcast them or not.
    range : a number below 0, or not below `classes`, however large, in either mask raises ValueError.
    types : masks may be of any type of whole numbers, bytes among them, and give the same in each.
    returns : the answer is a Python float, right to 1e-9.

    >>> predicted, truth = np.array([[0, 1], [1, 1]]), np.array([[0, 0], [1, 1]])
    >>> round(mean_iou(predicted, truth, 2), 4)  # the mean of 1/2 and 2/3
    0.5833
    >>> round(mean_iou(predicted, truth, 5), 4)  # classes 2, 3 and 4 occur in neither
    0.5833
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


def convolution(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H, W): a convolution with kernels of 3x3, one zero around x, or of 1x1. Given."""
    border = weight.shape[2] // 2
    padded = np.pad(x, ((0, 0), (0, 0), (border, border), (border, border)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2:], axis=(2, 3))
    sums = np.tensordot(windows, weight, axes=((1, 4, 5), (1, 2, 3)))
    return np.moveaxis(sums, 3, 1) + bias[:, None, None]


def block(x: np.ndarray, convolutions: list[Convolution]) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H, W): one convolution after the other, and a ReLU after each. Given."""
    for weight, bias in convolutions:
        x = np.maximum(convolution(x, weight, bias), 0)
    return x


def u_net(
    x: np.ndarray,
    down: list[list[Convolution]],
    bottom: list[Convolution],
    up: list[tuple[Convolution, list[Convolution]]],
    last: Convolution,
) -> np.ndarray:
    """(N, C, H, W) -> (N, K, H, W): a whole U-Net, from pictures to logits, with your `transposed_convolution` in it.

    Parameters
    ----------
    x : the pictures. Each convolution below, transposed ones too, is a pair, (weight, bias).
    down : for each level on the way down, from the uppermost, a list of its convolutions.
    bottom : a list of the convolutions below all levels.
    up : for each level on the way up, from the LOWEST, its transposed convolution and a list of its convolutions.
    last : the 1x1 convolution at the end.

    Rules
    -----
    down : on each level of the way down, `block` comes first, then max pooling: the largest of each 2x2 pixels, so that
        half of the rows and columns are left.
    bottom : below the last level, `block` runs with the convolutions of `bottom`.
    up : on each level of the way up the transposed convolution, with its bias and a stride of 2 both ways, comes first,
        then the skip, then `block`.
    skip : along the channels, what `block` gave on the level of the same size on the way down, before its pooling, is
        joined with what comes up. What was kept comes first.
    last : `convolution` with `last` gives the logits, and no ReLU follows.
    levels : there are as many levels as `down` and `up` have entries; without any, bottom and last are left.
    sides : rows or columns that cannot be halved once for each level raise ValueError; all other sizes are taken.
    dtype : all in float32 gives float32; whole numbers below 2^24 come out exactly.

    >>> one, none = np.ones((1, 1, 1, 1)), np.zeros(1)
    >>> x = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> u_net(x, [], [(one, none)], [], (one, np.array([0.5]))).tolist()
    [[[[1.5, 2.5], [3.5, 4.5]]]]
    >>> stamp, both = np.array([[[[1.0, 2.0], [3.0, 4.0]]]]), np.array([[[[100.0]], [[1.0]]]])
    >>> u_net(x, [[(one, none)]], [(one, none)], [((stamp, none), [(both, none)])], (one, none)).tolist()
    [[[[104.0, 208.0], [312.0, 416.0]]]]
    """
    # <solution u_net>
    rows, cols = x.shape[2:]
    if rows % 2 ** len(down) or cols % 2 ** len(down):
        raise ValueError(f"u_net: expected multiples of {2 ** len(down)} pixels, found {rows}x{cols}")
    kept = []
    for convolutions in down:
        x = block(x, convolutions)
        kept.append(x)
        n, channels, height, width = x.shape
        x = x.reshape(n, channels, height // 2, 2, width // 2, 2).max(axis=(3, 5))
    x = block(x, bottom)
    for (weight, bias), convolutions in up:
        x = transposed_convolution(x, weight, bias, stride=(2, 2))
        x = np.concatenate([kept.pop(), x], axis=1)
        x = block(x, convolutions)
    return convolution(x, *last)
    # </solution>
