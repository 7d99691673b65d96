"""One lesson's homework on disk: the stub, its tests, and what only the full checkout has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from classroom.judge.mutants import Mutant
from classroom.judge.oracle import oracles_of
from classroom.judge.rules import rules_of
from classroom.judge.tests import Test, load_file, load_tests
from classroom.register import Exercise, Lesson
from classroom.stubs import forbidden, handed_out, names_of


class HomeworkError(Exception):
    """A homework folder is incomplete."""


@dataclass(frozen=True)
class Homework:
    """The homework of one lesson, in `folder`."""

    lesson: Lesson
    folder: Path

    @property
    def stub_name(self) -> str:
        """The name of the file that the student edits: the one in course.toml, or that of the only hw*.py."""
        if self.lesson.homework_file:
            return self.lesson.homework_file
        found = sorted(self.folder.glob("hw*.py"))
        if len(found) != 1:
            raise HomeworkError(f"{self.folder.name}: expected one hw*.py, found {len(found)}")
        return found[0].name

    @cached_property
    def stub(self) -> Path:
        """The file that the student edits."""
        return self._file(self.stub_name)

    @property
    def solution(self) -> Path:
        """The worked solution."""
        return self._file("judge/solution.py")

    @property
    def exercises(self) -> Sequence[Exercise]:
        """The lesson's exercises."""
        return self.lesson.exercises

    @cached_property
    def public(self) -> list[Test]:
        """The tests that students get."""
        return public_tests(self.folder)

    @cached_property
    def hidden(self) -> list[Test]:
        """The tests that students do not get."""
        return [test for one in self.judged for test in _loaded(self.folder, f"judge/{one}.py", partial(_hidden, one))]

    @cached_property
    def mutants(self) -> list[Mutant]:
        """The mutants that the tests must catch."""
        return [
            mutant for one in self.judged for mutant in _loaded(self.folder, f"judge/{one}.py", partial(_mutants, one))
        ]

    @property
    def judged(self) -> list[str]:
        """The exercises with a judge/EXERCISE.py: explanation, oracle, hidden tests and mutants."""
        return [one.id for one in self.exercises if (self.folder / "judge" / f"{one.id}.py").is_file()]

    def rules(self, exercise: str) -> dict[str, str]:
        """The rules of a task, as the original stub's docstrings say them."""
        text = handed_out(replace(self.lesson, homework_file=self.stub_name))
        return rules_of(text, names_of(text, exercise))

    @cached_property
    def without(self) -> tuple[str, ...]:
        """Modules that a submission cannot import, according to the original stub.

        A homework on tensors must not be solved by calling the framework's tensor.
        """
        return forbidden(replace(self.lesson, homework_file=self.stub_name))

    def _file(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise HomeworkError(f"{self.folder.name}: expected {name}, which is not there")
        return path


def public_tests(folder: Path) -> list[Test]:
    """The public tests in the folder of a homework. Raises HomeworkError."""
    return _loaded(folder, "public.py", lambda path: load_tests(path, public=True, oracles=partial(oracles_of, folder)))


def _hidden(exercise: str, path: Path) -> list[Test]:
    tests = load_tests(path, public=False)
    strange = [test.name for test in tests if test.exercise != exercise]
    if strange:
        raise ValueError(f"expected tests of {exercise} alone, found {', '.join(strange)} of another exercise")
    return tests


def _mutants(exercise: str, path: Path) -> list[Mutant]:
    entries = getattr(load_file(path), "MUTANTS", None)
    if not isinstance(entries, list) or not all(isinstance(one, Mutant) for one in entries):
        raise ValueError("expected MUTANTS, a list of Mutant(name, why, old, new, breaks=rule)")
    return [replace(one, exercise=exercise) for one in entries]


def _loaded(folder: Path, name: str, load: Callable[[Path], list[Any]]) -> list[Any]:
    path = folder / name
    if not path.is_file():
        raise HomeworkError(f"{folder.name}: expected {name}, which is not there")
    try:
        return load(path)
    except Exception as error:
        raise HomeworkError(f"{folder.name}/{name}: {type(error).__name__}: {error}") from error


def homework_of(lesson: Lesson) -> Homework | None:
    """The homework of a lesson, or None if its folder is missing or has no Python files."""
    folder = lesson.root / "homework" / lesson.folder
    return Homework(lesson, folder) if any(folder.glob("*.py")) or (folder / "judge").is_dir() else None
