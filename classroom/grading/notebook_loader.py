"""Run the functions in the cells of a worksheet as a homework file. Runs in the worker, beside the student's code.

The homework file made from a worksheet contains this text and the cells (see notebook.as_module). It runs the cells'
imports, functions and classes, and the statements that define what these read. Experiments and plots are left out, and
a statement that fails is skipped, so that neither breaks the functions beside it. Nor does a copy of the untouched
stub.
"""

from __future__ import annotations

import ast
import re
import symtable
import tokenize
from collections.abc import Iterable
from typing import Any

NAME = "worksheet.ipynb"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
EARLY = (ast.Import, ast.ImportFrom, *DEFINITIONS)
MAGIC = re.compile(r"(\s*)(?:[%!?]|[\w.]+\s*=\s*[%!]|[\w.]+\?{1,2}\s*$)")
"""What IPython takes for a command where a statement begins: %time, !ls, ?x, files = !ls, x?"""
DEFINED = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)", re.M)


def load(cells: list[str], stub: str, names: dict[str, Any]) -> None:
    """Run the stub with the cells' functions and classes in place of its own, and what they need."""
    given = ast.parse(stub).body
    untouched = {one.name: ast.dump(one) for one in given if isinstance(one, DEFINITIONS)}
    asked = set(untouched)
    statements = [statement for cell in cells for statement in parsed(cell)]
    named = [one for one in statements if isinstance(one, DEFINITIONS) and one.name in asked]
    mine = {one.name: one for one in named if ast.dump(one) != untouched[one.name]}
    rest = needed([one for one in statements if not (isinstance(one, DEFINITIONS) and one.name in asked)], mine, asked)
    late = [one for one in rest if stored(one) & asked]
    failed = run_all([one for one in rest if not stored(one) & asked], names)
    for one in given:
        replaced = mine.get(one.name) if isinstance(one, DEFINITIONS) else None
        if replaced is None or (again := run_all([replaced], names)):
            run(one, names)
            failed += again if replaced is not None else []
    run_all([*failed, *late], names)  # they needed names from the stub
    found = mine.keys() | {name for one in late for name in stored(one)}
    names |= {name: refusing(why) for name, why in unreadable(cells).items() if name in asked - found}


def parsed(cell: str) -> list[ast.stmt]:
    """The cell's statements without magics and shell commands; [] if the cell is not Python."""
    try:
        return tree(cell).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def tree(cell: str) -> ast.Module:
    """Parse the cell, without its magics if it does not parse with them. Raises what ast.parse raises."""
    try:
        return ast.parse(cell)
    except SyntaxError:
        return ast.parse(without_magics(cell))


def without_magics(cell: str) -> str:
    """The cell with each line that is an IPython command replaced by `pass`."""
    lines: list[str] = []
    for line in cell.split("\n"):
        magic = MAGIC.match(line)
        lines.append(f"{magic[1]}pass" if magic and not is_open(lines) else line)
    return "\n".join(lines)


def is_open(lines: list[str]) -> bool:
    """Whether the next line continues the statement: inside brackets or a string, or after a backslash."""
    if lines and lines[-1].endswith("\\"):
        return True
    try:
        for _ in tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__):
            pass
    except tokenize.TokenError:
        return True
    except SyntaxError:
        pass
    return False


def unreadable(cells: Iterable[str]) -> dict[str, str]:
    """Function -> syntax error of the cell that defines it."""
    found: dict[str, str] = {}
    for cell in cells:
        try:
            tree(cell)
        except SyntaxError as error:
            why = f"its cell in the worksheet is not Python, line {error.lineno}: {error.msg}"
            found |= dict.fromkeys(DEFINED.findall(cell), why)
        except (ValueError, RecursionError, MemoryError):
            pass
    return found


def refusing(why: str) -> Any:
    """A function that raises the syntax error of its cell."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise SyntaxError(why)

    return refuse


def needed(rest: list[ast.stmt], mine: dict[str, Any], asked: set[str]) -> list[ast.stmt]:
    """The imports and definitions among `rest`, and the statements that define what these read."""
    wanted = asked | read_by([*mine.values(), *(one for one in rest if isinstance(one, DEFINITIONS))])
    taken: set[int] = set()
    while True:
        data = {name for one in rest if not isinstance(one, EARLY) for name in stored(one) & wanted} - asked
        more = [
            one
            for one in rest
            if id(one) not in taken and (isinstance(one, EARLY) or stored(one) & wanted or mentioned(one) & data)
        ]
        if not more:
            return [one for one in rest if id(one) in taken]
        taken |= {id(one) for one in more}
        wanted |= {name for one in more if not isinstance(one, EARLY) for name in mentioned(one)}


def read_by(definitions: Iterable[ast.stmt]) -> set[str]:
    """The global names that functions and classes read."""
    found: set[str] = set()
    for one in definitions:
        whole = symtable.symtable(ast.unparse(one), NAME, "exec")
        found |= {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_referenced()}
        inner = whole.get_children()
        while inner:
            table = inner.pop()
            found |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
            inner += table.get_children()
    return found


def stored(statement: ast.stmt) -> set[str]:
    """The names that a statement assigns, branches and loops included."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, DEFINITIONS):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
    return found


def mentioned(statement: ast.stmt) -> set[str]:
    """The names that occur in a statement."""
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def run_all(statements: Iterable[Any], names: dict[str, Any]) -> list[ast.stmt]:
    """Run statements one by one -> the failed ones."""
    failed = []
    for statement in statements:
        try:
            run(statement, names)
        except Exception:
            failed.append(statement)
    return failed


def run(statement: ast.stmt, names: dict[str, Any]) -> None:
    """Run one statement with annotations unevaluated, as in the stubs."""
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return
    future = ast.parse("from __future__ import annotations").body
    exec(compile(ast.Module([*future, statement], []), NAME, "exec", dont_inherit=True), names)
