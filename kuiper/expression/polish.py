"""Tree -> reverse Polish: every function after the values it takes."""

from __future__ import annotations

from kuiper.expression.parser import TokenNode


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
