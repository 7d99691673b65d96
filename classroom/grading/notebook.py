"""Answers in a worksheet notebook: take its code cells as text, and turn them into a homework file.

Outputs, execution counts, tags such as skip-execution or raises-exception, and other cells are ignored. The code runs
only in the worker.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

MAX_NOTEBOOK_BYTES = 8 << 20
MAX_ANSWER_BYTES = 512 << 10
MAX_CELLS = 5000
LOADER = Path(__file__).with_name("notebook_loader.py")
WHAT_TO_DO = "open it in Jupyter, save it and hand it in again, or hand in the homework's .py file"


class NotebookFault(Exception):
    """A notebook cannot be judged; the message says why."""


def answers(data: bytes) -> tuple[str, ...]:
    """The code cells of a submitted notebook, in order. Raises NotebookFault."""
    taken = tuple(_source(cell) for cell in _cells(data) if cell.get("cell_type") == "code")
    if sum(map(len, taken)) > MAX_ANSWER_BYTES:
        raise NotebookFault(f"the worksheet's code is longer than {MAX_ANSWER_BYTES >> 10} KB")
    return taken


def code_of(data: bytes) -> str:
    """All code of a notebook as one text; "" if it is not a notebook."""
    try:
        return "\n\n".join(answers(data))
    except NotebookFault:
        return ""


def lesson_number(data: bytes) -> int | None:
    """The N of the heading "# Worksheet N: ...", or None."""
    try:
        cells = _cells(data)
    except NotebookFault:
        return None
    heading = re.compile(r"^# .*(?:worksheet|homework) (\d{1,3})\b", re.M | re.I)
    headings = (heading.search(_source(cell)) for cell in cells[:20])
    return next((int(found[1]) for found in headings if found), None)


def as_module(cells: Iterable[str], stub: str) -> str:
    """A homework file: the stub, with the cells' functions and classes in place of its own.

    The file contains the cells as data; the loader parses and runs them when the file is imported.
    """
    call = f"_loader['load']({list(cells)!a}, {stub!a}, globals())"
    return f"_loader = {{'__name__': 'notebook_loader'}}\nexec({_loader()!a}, _loader)\n{call}\n"


@cache
def _loader() -> str:
    return LOADER.read_text(encoding="utf-8")


def _cells(data: bytes) -> list[dict[str, Any]]:
    if len(data) > MAX_NOTEBOOK_BYTES:
        raise NotebookFault(f"the worksheet is larger than {MAX_NOTEBOOK_BYTES >> 20} MB")
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError, MemoryError) as error:
        raise NotebookFault(f"the worksheet is damaged or no notebook: {WHAT_TO_DO}") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or len(cells) > MAX_CELLS:
        raise NotebookFault(f"the worksheet is no notebook of at most {MAX_CELLS} cells: {WHAT_TO_DO}")
    return [cell for cell in cells if isinstance(cell, dict)]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
