"""Elementwise functions that stand alone in a graph; PNNX gathers most others into pnnx.Expression.

Source: https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import common, finite_or_not
from kuiper.errors import InputCountError, ParameterError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, per_output
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.scalars import OPERATORS, Function


class Elementwise(Layer):
    """(...), (...), ... -> the broadcast shape: `function` of the inputs.

    A number is taken in the array's own element type, and integers wrap around as they are converted to it: 255 == -1
    holds in uint8, as in PyTorch.

    Parameters
    ----------
    input, other : a number in place of the first input, and of the last.
    """

    family = ARITHMETIC
    function: ClassVar[Function]

    def __init__(self, input: Any = None, other: Any = None) -> None:
        self.input, self.other = input, other

    def values(self, *inputs: Any) -> list[Any]:
        """The function's values: the inputs, and the numbers in place of some. Raises InputCountError."""
        first = () if self.input is None else (self.input,)
        last = () if self.other is None else (self.other,)
        values = [*first, *inputs, *last]
        if len(values) not in self.function.arity:
            expected = " or ".join(map(str, self.function.arity))
            raise InputCountError(f"expected {expected} inputs, found {len(values)}")
        return values

    def forward(self, *inputs: Any) -> np.ndarray:
        """Compute the function."""
        return self.function.of_arrays(*map(finite_or_not, self.values(*inputs)))

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """The function once for every element of the output."""
        return per_output(self.function.flops)(self, inputs, outputs)


def _layer(function: Function) -> type[Elementwise]:
    text = (
        f"{', '.join(['(...)'] * function.arity[0])} -> the broadcast shape: {function.formula}.\n\n"
        f"    Source: https://docs.pytorch.org/docs/stable/generated/torch.{function.name}.html"
    )
    title = "".join(part.capitalize() for part in function.name.split("_"))
    layer = type(title, (Elementwise,), {"__doc__": text, "__module__": __name__, "function": function})
    return registry.register(*(f"{prefix}{function.name}" for prefix in ("torch.", "Tensor.", "aten::")))(layer)


LAYERS: dict[str, type[Elementwise]] = {name: _layer(function) for name, function in OPERATORS.items()}
"""A layer for each function of the table, by its name in PyTorch: torch.eq, Tensor.eq and aten::eq for "eq"."""

registry.register("aten::_conj", "torch.conj_physical", "aten::conj_physical")(LAYERS["conj"])
registry.register("torch.resolve_conj", "aten::resolve_conj", "torch.resolve_neg", "aten::resolve_neg")(
    LAYERS["positive"]
)


@registry.register("torch.isclose")
@registry.register("aten::isclose", inputs=("x x rtol atol equal_nan",))
class IsClose(Layer):
    """(...), (...) -> the broadcast shape: True where |x - y| <= atol + rtol |y|.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.isclose.html
    """

    family = ARITHMETIC
    flops = per_output(6)

    def __init__(self, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> None:
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan

    def forward(self, x: Any, y: Any) -> np.ndarray:
        """Compare."""
        a, b = common(x, y)
        return np.asarray(np.isclose(a, b, self.rtol, self.atol, bool(self.equal_nan)))


class _Bounded(Layer):
    family = ARITHMETIC
    flops = per_output(2)

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

    inputs = ("x", "x min max")


@registry.register("torch.clamp_min", "Tensor.clamp_min", "aten::clamp_min")
class ClampMin(_Bounded):
    """(...) -> (...): max(x, `min`), a number or an array.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
    """

    inputs = ("x", "x min")

    def __init__(self, min: Any = None) -> None:
        super().__init__(min=min)


@registry.register("torch.clamp_max", "Tensor.clamp_max", "aten::clamp_max")
class ClampMax(_Bounded):
    """(...) -> (...): min(x, `max`), a number or an array.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
    """

    inputs = ("x", "x max")

    def __init__(self, max: Any = None) -> None:
        super().__init__(max=max)
