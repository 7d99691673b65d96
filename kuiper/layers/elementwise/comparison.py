"""Comparison and logic: truth values, and integers bit by bit.

A number is compared in the array's own element type, and integers wrap around as they are converted to it:
255 == -1 holds in uint8, as in PyTorch.
Source: https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.layers.elementwise.elementwise import Function, common, register
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

FUNCTIONS: dict[str, Function] = {
    "eq": Function("True where x == other", np.equal, "bifc"),
    "ne": Function("True where x != other", np.not_equal, "bifc"),
    "lt": Function("True where x < other", np.less, "bif"),
    "le": Function("True where x <= other", np.less_equal, "bif"),
    "gt": Function("True where x > other", np.greater, "bif"),
    "ge": Function("True where x >= other", np.greater_equal, "bif"),
    "logical_not": Function("True where x is 0", np.logical_not, "bifc", arity=1),
    "logical_and": Function("True where neither is 0", np.logical_and, "bifc"),
    "logical_or": Function("True where one is not 0", np.logical_or, "bifc"),
    "logical_xor": Function("True where exactly one is not 0", np.logical_xor, "bifc"),
    "bitwise_not": Function("every bit flipped; not x for booleans", np.invert, "bi", arity=1),
    "bitwise_and": Function("the bits that both have", np.bitwise_and, "bi"),
    "bitwise_or": Function("the bits that one has", np.bitwise_or, "bi"),
    "bitwise_xor": Function("the bits that exactly one has", np.bitwise_xor, "bi"),
    "bitwise_left_shift": Function("x 2^other, without the bits that leave the type", np.left_shift, "i"),
    "bitwise_right_shift": Function("floor(x / 2^other)", np.right_shift, "i"),
    "isnan": Function("True where x is NaN", np.isnan, "bifc", arity=1),
    "isinf": Function("True where x is inf or -inf", np.isinf, "bifc", arity=1),
    "isfinite": Function("True where x is neither NaN nor infinite", np.isfinite, "bifc", arity=1),
    "isposinf": Function("True where x is inf", lambda x: x == np.inf, "bif", arity=1),
    "isneginf": Function("True where x is -inf", lambda x: x == -np.inf, "bif", arity=1),
    "signbit": Function("True where x has a minus sign, as -0.0 has", np.signbit, "bif", arity=1),
}

LAYERS = register(__name__, FUNCTIONS)


@registry.register("torch.isclose", "aten::isclose")
class IsClose(Layer):
    """(...), (...) -> the broadcast shape: True where |x - y| <= atol + rtol |y|.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.isclose.html
    """

    def __init__(self, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> None:
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan

    def forward(self, x: Any, y: Any, *late: Any) -> np.ndarray:
        """Compare; an aten:: operator has the options as inputs."""
        rtol, atol, equal_nan = late or (self.rtol, self.atol, self.equal_nan)
        a, b = common(x, y)
        return np.asarray(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=bool(equal_nan)))
