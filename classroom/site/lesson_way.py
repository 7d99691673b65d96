"""Where a reader is in the course: "lesson 6 of 15", and the way from a lesson to its exercises to the next lesson."""

from __future__ import annotations

import html
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from classroom.register import Course
from classroom.site.tree import has_exercises, homework_page, lesson_page, way


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("html-page-context", _place, priority=700)


def steps(course: Course) -> list[str]:
    """The pages in the order in which one works through them: each lesson, then its exercises."""
    found = []
    for lesson in course.lessons:
        found.append(str(lesson_page(lesson).with_suffix("")))
        if has_exercises(lesson):
            found.append(str(homework_page(lesson).with_suffix("")))
    return found


def position(course: Course, page: str) -> str:
    """The line above a lesson or its exercises, as HTML; "" on other pages."""
    for lesson in course.lessons:
        pages = {"Lesson": lesson_page(lesson)}
        if has_exercises(lesson):
            pages["Exercises"] = homework_page(lesson)
        here = next((name for name, one in pages.items() if str(one.with_suffix("")) == page), "")
        if not here:
            continue
        count = len(course.lessons)
        parts = []
        for name, one in pages.items():
            words = f"Lesson {lesson.number} of {count}" if name == "Lesson" else "Its exercises"
            address = way(pages[here], one.with_suffix(".html"))
            parts.append(
                f'<b aria-current="page">{words}</b>'
                if name == here
                else f'<a href="{html.escape(address)}">{words}</a>'
            )
        index = way(pages[here], PurePosixPath("lessons/index.html"))
        return (
            f'<nav class="position" aria-label="Where you are"><a href="{index}">Lessons</a> {" ".join(parts)}</nav>\n'
        )
    return ""


def _place(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    course: Course = app.config.course_register
    order = steps(course)
    if page not in order or doctree is None:
        return
    context["body"] = position(course, page) + context["body"]
    at = order.index(page)
    for name, place in (("prev", at - 1), ("next", at + 1)):
        if 0 <= place < len(order):
            title = html.escape(app.env.titles[order[place]].astext())
            context[name] = {"link": app.builder.get_relative_uri(page, order[place]), "title": title}
