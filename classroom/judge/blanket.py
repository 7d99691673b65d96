"""Blanket (trivial) answers: the stub with the same line in place of every TODO. Tests they pass need no work."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import wraps
from typing import Any

from classroom.judge.homework import Homework
from classroom.judge.tests import Outcome, Test, to_its_end
from classroom.judge.trial import session_of

BLANKET_LINES = (
    "raise ValueError('no')",
    "raise TypeError('no')",
    "return first",
    "return float('nan')",
    "return np.full(np.shape(first), np.nan)",
    "return np.full_like(first, np.nan)",
    "return np.zeros_like(first)",
    "return None",
    "return 0",
    "return 0.0",
    "return []",
    "return ''",
    "return True",
    "return False",
)
"""Trivial function bodies; `first` is the first argument."""
CHOOSE = "choose_blanket"
Name = tuple[bool, str]
"""(public, name) of a test."""


def passable(homework: Homework, stub: str, seconds: float) -> frozenset[Name]:
    """The tests that some blanket answer passes."""
    found = set[Name]()
    with session_of(homework, blanket(stub), seconds) as session:
        for choice in range(len(BLANKET_LINES)):
            for test in homework.public + homework.hidden:
                name = (test.public, test.name)
                if name not in found and session.run(_chosen(to_its_end(test), choice), 0).passed:
                    found.add(name)
    return frozenset(found)


def of_stub(homework: Homework, stub: str, seconds: float) -> list[Outcome]:
    """The outcomes of the tests for the unchanged stub."""
    with session_of(homework, stub, seconds) as session:
        return [session.run(to_its_end(test), 0) for test in homework.public + homework.hidden]


def blanket(stub: str) -> str:
    """All blanket answers in one file: `choose_blanket(n)` selects which of BLANKET_LINES the functions execute.

    A TODO is a `raise NotImplementedError(...)` in a function or method of the stub.
    """
    rows = stub.splitlines(keepends=True)
    tree = ast.parse(stub)
    methods = {one for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)][function in methods :]
        call = f"return _blanket_lines[_blanket]({names[0] if names else None})\n"
        for node in ast.walk(function):
            if isinstance(node, ast.Raise) and ast.unparse(node).startswith("raise NotImplementedError("):
                below = (node.end_lineno or node.lineno) - node.lineno
                rows[node.lineno - 1 : node.lineno + below] = [" " * node.col_offset + call, *[""] * below]
    lines = "".join(f"def _line{n}(first):\n    import numpy as np; {line}\n" for n, line in enumerate(BLANKET_LINES))
    listed = ", ".join(f"_line{n}" for n in range(len(BLANKET_LINES)))
    choose = f"_blanket = 0\ndef {CHOOSE}(n):\n    global _blanket\n    _blanket = n\n"
    return f"{''.join(rows)}\n\n{lines}_blanket_lines = [{listed}]\n{choose}"


def _chosen(test: Test, choice: int) -> Test:
    """The test, preceded by the choice of a line, since its worker may be a new one."""

    @wraps(test.function)
    def function(**given: Any) -> None:
        getattr(given["student"], CHOOSE)(choice)
        test.function(**given)

    return replace(test, function=function)
