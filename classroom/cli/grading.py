"""Commands for instructors: grade, regrade, override, merge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classroom.cli.base import MACHINE, PASS_ON, app, needs, stop, the_course
from classroom.cli.progress_bar import progress
from classroom.cli.tools import WORKSHOP
from classroom.page import say
from classroom.started import COMMAND
from classroom.tasks import UnknownTask, find_one

if TYPE_CHECKING:
    from classroom.grading.grade import GradingRun, Options
    from classroom.grading.records import Isolation
    from classroom.grading.store import Store
    from classroom.grading.suite import Suite

TEACH = "Teach"
RESULTS = Path("results")
Out = Annotated[Path, typer.Option("--out", help="The folder of results.", file_okay=False)]
Force = Annotated[bool, typer.Option("--force", help="Write exports though the isolation is below strong.")]
Jobs = Annotated[int, typer.Option("--jobs", min=0, help="Processes that judge; 0: one for each core.")]


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors in settings, folders and results into a message and exit code 2."""
    import sqlite3

    from classroom.grading.errors import GradingError
    from classroom.grading.trouble import advice

    try:
        yield
    except GradingError as error:
        stop(str(error))
    except (OSError, sqlite3.Error) as error:
        stop(advice(error))


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def grade(
    submissions: Annotated[
        Path, typer.Argument(help="A folder with one for each student, or a course system's export, also as a .zip.")
    ],
    out: Out = RESULTS,
    homework: Annotated[list[str] | None, typer.Option(help="Only this one: number, folder or file.")] = None,
    jobs: Jobs = 0,
    shard: Annotated[str, typer.Option(help="i/n: of n parts of the class the i-th, counted from 1.")] = "1/1",
    resume: Annotated[bool, typer.Option("--resume/--fresh", help="Keep what is judged, or judge all anew.")] = True,
    retry_infra: Annotated[bool, typer.Option("--retry-infra", help="Also what the judge could not judge.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the hidden tests' inputs; without: a secret one.")] = None,
    times: Annotated[Path | None, typer.Option(help="CSV: student, time and perhaps homework.")] = None,
    roster: Annotated[Path | None, typer.Option(help="CSV of the class: login, name, email, section. Kept.")] = None,
    extensions: Annotated[Path | None, typer.Option(help="CSV: student, homework, deadline. Kept.")] = None,
    dask: Annotated[str, typer.Option(help="Judge on this Dask cluster: tcp://host:8786.")] = "",
    force: Force = False,
) -> None:
    """Judge submissions, each in a process shut in by the sandbox; write grades.csv, pages and exports.

    Ended in the middle, the same command goes on where it was. See docs/grading-at-scale.md.

    Examples: grade submissions --out results; grade submissions.zip --roster class.csv --homework 2
    """
    from classroom.grading.grade import Options
    from kuiper.profile import usable_cores

    jobs = jobs or usable_cores()
    options = Options(
        tuple(homework or ()), jobs, _shard(shard), not resume, retry_infra, seed, dask, times, roster, extensions
    )
    with explained():
        _grade(options, out, submissions, force)


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def regrade(
    student: Annotated[str, typer.Argument(help="The student's name, as in grades.csv.")],
    out: Out = RESULTS,
    homework: Annotated[list[str] | None, typer.Option(help="Only this one: number, folder or file.")] = None,
    jobs: Jobs = 0,
    force: Force = False,
) -> None:
    """Judge what one student handed in once more. Points that a person has set stay.

    Example: regrade ann --out results
    """
    from classroom.grading.grade import GradingRun, Options
    from classroom.grading.intake.reader import lessons_with_homework
    from kuiper.profile import usable_cores

    with explained(), results_of(out) as store:
        run = GradingRun(the_course(), out, Options(tuple(homework or ()), jobs or usable_cores()))
        wanted = {lesson.folder for lesson in lessons_with_homework(run.course, run.options.homeworks)}
        own = [one for one in store.submissions(student) if one.homework in wanted and one.files]
        if not own:
            stop(f"{out} holds nothing of {student!r}")
        _shut_in()
        suites = run.suites(store)
        changed = [name for name in run.changed(store, suites) if any(one.homework == name for one in own)]
        if changed:
            again = f"`{COMMAND} grade` judges everyone again"
            stop(f"tests or settings of {', '.join(changed)} have changed since: {again}")
        for one in own:
            store.forget(one.digest, suites[one.homework].version)
        _judge(run, store, [one.digest for one in own], suites)
        write_all(run, store, force)


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def override(
    student: Annotated[str, typer.Argument(help="The student's name, as in grades.csv.")],
    exercise: Annotated[str, typer.Argument(help="The exercise: flatten, or 2.1.")],
    points: Annotated[float, typer.Argument(min=0, help="Before the deduction for lateness.")],
    why: Annotated[str, typer.Option(help="The reason; the student reads it.")],
    out: Out = RESULTS,
    force: Force = False,
) -> None:
    """Set the points of an exercise by hand. They stay when it is judged again.

    Example: override ann flatten 2 --why "right, but for the sign" --out results
    """
    from classroom.grading.grade import GradingRun, Options

    course = the_course()
    try:
        task = find_one(course, exercise)
    except UnknownTask as error:
        stop(str(error))
    if not why.strip():
        stop("--why needs a reason")
    if points > task.exercise.points:
        stop(f"{task.id} gives at most {task.exercise.points} points")
    with explained(), results_of(out) as store:
        if not any(one.homework == task.lesson.folder for one in store.submissions(student)):
            stop(f"{out} holds nothing of {student!r} for {task.lesson.folder}")
        store.override(student, task.lesson.folder, task.id, points, why.strip())
        write_all(GradingRun(course, out, Options()), store, force)


