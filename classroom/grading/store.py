"""OUT/results.sqlite: submissions, results, and points overridden by a person. Only one process writes it.

A result's key is (digest of the submission, version of the suite), and the first one written stays: a run that was
killed judges only what is missing when started again. Write-ahead logging keeps the file consistent.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from classroom.grading import history, pairs
from classroom.grading.errors import GradingError
from classroom.grading.feedback import comments
from classroom.grading.late import deadline_of, lateness
from classroom.grading.people import KEPT_OF_PEOPLE, TABLES, PeopleTables
from classroom.grading.points import nothing
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.settings import Settings
from classroom.grading.trouble import advice
from classroom.grading.words import NOT_HANDED_IN
from classroom.register import Exercise

FILE_NAME = "results.sqlite"
FORMAT = "1"
WAIT = 60.0
"""Seconds to wait while another command writes."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS suites (homework TEXT PRIMARY KEY, version TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS submissions (
    student TEXT, homework TEXT, digest TEXT NOT NULL, handed_in TEXT, faults TEXT NOT NULL,
    judged TEXT NOT NULL DEFAULT '', aside TEXT NOT NULL DEFAULT '[]', PRIMARY KEY (student, homework));
CREATE INDEX IF NOT EXISTS submissions_by_digest ON submissions (digest);
CREATE TABLE IF NOT EXISTS files (digest TEXT, name TEXT, data BLOB NOT NULL, PRIMARY KEY (digest, name));
CREATE TABLE IF NOT EXISTS results (
    digest TEXT, suite TEXT, isolation TEXT NOT NULL, infrastructure INTEGER NOT NULL, judged_at TEXT NOT NULL,
    graded TEXT NOT NULL, PRIMARY KEY (digest, suite));
CREATE TABLE IF NOT EXISTS overrides (
    number INTEGER PRIMARY KEY, student TEXT, homework TEXT, exercise TEXT, points REAL, why TEXT, at TEXT);
