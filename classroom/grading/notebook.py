"""Answers written in a worksheet notebook: take the answer cells as text, and make a homework file of them.

An answer cell is a code cell that bears the id of a code cell of the worksheet as handed out (in `id`, or in
metadata.id, where some editors keep it), or the tag `answer`. Everything else of a submitted notebook (outputs, counts,
tags such as skip-execution or raises-exception, other cells) is not looked at. The cells' code runs in the worker.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LARGEST_NOTEBOOK = 8 << 20
LARGEST_ANSWERS = 512 << 10
MOST_CELLS = 5000
ANSWER = "answer"
"""The tag that makes an answer cell of one that a student has added."""
LOADER = Path(__file__).with_name("notebook_loader.py")


class NotebookFault(Exception):
    """Why a notebook cannot be judged, in words."""


@dataclass(frozen=True)
class Answers:
    """The answer cells' sources in the notebook's order, and how many code cells were left out."""

    cells: tuple[str, ...]
    left_out: int = 0


def answers(data: bytes, handed_out: Iterable[str]) -> Answers:
    """The answer cells of a submitted notebook; `handed_out` are the ids of the worksheet's code cells.

    Of two cells with one id the first counts. Raises NotebookFault.
    """
    known, seen = set(handed_out), set[str]()
    taken, left_out = [], 0
    for cell in _cells(data):
        if cell.get("cell_type") != "code":
            continue
        name, source = _id(cell), _source(cell)
        if (name in known and name not in seen) or _is_tagged(cell):
            seen.add(name)
            taken.append(source)
        elif source.strip():
            left_out += 1
    if sum(map(len, taken)) > LARGEST_ANSWERS:
        raise NotebookFault(f"the worksheet's answers are longer than {LARGEST_ANSWERS >> 10} KB")
    return Answers(tuple(taken), left_out)


def code_ids(data: bytes) -> list[str]:
    """The ids of a notebook's code cells. Raises NotebookFault."""
    return [_id(cell) for cell in _cells(data) if cell.get("cell_type") == "code" and _id(cell)]


def code_of(data: bytes) -> str:
    """The sources of a notebook's code cells as one text. Raises NotebookFault."""
    return "\n".join(_source(cell) for cell in _cells(data) if cell.get("cell_type") == "code")


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
    if len(data) > LARGEST_NOTEBOOK:
        raise NotebookFault(f"the worksheet is larger than {LARGEST_NOTEBOOK >> 20} MB")
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError, MemoryError) as error:
        raise NotebookFault(f"the worksheet is no notebook: {type(error).__name__}") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or len(cells) > MOST_CELLS:
        raise NotebookFault(f"the worksheet is no notebook: expected a list of at most {MOST_CELLS} cells")
    return [cell for cell in cells if isinstance(cell, dict)]


def _id(cell: dict[str, Any]) -> str:
    metadata = cell.get("metadata")
    inner = metadata.get("id") if isinstance(metadata, dict) else None
    name = cell.get("id") or inner
    return name if isinstance(name, str) else ""


def _is_tagged(cell: dict[str, Any]) -> bool:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return isinstance(tags, list) and ANSWER in tags


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
