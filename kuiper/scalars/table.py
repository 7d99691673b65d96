"""The table of scalar functions: everything that is known of each, in one line where that suffices.

EXPRESSION has the functions of pnnx.Expression by their names in its language, OPERATORS those that stand alone in a
graph, by their names after torch. A new function is a line in one of them.
Source: https://docs.pytorch.org/docs/stable/torch.html#math-operations
"""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import numpy as np

from kuiper.errors import unique
from kuiper.scalars import formulas, steps
from kuiper.scalars.function import Function
from kuiper.scalars.special import erf, lgamma

_UNARY = (1,)
_smooth = partial(Function, kinds="bifc", arity=_UNARY, floating=True)
_power = partial(Function, kinds="ifc", exact=formulas.whole_power)
_real = partial(Function, kinds="bif", arity=_UNARY, floating=True)
_logic = partial(Function, kinds="bifc")
_order = partial(Function, kinds="bif")
_property = partial(Function, kinds="bifc", arity=_UNARY)


def _rounding(name: str, formula: str, ufunc: np.ufunc) -> Function:
    compiled = steps.of_ufunc(ufunc)
    return Function(name, formula, formulas.rounded(ufunc), "if", _UNARY, whole=True, compiled=compiled)


def _whole(name: str, formula: str, ufunc: np.ufunc, **options: Any) -> Function:
    compiled = steps.of_ufunc(ufunc)
    return Function(name, formula, formulas.divided(ufunc), "if", compiled=compiled, **options)


def _named(*functions: Function) -> dict[str, Function]:
    return unique("stands in the table of scalar functions already", *((one.name, one) for one in functions))


_MAXIMUM = Function("maximum", "the larger; NaN wins", np.maximum, "bif", compiled=steps.larger)
_MINIMUM = Function("minimum", "the smaller; NaN wins", np.minimum, "bif", compiled=steps.smaller)

EXPRESSION: dict[str, Function] = _named(
    _smooth("acos", "acos(x)", np.arccos),
    _smooth("acosh", "acosh(x)", np.arccosh),
    _smooth("asin", "asin(x)", np.arcsin),
    _smooth("asinh", "asinh(x)", np.arcsinh),
    _smooth("atan", "atan(x)", np.arctan),
    _smooth("atanh", "atanh(x)", np.arctanh),
    _smooth("cos", "cos(x)", np.cos),
    _smooth("cosh", "cosh(x)", np.cosh),
    _smooth("exp", "e^x", np.exp),
    _smooth("expm1", "e^x - 1", np.expm1),
    _smooth("log", "log(x)", np.log),
    _smooth("log10", "the logarithm to base 10", np.log10),
    _smooth("log1p", "log(1 + x)", np.log1p),
    _smooth("reciprocal", "1 / x", np.reciprocal, compiled=steps.reciprocal),
    _smooth("rsqrt", "1 / sqrt(x)", None, compiled=steps.rsqrt),
    _smooth("sin", "sin(x)", np.sin),
    _smooth("sinh", "sinh(x)", np.sinh),
    _smooth("sqrt", "sqrt(x)", np.sqrt),
    _smooth("tan", "tan(x)", np.tan),
    _smooth("tanh", "tanh(x)", np.tanh),
    _real("erf", "2/sqrt(pi) times the integral of e^(-t t) from 0 to x", erf, compiled=steps.erf),
    Function("abs", "|x|", np.abs, "ifc", _UNARY, exact=abs),
    Function("neg", "-x", np.negative, "ifc", _UNARY, exact=operator.neg),
    Function("sign", "-1, 0 or 1; 0 for NaN", formulas.sign, "bif", _UNARY),
    Function("square", "x x", formulas.square, "bifc", _UNARY, exact=lambda x: x * x, compiled=steps.square),
    _rounding("ceil", "the next whole number above", np.ceil),
    _rounding("floor", "the next whole number below", np.floor),
    _rounding("round", "the nearest whole number, of two the even one", np.rint),
    _rounding("trunc", "the next whole number towards 0", np.trunc),
    Function("add", "x + y", np.add, "bifc", exact=operator.add),
    Function("sub", "x - y", np.subtract, "ifc", exact=operator.sub, check=formulas.check_difference),
    Function("mul", "x y", np.multiply, "bifc", exact=operator.mul, precise=True),
    Function("div", "x / y", np.true_divide, "bifc", floating=True, precise=True, compiled=steps.divide),
    _whole("floor_divide", "floor(x / y)", np.floor_divide, exact=operator.floordiv, precise=True),
    Function("remainder", "x - y floor(x / y)", formulas.remainder, "if", exact=operator.mod),
    _whole("fmod", "x - y trunc(x / y)", np.fmod),
    _power("pow", "x^y", formulas.power, check=formulas.check_power, compiled=steps.power),
    Function("atan2", "the angle of the point (y, x)", np.arctan2, "bif", floating=True),
    Function("logaddexp", "log(e^x + e^y)", formulas.logaddexp, "fc", compiled=steps.of_ufunc(np.logaddexp)),
    _MAXIMUM,
    _MINIMUM,
    Function("and", "the bits that both have", np.bitwise_and, "bi", exact=operator.and_),
    Function("or", "the bits that one has", np.bitwise_or, "bi", exact=operator.or_),
    Function("xor", "the bits that exactly one has", np.bitwise_xor, "bi", exact=operator.xor),
    Function("lshift", "x 2^y", np.left_shift, "i"),
    Function("rshift", "floor(x / 2^y)", np.right_shift, "i"),
) | {"max": _MAXIMUM, "min": _MINIMUM}