"""
ADDED = {"judged": "TEXT NOT NULL DEFAULT ''", "aside": "TEXT NOT NULL DEFAULT '[]'"}
"""Columns of `submissions` that files written by earlier versions may lack."""
JUDGED = ("student", "homework", "digest", "suite", "grades", "isolation", "seconds")
"""Columns of a result found by the judge."""
TAKEN_IN = "student, homework, handed_in, faults, digest, judged, aside"
ISOLATION_RANK = {Isolation.NONE: 0, Isolation.WEAK: 1, Isolation.STRONG: 2}


def holds_results(folder: Path) -> bool:
    """Whether the folder holds results of a grading run."""
    return (folder / FILE_NAME).is_file()


class Store(PeopleTables, Mapping[str, Submission]):
    """The results of one folder; also a mapping digest -> Submission.

    Raises GradingError for a file that is not a results file.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=WAIT)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            with self._base:
                self._base.executescript(SCHEMA + TABLES + comments.SCHEMA + pairs.SCHEMA)
                self._add_columns()
                history.begin(self._base)
                self._base.execute("INSERT OR IGNORE INTO meta VALUES ('format', ?)", (FORMAT,))
            found = self.meta("format")
        except (OSError, sqlite3.Error) as error:
            raise GradingError(advice(error, self.path)) from error
        if found != FORMAT:
            raise GradingError(f"{self.path}: expected format {FORMAT}, found {found}: take another folder")

    def _add_columns(self) -> None:
        there = {row[1] for row in self._base.execute("PRAGMA table_info(submissions)")}
        for name in ADDED.keys() - there:
            self._base.execute(f"ALTER TABLE submissions ADD COLUMN {name} {ADDED[name]}")

    @property
    def base(self) -> sqlite3.Connection:
        """The database, for modules with tables of their own in it."""
        return self._base

    def close(self) -> None:
        """Close the database."""
        self._base.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def meta(self, key: str, value: str | None = None) -> str | None:
        """The value stored under a key; if there is none, `value` is stored first."""
        if value is not None:
            with self._base:
                self._base.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (key, value))
        row = self._base.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def keep_suites(self, versions: Mapping[str, str]) -> None:
        """Set homework -> version of the suite whose results count from now on."""
        with self._base:
            self._base.executemany("INSERT OR REPLACE INTO suites VALUES (?, ?)", versions.items())

    def suites(self) -> dict[str, str]:
        """Homework -> version of the current suite."""
        return dict(self._base.execute("SELECT homework, version FROM suites"))

    def keep_submissions(self, submissions: Iterable[Submission]) -> None:
        """Store submissions, replacing earlier ones of the same students and homeworks."""
        with self._base:
            for one in submissions:
                time = one.handed_in.isoformat() if one.handed_in else None
                row = (one.student, one.homework, time, json.dumps(one.faults), one.digest, one.judged,
                       json.dumps(one.aside))  # fmt: skip
                self._base.execute(f"INSERT OR REPLACE INTO submissions ({TAKEN_IN}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
                rows = [(one.digest, name, zlib.compress(data)) for name, data in one.files.items()]
                self._base.executemany("INSERT OR IGNORE INTO files VALUES (?, ?, ?)", rows)
                history.note_submission(self._base, one)

    def submissions(self, student: str | None = None) -> Iterator[Submission]:
        """Submissions of one student or of all, sorted by student and homework."""
        query = f"SELECT {TAKEN_IN} FROM submissions"
        where, values = (" WHERE student = ?", (student,)) if student is not None else ("", ())
        for row in self._base.execute(f"{query}{where} ORDER BY student, homework", values).fetchall():
            yield self._submission(row)

    def __getitem__(self, digest: str) -> Submission:
        query = f"SELECT {TAKEN_IN} FROM submissions WHERE digest = ?"
        row = self._base.execute(query, (digest,)).fetchone()
        if row is None:
            raise KeyError(digest)
        return self._submission(row)

    def __iter__(self) -> Iterator[str]:
        return (row[0] for row in self._base.execute("SELECT digest FROM submissions").fetchall())

    def __len__(self) -> int:
        return int(self._base.execute("SELECT COUNT(*) FROM submissions").fetchone()[0])

    def _submission(self, row: tuple[str, str, str | None, str, str, str, str]) -> Submission:
        student, homework, time, faults, digest, judged, aside = row
        rows = self._base.execute("SELECT name, data FROM files WHERE digest = ? ORDER BY name", (digest,))
        files = {name: zlib.decompress(data) for name, data in rows}
        handed_in = datetime.fromisoformat(time) if time else None
        return Submission(
            student, homework, files, handed_in, tuple(json.loads(faults)), judged, tuple(json.loads(aside))
        )

    def is_judged(self, digest: str, suite: str) -> bool:
        """Whether there is a result for this submission and suite."""
        query = "SELECT 1 FROM results WHERE digest = ? AND suite = ?"
        return self._base.execute(query, (digest, suite)).fetchone() is not None

    def keep(self, graded: Graded) -> bool:
        """Store a result; False if there was one already, which is kept."""
        infrastructure = any(grade.status is Status.INFRASTRUCTURE for grade in graded.grades)
        row = (graded.digest, graded.suite, graded.isolation.value, infrastructure, _now(), to_json(graded))
        with self._base:
            new = self._base.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?)", row).rowcount == 1
            if new:
                history.note_result(self._base, graded)
        return new

    def forget(self, digest: str, suite: str) -> None:
        """Delete a result, so that the submission is judged again."""
        with self._base:
            self._base.execute("DELETE FROM results WHERE digest = ? AND suite = ?", (digest, suite))

    def forget_infrastructure(self) -> int:
        """Delete results with Status.INFRASTRUCTURE, so that they are judged again -> how many."""
        with self._base:
            return self._base.execute("DELETE FROM results WHERE infrastructure").rowcount

    def forget_weaker(self, isolation: Isolation) -> int:
        """Delete results from weaker isolation than this, so that they are judged again -> how many."""
        weaker = [level.value for level in ISOLATION_RANK if ISOLATION_RANK[level] < ISOLATION_RANK[isolation]]
        marks = ", ".join("?" * len(weaker))
        with self._base:
            return self._base.execute(f"DELETE FROM results WHERE isolation IN ({marks})", weaker).rowcount

    def override(self, student: str, homework: str, exercise: str, points: float, why: str) -> None:
        """Store points set by a person. Earlier decisions stay in the table; the last one counts."""
        row = (student, homework, exercise, points, why, _now())
        with self._base:
            self._base.execute(
                "INSERT INTO overrides (student, homework, exercise, points, why, at) VALUES (?, ?, ?, ?, ?, ?)", row
            )

    def overrides(self) -> dict[tuple[str, str, str], tuple[float, str]]:
        """(student, homework, exercise) -> (points, why) of the latest decisions."""
        query = "SELECT student, homework, exercise, points, why FROM overrides ORDER BY number"
        return {(row[0], row[1], row[2]): (row[3], row[4]) for row in self._base.execute(query)}

    def graded(
        self,
        settings: Settings,
        exercises: Mapping[str, Iterable[Exercise]],
        now: datetime | None = None,
        brief: bool = False,
    ) -> list[Graded]:
        """Results of all judged submissions, with lateness and faults, including those where nothing was handed in.

        `exercises` : homework -> its exercises; submissions for other homework are left out. So is homework that is not
        due and that nobody handed in, unless that is true of all. `now` decides what is due.
        `brief` : of the checks only what statistics need, see `from_json`: much faster for large classes.
        """
        now = now or datetime.now(UTC)
        query = """SELECT s.student, s.homework, s.digest, s.handed_in, s.faults, s.judged, s.aside,
            coalesce(u.version, ''), r.graded, EXISTS (SELECT 1 FROM files f WHERE f.digest = s.digest)
            FROM submissions s LEFT JOIN suites u ON u.homework = s.homework
            LEFT JOIN results r ON r.digest = s.digest AND r.suite = u.version ORDER BY s.student, s.homework"""
        found = []
        isolation, begun = self._isolation(), bool(self.suites())
        due = {homework for homework in exercises if lateness(homework, now, settings)[0]}
        extensions = self.extensions()
        rows = self._base.execute(query)
        for student, homework, digest, time, faults, judged, aside, version, graded, files in rows:
            if homework not in exercises or (files and graded is None):
                continue
            if not version and begun and homework not in due:
                continue
            told, handed_in = tuple(json.loads(faults)), datetime.fromisoformat(time) if time else None
            own = extensions.get((student, homework))
            days, factor = lateness(homework, handed_in, settings, own)
            if files:
                one = from_json(graded, brief)
            else:
                status = Status.UNREADABLE if told else Status.MISSING
                message = told[0] if told else NOT_HANDED_IN
                grades = tuple(nothing(exercise, status, message) for exercise in exercises[homework])
                one, days, factor = Graded(student, homework, digest, version, grades, isolation), None, 1.0
            found.append(
                replace(
                    one,
                    late_days=days,
                    factor=factor,
                    faults=told,
                    judged=judged,
                    handed_in=handed_in if files else None,
                    deadline=deadline_of(homework, settings, own),
                    due=homework in due and bool(lateness(homework, now, settings, own)[0]),
                    aside=tuple(json.loads(aside)),
                )
            )
        return found

    def unjudged(self) -> int:
        """Number of submissions with files but without a result of the current suite."""
        query = """SELECT COUNT(*) FROM submissions s JOIN suites u ON u.homework = s.homework
            WHERE EXISTS (SELECT 1 FROM files f WHERE f.digest = s.digest)
            AND NOT EXISTS (SELECT 1 FROM results r WHERE r.digest = s.digest AND r.suite = u.version)"""
        return int(self._base.execute(query).fetchone()[0])

    def _isolation(self) -> Isolation:
        """The weakest isolation of all results, used for submissions that needed none."""
        rows = self._base.execute("SELECT DISTINCT isolation FROM results")
        return min((Isolation(row[0]) for row in rows), key=ISOLATION_RANK.__getitem__, default=Isolation.STRONG)

    def merge(self, other: Path) -> int:
        """Import another folder's submissions, results and decisions -> number of new results.

        Raises GradingError if they were judged by different suites, or `other` holds no results.
        """
        if not holds_results(other):
            raise GradingError(f"{other}: expected {FILE_NAME} in it")
        with Store(other) as shard:
            mine, theirs = self.suites(), shard.suites()
            differ = sorted(name for name in mine.keys() & theirs.keys() if mine[name] != theirs[name])
            if differ:
                raise GradingError(f"{other} was judged by another version or seed of the tests of {', '.join(differ)}")
        with self._base:
            before = self._count()
        self._base.execute("ATTACH ? AS shard", (str(other / FILE_NAME),))
        try:
            with self._base:
                for table in ("suites", "meta", "files", "results", "attempts", "pairs", *KEPT_OF_PEOPLE):
                    self._base.execute(f"INSERT OR IGNORE INTO {table} SELECT * FROM shard.{table}")
                kept = f"({TAKEN_IN}) SELECT {TAKEN_IN} FROM shard.submissions"
                self._base.execute(f"INSERT OR REPLACE INTO submissions {kept}")
                columns = "student, homework, exercise, points, why, at"
                self._base.execute(
                    f"INSERT INTO overrides ({columns}) SELECT {columns} FROM shard.overrides "
                    f"EXCEPT SELECT {columns} FROM overrides ORDER BY at"
                )
                columns = "student, homework, exercise, text, at"
                self._base.execute(
                    f"INSERT INTO comments ({columns}) SELECT {columns} FROM shard.comments "
                    f"EXCEPT SELECT {columns} FROM comments ORDER BY at"
                )
        finally:
            self._base.execute("DETACH shard")
        return self._count() - before

    def _count(self) -> int:
        return int(self._base.execute("SELECT COUNT(*) FROM results").fetchone()[0])


def to_json(graded: Graded) -> str:
    """A result as text, without what is derived from the submission and the deadline on reading."""
    return json.dumps({name: getattr(graded, name) for name in JUDGED}, ensure_ascii=True, default=vars)


def from_json(text: str, brief: bool = False) -> Graded:
    """Parse what `to_json` wrote; `brief` : of each exercise only its first check and the public ones that failed."""
    table: dict[str, Any] = json.loads(text)
    grades = tuple(
        Grade(**{**one, "status": Status(one["status"]), "checks": tuple(Check(**check) for check in checks)})
        for one in table["grades"]
        for checks in (_telling(one["checks"]) if brief else one["checks"],)
    )
    kept = {name: table[name] for name in JUDGED}
    return Graded(**{**kept, "grades": grades, "isolation": Isolation(table["isolation"])})


def _telling(checks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [check for place, check in enumerate(checks) if not place or (check["public"] and not check["passed"])]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
