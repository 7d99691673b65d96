"""The commands lab, reset and reveal."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Annotated

import typer

from classroom import explain, register, status
from classroom.check import State, check, record, state_of, syntax_error
from classroom.cli.base import (
    HOMEWORK,
    LEARN,
    PASS_ON,
    app,
    needs,
    show,
    stop,
    task_called,
    tasks_called,
    the_course,
    the_progress,
)
from classroom.cli.check_watch_hint import print_broken_since
from classroom.cli.tools import run_module
from classroom.page import paragraph, say
from classroom.progress import Progress, ProgressEntry
from classroom.register import Solutions
from classroom.solutions import SolutionsError, Worked, allowed, answer_text, worked
from classroom.started import COMMAND
from classroom.stubs import (
    WORKSHEET,
    StubError,
    has_worksheet,
    names_of,
    reset_exercise,
    reset_file,
    reset_worksheet,
)
from classroom.tasks import HomeworkTask, all_tasks


@app.command(rich_help_panel=LEARN, context_settings=PASS_ON)
@needs("course", "jupyterlab")
def lab(context: typer.Context) -> None:
    """Open JupyterLab at the lesson of your next exercise, or at lesson N: lab N.

    All other options are passed on to JupyterLab. Example: lab 3 --no-browser
    """
    course, arguments = the_course(), list(context.args)
    if arguments and arguments[0].isdecimal():
        try:
            lesson = course.lesson(int(arguments.pop(0)))
        except register.RegisterError as error:
            stop(str(error))
        if lesson.notebook() is None:
            read = f": read {status.material(lesson)}" if lesson.sources() else ""
            stop(f"lesson {lesson.number} has no notebook yet{read}")
    elif arguments and not arguments[0].startswith("-") and not (register.ROOT / arguments[0]).exists():
        stop(f"{arguments[0]} is neither a lesson's number nor a file of the course: `{COMMAND} map` lists the lessons")
    else:
        following = status.next_task(course, the_progress().entries())
        lesson = following.lesson if following else course.lessons[0]
    page = lesson.notebook() or register.ROOT / "lessons"
    # from the course's folder, so that the lessons' links to the framework's files work
    options = [
        f"--ServerApp.root_dir={register.ROOT}",
        f"--LabApp.default_url=/lab/tree/{page.relative_to(register.ROOT).as_posix()}",
    ]
    code = run_module("jupyterlab", [*options, *arguments])
    if code and is_root() and not any("allow-root" in one or "allow_root" in one for one in arguments):
        again = " ".join([COMMAND, "lab", *context.args, "--allow-root"])
        stop(
            "JupyterLab does not run as root unless told to. Start the course as an ordinary user; in a container that "
            f"is yours alone: {again}"
        )
    raise typer.Exit(code)


def is_root() -> bool:
    """Whether this process runs as root on Unix."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@app.command(rich_help_panel=HOMEWORK)
def reset(
    name: Annotated[
        str,
        typer.Argument(
            metavar="TASK|FILE|LESSON",
            help="An exercise, a homework file, a worksheet, or a lesson: file and worksheet.",
        ),
    ],
) -> None:
    """Begin an exercise again: put its functions back as they were handed out.

    What is overwritten: with an exercise its own functions, with a homework file the whole file, with a worksheet the
    worksheet, with a lesson both. A copy of your file goes into .course/backups first, and no copy is ever overwritten.

    Examples: reset flatten; reset hw02_tensor.py; reset 02_tensor/worksheet.ipynb; reset 2
    """
    course, progress = the_course(), the_progress()
    if PurePath(name).name == WORKSHEET:
        return _reset_worksheet(_lesson_of_worksheet(course, name))
    tasks = [task for task in tasks_called(course, [name]) if task.lesson.homework_file]
    if not tasks:
        stop(f"{name} has no homework file yet")
    whole = name not in (tasks[0].id, tasks[0].number)
    if whole and len({task.file for task in tasks}) > 1:
        stop(f"{name} stands for several files")
    try:
        copy = reset_file(tasks[0]) if whole else reset_exercise(tasks[0])
    except StubError as error:
        stop(str(error))
    shown = status.short_path(tasks[0].file, register.ROOT)
    _say_reset(shown if whole else f"{tasks[0].id} in {shown}", copy)
    if PurePath(name).name in (tasks[0].lesson.folder, str(tasks[0].lesson.number)) and has_worksheet(tasks[0].lesson):
        _reset_worksheet(tasks[0].lesson)
    progress.update_all({task.id: lambda entry: replace(entry, solved="") for task in tasks})
    _check_neighbours(course, progress, tasks)


