"""CSV for grade books, and names that a grade book could confuse."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable

from classroom.grading.safe import cell


def alike(students: Iterable[str]) -> list[str]:
    """Students whose names differ only in case or in invisible characters.

    >>> alike(["ann", "Ann", "bo"])
    ['ann', 'Ann']
    """
    students = list(students)
    cells = Counter(cell(student).casefold() for student in students)
    return [student for student in students if cells[cell(student).casefold()] > 1]


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, with every cell made safe."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()
