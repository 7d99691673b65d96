"""A worksheet as it was handed out, with the outputs that right answers give, and what a student made of it.

A code cell whose metadata names an exercise is a question about it: {"exercise": "flatten"}. Its output is compared
with the one handed out. The other cells only lead there.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from classroom.register import Lesson
from classroom.stubs import WORKSHEET, StubError, packed

EXERCISE = "exercise"
"""Key of a cell's metadata."""
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "JUPYTER_PREFER_ENV_PATH": "1",
}
"""Makes the order of sums deterministic, and selects this environment's kernel."""


class SheetError(Exception):
    """A worksheet cannot be read; the message says what to do."""


@dataclass(frozen=True)
class QuestionState:
    """What became of a handed-out cell in a student's sheet.

    same : it is as handed out. what : else what happened to it, in words.
    """

    what: str = ""

    @property
    def same(self) -> bool:
        """Whether it is as handed out."""
        return not self.what


@dataclass(frozen=True)
class StudentsSheet:
    """A student's copy of a worksheet: cells by id, and the sources of its code cells."""

    cells: dict[str, tuple[str, str]]

    @property
    def _sources(self) -> set[str]:
        return {source for kind, source in self.cells.values() if kind == "code"}

    def state(self, name: str, source: str) -> QuestionState:
        """What became of the handed-out code cell of that id and source."""
        plain = _plain(source)
        if plain in self._sources:
            return QuestionState()
        if name not in self.cells:
            return QuestionState("deleted")
        kind, _ = self.cells[name]
        return QuestionState("changed" if kind == "code" else f"made a {kind} cell")

    def own(self, handed_out: dict[str, str]) -> list[str]:
        """Ids of the code cells that are the student's own; handed_out : id -> source."""
        known = {_plain(source) for source in handed_out.values()}
        return [
            name
            for name, (kind, source) in self.cells.items()
            if kind == "code" and source and source not in known and name not in handed_out
        ]


def handed_out_sheet(lesson: Lesson) -> Any:
    """The worksheet as handed out, an nbformat notebook; None if the lesson has none. Raises SheetError."""
    import nbformat

    try:
        data = packed(lesson, WORKSHEET)
    except StubError as error:
        raise SheetError(str(error)) from None
    return None if data is None else nbformat.reads(data.decode("utf-8"), as_version=4)


def questions(notebook: Any) -> list[Any]:
    """The cells that ask for an exercise, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.metadata.get(EXERCISE)]


def question_text(cell: Any) -> str:
    """What a cell asks: its last line."""
    lines = [line.strip() for line in cell.source.strip().splitlines()]
    return lines[-1] if lines else ""


def students_sheet(data: bytes) -> StudentsSheet:
    """Read a student's copy. Raises SheetError."""
    try:
        cells = json.loads(data)["cells"]
        found: dict[str, tuple[str, str]] = {}
        for place, cell in enumerate(cells):
            name = str(cell.get("id") or f"cell {place}")
            found.setdefault(name, (str(cell["cell_type"]), _plain("".join(cell["source"]))))
        return StudentsSheet(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SheetError(f"{WORKSHEET} is damaged or no notebook: take it from the course again") from None


@contextmanager
def settings() -> Iterator[None]:
    """The environment in which kernels of worksheets start: one thread, no profile of the user."""
    with tempfile.TemporaryDirectory(prefix="sheet-") as folder:
        wanted = SETTINGS | {"IPYTHONDIR": folder}
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def _plain(source: str) -> str:
    """The source without what editors add or take away at the ends of lines."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())