def _lesson_of_worksheet(course: register.Course, name: str) -> register.Lesson:
    """The lesson in whose folder the worksheet is; stops where the name does not say which."""
    folder = PurePath(name).parent.name or Path.cwd().name
    found = [lesson for lesson in course.lessons if lesson.folder == folder]
    if not found:
        stop(f"every lesson has a {WORKSHEET}: name the folder, too, as in {course.lessons[0].folder}/{WORKSHEET}")
    return found[0]


def _reset_worksheet(lesson: register.Lesson) -> None:
    try:
        copy = reset_worksheet(lesson)
    except StubError as error:
        stop(str(error))
    _say_reset(f"homework/{lesson.folder}/{WORKSHEET}", copy)


def _say_reset(what: str, copy: Path | None) -> None:
    if copy is None:
        say(paragraph(f"{what} is as it was handed out."))
    else:
        say(paragraph(f"{what} is as it was handed out again. Your version: {_near(copy)}"))


def _check_neighbours(course: register.Course, progress: Progress, reset: list[HomeworkTask]) -> None:
    """Check again what passed before in the file of the exercises that were reset."""
    entries, ids, file = progress.entries(), {task.id for task in reset}, reset[0].file
    fault = syntax_error(file)
    if fault is not None:
        say(explain.labelled("careful", explain.fault_in_words(reset[0], fault)))
        return
    others = [task for task in all_tasks(course) if task.file == file and task.id not in ids]
    results = check([task for task in others if entries.get(task.id, ProgressEntry()).solved])
    record(results, progress, [])
    print_broken_since(results)


@app.command(rich_help_panel=HOMEWORK)
def reveal(
    name: Annotated[str, typer.Argument(metavar="TASK", help="The exercise: flatten, or 2.1.")],
    anyway: Annotated[bool, typer.Option("--anyway", help="Before your own answer passes, too.")] = False,
) -> None:
    """After the public tests have passed: the worked solution, and why it is so.

    Whoever released the course decides whether your copy has solutions.

    Examples: reveal flatten; reveal flatten --anyway
    """
    course, progress = the_course(), the_progress()
    task = task_called(course, name)
    when = allowed(course, task.lesson)
    try:
        solved_by_the_course = worked(task.lesson)
    except SolutionsError as error:
        stop(str(error))
    if when is Solutions.NONE or not solved_by_the_course:
        stop("this copy of the course holds no worked solutions: your instructor has them")
    if not _passes(task, progress):
        if not anyway:
            on_purpose = f"; `{COMMAND} reveal {task.id} --anyway` shows it now" * (when is Solutions.ANY_TIME)
            stop(f"the solution of {task.id} is shown when your own passes: `{COMMAND} check {task.id}`{on_purpose}")
        if when is not Solutions.ANY_TIME:
            stop(f"this course shows the solution of {task.id} only when your own passes: {COMMAND} check {task.id}")
        say(explain.labelled("the price", _price(task, progress)))
        say()
    _print_solution(task, solved_by_the_course)


def _passes(task: HomeworkTask, progress: Progress) -> bool:
    """Whether the exercise passes its public tests; prints its state if it does not."""
    if state_of(task, progress.entries()) is State.SOLVED:
        return True
    (result,) = check([task])
    record([result], progress, [])
    if result.state is not State.SOLVED:
        say(explain.heading(result))
    return result.state is State.SOLVED


def _price(task: HomeworkTask, progress: Progress) -> str:
    seen, hints = min(progress.entry(task.id).hints, len(task.exercise.hints)), len(task.exercise.hints)
    taken = f" You have seen {seen} of {hints} hints." if hints else ""
    return (
        f"You have not solved {task.id}. What you read now you cannot find out by yourself any more, and it stays open "
        f"on the map until an answer of yours passes.{taken}"
    )


def _print_solution(task: HomeworkTask, solution: Worked) -> None:
    from rich.markdown import Markdown
    from rich.syntax import Syntax

    if solution.source:
        stub = _stub(task)
        code = answer_text(solution.source, stub, names_of(stub, task.id)) or solution.source
        # unwrapped, so that it can be copied into the file
        show(Syntax("", "python", theme="ansi_dark", background_color="default").highlight(code), wrap=False)
    if solution.explanation:
        say()
        show(Markdown(section_about(task, solution.explanation), code_theme="ansi_dark"))


def _stub(task: HomeworkTask) -> str:
    from classroom.stubs import pristine

    try:
        return pristine(task)
    except StubError:
        return ""


def section_about(task: HomeworkTask, text: str) -> str:
    """The section of an explanation whose heading names the exercise; the whole text if there is none."""
    parts: list[list[str]] = [[]]
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            parts.append([])
        parts[-1].append(line)
    mine = [part for part in parts[1:] if task.id in part[0] or f"Task {task.number}" in part[0]]
    return "\n".join(line for part in mine or parts for line in part)


def _near(path: Path) -> str:
    return path.relative_to(register.ROOT).as_posix() if path.is_relative_to(register.ROOT) else str(path)
