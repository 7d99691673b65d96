"""Every version of a homework that was ever taken in, with its points: the store's submissions keep the last one only.

Each run of `course grade` adds what is new, so a class that is graded every night has one attempt a night at most.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from classroom.grading.records import Graded, Status, Submission

SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts (
    student TEXT, homework TEXT, digest TEXT, handed_in TEXT, points TEXT, PRIMARY KEY (student, homework, digest));
CREATE INDEX IF NOT EXISTS attempts_by_digest ON attempts (digest);
"""


@dataclass(frozen=True)
class HandIn:
    """One version of a homework.

    handed_in : its time, None if unknown.
    points : exercise -> (points before any deduction, maximum); None if it was never judged.
    """

    student: str
    homework: str
    handed_in: datetime | None
    points: Mapping[str, tuple[float, float]] | None


def begin(base: sqlite3.Connection) -> None:
    """Make the table; a database of an earlier version gets the one attempt that it still knows of each homework."""
    known = base.execute("SELECT 1 FROM sqlite_master WHERE name = 'attempts'").fetchone()
    base.executescript(SCHEMA)
    if known:
        return
    base.execute(
        """INSERT INTO attempts SELECT student, homework, digest, handed_in, NULL FROM submissions s
        WHERE EXISTS (SELECT 1 FROM files f WHERE f.digest = s.digest)"""
    )
    judged = base.execute("SELECT digest, graded FROM results WHERE NOT infrastructure ORDER BY judged_at").fetchall()
    for digest, text in judged:
        found = {one["exercise"]: (one["points"], one["max_points"]) for one in json.loads(text)["grades"]}
        base.execute("UPDATE attempts SET points = ? WHERE digest = ?", (json.dumps(found), digest))


def note_submission(base: sqlite3.Connection, one: Submission) -> None:
    """Remember that this version was handed in; the first time counts."""
    if one.files:
        time = one.handed_in.isoformat() if one.handed_in else None
        row = (one.student, one.homework, one.digest, time)
        base.execute("INSERT OR IGNORE INTO attempts VALUES (?, ?, ?, ?, NULL)", row)


def note_result(base: sqlite3.Connection, graded: Graded) -> None:
    """Remember the points of a version; the latest judgement counts."""
    if any(one.status is Status.INFRASTRUCTURE for one in graded.grades):
        return
    points = {one.exercise: (one.points, one.max_points) for one in graded.grades}
    base.execute("UPDATE attempts SET points = ? WHERE digest = ?", (json.dumps(points), graded.digest))


def hand_ins(base: sqlite3.Connection) -> list[HandIn]:
    """All attempts by student and homework, in the order in which they were handed in."""
    rows = base.execute(
        "SELECT student, homework, handed_in, points FROM attempts ORDER BY student, homework, rowid"
    ).fetchall()
    found = []
    for student, homework, time, points in rows:
        handed_in = datetime.fromisoformat(time) if time else None
        by_name = {name: (own, most) for name, (own, most) in json.loads(points).items()} if points else None
        found.append(HandIn(student, homework, handed_in, by_name))
    return sorted(found, key=_order)


def _order(one: HandIn) -> tuple[str, str, float]:
    return one.student, one.homework, one.handed_in.timestamp() if one.handed_in else 0.0
