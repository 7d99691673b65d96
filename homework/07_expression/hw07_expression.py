"""Homework 7: teach a small expression reader a function of one value.

Text -> tokens -> tree -> reverse Polish -> value: the stations of the lesson, complete for operands (@0, @1, ...),
numbers, and add, sub, mul, div. Every function so far takes two values. `sin` takes one.

Task 7.1 (sine) goes through all stations: look for the four steps marked "TODO sine".
Task 7.2 (mend, a stretch) stands alone at the end of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

FUNCTIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide}
"""The functions of two values, and what each computes."""


class ExpressionError(ValueError):
    """The text is no expression, or reads an operand that is not there."""


class TokenType(IntEnum):
    """What a token is; the numbers are those of kuiper.expression.TokenType."""

    LEFT_BRACKET = -1
    RIGHT_BRACKET = -2
    COMMA = -3
    OPERAND = -6
    FUNCTION = -7
    INTEGER = -8
    FLOAT = -9


@dataclass(frozen=True)
class Token:
    """One word of the text: text[start:end], `end` not included."""

    type: TokenType
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Node:
    """One token of the tree. `left` and `right` are the values a function takes; an operand or a number has none."""

    token: Token
    left: Node | None = None
    right: Node | None = None

    @property
    def num_index(self) -> int:
        """The operand's own number (@0 is 0); for everything else the token's type, which is negative."""
        is_operand = self.token.type is TokenType.OPERAND
        return int(self.token.text[1:]) if is_operand else int(self.token.type)


# --- station 1: text -> tokens ---

SYMBOLS = {"(": TokenType.LEFT_BRACKET, ")": TokenType.RIGHT_BRACKET, ",": TokenType.COMMA}
WORD = re.compile(r"[(),]|@[0-9]*|[^(),@\s]+")
INTEGER = re.compile(r"[+-]?[0-9]+")
FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def tokenize(text: str) -> list[Token]:
    """The words of `text` from left to right; white space between them means nothing."""
    words = WORD.finditer(text)
    return [Token(type_of(word[0]), word[0], word.start(), word.end()) for word in words]


def type_of(word: str) -> TokenType:
    """The type of one whole word.

    Rules
    -----
    token : `sin` is a token of type FUNCTION, with its place in the text, as `add` is.
    whole : only the whole word `sin` is sin; asin, Sin and other words that the language does not have raise
        ExpressionError.
    """
    if word in SYMBOLS:
        return SYMBOLS[word]
    if word.startswith("@") and len(word) > 1:
        return TokenType.OPERAND
    if word in FUNCTIONS:
        return TokenType.FUNCTION
    if word == "sin":
        # TODO sine (Task 7.1): step 1 of 4: which type of token is it?
        raise NotImplementedError("sine: TODO")
    if INTEGER.fullmatch(word):
        return TokenType.INTEGER
    if FLOAT.fullmatch(word):
        return TokenType.FLOAT
    raise ExpressionError(f"unknown word {word!r}")


# --- station 2: tokens -> tree ---


def parse(text: str) -> Node:
    """The tree of the whole text. Raises ExpressionError where it is no expression."""
    tokens = tokenize(text)
    root, at = read_value(tokens, 0)
    if at < len(tokens):
        raise ExpressionError(f"expected the end, found {tokens[at].text} at {tokens[at].start}")
    return root


def read_value(tokens: list[Token], at: int) -> tuple[Node, int]:
    """The tree of the value that begins at tokens[at], and the index of the token after it.

    So far: value = operand | number | function ( value , value )

    Rules
    -----
    left : the node of sin has the tree of its value as left child, and no right child.
    nested : the value of sin can be any value: an operand, a number, or a function, sin itself too.
    one : sin takes exactly one value, in brackets: sin(@0,@1), sin(@0,), sin() and sin(@0 raise ExpressionError, inside
        another function, too.
    before : what worked before still works: add, sub, mul and div take exactly two values, the left one first.
    """
    if at == len(tokens):
        raise ExpressionError("expected a value, found the end")
    token = tokens[at]
    if token.type in (TokenType.OPERAND, TokenType.INTEGER, TokenType.FLOAT):
        return Node(token), at + 1
    if token.type is not TokenType.FUNCTION:
        raise ExpressionError(f"expected a value, found {token.text} at {token.start}")
    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)
    left, at = read_value(tokens, at)
    if token.text == "sin":
        # TODO sine (Task 7.1): step 2 of 4: what may follow its first value? Which children has the node?
        raise NotImplementedError("sine: TODO")
    at = skip(tokens, at, TokenType.COMMA)
    right, at = read_value(tokens, at)
    at = skip(tokens, at, TokenType.RIGHT_BRACKET)
    return Node(token, left, right), at


def skip(tokens: list[Token], at: int, expected: TokenType) -> int:
    """The index after tokens[at]. Raises ExpressionError unless that token has the type `expected`."""
    if at == len(tokens):
        raise ExpressionError(f"expected {expected.name}, found the end")
    if tokens[at].type is not expected:
        raise ExpressionError(f"expected {expected.name}, found {tokens[at].text} at {tokens[at].start}")
    return at + 1


# --- station 3: tree -> reverse Polish ---


def reverse_polish(node: Node) -> list[Node]:
    """Every function after the values it takes: left, right, then the node itself.

    Rules
    -----
    order : sin stands right after all nodes of its value.
    """
    if node.left is None:
        return [node]
    if node.right is None:
        # TODO sine (Task 7.1): step 3 of 4: a function with a left child only
        raise NotImplementedError("sine: TODO")
    return [*reverse_polish(node.left), *reverse_polish(node.right), node]


# --- station 4: reverse Polish -> value ---


def compute(order: list[Node], operands: list[Any]) -> Any:
    """One value from the nodes in reverse Polish order; operands[i] is what @i stands for.

    Rules
    -----
    value : sin takes one value, the newest, and gives its sine; the angle is in radians.
    arrays : an array of one axis or more keeps its shape, and float32 stays float32, float64 stays float64.
    numbers : the sine of a Python number is a Python float.
    operands : sin does not write into the array that it takes: it can be an operand that is read again.
    """
    stack: list[Any] = []
    for node in order:
        if node.num_index >= len(operands):
            raise ExpressionError(f"{node.token.text} is not among the {len(operands)} operands")
        if node.num_index >= 0:
            stack.append(operands[node.num_index])
        elif node.token.type is TokenType.INTEGER:
            stack.append(int(node.token.text))
        elif node.token.type is TokenType.FLOAT:
            stack.append(float(node.token.text))
        elif node.token.text == "sin":
            # TODO sine (Task 7.1): step 4 of 4: how many values does it take from the stack?
            raise NotImplementedError("sine: TODO")
        else:
            right = stack.pop()  # the value popped first is the right one
            left = stack.pop()
            stack.append(plain(FUNCTIONS[node.token.text](left, right)))
    (result,) = stack
    return result


def plain(value: Any) -> Any:
    """An array as it is; numpy's single numbers as Python's, which do not change the element type of an array."""
    return value.item() if isinstance(value, np.generic) else value


# --- what the tests call ---


def tokens(text: str) -> list[tuple[str, str, int, int]]:
    """(name of the type, text, start, end) of every token.

    >>> tokens("sin(@0)")
    [('FUNCTION', 'sin', 0, 3), ('LEFT_BRACKET', '(', 3, 4), ('OPERAND', '@0', 4, 6), ('RIGHT_BRACKET', ')', 6, 7)]
    """
    return [(token.type.name, token.text, token.start, token.end) for token in tokenize(text)]


def tree(text: str) -> Any:
    """A function as (name, left, right), an operand or a number as its text, a missing child as None.

    >>> tree("add(@0,mul(@1,@2))")
    ('add', '@0', ('mul', '@1', '@2'))
    >>> tree("add(sin(@0),@1)")
    ('add', ('sin', '@0', None), '@1')
    """

    def nested(node: Node | None) -> Any:
        if node is None:
            return None
        if node.token.type is not TokenType.FUNCTION:
            return node.token.text
        return node.token.text, nested(node.left), nested(node.right)

    return nested(parse(text))


def polish(text: str) -> list[str]:
    """The texts of the nodes in reverse Polish order.

    >>> polish("add(sin(@0),@1)")
    ['@0', 'sin', '@1', 'add']
    """
    return [node.token.text for node in reverse_polish(parse(text))]


def evaluate(text: str, operands: list[Any]) -> Any:
    """The value of the expression: an array, or a Python number.

    >>> evaluate("mul(@2,add(@0,@1))", [2, 3, 4])
    20
    >>> round(evaluate("mul(@1,sin(@0))", [2, 3]), 6)
    2.727892
    """
    return compute(reverse_polish(parse(text)), operands)


# --- the way into the engine ---


def parse_expression(text: str) -> Any:
    """Your tree as the engine's nodes: kuiper.load(..., toolbox=kuiper.Toolbox(parse_expression=parse_expression))."""
    from kuiper import expression as engine

    def converted(node: Node) -> engine.TokenNode:
        token = node.token
        children = [converted(child) for child in (node.left, node.right) if child is not None]
        kind = engine.TokenType[token.type.name]
        return engine.TokenNode(engine.Token(kind, token.text, token.start, token.end), children)

    return converted(parse(text))


# --- Task 7.2 (stretch) ---


def mend(text: str, arity: dict[str, int]) -> str:
    """`text` with its brackets put right: read from right to left, by how many values each function takes.

    PNNX writes `log1p,@0` where it means log1p(@0).

    Parameters
    ----------
    text : words, with brackets and commas between them that may be wrong, or not there.
    arity : function -> how many values it takes, 1 or more.

    Rules
    -----
    brackets : the brackets and commas of the text say nothing, even where they look right.
    words : the words are those that WORD finds, brackets and commas apart; every word that is not in `arity` is a
        value, whatever it is: a number, None, @, or a function of this file.
    arity : a function takes as many values as `arity` says, those that follow it.
    order : the words keep their order.
    form : a function is written with brackets and commas, one of a single value, too: log1p(@0), add(@0,@1).
    space : white space separates words as a comma does, and the answer has none.
    few : a function that finds too few values raises ExpressionError.
    many : where not exactly one value is left at the end, as for an empty text, it raises ExpressionError.
    deep : a chain of 5,000 functions in each other works, too.

    >>> mend("sub(mul(log1p,@0),@1),expm1,@1", {"sub": 2, "mul": 2, "log1p": 1, "expm1": 1})
    'sub(mul(log1p(@0),@1),expm1(@1))'
    """
    # TODO mend (Task 7.2, a bonus): WORD.findall(text) gives the words
    raise NotImplementedError("mend: TODO")
