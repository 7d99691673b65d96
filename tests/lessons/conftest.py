"""A made-up course with one lesson that keeps every rule of form, for tests that break one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from classroom import register
from classroom.dev import figures, lesson_form, lesson_regions
from classroom.lesson_words import HIDDEN

COURSE = """title = "Small"
[[lesson]]
number = 1
title = "One"
summary = "The first"
folder = "01_one"
time = 60
modules = ["kuiper.one"]
homework = "hw01.py"
[[lesson.exercise]]
id = "double"
title = "Twice"
points = 2
section = "How?"
"""
LOADED = 'graph = kuiper.load("../../models/digits/digits.pnnx.param")\n'
FIGURES = """def draw():
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="9" viewBox="0 0 9 9">'
    return {"a": head + "<title>A</title></svg>"}
"""
NAME = "lessons/01_one/01_one.ipynb"
SHOWN = {"output_type": "stream", "name": "stdout", "text": ["1729\n"]}


def text(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": "\n\n".join(lines)}


def code(source: str, count: int, *outputs: dict[str, Any], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags), "jupyter": {HIDDEN[tag]: True for tag in tags if tag in HIDDEN}},
        "source": source,
        "execution_count": count,
        "outputs": list(outputs),
    }


def yours(name: str, count: int) -> list[dict[str, Any]]:
    """A cell that the reader fills in, and its answer."""
    written = {"output_type": "stream", "name": "stdout", "text": [f"{name}: not written yet\n"]}
    asked = f"def {name}(x):\n    ...\n\n\ncheck({name}, ((1,), 2))"
    answer = f"@unless_right\ndef {name}(x):\n    return 2 * x"
    return [code(asked, count, written, tags=("yours",)), code(answer, count + 1, tags=("answer",))]


FOLDED = "   <details><summary>An answer</summary>\n\n   So.\n\n   </details>"


def sound_cells() -> list[dict[str, Any]]:
    """Cells that keep every rule: 1 title, 2 How?, 3 prediction, 4 its answer, 5 end, 6 to 11 to fill in."""
    return [
        text("# Lesson 1: One", "Why?", "<!-- facts -->\n<!-- /facts -->"),
        text("## How?", "![What is seen here](figures/a.svg)", "word " * 1300, "See [above](#how) and `check double`."),
        text("**Predict, then run:** what comes?"),
        code(LOADED + "print(graph(x))", 1, SHOWN, tags=("predict",)),
        text(
            "## Summary",
            "## Exercises",
            "<!-- exercises -->\n<!-- /exercises -->",
            f"1. Why?\n\n{FOLDED}",
            "## Further reading",
        ),
        *(cell for place, name in enumerate("abc") for cell in yours(name, 2 * place + 2)),
    ]


@dataclass
class Small:
    """The made-up course in a folder."""

    root: Path

    def write(self, path: str, content: str) -> None:
        """Write a file of it."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(content, encoding="utf-8")

    def notebook(self, cells: list[dict[str, Any]]) -> None:
        """Write its notebook, with what course.toml says in it."""
        course = register.load(self.root)
        for number, cell in enumerate(cells, 1):
            if cell["cell_type"] == "markdown":
                cell["source"] = lesson_regions.cell_with_regions(cell["source"], number, course.lesson(1), course)
        self.store(cells)

    def store(self, cells: list[dict[str, Any]]) -> None:
        """Write its notebook as it is."""
        self.write(NAME, json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))

    def stored(self) -> list[dict[str, Any]]:
        """The cells of its notebook."""
        return json.loads((self.root / NAME).read_text(encoding="utf-8"))["cells"]

    def faults(self) -> list[str]:
        """What is wrong with its form."""
        return [sentence for _, sentence in lesson_form.problems(register.load(self.root))]


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """A course of one lesson without a fault."""
    course = Small(tmp_path)
    course.write("course.toml", COURSE)
    for path in ("kuiper/one.py", "models/digits/digits.pnnx.param", "homework/01_one/README.md", "docs/map.svg"):
        course.write(path, "")
    course.write("lessons/README.md", "<!-- lessons -->\n<!-- /lessons -->\n")
    course.write("lessons/01_one/figures.py", FIGURES)
    figures.write(tmp_path / "lessons/01_one/figures.py")
    course.notebook(sound_cells())
    lesson_regions.write(register.load(tmp_path))
    return course
