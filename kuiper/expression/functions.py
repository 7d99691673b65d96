"""The functions of the expression language: those of the table of scalar functions, and conversions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.dtypes import converted
from kuiper.errors import DTypeError, InferError, ShapeError
from kuiper.scalars import EXPRESSION, Function
from kuiper.scalars.function import Value, check_value, is_number


class Conversion(Function):
    """A function of values as they come: they need no common element type, and what it does counts as no operation."""

    def __call__(self, *values: Value) -> Value:
        """A number, an array or a list."""
        assert self.compute is not None
        return self.compute(*values)


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
        return number(x) if is_number(x) else converted(np.array(x), np.dtype(dtype))

    return convert


_CONVERSIONS = (
    Conversion("size", "the lengths of the axes, or of one", size, "bifc", (1, 2), flops=0),
    Conversion("int", "a Python integer", to_int, "bifc", (1,), flops=0),
    Conversion("torch.bool", "x as booleans", cast("?", bool), "bifc", (1,), flops=0),
    Conversion(*("torch.float", "x as float32", cast("f4", float), "bifc", (1,)), flops=0, compiled=lambda apply, x: x),
    Conversion("torch.long", "x as int64", cast("i8", int), "bifc", (1,), flops=0),
)
FUNCTIONS: dict[str, Function] = EXPRESSION | {function.name: function for function in _CONVERSIONS}


def call(name: str, *values: Value) -> Value:
    """`name`(*values). Raises ShapeError for shapes that do not broadcast, InferError for values it is not defined for.

    >>> call("mul", 2, np.array([1.0, 2.0], np.float32)).tolist(), call("mul", 2, 3)
    ([2.0, 4.0], 6)
    """
    try:
        return FUNCTIONS[name](*values)
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
