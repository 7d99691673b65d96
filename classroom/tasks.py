"""Tasks: exercises with their lessons, looked up by the names that students use."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

from classroom.register import Course, Exercise, Lesson
from classroom.started import COMMAND


class UnknownTask(Exception):
    """The name is not an exercise, lesson or homework file; the message lists similar ones."""


@dataclass(frozen=True)
class HomeworkTask:
    """An exercise with its lesson. `number` is "2.1" for the first exercise of lesson 2."""

    lesson: Lesson
    exercise: Exercise
    number: str

    @property
    def id(self) -> str:
        """The exercise's id, such as `flatten`."""
        return self.exercise.id

    @property
    def file(self) -> Path:
        """The file that the student edits, even if it does not exist."""
        return self.lesson.root / "homework" / self.lesson.folder / self.lesson.homework_file

    @property
    def public_tests(self) -> Path:
        """The file of its public tests."""
        return self.file.with_name("public.py")

    @property
    def exists(self) -> bool:
        """Whether its homework exists: a homework file in the register, and tests on disk."""
        return bool(self.lesson.homework_file) and self.public_tests.is_file()

    @property
    def points(self) -> str:
        """Its points in words: "3 points", "2 points, a bonus"."""
        count = self.exercise.points
        return f"{count} point{'s' * (count != 1)}{', a bonus' * self.exercise.stretch}"


def all_tasks(course: Course) -> list[HomeworkTask]:
    """All exercises of the course, in order."""
    return [task for lesson in course.lessons for task in tasks_of(lesson)]


def tasks_of(lesson: Lesson) -> list[HomeworkTask]:
    """The exercises of a lesson, in order."""
    return [
        HomeworkTask(lesson, exercise, f"{lesson.number}.{place}") for place, exercise in enumerate(lesson.exercises, 1)
    ]


def find(course: Course, name: str) -> list[HomeworkTask]:
    """The tasks that `name` refers to: an exercise (`flatten`, `2.1`), a lesson (`2`, `02_tensor`) or a file.

    Raises UnknownTask with similar names.
    """
    tasks = all_tasks(course)
    bare = PurePath(name).name or name
    found = [task for task in tasks if bare in _names(task)]
    if bare.isdecimal():
        found = [task for task in tasks if task.lesson.number == int(bare)]
    if found:
        return found
    raise UnknownTask(_unknown(course, name, bare))


def find_one(course: Course, name: str) -> HomeworkTask:
    """The single exercise with that name. Raises UnknownTask if it refers to several."""
    found = find(course, name)
    if len(found) > 1:
        raise UnknownTask(f"{name} has several exercises: {', '.join(task.id for task in found)}; name one of them")
    return found[0]


def files_of(tasks: Iterable[HomeworkTask]) -> list[Path]:
    """The homework files of the tasks, without duplicates."""
    return list(dict.fromkeys(task.file for task in tasks if task.lesson.homework_file))


def _names(task: HomeworkTask) -> set[str]:
    file = task.lesson.homework_file
    return {task.id, task.number, task.lesson.folder, *({file, PurePath(file).stem} if file else ())}


def _unknown(course: Course, name: str, bare: str) -> str:
    if bare.isdecimal() and 1 <= int(bare) <= len(course.lessons):
        return f"lesson {int(bare)} has no homework"
    folders = [lesson for lesson in course.lessons if lesson.folder == bare]
    if folders:
        return f"lesson {folders[0].number} has no homework"
    owners = _owners(course, bare)
    if owners:
        return f"{bare} is no exercise of its own: it belongs to {' and to '.join(owners)}; name the exercise"
    known = [task.id for task in all_tasks(course)]
    near = difflib.get_close_matches(bare, known, 2)
    if near:
        return f"no exercise is called {name!r}; did you mean {' or '.join(near)}?"
    return f"no exercise, lesson or homework file is called {name!r}; `{COMMAND} map` lists them"


def _owners(course: Course, function: str) -> list[str]:
    """The exercises that have a function of this name to write, as `framework` has `compute`."""
    from classroom.stubs import StubError, names_of, pristine  # that module imports this one

    found = []
    for task in all_tasks(course):
        with contextlib.suppress(StubError, OSError, SyntaxError, ValueError):
            found += [task.id] * (function in names_of(pristine(task), task.id))
    return found
