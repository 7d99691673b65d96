"""Moodle's grade import: a table for each homework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from classroom.grading.exports.tables import csv_text
from classroom.grading.records import Graded
from classroom.grading.roster import Person
from classroom.grading.totals import total
from classroom.grading.words import title_of
from classroom.register import Course

MOODLE = ("Email address", "ID number", "Username")
"""Columns of which one is mapped on import to a field of Moodle's users."""


def moodle(homework: str, results: Sequence[Graded], register: Course, people: Mapping[str, Person]) -> str:
    """The points of one homework, for Grades > Import > CSV file.

    Only students with a grade have a row: Moodle takes an empty cell for "no grade", and removes the one it has.

    Source: https://docs.moodle.org/en/Grade_import
    """
    rows: list[list[object]] = [[*MOODLE, title_of(homework, register)]]
    for one in results:
        who = people.get(one.student) or Person(one.student)
        if one.homework == homework:
            rows.append([who.email, who.student_id, who.login, total(one).points])
    return csv_text(rows)
