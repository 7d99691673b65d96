"""What is built of a homework's worked solution, its judge's files and course.toml, and whether it is still the same.

homework/NN_name/hwNN_name.py   the stub, from judge/solution.py
homework/NN_name/README.md      the region `tasks`: table and rules, from course.toml and the docstrings
homework/NN_name/expected.zip   what the oracle answers to the public tests
homework/stubs.zip              all stubs and worksheets once more: `reset`, and what nbval compares with
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from classroom.dev.regions import RegionError, written
from classroom.judge.homework import Homework, HomeworkError, homework_of
from classroom.judge.oracle import FILE, SEEDS, OracleAnswer, live, packed_answers, same_answers, stored_answers
from classroom.judge.rules import RulesError, rules_of, without_rules
from classroom.judge.student import JudgeError
from classroom.judge.tests import Session, Test
from classroom.judge.trial import session_of
from classroom.marked import MarksError, stub_of
from classroom.register import Course, Lesson
from classroom.started import DOCUMENTED
from classroom.stubs import ARCHIVE, WORKSHEET, names_of, packed_stubs

COMMAND = f"{DOCUMENTED} dev build"


class BuildError(Exception):
    """Something cannot be built; the message says what to do."""


def titles_of(lesson: Lesson) -> dict[str, str]:
    """Exercise -> "Task 2.1", "Task 2.3, a bonus"."""
    return {
        one.id: f"Task {lesson.number}.{place}{', a bonus' * one.stretch}"
        for place, one in enumerate(lesson.exercises, 1)
    }


def stub_text(homework: Homework) -> str:
    """The stub that the worked solution makes. Raises BuildError."""
    try:
        return stub_of(homework.solution.read_text(encoding="utf-8"), titles_of(homework.lesson))
    except (MarksError, HomeworkError) as error:
        raise BuildError(f"homework/{homework.folder.name}/judge/solution.py: {error}") from error


def readme_text(homework: Homework) -> str:
    """The README with its region `tasks`. Raises BuildError."""
    try:
        return written(homework.folder / "README.md", "tasks", _tasks(homework.lesson, stub_text(homework)))
    except (RegionError, RulesError, OSError) as error:
        raise BuildError(f"homework/{homework.folder.name}: {error}") from error


def answers(homework: Homework) -> dict[tuple[str, str, int], list[OracleAnswer]]:
    """What the oracle answers to the public tests on SEEDS seeds, asked while the solution is judged.

    Raises BuildError if the solution fails one of them.
    """
    found: dict[tuple[str, str, int], list[OracleAnswer]] = {}
    asking = [test for test in homework.public if test.asks]
    with session_of(homework, homework.solution.read_text(encoding="utf-8")) as session:
        for test in asking:
            for seed in range(SEEDS if test.draws else 1):
                found[test.exercise, test.name, seed] = _asked(homework.folder, session, test, seed)
    return found


def _asked(folder: Path, session: Session, test: Test, seed: int) -> list[OracleAnswer]:
    oracle = live(folder, test.exercise)
    outcome = session.run(replace(test, oracles=lambda name, seed: oracle), seed)
    if not outcome.passed:
        raise BuildError(
            f"{folder.name}: the solution fails {test.exercise}/{test.name} on seed {seed}: {outcome.error}"
        )
    return oracle.log


def stubs_of(course: Course) -> bytes:
    """homework/stubs.zip. Raises BuildError."""
    found = [homework for lesson in course.lessons if (homework := homework_of(lesson)) and lesson.homework_file]
    files = {f"{one.folder.name}/{one.stub.name}": stub_text(one) for one in found}
    sheets = [sheet for one in found if (sheet := one.folder / WORKSHEET).is_file()]
    return packed_stubs(files | {f"{one.parent.name}/{one.name}": one.read_text(encoding="utf-8") for one in sheets})


def build(course: Course, homeworks: Sequence[Homework]) -> Iterator[Path]:
    """Write what is built of these homeworks; yields the files that changed. Raises BuildError."""
    for homework in homeworks:
        yield from _write(homework.folder / homework.stub_name, stub_text(homework).encode())
    yield from _write(course.lessons[0].root / "homework" / ARCHIVE, stubs_of(course))
    for homework in homeworks:
        yield from _write(homework.folder / "README.md", readme_text(homework).encode())
        made, path = answers(homework), homework.folder / FILE
        if not made and path.exists():
            path.unlink()
            yield path
        elif made and not _as_stored(homework.folder, made):
            yield from _write(path, packed_answers(made))


def drift(course: Course, homeworks: Iterable[Homework]) -> Iterator[str]:
    """A sentence for each built file that is not what is built now."""
    for homework in homeworks:
        folder = f"homework/{homework.folder.name}"
        mend = f"`{COMMAND} {homework.lesson.number}` writes it"
        try:
            stub = homework.folder / homework.stub_name
            if _text(stub) != stub_text(homework):
                yield f"{folder}/{stub.name} is not what judge/solution.py makes: {mend}"
            if _text(homework.folder / "README.md") != readme_text(homework):
                yield f"{folder}/README.md: the region `tasks` is not what course.toml and the docstrings say: {mend}"
            if not _as_stored(homework.folder, answers(homework)):
                yield f"{folder}/{FILE} is not what the oracle answers: {mend}"
        except (BuildError, HomeworkError, JudgeError) as error:
            yield str(error)
    try:
        archive = course.lessons[0].root / "homework" / ARCHIVE
        if not archive.is_file() or archive.read_bytes() != stubs_of(course):
            yield f"homework/{ARCHIVE} has other stubs or worksheets than are made now: `{COMMAND}` writes it"
    except BuildError as error:
        yield str(error)


def _as_stored(folder: Path, made: dict[tuple[str, str, int], list[OracleAnswer]]) -> bool:
    try:
        stored = stored_answers(folder)
    except JudgeError:  # damaged, or of another version of the course
        return False
    return stored.keys() == made.keys() and all(same_answers(stored[key], made[key]) for key in made)


def _write(path: Path, data: bytes) -> Iterator[Path]:
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)
        yield path


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _tasks(lesson: Lesson, stub: str) -> str:
    rows = ["| task | you write | points | what it does |", "|---|---|---|---|"]
    rules = []
    for place, exercise in enumerate(lesson.exercises, 1):
        names = names_of(stub, exercise.id)
        signatures, says = zip(*(_written_by_students(stub, name) for name in names))
        written = ", ".join(f"`{signature}`" for signature in signatures)
        points = f"{exercise.points}{', a bonus' * exercise.stretch}"
        task = says[0] if len(names) == 1 else exercise.title
        rows.append(f"| {lesson.number}.{place} | {written} | {points} | {_escaped(task)} |")
        kept = rules_of(stub, names)
        if kept:
            rules.append(f"## Rules of `{exercise.id}`")
            rules.append("\n".join(f"- **{name}**: {_escaped(text)}" for name, text in kept.items()))
    return "\n\n".join(["\n".join(rows), *rules])


def _written_by_students(stub: str, name: str) -> tuple[str, str]:
    """(signature without types, first paragraph of the docstring) of a function or class."""
    node = next(
        one for one in ast.parse(stub).body if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == name
    )
    says = " ".join(without_rules(ast.get_docstring(node) or "").split("\n\n")[0].split())
    if isinstance(node, ast.ClassDef):
        return f"class {name}", says
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return f"{name}({ast.unparse(node.args)})", says


def _escaped(text: str) -> str:
    """Plain text as Markdown, also inside a table; what stands in backticks stays."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part.replace("|", "\\|") if part.startswith("`") else re.sub(r"([*_<\[\]|])", r"\\\1", part) for part in parts
    )
