"""Remove everything that a folder of results holds of one student: rows, files, pages and exports.

Rows are overwritten before they are given back (secure_delete), and the database is written anew, so that nothing is
left in its free pages or its log.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from classroom.grading.errors import GradingError

WRITTEN = ("exports", "feedback")
"""Folders of results with files of students."""
TABLES = ("grades.csv", "totals.csv", "similar.csv", "summary.html", "report.html", "mail.csv")
"""Files of results with rows of students."""
NAMED = ("student", "other")
"""Columns that hold a student's name."""
KEYED = ("results", "files", "attempts", "submissions")
"""Tables with the digests of submissions."""
SAID = "unclaimed"
"""The table of sentences about what is of no student, which may name one."""
SHORT = 3
"""Identifiers of fewer characters stand in too many sentences to mean anybody."""


def forget_student(base: sqlite3.Connection, student: str) -> dict[str, int]:
    """Delete every row of the student, in any table -> table -> number of rows. Raises sqlite3.Error.

    All tables with a column for students are searched, and those that know submissions by their digest. Files that
    belong to no submission any more, of whomever, go too, and sentences that name the student.
    """
    base.execute("PRAGMA secure_delete=ON")
    count = dict[str, int]()
    with base:
        own, names = _digests(base, student), _identifiers(base, student)
        for table, columns in _tables(base).items():
            marks = " OR ".join(f"{column} = ?" for column in NAMED if column in columns)
            if marks:
                values = [student] * marks.count("?")
                count[table] = base.execute(f"DELETE FROM {table} WHERE {marks}", values).rowcount
            if "digest" in columns and table in KEYED:
                rows = [(digest,) for digest in own]
                deleted = base.executemany(f"DELETE FROM {table} WHERE digest = ?", rows).rowcount
                count[table] = count.get(table, 0) + max(0, deleted)
        rows = [(name,) for name in sorted(names)]
        count[SAID] = max(0, base.executemany(f"DELETE FROM {SAID} WHERE instr(text, ?)", rows).rowcount)
        known = "SELECT digest FROM submissions UNION SELECT digest FROM attempts"
        base.execute(f"DELETE FROM files WHERE digest NOT IN ({known})")
    base.execute("VACUUM")
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return {table: rows for table, rows in count.items() if rows}


def _digests(base: sqlite3.Connection, student: str) -> set[str]:
    queries = (
        "SELECT digest FROM submissions WHERE student = ?",
        "SELECT digest FROM attempts WHERE student = ?",
        "SELECT digest FROM results WHERE json_extract(graded, '$.student') = ?",
    )
    return {row[0] for query in queries for row in base.execute(query, (student,))}


def _identifiers(base: sqlite3.Connection, student: str) -> set[str]:
    """What the student is called: in results, in the class list, by the course system."""
    found = {student}
    for table in ("roster", "met"):
        for row in base.execute(
            f"SELECT login, name, student_id, email, platform_id FROM {table} WHERE student = ?", (student,)
        ):
            found |= set(row)
    return {name for name in found if name and len(name) >= SHORT}


def _tables(base: sqlite3.Connection) -> dict[str, set[str]]:
    """Table -> its columns."""
    names = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
    return {name: {row[1] for row in base.execute(f'PRAGMA table_info("{name}")')} for name in names}


def check_written(out: Path) -> None:
    """Raise GradingError if a folder that `remove_written` would empty is a link to another place."""
    for name in WRITTEN:
        if (out / name).is_symlink():
            raise GradingError(f"{out / name}: expected a folder, found a link to another place; nothing was deleted")


def remove_written(out: Path) -> list[str]:
    """Delete the pages, tables and exports of a folder of results, to be written anew -> names of what was there.

    Links are not followed. Raises OSError.
    """
    there = []
    for name in WRITTEN:
        if (out / name).is_dir():
            shutil.rmtree(out / name)
            there.append(name)
    for name in TABLES:
        if (out / name).is_symlink() or (out / name).is_file():
            (out / name).unlink()
            there.append(name)
    return there
