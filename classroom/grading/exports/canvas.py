"""Canvas's grade-book table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from classroom.grading.exports.tables import csv_text
from classroom.grading.records import Graded
from classroom.grading.roster import Person
from classroom.grading.totals import total
from classroom.grading.words import title_of
from classroom.register import Course

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
"""Canvas's columns that identify a student; a column per assignment follows."""
NO_PEOPLE: Mapping[str, Person] = {}


def canvas(results: Sequence[Graded], register: Course, people: Mapping[str, Person] = NO_PEOPLE) -> str:
    """Canvas's grade-book table: a row per student, a column per homework.

    The second row holds the points possible; no student's name may look like it. Cells without a grade are empty, which
    leaves what Canvas has. Canvas finds a student by its own ID, else by SIS User ID, else by SIS Login ID.

    Source: lib/gradebook_importer.rb of https://github.com/instructure/canvas-lms
    """
    homeworks = sorted({one.homework for one in results})
    by_key = {(one.student, one.homework): total(one) for one in results}
    most = {one.homework: total(one).most for one in results}
    rows: list[list[object]] = [
        [*CANVAS, *(title_of(homework, register) for homework in homeworks)],
        ["Points Possible", *[""] * (len(CANVAS) - 1), *(most[homework] for homework in homeworks)],
    ]
    for student in dict.fromkeys(one.student for one in results):
        found = [by_key.get((student, homework)) for homework in homeworks]
        who = people.get(student) or Person(student)
        name = re.sub("points(?= *possible)", "points,", who.name or student, flags=re.IGNORECASE)
        ids = (who.platform_id, who.student_id, who.login, who.section)
        rows.append([name, *ids, *(one.points if one else None for one in found)])
    return csv_text(rows)
