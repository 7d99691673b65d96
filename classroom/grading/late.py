"""Lateness: days after the deadline, the deduction, and a table of submission times to use instead of file times."""

from __future__ import annotations

import csv
import math
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from classroom.grading.settings import GradingError, Settings
from classroom.register import Course

Times = Mapping[tuple[str, str], datetime]
"""(student, homework's folder) -> when; the folder is "" where the time holds for every homework."""


def late_days(handed_in: datetime | None, deadline: datetime | None, grace: timedelta) -> int | None:
    """Days started after the deadline plus grace; 0 without a deadline, None if the time is unknown.

    >>> from datetime import UTC
    >>> noon = datetime(2027, 3, 1, 12, tzinfo=UTC)
    >>> late_days(noon + timedelta(hours=25), noon, timedelta(minutes=15))
    2
    """
    if deadline is None:
        return 0
    if handed_in is None:
        return None
    return max(0, math.ceil((handed_in - deadline - grace) / timedelta(days=1)))


def factor_of(days: int | None, settings: Settings) -> float:
    """The factor for the points: 1 if on time or unknown, 0 after the last late day.

    >>> factor_of(2, Settings(late_deduction=0.1, late_days_at_most=5))
    0.8
    """
    if not days:
        return 1.0
    return 0.0 if days > settings.late_days_at_most else max(0.0, round(1.0 - settings.late_deduction * days, 9))


def lateness(homework: str, handed_in: datetime | None, settings: Settings) -> tuple[int | None, float]:
    """(late days, factor) of a homework handed in at that time."""
    grace = timedelta(minutes=settings.grace_minutes)
    days = late_days(handed_in, settings.deadlines.get(homework), grace)
    return days, factor_of(days, settings)


def read_times(path: Path, course: Course) -> Times:
    """Read a CSV table with columns student, time and, optionally, homework (folder, number or file name).

    Times are ISO 8601, in this machine's local time if without an offset. If several match, the last one counts.
    Raises GradingError with the line number.
    """
    found: dict[tuple[str, str], datetime] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            missing = {"student", "time"} - set(rows.fieldnames or ())
            if missing:
                raise GradingError(f"{path}: expected the columns student, time and perhaps homework in its first line")
            for row in rows:
                where = f"{path}, line {rows.line_num}"
                homework = _folder(row.get("homework") or "", course, where)
                found[(plain_name(row["student"] or ""), homework)] = _time(row["time"] or "", where)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise GradingError(f"{path}: {error}") from error
    return found


def listed_time(times: Times, student: str, homework: str) -> datetime | None:
    """The time in the table for a student's homework."""
    return times.get((student, homework), times.get((student, "")))


def plain_name(name: str) -> str:
    """The canonical form of a student's name: NFC, stray bytes as \\udcNN, stripped.

    >>> plain_name("  Zoe\\u0308 ")
    'Zoë'
    """
    composed = unicodedata.normalize("NFC", name).strip()
    return composed.encode("utf-8", "backslashreplace").decode("utf-8")


def parse_time(text: str) -> datetime:
    """Parse a time in ISO 8601, or as nbgrader and Gradescope write it: "2027-03-01 15:58:23.948203 UTC".

    Raises ValueError.
    """
    words = text.strip().strip("'\"").split()
    if len(words) > 1 and words[-1] in ("UTC", "Z", "GMT"):
        words[-1] = "+00:00"
    joined = "T".join(words[:2]) + "".join(words[2:3])
    head, point, fraction = joined.partition(".")
    digits = len(fraction) - len(fraction.lstrip("0123456789"))
    if point:
        joined = f"{head}.{fraction[: min(digits, 6)].ljust(6, '0')}{fraction[digits:]}"
    time = datetime.fromisoformat(joined)
    return time if time.tzinfo else time.astimezone()


def _time(text: str, where: str) -> datetime:
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        raise GradingError(f"{where}: expected a time such as 2027-03-01T23:59:00+01:00, found {text!r:.80}") from None


def _folder(name: str, course: Course, where: str) -> str:
    name = name.strip()
    for lesson in course.lessons:
        if name and name in (lesson.folder, str(lesson.number), lesson.homework_file):
            return lesson.folder
    if name:
        raise GradingError(f"{where}: no homework is called {name!r:.80}")
    return ""
