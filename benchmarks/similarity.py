"""How well similar submissions are found: a made-up class, its copies found and its honest ones reported by mistake.

    python -m benchmarks.similarity --students 60 --classes 20

An honest student takes for each task one of several ways that people have written by themselves, and writes it anew:
at each place where there is a choice (which branch first, a helper variable, a loop or a comprehension, which operand
first, a check more) the student's own. Copies are one honest student's file in a disguise.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from classroom import register
from classroom.grading.records import Submission
from classroom.grading.similarity import similar_pairs
from classroom.judge.homework import homework_of
from classroom.stubs import blocks, definitions_text

HONEST = Path(__file__).resolve().parents[1] / "tests" / "classroom" / "grading" / "honest"
HOMEWORKS = {"02_tensor": "tensor_*.py", "04_graph": "graph_*.py"}
OPPOSITE = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
RING = 5


class Anew(ast.NodeTransformer):
    """Code written anew: half of the places at which there is a choice are chosen the other way."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.number = draw, 0

    def chance(self) -> bool:
        """Whether this place is changed."""
        return self.draw.random() < 0.5

    def visit_If(self, node: ast.If) -> ast.AST:
        """The other branch first."""
        self.generic_visit(node)
        if node.orelse and self.chance():
            node.test, node.body, node.orelse = ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """The other value first."""
        self.generic_visit(node)
        if self.chance():
            node.test, node.body, node.orelse = ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """b > a for a < b."""
        self.generic_visit(node)
        turned = OPPOSITE.get(type(node.ops[0]))
        if len(node.ops) == 1 and turned and self.chance():
            node.left, node.ops, node.comparators = node.comparators[0], [turned()], [node.left]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """b * a for a * b."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult) and self.chance():
            node.left, node.right = node.right, node.left
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """x = x + 1 for x += 1."""
        self.generic_visit(node)
        if self.chance():
            before = copy.deepcopy(node.target)
            before.ctx = ast.Load()
            return ast.Assign([node.target], ast.BinOp(before, node.op, node.value), lineno=node.lineno)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        """A loop for a comprehension, or a helper variable."""
        self.generic_visit(node)
        if isinstance(node.value, ast.ListComp) and len(node.value.generators) == 1 and self.chance():
            return self._loop(node, node.value)
        return [*self._named(node, "value"), node]

    def visit_Return(self, node: ast.Return) -> list[ast.AST]:
        """The result, or a part of it, named before it is returned."""
        self.generic_visit(node)
        return [*self._named(node, "value"), node]

    def visit_Expr(self, node: ast.Expr) -> list[ast.AST]:
        """A helper variable before it."""
        self.generic_visit(node)
        return [*self._named(node, "value"), node]

    def visit_For(self, node: ast.For) -> list[ast.AST]:
        """What it runs over named before it."""
        self.generic_visit(node)
        return [*self._named(node, "iter"), node]

    def _named(self, node: ast.AST, field: str) -> list[ast.AST]:
        """A part of the expression in `field`, or all of it, gets a name: the statement that gives it."""
        whole = getattr(node, field)
        parts = [one for one in ast.walk(whole) if isinstance(one, ast.Call | ast.BinOp | ast.Subscript | ast.Tuple)]
        parts = [one for one in parts if isinstance(getattr(one, "ctx", ast.Load()), ast.Load)] if whole else []
        if not parts or not self.chance():
            return []
        part, name = self.draw.choice(parts), self._name()

        class Put(ast.NodeTransformer):
            def visit(self, one: ast.AST) -> ast.AST:
                return ast.Name(name, ast.Load()) if one is part else self.generic_visit(one)

        setattr(node, field, Put().visit(whole))
        return [ast.Assign([ast.Name(name, ast.Store())], part, lineno=1)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A check more at its beginning."""
        self.generic_visit(node)
        if self.chance() and node.args.args:
            check = ast.parse(f"assert {node.args.args[0].arg} is not None").body
            node.body = [*node.body[:1], *check, *node.body[1:]]
        return node

    def _loop(self, node: ast.Assign, value: ast.ListComp) -> list[ast.AST]:
        name, one = self._name(), value.generators[0]
        add = ast.parse(f"{name}.append(0)").body[0]
        assert isinstance(add, ast.Expr)
        assert isinstance(add.value, ast.Call)
        add.value.args = [value.elt]
        body: list[ast.stmt] = [add]
        for condition in reversed(one.ifs):
            body = [ast.If(condition, body, [])]
        empty = ast.Assign([ast.Name(name, ast.Store())], ast.List([], ast.Load()), lineno=node.lineno)
        loop = ast.For(one.target, one.iter, body, [], lineno=node.lineno)
        node.value = ast.Name(name, ast.Load())
        return [empty, loop, node]

    def _name(self) -> str:
        self.number += 1
        return f"value_{self.number}"


