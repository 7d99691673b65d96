"""The functions of the expression language: name -> how many values it takes, and what it computes.

All of PyTorch's semantics: https://docs.pytorch.org/docs/stable/torch.html#math-operations
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.errors import DTypeError, InferError, ShapeError
from kuiper.expression.arithmetic import (
    Value,
    check_value,
    elementwise,
    floor_divide,
    fmod,
    is_number,
    logaddexp,
    power,
    remainder,
    rounding,
    sign,
    subtract,
)
from kuiper.mathematics import erf


@dataclass(frozen=True)
class Function:
    """One function: `compute` takes as many values as one of the entries of `arity` says."""

    arity: tuple[int, ...]
    compute: Callable[..., Value]


def size(x: Value, *dim: Value) -> Value:
    """size(x) -> the lengths of all axes; size(x, dim) -> the length of one, counted from the end if negative."""
    if not isinstance(x, (np.ndarray, np.generic)):
        raise TypeError(f"expected an array, found {x!r:.60}")
    return x.shape[operator.index(dim[0])] if dim else list(x.shape)


def to_int(x: Value) -> int:
    """int(x): a number, or an array of one element -> Python's integer, towards zero."""
    check_value(x)
    return int(x if is_number(x) else np.asarray(x).item())


def cast(dtype: str, number: Callable[[Any], Any]) -> Callable[[Value], Value]:
    """torch.bool, torch.float, torch.long: every element as `dtype`, a Python number as `number`."""

    def convert(x: Value) -> Value:
        check_value(x)
        if is_number(x):
            return number(x)
        x = np.asarray(x)
        return (x.real if x.dtype.kind == "c" and dtype != "?" else x).astype(dtype)

    return convert


_FLOATING: dict[str, Callable[[np.ndarray], Any]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "reciprocal": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}

_UNARY: dict[str, Callable[[Value], Value]] = {
    **{name: elementwise(compute, "bifc", floating=True) for name, compute in _FLOATING.items()},
    "erf": elementwise(erf, "f", floating=True),
    "abs": elementwise(np.abs, "ifc", exact=abs),
    "neg": elementwise(np.negative, "ifc", exact=operator.neg),
    "sign": elementwise(sign, "bif"),
    "square": lambda x: power(x, 2),
    "ceil": rounding(np.ceil),
    "floor": rounding(np.floor),
    "round": rounding(np.rint),  # halves to the even neighbour
    "trunc": rounding(np.trunc),
    "int": to_int,
    "torch.bool": cast("?", bool),
    "torch.float": cast("f4", float),
    "torch.long": cast("i8", int),
}

_BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "add": elementwise(np.add, "bifc", exact=operator.add),
    "sub": subtract,
    "mul": elementwise(np.multiply, "bifc", exact=operator.mul, precise=True),
    "div": elementwise(np.true_divide, "fc", floating=True, precise=True),
    "floor_divide": elementwise(floor_divide, "if", exact=operator.floordiv, precise=True),
    "remainder": elementwise(remainder, "if", exact=operator.mod),
    "fmod": elementwise(fmod, "if"),
    "pow": power,
    "atan2": elementwise(np.arctan2, "f", floating=True),
    "logaddexp": elementwise(logaddexp, "fc"),
    "max": elementwise(np.maximum, "bif"),  # a NaN on either side gives NaN
    "maximum": elementwise(np.maximum, "bif"),
    "min": elementwise(np.minimum, "bif"),
    "minimum": elementwise(np.minimum, "bif"),
    "and": elementwise(np.bitwise_and, "bi", exact=operator.and_),
    "or": elementwise(np.bitwise_or, "bi", exact=operator.or_),
    "xor": elementwise(np.bitwise_xor, "bi", exact=operator.xor),
    "lshift": elementwise(np.left_shift, "i"),
    "rshift": elementwise(np.right_shift, "i"),
}

FUNCTIONS: dict[str, Function] = {
    **{name: Function((1,), compute) for name, compute in _UNARY.items()},
    **{name: Function((2,), compute) for name, compute in _BINARY.items()},
    "size": Function((1, 2), size),
}


def call(name: str, *values: Value) -> Value:
    """`name`(*values). Raises ShapeError for shapes that do not broadcast, InferError for values it is not defined for.

    >>> call("mul", 2, np.array([1.0, 2.0], np.float32)).tolist(), call("mul", 2, 3)
    ([2.0, 4.0], 6)
    """
    try:
        with np.errstate(all="ignore"):
            return FUNCTIONS[name].compute(*values)
    except (ArithmeticError, IndexError, MemoryError, TypeError, ValueError) as error:
        shapes = [np.shape(value) for value in values if isinstance(value, np.ndarray)]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            expected = "shapes that agree from the last axis on, or are 1 there"
            raise ShapeError(name, expected, " and ".join(map(str, shapes))) from None
        found = ", ".join(_describe(value) for value in values)
        kind = DTypeError if isinstance(error, TypeError) else InferError
        raise kind(f"{name}({found}): {error}") from error


def _describe(value: Value) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, (np.ndarray, np.generic)) else f"{value!r:.60}"
