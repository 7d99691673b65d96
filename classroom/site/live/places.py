"""What a page says to the scripts: which lesson or homework it is, and what that needs."""

from __future__ import annotations

import html
import json
import re
from pathlib import PurePosixPath
from typing import Any

from classroom.register import Exercise, Lesson
from classroom.site.tree import Tree, way
from classroom.stubs import StubError, handed_out, names_of

DEMOS = {"digits": ("digits",), "write": ("writer",)}
"""Pieces of the demo that are small enough for a page, and draw nothing -> the networks that they need."""


def lesson_place(lesson: Lesson, page: PurePosixPath) -> str:
    """The place above a lesson where its buttons appear, as HTML."""
    path = lesson.notebook()
    text = path.read_text(encoding="utf-8") if path else ""
    data = {"kind": "lesson", "lesson": lesson.folder, "models": _models(text, lesson)}
    return _place(data, page)


def homework_place(lesson: Lesson, tree: Tree, page: PurePosixPath) -> str:
    """The place on the page of a homework, as HTML; "" where the stub is not known."""
    try:
        stub = handed_out(lesson)
    except StubError as error:
        tree.warnings.append(str(error))
        return ""
    exercises: list[dict[str, Any]] = []
    for number, exercise in enumerate(lesson.exercises, 1):
        names = names_of(stub, exercise.id)
        exercises.append(
            {
                "id": exercise.id,
                "number": f"{lesson.number}.{number}",
                "title": exercise.title,
                "names": names,
            }
        )
    tests = (tree.root / "homework" / lesson.folder / "public.py").read_text(encoding="utf-8")
    data = {
        "kind": "homework",
        "file": lesson.homework_file,
        "lesson": lesson.folder,
        "stub": stub,
        "exercises": exercises,
        "models": _models(tests, lesson),
        "demos": {piece: list(models) for piece, models in DEMOS.items()},
        "others": [one.homework_file for one in tree.course.lessons if one.homework_file],
    }
    return _place(data, page)


def exercise_place(exercise: Exercise) -> str:
    """The place of an exercise's editor, as HTML."""
    return f'<div class="live-exercise" data-exercise="{exercise.id}"></div>'


def _models(text: str, lesson: Lesson) -> list[str]:
    """The networks that a text names as models/NAME."""
    named = set(re.findall(r"models/(\w+)", text))
    return sorted(name for name in named if (lesson.root / "models" / name / f"{name}.pnnx.param").is_file())


def _place(data: dict[str, Any], page: PurePosixPath) -> str:
    data["root"] = f"{way(page, PurePosixPath('.'))}/"
    # as an attribute: a script element could be ended by a text in the stub
    return f'<div class="live-place" data-live="{html.escape(json.dumps(data))}"></div>'
