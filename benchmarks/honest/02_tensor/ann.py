import numpy as np


def flatten(x, row_major=True):
    if row_major:
        return x.flatten()
    # swap rows and cols, then it is the same
    swapped = x.transpose(0, 2, 1)
    return swapped.flatten()


def padding(x, pads, value=0.0):
    for p in pads:
        if p < 0:
            raise ValueError("pads must not be negative")
    up, bottom, left, right = pads
    c, h, w = x.shape
    new_h = up + h + bottom
    new_w = left + w + right
    out = np.zeros((c, new_h, new_w), dtype=x.dtype)
    out[:] = np.reshape(value, (-1, 1, 1))
    out[:, up : up + h, left : left + w] = x
    return out


def reshape(x, shapes, row_major=True):
    shape = list(shapes)
    while len(shape) < 3:
        shape.insert(0, 1)
    total = 1
    for s in shape:
        total = total * s
    if total != x.size:
        raise ValueError("wrong number of elements")
    if row_major:
        return x.reshape(shape)
    c, h, w = shape
    flat = flatten(x, False)
    return flat.reshape(c, w, h).transpose(0, 2, 1)
