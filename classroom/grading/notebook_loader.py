"""Run a homework file whose functions stand in the cells of a worksheet. Runs in the worker, among the student's code.

The homework file made of a worksheet holds this text and the cells (see notebook.as_module). Of all cells it runs the
imports, the functions and classes, and the statements that set up what these read. Experiments and plots are left out,
and a statement that fails is passed over: neither costs anybody the functions beside it. Nor does a copy of the
untouched stub, wherever it stands.
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
    """Run the stub with the cells' functions and classes in place of its own; before and after it what they need."""
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
    run_all([*failed, *late], names)  # what needed the stub's own names
    found = mine.keys() | {name for one in late for name in stored(one)}
    names |= {name: refusing(why) for name, why in unreadable(cells).items() if name in asked - found}


def parsed(cell: str) -> list[ast.stmt]:
    """The cell's statements without magics and commands of the shell; none of a cell that is no Python."""
    try:
        return tree(cell).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def tree(cell: str) -> ast.Module:
    """The cell parsed, its magics left out if it is no Python with them. Raises what ast.parse raises."""
    try:
        return ast.parse(cell)
    except SyntaxError:
        return ast.parse(without_magics(cell))


def without_magics(cell: str) -> str:
    """The cell with `pass` in place of each line that IPython takes for a command."""
    lines: list[str] = []
    for line in cell.split("\n"):
        magic = MAGIC.match(line)
        lines.append(f"{magic[1]}pass" if magic and not is_open(lines) else line)
    return "\n".join(lines)


def is_open(lines: list[str]) -> bool:
    """Whether the next line goes on with a statement: in brackets, in a text, or after a backslash."""
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
    """Function -> why the cell that defines it is no Python."""
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
    """A function that tells why it could not be read."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise SyntaxError(why)

    return refuse


def needed(rest: list[ast.stmt], mine: dict[str, Any], asked: set[str]) -> list[ast.stmt]:
    """The imports and definitions among `rest`, and the statements that make what all definitions read."""
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
    """The names outside of them that functions and classes read."""
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
    """The names that a statement sets, be it in a branch or a loop."""
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
    """The names that stand in a statement."""
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def run_all(statements: Iterable[Any], names: dict[str, Any]) -> list[ast.stmt]:
    """Run statements one by one -> those that failed."""
    failed = []
    for statement in statements:
        try:
            run(statement, names)
        except Exception:
            failed.append(statement)
    return failed


def run(statement: ast.stmt, names: dict[str, Any]) -> None:
    """Run one statement, its annotations left unevaluated, as in the stubs."""
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return
    future = ast.parse("from __future__ import annotations").body
    exec(compile(ast.Module([*future, statement], []), NAME, "exec", dont_inherit=True), names)
