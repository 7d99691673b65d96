import numpy as np


def flatten(x, row_major=True):
    channels, rows, cols = x.shape
    result = np.empty(channels * rows * cols, x.dtype)
    i = 0
    for c in range(channels):
        if row_major:
            for r in range(rows):
                for k in range(cols):
                    result[i] = x[c][r][k]
                    i = i + 1
        else:
            for k in range(cols):
                for r in range(rows):
                    result[i] = x[c][r][k]
                    i = i + 1
    return result


def padding(x, pads, value=0.0):
    assert len(pads) == 4
    if min(pads) < 0:
        raise ValueError(f"negative padding: {pads}")
    planes = []
    values = value if np.size(value) > 1 else [value] * len(x)
    for plane, number in zip(x, values):
        width = plane.shape[1]
        top = np.full((pads[0], width), number, dtype=x.dtype)
        low = np.full((pads[1], width), number, dtype=x.dtype)
        plane = np.vstack([top, plane, low])
        height = plane.shape[0]
        west = np.full((height, pads[2]), number, dtype=x.dtype)
        east = np.full((height, pads[3]), number, dtype=x.dtype)
        planes.append(np.hstack([west, plane, east]))
    return np.stack(planes)


def reshape(x, shapes, row_major=True):
    if len(shapes) == 1:
        new = (1, 1, shapes[0])
    elif len(shapes) == 2:
        new = (1, shapes[0], shapes[1])
    else:
        new = tuple(shapes)
    values = flatten(x, row_major)
    if len(values) != new[0] * new[1] * new[2]:
        raise ValueError("element counts differ")
    result = np.zeros(new, x.dtype)
    i = 0
    for c in range(new[0]):
        outer, inner = (new[1], new[2]) if row_major else (new[2], new[1])
        for a in range(outer):
            for b in range(inner):
                if row_major:
                    result[c, a, b] = values[i]
                else:
                    result[c, b, a] = values[i]
                i += 1
    return result
