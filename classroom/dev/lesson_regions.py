"""What is built of lessons from course.toml: regions of their notebooks, the list in lessons/README.md, the map."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from classroom.dev.regions import RegionError, replaced, written
from classroom.lesson_words import EXERCISES, FACTS, needs_words, points_words, time_words
from classroom.picture import draw_map
from classroom.register import Course, Lesson
from classroom.started import DOCUMENTED
from classroom.status import short_path

LESSONS = "lessons"
"""The region of lessons/README.md."""


def facts(lesson: Lesson, course: Course) -> str:
    """What is needed for a lesson, how long it takes, and what it builds; links start in the lesson's folder."""
    needs = needs_words(lesson, course, lambda one: f"../{one.folder}/{one.folder}.ipynb")
    sources = [short_path(path, lesson.root) for path in lesson.sources()]
    lines = [f"- **You need:** {needs}."]
    if lesson.time:
        lines.append(f"- **Time:** {time_words(lesson)}.")
    if sources:
        word = "Module" if len(sources) == 1 else "Modules"
        lines.append(f"- **{word}:** {', '.join(f'[{path}](../../{path})' for path in sources)}.")
    return "\n".join(lines)


def exercises(lesson: Lesson) -> str:
    """The exercises of a lesson with their points, and how they are checked."""
    if not lesson.exercises:
        return "This lesson has no exercises."
    folder = f"[homework/{lesson.folder}](../../homework/{lesson.folder}/README.md)"
    rows = [f"- `{one.id}`: {one.title} ({points_words(one)})" for one in lesson.exercises]
    return f"In {folder} you write the following; `{DOCUMENTED} check NAME` checks each.\n\n" + "\n".join(rows)


def table(course: Course) -> str:
    """The table of lessons, with links that start in lessons/."""
    rows = ["| no. | lesson | what it is about | minutes | points |", "|--:|---|---|--:|--:|"]
    for lesson in course.lessons:
        link = f"[{lesson.title}]({lesson.folder}/{lesson.folder}.ipynb)" if lesson.notebook() else lesson.title
        points = f"{lesson.points}{f' + {lesson.bonus}' if lesson.bonus else ''}" if lesson.exercises else ""
        rows.append(f"| {lesson.number} | {link} | {lesson.summary} | {lesson.time or ''} | {points} |")
    return "\n".join(rows)


def cell_with_regions(source: str, number: int, lesson: Lesson, course: Course) -> str:
    """The Markdown of cell `number` of a lesson's notebook with its built regions as course.toml gives them.

    Raises RegionError if one of two marks is missing.
    """
    where = f"lessons/{lesson.folder}/{lesson.folder}.ipynb, cell {number}"
    for name, body in ((FACTS, facts(lesson, course)), (EXERCISES, exercises(lesson))):
        if f"<!-- {name} -->" in source or f"<!-- /{name} -->" in source:
            source = replaced(source, name, body, where)
    return source


def built(course: Course) -> Iterator[tuple[Path, str]]:
    """(file, wanted text) of what is built of all lessons together. Raises RegionError, OSError."""
    root = course.lessons[0].root
    yield root / "lessons" / "README.md", written(root / "lessons" / "README.md", LESSONS, table(course))
    yield root / "docs" / "map.svg", str.__str__(draw_map(course))


def write(course: Course) -> list[Path]:
    """Write what is built and differs from what is stored -> the files written. Raises RegionError, OSError."""
    changed = []
    for path, text in built(course):
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            changed.append(path)
    return changed


def differing(course: Course) -> Iterator[str]:
    """What is built of all lessons together and is not as course.toml gives it, each in a sentence."""
    try:
        for path, text in built(course):
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                name = path.relative_to(course.lessons[0].root).as_posix()
                yield f"{name} is not what course.toml gives: `{DOCUMENTED} dev build` writes it"
    except RegionError as error:
        yield str(error)
    except OSError as error:
        marks = f"<!-- {LESSONS} --> and <!-- /{LESSONS} -->"
        yield f"{error.filename}: expected a file with the lines {marks}, found none ({error.strerror}): write it"
