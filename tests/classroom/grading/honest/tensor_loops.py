"""Loops over channels, numpy.pad, numpy.stack."""

import numpy as np


def flatten(x, row_major=True):
    c, h, w = x.shape
    out = np.empty(c * h * w, dtype=x.dtype)
    i = 0
    for k in range(c):
        plane = x[k] if row_major else x[k].T
        out[i : i + h * w] = plane.ravel()
        i += h * w
    return out


def padding(x, pads, value=0.0):
    if any(p < 0 for p in pads):
        raise ValueError("negative pad")
    up, bottom, left, right = pads
    out = []
    for k in range(len(x)):
        border = x.dtype.type(value[k] if np.ndim(value) else value)
        out.append(np.pad(x[k], ((up, bottom), (left, right)), constant_values=border))
    return np.stack(out)


def reshape(x, shapes, row_major=True):
    shapes = list(shapes)
    while len(shapes) < 3:
        shapes.insert(0, 1)
    if len(shapes) > 3 or np.prod(shapes) != x.size:
        raise ValueError("sizes differ")
    if row_major:
        return np.reshape(x, shapes)
    c, h, w = shapes
    return np.stack([p.reshape(w, h).T for p in np.split(flatten(x, False), c)])


def afterwards(name, *arguments):
    globals()[name](*arguments)
    return list(arguments)
