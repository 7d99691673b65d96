"""The command `release`: what students get, and what grades on upload."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from classroom.cli.base import app, stop, the_course
from classroom.cli.grading import TEACH, explained
from classroom.page import say
from classroom.register import Solutions

RELEASED = {
    Solutions.NONE: " and worked solutions",
    Solutions.AFTER_PASS: ", with the worked solutions for `reveal` after the pass",
    Solutions.ANY_TIME: ", with the worked solutions for `reveal` at any time",
}
"""Printed about the worked solutions in students' copies."""
AUTOGRADER = "autograder"


@app.command(rich_help_panel=TEACH)
def release(
    what: Annotated[str, typer.Argument(metavar="DIR|autograder", help="The folder to write, or what to write there.")],
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="After autograder.", file_okay=False)] = None,
    homework: Annotated[list[str] | None, typer.Option(help="Autograder: only this one.")] = None,
    hidden: Annotated[
        str, typer.Option(help="Autograder: when hidden tests are shown: after_due_date, after_published or hidden.")
    ] = "after_due_date",
    least: Annotated[str, typer.Option(help="Autograder: judge nothing below this isolation.")] = "weak",
    seed: Annotated[int | None, typer.Option(min=0, help="Autograder: of the hidden tests' inputs.")] = None,
) -> None:
    """Write what students get: the course without hidden tests, as a folder and a zip in DIR.

    The table [release] of course.toml says whether the worked solutions are in it, for `reveal`.

    `release autograder DIR` writes what grades on upload: an archive for Gradescope for each homework, and a workflow
    for GitHub Actions, each with a README. They hold hidden tests.

    Examples: release handout; release autograder upload --homework 2
    """
    if what == AUTOGRADER and folder is not None:
        _autograder(folder, tuple(homework or ()), hidden, least, seed)
    elif folder is not None:
        stop(f"release: expected {AUTOGRADER} before {folder}, or nothing; found {what!r}")
    elif what == AUTOGRADER:
        stop(f"release {AUTOGRADER} needs a folder: release {AUTOGRADER} DIR")
    else:
        _course(Path(what))


def _course(folder: Path) -> None:
    from classroom.grading.release import write_release
    from classroom.grading.settings import load_settings
    from classroom.solutions import ARCHIVE

    course = the_course()
    with explained():
        target, archive, count = write_release(course, folder)
        deadlines = load_settings(course.lessons[0].root).deadlines
    what = f"without hidden tests{RELEASED[course.release.solutions]}"
    if not (target / "homework" / ARCHIVE).is_file():
        what = f"without hidden tests{RELEASED[Solutions.NONE]}"
    elif deadlines:
        say(
            "careful: course.toml has deadlines, and the worked solutions are in the students' copies; "
            'solutions = "none" in its table [release] keeps them back'
        )
    say(f"{count} files {what}: {target} and {archive}")


def _autograder(folder: Path, homeworks: tuple[str, ...], hidden: str, least: str, seed: int | None) -> None:
    from classroom.grading.autograder.pack import write_autograder, write_workflow
    from classroom.grading.intake.reader import lessons_with_homework
    from classroom.grading.records import Isolation

    course = the_course()
    if least not in tuple(Isolation):
        stop(f"--least: expected {', '.join(Isolation)}, found {least!r}")
    with explained():
        for lesson in lessons_with_homework(course, homeworks):
            path = write_autograder(course, lesson, folder, hidden, Isolation(least), seed)
            say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, with hidden tests: keep it private")
        for path in write_workflow(folder):
            say(str(path))
