"""pnnx.Expression: a small formula as one operator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from kuiper.errors import ExpressionError
from kuiper.expression import FUNCTIONS, TokenNode, TokenType, evaluate, fold, reverse_polish
from kuiper.expression.source import source_text
from kuiper.graph import Operator
from kuiper.layers.cost import Shapes, per_output
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


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

    family = ARITHMETIC

    def __init__(self, expr: Any) -> None:
        self.text = source_text(expr)

    @cached_property
    def order(self) -> Sequence[TokenNode]:
        """The reverse Polish order of the text."""
        return reverse_polish(self.toolbox.parse_expression(self.text))

    def check(self, operator: Operator) -> None:
        """Raise ExpressionError where the text reads an operand beyond the operator's inputs."""
        count = len(operator.inputs)
        for node in self.order:
            if node.num_index >= count:
                message = f"{node.text} is not among the operator's {count} inputs"
                raise ExpressionError(message, self.text, node.token.start)

    def forward(self, *inputs: Any) -> Any:
        """One value from the operator's inputs, in their order."""
        return evaluate(self.order, inputs)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every function once for each element of the output; arithmetic on sizes is free."""
        functions = [FUNCTIONS[node.text] for node in self.order if node.token.type is TokenType.FUNCTION]
        if self.order[-1].token.type is TokenType.LEFT_LIST or any(function.name == "size" for function in functions):
            return 0
        count = sum(function.flops for function in functions)
        return count and per_output(count)(self, inputs, outputs[:1])

    def follows_shapes(self, constant: Sequence[bool]) -> bool:
        """Whether it looks at no more than the size of operands that are not constant.

        >>> [ExpressionLayer(text).follows_shapes([False]) for text in ("add(size(@0,1),2)", "int(@0)")]
        [True, False]
        """

        def leaf(node: TokenNode) -> bool:
            return node.token.type is not TokenType.OPERAND or constant[node.num_index]

        def apply(node: TokenNode, values: list[bool]) -> bool:
            return all(values[1:] if node.text == "size" else values)

        return fold(self.order, leaf, apply)
