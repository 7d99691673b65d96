"""Tensor (lesson 2): (channels, rows, cols) of float32, with row-major and column-major reading orders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kuiper.errors import ShapeError


def padding(x: np.ndarray, pads: Sequence[int], value: float = 0.0) -> np.ndarray:
    """(C, H, W) -> (C, up + H + bottom, left + W + right), the border filled with `value`."""
    up, bottom, left, right = pads
    channels, rows, cols = x.shape
    padded = np.full((channels, up + rows + bottom, left + cols + right), value, x.dtype)
    padded[:, up : up + rows, left : left + cols] = x
    return padded


def flatten(x: np.ndarray, row_major: bool = True) -> np.ndarray:
    """(C, H, W) -> (C*H*W,), each channel read row by row, or column by column."""
    return (x if row_major else x.swapaxes(-1, -2)).reshape(-1)


class Tensor:
    """Stub to be completed: the course's tensor."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    @classmethod
    def from_array(cls, array: np.ndarray) -> Tensor:
        """A tensor that shares `array`'s memory."""
        if not 1 <= array.ndim <= 3:
            raise ShapeError("array", "1 to 3 axes", array.shape)
        return cls(array)
