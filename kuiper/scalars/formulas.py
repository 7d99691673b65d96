"""Formulas of the table that are longer than a line: arrays of one element type -> an array."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.scalars.function import is_number
from kuiper.scalars.steps import POWERS, run


def rounded(round_floats: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], Any]:
    """The formula of a rounding function, which leaves integers as they are."""
    return lambda x: round_floats(x) if x.dtype.kind == "f" else x.copy()


def sign(x: np.ndarray) -> np.ndarray:
    """-1, 0 or 1; NaN gives 0, as PyTorch has it. https://docs.pytorch.org/docs/stable/generated/torch.sign.html"""
    return x.copy() if x.dtype.kind == "b" else (x > 0).astype(x.dtype) - (x < 0)


def sgn(x: np.ndarray) -> Any:
    """sign(x), for complex numbers x / |x| or 0. https://docs.pytorch.org/docs/stable/generated/torch.sgn.html"""
    return np.where(x == 0, 0, x / np.abs(x)).astype(x.dtype) if x.dtype.kind == "c" else sign(x)


def square(x: np.ndarray) -> Any:
    """x x; booleans become integers. https://docs.pytorch.org/docs/stable/generated/torch.square.html"""
    return np.square(x.astype(np.int64) if x.dtype.kind == "b" else x)


def divided(divide: Callable[..., Any]) -> Callable[..., Any]:
    """The formula of a division, which refuses to divide integers by zero."""

    def formula(a: np.ndarray, b: np.ndarray) -> Any:
        _check_divisor(b)
        return divide(a, b)

    return formula


def remainder(a: np.ndarray, b: np.ndarray) -> Any:
    """a - b * floor(a / b), with the sign of b. https://docs.pytorch.org/docs/stable/generated/torch.remainder.html"""
    _check_divisor(b)
    if b.dtype.kind != "f":
        return np.remainder(a, b)
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


def _check_divisor(b: np.ndarray) -> None:
    if b.dtype.kind in "iu" and not b.all():
        raise ZeroDivisionError("integers cannot be divided by zero")


def logaddexp(a: np.ndarray, b: np.ndarray) -> Any:
    """log(exp(a) + exp(b)) without overflow. https://docs.pytorch.org/docs/stable/generated/torch.logaddexp.html"""
    if a.dtype.kind != "c":
        return np.logaddexp(a, b)
    high, low = np.where(a.real >= b.real, np.broadcast_arrays(a, b), np.broadcast_arrays(b, a))
    return high + np.log1p(np.exp(low - high))


def xlogy(x: np.ndarray, y: np.ndarray) -> Any:
    """x log(y), 0 where x is 0 and y is a number. https://docs.pytorch.org/docs/stable/generated/torch.xlogy.html"""
    return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y)).astype(x.dtype)


def check_difference(x: Any, y: Any) -> None:
    """A bool beside an array is not subtracted. https://docs.pytorch.org/docs/stable/generated/torch.sub.html"""
    if not (is_number(x) and is_number(y)) and any(np.asarray(v).dtype == bool for v in (x, y)):
        raise TypeError("a bool cannot be subtracted, nor subtracted from; xor is what may be meant")


def check_power(x: Any, exponent: Any) -> None:
    """Integers have no negative powers. https://docs.pytorch.org/docs/stable/generated/torch.pow.html"""
    negative = isinstance(exponent, int) and exponent < 0
    if negative and isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "iu":
        raise ValueError("integers cannot be raised to a negative integer power")


def power(x: np.ndarray, exponent: np.ndarray) -> Any:
    """x to the power of `exponent`; some exponents without a logarithm, see kuiper.scalars.steps.POWERS."""
    if x.dtype.kind == "f" and exponent.ndim == 0 and float(exponent) in POWERS:
        return POWERS[float(exponent)](run, x)
    if x.dtype.kind != "i":
        return np.power(x, exponent)
    # the integer part of 1/x is 0, but for 1 and -1; an array may mix both signs of exponent
    inverse = np.where(x == 1, 1, np.where(x == -1, 1 - 2 * (exponent & 1), 0))
    return np.where(exponent < 0, inverse, np.power(x, np.maximum(exponent, 0))).astype(x.dtype)


def whole_power(x: int, exponent: int) -> int | float:
    """x to the power of `exponent` on Python integers; a negative exponent gives a float, 0 to a negative one inf."""
    if exponent < 0:
        return float(x) ** exponent if x else math.inf
    if abs(x) > 1 and exponent > 64:  # it cannot fit, and would take for ever
        raise OverflowError("the result does not fit an integer of 64 bits")
    return x**exponent


def of_parts(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """(...), (...) -> the broadcast shape: real + imag j. The parts are set, not added: inf j times 1 would be NaN."""
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


def polar(size: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """size (cos(angle) + sin(angle) j). https://docs.pytorch.org/docs/stable/generated/torch.polar.html"""
    return of_parts(size * np.cos(angle), size * np.sin(angle))


def angle(x: np.ndarray) -> np.ndarray:
    """The angle to the positive real axis. https://docs.pytorch.org/docs/stable/generated/torch.angle.html"""
    if x.dtype.kind == "c":
        return np.angle(x)
    return np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(np.pi), x.dtype.type(0)))


def conj(x: np.ndarray) -> np.ndarray:
    """x with the imaginary part negated. https://docs.pytorch.org/docs/stable/generated/torch.conj.html"""
    return x.conj() if x.dtype.kind == "c" else x
