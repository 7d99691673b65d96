"""Write the files for grade books: Gradescope's results.json, nbgrader's, Canvas's and Moodle's tables.

A submission that could not be judged is left out of all: it has no grade yet. So is a homework that is neither handed
in nor due. Students whose names a grade book could confuse are left out of the tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from classroom.grading.exports.canvas import NO_PEOPLE, canvas
from classroom.grading.exports.gradescope import gradescope
from classroom.grading.exports.moodle import moodle
from classroom.grading.exports.nbgrader import nbgrader
from classroom.grading.exports.tables import alike
from classroom.grading.pages import save_page
from classroom.grading.records import Graded, Isolation, Submission
from classroom.grading.roster import Person
from classroom.grading.safe import file_names
from classroom.grading.totals import total
from classroom.register import Course


def export_refusal(results: Sequence[Graded]) -> str:
    """Why these results must not be exported; "" if they may be."""
    below = [one for one in results if one.isolation is not Isolation.STRONG]
    if not below:
        return ""
    worst = Isolation.NONE if any(one.isolation is Isolation.NONE for one in below) else Isolation.WEAK
    count = f"{len(below)} submission{'s were' if len(below) > 1 else ' was'}"
    return f"{count} judged in isolation below strong ({worst.value}), where a submission can change its own grade"


def _has_ids(person: Person | None) -> bool:
    return person is not None and bool(person.platform_id or person.student_id or person.email)


def write_exports(
    folder: Path,
    results: Sequence[Graded],
    register: Course,
    names: Mapping[str, str],
    submissions: Mapping[str, Submission],
    people: Mapping[str, Person] = NO_PEOPLE,
) -> list[str]:
    """Write gradescope/HOMEWORK/STUDENT/results.json, nbgrader.csv, canvas.csv and moodle/HOMEWORK.csv -> messages.

    people : student -> what the class list or the course system says. Those who have ids of their own there are told
    apart by them, whatever their names are.
    """
    ready = [one for one in results if total(one).complete and one.counts]
    twins = [name for name in alike(names) if not _has_ids(people.get(name))]
    in_tables = [one for one in ready if one.student not in twins]
    homeworks = file_names(one.homework for one in ready)
    for one in ready:
        path = folder / "gradescope" / homeworks[one.homework] / names[one.student] / "results.json"
        save_page(path, json.dumps(gradescope(one, register), indent=1, ensure_ascii=False) + "\n")
    save_page(folder / "nbgrader.csv", nbgrader(in_tables, submissions, people))
    save_page(folder / "canvas.csv", canvas(in_tables, register, people))
    for homework, name in homeworks.items():
        save_page(folder / "moodle" / f"{name}.csv", moodle(homework, in_tables, register, people))
    waiting = sum(not total(one).complete for one in results)
    blank = len(results) - len(ready) - waiting
    more = f"; {waiting} without a grade left out, to be judged again" if waiting else ""
    more += f"; {blank} neither handed in nor due left blank" if blank else ""
    lines = [f"exports for Gradescope, nbgrader, Canvas and Moodle: {folder}{more}"]
    if twins:
        said = " and ".join(repr(name[:60]) for name in twins)
        lines.append(f"no row for {said} in the tables for grade books, where their names would be the same")
    return lines
