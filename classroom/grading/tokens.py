"""Python source as a stream of normalised tokens, whatever its state: what renaming and commenting does not change."""

from __future__ import annotations

import builtins
import keyword
import re
from typing import NamedTuple

import numpy as np

MOST_CHARACTERS = 100_000
"""Of a file; what follows is not compared."""
LEXEMES = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<joined>\\\r?\n)"
    r"|(?P<line>\n)"
    r"|(?P<space>[\s]+?)"
    r"|(?P<string>(?i:[rbuft]{0,2})"
    r"(?:'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\\?\Z)"
    r'|"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\\?\Z)'
    r"|'(?:[^'\\\n]|\\.)*+(?:'|\\?\Z|(?=\n))"
    r'|"(?:[^"\\\n]|\\.)*+(?:"|\\?\Z|(?=\n))))'
    r"|(?P<number>\.?\d[\w.]*(?:(?<=[eE])[+-]?\d[\d_]*j?)?)"
    r"|(?P<name>\w+)"
    r"|(?P<operator>\*\*=|//=|>>=|<<=|\.\.\.|[-+*/%@&|^<>=!:]=|->|\*\*|//|>>|<<|.)",
    re.DOTALL,
)
"""Every character belongs to one lexeme; quantifiers are possessive, so that no text takes more than linear time."""
LIBRARY = frozenset(
    name
    for holder in (np, np.ndarray, np.random.Generator, np.linalg, builtins, str, bytes, list, dict, set, tuple)
    for name in dir(holder)
    if not name.startswith("_")
)
"""Attributes that belong to a library and that nobody can rename."""
BUILTINS = frozenset(dir(builtins))
OPEN, CLOSE = frozenset("([{"), frozenset(")]}")
NAME, NUMBER, STRING = "N", "0", "S"


class Token(NamedTuple):
    """A normalised token and the line it stands in, counted from 1."""

    text: str
    line: int


def tokens(source: str) -> list[Token]:
    """Source -> normalised tokens; Python with mistakes in it is read as far as it can be.

    Names become N, numbers 0, texts S. Keywords, operators, called builtins and the attributes of numpy's and Python's
    own types stay. Comments, docstrings and the layout of lines are left out.

    >>> [token.text for token in tokens("y = np.exp(-x)  # shares")]
    ['N', '=', 'N', '.', 'exp', '(', '-', 'N', ')']
    """
    found: list[Token] = []
    depth, line, begin = 0, 1, 0
    for match in LEXEMES.finditer(source[:MOST_CHARACTERS]):
        kind, text = match.lastgroup, match[0]
        if kind == "line" and depth == 0:
            begin = _without_docstring(found, begin)
        elif kind in ("string", "number", "name", "operator"):
            depth = max(0, depth + (text in OPEN) - (text in CLOSE))
            found.append(Token(_normal(kind, text, found, source, match.end()), line))
        line += text.count("\n")
    _without_docstring(found, begin)
    return found


def _without_docstring(found: list[Token], begin: int) -> int:
    """Drop a line that is nothing but a text; returns where the next line begins."""
    if len(found) > begin and all(token.text == STRING for token in found[begin:]):
        del found[begin:]
    return len(found)


def _normal(kind: str, text: str, before: list[Token], source: str, end: int) -> str:
    if kind == "string":
        return STRING
    if kind == "number":
        return NUMBER
    if kind == "operator" or keyword.iskeyword(text):
        return text
    last = before[-1].text if before else ""
    if last == ".":
        return text if text in LIBRARY else NAME
    return text if text in BUILTINS and source[end : end + 1] == "(" else NAME
