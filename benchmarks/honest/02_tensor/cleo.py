import math

import numpy as np


def flatten(x, row_major=True):
    order = "C" if row_major else "F"
    return np.concatenate([channel.ravel(order=order) for channel in x])


def padding(x, pads, value=0.0):
    if any(p < 0 for p in pads):
        raise ValueError("a pad is negative")
    fill = np.broadcast_to(np.asarray(value).astype(x.dtype), len(x))
    sides = (pads[0], pads[1]), (pads[2], pads[3])
    return np.array([np.pad(plane, sides, constant_values=one) for plane, one in zip(x, fill)])


def reshape(x, shapes, row_major=True):
    shapes = (1,) * (3 - len(shapes)) + tuple(shapes)
    if math.prod(shapes) != x.size:
        raise ValueError(f"cannot make {shapes} of {x.shape}")
    parts = np.split(flatten(x, row_major), shapes[0])
    order = "C" if row_major else "F"
    return np.array([part.reshape(shapes[1:], order=order) for part in parts])
