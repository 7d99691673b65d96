"""The exercises' pages: task texts, which file to edit, and folded hints, but no solutions."""

from __future__ import annotations

import html
import json
import re
from pathlib import PurePosixPath

from classroom.lesson_words import points_words
from classroom.register import Exercise, Lesson
from classroom.site import moving_places
from classroom.site.links import relinked
from classroom.site.live.places import exercise_place, homework_place
from classroom.site.pages_lessons import section_link
from classroom.site.tree import Tree, has_exercises, homework_page, lesson_page, way
from classroom.started import DOCUMENTED

KINDS = ("a question", "an approach", "the step")
"""The three kinds of hints."""


def write_homework(tree: Tree) -> None:
    """Write a page per lesson with exercises, and their index."""
    lessons = [lesson for lesson in tree.course.lessons if has_exercises(lesson)]
    for lesson in lessons:
        page = homework_page(lesson)
        title, _, text = _tasks(lesson, tree).partition("\n")
        place = homework_place(lesson, tree, page)
        text = f"{title}\n\n{moving_places.raw(place)}\n{text}" if place else f"{title}\n{text}"
        tree.write(page, relinked(f"{text}\n\n{_hints(lesson, page)}\n", page, page, tree))
        worksheet = page.with_name("worksheet.ipynb")
        if tree.shown(worksheet):
            notebook = json.loads((tree.root / worksheet).read_text(encoding="utf-8"))
            notebook["metadata"] |= {"orphan": True, "language_info": {"name": "python"}}
            tree.write(worksheet, json.dumps(notebook, ensure_ascii=False))
    tree.write(PurePosixPath("homework/index.md"), _index(lessons))


def _tasks(lesson: Lesson, tree: Tree) -> str:
    path = tree.root / homework_page(lesson)
    text = path.read_text(encoding="utf-8") if path.is_file() else f"# Homework {lesson.number}: {lesson.title}"
    return f"{text.rstrip()}\n\n{_files(lesson, tree)}"


def _files(lesson: Lesson, tree: Tree) -> str:
    lines = [
        "## Files",
        f"- [{lesson.homework_file}]({lesson.homework_file}): where you write, in your own copy of the course",
    ]
    for name, what in (("public.py", "the public tests that `check` runs"), ("worksheet.ipynb", "to try things out")):
        if tree.shown(homework_page(lesson).with_name(name)):
            lines.append(f"- [{name}]({name}): {what}")
    return "\n".join([lines[0], "", *lines[1:]])


def _hints(lesson: Lesson, page: PurePosixPath) -> str:
    parts = ["## Exercises and hints", f"A hint opens by itself. In the terminal: `{DOCUMENTED} hint NAME`."]
    for place, exercise in enumerate(lesson.exercises, 1):
        points = points_words(exercise)
        parts.append(f"### {lesson.number}.{place} `{exercise.id}`: {exercise.title}")
        again = section_link(lesson, exercise.section, page)
        where = f"read again: lesson {lesson.number}, {again}" if again else f"lesson {lesson.number}"
        parts.append(f"{points.capitalize()}; check with `{DOCUMENTED} check {exercise.id}`; {where}.")
        parts.append(moving_places.raw(exercise_place(exercise)))
        parts.append(folded(exercise))
    return "\n\n".join(parts)


def folded(exercise: Exercise) -> str:
    """The hints of an exercise as HTML, each in a <details>."""
    items = []
    for number, hint in enumerate(exercise.hints, 1):
        kind = f": {KINDS[number - 1]}" if number <= len(KINDS) else ""
        text = re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(hint, quote=False))
        items.append(f'<details class="hint"><summary>Hint {number}{kind}</summary><p>{text}</p></details>')
    return "```{raw} html\n" + "\n".join(items) + "\n```" if items else ""


def _index(lessons: list[Lesson]) -> str:
    page = PurePosixPath("homework/index.md")
    rows = []
    for lesson in lessons:
        for exercise in lesson.exercises:
            points = f"{exercise.points}{', a bonus' * exercise.stretch}"
            number, done = f"[{lesson.number}]({way(page, lesson_page(lesson))})", way(page, homework_page(lesson))
            rows.append(f"| {number} | [`{exercise.id}`]({done}) | {exercise.title} | {points} |")
    head = "| lesson | exercise | what it is | points |\n|--:|---|---|---|"
    words = (
        "You write them in your own copy of the course, with your own editor, and "
        f"`{DOCUMENTED} check` says what holds and what does not."
    )
    return f"# Exercises\n\n{words}\n\n{head}\n" + "\n".join(rows) + "\n"
