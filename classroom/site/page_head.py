"""What a page says of itself to browsers, search engines and those who show a link to it: description, Open Graph."""

from __future__ import annotations

import html
import re
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from classroom.register import Course
from classroom.site.pages_front import LINE, SHARED
from classroom.site.tree import SOURCES, has_exercises, homework_page, lesson_page, way

LONGEST = 200
"""Characters of a description; search engines show fewer."""
THEME = {"light": "#ffffff", "dark": "#131416"}
"""The colours of the theme's pages, for the browser's own frame."""


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_config_value("course_register", None, "")
    app.connect("html-page-context", _head, priority=800)


def described(course: Course) -> dict[str, str]:
    """Page -> what it is about, for pages that the register describes."""
    found = {"index": LINE}
    for lesson in course.lessons:
        number = f"Lesson {lesson.number} of {len(course.lessons)}"
        found[str(lesson_page(lesson).with_suffix(""))] = f"{number}: {lesson.summary}."
        if has_exercises(lesson):
            titles = "; ".join(exercise.title for exercise in lesson.exercises)
            found[str(homework_page(lesson).with_suffix(""))] = f"Exercises of lesson {lesson.number}: {titles}."
    return found


def shortened(text: str) -> str:
    """A text as one line of at most LONGEST characters, cut between words.

    >>> shortened("one\\ntwo"), len(shortened("word " * 99))
    ('one two', 195)
    """
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rpartition(' ')[0]}…"


def _words(doctree: nodes.document | None, title: str) -> str:
    """The first paragraph of a page that says something, or its title."""
    paragraphs = doctree.findall(nodes.paragraph) if doctree is not None else ()
    for one in paragraphs:
        if len(one.astext()) >= 40:
            return one.astext()
    return f"{title}: {LINE}"


def _head(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    title = " ".join(_plain(context.get("title", "")).split()) or "Kuiper"
    course: Course = app.config.course_register
    if page.startswith(f"{SOURCES}/"):
        words = f"The source of {title}, part of a course: {LINE}"
    else:
        words = described(course).get(page) or _words(doctree, title)
    address = app.config.html_baseurl
    picture = f"{address}{SHARED}" if address else way(PurePosixPath(page), SHARED)
    tags = {
        "og:type": "website" if page == "index" else "article",
        "og:site_name": "Kuiper",
        "og:title": title,
        "og:description": shortened(words),
        "og:image": picture,
    }
    if address:
        tags["og:url"] = f"{address}{page}.html"
    lines = [f'<meta name="description" content="{html.escape(shortened(words))}">']
    lines += [f'<meta property="{name}" content="{html.escape(value)}">' for name, value in tags.items()]
    lines.append('<meta name="twitter:card" content="summary_large_image">')
    lines += [
        f'<meta name="theme-color" content="{colour}" media="(prefers-color-scheme: {scheme})">'
        for scheme, colour in THEME.items()
    ]
    context["metatags"] = context.get("metatags", "") + "\n" + "\n".join(lines)


def _plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))
