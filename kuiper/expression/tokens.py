"""Text -> tokens: the words of an expression, and where each stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from kuiper.errors import ExpressionError
from kuiper.expression.functions import FUNCTIONS


class TokenType(IntEnum):
    """What a token is. All numbers are negative: a tree node that is no operand bears its type's number."""

    LEFT_BRACKET = -1
    RIGHT_BRACKET = -2
    COMMA = -3
    LEFT_LIST = -4
    RIGHT_LIST = -5
    OPERAND = -6
    FUNCTION = -7
    INTEGER = -8
    FLOAT = -9
    COMPLEX = -10
    CONSTANT = -11
    NAME = -12


@dataclass(frozen=True)
class Token:
    """One word: its type, its text, and where it stands: text[start:end], `end` not included."""

    type: TokenType
    text: str
    start: int
    end: int

    @property
    def value(self) -> Any:
        """What an operand (its number), a number, a constant or a name stands for. Raises KeyError for other types.

        >>> Token(TokenType.FLOAT, "1.0e-05", 0, 7).value
        1e-05
        """
        return _VALUES[self.type](self.text)


_SYMBOLS = {
    "(": TokenType.LEFT_BRACKET,
    ")": TokenType.RIGHT_BRACKET,
    ",": TokenType.COMMA,
    "[": TokenType.LEFT_LIST,
    "]": TokenType.RIGHT_LIST,
}
_CONSTANTS: dict[str, bool | None] = {"None": None, "True": True, "False": False}
# A word is as long as it can be: everything up to the next bracket, comma, @ or white space.
_WORD = re.compile(r"\s*(?P<word>[()\[\],]|@[0-9]*|[^()\[\],@\s]+)")
_REAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|nan"
_INTEGER = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(rf"[+-]?(?:{_REAL})")
_COMPLEX = re.compile(rf"(?:(?P<real>[+-]?(?:{_REAL}))(?=[+-]))?(?P<imaginary>\+?[+-]?(?:{_REAL}))j")
_OPENS = re.compile(r"\s*\(")


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, from left to right. Raises ExpressionError at a word that is none.

    >>> [token.text for token in tokenize("add(@0,1e-5)")]
    ['add', '(', '@0', ',', '1e-5', ')']
    """
    tokens = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _WORD.match(text, position)
        assert match is not None  # every character that is no white space begins a word
        word, start, position = match["word"], match.start("word"), match.end("word")
        tokens.append(Token(_type(word, text, start), word, start, position))
    return tokens


def _type(word: str, text: str, start: int) -> TokenType:
    if word in _SYMBOLS:
        return _SYMBOLS[word]
    if word.startswith("@"):
        if not 2 <= len(word) <= 10:
            raise ExpressionError("expected the number of an operand after @", text, start)
        return TokenType.OPERAND
    if word in FUNCTIONS and (not word.startswith("torch.") or _OPENS.match(text, start + len(word))):
        return TokenType.FUNCTION  # torch.float without a bracket is the name of a type
    if _INTEGER.fullmatch(word):
        if len(word) > 20 or not -(2**63) <= int(word) < 2**63:
            raise ExpressionError("expected an integer of at most 64 bits", text, start)
        return TokenType.INTEGER
    if _FLOAT.fullmatch(word):
        return TokenType.FLOAT
    if _COMPLEX.fullmatch(word):
        return TokenType.COMPLEX
    if word in _CONSTANTS:
        return TokenType.CONSTANT
    if word[0] in "+-." or word[0].isdigit():
        raise ExpressionError(f"{word!r} is not a number", text, start)
    return TokenType.NAME


def _complex(text: str) -> complex:
    match = _COMPLEX.fullmatch(text)
    assert match is not None
    return complex(float(match["real"] or 0), float(match["imaginary"].replace("+-", "-")))


_VALUES: dict[TokenType, Callable[[str], Any]] = {
    TokenType.OPERAND: lambda text: int(text[1:]),
    TokenType.INTEGER: int,
    TokenType.FLOAT: float,
    TokenType.COMPLEX: _complex,
    TokenType.CONSTANT: _CONSTANTS.__getitem__,
    TokenType.NAME: str,
}