OPERATORS: dict[str, Function] = _named(
    Function("positive", "the input itself", lambda x: x, "ifc", _UNARY),
    _real("lgamma", "log |gamma(x)|", lgamma),
    _smooth("log2", "the logarithm to base 2", np.log2),
    _smooth("exp2", "2^x", lambda x: np.power(x.dtype.type(2), x), compiled=steps.of_ufunc(np.exp2)),
    Function("frac", "x - trunc(x)", None, "f", _UNARY, flops=2, compiled=steps.frac),
    Function("sgn", "x / |x|, or 0", formulas.sgn, "bifc", _UNARY),
    _real("sinc", "sin(pi x) / (pi x)", np.sinc, flops=3),
    _real("deg2rad", "x pi / 180", None, compiled=steps.times(math.pi / 180)),
    _real("rad2deg", "x 180 / pi", None, compiled=steps.times(180 / math.pi)),
    _MAXIMUM,
    _MINIMUM,
    Function("fmax", "the larger; NaN loses", np.fmax, "bif"),
    Function("fmin", "the smaller; NaN loses", np.fmin, "bif"),
    Function("hypot", "sqrt(x^2 + y^2)", np.hypot, "f"),
    Function("copysign", "|x| with the sign of y", np.copysign, "bif", floating=True),
    Function("logaddexp2", "log2(2^x + 2^y)", np.logaddexp2, "f"),
    Function("xlogy", "x log(y), 0 where x is 0 and y is a number", formulas.xlogy, "bif", floating=True, flops=2),
    Function("gcd", "the greatest common divisor", np.gcd, "i"),
    Function("lcm", "the least common multiple", lambda x, y: np.abs(np.lcm(x, y)), "i"),
    Function("lerp", "x + weight (y - x)", None, "fc", (3,), flops=3, compiled=steps.lerp),
    Function("addcmul", "x + value a b", lambda x, a, b, value: x + value * a * b, "ifc", (4,), flops=3),
    Function("addcdiv", "x + value a / b", lambda x, a, b, value: x + value * a / b, "fc", (4,), flops=3),
    _logic("eq", "True where x == other", np.equal),
    _logic("ne", "True where x != other", np.not_equal),
    _order("lt", "True where x < other", np.less),
    _order("le", "True where x <= other", np.less_equal),
    _order("gt", "True where x > other", np.greater),
    _order("ge", "True where x >= other", np.greater_equal),
    _property("logical_not", "True where x is 0", np.logical_not),
    _logic("logical_and", "True where neither is 0", np.logical_and),
    _logic("logical_or", "True where one is not 0", np.logical_or),
    _logic("logical_xor", "True where exactly one is not 0", np.logical_xor),
    Function("bitwise_not", "every bit flipped; not x for booleans", np.invert, "bi", _UNARY),
    Function("bitwise_and", "the bits that both have", np.bitwise_and, "bi"),
    Function("bitwise_or", "the bits that one has", np.bitwise_or, "bi"),
    Function("bitwise_xor", "the bits that exactly one has", np.bitwise_xor, "bi"),
    Function("bitwise_left_shift", "x 2^other, without the bits that leave the type", np.left_shift, "i"),
    Function("bitwise_right_shift", "floor(x / 2^other)", np.right_shift, "i"),
    _property("isnan", "True where x is NaN", np.isnan),
    _property("isinf", "True where x is inf or -inf", np.isinf),
    _property("isfinite", "True where x is neither NaN nor infinite", np.isfinite),
    Function("isposinf", "True where x is inf", lambda x: x == np.inf, "bif", _UNARY),
    Function("isneginf", "True where x is -inf", lambda x: x == -np.inf, "bif", _UNARY),
    Function("signbit", "True where x has a minus sign, as -0.0 has", np.signbit, "bif", _UNARY),
    Function("polar", "abs (cos(angle) + sin(angle) j)", formulas.polar, "f", flops=4),
    _smooth("angle", "the angle to the positive real axis; 0 or pi for real x", formulas.angle),
    Function("conj", "x with the imaginary part negated", formulas.conj, "bifc", _UNARY),
)
