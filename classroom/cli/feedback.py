"""Commands for instructors after the grading: comment, feedback, report, forget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classroom.cli.base import app, needs, stop, the_course
from classroom.cli.grading import RESULTS, TEACH, Force, Out, explained, results_of, write_all
from classroom.page import say
from classroom.register import Course
from classroom.started import COMMAND
from classroom.tasks import UnknownTask, find_one

if TYPE_CHECKING:
    from classroom.grading.store import Store

Student = Annotated[str, typer.Argument(help="The student's name, as in grades.csv.")]
Results = Annotated[Path, typer.Argument(metavar="RESULTS", help="The folder that grade wrote.", file_okay=False)]


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def comment(
    student: Student,
    what: Annotated[str, typer.Argument(help="An exercise (flatten, or 2.1), or a homework by its number.")],
    text: Annotated[str, typer.Argument(help="What the student is to read; with --delete nothing.")] = "",
    out: Out = RESULTS,
    points: Annotated[
        float | None, typer.Option(min=0, help="Also set the exercise's points, as override does.")
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the comments there instead.")] = False,
    force: Force = False,
) -> None:
    """Write a comment on a student's page. It stays when the homework is judged again.

    Example: comment ann flatten "Nearly: what of an empty array?" --points 2 --out results
    """
    from classroom.grading.feedback.comments import add_comment, delete_comments
    from classroom.grading.grade import GradingRun, Options

    course = the_course()
    homework, exercise, most = _place(course, what)
    if points is not None and not exercise:
        stop("--points needs an exercise: a homework's points are the sum of its exercises'")
    if points is not None and points > most:
        stop(f"{exercise} gives at most {most} points")
    if delete and (text or points is not None):
        stop("--delete takes neither a text nor --points")
    run = GradingRun(course, out, Options())
    with explained(), results_of(out) as store:
        if not any(one.homework == homework for one in store.submissions(student)):
            stop(f"{out} holds nothing of {student!r} for {homework}")
        if delete:
            gone = delete_comments(store.base, student, homework, exercise)
            say(f"{gone} comment{'s' * (gone != 1)} deleted")
        else:
            add_comment(store.base, student, homework, exercise, text)
        if points is None:
            say(f"{len(run.pages(store))} pages for students: {out / 'feedback'}")
        else:
            store.override(student, homework, exercise, points, text.strip())
            write_all(run, store, force)


def _place(course: Course, what: str) -> tuple[str, str, int]:
    """(homework's folder, exercise or "", maximum points) of an exercise or of a homework's number or folder."""
    for lesson in course.lessons:
        if what in (str(lesson.number), lesson.folder) and lesson.exercises:
            return lesson.folder, "", lesson.points
    try:
        task = find_one(course, what)
    except UnknownTask as error:
        stop(str(error))
    return task.lesson.folder, task.id, task.exercise.points


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def feedback(
    results: Results = RESULTS,
    mail: Annotated[bool, typer.Option("--mail", help="Also mail.csv: name, e-mail and page of each student.")] = False,
) -> None:
    """Write the students' pages as they are to be read now: after a time of release in course.toml, run it again.

    Example: feedback results --mail
    """
    from classroom.grading.grade import GradingRun, Options

    with explained(), results_of(results) as store:
        names = GradingRun(the_course(), results, Options()).pages(store)
        say(f"{len(names)} pages for students: {results / 'feedback'}")
        if mail:
            _write_mail(results, store, names)


def _write_mail(out: Path, store: Store, names: dict[str, str]) -> None:
    from classroom.grading.feedback.mail import mail_csv
    from classroom.progress import write_whole

    write_whole(out / "mail.csv", mail_csv(names, store.people()))
    say(f"whom to send which page: {out / 'mail.csv'}")


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def forget(
    student: Student,
    out: Out = RESULTS,
    force: Force = False,
) -> None:
    """Delete all that a folder of results holds of one student, and write its tables, pages and exports anew.

    What was handed in lies elsewhere, and is yours to delete: the next grading would take it in again.

    Example: forget ann --out results
    """
    from classroom.grading.forget import check_written, forget_student, remove_written
    from classroom.grading.grade import GradingRun, Options

    with explained(), results_of(out) as store:
        check_written(out)
        rows = forget_student(store.base, student)
        if not rows:
            stop(f"{out} holds nothing of {student!r}")
        say(f"deleted of {student}: " + ", ".join(f"{count} of {table}" for table, count in sorted(rows.items())))
        there = remove_written(out)
        if next(store.submissions(), None) is not None:
            run = GradingRun(the_course(), out, Options())
            write_all(run, store, force)
            if "mail.csv" in there:
                _write_mail(out, store, run.pages(store))
            if "report.html" in there:
                say(f"report: {run.report_page(store)}")
        say(
            f"the files that {student} handed in lie elsewhere and are still there: delete them too, or the next "
            f"`{COMMAND} grade` takes them in again. So may copies of {out}, and the folders of shards."
        )


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def report(results: Results = RESULTS) -> None:
    """Write report.html: how hard each exercise is, likely causes, progress, who may need help, who wrote alike.

    One file that needs no server. It names students and is yours alone.

    Example: report results
    """
    from classroom.grading.grade import GradingRun, Options

    with explained(), results_of(results) as store:
        say(f"report: {GradingRun(the_course(), results, Options()).report_page(store)}")
