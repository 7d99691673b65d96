"""A simulated class for testing the grader: honest students, wrong ones made from the course's mutants, hostile ones.

Each student depends only on the seed and the index, so the same class can be generated anywhere. handing_in.py writes
their files.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from classroom.grading.records import Graded
from classroom.judge.homework import Homework, homework_of
from classroom.register import Lesson
from classroom.stubs import blocks, names_of, put_back

HONEST, WRONG, PARTIAL, EMPTY, HOSTILE = "honest", "wrong", "partial", "empty", "hostile"
SHARES = {HONEST: 0.5, WRONG: 0.3, PARTIAL: 0.1, EMPTY: 0.05, HOSTILE: 0.05}
"""Parts of a class."""
LATE, NOTEBOOKS = 0.1, 0.15
"""Fractions of a class that are late, and that answer in the worksheet."""

HOSTILES = {
    "exit at import": "import os\nos._exit(0)\n",
    "exit in a call": "def __getattr__(name):\n    raise SystemExit(0)\n",
    "no python": "def f(:\n    a student's last save\n",
    "printed report": "print('{\"return\": 1}' * 1000)\nimport sys\nsys.exit(0)\n",
    "patched numpy": "import numpy as np\nnp.allclose = np.array_equal = lambda *a, **k: True\n",
    "raises at import": "raise RuntimeError('x' * 10**6)\n",
    "memory": "x = bytearray(1 << 40)\n",
    "binary": "\0\1\2 no text at all",
}
"""Submissions that must earn nothing, whatever they try, and that end at once."""


@dataclass(frozen=True)
class SimulatedStudent:
    """A simulated student: how the submission was made, and what grading must find.

    texts : homework's folder name -> content of the homework file.
    wrong : exercises that must not get full points; all others must.
    open : exercises where both are possible: they call a function that is wrong.
    in_worksheet : whether the answers are handed in as a worksheet.
    late : days after the deadline.
    """

    name: str
    kind: str
    texts: dict[str, str]
    wrong: frozenset[str]
    open: frozenset[str] = frozenset()
    in_worksheet: bool = False
    late: int = 0


def make_class(lessons: Sequence[Lesson], count: int, seed: int = 0) -> list[SimulatedStudent]:
    """Generate `count` students with a homework file per lesson. Raises HomeworkError."""
    homeworks = [homework for lesson in lessons if (homework := homework_of(lesson)) is not None]
    return [_student(number, homeworks, seed) for number in range(count)]


def contradictions(student: SimulatedStudent, graded: Graded) -> list[str]:
    """The exercises whose grade contradicts what this student must get."""
    return [
        grade.exercise
        for grade in graded.grades
        if grade.exercise not in student.open
        and (grade.points >= grade.max_points) is (grade.exercise in student.wrong)
    ]


def _student(number: int, homeworks: Sequence[Homework], seed: int) -> SimulatedStudent:
    draw = random.Random(f"{seed} {number}")
    name, kind = f"student{number:05}", draw.choices(list(SHARES), list(SHARES.values()))[0]
    late = draw.randint(1, 7) if draw.random() < LATE else 0
    in_worksheet = draw.random() < NOTEBOOKS and kind in (HONEST, WRONG)
    attack = HOSTILES[draw.choice(list(HOSTILES))]
    texts, wrong, unsure = {}, set[str](), set[str]()
    for one in homeworks:
        text, made_wrong = _text(kind, one, draw, attack)
        wrong |= made_wrong
        unsure |= _touched(text, one) - made_wrong if kind in (WRONG, PARTIAL) else set()
        # a different name in each, or all would be the same submission
        texts[one.folder.name] = f"{text}\n# {name}\n" if kind == HONEST else text
    return SimulatedStudent(name, kind, texts, frozenset(wrong), frozenset(unsure), in_worksheet, late)


def _text(kind: str, homework: Homework, draw: random.Random, attack: str) -> tuple[str, set[str]]:
    """(content of the homework file, wrong exercises)."""
    solution, stub, ids = _solution(homework), _stub(homework), [one.id for one in homework.exercises]
    if kind == HONEST:
        return solution, set()
    if kind == EMPTY:
        return stub, set(ids)
    if kind == HOSTILE:
        return attack, set(ids)
    chosen = draw.sample(ids, k=min(2, len(ids)))
    if kind == PARTIAL:
        left = chosen[:1]
        return put_back(solution, stub, names_of(stub, left[0])), set(left)
    text, wrong = solution, set()
    for exercise in chosen:
        mutants = [m for m in homework.mutants if m.exercise == exercise and text.count(m.old) == 1]
        if mutants:
            mutant = draw.choice(mutants)
            text = text.replace(mutant.old, mutant.new)
            wrong.add(exercise)
    return text, wrong


def _touched(text: str, homework: Homework) -> set[str]:
    """The exercises whose functions differ from the solution's, or call one that does, directly or indirectly."""
    solved, written = _definitions(_solution(homework)), _definitions(text)
    names = solved.keys() & written.keys()
    changed = {name for name in names if written[name] != solved[name]}
    calls = {name: _names_in(written[name]) & names for name in names}
    while more := {name for name in names - changed if calls[name] & changed}:
        changed |= more
    return {exercise for exercise, own in _asked(homework).items() if changed & own}


@cache
def _definitions(text: str) -> dict[str, str]:
    """Name -> source of every function and class of a text."""
    lines = text.splitlines(keepends=True)
    return {name: "".join(lines[first - 1 : last]) for name, (first, last) in blocks(text).items()}


@cache
def _names_in(source: str) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))


@cache
def _asked(homework: Homework) -> dict[str, set[str]]:
    """Exercise -> the names that it asks for."""
    return {one.id: set(names_of(_stub(homework), one.id)) for one in homework.exercises}


@cache
def _solution(homework: Homework) -> str:
    return homework.solution.read_text(encoding="utf-8")


@cache
def _stub(homework: Homework) -> str:
    return homework.stub.read_text(encoding="utf-8")


def count_by_kind(students: Sequence[SimulatedStudent]) -> Mapping[str, int]:
    """Kind -> number of students, most frequent first."""
    counts = {kind: sum(one.kind == kind for one in students) for kind in SHARES}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))
