"""Commands for an exercise at work: check, watch, hint."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from classroom import explain, status
from classroom.check import SECONDS, Result, State, check, record, state_of
from classroom.cli.base import HOMEWORK, app, stop, tasks_called, the_course, the_progress
from classroom.difference import in_picture
from classroom.judge import Failure
from classroom.page import colour_wanted, paragraph, say, styled
from classroom.pixels import is_picture
from classroom.progress import Progress, ProgressEntry
from classroom.register import Course
from classroom.started import COMMAND
from classroom.tasks import HomeworkTask, all_tasks, files_of

BAD = (State.FAILED, State.BROKEN)


@app.command("check", rich_help_panel=HOMEWORK)
def check_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TASK]...", help="Exercises (flatten, 2.1), lessons (2), files. Without: the next."),
    ] = None,
    all_tasks_: Annotated[bool, typer.Option("--all", help="Every exercise of the course.")] = False,
    changed: Annotated[bool, typer.Option("--changed", help="Those edited since they passed.")] = False,
    all_failures: Annotated[bool, typer.Option("--all-failures", help="Explain every failure.")] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Draw expected, got and their difference into this file.", dir_okay=False)
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time limit of one call.")] = SECONDS,
    show_output: Annotated[bool, typer.Option("--show-output", help="All that your code prints, as it comes.")] = False,
) -> None:
    """Run the public tests of an exercise, and explain the first failure.

    You see what must hold, what was called, what was expected and what came, and the likely cause. An exercise has
    hidden tests too, which say the same with other inputs.

    Exit code: 0 all right, 1 something is not, 2 no such exercise or option.

    Examples: check flatten; check 2 --all-failures; check padding --svg difference.svg
    """
    course, progress = the_course(), the_progress()
    tasks = _chosen(course, progress, names or [], all_tasks_, changed)
    results, others = run_checks(course, progress, tasks, seconds, show_output)
    print_results(results, all_failures)
    print_broken_since(others)
    if svg is not None:
        _draw(results, svg)
    print_next(course, progress, results)
    raise typer.Exit(int(any(result.state is not State.SOLVED for result in results)))


@app.command(rich_help_panel=HOMEWORK)
def watch(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TASK]...", help="As for check; without: all homework files.")
    ] = None,
    poll: Annotated[float, typer.Option(min=0.05, help="Seconds between two looks at the files.")] = 0.5,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time limit of one call.")] = SECONDS,
) -> None:
    """Check again whenever you save a homework file. Ctrl-C ends it.

    Keep it running beside your editor. What passes is followed by the next exercise.

    Examples: watch; watch flatten
    """
    from classroom.watch import CLEAR, changes

    course, progress = the_course(), the_progress()
    known = [task for task in all_tasks(course) if task.exists]
    named = [task for task in tasks_called(course, names) if task.exists] if names else []
    if not (named if names else known):
        stop("there is no homework to watch")

    def draw(tasks: Sequence[HomeworkTask]) -> None:
        if colour_wanted():
            print(CLEAR, end="")
        results, others = run_checks(course, progress, tasks, seconds, False)
        print_results(results, False)
        print_broken_since(others)
        if named and _solved(named, progress):
            named.clear()
        if not named:
            print_next(course, progress, results)
        say(styled(f"\n{time.strftime('%H:%M:%S')}  {_watched(course, progress, named)}; Ctrl-C ends", "dim"))
        sys.stdout.flush()

    saves = changes(files_of(known), poll)  # from here on: what is saved during the first check counts
    try:
        draw(named or [status.next_task(course, progress.entries()) or known[0]])
        for changed in saves:
            saved = [task for task in named or known if task.file in changed]
            if saved:
                draw(saved)
    except KeyboardInterrupt:
        say()


def _solved(tasks: Sequence[HomeworkTask], progress: Progress) -> bool:
    entries = progress.entries()
    return all(state_of(task, entries) is State.SOLVED for task in tasks)


def _watched(course: Course, progress: Progress, named: Sequence[HomeworkTask]) -> str:
    following = status.next_task(course, progress.entries())
    tasks = named or ([following] if following else [])
    return f"watching {', '.join(task.id for task in tasks) or 'all homework files'}"


@app.command(rich_help_panel=HOMEWORK)
def hint(
    name: Annotated[
        str | None, typer.Argument(metavar="TASK", help="The exercise: flatten, or 2.1. Without: the next.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All three steps at once.")] = False,
) -> None:
    """A hint in three steps: a question, an approach, the step itself. Each call shows one more.

    Example: hint flatten
    """
    from classroom.cli.base import task_called

    course, progress = the_course(), the_progress()
    task = task_called(course, name) if name else _chosen(course, progress, [], False, False)[0]
    hints = task.exercise.hints
    if not hints:
        stop(f"{task.id} has no hints; {_section(task)}")
    seen = progress.entry(task.id).hints
    now = len(hints) if everything else min(seen + 1, len(hints))

    def more(entry: ProgressEntry) -> ProgressEntry:
        return replace(entry, hints=max(entry.hints, now))

    if now > seen:
        progress.update(task.id, more)
    say(styled(f"{task.id} (task {task.number}): {task.exercise.title}", "bold"))
    kinds = ("question", "approach", "step")
    for place, text in enumerate(hints[:now]):
        say()
        say(explain.labelled(kinds[place] if len(hints) == len(kinds) else f"hint {place + 1}", text))
    say()
    rest = f"{COMMAND} hint {task.id}" if now < len(hints) else f"That was the last hint; {_section(task)}"
    say(explain.labelled("more" if now < len(hints) else "", rest))


def _section(task: HomeworkTask) -> str:
    where = f'section "{task.exercise.section}" of ' if task.exercise.section else ""
    return f"read {where}lesson {task.lesson.number}: {COMMAND} lab {task.lesson.number}"


def _chosen(
    course: Course, progress: Progress, names: list[str], everything: bool, changed: bool
) -> list[HomeworkTask]:
    """The tasks named on the command line; the next task if none is named."""
    entries = progress.entries()
    if everything:
        return [task for task in all_tasks(course) if task.exists]
    if changed:
        states = status.states_of(course, entries)
        found = [task for task in all_tasks(course) if states[task.id] is State.CHANGED]
        if not found:
            say("No solved exercise was edited since it passed.")
            raise typer.Exit
        return found
    if names:
        return tasks_called(course, names)
    following = status.next_task(course, entries)
    if following is None:
        say(status.next_step(course, entries))
        raise typer.Exit
    return [following]


def run_checks(
    course: Course, progress: Progress, tasks: Sequence[HomeworkTask], seconds: float, show_output: bool
) -> tuple[list[Result], list[Result]]:
    """Check the tasks and everything that passed before in the same files -> (their results, the others')."""
    entries, ids, files = progress.entries(), {task.id for task in tasks}, files_of(tasks)
    others = [
        task
        for task in all_tasks(course)
        if task.file in files and task.id not in ids and entries.get(task.id, ProgressEntry()).solved
    ]
    results = check([*tasks, *others], seconds, show_output)
    record(results, progress, tasks)
    return results[: len(tasks)], results[len(tasks) :]


def print_results(results: Sequence[Result], all_failures: bool) -> None:
    """Print one result in full; for several, the headings and then the first failure (or every failure) in full.

    A file that cannot be checked is reported once.
    """
    if len(results) == 1:
        say(explain.report(results[0], all_failures))
        return
    _print_headings(results)
    failed = [result for result in results if result.state is State.FAILED]
    in_full = failed if all_failures else failed[:1]
    told = {one.task.id for one in (*in_full, *(one for one in results if one.state is State.BROKEN))}
    talking = [one.task.id for one in results if one.printed and one.task.id not in told]
    if talking:
        who = f"{', '.join(talking)} print{'s' * (len(talking) == 1)} something"
        say(f"\n{paragraph(f'{who}: `{COMMAND} check {talking[0]}` shows it.')}")
    for result in in_full:
        say()
        say(explain.report(result, all_failures))


def _print_headings(results: Sequence[Result]) -> None:
    """Print a line per exercise, the error of each file that cannot be checked, and the points at stake."""
    told: set[Path] = set()
    for result in results:
        file = result.task.file
        if result.state is not State.BROKEN:
            say(explain.heading(result))
        elif file not in told:
            told.add(file)
            say(explain.not_checked([one for one in results if one.state is State.BROKEN and one.task.file == file]))
    if any(result.state is State.SOLVED for result in results):
        stake = explain.at_stake_in_all(results[0].task.lesson.root)
        say(f"\n{paragraph(stake)}" if stake else "")


def print_next(course: Course, progress: Progress, results: Sequence[Result]) -> None:
    """Print the next step if something is solved and nothing failed."""
    states = {result.state for result in results}
    if State.SOLVED in states and not states & set(BAD):
        print_changes(course, progress, [result.task for result in results if result.state is State.SOLVED])
        say()
        say(status.next_step(course, progress.entries()))


def print_changes(course: Course, progress: Progress, passed: Sequence[HomeworkTask]) -> None:
    """Print what the exercises that passed compute in the demo's networks, with the command that shows it."""
    from classroom.gallery import share
    from classroom.mine.report import own_parts_text
    from kuiper.errors import KuiperError

    try:
        solved = status.solved_exercises(course, progress.entries())
        own = own_parts_text(passed, solved)
        changes = share.changes([task.id for task in passed], solved)
    except (OSError, KuiperError):  # a course without its models is still a course; `doctor` names what is missing
        return
    for piece, text in changes.items():
        say()
        say(explain.labelled(f"in {piece}", f"{text} See `{COMMAND} demo {piece} --mine`"))
    if own:
        say()
        say(explain.labelled("yours", own))


def print_broken_since(others: Sequence[Result]) -> None:
    """Print the exercises of the same file that passed before and no longer do."""
    lost = [result.task.id for result in others if result.state not in (State.SOLVED, State.BROKEN)]
    if lost:
        say()
        what = f"{', '.join(lost)} passed before and {'does' if len(lost) == 1 else 'do'} not now"
        say(explain.labelled("careful", f"{what}: {COMMAND} check {' '.join(lost)}"))


def _draw(results: Sequence[Result], svg: Path) -> None:
    """Draw the first failure that is about arrays."""
    from kuiper.errors import KuiperError

    for task, outcome in [(result.task, outcome) for result in results for outcome in result.failures]:
        failure = outcome.error
        if not isinstance(failure, Failure):
            continue
        _, args, kwargs = outcome.call or ("", (), {})
        pictures = any(map(is_picture, (*args, *kwargs.values())))
        name = f"{task.id}: {outcome.test.name}"
        try:
            drawn = in_picture(name, failure.expected, failure.got, failure.where, pictures=pictures)
            if drawn is not None:
                drawn.save(svg)
                say(f"\ndrew expected, got and their difference into {svg}")
                return
        except KuiperError as error:
            stop(str(error))
    say("\nnothing to draw: no failure is about two arrays of numbers")
