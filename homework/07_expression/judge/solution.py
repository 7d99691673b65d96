"""Homework 7: a small expression reader whose functions stand in a table of your own design.

Text -> tokens -> tree -> reverse Polish -> value: the steps of the lesson. They are complete for operands
(@0, @1, ...) and numbers. The lesson's functions all took two values; yours take as many as your table says.

Task 7.1 (functions) is the table and the three functions that ask it: look for "TODO functions".
Task 7.2 (mend, a bonus) is the last function of the file, and needs none of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np


class ExpressionError(ValueError):
    """The text is no expression, or reads an operand that is not there."""


TokenType = Enum("TokenType", "FUNCTION OPERAND INTEGER FLOAT COMMA LEFT_BRACKET RIGHT_BRACKET")


@dataclass(frozen=True)
class Token:
    """One word of the text: text[start:end], `end` not included."""

    type: TokenType
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Node:
    """One token of the tree, and the trees of the values it takes; an operand or a number takes none."""

    token: Token
    children: tuple[Node, ...] = ()


# <solution>
@dataclass(frozen=True)
class Function:
    """How many values a function takes, and what computes it."""

    arity: int
    compute: Callable[..., Any]


# </solution>
# --- the table of functions ---


def table() -> Mapping[str, Any]:
    """Name -> what the steps need to know of that function. How you write this down is your design."""
    # <solution functions: the 12 functions that the rules of compute name>
    return {
        "sin": Function(1, np.sin),
        "sqrt": Function(1, np.sqrt),
        "abs": Function(1, np.abs),
        "neg": Function(1, np.negative),
        "add": Function(2, np.add),
        "sub": Function(2, np.subtract),
        "mul": Function(2, np.multiply),
        "div": Function(2, np.true_divide),
        "pow": Function(2, np.power),
        "atan2": Function(2, np.arctan2),
        "max": Function(2, np.maximum),
        "min": Function(2, np.minimum),
    }
    # </solution>


# --- step 1: text -> tokens ---

SYMBOLS = {"(": TokenType.LEFT_BRACKET, ")": TokenType.RIGHT_BRACKET, ",": TokenType.COMMA}
WORD = re.compile(r"[(),]|@[0-9]*|[^(),@\s]+")
INTEGER = re.compile(r"[+-]?[0-9]+")
FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def tokenize(text: str, functions: Mapping[str, Any]) -> list[Token]:
    """The words of `text` from left to right; whitespace between them means nothing."""
    words = WORD.finditer(text)
    return [Token(type_of(word[0], functions), word[0], word.start(), word.end()) for word in words]


def type_of(word: str, functions: Mapping[str, Any]) -> TokenType:
    """The type of one whole word. Raises ExpressionError for a word that the language does not have."""
    if word in SYMBOLS:
        return SYMBOLS[word]
    if word.startswith("@") and len(word) > 1:
        return TokenType.OPERAND
    if word in functions:
        return TokenType.FUNCTION
    if INTEGER.fullmatch(word):
        return TokenType.INTEGER
    if FLOAT.fullmatch(word):
        return TokenType.FLOAT
    raise ExpressionError(f"unknown word {word!r}")


# --- step 2: tokens -> tree ---


def parse(text: str, functions: Mapping[str, Any]) -> Node:
    """The tree of the whole text. Raises ExpressionError where it is no expression."""
    tokens = tokenize(text, functions)
    root, at = read_value(tokens, 0, functions)
    if at < len(tokens):
        raise ExpressionError(f"expected the end, found {tokens[at].text} at {tokens[at].start}")
    return root


def read_value(tokens: list[Token], at: int, functions: Mapping[str, Any]) -> tuple[Node, int]:
    """The tree of the value that begins at tokens[at], and the index of the token after it.

    value = operand | number | function ( value , value , ... )

    Rules
    -----
    words : each of the 12 functions is one token of type FUNCTION. Any other name, such as sinh or Sin, raises
        ExpressionError, and its message has the name.
    children : the node of a function has the trees of its values as children, from left to right.
    nested : any value may be inside a function: an operand, a number, or a function, even the same one.
    count : a function with too few or too many values, or with none, raises ExpressionError. Its message has the
        function's name, and the first two numbers after it are how many values it takes and how many it got, in this
        order and in digits.
    syntax : a missing or surplus bracket or comma raises ExpressionError, inside another function, too.
    """
    if at == len(tokens):
        raise ExpressionError("expected a value, found the end")
    token = tokens[at]
    if token.type in (TokenType.OPERAND, TokenType.INTEGER, TokenType.FLOAT):
        return Node(token), at + 1
    if token.type is not TokenType.FUNCTION:
        raise ExpressionError(f"expected a value, found {token.text} at {token.start}")
    # <solution functions: a bracket, the values with commas between them, a bracket; how many may they be?>
    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)
    children: list[Node] = []
    if at == len(tokens) or tokens[at].type is not TokenType.RIGHT_BRACKET:
        child, at = read_value(tokens, at, functions)
        children.append(child)
        while at < len(tokens) and tokens[at].type is TokenType.COMMA:
            child, at = read_value(tokens, at + 1, functions)
            children.append(child)
    at = skip(tokens, at, TokenType.RIGHT_BRACKET)
    arity = functions[token.text].arity
    if len(children) != arity:
        raise ExpressionError(f"at {token.start}: {token.text} takes {arity} value(s), found {len(children)}")
    return Node(token, tuple(children)), at
    # </solution>


def skip(tokens: list[Token], at: int, expected: TokenType) -> int:
    """The index after tokens[at]. Raises ExpressionError unless that token has the type `expected`."""
    if at == len(tokens):
        raise ExpressionError(f"expected {expected.name}, found the end")
    if tokens[at].type is not expected:
        raise ExpressionError(f"expected {expected.name}, found {tokens[at].text} at {tokens[at].start}")
    return at + 1


# --- step 3: tree -> reverse Polish ---


def reverse_polish(node: Node) -> list[Node]:
    """Every function after the values it takes: the nodes of each child from left to right, then the node itself."""
    order = [one for child in node.children for one in reverse_polish(child)]
    return [*order, node]


# --- step 4: reverse Polish -> value ---


def compute(order: list[Node], operands: list[Any], functions: Mapping[str, Any]) -> Any:
    """One value from the nodes in reverse Polish order; operands[i] is what @i stands for.

    Rules
    -----
    one : sin, sqrt, abs and neg (which is -x) take one value; the angle of sin is in radians.
    two : add, sub, mul, div, pow, atan2, max and min take two. div is true division, pow(@0,@1) is @0 to the
        power @1, atan2 is numpy's arctan2.
    left : the values reach the function in the order of the text, the left one first.
    arrays : arrays are computed element by element, as numpy does, their shapes broadcast, and float32 stays float32.
        So the root of a negative element is nan.
    numbers : where a function gets Python numbers only, it gives a Python number: sin, sqrt, div and atan2 a float,
        the others an int if all are ints. (In the tests whole results fit int64, pow of ints has no negative
        exponent, max and min get no nan, no number is divided by 0, and no negative number has its root taken or a
        fraction as its exponent.)
    operands : no function writes into an operand, since it may be read again.
    """
    stack: list[Any] = []
    for node in order:
        word = node.token.text
        if node.token.type is TokenType.OPERAND:
            if int(word[1:]) >= len(operands):
                raise ExpressionError(f"{word} is not among the {len(operands)} operands")
            stack.append(operands[int(word[1:])])
        elif node.token.type is TokenType.INTEGER:
            stack.append(int(word))
        elif node.token.type is TokenType.FLOAT:
            stack.append(float(word))
        else:
            # <solution functions: take its values from the stack, put its result there; plain(...) helps>
            function = functions[word]
            values = [stack.pop() for _ in range(function.arity)]  # the value popped first is the last one
            stack.append(plain(function.compute(*reversed(values))))
            # </solution>
    (result,) = stack
    return result


def plain(value: Any) -> Any:
    """An array as it is; numpy's single numbers as Python's, which do not change the element type of an array."""
    return value.item() if isinstance(value, np.generic) else value


def evaluate_with(text: str, operands: list[Any], name: str, arity: int, function: Callable[..., Any]) -> Any:
    """The value of the expression in a language that has one function more.

    Parameters
    ----------
    name : what the function is called in the text.
    arity : how many values it takes.
    function : what computes it from these values.

    Rules
    -----
    extend : the text may use the new function beside all others. It takes one value or more, and replaces a function
        of the same name.
    same : after the call the new function is unknown again, and a function that it replaced is the old one, even if
        the call raised an exception of any type.

    >>> evaluate_with("clamp(mul(@0,10),2,5)", [3], "clamp", 3, lambda x, low, high: min(max(x, low), high))
    5
    """
    # <solution functions: evaluate takes a table, too>
    return evaluate(text, operands, {**table(), name: Function(arity, function)})
    # </solution>


# --- what the tests call ---


def tokens(text: str) -> list[tuple[str, str, int, int]]:
    """(name of the type, text, start, end) of every token.

    >>> tokens("sin(@0)")
    [('FUNCTION', 'sin', 0, 3), ('LEFT_BRACKET', '(', 3, 4), ('OPERAND', '@0', 4, 6), ('RIGHT_BRACKET', ')', 6, 7)]
    """
    return [(token.type.name, token.text, token.start, token.end) for token in tokenize(text, table())]


def tree(text: str) -> Any:
    """A function as (name, value, ...), an operand or a number as its text.

    >>> tree("add(sin(@0),@1)")
    ('add', ('sin', '@0'), '@1')
    """

    def nested(node: Node) -> Any:
        word = node.token.text
        return (word, *map(nested, node.children)) if node.token.type is TokenType.FUNCTION else word

    return nested(parse(text, table()))


def polish(text: str) -> list[str]:
    """The texts of the nodes in reverse Polish order.

    >>> polish("add(sin(@0),@1)")
    ['@0', 'sin', '@1', 'add']
    """
    return [node.token.text for node in reverse_polish(parse(text, table()))]


def refusal(text: str) -> str:
    """What the ExpressionError says that a text raises; "" for a text that is read without an error."""
    try:
        parse(text, table())
    except ExpressionError as error:
        return str(error)
    return ""


def evaluate(text: str, operands: list[Any], functions: Mapping[str, Any] | None = None) -> Any:
    """The value of the expression, an array or a Python number, with the functions of `functions` or of table().

    >>> evaluate("mul(@2,add(@0,@1))", [2, 3, 4])
    20
    >>> round(evaluate("mul(@1,sin(@0))", [2, 3]), 6)
    2.727892
    """
    functions = table() if functions is None else functions
    return compute(reverse_polish(parse(text, functions)), operands, functions)


# --- the way into the engine ---


def parse_expression(text: str) -> Any:
    """Your tree as the engine's nodes: kuiper.load(..., toolbox=kuiper.Toolbox(parse_expression=parse_expression))."""
    from kuiper import expression as engine

    def converted(node: Node) -> engine.TokenNode:
        token = node.token
        kind = engine.TokenType[token.type.name]
        children = [converted(child) for child in node.children]
        return engine.TokenNode(engine.Token(kind, token.text, token.start, token.end), children)

    return converted(parse(text, table()))


