"""The compiled form of scalar functions: on float32, as plain ufuncs one after another.

Steps are a function steps(apply, *operands), in which apply(ufunc, *operands) is the result of one ufunc: the fast
engine's `apply` notes the calls, `run` makes them. An operand is an array, or a number that is known beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Apply = Callable[..., Any]
Steps = Callable[..., Any]
"""steps(apply, *operands) -> result."""

clip: Callable[..., Any] = np.ndarray.clip
"""clip(x, low, high, out): 0.4 us more a call than the ufunc beneath, which numpy does not offer; np.clip takes 1.6."""


class NotCompiled(Exception):
    """No steps give this: the layer itself has to compute it."""


def run(ufunc: Callable[..., Any], *operands: Any) -> Any:
    """The `apply` that computes at once.

    >>> rsqrt(run, np.array([4.0, 16.0]))
    array([0.5 , 0.25])
    """
    return ufunc(*operands)


def is_number(operand: Any) -> bool:
    """Whether an operand of steps is a number instead of an array."""
    return isinstance(operand, (int, float))


def of_ufunc(ufunc: Callable[..., Any]) -> Steps:
    """The steps of a function that is one ufunc."""
    return lambda apply, *operands: apply(ufunc, *operands)


def divide(apply: Apply, x: Any, y: Any) -> Any:
    """x / y; multiplying by the inverse of a number takes half the time."""
    if is_number(y) and 1e-30 < abs(y) < 1e30:
        return apply(np.multiply, x, 1 / y)
    return apply(np.divide, x, y)


def reciprocal(apply: Apply, x: Any) -> Any:
    """1 / x, in half the time of np.reciprocal."""
    return apply(np.divide, 1, x)


def rsqrt(apply: Apply, x: Any) -> Any:
    """1 / sqrt(x)."""
    return reciprocal(apply, apply(np.sqrt, x))


def square(apply: Apply, x: Any) -> Any:
    """x x."""
    return apply(np.multiply, x, x)


def cube(apply: Apply, x: Any) -> Any:
    """x x x."""
    return apply(np.multiply, square(apply, x), x)


POWERS: dict[float, Steps] = {
    2.0: square,
    3.0: cube,
    0.5: of_ufunc(np.sqrt),
    -0.5: rsqrt,
    -1.0: reciprocal,
    -2.0: lambda apply, x: reciprocal(apply, square(apply, x)),
}
"""Exponents that PyTorch computes without a logarithm: faster, and exact for the first two."""


def power(apply: Apply, x: Any, exponent: Any) -> Any:
    """x to the power of `exponent`. Raises NotCompiled for an array of one, which may turn out to be in POWERS."""
    if not is_number(exponent) and not exponent.shape:
        raise NotCompiled("the exponent is seen only later")
    if is_number(exponent) and exponent in POWERS:
        return POWERS[exponent](apply, x)
    return apply(np.power, x, exponent)


def larger(apply: Apply, x: Any, y: Any) -> Any:
    """max(x, y); beside a number clip takes a third of the time."""
    array, other = (y, x) if is_number(x) else (x, y)
    if is_number(other) and not math.isnan(other):
        return apply(clip, array, other, math.inf)
    return apply(np.maximum, array, other)


def smaller(apply: Apply, x: Any, y: Any) -> Any:
    """min(x, y); beside a number clip takes a third of the time."""
    array, other = (y, x) if is_number(x) else (x, y)
    if is_number(other) and not math.isnan(other):
        return apply(clip, array, -math.inf, other)
    return apply(np.minimum, array, other)


def frac(apply: Apply, x: Any) -> Any:
    """x - trunc(x)."""
    return apply(np.subtract, x, apply(np.trunc, x))


def times(factor: float) -> Steps:
    """The steps of x factor."""
    return lambda apply, x: apply(np.multiply, x, factor)


def lerp(apply: Apply, x: Any, y: Any, weight: Any) -> Any:
    """x + weight (y - x)."""
    return apply(np.add, x, apply(np.multiply, weight, apply(np.subtract, y, x)))


# erf(sqrt(2) x) = tanh(x R(x^2)) with R(s) = A s + B + C / (s + D + E / (s + F)): the six numbers that make the largest
# error for |x| <= 3, and so anywhere, as small as it can be: 1.1e-7, and 2.3e-7 in float32.
_A, _B, _C = 0.1451091106697202, 2.366552001409392, -1.332916145266191
_D, _E, _F = -5.901533504751975, 86.46333989802574, 11.330778802937285


def erf_of_root(apply: Apply, x: Any) -> Any:
    """erf(sqrt(2) x).

    >>> float(erf_of_root(run, math.sqrt(0.5)).round(6))
    0.842701
    """
    square = apply(np.multiply, x, x)
    inner = apply(np.divide, _E, apply(np.add, square, _F))
    inner = apply(np.add, apply(np.add, inner, square), _D)
    outer = apply(np.add, apply(np.divide, _C, inner), _B)
    outer = apply(np.add, outer, apply(np.multiply, square, _A))
    return apply(np.tanh, apply(np.multiply, outer, x))


def erf(apply: Apply, x: Any) -> Any:
    """erf(x), in a fraction of the time that kuiper.scalars.special.erf takes for its exact digits."""
    return erf_of_root(apply, apply(np.multiply, x, math.sqrt(0.5)))
