"""How a class gets on: points and lateness of each homework, hand-ins by week, points by attempt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta

from classroom.grading.charts import histogram
from classroom.grading.history import HandIn
from classroom.grading.report.gather import ClassRecord
from classroom.register import Lesson

LATE = ("on time", "1 day late", "2 days late", "3 or more days late", "time unknown", "nothing handed in")
"""What `HomeworkNumbers.late` counts."""
MANY = 5
"""Attempts from this one on are counted together."""


@dataclass(frozen=True)
class HomeworkNumbers:
    """One homework, for a group of students.

    bins : students by their share of the points after deductions, as `charts.LABELS` has them.
    late : students by lateness, as LATE has them. mean : mean share, None if nobody has any.
    """

    bins: tuple[int, ...]
    late: tuple[int, ...]
    mean: float | None


@dataclass(frozen=True)
class Stage:
    """Attempts of one week, or of one number: how many, and their mean share of the points; None if none was judged."""

    label: str
    count: int
    mean: float | None


def homework_numbers(record: ClassRecord, lesson: Lesson, students: Collection[str]) -> HomeworkNumbers:
    """The numbers of one homework for these students. Without points: what is not judged, and not yet due."""
    late, shares = [0] * len(LATE), list[float]()
    for student in students:
        one = record.graded.get((student, lesson.folder))
        if one is None or not one.counts:
            continue
        points = record.totals[student, lesson.folder]
        if not one.is_handed_in:
            late[5] += 1
        elif one.late_days is None:
            late[4] += 1
        else:
            late[min(one.late_days, 3)] += 1
        if one.is_handed_in and points.complete and points.most:
            shares.append(points.regular / points.most)
    mean = sum(shares) / len(shares) if shares else None
    return HomeworkNumbers(tuple(histogram(shares, 1.0)), tuple(late), mean)


def weeks(record: ClassRecord, students: Collection[str]) -> list[Stage]:
    """The attempts of these students by week, from the first to the last; labelled by their Mondays."""
    known, most = set(students), _most(record)
    found = defaultdict[date, list[HandIn]](list)
    for one in record.hand_ins:
        if one.handed_in is not None and one.student in known:
            day = one.handed_in.astimezone(UTC).date()
            found[day - timedelta(days=day.weekday())].append(one)
    if not found:
        return []
    count = (max(found) - min(found)).days // 7 + 1
    days = [min(found) + timedelta(weeks=k) for k in range(min(count, 104))]
    return [_stage(day.isoformat(), found.get(day, []), most) for day in days]


def attempts(record: ClassRecord, students: Collection[str]) -> list[Stage]:
    """The attempts of these students by their number, counted for each homework; from MANY on together."""
    known, most, key, number = set(students), _most(record), ("", ""), 0
    found = defaultdict[int, list[HandIn]](list)
    for one in record.hand_ins:
        if one.student in known:
            number = number + 1 if (one.student, one.homework) == key else 1
            key = (one.student, one.homework)
            found[min(number, MANY)].append(one)
    return [_stage(f"{k}." if k < MANY else f"{k}. and later", found[k], most) for k in sorted(found)]


def _most(record: ClassRecord) -> dict[str, float]:
    return {lesson.folder: float(lesson.points) for lesson in record.lessons}


def _stage(label: str, found: Sequence[HandIn], most: dict[str, float]) -> Stage:
    shares = [
        min(1.0, sum(points for points, _ in one.points.values()) / most[one.homework])
        for one in found
        if one.points is not None and most.get(one.homework)
    ]
    return Stage(label, len(found), sum(shares) / len(shares) if shares else None)