# --- Task 7.2, a bonus ---


def mend(text: str, arity: dict[str, int]) -> str:
    """`text` with its brackets put right, by how many values each function takes.

    PNNX writes `log1p,@0` where it means log1p(@0).

    Parameters
    ----------
    text : words, with brackets and commas between them that may be wrong, or not there.
    arity : function -> how many values it takes, 1 or more.

    Rules
    -----
    brackets : the brackets and commas of the text are ignored, even where they look right.
    words : the words are those that WORD finds, brackets and commas apart; every word that is not in `arity` is a
        value, whatever it is: a number, None, @, or a function of this file.
    arity : a function takes as many values as `arity` says, those that follow it.
    order : the words keep their order.
    form : every function is written with brackets, and with commas between its values: log1p(@0), add(@0,@1).
    space : whitespace separates words as a comma does, and the answer has none.
    few : a text with too few values for one of its functions raises ExpressionError.
    many : a text that is more than one value, or none at all, raises ExpressionError.
    deep : a chain of 5,000 nested functions works, too.

    >>> mend("sub(mul(log1p,@0),@1),expm1,@1", {"sub": 2, "mul": 2, "log1p": 1, "expm1": 1})
    'sub(mul(log1p(@0),@1),expm1(@1))'
    """
    # <solution mend: in which direction? WORD.findall(text) gives the words>
    stack: list[str] = []
    for word in reversed(WORD.findall(text)):
        if word in SYMBOLS:
            continue
        if word not in arity:
            stack.append(word)
            continue
        if len(stack) < arity[word]:
            raise ExpressionError(f"{word} takes {arity[word]} values, found {len(stack)}")
        values = [stack.pop() for _ in range(arity[word])]  # from right to left, the value popped first is the left one
        stack.append(f"{word}({','.join(values)})")
    if len(stack) != 1:
        raise ExpressionError(f"expected one value, found {len(stack)}")
    return stack[0]
    # </solution>
