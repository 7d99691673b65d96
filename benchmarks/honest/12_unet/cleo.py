import numpy as np


def transposed_convolution(x, weight, bias=None, stride=(1, 1), padding=(0, 0)):
    # a transposed convolution is a convolution of the image with zeros put between the pixels
    n, c, h, w = x.shape
    if weight.shape[0] != c:
        raise ValueError
    kh, kw = weight.shape[2:]
    spread = np.zeros((n, c, (h - 1) * stride[0] + 1, (w - 1) * stride[1] + 1), x.dtype)
    spread[:, :, :: stride[0], :: stride[1]] = x
    spread = np.pad(spread, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
    flipped = weight[:, :, ::-1, ::-1]
    windows = np.lib.stride_tricks.sliding_window_view(spread, (kh, kw), axis=(2, 3))
    y = np.tensordot(windows, flipped, axes=([1, 4, 5], [0, 2, 3]))
    y = np.moveaxis(y, -1, 1)
    if bias is not None:
        y += bias[None, :, None, None]
    if 2 * padding[0] >= y.shape[2] or 2 * padding[1] >= y.shape[3]:
        raise ValueError("too much padding")
    if padding[0]:
        y = y[:, :, padding[0] : -padding[0]]
    if padding[1]:
        y = y[:, :, :, padding[1] : -padding[1]]
    return y


def mean_iou(predicted, truth, classes):
    a, b = predicted.reshape(-1).tolist(), truth.reshape(-1).tolist()
    if predicted.shape != truth.shape or any(not 0 <= v < classes for v in a + b):
        raise ValueError("bad masks")
    total = count = 0
    for k in range(classes):
        mine = {i for i, v in enumerate(a) if v == k}
        true = {i for i, v in enumerate(b) if v == k}
        if mine | true:
            total += len(mine & true) / len(mine | true)
            count += 1
    return total / count if count else float("nan")
