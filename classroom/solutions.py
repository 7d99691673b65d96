"""The worked solutions, with their explanations: where they lie, and how they are packed for students' copies.

The whole course has them in homework/*/judge. A copy for students has no such folders; where `[release]` of course.toml
allows it, it has them in one archive, which nobody comes upon who looks at homework, and which `reveal` reads.
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
    """Why an archive of solutions cannot be used."""


@dataclass(frozen=True)
class Worked:
    """One homework solved: the file's text, and why it is so; "" for what is not there."""

    source: str
    explanation: str

    def __bool__(self) -> bool:
        return bool(self.source or self.explanation)


def allowed(course: Course, lesson: Lesson) -> Solutions:
    """When a student may see the lesson's solutions: in the whole course at any time, in a copy as it was released."""
    return Solutions.ANY_TIME if _judge(lesson).is_dir() else course.release.solutions


def worked(lesson: Lesson) -> Worked:
    """The lesson's homework solved, from the whole course's folder or from the archive. Raises SolutionsError."""
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
    """The archive for students' copies, with the same bytes for the same solutions; None where there are none."""
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
