"""`course dev new lesson`: the skeleton of the next lesson, with TODO wherever its author has to write."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from classroom import register
from classroom.dev import lesson_regions
from classroom.dev.notebooks import METADATA
from classroom.lesson_words import ANSWER, EXERCISES, FACTS, PREDICT, YOURS
from classroom.register import Course, Lesson
from classroom.started import DOCUMENTED

ENTRY = """
[[lesson]]
number = {number}
title = {title}
summary = "TODO: what it is about, in a few words without a full stop"
folder = "{folder}"
time = 0
needs = [{{ lesson = {before} }}]
modules = []
"""
"""In course.toml. `time` stays 0 until the author knows how long the notebook takes."""
FIGURES = '''"""The pictures of lesson {number}: `{command} dev figures {number}` writes them into figures/."""

from __future__ import annotations

from kuiper.show.palette import swatch_of
from kuiper.show.svg import Svg, element, picture, text


def idea() -> Svg:
    """TODO: what is seen."""
    colours = swatch_of("nn.Conv2d")
    box = element("rect", x=10, y=10, width=300, height=60, rx=8, fill=colours.fill, stroke=colours.border)
    return picture(320, 80, "The idea", "TODO: what is seen", box, text("TODO: draw it", 160, 40, 13.0, colours.text))


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {{"idea": idea()}}
'''
CODE = """import numpy as np

import kuiper

graph = kuiper.load("../../models/digits/digits.pnnx.param")
(logits,) = graph(np.zeros((1, 1, 8, 8), np.float32))
logits.shape"""
CHECKED = "from classroom.cells import check, unless_right"
YOURS_CELL = """def {name}(x):
    ...  # TODO: what the reader has to write, in a line or three


check({name}, ((1,), 2), ((3,), 6))"""
ANSWER_CELL = """@unless_right
def {name}(x):
    return 2 * x  # TODO"""


class NewLessonError(Exception):
    """A lesson with that title cannot be made."""


def new_lesson(root: Path, title: str) -> Lesson:
    """Make the skeleton of the lesson after the last one: its entry in course.toml, its notebook, its figures.py.

    Raises NewLessonError if the title gives no folder's name or is taken; RegisterError, RegionError, OSError.
    """
    course, title = register.load(root), " ".join(title.split())
    number, folder = len(course.lessons) + 1, folder_of(len(course.lessons) + 1, title)
    if any(one.title.lower() == title.lower() for one in course.lessons):
        raise NewLessonError(f"course.toml has a lesson with the title {title} already: take another title")
    home = root / "lessons" / folder
    if home.exists():
        raise NewLessonError(f"lessons/{folder} is there already: write its [[lesson]] by hand, or remove it")
    entry = ENTRY.format(
        number=number, title=json.dumps(title, ensure_ascii=False), folder=folder, before=len(course.lessons)
    )
    text = (root / "course.toml").read_text(encoding="utf-8").rstrip("\n")
    home.mkdir(parents=True)
    script = FIGURES.format(number=number, command=DOCUMENTED)
    (home / "figures.py").write_text(script, encoding="utf-8", newline="\n")
    (root / "course.toml").write_text(f"{text}\n{entry}", encoding="utf-8", newline="\n")
    course = register.load(root)
    lesson = course.lesson(number)
    book = json.dumps(notebook(lesson, course), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    (home / f"{folder}.ipynb").write_text(book, encoding="utf-8", newline="\n")
    lesson_regions.write(course)
    return lesson


def folder_of(number: int, title: str) -> str:
    """The name of a lesson's folder. Raises NewLessonError.

    >>> folder_of(15, "Café & two-step decoding")
    '15_cafe_two_step_decoding'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = re.findall("[a-z0-9]+", plain.lower())
    if not words or not title.isprintable():
        raise NewLessonError(f"expected a title with letters, of which the folder's name is made, found {title!r}")
    return "_".join([f"{number:02}", *words])


def notebook(lesson: Lesson, course: Course) -> dict[str, Any]:
    """The notebook of a new lesson: every section that readers can count on, and a network that runs."""
    asked = (("first", "what the first cell shows"), ("second", "the next step"), ("third", "the last step"))
    cells: list[tuple[str, tuple[str, ...] | None]] = [
        (
            f"# Lesson {lesson.number}: {lesson.title}\n\nTODO: the question that this lesson answers, in a few "
            f"sentences.\n\n{_region(FACTS)}",
            None,
        ),
        (
            "## The idea\n\nTODO: the idea, in 1,200 words or more with all sections.\n\n"
            "![TODO: what is seen on the picture](figures/idea.svg)",
            None,
        ),
        ("**Predict, then run:** TODO: what comes out of the next cell?", None),
        (CODE, (PREDICT,)),
        ("## Your turn\n\nTODO: what the reader writes, where the lesson needs it.", None),
        (CHECKED, ()),
    ]
    for name, words in asked:
        cells += [
            (f"TODO: {words}, as a function `{name}`.", None),
            (YOURS_CELL.format(name=name), (YOURS,)),
            (ANSWER_CELL.format(name=name), (ANSWER,)),
        ]
    end = (
        "## Summary\n\n- TODO: what to keep in mind, a line each\n\n"
        f"## Exercises\n\n{_region(EXERCISES)}\n\nTo think about, without code:\n\n1. TODO: a question\n\n"
        "   <details><summary>An answer</summary>\n\n   TODO: the answer\n\n   </details>\n\n"
        "## Further reading\n\n- TODO: the sources"
    )
    return {
        "cells": [
            _cell(place, source, tags, lesson, course) for place, (source, tags) in enumerate([*cells, (end, None)])
        ],
        "metadata": METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(place: int, source: str, tags: tuple[str, ...] | None, lesson: Lesson, course: Course) -> dict[str, Any]:
    """A cell: Markdown where `tags` is None, else code."""
    cell: dict[str, Any] = {"id": f"cell-{place:02}", "metadata": {}}
    if tags is None:
        cell["cell_type"] = "markdown"
        source = lesson_regions.cell_with_regions(source, place + 1, lesson, course)
    else:
        cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
        cell["metadata"] = {"tags": list(tags)} if tags else {}
    return {**cell, "source": source.splitlines(keepends=True)}


def _region(name: str) -> str:
    return f"<!-- {name} -->\n<!-- /{name} -->"