def honest(homework: str, draw: random.Random) -> str:
    """A homework file that somebody has written by himself."""
    ways = [path.read_text(encoding="utf-8") for path in sorted(HONEST.glob(HOMEWORKS[homework]))]
    ways.append(_file(homework, "solution"))
    names = [name for name in blocks(ways[0]) if name in blocks(ways[-1])]
    draw.shuffle(names)
    text = "\n\n\n".join(definitions_text(draw.choice(ways), [name]) for name in names)
    tree = Anew(draw).visit(ast.parse(text))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def helpers(draw: random.Random) -> str:
    """Three functions of somebody's own."""
    lines = []
    for number in range(3):
        lines.append(f"def helper_{number}(x, y):")
        for _ in range(4):
            a, b = draw.choices("+-*/%@&|^", k=2)
            lines.append(f"    x = {draw.choice(('len', 'min', 'max', 'sum', 'abs'))}(x {a} y) {b} {draw.choice('xy')}")
        lines.append("    return x\n\n")
    return "\n".join(lines)


def bracketed(text: str, draw: random.Random) -> str:
    """Brackets around every right side and every value that is returned."""
    del draw
    rows = []
    for row in text.split("\n"):
        head, sign, value = row.partition(" = ")
        if sign and head.strip().isidentifier() and value[-1:] not in "([{,\\":
            row = f"{head} = ({value})"
        elif row.strip().startswith("return "):
            row = f"{row[: row.index('return')]}return ({row.strip()[7:]})"
        rows.append(row)
    return "\n".join(rows)


def in_worksheet(text: str) -> bytes:
    """The text in a cell of a worksheet."""
    cell = {"cell_type": "code", "id": "cell-01", "metadata": {}, "source": text.splitlines(keepends=True)}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


DISGUISES: dict[str, Callable[[str, random.Random], str]] = {
    "as it is": lambda text, draw: text,
    "100,001 characters of comment": lambda text, draw: "#" * 100_001 + "\n" + text,
    "brackets": bracketed,
    "exec of a text": lambda text, draw: f"exec({text!r})\n",
    "three helpers": lambda text, draw: helpers(draw) + text,
}


def one_class(homework: str, students: int, draw: random.Random) -> tuple[dict[str, list[str]], list[Submission]]:
    """(kind of copy -> its students, everybody's submissions)."""
    handed_in, copies = [], dict[str, list[str]]()

    def add(name: str, text: str, worksheet: bool = False) -> str:
        files = {"worksheet.ipynb": in_worksheet(text)} if worksheet else {"hw.py": text.encode()}
        handed_in.append(Submission(name, homework, files))
        return name

    for kind, disguise in DISGUISES.items():
        text = honest(homework, draw)
        copies[kind] = [add(f"{kind} 0", text), add(f"{kind} 1", disguise(text, draw))]
    text = honest(homework, draw)
    copies["worksheet and file"] = [add("worksheet 0", text), add("worksheet 1", text, worksheet=True)]
    text = honest(homework, draw)
    copies["ring of five, three helpers each"] = [add(f"ring {n}", helpers(draw) + text) for n in range(RING)]
    for number in range(students - len(handed_in)):
        add(f"honest {number}", honest(homework, draw), worksheet=draw.random() < 0.15)
    draw.shuffle(handed_in)
    return copies, handed_in


@dataclass
class Figures:
    """What comparing some classes found."""

    there: Counter[str] = field(default_factory=Counter)
    """Kind of copy -> students who hand one in."""
    found: Counter[str] = field(default_factory=Counter)
    """Kind of copy -> those of them who are reported together with one of their own."""
    honest: int = 0
    named: int = 0
    """Honest students, and those of them who are reported."""
    seconds: float = 0.0


def measured(homework: str, classes: int, students: int) -> Figures:
    """Make classes of a homework, compare them, count."""
    figures = Figures()
    for number in range(classes):
        copies, handed_in = one_class(homework, students, random.Random(f"{homework} {number}"))
        started = time.perf_counter()
        pairs = similar_pairs(handed_in, _file(homework, "stub"), _file(homework, "solution"))
        figures.seconds += time.perf_counter() - started
        reported = [set(pair.students) for pair in pairs]
        for kind, names in copies.items():
            figures.there[kind] += len(names)
            figures.found[kind] += len({name for pair in reported if pair <= set(names) for name in pair})
        honest_ones = {one.student for one in handed_in} - {name for names in copies.values() for name in names}
        figures.honest += len(honest_ones)
        figures.named += len(honest_ones & {name for pair in reported for name in pair})
    return figures


def main() -> None:
    """Print what was found of each kind, and how many honest students were reported."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--classes", type=int, default=20)
    options = parser.parse_args()
    for homework in HOMEWORKS:
        figures = measured(homework, options.classes, options.students)
        each = figures.seconds / options.classes
        print(f"{homework}: {options.classes} classes of {options.students}, {each:.2f} s each")
        for kind, there in figures.there.items():
            print(f"  {kind:35} {figures.found[kind]:5} of {there:5} found")
        print(f"  honest students named by mistake    {figures.named:5} of {figures.honest:5}")


def _file(homework: str, kind: str) -> str:
    lesson = next(one for one in register.load().lessons if one.folder == homework)
    found = homework_of(lesson)
    assert found is not None
    return Path(getattr(found, kind)).read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
