"""Which files of a course belong to which homework."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from classroom import register
from classroom.register import Lesson

HOMEWORK = "homework"


def homework_folder(path: Path) -> Path | None:
    """The folder homework/NN_name of a course that the path is, or lies in; None elsewhere."""
    for folder in (path, *path.parents):
        if folder.parent.name == HOMEWORK and (folder.parent.parent / "course.toml").is_file():
            return folder
    return None


def lesson_at(path: Path) -> Lesson | None:
    """The lesson whose homework the path belongs to, None if there is none. Raises RegisterError."""
    folder = homework_folder(path)
    if folder is None:
        return None
    return next((one for one in _lessons(folder.parent.parent) if one.folder == folder.name), None)


@cache
def _lessons(root: Path) -> tuple[Lesson, ...]:
    return register.load(root).lessons
