"""Which of several files of one homework is judged.

The first by these rules: it differs from the original stub; it defines a function that the homework asks for; its name
does not mark it as a test or an older version; fewer folders above it; the later time; the later name
(`hw01_numpy-1.py` after `hw01_numpy.py`). A worksheet notebook is judged if there is no homework file, or only the
untouched stub.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from classroom.grading import notebook
from classroom.grading.intake.archives import Found, shown
from classroom.grading.intake.recognise import NOTEBOOK, WORKSHEET, defined
from classroom.grading.safe import name_list
from classroom.grading.source_text import decoded, significant_lines

_LESSER = re.compile(r"(?<![^\W_])(old|older|backup|bak|orig|original|draft|test|tests|unfinished)(?![^\W_])", re.I)


RULES = (
    "the others are the untouched stub",
    "the others define none of the homework's functions",
    "the others are called tests or older ones",
    "the others lie in deeper folders",
    "it is the latest",
    "its name is the last",
)
"""Rules that decide which of several files counts, in order."""


def best_of(found: list[Found], stub: bytes, asked: frozenset[str], faults: list[str]) -> Found | None:
    """The file that counts; `faults` gets what was left out, and why."""
    if len(found) < 2:
        return found[0] if found else None
    untouched = significant_lines(stub)

    def order(one: Found) -> tuple[bool, bool, bool, int, float, list[Any]]:
        text = notebook.code_of(one.data) if one.name.lower().endswith(NOTEBOOK) else decoded(one.data)
        time = one.time.timestamp() if one.time else 0.0
        is_work = significant_lines(one.data) != untouched
        return is_work, bool(defined(text) & asked), not _LESSER.search(one.name), -len(one.path), time, _natural(one)

    ordered = sorted(found, key=order, reverse=True)
    best, ranks = ordered[0], [order(one) for one in ordered]
    others = [one for one, rank in zip(ordered, ranks) if one.data != best.data and rank[0] is ranks[0][0]]
    if others:
        second = next(rank for one, rank in zip(ordered, ranks) if one is others[0])
        why = next((word for word, first, other in zip(RULES, ranks[0], second) if first != other), RULES[-1])
        said = f"Of {len(others) + 1} files of this homework {path_of(best)} was judged, since {why}"
        faults.append(f"{said}; not {name_list(sorted(map(path_of, others)))}")
    return best


def _natural(one: Found) -> list[Any]:
    """Sort key: natural order of the name (-2 before -10, no number before a number), then of the path."""
    names = re.sub(r"\.\w+$", "", one.name), "/".join(one.path), one.called
    return [
        [[int(part), ""] if part.isdecimal() else [-1, part] for part in re.split(r"(\d+)", name)] for name in names
    ]


def path_of(found: Found) -> str:
    """The file's path, for messages."""
    return shown(found.called or "/".join(found.path))


def judged_file(files: Mapping[str, bytes], homework_file: str, stub: bytes) -> str | None:
    """The name of the file to judge: the homework file, or the worksheet with answers if that is still the stub."""
    if WORKSHEET not in files:
        return homework_file if homework_file in files else None
    if homework_file not in files:
        return WORKSHEET
    untouched = significant_lines(files[homework_file]) == significant_lines(stub)
    return WORKSHEET if untouched and _may_hold_answers(files[WORKSHEET], stub) else homework_file


def _may_hold_answers(sheet: bytes, stub: bytes) -> bool:
    """Whether a worksheet defines a function of the stub; true if it cannot be read."""
    try:
        return bool(defined("\n\n".join(notebook.answers(sheet))) & defined(decoded(stub)))
    except notebook.NotebookFault:
        return True
