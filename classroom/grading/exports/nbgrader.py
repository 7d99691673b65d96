"""nbgrader's table of grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from classroom.grading.exports.tables import csv_text
from classroom.grading.records import Graded, Submission
from classroom.grading.roster import Person
from classroom.grading.totals import total

NBGRADER = ("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
            "late_submission_penalty", "score", "max_score")  # fmt: skip
"""The columns of nbgrader's own CsvExportPlugin (nbgrader/plugins/export.py)."""
NO_PEOPLE: Mapping[str, Person] = {}


def nbgrader(
    results: Iterable[Graded], submissions: Mapping[str, Submission], people: Mapping[str, Person] = NO_PEOPLE
) -> str:
    """nbgrader's table: a row per student and homework; unknown cells are empty."""
    rows: list[list[object]] = [list(NBGRADER)]
    for one in results:
        points, handed_in = total(one), getattr(submissions.get(one.digest), "handed_in", None)
        time = handed_in.isoformat(sep=" ") if handed_in else ""
        who = people.get(one.student) or Person(one.student)
        last, first = names_of(who.name)
        known = [one.homework, "", time, one.student, last, first, who.email]
        rows.append([*known, points.raw, points.deducted, points.points, points.most])
    return csv_text(rows)


def names_of(name: str) -> tuple[str, str]:
    """(last name, first names) of a full name, in either order.

    >>> names_of("Smith, Ann"), names_of("Ann Mary Smith"), names_of("Ann")
    (('Smith', 'Ann'), ('Smith', 'Ann Mary'), ('Ann', ''))
    """
    last, comma, first = (part.strip() for part in name.partition(","))
    if comma:
        return last, first
    first, _, last = name.strip().rpartition(" ")
    return last, first
