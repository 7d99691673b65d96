"""How well similar submissions are found: a made-up class, its copies found and its honest ones reported by mistake.

    python -m benchmarks.similarity --students 60 --classes 20

An honest student takes for each task one of several ways that people have written by themselves, without the worked
solution (`honest/`), and writes it anew, ROUNDS times over: at each place where there is a choice (which branch first,
a helper variable, a loop or a comprehension, which operand first, a check more, two lines in the other order) the
student's own. Nothing of it is made from the course's sources. Copies are one honest student's file in a disguise.
Takers have one answer from a source of the course, in a disguise, and all others from an honest student.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path

from classroom import register
from classroom.grading.grams import grams
from classroom.grading.records import Submission
from classroom.grading.similarity import Known, compare_submissions
from classroom.grading.source_tokens import code
from classroom.grading.taken import CourseIndex, CourseSource, sources_of
from classroom.judge.homework import homework_of
from classroom.stubs import blocks, definitions_text, names_of, readable

HERE = Path(__file__).resolve().parent
HONEST = {
    "benchmarks/honest/": HERE / "honest",
    "tests/classroom/grading/honest/": HERE.parent / "tests/classroom/grading/honest",
}
"""Where honest ways lie; these files are left out of the sources in which takers and honest students are looked up."""
HOMEWORKS = sorted(path.name for path in (HERE / "honest").iterdir() if path.is_dir())
OLDER = {"02_tensor": "tensor_*.py", "04_graph": "graph_*.py"}
OPPOSITE = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
ROUNDS = 2
"""So often an honest student's answer is written anew. See `likeness` for how alike two of one class are then."""
RINGS = (5, 9)
FEW_LINES = 60
"""Answers of fewer tokens, about five lines, are not taken: the grader leaves them alone."""
KINDS = {
    "worked solution": lambda path: path.endswith("judge/solution.py"),
    "judge's tests and oracles": lambda path: "/judge/" in path and not path.endswith("solution.py"),
    "public tests": lambda path: path.endswith("public.py"),
    "kuiper/": lambda path: path.startswith("kuiper/"),
    "lessons": lambda path: path.startswith("lessons/"),
}
"""Kind of source -> whether a path is of that kind."""


