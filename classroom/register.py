"""The register of lessons: course.toml as dataclasses, and what exists of each lesson on disk."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from classroom import tables

ROOT = Path(__file__).resolve().parents[1]
"""The course's folder."""
ELSEWHERE = ("grading", "feedback")
"""Tables of course.toml read by other modules."""


class RegisterError(Exception):
    """course.toml is missing or invalid."""


@dataclass(frozen=True)
class Exercise:
    """One exercise of a lesson's homework.

    hints : three of them: a question, an approach, the step. section : heading in the lesson that it belongs to.
    stretch : its points are a bonus. time : minutes that it takes, 0 if its points say enough.
    """

    id: str
    title: str
    points: int
    hints: tuple[str, ...] = ()
    section: str = ""
    stretch: bool = False
    time: int = 0


@dataclass(frozen=True)
class Need:
    """An earlier lesson that a lesson builds on, and in a few words what of it."""

    lesson: int
    what: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson in the register; what exists of it is looked up on disk each time.

    time : minutes that its notebook takes, 0 if nobody has said. needs : the lessons to read before. only_reads : its
    notebook reads the file of a network and runs none.
    """

    number: int
    title: str
    summary: str
    folder: str
    modules: tuple[str, ...]
    time: int = field(default=0, kw_only=True)
    needs: tuple[Need, ...] = field(default=(), kw_only=True)
    only_reads: bool = field(default=False, kw_only=True)
    exercises: tuple[Exercise, ...] = field(default=(), metadata={tables.KEY: "exercise"})
    homework_file: str = field(default="", metadata={tables.KEY: "homework"})
    root: Path = field(default=ROOT, metadata={tables.KEY: ""})

    @property
    def points(self) -> int:
        """Points of its exercises, without the bonus."""
        return sum(exercise.points for exercise in self.exercises if not exercise.stretch)

    @property
    def bonus(self) -> int:
        """Points of its stretch exercises."""
        return sum(exercise.points for exercise in self.exercises if exercise.stretch)

    def stub(self) -> Path | None:
        """The file that the student edits, if it exists."""
        path = self.root / "homework" / self.folder / self.homework_file
        return path if self.homework_file and path.is_file() else None

    def notebook(self) -> Path | None:
        """The lesson's notebook, if it exists."""
        return next(iter(sorted((self.root / "lessons" / self.folder).glob("*.ipynb"))), None)

    def homework(self) -> Path | None:
        """The folder of its homework, if not empty."""
        path = self.root / "homework" / self.folder
        return path if path.is_dir() and any(path.iterdir()) else None

    def sources(self) -> tuple[Path, ...]:
        """The files and folders of its modules that exist."""
        found = []
        for module in self.modules:
            path = self.root.joinpath(*module.split("."))
            found += [path] if path.is_dir() else [path.with_suffix(".py")]
        return tuple(path for path in found if path.exists())


class Solutions(Enum):
    """When students' copies of the course show worked solutions; the values are those of course.toml."""

    NONE = "none"
    AFTER_PASS = "after-pass"
    ANY_TIME = "any-time"


@dataclass(frozen=True)
class Release:
    """What students' copies of the course contain."""

    solutions: Solutions = Solutions.NONE


@dataclass(frozen=True)
class Course:
    """The whole register."""

    title: str
    lessons: tuple[Lesson, ...] = field(metadata={tables.KEY: "lesson"})
    release: Release = Release()

    def lesson(self, number: int) -> Lesson:
        """The lesson with that number. Raises RegisterError if there is none."""
        for lesson in self.lessons:
            if lesson.number == number:
                return lesson
        raise RegisterError(f"lesson {number}: the course has lessons 1 to {len(self.lessons)}")


def load(root: Path = ROOT) -> Course:
    """Read course.toml in `root`. Raises RegisterError if it is missing or invalid."""
    path = root / "course.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        course = tables.read_table(Course, table, str(path), also=ELSEWHERE)
    except OSError as error:
        raise RegisterError(f"{path}: {error.strerror}; the commands need the course's folder") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RegisterError(f"{path}: this is not TOML in UTF-8: {error}") from error
    except tables.TableError as error:
        raise RegisterError(str(error)) from error
    _check(course, path)
    return replace(course, lessons=tuple(replace(lesson, root=root) for lesson in course.lessons))


def _check(course: Course, path: Path) -> None:
    numbers = [lesson.number for lesson in course.lessons]
    if numbers != list(range(1, len(numbers) + 1)):
        raise RegisterError(f"{path}: expected lessons numbered 1, 2, 3, ..., found {numbers}")
    for lesson in course.lessons:
        if lesson.time < 0:
            raise RegisterError(f"{path}: expected time in minutes for lesson {lesson.number}, found {lesson.time}")
        for need in lesson.needs:
            if not 1 <= need.lesson < lesson.number:
                raise RegisterError(
                    f"{path}: lesson {lesson.number} needs lesson {need.lesson}, expected an earlier one of the course"
                )
    for exercise in (one for lesson in course.lessons for one in lesson.exercises):
        if exercise.points < 1:
            raise RegisterError(f"{path}: expected points of 1 or more, found {exercise.points} for {exercise.id}")
        if exercise.time < 0:
            raise RegisterError(f"{path}: expected time in minutes for {exercise.id}, found {exercise.time}")
    ids = [exercise.id for lesson in course.lessons for exercise in lesson.exercises]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise RegisterError(f"{path}: expected each exercise once, found twice: {', '.join(twice)}")
