"""Expression -> value."""

from __future__ import annotations

from collections.abc import Sequence

from kuiper.errors import ExpressionError
from kuiper.expression.functions import call
from kuiper.expression.parser import TokenNode
from kuiper.expression.polish import fold, reverse_polish
from kuiper.expression.tokens import TokenType
from kuiper.scalars.function import Value


def evaluate(expression: TokenNode | Sequence[TokenNode], operands: Sequence[Value]) -> Value:
    """The value of a tree, or of its reverse Polish order: an array, a Python number, a list, a string or None.

    `operands[i]` is what @i stands for: arrays of any shape, which broadcast, or Python numbers.

    Raises ExpressionError for an @i that is not among the operands, InferError or ShapeError where a function is not
    defined for its values.

    >>> from kuiper.expression.parser import parse
    >>> evaluate(parse("mul(@2,add(@0,@1))"), [2, 3, 4])
    20
    """
    order = reverse_polish(expression) if isinstance(expression, TokenNode) else expression

    def leaf(node: TokenNode) -> Value:
        if node.token.type is not TokenType.OPERAND:
            return node.token.value
        if node.num_index >= len(operands):
            raise ExpressionError(f"{node.text} is not among the {len(operands)} operands")
        return operands[node.num_index]

    return fold(order, leaf, _apply)


def _apply(node: TokenNode, values: list[Value]) -> Value:
    return call(node.text, *values) if node.token.type is TokenType.FUNCTION else values


def inputs_of(expression: TokenNode | Sequence[TokenNode]) -> int:
    """How many operands the expression needs: one more than the highest number after an @.

    >>> from kuiper.expression.parser import parse
    >>> inputs_of(parse("add(@0,@3)")), inputs_of(parse("2"))
    (4, 0)
    """
    order = reverse_polish(expression) if isinstance(expression, TokenNode) else expression
    return max((node.num_index + 1 for node in order if node.num_index >= 0), default=0)
