"""Comments by hand on an exercise, or on a whole homework: kept in the results, shown on the student's page."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime

from classroom.grading.errors import GradingError
from classroom.grading.safe import clean

SCHEMA = """
CREATE TABLE IF NOT EXISTS comments (
    number INTEGER PRIMARY KEY, student TEXT, homework TEXT, exercise TEXT, text TEXT NOT NULL, at TEXT NOT NULL);
"""
MOST = 4000
"""Maximum characters of one comment."""
Comments = Mapping[tuple[str, str, str], tuple[str, ...]]
"""(student, homework, exercise) -> comments, oldest first; the exercise is "" for the whole homework."""


def add_comment(base: sqlite3.Connection, student: str, homework: str, exercise: str, text: str) -> None:
    """Store a comment. Raises GradingError for one without words, or with more than MOST characters."""
    text = clean(text).strip()
    if not text:
        raise GradingError("expected a comment with words in it, found none")
    if len(text) > MOST:
        raise GradingError(f"expected a comment of at most {MOST} characters, found {len(text)}")
    row = (student, homework, exercise, text, datetime.now(UTC).isoformat(timespec="seconds"))
    with base:
        base.execute("INSERT INTO comments (student, homework, exercise, text, at) VALUES (?, ?, ?, ?, ?)", row)


def delete_comments(base: sqlite3.Connection, student: str, homework: str, exercise: str) -> int:
    """Delete the comments on an exercise or a homework -> how many."""
    with base:
        return base.execute(
            "DELETE FROM comments WHERE student = ? AND homework = ? AND exercise = ?", (student, homework, exercise)
        ).rowcount


def comments(base: sqlite3.Connection) -> Comments:
    """All comments."""
    found = defaultdict[tuple[str, str, str], list[str]](list)
    for student, homework, exercise, text in base.execute(
        "SELECT student, homework, exercise, text FROM comments ORDER BY number"
    ):
        found[student, homework, exercise].append(text)
    return {key: tuple(texts) for key, texts in found.items()}
