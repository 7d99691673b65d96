"""`demo PIECE --mine`: run a network with the student's solved exercises, and find the culprit when it fails."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

import kuiper
from classroom import advice, explain, gallery
from classroom.check import State, check, record
from classroom.gallery import share
from classroom.gallery.isolated import PieceResult, run
from classroom.gallery.piece import DemoOptions, Piece
from classroom.gallery.plugs import PLUGS
from classroom.gallery.show import bar, errors_explained, ready, save_drawings
from classroom.judge import Outcome, SubmissionError
from classroom.mine.package import PARTS
from classroom.page import paragraph, say, styled
from classroom.progress import Progress
from classroom.register import Course
from classroom.shown import show
from classroom.started import COMMAND
from classroom.status import states_of
from classroom.stubs import untouched
from classroom.tasks import HomeworkTask, all_tasks

ALONE = 1 / 3
"""Share of the time limit for one exercise alone."""
OF_FRAMEWORK = {part.exercise for part in PARTS}
"""Exercises that `course mine` runs."""
PASSES = "Its public tests pass: they miss this case, or the network asks for more than the exercise does."
"""Printed for a function that fails only in a network."""


@dataclass(frozen=True)
class StudentWork:
    """The student's tasks: those whose public tests pass, and those begun whose tests do not.

    broken : exercise -> what must hold by its first public test that fails.
    waiting : exercise -> another one that it calls, and that is not written yet.
    late : exercises whose answer had not come when time was up.
    causes : exercise -> the likely cause of that test's failure, where one is known.
    faults : exercise -> why no test of its file could be run, such as an import that the file must not have.
    """

    solved: tuple[HomeworkTask, ...]
    unsolved: tuple[HomeworkTask, ...]
    broken: Mapping[str, str] = field(default_factory=dict)
    waiting: Mapping[str, str] = field(default_factory=dict)
    late: frozenset[str] = frozenset()
    faults: Mapping[str, Exception] = field(default_factory=dict)
    causes: Mapping[str, str] = field(default_factory=dict)


def work_of(course: Course, progress: Progress, among: Collection[str] | None = None) -> StudentWork:
    """The state of the homework files, after checking those that changed since their last check.

    among : the exercises to look at; None: all, and of those never solved the ones that some network uses.
    """
    states = states_of(course, progress.entries())
    used = among or [plug.exercise for plug in PLUGS.values()]
    tasks = [task for task in all_tasks(course) if among is None or task.id in among]
    changed = [task for task in tasks if states[task.id] is State.CHANGED]
    begun = [task for task in tasks if task.id in used and states[task.id] is State.OPEN and not untouched(task)]
    again = check([task for task in tasks if task in changed or task in begun])
    record(again, progress, [])
    passed = {result.task.id for result in again if result.state is State.SOLVED}
    failed = [result.task for result in again if result.task.id not in passed]
    faults = {result.task.id: result.fault for result in again if result.fault is not None}
    lost = [task.id for task in failed if states[task.id] is State.CHANGED]
    if lost:
        what = f"{', '.join(lost)} passed before and {'does' if len(lost) == 1 else 'do'} not now"
        say(explain.labelled("careful", f"{what}: {advice.here.check(*lost)}"))
        say()
    solved = [task for task in tasks if states[task.id] is State.SOLVED or task.id in passed]
    broken = {result.task.id: what_must_hold(result.failures[0]) for result in again if result.failures}
    waiting = {result.task.id: result.waits_for for result in again if result.waits_for}
    late = frozenset(result.task.id for result in again if result.failures and is_late(result.failures[0]))
    causes = {result.task.id: explain.likely_cause(result.failures[0]) for result in again if result.failures}
    return StudentWork(tuple(solved), tuple(failed), broken, waiting, late, faults, causes)


def is_late(outcome: Outcome) -> bool:
    """Whether time was up before there was an answer."""
    return isinstance(outcome.error, SubmissionError) and outcome.error.kind == "timeout"


def what_must_hold(outcome: Outcome) -> str:
    """The sentence of a test that failed; if time was up, it says so.

    >>> from classroom.judge import Test
    >>> test = Test("f", "t", "A chain is computed.", print, True)
    >>> what_must_hold(Outcome(test, SubmissionError("timeout", "no answer within 10 s")))
    'A chain is computed. (There was no answer within 10 s.)'
    """
    return f"{outcome.test.sentence} (There was {outcome.error}.)" if is_late(outcome) else outcome.test.sentence


def show_mine(name: str, options: DemoOptions, out: Path, work: StudentWork, also: Sequence[HomeworkTask]) -> int:
    """Run the piece with the solved exercises (and `also`) and print the result. Returns the exit code."""
    piece = gallery.find(name)
    with errors_explained() as code:
        ready(piece, out)
        items = piece.sample(options, mine=True)
        operators = kuiper.load(piece.model).operators
        usable = [exercise for exercise in PLUGS if share.uses(piece, operators, exercise)]
        chosen = {task.id: task for task in (*work.solved, *also)}
        wanted = [task for exercise, task in chosen.items() if exercise in usable]
        say(styled(piece.title + ", with your code in it" * bool(wanted), "bold"))
        say()
        result = run(piece, options, wanted)
        if result.answer is not None:
            save_drawings(piece.tell(result.answer, items), out)
            say()
        if piece.few:
            say(paragraph(piece.few))
            say()
        show(plug_table(usable, wanted, result))
        say()
        yours = [task.id for task in wanted if task.id not in result.errors]
        if yours:
            say("\n".join(share.lines(piece.network, share.network_share(piece, yours))))
            say()
        notes = [result.tile, result.bits, *(PLUGS[exercise].note() for exercise in yours)]
        for note in filter(None, notes):
            say(paragraph(note))
            say()
        others = unused([exercise for exercise in chosen if exercise not in usable])
        if others:
            say(paragraph(others))
            say()
        unsolved = [task.id for task in work.unsolved if task.id in usable and task.id not in chosen]
        if unsolved:
            say(paragraph(not_right_yet(name, unsolved)))
            say()
        passing = {task.id for task in work.solved}
        code[0] = report_outcome(piece, options, operators, wanted, result, passing)
    return code[0]


def unused(exercises: Sequence[str]) -> str:
    """Which exercises are not used here, in a sentence; "" if there are none.

    >>> unused(["sigmoid", "mend"])
    'Not used here: sigmoid; and mend, which no network of the demo uses: see the worksheets.'
    >>> unused(["framework"]) == f"Not used here: framework, which has a command of its own, {COMMAND} mine."
    True
    """
    elsewhere = [exercise for exercise in exercises if exercise in PLUGS]
    own = [exercise for exercise in exercises if exercise not in PLUGS and exercise in OF_FRAMEWORK]
    nowhere = [exercise for exercise in exercises if exercise not in PLUGS and exercise not in own]
    parts = [", ".join(elsewhere)] * bool(elsewhere)
    if own:
        parts.append(f"{', '.join(own)}, which has a command of its own, {COMMAND} mine")
    if nowhere:
        parts.append(f"{', '.join(nowhere)}, which no network of the demo uses: see the worksheets")
    return f"Not used here: {'; and '.join(parts)}." if parts else ""


def not_right_yet(piece: str, exercises: Sequence[str]) -> str:
    """Which unsolved exercises could be plugged in, and how, in a sentence."""
    return f"Not right yet: {', '.join(exercises)}. {advice.here.plug_in(piece, exercises)}".rstrip()


def plug_table(usable: Sequence[str], mine: Sequence[HomeworkTask], result: PieceResult) -> Table:
    """Table: exercise, whose code, where it is used, number of calls."""
    drawn = Table(box=None, pad_edge=False)
    for name in ("Exercise", "Whose code", "What it computes"):
        drawn.add_column(name, no_wrap=True)
    drawn.add_column("Calls", justify="right")
    ids = {task.id for task in mine}
    for exercise in usable:
        yours = exercise in ids and exercise not in result.errors
        calls = f"{result.calls.get(exercise, 0):,}" if yours and result.answer else ""
        drawn.add_row(exercise, "yours" if yours else "the reference", PLUGS[exercise].place, calls)
    return drawn


def report_outcome(
    piece: Piece,
    options: DemoOptions,
    operators: Sequence[kuiper.RuntimeOperator],
    wanted: Sequence[HomeworkTask],
    result: PieceResult,
    passing: Container[str],
) -> int:
    """Print that all is right, or what is wrong, where it starts, and which exercise causes it. Returns the exit code.

    passing : exercises whose public tests pass.
    """
    if not wanted:
        say(paragraph("Nothing here is yours yet. The exercises that this network can use are in the table."))
        return 0
    if result.good:
        say(styled("Every step that ran gives what the reference gives.", "good"))
        return 0
    parts = [styled("Something is wrong.", "bad")]
    parts += [explain.labelled(exercise, f"not plugged in: {error}") for exercise, error in result.errors.items()]
    if result.error:
        parts.append(explain.labelled("happened", result.error))
    if result.departure is not None:
        parts.append(explain.labelled("departs at", departed(result.departure)))
    if result.error or result.departure:
        plugged = [task for task in wanted if task.id not in result.errors]
        suspects = suspected(result.departure, operators, plugged)
        parts += blamed(piece, options, suspects, passing)
    say("\n".join(parts))
    return 1


def departed(found: Mapping[str, Any]) -> str:
    """The first difference, in words."""
    if found["type"]:
        place = f"{found['place']} ({found['type']}), operator {found['step'] + 1} in the order"
    else:
        place = f"{found['place']}, a step outside of the network"
    if "value" in found:
        place += f", value {found['value'] + 1} of its result"
    if "expected" in found:
        return f"{place}: expected {found['expected']}, got {found['got']}. All before it agree."
    a, b = found["values"]
    if not found["where"]:
        return f"{place}: expected {a:.6g}, got {b:.6g}. All before it agree."
    return (
        f"{place}, shape {tuple(found['shape'])}: the largest difference is {found['difference']:.4g}, at "
        f"{found['where']}: expected {a:.6g}, got {b:.6g}. All before it agree."
    )


def suspected(
    departure: Mapping[str, Any] | None, operators: Sequence[kuiper.RuntimeOperator], tasks: Sequence[HomeworkTask]
) -> list[HomeworkTask]:
    """The tasks that can have caused the departure; all of them if no departure is known."""
    if departure is None:
        return list(tasks)
    if not departure["type"]:
        return [task for task in tasks if task.id == departure["place"]]
    (operator,) = (op for op in operators if op.name == departure["place"])
    computing = {task.id: PLUGS[task.id].computes for task in tasks}
    return [task for task in tasks if (computes := computing[task.id]) is not None and computes(operator)]


def blamed(
    piece: Piece, options: DemoOptions, suspects: Sequence[HomeworkTask], passing: Container[str] = ()
) -> list[str]:
    """Plug in each exercise alone -> those with which the network fails."""
    parts = []
    with bar("who is to blame", len(suspects)) as advance:
        for task in suspects:
            alone = run(piece, options, [task], seconds=piece.seconds * ALONE, check_only=True)
            advance()
            if not alone.good:
                at = f", at {alone.departure['place']}" if alone.departure and alone.departure["type"] else ""
                why = f"{task.id}: plugged in alone it goes wrong too{at}"
                if task.id in passing:
                    parts.append(explain.labelled("to blame", f"{why}. {PASSES}"))
                else:
                    parts.append(explain.labelled("to blame", why))
                    parts.append(explain.labelled("then", advice.here.check(task.id)))
    return parts or [explain.labelled("to blame", "none alone: with any one of them the network is right")]