@app.command(rich_help_panel=TEACH)
@needs("grading", "jinja2")
def merge(
    shards: Annotated[list[Path], typer.Argument(help="Folders of results, one for each shard.")],
    out: Out = RESULTS,
    force: Force = False,
) -> None:
    """Put the results of shards together, and write grades.csv, pages and exports of all.

    Example: merge part-1 part-2 part-3 --out results
    """
    from classroom.grading.grade import GradingRun, Options
    from classroom.grading.store import Store, holds_results

    for shard in shards:
        if not holds_results(shard):
            stop(f"{shard} holds no results: name the folders that grade --shard wrote")
    with explained(), Store(out) as store:
        for shard in shards:
            say(f"{store.merge(shard)} results from {shard}")
        write_all(GradingRun(the_course(), out, Options()), store, force)


def _grade(options: Options, out: Path, submissions: Path, force: bool) -> None:
    from classroom.grading.grade import GradingRun
    from classroom.grading.store import Store

    run = GradingRun(the_course(), out, options)
    run.check(submissions)
    isolation = None if options.dask else _shut_in()
    if options.dask:
        say("isolation: each worker of the cluster proves its own, and grades.csv tells it")
    with Store(out) as store:
        with progress("reading", None) as step:
            outside = run.take_in(submissions, store, lambda student: step.done())
        for line in outside:
            say(line)
        suites = run.suites(store)
        changed = run.changed(store, suites)
        if changed:
            say(f"tests, points or the judge have changed since: {', '.join(changed)}, judged again")
        open_ones = run.jobs(store, suites, isolation)
        judged = sum(one.homework in suites and one.files != {} for one in store.submissions()) - len(open_ones)
        count = f"{len(open_ones)} submission{'s' * (len(open_ones) != 1)}"
        say(f"{count} to judge" + (f", {judged} judged already" if judged else ""))
        _judge(run, store, open_ones, suites)
        write_all(run, store, force)


def _judge(run: GradingRun, store: Store, digests: list[str], suites: dict[str, Suite]) -> None:
    from classroom.grading.records import Status

    if not digests:
        return
    waiting = 0
    try:
        with progress("judging", len(digests)) as step:
            for graded in run.judge(store, suites, digests):
                waiting += any(one.status is Status.INFRASTRUCTURE for one in graded.grades)
                step.done()
    except KeyboardInterrupt:
        say("stopped; what is judged is kept, and the same command goes on")
        raise
    if waiting:
        say(f"{waiting} could not be judged: no fault of theirs, and no grade. Again: --retry-infra")


def write_all(run: GradingRun, store: Store, force: bool) -> None:
    """Write all tables, pages and exports."""
    for line in run.report(store, force):
        say(line)


def _shut_in() -> Isolation:
    """Test the sandbox and print the isolation level."""
    from classroom.grading.judging import this_sandbox
    from classroom.grading.records import Isolation

    sandbox, isolation = this_sandbox()
    say(f"isolation: {isolation.value}" + (f" ({sandbox.explanation})" if isolation is not Isolation.STRONG else ""))
    return isolation


@contextmanager
def results_of(out: Path) -> Iterator[Store]:
    """The results of a folder; exits with an error message if there are none."""
    from classroom.grading.store import Store, holds_results

    if not holds_results(out):
        stop(f"{out} holds no results: grade first, or name the folder with --out")
    with Store(out) as store:
        yield store


def _shard(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        stop(f"--shard: expected i/n with i from 1 to n, found {text!r}")
    return int(number), int(count)


if not WORKSHOP.is_file():

    @app.command(hidden=True, rich_help_panel=MACHINE, context_settings=PASS_ON)
    def dev() -> None:
        """For those who write the course."""
        stop("this copy of the course is the students': it holds neither solutions nor the tools that need them")
