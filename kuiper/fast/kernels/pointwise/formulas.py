"""What the functions of expressions are in ufuncs: name -> how a program computes it on float32."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.errors import KuiperError
from kuiper.expression.functions import call
from kuiper.expression.parser import TokenNode
from kuiper.expression.polish import fold
from kuiper.expression.tokens import TokenType
from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.pointwise.curves import ERF, clip
from kuiper.fast.kernels.pointwise.program import Argument, Program, ProgramValue

Formula = Callable[..., Argument]
"""(program, *operands) -> result; one operand at least is a ProgramValue."""


class NotHandled(Exception):
    """The simple layer has to compute this."""


def ufunc(function: Callable[..., Any]) -> Formula:
    """A function that is one ufunc."""
    return lambda program, *operands: program.apply(function, *operands)


def _divide(program: Program, x: Argument, y: Argument) -> Argument:
    """x / y; multiplying by the inverse of a number takes half the time."""
    if not isinstance(y, ProgramValue) and 1e-30 < abs(y) < 1e30:
        return program.apply(np.multiply, x, 1 / y)
    return program.apply(np.divide, x, y)


def _inverse(program: Program, x: Argument) -> Argument:
    """1 / x, in half the time of np.reciprocal."""
    return program.apply(np.divide, 1, x)


def _rsqrt(program: Program, x: Argument) -> Argument:
    return _inverse(program, program.apply(np.sqrt, x))


def _square(program: Program, x: Argument) -> Argument:
    return program.apply(np.multiply, x, x)


def _power(program: Program, x: Argument, exponent: Argument) -> Argument:
    special: dict[Any, Formula] = {
        2.0: _square,
        3.0: lambda p, x: p.apply(np.multiply, p.apply(np.multiply, x, x), x),
        0.5: ufunc(np.sqrt),
        -0.5: _rsqrt,
        -1.0: _inverse,
        -2.0: lambda p, x: _inverse(p, p.apply(np.multiply, x, x)),
    }
    if isinstance(exponent, ProgramValue) and not exponent.shape:
        raise NotHandled("an exponent that may be one of these, which is seen only later")
    if isinstance(x, ProgramValue) and exponent in special:
        return special[exponent](program, x)
    return program.apply(np.power, x, exponent)


def _bound(function: Callable[..., Any], low: bool) -> Formula:
    """The larger or smaller of two; for a number, clip takes a third of the time."""

    def formula(program: Program, x: Argument, y: Argument) -> Argument:
        if isinstance(y, ProgramValue):
            x, y = y, x
        if isinstance(y, ProgramValue) or math.isnan(y):
            return program.apply(function, x, y)
        return program.apply(clip, x, y, math.inf) if low else program.apply(clip, x, -math.inf, y)

    return formula


def _erf(program: Program, x: Argument) -> Argument:
    """erf(x) = tanh(h R(h^2)) for h = x / sqrt(2); see curves.ERF."""
    a, b, c, d, e, f = ERF
    h = program.apply(np.multiply, x, math.sqrt(0.5))
    square = program.apply(np.multiply, h, h)
    inner = program.apply(np.divide, e, program.apply(np.add, square, f))
    inner = program.apply(np.add, program.apply(np.add, inner, square), d)
    outer = program.apply(np.add, program.apply(np.divide, c, inner), b)
    outer = program.apply(np.add, outer, program.apply(np.multiply, square, a))
    return program.apply(np.tanh, program.apply(np.multiply, outer, h))


def _fraction(program: Program, x: Argument) -> Argument:
    return program.apply(np.subtract, x, program.apply(np.trunc, x))


def _lerp(program: Program, x: Argument, y: Argument, weight: Argument) -> Argument:
    return program.apply(np.add, x, program.apply(np.multiply, weight, program.apply(np.subtract, y, x)))


_SAME = (
    *("add", "subtract", "multiply", "negative", "abs", "exp", "expm1", "log", "log10", "log1p", "log2", "exp2"),
    *("sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "ceil", "floor", "trunc", "logaddexp", "logaddexp2"),
    *("fmax", "fmin", "hypot", "copysign", "fmod", "floor_divide"),
)
_OTHER_NAMES = {
    **{"sub": "subtract", "mul": "multiply", "neg": "negative", "round": "rint", "atan2": "arctan2"},
    **{f"a{name}": f"arc{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
}
FORMULAS: dict[str, Formula] = {
    **{name: ufunc(getattr(np, name)) for name in _SAME},
    **{name: ufunc(getattr(np, numpy)) for name, numpy in _OTHER_NAMES.items()},
    "div": _divide,
    "reciprocal": _inverse,
    "rsqrt": _rsqrt,
    "square": _square,
    "pow": _power,
    **dict.fromkeys(("max", "maximum"), _bound(np.maximum, low=True)),
    **dict.fromkeys(("min", "minimum"), _bound(np.minimum, low=False)),
    "erf": _erf,
    "torch.float": lambda program, x: x,
    "frac": _fraction,
    "deg2rad": lambda program, x: program.apply(np.multiply, x, math.pi / 180),
    "rad2deg": lambda program, x: program.apply(np.multiply, x, 180 / math.pi),
    "lerp": _lerp,
}
"""The functions of pnnx.Expression and of kuiper.layers.elementwise whose result is float32, by their names there."""


def operand(spec: Spec, values: dict[int, ProgramValue], slot: int) -> Argument:
    """What an operator's input is in a program. Raises NotHandled for what is no array of float32 and no number."""
    if spec.is_float:
        return values[slot]
    if spec.constant and spec.shape is None and _is_number(spec.value):
        return spec.value
    raise NotHandled(f"input {slot}")


def evaluate(
    order: Sequence[TokenNode], inputs: Sequence[Spec], program: Program, values: dict[int, ProgramValue]
) -> Argument:
    """The result of an expression in reverse Polish order. Raises NotHandled where a function or operand is unknown.

    Numbers among themselves stay Python's, as in kuiper.expression.
    """

    def leaf(node: TokenNode) -> Argument:
        if node.token.type is TokenType.OPERAND:
            return operand(inputs[node.num_index], values, node.num_index)
        if node.token.type in (TokenType.INTEGER, TokenType.FLOAT):
            return node.token.value
        raise NotHandled(node.text)

    def function(node: TokenNode, operands: list[Argument]) -> Argument:
        if node.token.type is not TokenType.FUNCTION:
            raise NotHandled(node.text)
        return apply(program, node.text, operands)

    return fold(order, leaf, function)


def apply(program: Program, name: str, operands: Sequence[Argument]) -> Argument:
    """The result of one function. Raises NotHandled for an unknown one, or one without a number as its result."""
    if any(isinstance(x, ProgramValue) for x in operands):
        if name not in FORMULAS:
            raise NotHandled(name)
        return FORMULAS[name](program, *operands)
    try:
        result = call(name, *operands)
    except KuiperError:
        raise NotHandled(name) from None
    if not _is_number(result):
        raise NotHandled(name)
    return result


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, (bool, np.generic))
