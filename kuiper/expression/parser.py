"""Tokens -> tree: every function above the values it takes."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kuiper.errors import ExpressionError
from kuiper.expression.functions import FUNCTIONS
from kuiper.expression.tokens import Token, TokenType, tokenize


@dataclass(eq=False, repr=False)
class TokenNode:
    """One token and the trees of the values it takes: none for an operand, number or name, any number for a list.

    >>> node = parse("sub(@1,@0)")
    >>> node.text, node.left.num_index, node.right.num_index
    ('sub', 1, 0)
    """

    token: Token
    children: list[TokenNode] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The token's text: "@0", "add", "2.5", "[" for a list."""
        return self.token.text

    @property
    def num_index(self) -> int:
        """An operand's own number (@0 is 0); negative for everything else: the number of its TokenType."""
        return int(self.token.value) if self.token.type is TokenType.OPERAND else int(self.token.type)

    @property
    def left(self) -> TokenNode | None:
        """The first value that a function takes."""
        return self.children[0] if self.children else None

    @property
    def right(self) -> TokenNode | None:
        """The second value; None for a function of one value."""
        return self.children[1] if len(self.children) > 1 else None

    def __eq__(self, other: object) -> bool:
        """The same tree, wherever its tokens stood in the text."""
        return isinstance(other, TokenNode) and _signature(self) == _signature(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TokenNode({to_text(self)})"


def parse(text: str) -> TokenNode:
    """The tree of an expression, without recursion, in time proportional to the text.

    PNNX misplaces the brackets after log1p and expm1. A text with a function that no bracket follows is therefore read
    by the number of values each function takes; every other text must have its brackets and commas right.

    Raises ExpressionError, with the position, for everything that is not one expression.

    >>> parse("add(@0,mul(@1,@2))").right
    TokenNode(mul(@1,@2))
    >>> parse("sub(mul(log1p,@0),@1),expm1,@1")
    TokenNode(sub(mul(log1p(@0),@1),expm1(@1)))
    """
    tokens = tokenize(text)
    if not tokens:
        raise ExpressionError("expected an expression, found an empty text", text, 0)
    if len(tokens) == 1 and tokens[0].type is TokenType.FUNCTION:
        return TokenNode(replace(tokens[0], type=TokenType.NAME))  # a key of a dictionary may well be "max"
    _check_brackets(tokens, text)
    followers = [token.type for token in tokens[1:]] + [None]
    for token, follower in zip(tokens, followers, strict=True):
        if token.type is TokenType.NAME and follower is TokenType.LEFT_BRACKET:
            near = difflib.get_close_matches(token.text, FUNCTIONS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ExpressionError(f"unknown function {token.text}{hint}", text, token.start)
    misplaced = any(
        token.type is TokenType.FUNCTION and follower is not TokenType.LEFT_BRACKET
        for token, follower in zip(tokens, followers, strict=True)
    )
    return (_read_by_arity if misplaced else _read_by_brackets)(tokens, text)


_OPENING = {TokenType.LEFT_BRACKET: TokenType.RIGHT_BRACKET, TokenType.LEFT_LIST: TokenType.RIGHT_LIST}
_CLOSING = {closing: opening for opening, closing in _OPENING.items()}


def _check_brackets(tokens: Sequence[Token], text: str) -> None:
    """Every bracket has its partner, and no two pairs cross."""
    waiting: list[Token] = []
    for token in tokens:
        if token.type in _OPENING:
            waiting.append(token)
        elif token.type in _CLOSING:
            if not waiting or waiting[-1].type is not _CLOSING[token.type]:
                raise ExpressionError(f"{token.text} closes no bracket", text, token.start)
            waiting.pop()
    if waiting:
        raise ExpressionError(f"{waiting[-1].text} is never closed", text, waiting[-1].start)


def _read_by_brackets(tokens: Sequence[Token], text: str) -> TokenNode:
    """What a recursive descent reads; the functions and lists that are still open stand on a stack of our own."""
    results: list[TokenNode] = []
    open_nodes: list[TokenNode] = []
    expect_value = True
    for previous, token in zip([None, *tokens], tokens):
        just_opened = previous is not None and previous.type in _OPENING
        if token.type is TokenType.LEFT_BRACKET and previous is not None and previous.type is TokenType.FUNCTION:
            continue
        if token.type in _CLOSING and open_nodes and (just_opened or not expect_value):
            _check_arity(open_nodes.pop(), text)
            expect_value = False
        elif token.type is TokenType.COMMA and open_nodes and not expect_value:
            expect_value = True
        elif _begins_value(token) and expect_value:
            node = TokenNode(token)
            (open_nodes[-1].children if open_nodes else results).append(node)
            expect_value = token.type in (TokenType.FUNCTION, TokenType.LEFT_LIST)
            if expect_value:
                open_nodes.append(node)
        else:
            expected = "a value" if expect_value else ", or a closing bracket" if open_nodes else "the end"
            raise ExpressionError(f"expected {expected}, found {token.text}", text, token.start)
    return results[0]


def _read_by_arity(tokens: Sequence[Token], text: str) -> TokenNode:
    """Prefix notation from right to left: a function takes from the stack as many values as it needs.

    Round brackets and commas say nothing here; the brackets of a list bound a stack of its own.
    """
    stacks: list[list[TokenNode]] = [[]]
    with_commas = _with_commas(tokens)
    for i in range(len(tokens) - 1, -1, -1):
        node = TokenNode(tokens[i])
        if node.token.type is TokenType.RIGHT_LIST:
            stacks.append([])
            continue
        if node.token.type is TokenType.LEFT_LIST:
            node.children = stacks.pop()[::-1]
        elif node.token.type is TokenType.FUNCTION:
            arity = FUNCTIONS[
                node.text
            ].arity  # of those that take one or two, size(x) and size(x,dim) differ by the comma
            values, count = stacks[-1], arity[-1] if i + 1 in with_commas else arity[0]
            node.children = [values.pop() for _ in range(min(count, len(values)))]
            _check_arity(node, text)
        elif not _begins_value(node.token):
            continue
        stacks[-1].append(node)
    results = stacks[0][::-1]
    if len(results) != 1:
        position = results[1].token.start if results else 0
        raise ExpressionError(f"expected one value, found {len(results)}", text, position)
    return results[0]


def _with_commas(tokens: Sequence[Token]) -> set[int]:
    """Positions of the opening brackets with a comma between them and the bracket that closes them, but not deeper."""
    found, open_at = set(), []
    for i, token in enumerate(tokens):
        if token.type in (TokenType.LEFT_BRACKET, TokenType.LEFT_LIST):
            open_at.append(i)
        elif token.type in (TokenType.RIGHT_BRACKET, TokenType.RIGHT_LIST) and open_at:
            open_at.pop()
        elif token.type is TokenType.COMMA and open_at:
            found.add(open_at[-1])
    return found


def _check_arity(node: TokenNode, text: str) -> None:
    if node.token.type is TokenType.FUNCTION and len(node.children) not in FUNCTIONS[node.text].arity:
        arity = " or ".join(map(str, FUNCTIONS[node.text].arity))
        message = f"{node.text} takes {arity} value{'s' * (arity != '1')}, found {len(node.children)}"
        raise ExpressionError(message, text, node.token.start)


def _begins_value(token: Token) -> bool:
    return token.type not in (TokenType.COMMA, TokenType.LEFT_BRACKET, TokenType.RIGHT_BRACKET, TokenType.RIGHT_LIST)


def to_text(node: TokenNode) -> str:
    """The tree as text with all its brackets, which `parse` reads as the same tree.

    >>> to_text(parse("log1p,@0"))
    'log1p(@0)'
    """
    pieces: list[str] = []
    stack: list[TokenNode | str] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        pieces.append(item.text)
        if item.token.type in (TokenType.FUNCTION, TokenType.LEFT_LIST):
            is_list = item.token.type is TokenType.LEFT_LIST
            stack.append("]" if is_list else ")")
            for child in reversed(item.children):
                stack += [child, ","]
            if item.children:
                stack.pop()
            if not is_list:
                stack.append("(")
    return "".join(pieces)


def _signature(root: TokenNode) -> list[tuple[Any, ...]]:
    """The tree's tokens in prefix order, each with its number of children: the same for equal trees only."""
    order: list[tuple[Any, ...]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        order.append((node.token.type, node.text, len(node.children)))
        stack += reversed(node.children)
    return order
