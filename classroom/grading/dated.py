"""CSV tables that give a student a time: when something was handed in, or until when it may be (an extension)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path

from classroom.grading.errors import GradingError
from classroom.grading.late import Times, folder_of, parse_time
from classroom.grading.roster import COLUMNS, Roster, read_table
from classroom.grading.settings import Settings
from classroom.register import Course

PEOPLE = {field: COLUMNS[field] for field in ("login", "email", "student_id", "name", "platform_id")}
TIME = ("time", "submission time", "last modified (submission)", "submitted at", "timestamp", "handed in")
DEADLINE = ("deadline", "extension", "until", "extended due date", "due date", "due")
HOMEWORK = ("homework", "assignment")
_MOODLE = re.compile(r"(?:\w+, )?(\d{1,2} \w+ \d{4}, \d{1,2}:\d\d) ?([AP]M)?", re.I)
"""Moodle's time in English: "Monday, 1 March 2027, 11:59 PM"."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Dated:
    """One row: what the student may be called, the class list's word first; the homework's folder, "" for all."""

    names: tuple[str, ...]
    homework: str
    time: datetime
    line: int


def read_dated(path: Path, headings: Sequence[str], course: Course, roster: Roster | None = None) -> list[Dated]:
    """The rows that have a time, in their order. Raises GradingError that names the line."""
    rows, columns = read_table(path, {**PEOPLE, "homework": HOMEWORK, "time": tuple(headings)})
    if "time" not in columns or not PEOPLE.keys() & columns.keys():
        raise GradingError(f"{path}: expected the columns student, {headings[0]}, perhaps homework in its first line")
    found = []
    for line, row in rows:
        where = f"{path}, line {line}"
        names = [row[field] for field in PEOPLE if row.get(field)]
        if not names:
            raise GradingError(f"{where}: expected a student, found none")
        if not row.get("time") or row["time"] == "-":
            continue
        people = {person for name in names if roster and (person := roster.find(name))}
        if len(people) > 1:
            raise GradingError(f"{where}: {' and '.join(sorted(one.key for one in people))} are two people")
        keys = (*(one.key for one in people), *names)
        homework = folder_of(row.get("homework", ""), course, where)
        found.append(Dated(tuple(dict.fromkeys(keys)), homework, _time(row["time"], where), line))
    return found


def read_times(path: Path, course: Course, roster: Roster | None = None) -> Times:
    """(student, homework) -> when it was handed in, from a CSV table; if several rows match, the last one counts.

    A student is a column of the class list's (login, e-mail, id, name); the time is called time, submission time, or as
    in Moodle's grading worksheet, and is ISO 8601 or Moodle's, in this machine's local time if without an offset; the
    homework is a folder, number or file name. Raises GradingError with the line number.
    """
    return times_of(read_dated(path, TIME, course, roster))


def times_of(rows: Sequence[Dated]) -> Times:
    """(student, homework) -> time, for everything that a student may be called."""
    local = ((row, row.time if row.time.tzinfo else row.time.astimezone()) for row in rows)
    return {(name, row.homework): time for row, time in local for name in row.names}


def read_extensions(
    path: Path, course: Course, settings: Settings, roster: Roster | None = None
) -> Mapping[tuple[str, str], datetime]:
    """(student, homework) -> the student's own deadline. Raises GradingError with the line number."""
    found = {}
    for row in read_dated(path, DEADLINE, course, roster):
        where = f"{path}, line {row.line}"
        if not row.homework:
            raise GradingError(f"{where}: expected a homework, found none")
        if roster and not any(one.key == row.names[0] for one in roster.people):
            raise GradingError(f"{where}: {row.names[0]!r:.80} is not in the class list")
        found[row.names[0], row.homework] = checked(row.time, row.homework, settings, where)
    return found


def extension_of(text: str, homework: str, settings: Settings) -> datetime:
    """A deadline as typed: a time, or a day, which means its last minute where the course is. Raises GradingError."""
    return checked(_time(text, "the new deadline"), homework, settings, "the new deadline")


def checked(moment: datetime, homework: str, settings: Settings, where: str) -> datetime:
    """The extension with the offset of the homework's deadline, if it is later than that. Raises GradingError."""
    regular = settings.deadlines.get(homework)
    if regular is None:
        raise GradingError(f"{where}: {homework} has no deadline in course.toml, so nobody needs an extension")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=regular.tzinfo)
    if moment <= regular:
        raise GradingError(f"{where}: {moment.isoformat()} is not after the deadline of all, {regular.isoformat()}")
    return moment


def _time(text: str, where: str) -> datetime:
    """A time; a day alone is its last minute, and has no offset yet."""
    try:
        if _DAY.fullmatch(text.strip()):
            return datetime.combine(datetime.fromisoformat(text.strip()), time(23, 59))
        if moodle := _MOODLE.fullmatch(text.strip()):
            form = "%d %B %Y, %I:%M %p" if moodle[2] else "%d %B %Y, %H:%M"
            return datetime.strptime(f"{moodle[1]} {moodle[2] or ''}".strip(), form).astimezone()
        return parse_time(text)
    except (ValueError, OverflowError):
        raise GradingError(f"{where}: expected a time such as 2027-03-01T23:59:00+01:00, found {text!r:.80}") from None
