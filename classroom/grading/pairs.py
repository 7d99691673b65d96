"""The similar pairs that the last grading found, kept in the results: comparing a large class again takes minutes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from classroom.grading.similarity import Pair

SCHEMA = """
CREATE TABLE IF NOT EXISTS pairs (
    homework TEXT, student TEXT, other TEXT, share REAL, shared INTEGER, lines TEXT,
    PRIMARY KEY (homework, student, other));
"""


def keep_pairs(base: sqlite3.Connection, found: Iterable[Pair]) -> None:
    """Store these pairs in place of earlier ones."""
    rows = [(one.homework, *one.students, one.share, one.shared, json.dumps(one.lines)) for one in found]
    with base:
        base.execute("DELETE FROM pairs")
        base.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?, ?)", rows)


def kept_pairs(base: sqlite3.Connection) -> list[Pair]:
    """The stored pairs, most similar first."""
    rows = base.execute(
        "SELECT homework, student, other, share, shared, lines FROM pairs ORDER BY share DESC, shared DESC, student"
    )
    return [
        Pair(homework, (student, other), share, shared, _pair_of_lines(lines))
        for homework, student, other, share, shared, lines in rows
    ]


def _pair_of_lines(text: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    first, second = (tuple((int(a), int(b)) for a, b in lines) for lines in json.loads(text))
    return first, second
