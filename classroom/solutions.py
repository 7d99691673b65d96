"""The worked solutions and their explanations: where they are, and how they are packed for students' copies.

The full course has them in homework/*/judge. A students' copy has no such folders; if `[release]` in course.toml allows
it, it has them in one archive, out of sight of the homework, which `reveal` reads.
"""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from classroom.fixed_zip import zipped
from classroom.marked import without_marks
from classroom.register import Course, Lesson, Solutions
from classroom.stubs import blocks

ARCHIVE = "solutions.zip"
NAMES = ("solution.py", "explanation.md")
"""The files of a homework in the archive."""


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
    archive = _archive(lesson)
    if _judge(lesson).is_dir() or not archive.is_file():
        return _of_folder(lesson)
    try:
        with zipfile.ZipFile(archive) as packed:
            there = set(packed.namelist())
            paths = [f"{lesson.folder}/{name}" for name in NAMES]
            texts = [packed.read(path).decode("utf-8", "replace") if path in there else "" for path in paths]
    except (OSError, zipfile.BadZipFile) as error:
        raise SolutionsError(f"homework/{ARCHIVE} cannot be read: {error}") from None
    return Worked(*texts)


def _of_folder(lesson: Lesson) -> Worked:
    """The solution without its marks, and the docstrings of judge/EXERCISE.py as one text with headings."""
    solution, explained = _judge(lesson) / "solution.py", []
    for place, exercise in enumerate(lesson.exercises, 1):
        file = _judge(lesson) / f"{exercise.id}.py"
        if file.is_file():
            text = ast.get_docstring(ast.parse(file.read_bytes())) or ""
            explained.append(f"## Task {lesson.number}.{place}: {exercise.id}\n\n{text}")
    source = without_marks(solution.read_text(encoding="utf-8")) if solution.is_file() else ""
    return Worked(source, "\n\n".join(explained))


def answer_text(source: str, stub: str, names: Sequence[str]) -> str:
    """The source of the named functions, with all that they read of the file and that `stub`, as handed out, lacks.

    That is imports, constants, helpers, and answers to other exercises; in the order of `source`.
    """
    tree = ast.parse(source)
    given = {ast.dump(node) for node in ast.parse(stub).body}
    places = {name: node for node in tree.body for name in _names_defined(node)}
    todo, read = list(names), set[ast.stmt]()
    while todo:
        node = places.get(todo.pop())
        if node is not None and node not in read:
            read.add(node)
            todo += [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    ranges, lines, text = blocks(source), source.splitlines(), ""
    for node in (one for one in tree.body if one in read and ast.dump(one) not in given):
        first, last = ranges.get(getattr(node, "name", ""), (node.lineno, node.end_lineno or node.lineno))
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        text += "\n\n" * bool(text and defines) + "\n".join(lines[first - 1 : last]) + "\n"
    return text.rstrip("\n")


def _names_defined(node: ast.stmt) -> list[str]:
    """The names that a statement of a module gives a meaning to."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(one.asname or one.name).partition(".")[0] for one in node.names]
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def pack_solutions(course: Course) -> bytes | None:
    """The archive for students' copies, reproducible; None if there are no solutions."""
    found = {lesson: one for lesson in course.lessons if (one := _of_folder(lesson))}
    if not found:
        archive = _archive(course.lessons[0])
        return archive.read_bytes() if archive.is_file() else None
    return zipped(
        {
            f"{lesson.folder}/{name}": text.encode()
            for lesson, one in found.items()
            for name, text in zip(NAMES, (one.source, one.explanation))
        }
    )


def _judge(lesson: Lesson) -> Path:
    return lesson.root / "homework" / lesson.folder / "judge"


def _archive(lesson: Lesson) -> Path:
    return lesson.root / "homework" / ARCHIVE
