"""One value or a pair of values -> one value, with the element types that PyTorch gives.

Values are numpy arrays and Python numbers. Python numbers among themselves stay Python numbers (sizes must stay exact
integers); with an array they follow its type.
Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.dtypes import as_float, result_type

Value = Any  # numpy array or Python number; size() alone gives a list

_NUMBER_TYPES = {"b": np.dtype("?"), "i": np.dtype("i8"), "f": np.dtype("f8"), "c": np.dtype("c16")}


def elementwise(
    compute: Callable[..., Any],
    kinds: str,
    *,
    floating: bool = False,
    exact: Callable[..., Any] | None = None,
    precise: bool = False,
) -> Callable[..., Value]:
    """(…), (…) -> broadcast shape: `compute` on values of one common type.

    Parameters
    ----------
    compute : takes arrays of one element type, gives an array.
    kinds : the kinds of type it is defined for: b(ool) i(nteger) f(loat) c(omplex).
    floating : integers are computed as float32, like sin, instead of as integers, like add.
    exact : replaces `compute` where every value is a Python integer or bool.
    precise : a single value beside an array of float16 is not rounded to float16 first; PyTorch does so for some.

    >>> elementwise(np.sin, "bifc", floating=True)(np.zeros(2, np.int64))
    array([0., 0.], dtype=float32)
    """

    def apply(*values: Value) -> Value:
        for value in values:
            check_value(value)
        only_numbers = all(is_number(value) for value in values)
        if only_numbers and exact is not None and all(isinstance(value, int) for value in values):
            return _in_64_bits(exact(*values))
        dtype = _type_of_numbers(values, kinds, floating) if only_numbers else result_type(*values)
        dtype = as_float(dtype) if floating else dtype
        if dtype.kind.replace("u", "i") not in kinds:
            raise TypeError(f"not defined for {dtype}")
        arrays = [np.asarray(value) for value in values]
        if dtype == np.float16:
            return _in_float32(compute, arrays, precise)
        result = np.asarray(compute(*(x.astype(dtype, copy=False) for x in arrays)))
        return result.item() if only_numbers else result

    return apply


def _type_of_numbers(values: Sequence[Value], kinds: str, floating: bool) -> np.dtype:
    """Python numbers among themselves have Python's precision: 64 bits."""
    kind = max((np.asarray(value).dtype.kind for value in values), key="bifc".index)
    if floating and kind in "bi":
        kind = "f"
    elif kind == "b" and "b" not in kinds:
        kind = "i"  # Python's True is an integer
    return _NUMBER_TYPES[kind]


def _in_float32(compute: Callable[..., Any], arrays: Sequence[np.ndarray], precise: bool) -> np.ndarray:
    """float16 is computed in float32 and rounded once, as PyTorch does."""
    half = [x if precise and not x.ndim else x.astype(np.float16, copy=False) for x in arrays]
    return np.asarray(compute(*(x.astype(np.float32) for x in half))).astype(np.float16)


def is_number(value: Value) -> bool:
    """True for a Python number; numpy's scalars count as arrays without axes."""
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)


def check_value(value: Value) -> None:
    """Raise TypeError for what is no number and no array of them, OverflowError for an integer beyond 64 bits."""
    if is_number(value):
        if isinstance(value, int):
            _in_64_bits(value)
    elif not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "biufc":
        raise TypeError(f"expected arrays or numbers, found {value!r:.60}")


def _in_64_bits(value: Any) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError("the result does not fit an integer of 64 bits")
    return value


def rounding(compute: Callable[[np.ndarray], Any]) -> Callable[[Value], Value]:
    """ceil, floor, round, trunc: floats stay floats in arrays, and become integers as Python numbers (sizes)."""

    def whole(x: np.ndarray) -> Any:
        return compute(x) if x.dtype.kind == "f" else x.copy()

    apply = elementwise(whole, "if")

    def rounded(x: Value) -> Value:
        result = apply(x)
        return int(result) if isinstance(result, float) and math.isfinite(result) else result

    return rounded


