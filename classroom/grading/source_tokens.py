"""Python source, valid or not, as normalised tokens that renaming and commenting do not change."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

MAX_TOKENS = 40_000
"""Maximum tokens per file, without comments and whitespace; the rest is not compared."""
EXEC_FUNCTIONS = frozenset({"exec", "eval", "compile"})
"""Functions that execute a string; as methods, the last two mean something else."""
ALWAYS_RUN = frozenset({"exec", "builtins", "__builtins__"})
"""Names that mean a string is executed, whatever precedes them."""
MAX_DEPTH = 3
"""Maximum nesting of executed strings; deeper ones are not compared."""
LEXEMES = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<joined>\\\r?\n)"
    r"|(?P<line>\n)"
    r"|(?P<space>[^\S\n]+)"
    r"|(?P<string>(?i:[rbuft]{0,2})"
    r"(?:'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\\?\Z)"
    r'|"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\\?\Z)'
    r"|'(?:[^'\\\n]|\\.)*(?:'|\\?\Z|(?=\n))"
    r'|"(?:[^"\\\n]|\\.)*(?:"|\\?\Z|(?=\n))))'
    r"|(?P<number>\.?\d[\w.]*(?:(?<=[eE])[+-]?\d[\d_]*j?)?)"
    r"|(?P<name>\w+)"
    r"|(?P<operator>\*\*=|//=|>>=|<<=|\.\.\.|[-+*/%@&|^<>=!:]=|->|\*\*|//|>>|<<|.)",
    re.DOTALL,
)
"""Every character belongs to one lexeme. A string ends at its quote, its line or the source, so the first way to match
it is right, and matching takes linear time. (Possessive quantifiers would say so; Python 3.11.2 loses characters.)"""
MAY_RUN = re.compile(
    rf"(?:{'|'.join(sorted(ALWAYS_RUN))}|(?<![^.]\.)(?:{'|'.join(sorted(EXEC_FUNCTIONS - ALWAYS_RUN))}))(?!\w)"
)
"""Found in every source with a name that means a string is executed, and in others: where not, it need not be read."""
LIBRARY = frozenset(
    name
    for holder in (np, np.ndarray, np.random.Generator, np.linalg, builtins, str, bytes, list, dict, set, tuple)
    for name in dir(holder)
    if not name.startswith("_")
)
"""Attributes of libraries, which a student cannot rename."""
BUILTINS = frozenset(dir(builtins))
OPEN, CLOSE = frozenset("([{"), frozenset(")]}")
NAME, NUMBER, STRING = "N", "0", "S"
ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "\n": "", "f": " ", "v": " "}


class SourceToken(NamedTuple):
    """A normalised token, its line number from 1, and whether it starts a logical line."""

    text: str
    line: int
    begins: bool = False


@dataclass(frozen=True)
class Code:
    """The tokens to compare, and why they are not the whole source; "" if they are."""

    tokens: tuple[SourceToken, ...]
    left_out: str = ""


def code(source: str) -> Code:
    """Source -> the tokens to compare: without annotations and grouping brackets, with those of strings it executes.

    Time is linear in the length of the source, and there is no recursion: the source is untrusted.
    """
    left_out, found, waiting = "", list[SourceToken](), [(source, 1)]
    for _ in range(MAX_DEPTH + 1):
        inner = []
        for text, line in waiting:
            if len(found) > MAX_TOKENS:
                break
            some = tokens(text, MAX_TOKENS + 1 - len(found))
            found += some if line == 1 else [token._replace(line=token.line + line - 1) for token in some]
            runs, texts = texts_run(text)
            left_out = left_out or (f"it runs code from a text, in line {runs + line - 1}" if runs else "")
            inner += [(one, place + line - 1) for one, place in texts]
        waiting = inner
    if len(found) > MAX_TOKENS:
        left_out = f"only the first {MAX_TOKENS:,} words and signs of it were compared"
    return Code(tuple(without_grouping(without_annotations(found[:MAX_TOKENS]))), left_out)


def tokens(source: str, most: int = MAX_TOKENS) -> list[SourceToken]:
    """Source -> its first `most` normalised tokens; invalid Python is tokenised as far as possible.

    Names become N, numbers 0, strings S. Keywords, operators, called builtins and attributes of numpy's and Python's
    own types stay. Comments, docstrings and whitespace are dropped.

    >>> [token.text for token in tokens("y = np.exp(-x)  # shares")]
    ['N', '=', 'N', '.', 'exp', '(', '-', 'N', ')']
    """
    found: list[SourceToken] = []
    source = one_kind_of_line_end(source)
    depth, line, begin = 0, 1, 0
    for match in LEXEMES.finditer(source):
        kind, text = match.lastgroup, match[0]
        if kind == "space":
            continue
        if kind == "line" and depth == 0:
            begin = _without_docstring(found, begin)
        elif kind in ("string", "number", "name", "operator"):
            depth = max(0, depth + (text in OPEN) - (text in CLOSE))
            found.append(SourceToken(_normal(kind, text, found, source, match.end()), line, len(found) == begin))
            if len(found) >= most:
                break
        line += text.count("\n")
    _without_docstring(found, begin)
    return found


def one_kind_of_line_end(source: str) -> str:
    """The source with \\n for every line ending that Python knows, \\r included."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


