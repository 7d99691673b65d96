"""transpose and flatten, rows copied one by one."""

import numpy as np


def flatten(x, row_major=True):
    return (x if row_major else np.transpose(x, (0, 2, 1))).flatten()


def padding(x, pads, value=0.0):
    top, bottom, left, right = pads
    if top < 0 or bottom < 0 or left < 0 or right < 0:
        raise ValueError("pads must not be negative: " + str(pads))
    c, h, w = x.shape
    y = np.zeros((c, h + top + bottom, w + left + right), x.dtype)
    y.T[...] = value
    for i in range(c):
        for r in range(h):
            y[i, r + top, left : left + w] = x[i, r]
    return y


def reshape(x, shapes, row_major=True):
    if len(shapes) == 1:
        shapes = (1, 1, shapes[0])
    elif len(shapes) == 2:
        shapes = (1, shapes[0], shapes[1])
    flat = flatten(x, row_major)
    if len(shapes) != 3 or flat.size != shapes[0] * shapes[1] * shapes[2]:
        raise ValueError(f"cannot make {shapes} out of {x.shape}")
    if not row_major:
        return flat.reshape(shapes[0], shapes[2], shapes[1]).transpose(0, 2, 1)
    return flat.reshape(shapes)


def afterwards(name, *arguments):
    globals()[name](*arguments)
    return list(arguments)