class Anew(ast.NodeTransformer):
    """Code written anew: half of the places at which there is a choice are chosen the other way.

    The result need not run; it has the look of what somebody would write.
    """

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.number = draw, draw.randrange(1000)

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
        """A while for a range, a guard for a condition around its body, or a name for what it runs over."""
        self.generic_visit(node)
        last = node.body[-1]
        if isinstance(last, ast.If) and not last.orelse and self.chance():
            guard = ast.If(ast.UnaryOp(ast.Not(), last.test), [ast.Continue()], [])
            node.body = [*node.body[:-1], guard, *last.body]
        if _is_range(node.iter) and isinstance(node.target, ast.Name) and self.chance():
            bound, name = node.iter.args[0], node.target.id  # type: ignore[attr-defined]
            start = ast.parse(f"{name} = 0").body
            test = ast.Compare(ast.Name(name, ast.Load()), [ast.Lt()], [bound])
            return [*start, ast.While(test, [*node.body, *ast.parse(f"{name} += 1").body], [])]
        return [*self._named(node, "iter"), node]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """x[i][j] for x[i, j]."""
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2 and self.chance():
            first, second = node.slice.elts
            return ast.Subscript(ast.Subscript(node.value, first, ast.Load()), second, node.ctx)
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """The message left out, or named."""
        if isinstance(node.exc, ast.Call) and node.exc.args and self.chance():
            node.exc.args = []
        return node

    def _named(self, node: ast.AST, field: str) -> list[ast.AST]:
        """A part of the expression in `field`, or all of it, gets a name: the statement that gives it."""
        whole = getattr(node, field)
        parts = [
            one for one in ast.walk(whole or node) if isinstance(one, ast.Call | ast.BinOp | ast.Subscript | ast.Tuple)
        ]
        slices = {id(one.slice) for one in ast.walk(whole) if isinstance(one, ast.Subscript)} if whole else set()
        loaded = (one for one in parts if isinstance(getattr(one, "ctx", ast.Load()), ast.Load))
        parts = [one for one in loaded if id(one) not in slices]
        if whole is None or not parts or not self.chance():
            return []
        part, name = self.draw.choice(parts), self._name()

        class Put(ast.NodeTransformer):
            def visit(self, one: ast.AST) -> ast.AST:
                return ast.Name(name, ast.Load()) if one is part else self.generic_visit(one)

        setattr(node, field, Put().visit(whole))
        return [ast.Assign([ast.Name(name, ast.Store())], part, lineno=1)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A check more at its beginning, and neighbours that do not depend on each other the other way round."""
        self.generic_visit(node)
        for block in [one.body for one in ast.walk(node) if isinstance(one, ast.FunctionDef | ast.For | ast.While)]:
            for i in range(len(block) - 1):
                if _independent(block[i], block[i + 1]) and self.chance():
                    block[i], block[i + 1] = block[i + 1], block[i]
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


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and len(node.args) == 1


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    """Whether two assignments to names can change places."""
    if not isinstance(first, ast.Assign) or not isinstance(second, ast.Assign):
        return False
    read = [{node.id for node in ast.walk(one.value) if isinstance(node, ast.Name)} for one in (first, second)]
    written = [
        {node.id for one in s.targets for node in ast.walk(one) if isinstance(node, ast.Name)} for s in (first, second)
    ]
    return not (written[0] & (read[1] | written[1])) and not written[1] & read[0]


class Renamed(ast.NodeTransformer):
    """Every name that the code gives itself in another one, its texts changed, its types and docstrings gone."""

    def __init__(self, tree: ast.AST, draw: random.Random) -> None:
        own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        names = [f"{draw.choice('abcdefgh')}{number}" for number in range(len(own))]
        self.names = dict(zip(sorted(own), names, strict=True))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Another name."""
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Another name, and no type."""
        node.arg, node.annotation = self.names.get(node.arg, node.arg), None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """No type."""
        self.generic_visit(node)
        return ast.Assign([node.target], node.value, lineno=1) if node.value else ast.Pass()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """No docstring, and no type of the result."""
        node.returns = None
        if ast.get_docstring(node) and len(node.body) > 1:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node


def renamed(text: str, draw: random.Random) -> str:
    """The text with other names, without comments, docstrings and types."""
    tree = ast.parse(text)
    return ast.unparse(ast.fix_missing_locations(Renamed(tree, draw).visit(tree))) + "\n"


def split_up(text: str, draw: random.Random) -> str:
    """The text with the second half of each longer function moved into a helper."""
    del draw
    tree, helpers_made = ast.parse(text), list[ast.stmt]()
    for number, node in enumerate([one for one in tree.body if isinstance(one, ast.FunctionDef)]):
        start = (len(node.body) + 1) // 2
        head, rest = node.body[:start], node.body[start:]
        if not rest:
            continue
        known = {one.id for part in head for one in ast.walk(part) if isinstance(one, ast.Name)}
        known |= {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        used = {one.id for part in rest for one in ast.walk(part) if isinstance(one, ast.Name)}
        names = ", ".join(sorted(known & used))
        helper = ast.parse(f"def and_then_{number}({names}): pass").body[0]
        assert isinstance(helper, ast.FunctionDef)
        helper.body, node.body = rest, [*head, *ast.parse(f"return and_then_{number}({names})", mode="exec").body]
        helpers_made.append(helper)
    tree.body += helpers_made
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def ways(homework: str) -> list[str]:
    """What people have written by themselves for a homework."""
    older = sorted((HERE.parent / "tests/classroom/grading/honest").glob(OLDER.get(homework, "none")))
    return [path.read_text(encoding="utf-8") for path in [*sorted((HERE / "honest" / homework).glob("*.py")), *older]]


def honest(homework: str, draw: random.Random) -> str:
    """A homework file that somebody has written by himself."""
    asked = {name for names in exercises(homework).values() for name in names}
    found = ways(homework)
    pieces = []
    for name in draw.sample(sorted(asked), len(asked)):
        able = [text for text in found if name in blocks(text)]
        if able:
            pieces.append(with_helpers(draw.choice(able), name, asked))
    return written_anew("\n\n\n".join(pieces), draw, ROUNDS)


def written_anew(text: str, draw: random.Random, rounds: int) -> str:
    """The text after so many rounds of writing it anew."""
    for _ in range(rounds):
        text = ast.unparse(ast.fix_missing_locations(Anew(draw).visit(ast.parse(text)))) + "\n"
    return text


def with_helpers(text: str, name: str, asked: Iterable[str]) -> str:
    """A function and the helpers that it calls, which are not asked for themselves."""
    there, wanted, waiting = blocks(text), [name], [name]
    while waiting:
        tree = ast.parse(definitions_text(text, [waiting.pop()]))
        called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & there.keys()
        more = sorted(called - set(wanted) - set(asked))
        wanted, waiting = wanted + more, waiting + more
    return definitions_text(text, wanted)


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


TAKERS: dict[str, Callable[[str, random.Random], str]] = {
    "renamed": renamed,
    "renamed, in brackets": lambda text, draw: bracketed(renamed(text, draw), draw),
    "renamed, half of it in a helper": lambda text, draw: split_up(renamed(text, draw), draw),
    "renamed, in a worksheet": renamed,
}
REWRITTEN = "worked solution, written anew"


@cache
def course_sources() -> tuple[CourseSource, ...]:
    """The course's sources without the honest ways."""
    return tuple(one for one in sources_of(register.ROOT) if not one.path.startswith(tuple(HONEST)))


@cache
def known(homework: str) -> Known:
    """What the grader knows of a homework."""
    stub = _file(homework, "stub")
    return Known(stub, _file(homework, "solution"), exercises(homework), course_index())


@cache
def course_index() -> CourseIndex:
    """The index of the course's sources."""
    return CourseIndex(course_sources())


@cache
def exercises(homework: str) -> dict[str, list[str]]:
    """Exercise -> its functions and classes."""
    lesson = next(one for one in register.load().lessons if one.folder == homework)
    return {one.id: names_of(_file(homework, "stub"), one.id) for one in lesson.exercises}


@cache
def to_take(kind: str) -> tuple[str, ...]:
    """The functions in sources of a kind that are longer than a few lines."""
    found = []
    for one in course_sources():
        if KINDS[kind](one.path) and readable(one.text):
            lines = one.text.splitlines(keepends=True)
            for node in ast.parse(one.text).body:
                if isinstance(node, ast.FunctionDef):
                    text = "".join(lines[node.lineno - 1 : node.end_lineno]).rstrip()
                    found += [text] if len(code(text).tokens) >= FEW_LINES else []
    return tuple(found)


def answer_from(kind: str, homework: str, draw: random.Random) -> tuple[str, str]:
    """(function of a homework, the answer that somebody took for it from a source of that kind)."""
    asked = [name for names in exercises(homework).values() for name in names]
    if kind in (REWRITTEN, "worked solution"):
        solution = _file(homework, "solution")
        long = [name for name in asked if len(code(definitions_text(solution, [name])).tokens) >= FEW_LINES]
        name = draw.choice(long)
        return name, with_helpers(solution, name, asked)
    name, text = draw.choice(asked), draw.choice(to_take(kind))
    tree = ast.parse(text)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.name, function.decorator_list = name, []
    return name, ast.unparse(tree)


def one_class(homework: str, students: int, draw: random.Random) -> tuple[Mapping[str, list[str]], list[Submission]]:
    """(kind of copy -> its students, everybody's submissions); who took something from the course is a kind, too."""
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
    for size in RINGS:
        text = honest(homework, draw)
        copies[f"ring of {size}, three helpers each"] = [
            add(f"ring {size} {n}", helpers(draw) + text) for n in range(size)
        ]
    for number in range(students - len(handed_in)):
        add(f"honest {number}", honest(homework, draw), worksheet=draw.random() < 0.15)
    draw.shuffle(handed_in)
    return copies, handed_in


def takers(homework: str, draw: random.Random) -> tuple[dict[str, str], list[Submission]]:
    """(student -> kind of source, everybody's submissions): one student for each kind and disguise."""
    kinds, handed_in = {}, []
    plan = [(kind, disguise) for kind in KINDS for disguise in TAKERS] + [(REWRITTEN, "renamed")]
    for kind, disguise in plan:
        name, taken = answer_from(kind, homework, draw)
        if kind == REWRITTEN:
            taken = written_anew(taken, draw, 1)
        mine = honest(homework, draw)
        others = [one for one in blocks(mine) if one != name]
        text = definitions_text(mine, others) + "\n\n\n" + TAKERS[disguise](taken, draw)
        student = f"{kind}, {disguise}"
        files = {"worksheet.ipynb": in_worksheet(text)} if "worksheet" in disguise else {"hw.py": text.encode()}
        kinds[student] = kind
        handed_in.append(Submission(student, homework, files))
    return kinds, handed_in


@dataclass
class Figures:
    """What comparing some classes found."""

    there: Counter[str] = field(default_factory=Counter)
    """Kind of copy -> students who hand one in."""
    found: Counter[str] = field(default_factory=Counter)
    """Kind of copy -> those of them who are reported: with one of their own, or with a source of the course."""
    honest: int = 0
    named: int = 0
    taken: int = 0
    """Honest students, those of them who are reported with another one, and with a source of the course."""
    seconds: float = 0.0

    def add(self, more: Figures) -> None:
        """Count others' students with these."""
        self.there, self.found = self.there + more.there, self.found + more.found
        self.honest, self.named = self.honest + more.honest, self.named + more.named
        self.taken, self.seconds = self.taken + more.taken, self.seconds + more.seconds

    def show(self) -> None:
        """Print them."""
        for kind, there in self.there.items():
            print(f"  {kind:40} {self.found[kind]:5} of {there:5} found")
        print(f"  honest students told as alike           {self.named:6} of {self.honest:5}")
        print(f"  honest students told as the course's    {self.taken:6} of {self.honest:5}")


def measured(homework: str, classes: int, students: int) -> Figures:
    """Make classes of a homework, compare them, count."""
    figures, course = Figures(), known(homework)
    for number in range(classes):
        draw = random.Random(f"{homework} {number}")
        copies, handed_in = one_class(homework, students, draw)
        kinds, with_sources = takers(homework, draw)
        started = time.perf_counter()
        found = compare_submissions([*handed_in, *with_sources], course)
        figures.seconds += time.perf_counter() - started
        reported = [set(pair.students) for pair in found.pairs]
        told = {one.student for one in found.taken}
        for kind, names in copies.items():
            figures.there[kind] += len(names)
            figures.found[kind] += len({name for pair in reported if pair <= set(names) for name in pair})
        for student, kind in kinds.items():
            figures.there[f"from: {kind}"] += 1
            figures.found[f"from: {kind}"] += student in told
        honest_ones = {one.student for one in handed_in} - {name for names in copies.values() for name in names}
        figures.honest += len(honest_ones)
        figures.named += len(honest_ones & {name for pair in reported for name in pair})
        figures.taken += len(honest_ones & told)
    return figures


def independent() -> tuple[int, int, int, int]:
    """(ways as they were written, those told as the course's, pairs of one homework, those reported)."""
    count = told = pairs = alike = 0
    for homework in HOMEWORKS:
        handed_in = [Submission(f"{i}", homework, {"hw.py": text.encode()}) for i, text in enumerate(ways(homework))]
        found = compare_submissions(handed_in, known(homework))
        count, told = count + len(handed_in), told + len({one.student for one in found.taken})
        pairs, alike = pairs + len(list(combinations(handed_in, 2))), alike + len(found.pairs)
    return count, told, pairs, alike


def likeness(draws: int = 3) -> tuple[list[float], list[float]]:
    """Fractions of ten-token sequences that two answers to an exercise have in common, in ascending order.

    First of all pairs of answers that different people wrote, then of pairs of answers of the made-up class.
    """
    people, made_up = list[float](), list[float]()
    for homework in HOMEWORKS:
        given = set(grams(code(_file(homework, "stub")))[0].tolist())
        asked = {name for names in exercises(homework).values() for name in names}
        for name in sorted(asked):
            written = [with_helpers(text, name, asked) for text in ways(homework) if name in blocks(text)]
            written = [text for text in written if len(code(text).tokens) >= FEW_LINES]
            draw = random.Random(name)
            drawn = [written_anew(text, draw, ROUNDS) for text in written for _ in range(draws)]
            for texts, found in ((written, people), (drawn, made_up)):
                sets = [set(grams(code(text))[0].tolist()) - given for text in texts]
                found += [len(a & b) / max(1, min(len(a), len(b))) for a, b in combinations(sets, 2)]
    return sorted(people), sorted(made_up)


def main() -> None:
    """Print what was found of each kind, and how many honest students were reported."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--classes", type=int, default=20)
    options = parser.parse_args()
    count, told, pairs, alike = independent()
    print(f"files as people wrote them: {told} of {count} told as the course's, {alike} of {pairs} pairs told as alike")
    for who, alike_by in zip(("different people", "the made-up class"), likeness(), strict=True):
        middle, most = (alike_by[int(part * len(alike_by))] for part in (0.5, 0.9))
        print(f"in common, two answers of {who}: {middle:.0%} in the median, {most:.0%} or more for one pair in ten")
    total = Figures()
    for homework in HOMEWORKS:
        figures = measured(homework, options.classes, options.students)
        each = figures.seconds / options.classes
        print(f"{homework}: {options.classes} classes of {options.students} and the takers, {each:.2f} s each")
        figures.show()
        total.add(figures)
    print("all of these:")
    total.show()


def _file(homework: str, kind: str) -> str:
    lesson = next(one for one in register.load().lessons if one.folder == homework)
    found = homework_of(lesson)
    assert found is not None
    return Path(getattr(found, kind)).read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
