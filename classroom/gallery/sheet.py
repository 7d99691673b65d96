"""Contact sheets: pictures side by side, enlarged by whole pixels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

GAP = 8
WHITE = 255


def enlarged(image: np.ndarray, pixels: int) -> np.ndarray:
    """(H,W,3) -> each pixel repeated so that the longer side has about `pixels`; never smaller.

    >>> enlarged(np.zeros((2, 3, 3), np.uint8), 6).shape
    (4, 6, 3)
    """
    times = max(1, round(pixels / max(image.shape[:2])))
    return image.repeat(times, axis=0).repeat(times, axis=1)


def sheet(pictures: Sequence[np.ndarray], across: int) -> np.ndarray:
    """(h,w,3) bytes each, of any sizes -> one picture with `across` in a row, on white.

    >>> sheet([np.zeros((10, 20, 3), np.uint8)] * 3, 2).shape
    (28, 48, 3)
    """
    height, width = (max(picture.shape[axis] for picture in pictures) for axis in (0, 1))
    across = min(across, len(pictures))
    down = -(-len(pictures) // across)
    canvas = np.full((down * (height + GAP) - GAP, across * (width + GAP) - GAP, 3), WHITE, np.uint8)
    for number, picture in enumerate(pictures):
        top, left = number // across * (height + GAP), number % across * (width + GAP)
        canvas[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return canvas
