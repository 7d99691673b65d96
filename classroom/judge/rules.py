"""The rules of a task, read from its docstrings, where they stand under a heading:

Rules
-----
order : each channel is read row by row, or column by column where `row_major` is False.
dtype : the result has the dtype of x.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

HEADING = re.compile(r"^Rules\n-+\n", re.M)
RULE = re.compile(r"([a-z][a-z0-9_]*) : (.*)")


class RulesError(ValueError):
    """A section of rules that cannot be read."""


def rules_of(source: str, names: Iterable[str]) -> dict[str, str]:
    """Name -> text of the rules in the docstrings of the named functions and classes, methods included, in order.

    Raises RulesError for a line that is no rule, and a name that stands twice.
    """
    wanted, found = set(names), dict[str, str]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in wanted:
            for text in _docstrings(node):
                for name, rule in rules_in(text):
                    if name in found:
                        raise RulesError(f"{node.name}: the rule {name} stands twice")
                    found[name] = rule
    return found


def rules_in(docstring: str) -> Iterator[tuple[str, str]]:
    """(name, text) of the rules in a docstring. Raises RulesError."""
    _, *sections = HEADING.split(docstring)
    for section in sections:
        name, words = "", list[str]()
        for line in section.split("\n\n")[0].splitlines():
            rule = RULE.fullmatch(line)
            if rule:
                if name:
                    yield name, " ".join(words)
                name, words = rule[1], [rule[2]]
            elif name and line.startswith(" "):
                words.append(line.strip())
            else:
                raise RulesError(f"expected a rule, `name : what holds`, or its indented next line, found {line!r}")
        if name:
            yield name, " ".join(words)


def without_rules(docstring: str) -> str:
    """The docstring without its sections of rules."""
    first, *sections = HEADING.split(docstring)
    return "".join([first, *(section.partition("\n\n")[2] for section in sections)]).rstrip()


def _docstrings(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.ClassDef):
            yield ast.get_docstring(inner) or ""
