"""Lateness: days after the deadline, and the deduction."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta

from classroom.grading.errors import GradingError
from classroom.grading.settings import Settings
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


def lateness(
    homework: str, handed_in: datetime | None, settings: Settings, extension: datetime | None = None
) -> tuple[int | None, float]:
    """(late days, factor) of a homework handed in at that time; `extension` : the student's own deadline."""
    grace = timedelta(minutes=settings.grace_minutes)
    days = late_days(handed_in, deadline_of(homework, settings, extension), grace)
    return days, factor_of(days, settings)


def deadline_of(homework: str, settings: Settings, extension: datetime | None = None) -> datetime | None:
    """The deadline that holds for a student: the later of the homework's and the student's own; None without one."""
    regular = settings.deadlines.get(homework)
    return max(regular, extension) if regular and extension else regular


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


def folder_of(name: str, course: Course, where: str) -> str:
    """The folder of the homework with this folder, number or file name; "" for no name. Raises GradingError."""
    name = name.strip()
    for lesson in course.lessons:
        if name and name in (lesson.folder, str(lesson.number), lesson.homework_file):
            return lesson.folder
    if name:
        raise GradingError(f"{where}: no homework is called {name!r:.80}")
    return ""
