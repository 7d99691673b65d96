"""pnnx.Expression: a small formula as one operator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from kuiper.errors import ExpressionError, ParameterError, ParseParameterAttrStatus
from kuiper.expression import parser
from kuiper.expression.evaluate import evaluate
from kuiper.expression.parser import TokenNode
from kuiper.expression.polish import reverse_polish
from kuiper.layers import Layer, registry
from kuiper.runtime.operator import RuntimeOperator


@registry.register("pnnx.Expression")
class ExpressionLayer(Layer):
    """expr, x_0, ..., x_n -> the value of `expr` with @i = x_i: an array, a number, a list or a string.

    Parameters
    ----------
    expr : the text, or what the model file's reader made of it: `expr=2` arrives as an integer, `expr=[1,2]` as a list.

    Errors: ExpressionError for a text that is no expression or reads an @i that is no input, when the layer is made
    from its operator. Source: PNNX, https://github.com/pnnx/pnnx

    >>> ExpressionLayer("add(@0,mul(@1,@2))").forward(1, 2, 3)
    7
    """

    def __init__(self, expr: Any) -> None:
        self.text = source_text(expr)

    @classmethod
    def from_operator(cls, operator: RuntimeOperator) -> Layer:
        """The layer, its text parsed and its operands counted, so that faults show when the model is loaded."""
        layer = super().from_operator(operator)
        if isinstance(layer, ExpressionLayer):
            layer.check_operands(len(operator.input_operands))
        return layer

    @cached_property
    def order(self) -> Sequence[TokenNode]:
        """The reverse Polish order of the text."""
        parse = self.toolbox.parse_expression or parser.parse
        return reverse_polish(parse(self.text))

    def check_operands(self, count: int) -> None:
        """Raise ExpressionError where the text reads an operand beyond the operator's `count` inputs."""
        for node in self.order:
            if node.num_index >= count:
                raise ExpressionError(
                    f"{node.text} is not among the operator's {count} inputs", self.text, node.token.start
                )

    def forward(self, *inputs: Any) -> Any:
        """One value from the operator's inputs, in their order."""
        return evaluate(self.order, inputs)


def source_text(value: Any) -> str:
    """The text that a parameter was read from: a model file says nothing of types, so `2` was taken for a number.

    Raises ParameterError for a value that no text gives.

    >>> source_text([1, "size(@0", "0)"]), source_text(None), source_text(1e-5)
    ('[1,size(@0,0)]', 'None', '1e-05')
    """
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(source_text(element) for element in value) + "]"
    if isinstance(value, complex):
        return f"{value.real!r}+{value.imag!r}j"
    if value is None or isinstance(value, (bool, int, float, str)):
        return str(value)
    expected = "a text, a number or a list of them"
    raise ParameterError("expr", expected, repr(value), status=ParseParameterAttrStatus.EXPR)
