"""Tree -> reverse Polish, every function after the values it takes; and the one loop that reads it, with a stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from kuiper.errors import ExpressionError
from kuiper.expression.parser import TokenNode
from kuiper.expression.tokens import TokenType

Result = TypeVar("Result")


def reverse_polish(root: TokenNode) -> list[TokenNode]:
    """The nodes in post-order (left, right, then the node itself), without recursion.

    A pre-order that visits the last child first, read backwards, is the post-order.

    >>> from kuiper.expression.parser import parse
    >>> [node.text for node in reverse_polish(parse("add(@0,mul(@1,@2))"))]
    ['@0', '@1', '@2', 'mul', 'add']
    """
    order = []
    stack = [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(node.children)
    return order[::-1]


def fold(
    order: Iterable[TokenNode], leaf: Callable[[TokenNode], Result], apply: Callable[[TokenNode, list[Result]], Result]
) -> Result:
    """The result for the whole expression, given its reverse Polish order.

    leaf : an operand, number, constant or name -> its result.
    apply : a function or list, and the results of the values it takes, from left to right -> its result.

    Raises ExpressionError for an order that is not one whole expression.

    >>> from kuiper.expression.parser import parse
    >>> infix = lambda node, values: f"({f' {node.text} '.join(values)})"
    >>> fold(reverse_polish(parse("add(@0,mul(@1,2))")), lambda node: node.text, infix)
    '(@0 add (@1 mul 2))'
    """
    stack: list[Result] = []
    for node in order:
        if node.token.type not in (TokenType.FUNCTION, TokenType.LEFT_LIST):
            stack.append(leaf(node))
            continue
        if len(node.children) > len(stack):
            raise ExpressionError(f"{node.text} takes {len(node.children)} values, found {len(stack)}")
        values = [stack.pop() for _ in node.children]
        values.reverse()  # the value popped first is the right one
        stack.append(apply(node, values))
    if len(stack) != 1:
        raise ExpressionError(f"the expression leaves {len(stack)} values, expected one")
    return stack[0]
