"""Wording shared by pages and exports: the state of an exercise, lateness, faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from classroom.grading.disclosure import HAPPENED
from classroom.grading.points import UNWRITTEN, tests_passed
from classroom.grading.records import Check, Grade, Graded, Status
from classroom.grading.safe import one_line, points_text
from classroom.grading.totals import total
from classroom.register import Course, Exercise, Lesson

NO_HINT = "Try what the public tests do not: sizes of 1, other element types, negative numbers, wrong input."
"""Hint for a hidden test without its own."""
NOT_HANDED_IN = "nothing was handed in"
"""The message for a homework without files."""
MEANING = {
    Status.PASSED: "passed",
    Status.PARTIAL: "passed in part",
    Status.FAILED: "not passed",
    Status.MISSING: "nothing handed in",
    Status.UNREADABLE: "cannot be read",
    Status.INFRASTRUCTURE: "not judged yet",
    Status.OVERRIDDEN: "points set by a person",
}
"""A status in words."""


@dataclass(frozen=True)
class Tally:
    """Number of tests of one kind, and how many passed."""

    passed: int
    all: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.all}"


def tally(checks: Sequence[Check], public: bool) -> Tally:
    """Count the public or the hidden checks."""
    kind = [check for check in checks if check.public is public]
    return Tally(sum(check.passed for check in kind), len(kind))


def standing(grade: Grade) -> str:
    """The test results of an exercise in words; says "all tests" only if there were hidden ones.

    >>> standing(Grade("axby", 2, 2, Status.PASSED, checks=(Check("axby", "t", public=True, passed=True),)))
    'public tests passed (1 of 1)'
    """
    if grade.status in (Status.MISSING, Status.UNREADABLE, Status.INFRASTRUCTURE) or not grade.checks:
        return status_in_words(grade)
    public, hidden = tally(grade.checks, True), tally(grade.checks, False)
    parts = [_counted(count, kind) for count, kind in ((public, "public"), (hidden, "hidden")) if count.all]
    return ", ".join(parts)


def status_in_words(grade: Grade) -> str:
    """The status of a grade in words; an unchanged stub was handed in, but not written."""
    return UNWRITTEN if grade.status is Status.MISSING and grade.checks else MEANING[grade.status]


def remark(grade: Grade) -> str:
    """What the judge's message adds to `status_in_words` and `standing`, without errors of the judge itself.

    >>> remark(Grade("axby", 0, 2, Status.MISSING, "not written yet; judged from the worksheet"))
    'judged from the worksheet'
    """
    if grade.status is Status.INFRASTRUCTURE:
        return ""
    message = grade.message
    for said in (tests_passed(grade.checks), UNWRITTEN, NOT_HANDED_IN):
        message = message.removeprefix(said).removeprefix("; ") if said else message
    return message


def _counted(count: Tally, kind: str) -> str:
    if count.passed == count.all:
        return f"{kind} tests passed ({count})"
    return f"{count} {kind} test{'s' * (count.all != 1)} passed"


def requirement(check: Check) -> str:
    """What a public test requires: its docstring, else its name in words."""
    return one_line(check.hint or check.name.replace("_", " "), 300)


def remarks(graded: Graded) -> list[str]:
    """Remarks on the whole submission: lateness and its deduction, why nothing runs, faults."""
    words = [line for line in (lateness_remark(graded), stopped(graded)) if line]
    told = dict.fromkeys((*graded.faults, *graded.aside))
    return [*words, *(one_line(fault, 400) for fault in told)]


def lateness_remark(graded: Graded) -> str:
    """How late it was and the deduction; "" if on time."""
    factor, points, days = graded.factor, total(graded), days_late(graded).rstrip(".")
    if days:
        if factor == 1:
            return f"{days}; no points are deducted."
        return f"{days}: {points_text(points.raw)} points × {points_text(factor)} = {points_text(points.points)}."
    if factor != 1:
        return f"Deduction: {points_text(points.raw)} points × {points_text(factor)} = {points_text(points.points)}."
    return ""


def days_late(graded: Graded) -> str:
    """How late it was, without points; "" if on time."""
    count = graded.late_days
    return f"Handed in {count} day{'s' * (count != 1)} late." if count else ""


def stopped(graded: Graded) -> str:
    """Why no test could run, if the file cannot be imported; else ""."""
    checks = [check for grade in graded.grades for check in grade.checks]
    if any(check.passed for check in checks) or HAPPENED["load"] not in {check.message for check in checks}:
        return ""
    return next((check.told for check in checks if check.public), HAPPENED["load"])


def when(time: datetime, zone: tzinfo | None = None) -> str:
    """A time to the minute with UTC offset, in the given zone or its own.

    >>> from datetime import UTC
    >>> when(datetime(2027, 3, 1, 12, 30, 59, tzinfo=UTC))
    '2027-03-01 12:30 UTC'
    """
    there = time.astimezone(zone or time.tzinfo)
    offset = there.isoformat()[-6:] if there.utcoffset() else ""
    return f"{there:%Y-%m-%d %H:%M} UTC{offset}"


def numbers_of(homeworks: Sequence[str], register: Course) -> str:
    """Homework numbers, three or more in a row as a range: "homework 1, 2 and 4 to 6"; unknown ones by folder."""
    known = sorted(lesson.number for name in homeworks if (lesson := lesson_of(name, register)))
    rows: list[list[int]] = []
    for number_ in known:
        if rows and number_ == rows[-1][-1] + 1:
            rows[-1].append(number_)
        else:
            rows.append([number_])
    words = [word for row in rows for word in ([f"{row[0]} to {row[-1]}"] if len(row) > 2 else map(str, row))]
    others = [one_line(name, 80) for name in homeworks if lesson_of(name, register) is None]
    joined = " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    return ", ".join([f"homework {joined}"] * bool(words) + others)


def lesson_of(homework: str, register: Course) -> Lesson | None:
    """The lesson with that homework folder, None if there is none."""
    return next((lesson for lesson in register.lessons if lesson.folder == homework), None)


def title_of(homework: str, register: Course) -> str:
    """The homework's display name: "Homework 2: Tensor"."""
    lesson = lesson_of(homework, register)
    return f"Homework {lesson.number}: {lesson.title}" if lesson else one_line(homework, 80)


def exercise_of(grade: Grade, lesson: Lesson | None) -> Exercise:
    """The exercise in the register; if there is none, one made from the grade."""
    found = next((one for one in lesson.exercises if one.id == grade.exercise), None) if lesson else None
    return found or Exercise(grade.exercise, "", int(grade.max_points), stretch=grade.stretch)
