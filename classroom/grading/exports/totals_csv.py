"""totals.csv: a row for each student, with the points of each homework and their sum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from classroom.grading.exports.tables import csv_text
from classroom.grading.records import Graded
from classroom.grading.roster import Person
from classroom.grading.totals import total
from classroom.grading.words import lesson_of
from classroom.register import Course

COLUMNS = ("student", "name", "student_id", "email", "section")


def totals_csv(results: Sequence[Graded], register: Course, people: Mapping[str, Person]) -> str:
    """A row for each student, those of the class list who handed in nothing too.

    A cell is empty until there is a grade: before the deadline for what was not handed in, and while a submission waits
    to be judged; after the deadline it is 0. `points` is their sum and `of` the maximum of what counts so far.
    """
    graded: dict[str, dict[str, Graded]] = defaultdict(dict)
    for one in results:
        if one.counts and total(one).complete:
            graded[one.student][one.homework] = one
    homeworks = sorted({one.homework for one in results})
    lessons = [lesson_of(homework, register) for homework in homeworks]
    heads = [f"homework {one.number}" if one else name for one, name in zip(lessons, homeworks)]
    rows: list[list[object]] = [[*COLUMNS, *heads, "points", "of", "days late"]]
    for student in dict.fromkeys((*sorted({one.student for one in results}), *people)):
        who, own = people.get(student) or Person(""), graded[student]
        points = [total(own[homework]).points if homework in own else None for homework in homeworks]
        sums = [sum(total(one).points for one in own.values()), sum(total(one).most for one in own.values())]
        late = sum(one.late_days or 0 for one in own.values())
        known = (who.name, who.student_id, who.email, who.section)
        rows.append([student, *known, *points, *(sums if own else (None, None)), late if own else None])
    return csv_text(rows)