def without_annotations(found: Iterable[SourceToken]) -> list[SourceToken]:
    """The tokens without the types of parameters, results and variables; a line that gives a type alone goes.

    >>> source = "def f(x: int = 1, *y: list[str]) -> dict[str, int]:\\n    z: dict[str, int] = {x: y}\\n    w: int"
    >>> " ".join(token.text for token in without_annotations(tokens(source)))
    'def N ( N = 0 , * N ) : N = { N : N }'
    """
    kept, line = list[SourceToken](), list[SourceToken]()
    for token in (*found, SourceToken("", 0, True)):
        if token.begins:
            kept += _bare(line)
            line = []
        line.append(token)
    return kept


def _bare(line: list[SourceToken]) -> list[SourceToken]:
    """A logical line without types."""
    texts = [token.text for token in line]
    if "def" in texts[:2]:
        return _bare_head(line)
    colon = 1
    while texts[colon : colon + 2] == [".", NAME]:
        colon += 2
    if texts[:1] != [NAME] or texts[colon : colon + 1] != [":"]:
        return line
    return line[:colon] + line[texts.index("=") :] if "=" in texts else []


def _bare_head(line: list[SourceToken]) -> list[SourceToken]:
    """The line of a `def` without types."""
    kept: list[SourceToken] = []
    depth, skipping, default = 0, "", False
    for place, token in enumerate(line):
        text = token.text
        depth -= text in CLOSE
        if (skipping == "parameter" and ((depth == 1 and text in ",=") or (depth == 0 and text == ")"))) or (
            skipping == "result" and depth == 0 and text == ":"
        ):
            skipping = ""
        if not skipping and depth == 0 and text == ":":
            return kept + line[place:]
        if not skipping and depth == 1 and text in ",=":
            default = text == "="
        if not skipping and depth == 1 and text == ":" and not default:
            skipping = "parameter"
        elif not skipping and depth == 0 and text == "->":
            skipping = "result"
        if not skipping:
            kept.append(token)
        depth += text in OPEN
    return kept


def without_grouping(found: Iterable[SourceToken]) -> list[SourceToken]:
    """The tokens without grouping brackets, `pass`, semicolons and trailing commas.

    >>> " ".join(token.text for token in without_grouping(tokens("(y) = ((f)((x + 1),)); pass")))
    'N = N ( N + 0 )'
    """
    kept: list[SourceToken] = []
    grouping: list[bool] = []
    before = SourceToken("", 0)
    for token in found:
        text, dropped = token.text, token.text in (";", "pass")
        if text == "(":
            dropped = token.begins or not _ends_value(before.text)
        if text in OPEN:
            grouping.append(dropped)
        elif text in CLOSE:
            if kept and kept[-1].text == ",":
                kept.pop()
            dropped = bool(grouping) and grouping.pop()
        if not dropped:
            kept.append(token)
        before = token
    return kept


def texts_run(source: str) -> tuple[int, list[tuple[str, int]]]:
    """(line of the first exec-like call, or 0; all strings of the source with their lines, if there is one).

    Which strings are executed is not known statically. Adjacent and added strings count as one.
    """
    if not MAY_RUN.search(source):
        return 0, []
    line, runs, before, joined = 1, 0, "", False
    texts: list[tuple[list[str], int]] = []
    for match in LEXEMES.finditer(one_kind_of_line_end(source)):
        kind, text = match.lastgroup, match[0]
        if kind == "name" and (text in ALWAYS_RUN or (text in EXEC_FUNCTIONS and before != ".")):
            runs = runs or line
        if kind == "string":
            texts += [] if joined else [([], line)]
            texts[-1][0].append(_contents(text))
            joined = True
        elif kind in ("number", "name", "operator"):
            joined = joined and text in ("+", "(", ")")
        if kind in ("string", "number", "name", "operator"):
            before = text
        line += text.count("\n")
    return runs, [("".join(pieces), place) for pieces, place in texts] if runs else []


def _contents(literal: str) -> str:
    """The value of a string literal; for an f-string, its source text."""
    bare = literal.lstrip("rbuftRBUFT")
    quotes = bare[:3] if bare[:3] in ("'''", '"""') else bare[:1]
    inner = bare[len(quotes) :].removesuffix(quotes)
    if "r" in literal[: len(literal) - len(bare)].lower():
        return inner
    return re.sub(r"\\(\n|.)", lambda found: ESCAPES.get(found[1], found[1]), inner, flags=re.DOTALL)


def _ends_value(text: str) -> bool:
    """Whether a bracket after this token belongs to a call."""
    return text in CLOSE or text in (NAME, STRING) or (text.isidentifier() and not keyword.iskeyword(text))


def _without_docstring(found: list[SourceToken], begin: int) -> int:
    """Drop a line that is only a string; returns the index where the next line begins."""
    if len(found) > begin and all(token.text == STRING for token in found[begin:]):
        del found[begin:]
    return len(found)


def _normal(kind: str, text: str, before: list[SourceToken], source: str, end: int) -> str:
    if kind == "string":
        return STRING
    if kind == "number":
        return NUMBER
    if kind == "operator" or keyword.iskeyword(text):
        return text
    last = before[-1].text if before else ""
    if last == ".":
        return text if text in LIBRARY else NAME
    called = source[end : end + 9].lstrip(" \t").startswith("(")
    return text if text in BUILTINS and called else NAME
