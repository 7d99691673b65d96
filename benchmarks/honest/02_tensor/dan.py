import numpy as np


def flatten(x, row_major=True):
    out = []
    for channel in x.tolist():
        grid = channel if row_major else zip(*channel)
        for line in grid:
            out.extend(line)
    return np.array(out, dtype=x.dtype)


def padding(x, pads, value=0.0):
    u, b, l, r = pads
    if u < 0 or b < 0 or l < 0 or r < 0:
        raise ValueError("no negative pads please")
    size = (len(x), u + len(x[0]) + b, l + len(x[0][0]) + r)
    canvas = np.empty(size, x.dtype)
    for c in range(size[0]):
        canvas[c] = value[c] if np.ndim(value) else value
        for i, row in enumerate(x[c]):
            for j, number in enumerate(row):
                canvas[c, u + i, l + j] = number
    return canvas


def reshape(x, shapes, row_major=True):
    *front, cols = shapes
    rows = front.pop() if front else 1
    channels = front.pop() if front else 1
    if channels * rows * cols != x.shape[0] * x.shape[1] * x.shape[2]:
        raise ValueError
    numbers = iter(flatten(x, row_major))
    y = np.empty((channels, rows, cols), x.dtype)
    if not row_major:
        view = np.swapaxes(y, 1, 2)
    else:
        view = y
    for index in np.ndindex(view.shape):
        view[index] = next(numbers)
    return y
