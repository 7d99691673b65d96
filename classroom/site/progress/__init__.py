"""What the pages remember of their reader: guesses behind which the text goes on, ticks, and where to continue.

`register_script` tells the scripts of `static/` which lessons and exercises there are. Nothing is sent anywhere.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from classroom.register import Course
from classroom.site.tree import has_exercises, homework_page, lesson_page

STATIC = Path(__file__).with_name("static")
REGISTER = PurePosixPath("progress-course.js")
"""The register of lessons and exercises, made when the site is built."""
SCRIPTS = ("progress-store.js", "progress-where.js", "progress-gate.js", "progress-ticks.js", "progress-shelf.js")
STYLE = "progress.css"
GUESS = "guess-"
"""A tag that gives a cell's id to the page, as the class `tag_guess-ID`: a guess is kept under it."""

SHELF = """
<div class="progress-shelf"></div>
<noscript><p>This takes JavaScript. The lessons themselves do not.</p></noscript>
"""
"""The place on the list of lessons that static/progress-shelf.js fills."""


def assets() -> list[Path]:
    """The style sheet and the scripts, in loading order; the register comes before them."""
    return [STATIC / STYLE, *(STATIC / name for name in SCRIPTS)]


def register_script(course: Course) -> str:
    """The JavaScript that sets KuiperCourse: lessons, their pages, and the ids of their exercises."""
    lessons = []
    for lesson in course.lessons:
        entry = {
            "number": lesson.number,
            "folder": lesson.folder,
            "page": str(lesson_page(lesson).with_suffix(".html")),
            "homework": "",
            "exercises": [],
        }
        if has_exercises(lesson):
            entry["homework"] = str(homework_page(lesson).with_suffix(".html"))
            entry["exercises"] = [{"id": one.id, "bonus": one.stretch} for one in lesson.exercises]
        lessons.append(entry)
    return f"window.KuiperCourse = {json.dumps({'lessons': lessons})};\n"
