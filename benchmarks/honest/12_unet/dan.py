import numpy as np


def check(x, weight, stride, padding):
    if x.shape[1] != weight.shape[0]:
        raise ValueError("the channels differ")
    size = []
    for axis in (0, 1):
        length = (x.shape[2 + axis] - 1) * stride[axis] - 2 * padding[axis] + weight.shape[2 + axis]
        if length < 1:
            raise ValueError("empty result")
        size.append(length)
    return size


def transposed_convolution(x, weight, bias=None, stride=(1, 1), padding=(0, 0)):
    height, width = check(x, weight, stride, padding)
    result = np.zeros((x.shape[0], weight.shape[1], height, width), x.dtype)
    kernel = weight.transpose(2, 3, 0, 1)
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            product = (x.transpose(0, 2, 3, 1) @ kernel[i, j]).transpose(0, 3, 1, 2)
            for r in range(x.shape[2]):
                row = r * stride[0] + i - padding[0]
                if not 0 <= row < height:
                    continue
                for s in range(x.shape[3]):
                    col = s * stride[1] + j - padding[1]
                    if 0 <= col < width:
                        result[:, :, row, col] += product[:, :, r, s]
    if bias is not None:
        for o, extra in enumerate(bias):
            result[:, o] += extra
    return result


def mean_iou(predicted, truth, classes):
    p, t = predicted.flatten(), truth.flatten()
    assert_same = predicted.shape == truth.shape
    if not assert_same:
        raise ValueError("different sizes")
    if p.size == 0:
        return float("nan")
    if min(p.min(), t.min()) < 0 or max(p.max(), t.max()) > classes - 1:
        raise ValueError("class out of range")
    in_p = np.bincount(p, minlength=classes)
    in_t = np.bincount(t, minlength=classes)
    in_both = np.bincount(p[p == t], minlength=classes)
    scores = [m / (i + j - m) for i, j, m in zip(in_p, in_t, in_both) if i + j]
    return float(np.mean(scores))
