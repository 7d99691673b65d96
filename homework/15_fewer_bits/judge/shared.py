"""What the judges of lesson 15 share: quantizing one number after the other, rightly and wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Rounding = Callable[[float], int]


def nearest(number: float) -> int:
    """The nearest whole number; of two the even one."""
    return round(number)


def rounded(
    weight: np.ndarray,
    block: int | None,
    most: float = 127.0,
    rounding: Rounding = nearest,
    magnitude: Callable[[list[float]], float] = lambda numbers: max(map(abs, numbers)),
) -> tuple[np.ndarray, np.ndarray]:
    """(values, scale) of a weight, block by block and number by number, in double precision."""
    rows, columns = weight.shape
    size = block or columns
    values = np.zeros(weight.shape, np.int64)
    scale = np.zeros((rows, columns // size), np.float64)
    for row, part in np.ndindex(*scale.shape):
        places = range(part * size, (part + 1) * size)
        scale[row, part] = magnitude([float(weight[row, i]) for i in places]) / most
        for i in places:
            values[row, i] = rounding(weight[row, i] / scale[row, part]) if scale[row, part] else 0
    return values.astype(np.int8), scale.astype(np.float32)


def restored(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(R, C) and (R, B) -> (R, C) float64: the numbers that they stand for."""
    size = values.shape[1] // scale.shape[1]
    result = np.zeros(values.shape)
    for row, i in np.ndindex(*values.shape):
        result[row, i] = float(values[row, i]) * float(scale[row, i // size])
    return result


def error(weight: np.ndarray, block: int) -> float:
    """Root mean square of what rounding in such blocks changes, over that of the weight; 0 for zeros."""
    squares = math.fsum(np.square(weight, dtype=np.float64).ravel().tolist())
    difference = restored(*rounded(weight, block)) - weight
    return math.sqrt(math.fsum(np.square(difference).ravel().tolist()) / squares) if squares else 0.0
