import numpy as np


def transposed_convolution(x, weight, bias=None, stride=(1, 1), padding=(0, 0)):
    if x.shape[1] != weight.shape[0]:
        raise ValueError(f"x has {x.shape[1]} channels, the weight {weight.shape[0]}")
    rows = (x.shape[2] - 1) * stride[0] + weight.shape[2]
    cols = (x.shape[3] - 1) * stride[1] + weight.shape[3]
    if rows - 2 * padding[0] < 1 or cols - 2 * padding[1] < 1:
        raise ValueError("the padding cuts everything off")
    canvas = np.zeros((len(x), weight.shape[1], rows, cols), x.dtype)
    for a in range(weight.shape[2]):
        for b in range(weight.shape[3]):
            layer = np.einsum("nchw,co->nohw", x, weight[:, :, a, b])
            canvas[:, :, a : a + stride[0] * x.shape[2] : stride[0], b : b + stride[1] * x.shape[3] : stride[1]] += (
                layer
            )
    cut = canvas[:, :, padding[0] : rows - padding[0], padding[1] : cols - padding[1]]
    return cut if bias is None else cut + bias[:, None, None]


def mean_iou(predicted, truth, classes):
    if np.shape(predicted) != np.shape(truth):
        raise ValueError("two masks of one size, please")
    both = np.stack([predicted, truth])
    if not np.isin(both, np.arange(classes)).all():
        raise ValueError("there is a number that is no class")
    table = np.zeros((classes, classes))
    np.add.at(table, (predicted.ravel(), truth.ravel()), 1)
    hits = np.diag(table)
    either = table.sum(0) + table.sum(1) - hits
    counts = either > 0
    return float(np.mean(hits[counts] / either[counts])) if counts.any() else float("nan")
