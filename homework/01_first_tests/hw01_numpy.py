"""Homework of lesson 1: first functions with numpy. Check one with `python3 course.py check axby`."""

from __future__ import annotations

import numpy as np


def axby(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(m, k), (k, n), (m, n) or (m,) -> (m, n): y = w @ x + b.

    Parameters
    ----------
    w : (m, k) of any numbers.
    x : (k, n), with as many rows as `w` has columns.
    b : (m, n), of the result's shape, or (m,), as a network's file keeps it.

    Rules
    -----
    product : `w` and `x` are multiplied as matrices, in this order: rows of `w`, columns of `x`.
    bias : `b` of (m, n) is added to the product, each number in its own place.
    rows : `b` of (m,) has one number for each row of the product, which is added to every number of that row.
    dtype : the result has the dtype that numpy gives the sum: integers stay integers, with all their digits as long as
        the sum fits into their dtype, float32 stays float32, and float32 with float64 is float64.

    >>> axby(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [5, 2]]), np.array([[1, 2], [3, 4]]))
    array([[11,  7],
           [23, 15]])
    >>> axby(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [5, 2]]), np.array([100, 200]))
    array([[110, 105],
           [220, 211]])
    """
    # TODO axby (Task 1.1)
    raise NotImplementedError("axby: TODO")


def telling_inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs w, x and b on which each of five wrong versions of axby gives itself away.

    A version gives itself away where its result is not w @ x + b. One choice of inputs is asked for, and it has to
    catch all five.

    Rules
    -----
    form : a tuple (w, x, b) of three numpy arrays of integers, not all of int8, the same at every call.
    square : all three have the same shape, (2, 2) or (3, 3), on which every version runs: no error gives one away.
    small : each number is from -20 to 20, so that you can compute by hand.
    swapped : they catch `x @ w + b`.
    transposed : they catch `w.T @ x + b`.
    bias_once : they catch `w @ x + b[0]`, which adds the first row of `b` to every row.
    absolute : they catch `np.abs(w) @ x + b`, which loses the sign of the weights.
    narrow : they catch `(w @ x + b).astype(np.int8)`, which keeps whole numbers from -128 to 127 only.
    """
    # TODO telling_inputs (Task 1.2)
    raise NotImplementedError("telling_inputs: TODO")


def as_float(x: np.ndarray) -> np.ndarray:
    """Given: x itself where it holds floats, otherwise x as float32.

    >>> as_float(np.array([1, 2], np.uint8))
    array([1., 2.], dtype=float32)
    """
    return x if x.dtype.kind == "f" else x.astype(np.float32)


def e_power_minus(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): y = e^-x, element by element.

    Parameters
    ----------
    x : (...) of floats or integers of any width, with one axis or more, also a transposed array. `as_float` is there
        for you.

    Rules
    -----
    power : each element is e to the power of minus the element of `x`.
    digits : the relative error is at most 1e-10 in float64, and 1e-5 in float32, up to the largest numbers that the
        type has and down to 1e-307 in float64, 1e-38 in float32; beyond them come inf and 0.
    shape : the result has the shape of `x`.
    floats : floats keep their dtype.
    integers : integers become float32 before the sign changes: for uint8, -1 is 255.

    >>> e_power_minus(np.array([0.0, 1.0, -1.0])).round(4)
    array([1.    , 0.3679, 2.7183])
    >>> e_power_minus(np.array([0, 1, 2], np.uint8)).round(4)
    array([1.    , 0.3679, 0.1353], dtype=float32)
    """
    # TODO e_power_minus (Task 1.3)
    raise NotImplementedError("e_power_minus: TODO")


def axpy(a: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """a, (...), (...) -> (...): a * x + y, element by element.

    Parameters
    ----------
    a : a plain number, an int or a float.
    x : (...) of any numbers, with one axis or more, also a transposed array.
    y : of the same shape.

    Rules
    -----
    sum : each element is `a` times the element of `x`, plus the element of `y`.
    new : the result is a new array, also where `a` or all of `x` is 0; `x` and `y` stay as they are, because the
        caller still needs them.
    dtype : the result has the dtype that numpy gives `a` * `x` + `y`, whatever the numbers are: `a` leaves float32 as
        it is, and float32 with float64 is float64; integers times 2 stay integers, integers times 0.5 or 2.0 become
        float64.

    >>> axpy(3.0, np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    array([13., 26.])
    """
    # TODO axpy (Task 1.4)
    raise NotImplementedError("axpy: TODO")


def axpy_twice(a: float, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Given: axpy called twice with the very same arrays, the first result changed in between. Both must be equal."""
    first = axpy(a, x, y)
    kept = first.copy()
    first += 1  # the caller does with its result what it likes
    return [kept, axpy(a, x, y)]


def softmax(z: np.ndarray) -> np.ndarray:
    """(..., n) -> (..., n): scores into shares, p_i = e^(z_i) / sum_j e^(z_j) for each row.

    Parameters
    ----------
    z : (..., n) scores, floats or integers of any width, with one axis or more, also a transposed array.

    Rules
    -----
    shares : each share is the power of its score, divided by the sum of the powers in its row.
    last_axis : a row runs along the last axis, however many axes there are.
    large : finite scores of any size give shares, and never nan: 1000 as well as -1000, alone too, and 100 in float32,
        where e^100 is too large already.
    apart : a row is not disturbed by another one that is thousands above or below it.
    digits : the relative error is at most 1e-9 in float64, and 1e-5 in float32, small shares such as 1e-44 included.
    floats : floats keep their dtype.
    integers : all integers become float32 before anything else: in uint8, 2 - 3 is 255.

    >>> softmax(np.array([[0.0, 0.0], [1000.0, 1000.0]]))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    # TODO softmax (Task 1.5, a bonus)
    raise NotImplementedError("softmax: TODO")
