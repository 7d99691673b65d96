"""The worked solutions and their explanations: where they are, and how they are packed for students' copies.

The full course has them in homework/*/judge. A students' copy has no such folders; if `[release]` in course.toml allows
it, it has them in one archive, out of sight of the homework, which `reveal` reads.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from classroom.register import Course, Lesson, Solutions
from classroom.stubs import FIXED_TIME

ARCHIVE = "solutions.zip"
NAMES = ("solution.py", "explanation.md")


class SolutionsError(Exception):
    """The archive of solutions cannot be used."""


@dataclass(frozen=True)
class Worked:
    """The worked solution of one homework and its explanation; "" if missing."""

    source: str
    explanation: str

    def __bool__(self) -> bool:
        return bool(self.source or self.explanation)


def allowed(course: Course, lesson: Lesson) -> Solutions:
    """When a student may see the lesson's solutions: always in the full course, in a copy as released."""
    return Solutions.ANY_TIME if _judge(lesson).is_dir() else course.release.solutions


def worked(lesson: Lesson) -> Worked:
    """The worked solution of the lesson's homework, from the folder or the archive. Raises SolutionsError."""
    folder, archive = _judge(lesson), _archive(lesson)
    if folder.is_dir() or not archive.is_file():
        files = {name: (folder / name).read_bytes() for name in NAMES if (folder / name).is_file()}
    else:
        try:
            with zipfile.ZipFile(archive) as packed:
                there = set(packed.namelist())
                paths = {name: f"{lesson.folder}/{name}" for name in NAMES}
                files = {name: packed.read(path) for name, path in paths.items() if path in there}
        except (OSError, zipfile.BadZipFile) as error:
            raise SolutionsError(f"homework/{ARCHIVE} cannot be read: {error}") from None
    return Worked(*(files.get(name, b"").decode("utf-8", "replace") for name in NAMES))


def pack_solutions(course: Course) -> bytes | None:
    """The archive for students' copies, reproducible; None if there are no solutions."""
    found = [
        (f"{lesson.folder}/{name}", _judge(lesson) / name)
        for lesson in course.lessons
        for name in NAMES
        if (_judge(lesson) / name).is_file()
    ]
    if not found:
        archive = _archive(course.lessons[0])
        return archive.read_bytes() if archive.is_file() else None
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive_file:
        for name, path in found:
            entry = zipfile.ZipInfo(name, FIXED_TIME)
            entry.create_system = 3
            archive_file.writestr(entry, path.read_bytes(), zipfile.ZIP_STORED)
    return made.getvalue()


def _judge(lesson: Lesson) -> Path:
    return lesson.root / "homework" / lesson.folder / "judge"


def _archive(lesson: Lesson) -> Path:
    return lesson.root / "homework" / ARCHIVE
