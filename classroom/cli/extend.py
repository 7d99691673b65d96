"""Commands for instructors about single students and grade books: extend, nbgrader."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from classroom.cli.base import app, needs, stop, the_course
from classroom.cli.grading import RESULTS, TEACH, Force, Out, explained, results_of, write_all
from classroom.page import say


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def extend(
    student: Annotated[str, typer.Argument(help="Login, e-mail, id or name.")],
    homework: Annotated[str, typer.Argument(help="Number, folder or file.")],
    deadline: Annotated[str, typer.Argument(help="A day, a time, or none to take it back.")],
    out: Out = RESULTS,
    force: Force = False,
) -> None:
    """Give one student a later deadline, and write all tables and pages with it.

    A day ends at 23:59, and a time without an offset is one of the place whose offset course.toml's deadline has.

    Examples: extend ann 3 2026-12-01; extend ann 3 none
    """
    from classroom.grading.dated import extension_of
    from classroom.grading.grade import GradingRun, Options
    from classroom.grading.intake.reader import lessons_with_homework
    from classroom.grading.roster import Roster

    with explained(), results_of(out) as store:
        run = GradingRun(the_course(), out, Options())
        (lesson,) = lessons_with_homework(run.course, (homework,))
        person = Roster(store.roster().values()).find(student)
        name = person.key if person else student
        if person is None and next(store.submissions(student), None) is None:
            stop(f"{out} holds nothing of {student!r}, and no class list has this name")
        moment = None if deadline == "none" else extension_of(deadline, lesson.folder, run.settings)
        store.extend(name, lesson.folder, moment)
        say(f"{name}, {lesson.folder}: " + (f"until {moment.isoformat()}" if moment else "the deadline of all"))
        write_all(run, store, force)


@app.command(name="nbgrader", rich_help_panel=TEACH)
@needs("grading", "jinja2")
def to_nbgrader(
    database: Annotated[Path, typer.Argument(help="nbgrader's gradebook.db.", dir_okay=False)],
    out: Out = RESULTS,
    force: Force = False,
) -> None:
    """Put the points into nbgrader's database, by its own API; repeated, it updates them.

    Example: nbgrader course101/gradebook.db --out results
    """
    from classroom.grading.exports.nbgrader_database import fill
    from classroom.grading.exports.write import export_refusal
    from classroom.grading.grade import GradingRun, Options

    with explained(), results_of(out) as store:
        run = GradingRun(the_course(), out, Options())
        graded = run.exported(store)
        reason = export_refusal(graded)
        if reason and not force:
            stop(f"{reason}. --force writes them all the same")
        say(fill(database, graded, store.people(), store))
