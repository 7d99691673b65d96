"""Tables of results.sqlite about people: who is in the class, who may hand in later, and what is nobody's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from datetime import datetime

from classroom.grading.roster import Person

TABLES = """
CREATE TABLE IF NOT EXISTS roster (
    student TEXT PRIMARY KEY, login TEXT, name TEXT, student_id TEXT, email TEXT, section TEXT, platform_id TEXT);
CREATE TABLE IF NOT EXISTS met (
    student TEXT PRIMARY KEY, login TEXT, name TEXT, student_id TEXT, email TEXT, section TEXT, platform_id TEXT);
CREATE TABLE IF NOT EXISTS extensions (
    student TEXT, homework TEXT, deadline TEXT NOT NULL, PRIMARY KEY (student, homework));
CREATE TABLE IF NOT EXISTS unclaimed (source TEXT, text TEXT, PRIMARY KEY (source, text));
"""
KEPT_OF_PEOPLE = ("roster", "met", "extensions", "unclaimed")
"""Tables that shards have alike."""
Extensions = Mapping[tuple[str, str], datetime]
"""(student, homework's folder) -> the deadline that holds for this student."""


class PeopleTables:
    """What a Store knows about people."""

    _base: sqlite3.Connection

    def keep_roster(self, people: Iterable[Person]) -> None:
        """Store the class list in place of an earlier one."""
        rows = [(one.key, *astuple(one)) for one in people]
        with self._base:
            self._base.execute("DELETE FROM roster")
            self._base.executemany("INSERT INTO roster VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def roster(self) -> dict[str, Person]:
        """Student, as in submissions and results -> the person; {} without a class list."""
        return self._people("roster")

    def keep_met(self, people: Mapping[str, Person]) -> None:
        """Store what course systems say about students, beside what is known already."""
        with self._base:
            rows = [(student, *astuple(one)) for student, one in people.items()]
            self._base.executemany("INSERT OR REPLACE INTO met VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def people(self) -> dict[str, Person]:
        """Student -> the person of the class list, else what the course system said about the student."""
        return {**self._people("met"), **self.roster()}

    def _people(self, table: str) -> dict[str, Person]:
        query = f"SELECT student, login, name, student_id, email, section, platform_id FROM {table} ORDER BY rowid"
        return {row[0]: Person(*row[1:]) for row in self._base.execute(query)}

    def extend(self, student: str, homework: str, deadline: datetime | None) -> None:
        """Store a student's own deadline for one homework; None takes it back."""
        with self._base:
            if deadline is None:
                self._base.execute("DELETE FROM extensions WHERE student = ? AND homework = ?", (student, homework))
            else:
                row = (student, homework, deadline.isoformat())
                self._base.execute("INSERT OR REPLACE INTO extensions VALUES (?, ?, ?)", row)

    def extensions(self) -> dict[tuple[str, str], datetime]:
        """(student, homework) -> the student's own deadline."""
        rows = self._base.execute("SELECT student, homework, deadline FROM extensions ORDER BY student, homework")
        return {(student, homework): datetime.fromisoformat(time) for student, homework, time in rows}

    def keep_unclaimed(self, source: str, told: Iterable[str]) -> None:
        """Store sentences about what is of no student in a folder, in place of earlier ones about it."""
        with self._base:
            self._base.execute("DELETE FROM unclaimed WHERE source = ?", (source,))
            self._base.executemany("INSERT OR IGNORE INTO unclaimed VALUES (?, ?)", ((source, text) for text in told))

    def unclaimed(self) -> list[str]:
        """Sentences about what belongs to no student, for a person to look at."""
        return [row[0] for row in self._base.execute("SELECT text FROM unclaimed ORDER BY rowid")]

    def with_work(self) -> set[tuple[str, str]]:
        """(student, homework) of all submissions that hold files."""
        query = (
            "SELECT student, homework FROM submissions s WHERE EXISTS (SELECT 1 FROM files f WHERE f.digest = s.digest)"
        )
        return {(student, homework) for student, homework in self._base.execute(query)}

    def rename_student(self, old: str, new: str) -> None:
        """Give everything stored of a student to another name; what is stored under that already stays.

        Tables are found by their column `student`, so that none that is added later is forgotten.
        """
        names = [row[0] for row in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        with self._base:
            for table in names:
                columns = {row[1] for row in self._base.execute(f"PRAGMA table_info({table})")}
                if "student" in columns and table not in ("roster", "met"):
                    self._base.execute(f"UPDATE OR IGNORE {table} SET student = ? WHERE student = ?", (new, old))
                    self._base.execute(f"DELETE FROM {table} WHERE student = ?", (old,))
            self._base.execute("DELETE FROM met WHERE student = ?", (old,))