def sign(x: np.ndarray) -> np.ndarray:
    """-1, 0 or 1; NaN gives 0, as PyTorch has it. https://docs.pytorch.org/docs/stable/generated/torch.sign.html"""
    return x.copy() if x.dtype.kind == "b" else (x > 0).astype(x.dtype) - (x < 0)


def floor_divide(a: np.ndarray, b: np.ndarray) -> Any:
    """The largest whole number <= a / b. https://docs.pytorch.org/docs/stable/generated/torch.floor_divide.html"""
    _check_divisor(b)
    return np.floor_divide(a, b)


def remainder(a: np.ndarray, b: np.ndarray) -> Any:
    """a - b * floor(a / b), with the sign of b. https://docs.pytorch.org/docs/stable/generated/torch.remainder.html"""
    _check_divisor(b)
    if b.dtype.kind != "f":
        return np.remainder(a, b)
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


def fmod(a: np.ndarray, b: np.ndarray) -> Any:
    """a - b * trunc(a / b), with the sign of a. https://docs.pytorch.org/docs/stable/generated/torch.fmod.html"""
    _check_divisor(b)
    return np.fmod(a, b)


def _check_divisor(b: np.ndarray) -> None:
    if b.dtype.kind in "iu" and not b.all():
        raise ZeroDivisionError("integers cannot be divided by zero")


def subtract(x: Value, y: Value) -> Value:
    """x - y; a bool beside an array is refused. https://docs.pytorch.org/docs/stable/generated/torch.sub.html"""
    if not (is_number(x) and is_number(y)) and any(np.asarray(v).dtype == bool for v in (x, y)):
        raise TypeError("a bool cannot be subtracted, nor subtracted from; xor is what may be meant")
    return _subtract(x, y)


_subtract = elementwise(np.subtract, "ifc", exact=operator.sub)


def logaddexp(a: np.ndarray, b: np.ndarray) -> Any:
    """log(exp(a) + exp(b)) without overflow. https://docs.pytorch.org/docs/stable/generated/torch.logaddexp.html"""
    if a.dtype.kind != "c":
        return np.logaddexp(a, b)
    high, low = np.where(a.real >= b.real, np.broadcast_arrays(a, b), np.broadcast_arrays(b, a))
    return high + np.log1p(np.exp(low - high))


_POWERS: dict[float, Callable[[np.ndarray], Any]] = {
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    0.5: np.sqrt,
    -0.5: lambda x: 1 / np.sqrt(x),
    -1.0: lambda x: 1 / x,
    -2.0: lambda x: 1 / (x * x),
}
"""Exponents that PyTorch computes without a logarithm: faster, and exact for the first two."""


def power(x: Value, exponent: Value) -> Value:
    """x to the power of `exponent`; an array of integers to a negative number is refused.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.pow.html
    """
    negative = isinstance(exponent, int) and exponent < 0
    if negative and isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "iu":
        raise ValueError("integers cannot be raised to a negative integer power")
    return _power(x, exponent)


def _compute_power(x: np.ndarray, exponent: np.ndarray) -> Any:
    if x.dtype.kind == "f" and exponent.ndim == 0 and float(exponent) in _POWERS:
        return _POWERS[float(exponent)](x)
    if x.dtype.kind != "i":
        return np.power(x, exponent)
    # the integer part of 1/x is 0, but for 1 and -1; an array may mix both signs of exponent
    inverse = np.where(x == 1, 1, np.where(x == -1, 1 - 2 * (exponent & 1), 0))
    return np.where(exponent < 0, inverse, np.power(x, np.maximum(exponent, 0))).astype(x.dtype)


def _whole_power(x: int, exponent: int) -> int | float:
    """x to the power of `exponent` on Python integers; a negative exponent gives a float, 0 to a negative one inf."""
    if exponent < 0:
        return float(x) ** exponent if x else math.inf
    if abs(x) > 1 and exponent > 64:  # it cannot fit, and would take for ever
        raise OverflowError("the result does not fit an integer of 64 bits")
    return x**exponent


_power = elementwise(_compute_power, "ifc", exact=_whole_power)
