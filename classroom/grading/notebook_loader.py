"""Run a homework file whose functions stand in the cells of a worksheet. Runs in the worker, among the student's code.

The homework file made of a worksheet holds this text and the cells (see notebook.as_module). A statement of a cell
that fails is passed over: a plot or an experiment costs nobody the functions beside it.
"""

from __future__ import annotations

import ast
from typing import Any

NAME = "worksheet.ipynb"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
EARLY = (ast.Import, ast.ImportFrom, *DEFINITIONS)


def load(cells: list[str], stub: str, names: dict[str, Any]) -> None:
    """Run the stub with the cells' definitions in place of its own; before it their imports, after it the rest."""
    statements = [statement for cell in cells for statement in parsed(cell)]
    mine = {one.name: one for one in statements if isinstance(one, DEFINITIONS)}
    given = ast.parse(stub)
    in_stub = {one.name for one in given.body if isinstance(one, DEFINITIONS)}
    others = [one for one in statements if not (isinstance(one, DEFINITIONS) and one.name in in_stub)]
    run_all([one for one in others if isinstance(one, EARLY)], names)
    for one in given.body:
        replaced = mine.get(one.name) if isinstance(one, DEFINITIONS) else None
        if replaced is None or not run_all([replaced], names):
            run(one, names)
    run_all([one for one in others if not isinstance(one, EARLY)], names)


def parsed(cell: str) -> list[ast.stmt]:
    """The cell's statements; none of a cell that is no Python. Magics and commands of the shell are left out."""
    try:
        return ast.parse(without_magics(cell)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def without_magics(cell: str) -> str:
    """The cell's text with an empty line for each magic and each command of the shell."""
    return "\n".join("" if line.startswith(("%", "!", "?")) else line for line in cell.split("\n"))


def run_all(statements: list[ast.stmt], names: dict[str, Any]) -> bool:
    """Run statements one by one; False where one of them failed."""
    done = True
    for statement in statements:
        try:
            run(statement, names)
        except Exception:
            done = False
    return done


def run(statement: ast.stmt, names: dict[str, Any]) -> None:
    """Run one statement, its annotations left unevaluated, as in the stubs."""
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return
    future = ast.parse("from __future__ import annotations").body
    exec(compile(ast.Module([*future, statement], []), NAME, "exec", dont_inherit=True), names)
