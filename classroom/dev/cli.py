"""`course dev`: the commands for authors of lessons and homework."""

from __future__ import annotations

import importlib.util
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from classroom import register
from classroom.cli.base import needs
from classroom.dev import build as building
from classroom.dev import figures as pictures
from classroom.dev import lesson_form, lesson_regions, soundness
from classroom.dev import new_exercise as exercise_skeleton
from classroom.dev import new_lesson as lesson_skeleton
from classroom.dev import notebooks as books
from classroom.dev import operators as operator_table
from classroom.dev.regions import RegionError
from classroom.judge.homework import Homework, HomeworkError
from classroom.judge.student import JudgeError
from classroom.started import DOCUMENTED

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="For authors: prove that the homework judges rightly, regenerate notebooks and figures.",
)
new = typer.Typer(no_args_is_help=True, help="Make the skeleton of something new, with TODO where you have to write.")
app.add_typer(new, name="new")
EVERY_SEED = 1000
Lessons = Annotated[list[int] | None, typer.Argument(help="Numbers of lessons; all when none is given.", min=1)]
Check = Annotated[bool, typer.Option("--check", help="Change nothing; exit code 1 where something differs.")]


@app.command()
def check(
    lessons: Lessons = None,
    seeds: Annotated[int, typer.Option(help="Seeds on which every mutant must be found.", min=1)] = 20,
    solution_seeds: Annotated[int, typer.Option(help="Seeds on which the solution must pass.", min=1)] = 25,
    every: Annotated[bool, typer.Option("--all", help=f"The solution on {EVERY_SEED} seeds.")] = False,
    processes: Annotated[
        int | None, typer.Option(help="At the same time; as many as cores if not given.", min=1)
    ] = None,
) -> None:
    """Hold the lessons to their form; prove that stubs fail, solutions pass, and every known mistake is found."""
    console, started = Console(highlight=False), time.monotonic()
    course, chosen = _course(), _lessons(lessons)
    faults = 0
    for name, sentence in lesson_form.problems(course, chosen):
        console.print(f"[red]{escape(name)}[/red]: {escape(sentence)}", soft_wrap=True)
        faults += 1
    try:
        homeworks = _homeworks(chosen)
    except (register.RegisterError, HomeworkError) as error:
        typer.echo(f"course: {error}", err=True)
        raise typer.Exit(2) from None
    count = EVERY_SEED if every else solution_seeds
    results = []
    with console.status("Checking ..."):
        for result in soundness.check_homeworks(homeworks, seeds=seeds, solution_seeds=count, processes=processes):
            results.append(result)
            for problem in result.problems:
                console.print(f"[red]{escape(result.name)}[/red]: {escape(problem)}", soft_wrap=True)
    if results:
        console.print(_table(results, seeds, count))
    problems = faults + sum(len(result.problems) for result in results)
    said = "All of it holds" if not problems else f"{problems} problem{'s' if problems > 1 else ''}"
    console.print(f"{said}, in {time.monotonic() - started:.0f} s.")
    raise typer.Exit(1 if problems else 0)


@new.command("lesson")
def new_lesson(
    title: Annotated[str, typer.Argument(help="Its title, in quotes; the folder's name is made of it.")],
) -> None:
    """A lesson after the last one: its entry in course.toml, its notebook, its figures.py.

    Example: dev new lesson "Quantization"
    """
    try:
        lesson = lesson_skeleton.new_lesson(register.ROOT, title)
    except (lesson_skeleton.NewLessonError, register.RegisterError, RegionError, OSError) as error:
        typer.echo(f"course: {error}", err=True)
        raise typer.Exit(2) from None
    steps = " && ".join(
        f"{DOCUMENTED} dev {name} {lesson.number}" for name in ("figures", "notebooks", "build", "check")
    )
    typer.echo(f"lesson {lesson.number} is in course.toml, and its notebook and figures.py in lessons/{lesson.folder}")
    typer.echo(f"next: {steps}\nwhich says what is left to write")


@new.command("exercise")
def new_exercise(
    name: Annotated[str, typer.Argument(help="The function that students write: scaled_sum.")],
    lesson: Annotated[int, typer.Option(help="The number of its lesson.", min=1)],
) -> None:
    """An exercise after the lesson's last one, judged at once; its author then changes four files.

    Example: dev new exercise scaled_sum --lesson 2
    """
    try:
        files = exercise_skeleton.new_exercise(register.ROOT, name, lesson)
    except (exercise_skeleton.NewExerciseError, register.RegisterError, OSError) as error:
        typer.echo(f"course: {error}", err=True)
        raise typer.Exit(2) from None
    for path in files:
        typer.echo(f"{path.relative_to(register.ROOT).as_posix()}: written")
    steps = " && ".join(f"{DOCUMENTED} dev {command} {lesson}" for command in ("notebooks", "build", "check"))
    typer.echo(f"next: {steps}\nwhich says what is left to write")


@app.command()
def build(lessons: Lessons = None) -> None:
    """Write what is made of worked solutions and course.toml: stubs, tables, expected answers, the map of lessons."""
    course, chosen = _course(), _lessons(lessons)
    try:
        for path in itertools.chain(lesson_regions.write(course), building.build(course, _homeworks(chosen))):
            typer.echo(f"{path.relative_to(register.ROOT).as_posix()}: written")
    except (RegionError, HomeworkError, JudgeError, building.BuildError, OSError) as error:
        typer.echo(f"course: {error}", err=True)
        raise typer.Exit(2) from None


