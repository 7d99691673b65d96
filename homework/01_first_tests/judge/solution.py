"""Homework of lesson 1: first functions with numpy. Check one with `python3 course.py check axby`."""

from __future__ import annotations

import numpy as np


def axby(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(m, k), (k, n), (m, n) -> (m, n): y = w @ x + b, with the matrix product of w and x (Task 1.1).

    >>> axby(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [5, 2]]), np.array([[1, 2], [3, 4]]))
    array([[11,  7],
           [23, 15]])
    """
    # <solution axby>
    return w @ x + b
    # </solution>


def as_float(x: np.ndarray) -> np.ndarray:
    """Given: x itself where it holds floats, otherwise x as float32.

    >>> as_float(np.array([1, 2], np.uint8))
    array([1., 2.], dtype=float32)
    """
    return x if x.dtype.kind == "f" else x.astype(np.float32)


def e_power_minus(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): y = e^-x, element by element; floats keep their type, integers become float32 (Task 1.2).

    >>> e_power_minus(np.array([0.0, 1.0, -1.0])).round(4)
    array([1.    , 0.3679, 2.7183])
    >>> e_power_minus(np.array([0, 1, 2], np.uint8)).round(4)
    array([1.    , 0.3679, 0.1353], dtype=float32)
    """
    # <solution e_power_minus>
    return np.exp(-as_float(x))
    # </solution>


def axpy(a: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """a, (...), (...) -> (...): a * x + y, element by element, in a new array: x and y stay as they are (Task 1.3).

    The element type is the one that numpy gives the sum: float32 with float64 is float64.

    >>> axpy(3.0, np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    array([13., 26.])
    """
    # <solution axpy>
    return a * x + y
    # </solution>


def axpy_twice(a: float, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Given: axpy called twice with the very same arrays. Both results must be equal."""
    first = axpy(a, x, y).copy()
    return [first, axpy(a, x, y)]


def softmax(z: np.ndarray) -> np.ndarray:
    """(..., n) -> (..., n): p_i = e^(z_i) / sum_j e^(z_j) along the last axis, also for large scores (Task 1.4).

    Each row along the last axis adds up to 1. Floats keep their type, integers become float32.

    >>> softmax(np.array([[0.0, 0.0], [1000.0, 1000.0]]))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    # <solution softmax>
    z = as_float(z)
    powers = np.exp(z - z.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
    # </solution>
