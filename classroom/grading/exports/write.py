"""Files for grade books: Gradescope's results.json, nbgrader's and Canvas's tables.

A submission that could not be judged is left out of all three: it has no grade yet. So is a homework that is neither
handed in nor due. Students whose names a grade book could confuse are left out of the tables.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from classroom.grading.pages import save_page
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.safe import cell, file_names, one_line, truncated
from classroom.grading.totals import total
from classroom.grading.words import (
    NO_HINT,
    exercise_of,
    lesson_of,
    remark,
    remarks,
    requirement,
    standing,
    stopped,
    title_of,
)
from classroom.register import Course, Lesson

NBGRADER = ("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
            "late_submission_penalty", "score", "max_score")  # fmt: skip
"""The columns of nbgrader's own CsvExportPlugin (nbgrader/plugins/export.py)."""
CANVAS = ("Student", "ID", "SIS Login ID", "Section")
"""Canvas's columns that identify a student; a column per assignment follows."""


def export_refusal(results: Sequence[Graded]) -> str:
    """Why these results must not be exported; "" if they may be."""
    below = [one for one in results if one.isolation is not Isolation.STRONG]
    if not below:
        return ""
    worst = Isolation.NONE if any(one.isolation is Isolation.NONE for one in below) else Isolation.WEAK
    count = f"{len(below)} submission{'s were' if len(below) > 1 else ' was'}"
    return f"{count} judged in isolation below strong ({worst.value}), where a submission can change its own grade"


def write_exports(
    folder: Path,
    results: Sequence[Graded],
    register: Course,
    names: Mapping[str, str],
    submissions: Mapping[str, Submission],
) -> list[str]:
    """Write gradescope/HOMEWORK/STUDENT/results.json, nbgrader.csv and canvas.csv -> messages to print."""
    ready = [one for one in results if total(one).complete and one.counts]
    twins = alike(names)
    in_tables = [one for one in ready if one.student not in twins]
    homeworks = file_names(one.homework for one in ready)
    for one in ready:
        path = folder / "gradescope" / homeworks[one.homework] / names[one.student] / "results.json"
        save_page(path, json.dumps(gradescope(one, register), indent=1, ensure_ascii=False) + "\n")
    save_page(folder / "nbgrader.csv", nbgrader(in_tables, submissions))
    save_page(folder / "canvas.csv", canvas(in_tables, register))
    waiting = sum(not total(one).complete for one in results)
    blank = len(results) - len(ready) - waiting
    more = f"; {waiting} without a grade left out, to be judged again" if waiting else ""
    more += f"; {blank} neither handed in nor due left blank" if blank else ""
    lines = [f"exports for Gradescope, nbgrader and Canvas: {folder}{more}"]
    if twins:
        said = " and ".join(repr(name[:60]) for name in twins)
        lines.append(f"no row for {said} in nbgrader.csv and canvas.csv, where their names would be the same")
    return lines


def alike(students: Iterable[str]) -> list[str]:
    """Students whose names differ only in case or in invisible characters.

    >>> alike(["ann", "Ann", "bo"])
    ['ann', 'Ann']
    """
    students = list(students)
    cells = Counter(cell(student).casefold() for student in students)
    return [student for student in students if cells[cell(student).casefold()] > 1]


def gradescope(graded: Graded, register: Course) -> dict[str, object]:
    """The results.json of one submission: one test per exercise, visible to the student after grades are published.

    Hidden tests are part of their exercise's text rather than tests with visibility "hidden", because with any of
    those Gradescope shows the student no total. Output and run time are not shown, since they could leak hidden
    inputs. Formats are "text", because Gradescope's default for the whole output is HTML.

    Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    points = total(graded)
    lesson = lesson_of(graded.homework, register)
    return {
        "score": points.points,
        "output": "\n".join(remarks(graded)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "after_published",
        "stdout_visibility": "hidden",
        "extra_data": {"isolation": graded.isolation.value, "late_days": graded.late_days, "suite": graded.suite},
        "tests": [_test(grade, lesson, place, bool(stopped(graded))) for place, grade in enumerate(graded.grades, 1)],
    }


def _test(grade: Grade, lesson: Lesson | None, place: int, stopped_all: bool) -> dict[str, object]:
    title = exercise_of(grade, lesson).title
    name = one_line(f"{grade.exercise}: {title}" if title else grade.exercise)
    full = grade.points >= grade.max_points
    return {
        "score": round(grade.points, 6),
        "max_score": grade.max_points,
        "status": "passed" if full else "failed",
        "name": f"{name} (bonus)" if grade.stretch else name,
        "number": f"{lesson.number if lesson else 0}.{place}",
        "output": truncated("\n\n".join([standing(grade)] if stopped_all else _in_words(grade)), 20_000),
        "visibility": "after_published",
    }


def _in_words(grade: Grade) -> list[str]:
    words = [standing(grade)]
    if grade.status is Status.INFRASTRUCTURE or remark(grade):
        words.append(remark(grade) or grade.message)
    if grade.status is not Status.MISSING:
        words += [_failure(check) for check in grade.checks if not check.passed]
    return words


def _failure(check: Check) -> str:
    if not check.public:
        return f"hidden test failed: {check.hint or NO_HINT}"
    parts = [("", check.told), ("called: ", check.call), ("expected: ", check.expected), ("got: ", check.got)]
    return "\n".join([f"public test failed: {requirement(check)}", *(label + text for label, text in parts if text)])


def nbgrader(results: Iterable[Graded], submissions: Mapping[str, Submission]) -> str:
    """nbgrader's table: a row per student and homework; unknown cells are empty."""
    rows: list[list[object]] = [list(NBGRADER)]
    for one in results:
        points, handed_in = total(one), getattr(submissions.get(one.digest), "handed_in", None)
        time = handed_in.isoformat(sep=" ") if handed_in else ""
        known = [one.homework, "", time, one.student, "", "", ""]
        rows.append([*known, points.raw, points.deducted, points.points, points.most])
    return csv_text(rows)


def canvas(results: Sequence[Graded], register: Course) -> str:
    """Canvas's grade-book table: a row per student, a column per homework.

    The second row holds the points possible; no student's name may look like it. Cells without a grade are empty.
    Canvas identifies students by SIS Login ID, so submission folders must be named after that.

    Source: lib/gradebook_importer.rb of https://github.com/instructure/canvas-lms
    """
    homeworks = sorted({one.homework for one in results})
    by_key = {(one.student, one.homework): total(one) for one in results}
    most = {one.homework: total(one).most for one in results}
    rows: list[list[object]] = [
        [*CANVAS, *(title_of(homework, register) for homework in homeworks)],
        ["Points Possible", "", "", "", *(most[homework] for homework in homeworks)],
    ]
    for student in dict.fromkeys(one.student for one in results):
        found = [by_key.get((student, homework)) for homework in homeworks]
        name = re.sub("points(?= *possible)", "points,", student, flags=re.IGNORECASE)
        rows.append([name, "", student, "", *(one.points if one else None for one in found)])
    return csv_text(rows)


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, with every cell made safe."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()
