"""One lesson's homework on disk: the stub, its tests, and what only the full checkout has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from classroom import tables
from classroom.judge.tests import Test, load_file, load_tests
from classroom.register import Exercise, Lesson
from classroom.stubs import forbidden


class HomeworkError(Exception):
    """A homework folder is incomplete."""


@dataclass(frozen=True)
class Mutant:
    """A wrong submission: the worked solution with `old`, which must occur exactly once, replaced by `new`."""

    name: str
    exercise: str
    why: str
    old: str
    new: str

    def applied(self, solution: str) -> str:
        """The mutated solution. Raises HomeworkError unless `old` occurs exactly once."""
        found = solution.count(self.old)
        if found != 1 or self.old == self.new:
            raise HomeworkError(f"mutant {self.name}: expected `old` once in the solution, found it {found} times")
        return solution.replace(self.old, self.new)


@dataclass(frozen=True)
class Homework:
    """The homework of one lesson, in `folder`."""

    lesson: Lesson
    folder: Path

    @cached_property
    def stub(self) -> Path:
        """The file that the student edits: the one named in course.toml, or the only hw*.py."""
        if self.lesson.homework_file:
            return self._file(self.lesson.homework_file)
        found = sorted(self.folder.glob("hw*.py"))
        if len(found) != 1:
            raise HomeworkError(f"{self.folder.name}: expected one hw*.py, found {len(found)}")
        return found[0]

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
        return self._tests("public.py", public=True)

    @cached_property
    def hidden(self) -> list[Test]:
        """The tests that students do not get."""
        return self._tests("judge/hidden.py", public=False)

    @cached_property
    def mutants(self) -> list[Mutant]:
        """The mutants that the tests must catch."""
        path = self._file("judge/mutants.py")
        try:
            entries = load_file(path).MUTANTS
            return [
                tables.read_table(Mutant, one, f"{path.name}, mutant {place}") for place, one in enumerate(entries, 1)
            ]
        except tables.TableError as error:
            raise HomeworkError(f"{self.folder.name}/judge/{error}") from error
        except Exception as error:
            raise HomeworkError(f"{path.name}: {type(error).__name__}: {error}") from error

    @cached_property
    def without(self) -> tuple[str, ...]:
        """Modules that a submission cannot import, according to the original stub.

        A homework on tensors must not be solved by calling the framework's tensor.
        """
        return forbidden(replace(self.lesson, homework_file=self.stub.name))

    def _file(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise HomeworkError(f"{self.folder.name}: expected {name}, which is not there")
        return path

    def _tests(self, name: str, *, public: bool) -> list[Test]:
        path = self._file(name)
        try:
            return load_tests(path, public=public)
        except Exception as error:
            raise HomeworkError(f"{self.folder.name}/{name}: {type(error).__name__}: {error}") from error


def homework_of(lesson: Lesson) -> Homework | None:
    """The homework of a lesson, or None if its folder is missing or has no Python files."""
    folder = lesson.root / "homework" / lesson.folder
    return Homework(lesson, folder) if any(folder.glob("*.py")) or (folder / "judge").is_dir() else None
