"""A lesson as its rules see it: the cells of its notebook, their Markdown parsed, their code as a tree."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from classroom.register import Course, Lesson

Faults = Iterator[str]


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook, numbered from 1."""

    number: int
    kind: str
    source: str
    tags: tuple[str, ...]
    count: int | None
    outputs: tuple[dict[str, Any], ...]
    hidden: tuple[str, ...] = ()

    @property
    def is_code(self) -> bool:
        """Whether it is code."""
        return self.kind == "code"

    @property
    def tree(self) -> ast.Module:
        """Its code, empty where it is not Python."""
        try:
            return ast.parse(self.source)
        except SyntaxError:
            return ast.Module([], [])

    @cached_property
    def tokens(self) -> list[Token]:
        """The parts of its Markdown, those inside paragraphs too."""
        return tokens_of(self.source)


@dataclass(frozen=True)
class Book:
    """A lesson with the cells of its notebook."""

    lesson: Lesson
    course: Course
    cells: tuple[Cell, ...]

    @property
    def path(self) -> Path:
        """Where its notebook belongs."""
        return self.folder / f"{self.lesson.folder}.ipynb"

    @property
    def folder(self) -> Path:
        """Where the lesson belongs."""
        return self.lesson.root / "lessons" / self.lesson.folder

    @property
    def name(self) -> str:
        """The notebook as errors call it."""
        return f"lessons/{self.lesson.folder}/{self.path.name}"

    @property
    def code(self) -> list[Cell]:
        """The code cells."""
        return [cell for cell in self.cells if cell.is_code]

    @property
    def prose(self) -> list[Cell]:
        """The Markdown cells."""
        return [cell for cell in self.cells if cell.kind == "markdown"]

    @cached_property
    def headings(self) -> list[tuple[str, str]]:
        """(h1, h2 or h3, text) of the headings in order."""
        return headings_of("\n\n".join(cell.source for cell in self.prose))

    def at(self, cell: Cell) -> str:
        """The place of a cell as errors name it."""
        return f"{self.name}, cell {cell.number}{f' (In [{cell.count}])' if cell.count else ''}"


def tokens_of(text: str) -> list[Token]:
    """All tokens of a Markdown text, those inside paragraphs too."""
    return [inner for token in MarkdownIt("commonmark").parse(text) for inner in (token, *(token.children or ()))]


def headings_of(text: str) -> list[tuple[str, str]]:
    """(tag, text) of the headings of a Markdown text."""
    parsed = MarkdownIt("commonmark").parse(text)
    return [(token.tag, after.content) for token, after in itertools.pairwise(parsed) if token.type == "heading_open"]


def outputs_text(cell: Cell) -> str:
    """All text that a cell has put out."""
    parts = []
    for output in cell.outputs:
        data = output.get("data", {})
        parts += [
            output.get("text", ""),
            *output.get("traceback", ()),
            *(data[kind] for kind in data if "text" in kind),
        ]
    return "\n".join("".join(part) for part in parts)
