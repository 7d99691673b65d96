"""All reports: a page per student, a summary, files for grade books."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from classroom.grading import notebook
from classroom.grading.errors import GradingError
from classroom.grading.exports.canvas import NO_PEOPLE
from classroom.grading.exports.totals_csv import totals_csv
from classroom.grading.exports.write import export_refusal, write_exports
from classroom.grading.feedback import feedback_page
from classroom.grading.feedback.comments import Comments
from classroom.grading.feedback.rules import AT_ONCE, FeedbackRules
from classroom.grading.intake.recognise import WORKSHEET, stub_of_lesson
from classroom.grading.pages import save_page
from classroom.grading.records import Graded, Submission
from classroom.grading.roster import Person
from classroom.grading.safe import cell, file_names, one_line
from classroom.grading.similarity import Comparison, Known, compare_submissions
from classroom.grading.summary import ranges, summary_page
from classroom.grading.taken import index_of
from classroom.grading.totals import Overrides, overridden
from classroom.progress import write_whole
from classroom.register import Course, Lesson
from classroom.stubs import names_of, readable

COLUMNS = ("homework", "student", "exercise", "share", "lines", "other student", "where")


def write_reports(
    out: Path,
    graded: Sequence[Graded],
    register: Course,
    *,
    overrides: Overrides | None = None,
    submissions: Mapping[str, Submission] | None = None,
    force: bool = False,
    comments: Comments | None = None,
    rules: FeedbackRules = AT_ONCE,
    compared: Callable[[Comparison], None] = lambda found: None,
    people: Mapping[str, Person] = NO_PEOPLE,
    unclaimed: Sequence[str] = (),
) -> list[str]:
    """Write OUT/feedback/STUDENT.html, OUT/summary.html, OUT/similar.csv and OUT/exports -> messages to print.

    Parameters
    ----------
    graded : at most one per student and homework, in any order.
    overrides : (student, homework, exercise) -> (points, reason), set by a person.
    submissions : digest -> submission, for the similarity check and submission times.
    force : write the exports even if the isolation was below strong.
    comments, rules : comments by hand, and how feedback is given.
    compared : called with what the similarity check found.
    people : student -> what the class list or the course system says of them.
    unclaimed : sentences about what is of no student, for a person to look at.

    Raises GradingError for two results of one student and homework; OSError.
    """
    results = in_order(overridden(graded, overrides or {}))
    submissions = {} if submissions is None else submissions
    names = file_names(one.student for one in results)
    found = _compared(results, submissions, register)
    compared(found)
    write_feedback(out, results, register, comments, rules)
    save_page(out / "summary.html", summary_page(results, register, names, found, unclaimed))
    write_whole(out / "totals.csv", totals_csv(results, register, people))
    write_whole(out / "similar.csv", similar_csv(found))
    lines = [
        f"{len(names)} pages for students: {out / 'feedback'}",
        f"summary: {out / 'summary.html'}, totals: {out / 'totals.csv'}",
    ]
    if found.pairs:
        alike = "1 pair of submissions is" if len(found.pairs) == 1 else f"{len(found.pairs)} pairs of submissions are"
        lines.append(f"{alike} alike: the summary names them, for you to look at")
    if found.taken:
        count = "1 answer has" if len(found.taken) == 1 else f"{len(found.taken)} answers have"
        lines.append(f"{count} much in common with the course's own code: the summary says where it stands")
    if found.uncompared:
        count = "1 submission" if len(found.uncompared) == 1 else f"{len(found.uncompared)} submissions"
        lines.append(f"{count} could not be compared in full: the summary says why")
    reason = export_refusal(results)
    if reason and not force:
        older = "; what lies there is of an earlier run" if (out / "exports").exists() else ""
        return [*lines, f"no exports: {reason}. --force writes them all the same{older}"]
    return [*lines, *write_exports(out / "exports", results, register, names, submissions, people)]


def write_feedback(
    out: Path,
    results: Sequence[Graded],
    register: Course,
    comments: Comments | None = None,
    rules: FeedbackRules = AT_ONCE,
) -> dict[str, str]:
    """Write OUT/feedback/STUDENT.html of results sorted by student -> student -> name of the file without suffix.

    Raises GradingError if OUT/feedback is a link: what lies behind it may be anybody's.
    """
    if (out / "feedback").is_symlink():
        raise GradingError(f"{out / 'feedback'}: expected a folder, found a link to another place")
    names = file_names(one.student for one in results)
    for student, own in groupby(results, key=lambda one: one.student):
        path = out / "feedback" / f"{names[student]}.html"
        save_page(path, feedback_page(student, list(own), register, comments, rules))
    return names


def in_order(results: Sequence[Graded]) -> list[Graded]:
    """The results by student and homework. Raises GradingError for two of one student and homework."""
    twice = [key for key, count in Counter((one.student, one.homework) for one in results).items() if count > 1]
    if twice:
        shown = ", ".join(f"{one_line(student, 60)} in {one_line(homework, 60)}" for student, homework in twice[:3])
        raise GradingError(f"expected one result for each student and homework, found several of {shown}")
    return sorted(results, key=lambda one: (one.student.casefold(), one.student, one.homework))


def _compared(results: Sequence[Graded], submissions: Mapping[str, Submission], register: Course) -> Comparison:
    """Compare the submissions of each homework, ignoring code from the course."""
    lessons = {lesson.folder: lesson for lesson in register.lessons}
    whole = Comparison([], [], [])
    for homework in sorted({one.homework for one in results}):
        digests = [one.digest for one in results if one.homework == homework]
        handed_in = [one for digest in digests if (one := submissions.get(digest)) is not None and one.files]
        if handed_in:
            found = compare_submissions(handed_in, known_of(lessons.get(homework)))
            whole.pairs.extend(found.pairs)
            whole.uncompared.extend(found.uncompared)
            whole.taken.extend(found.taken)
    return whole


def similar_csv(found: Comparison) -> str:
    """similar.csv: a row per answer that has much in common with the course's code, and per pair of submissions."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in found.taken:
        row = (one.homework, one.student, one.exercise, round(one.share, 3), ranges(one.lines), "", one.where)
        rows.writerow([cell(value) for value in row])
    for pair in found.pairs:
        (first, second), lines = pair.students, [ranges(own) for own in pair.lines]
        row = (pair.homework, first, "", round(pair.share, 3), lines[0], second, lines[1])
        rows.writerow([cell(value) for value in row])
    return text.getvalue()


def known_of(lesson: Lesson | None) -> Known:
    """The code of a lesson's homework and of the whole course."""
    if lesson is None:
        return Known()
    given, solution = _code_of_the_course(lesson)
    names = {one.id: names_of(given, one.id) for one in lesson.exercises} if readable(given) else {}
    return Known(given, solution, names, index_of(lesson.root))


def _code_of_the_course(lesson: Lesson) -> tuple[str, str]:
    """(original stub, worked solution); "" if missing."""
    if not lesson.exercises or not lesson.homework_file:
        return "", ""
    folder = lesson.root / "homework" / lesson.folder
    solution, worksheet = folder / "judge" / "solution.py", folder / WORKSHEET
    given = stub_of_lesson(lesson)
    if worksheet.is_file():
        given += "\n" + notebook.code_of(worksheet.read_bytes())
    return given, solution.read_text(encoding="utf-8") if solution.is_file() else ""
