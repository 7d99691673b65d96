"""Facts about a lesson beside its text: prerequisites, duration, modules and tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from classroom.register import Lesson
from classroom.site.tree import Tree

WORDS_A_MINUTE, MINUTES_A_CELL, MINUTES_A_POINT = 100, 1.5, 10
"""Estimated duration of a lesson: reading, a prediction and a run per cell, and its exercises."""

NEEDS = re.compile(r"^[-*_ ]*You need:?[*_]*:?[*_]*\s*(.*)", re.I | re.S)
TIME = re.compile(r"[*_]*(?<![a-z])Time(?![a-z]):?[*_]*:?[*_]*\s*", re.I)
MODULES = re.compile(r"[*_]*(?<![a-z])Modules?(?![a-z]):?[*_]*:?[*_]*\s", re.I)


@dataclass(frozen=True)
class Opening:
    """The first cell of a notebook: its text without the lines on prerequisites, time and modules, and those lines."""

    text: str
    needs: str = ""
    time: str = ""


def opening(text: str) -> Opening:
    """Parse a lesson's first cell: split off the lines "You need ... Time ... Module ...".

    >>> opening("# Lesson 4\\n\\nWhy?\\n\\nYou need: lesson 3. Time: about 75 minutes. Module: order.py.")
    Opening(text='# Lesson 4\\n\\nWhy?', needs='lesson 3', time='about 75 minutes')
    """
    blocks = re.split(r"\n[ \t]*\n", text)
    for place, block in enumerate(blocks):
        found = NEEDS.match(block)
        if found and TIME.search(block):
            before, after = TIME.split(found[1], maxsplit=1)
            rest = "\n\n".join(blocks[:place] + blocks[place + 1 :])
            return Opening(rest.strip(), _plain(before), _plain(MODULES.split(after, maxsplit=1)[0]))
    return Opening(text)


def _plain(text: str) -> str:
    """One line without Markdown emphasis and the final full stop."""
    return re.sub(r"\s+", " ", text).strip(" \n·*-").removesuffix(".")


def minutes(words: int, cells: int) -> int:
    """Estimated minutes for a notebook, rounded to a quarter of an hour.

    >>> minutes(1800, 28)
    60
    """
    return max(15, round((words / WORDS_A_MINUTE + cells * MINUTES_A_CELL) / 15) * 15)


def lesson_time(said: str, notebook: dict, lesson: Lesson) -> str:
    """The duration of a lesson: as stated, else estimated; plus its exercises, if any."""
    text = said
    if not text:
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
        words = sum(len(re.findall(r"\w+", source)) for kind, source in cells if kind == "markdown")
        text = f"about {minutes(words, sum(kind == 'code' for kind, _ in cells))} minutes"
    if "homework" in text or not lesson.points:
        return text
    return f"{text}, and about {lesson.points * MINUTES_A_POINT} for the exercises"


def module_tests(module: str, tree: Tree) -> PurePosixPath | None:
    """The tests of a module (a file or folder of the course), or None.

    `kuiper.graph.order` has tests/graph/test_order.py. The tests of a module in a sub-folder may stand in the folder
    above; what has no file of its own has its folder's.
    """
    *folders, name = module.split(".")[1:] or [""]
    above = [PurePosixPath("tests", *folders[:depth]) for depth in range(len(folders), -1, -1)]
    files = [folder / f"test_{name}.py" for folder in above[: len(folders) or 1]]
    return next((path for path in [*files, above[0] / name, *above[:-1]] if tree.shown(path)), None)
