"""Elementwise functions that stand alone in a graph; PNNX gathers most others into pnnx.Expression.

Source: https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import converted, finite_or_not
from kuiper.errors import InputCountError, ParameterError
from kuiper.layers.checks import check_dtype
from kuiper.layers.elementwise.special import lgamma
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@dataclass(frozen=True)
class Function:
    """(...), (...), ... -> the broadcast shape: `compute` on arrays of one common element type.

    Parameters
    ----------
    formula : what it computes, for the reader.
    compute : takes as many arrays as `arity` says, gives an array.
    kinds : the kinds of element it is defined for: b(ool), i(nteger), f(loat), c(omplex).
    floating : integers are computed as float32, as for a logarithm.
    """

    formula: str
    compute: Callable[..., Any]
    kinds: str
    arity: int = 2
    floating: bool = False

    def __call__(self, *values: Any) -> np.ndarray:
        """Compute on arrays and numbers. Raises InferError for a wrong number of them, or a wrong element type."""
        if len(values) != self.arity:
            raise InputCountError(f"expected {self.arity} inputs, found {len(values)}")
        arrays = common(*values)
        check_dtype(self.formula, arrays[0], self.kinds)
        kind = dtypes.as_float(arrays[0].dtype) if self.floating else arrays[0].dtype
        wide = np.dtype(np.float32) if kind == np.float16 else kind
        with np.errstate(all="ignore"):
            result = np.asarray(self.compute(*(x.astype(wide, copy=False) for x in arrays)))
        return result.astype(kind) if wide != kind and result.dtype == wide else result


def common(*values: Any) -> list[np.ndarray]:
    """Arrays and numbers -> arrays of the one element type that PyTorch's mixing gives; shapes stay.

    >>> [x.dtype.name for x in common(np.zeros(2, np.int64), 0.5)]
    ['float32', 'float32']
    """
    numbers = [finite_or_not(value) for value in values]
    kind = dtypes.result_type(*numbers)
    return [converted(np.asarray(number), kind) for number in numbers]


class Elementwise(Layer):
    """(...), (...), ... -> the broadcast shape: `function` of the inputs.

    Parameters
    ----------
    input, other : a number in place of the first input, and of the last.
    """

    function: ClassVar[Function]

    def __init__(self, input: Any = None, other: Any = None) -> None:
        self.input, self.other = input, other

    def forward(self, *inputs: Any) -> np.ndarray:
        """Compute the function."""
        first = () if self.input is None else (self.input,)
        last = () if self.other is None else (self.other,)
        return self.function(*first, *inputs, *last)


def register(module: str, functions: Mapping[str, Function]) -> dict[str, type[Elementwise]]:
    """A layer for each function of a module, by its name in PyTorch: torch.eq, Tensor.eq and aten::eq for "eq"."""
    layers = {}
    for name, function in functions.items():
        text = (
            f"{', '.join(['(...)'] * function.arity)} -> the broadcast shape: {function.formula}.\n\n"
            f"    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html"
        )
        title = "".join(part.capitalize() for part in name.split("_"))
        layer = type(title, (Elementwise,), {"__doc__": text, "__module__": module, "function": function})
        layers[name] = registry.register(f"torch.{name}", f"Tensor.{name}", f"aten::{name}")(layer)
    return layers


def _sgn(x: np.ndarray) -> Any:
    if x.dtype.kind == "c":
        return np.where(x == 0, 0, x / np.abs(x)).astype(x.dtype)
    return x if x.dtype.kind == "b" else (x > 0).astype(x.dtype) - (x < 0)


FUNCTIONS: dict[str, Function] = {
    "positive": Function("the input itself", lambda x: x, "ifc", arity=1),
    "lgamma": Function("log |gamma(x)|", lgamma, "bif", arity=1, floating=True),
    "log2": Function("the logarithm to base 2", np.log2, "bifc", arity=1, floating=True),
    "exp2": Function("2^x", lambda x: np.power(x.dtype.type(2), x), "bifc", arity=1, floating=True),
    "frac": Function("x - trunc(x)", lambda x: x - np.trunc(x), "f", arity=1),
    "sgn": Function("x / |x|, or 0", _sgn, "bifc", arity=1),
    "sinc": Function("sin(pi x) / (pi x)", np.sinc, "bif", arity=1, floating=True),
    "deg2rad": Function("x pi / 180", lambda x: x * x.dtype.type(np.pi / 180), "bif", arity=1, floating=True),
    "rad2deg": Function("x 180 / pi", lambda x: x * x.dtype.type(180 / np.pi), "bif", arity=1, floating=True),
    "maximum": Function("the larger; NaN wins", np.maximum, "bif"),
    "minimum": Function("the smaller; NaN wins", np.minimum, "bif"),
    "fmax": Function("the larger; NaN loses", np.fmax, "bif"),
    "fmin": Function("the smaller; NaN loses", np.fmin, "bif"),
    "hypot": Function("sqrt(x^2 + y^2)", np.hypot, "f"),
    "copysign": Function("|x| with the sign of y", np.copysign, "bif", floating=True),
    "logaddexp2": Function("log2(2^x + 2^y)", np.logaddexp2, "f"),
    "xlogy": Function(
        "x log(y), 0 where x is 0 and y is a number",
        lambda x, y: np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y)).astype(x.dtype),
        "bif",
        floating=True,
    ),
    "gcd": Function("the greatest common divisor", np.gcd, "i"),
    "lcm": Function("the least common multiple", lambda x, y: np.abs(np.lcm(x, y)), "i"),
    "lerp": Function("x + weight (y - x)", lambda x, y, weight: x + weight * (y - x), "fc", arity=3),
    "addcmul": Function("x + value a b", lambda x, a, b, value: x + value * a * b, "ifc", arity=4),
    "addcdiv": Function("x + value a / b", lambda x, a, b, value: x + value * a / b, "fc", arity=4),
}

LAYERS = register(__name__, FUNCTIONS)


class _Bounded(Layer):
    def __init__(self, min: Any = None, max: Any = None) -> None:
        self.min, self.max = finite_or_not(min), finite_or_not(max)

    def forward(self, x: Any) -> np.ndarray:
        """Bound x. Raises ParameterError without any bound."""
        given = [(f, bound) for f, bound in ((np.maximum, self.min), (np.minimum, self.max)) if bound is not None]
        if not given:
            raise ParameterError("min, max", "one of them at least", "None for both")
        result, *bounds = common(x, *(bound for _, bound in given))
        check_dtype(type(self).__name__, result, "bif")
        for (function, _), bound in zip(given, bounds, strict=True):
            result = np.asarray(function(result, bound))
        return result


@registry.register("torch.clamp", "Tensor.clamp", "torch.clip", "aten::clamp")
class Clamp(_Bounded):
    """(...) -> (...): min(max(x, `min`), `max`), so `max` where `min` is larger; NaN stays.

    Parameters
    ----------
    min, max : numbers, or arrays that broadcast with x; None for no bound, but not both.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html

    >>> Clamp(min=0, max=2).forward(np.array([-1.0, 1.5, 3.0])).tolist()
    [0.0, 1.5, 2.0]
    """

    signatures = ("x min max",)


@registry.register("torch.clamp_min", "Tensor.clamp_min", "aten::clamp_min")
class ClampMin(_Bounded):
    """(...) -> (...): max(x, `min`), a number or an array.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
    """

    signatures = ("x min",)

    def __init__(self, min: Any = None) -> None:
        super().__init__(min=min)


@registry.register("torch.clamp_max", "Tensor.clamp_max", "aten::clamp_max")
class ClampMax(_Bounded):
    """(...) -> (...): min(x, `max`), a number or an array.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
    """

    signatures = ("x max",)

    def __init__(self, max: Any = None) -> None:
        super().__init__(max=max)
