"""Answers written in a worksheet notebook: take its code cells as text, and make a homework file of them.

Outputs, counts, tags such as skip-execution or raises-exception, and cells that hold no code are not looked at. The
cells' code runs in the worker.
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
    """Why a notebook cannot be judged, in words."""


def answers(data: bytes) -> tuple[str, ...]:
    """The sources of a submitted notebook's code cells, in its order. Raises NotebookFault."""
    taken = tuple(_source(cell) for cell in _cells(data) if cell.get("cell_type") == "code")
    if sum(map(len, taken)) > MAX_ANSWER_BYTES:
        raise NotebookFault(f"the worksheet's code is longer than {MAX_ANSWER_BYTES >> 10} KB")
    return taken


def code_of(data: bytes) -> str:
    """All code of a notebook as one text; "" of what is no notebook."""
    try:
        return "\n\n".join(answers(data))
    except NotebookFault:
        return ""


def lesson_number(data: bytes) -> int | None:
    """The N of the heading "# Worksheet N: ...", None where there is no such cell."""
    try:
        cells = _cells(data)
    except NotebookFault:
        return None
    heading = re.compile(r"^# .*(?:worksheet|homework) (\d{1,3})\b", re.M | re.I)
    headings = (heading.search(_source(cell)) for cell in cells[:20])
    return next((int(found[1]) for found in headings if found), None)


def as_module(cells: Iterable[str], stub: str) -> str:
    """The text of a homework file: the stub with the cells' functions and classes in place of its own.

    The text holds the cells as data. They are read and run by the loader, in the process that imports the file.
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