@app.command()
@needs("course", "nbclient")
def notebooks(lessons: Lessons = None, check: Check = False) -> None:
    """Run notebooks, worksheets with the worked solution, from top to bottom and store their outputs."""
    faults = 0
    course, chosen = _course(), _lessons(lessons)
    by_folder = {lesson.folder: lesson for lesson in course.lessons}
    for path in _there(books.notebooks, chosen, lessons, "notebook, neither lessons/{0}/{0}.ipynb nor a worksheet"):
        stored, name = path.read_text(encoding="utf-8"), path.relative_to(register.ROOT).as_posix()
        words = partial(lesson_regions.cell_with_regions, lesson=by_folder[path.parent.name], course=course)
        try:
            wanted = books.regenerated(path, words)
            wrong = [] if books.is_worksheet(path) else books.answers_found_wrong(path)
        except (books.NotebookError, RegionError) as error:
            typer.echo(f"{name}: {error}")
            faults += 1
            continue
        for sentence in wrong:
            typer.echo(f"{name}: a folded answer is not what the cell above it checks for: {sentence}")
        faults += len(wrong)
        if stored == wanted:
            typer.echo(f"{name}: as stored")
        elif check:
            typer.echo(f"{name}: differs\n{books.text_difference(stored, wanted)}")
            faults += 1
        else:
            path.write_text(wanted, encoding="utf-8", newline="\n")
            typer.echo(f"{name}: written")
    raise typer.Exit(1 if faults else 0)


@app.command()
def figures(lessons: Lessons = None, check: Check = False) -> None:
    """Draw the lessons' figures with their figures.py."""
    faults = 0
    for script in _there(pictures.scripts, _lessons(lessons), lessons, "lessons/{0}/figures.py"):
        name = script.parent.relative_to(register.ROOT).as_posix()
        try:
            changed = [] if check else pictures.write(script)
            problems = pictures.wrong(script)
        except pictures.FigureError as error:
            typer.echo(str(error))
            faults += 1
            continue
        written = f"written: {', '.join(path.name for path in changed)}" if changed else "as stored"
        typer.echo(f"{name}: {'; '.join(problems) or written}")
        faults += bool(problems)
    raise typer.Exit(1 if faults else 0)


@app.command()
def operators(check: Check = False) -> None:
    """Write docs/operators.md, the table of operators, from the registry."""
    if check:
        same = operator_table.is_current()
        typer.echo("docs/operators.md: " + ("as stored" if same else "differs"))
        raise typer.Exit(0 if same else 1)
    operator_table.write()
    typer.echo("docs/operators.md: written")


@app.command()
@needs("dev", "pytest")
def site(
    every: Annotated[bool, typer.Option("--every", help="Every page in every test, which takes many minutes.")] = False,
) -> None:
    """Look at the course's site in a browser: links, errors, accessibility, width, print, search.

    On all cores where KUIPER_SITE names the folder of a site that is built already.
    """
    command = [sys.executable, "-m", "pytest", "tests/site_browser", "-q"]
    if os.environ.get("KUIPER_SITE") and importlib.util.find_spec("xdist") is not None:
        command += ["-n", "auto", "--dist", "worksteal"]
    environment = {**os.environ, **({"KUIPER_SITE_EVERY": "1"} if every else {})}
    raise typer.Exit(subprocess.call(command, cwd=register.ROOT, env=environment))


def _course() -> register.Course:
    try:
        return register.load(register.ROOT)
    except register.RegisterError as error:
        typer.echo(f"course: {error}", err=True)
        raise typer.Exit(2) from None


def _lessons(numbers: list[int] | None) -> list[register.Lesson]:
    course = _course()
    try:
        return [course.lesson(number) for number in numbers] if numbers else list(course.lessons)
    except register.RegisterError as error:
        typer.echo(f"course: {error}", err=True)
        raise typer.Exit(2) from None


def _homeworks(lessons: list[register.Lesson]) -> list[Homework]:
    """The homework of those lessons that have exercises or a folder for them. Raises RegisterError, HomeworkError."""
    numbers = [lesson.number for lesson in lessons if lesson.exercises or lesson.homework()]
    return soundness.find_homeworks(register.ROOT, numbers) if numbers else []


def _there(
    files: Callable[[Iterable[register.Lesson]], list[Path]],
    lessons: list[register.Lesson],
    asked: list[int] | None,
    kind: str,
) -> list[Path]:
    """The files of the lessons; exits with an error if a lesson that was asked for has none."""
    without = [lesson for lesson in lessons if not files([lesson])]
    if without and (asked or len(without) == len(lessons)):
        told = "; ".join(f"lesson {lesson.number} has no {kind.format(lesson.folder)}" for lesson in without)
        typer.echo(f"course: {told}", err=True)
        raise typer.Exit(2)
    return files(lessons)


def _table(results: list[soundness.HomeworkReport], seeds: int, solution_seeds: int) -> Table:
    title = f"Mutants on {seeds} seeds, solutions on {solution_seeds}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for head, right in (
        ("Homework", False),
        ("Exercises", False),
        ("Tests", True),
        ("Mutants found", True),
        ("", False),
    ):
        table.add_column(head, justify="right" if right else "left", overflow="fold")
    for result in results:
        verdict = f"[red]{len(result.problems)} wrong[/red]" if result.problems else "[green]sound[/green]"
        found = f"{result.killed} of {result.mutants}"
        table.add_row(result.name, ", ".join(result.exercises), str(result.tests), found, verdict)
    return table
