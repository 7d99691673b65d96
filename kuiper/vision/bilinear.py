"""Bilinear resizing as cv2.resize and torch's interpolate do it: no smoothing before a picture shrinks."""

from __future__ import annotations

import numpy as np

from kuiper.errors import ShapeError


def resize(x: np.ndarray, height: int, width: int) -> np.ndarray:
    """(H,W) or (H,W,C) -> (height,width) or (height,width,C), of the same type; bytes are rounded.

    Output pixel i lies at (i + 0.5) * H / height - 0.5, and is the mean of its two neighbours on each axis, weighted by
    nearness; beyond the edge the edge pixel counts. Pillow's bilinear differs: where it shrinks, all pixels count.
    Raises ShapeError for empty arrays and sizes.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html, align_corners=False

    >>> resize(np.array([[0.0, 10.0]]), 1, 4)
    array([[ 0. ,  2.5,  7.5, 10. ]])
    """
    if x.ndim not in (2, 3) or x.size == 0 or height < 1 or width < 1:
        raise ShapeError("resize", "(H,W) or (H,W,C) and a size of at least 1x1", f"{x.shape} to {height}x{width}")
    work = x if x.dtype.kind == "f" else x.astype(np.float32)
    for axis, size in ((0, height), (1, width)):
        if size == x.shape[axis]:
            continue
        low, high, share = neighbours(x.shape[axis], size, work.dtype)
        share = share.reshape([-1 if a == axis else 1 for a in range(x.ndim)])
        first = work.take(low, axis)
        work = first + (work.take(high, axis) - first) * share
    return work if x.dtype.kind == "f" else np.rint(work).astype(x.dtype)


def neighbours(inputs: int, outputs: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each output pixel: the pixels before and after it, and the share of the latter.

    >>> [x.tolist() for x in neighbours(2, 4, np.dtype(float))]
    [[0, 0, 0, 1], [1, 1, 1, 1], [0.0, 0.25, 0.75, 0.0]]
    """
    place = np.clip((np.arange(outputs) + 0.5) * (inputs / outputs) - 0.5, 0, inputs - 1)
    low = place.astype(np.intp)
    return low, np.minimum(low + 1, inputs - 1), (place - low).astype(dtype)
