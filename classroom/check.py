"""Run the public tests of exercises and return their results. Prints nothing; explain.py formats the results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from classroom.judge import Failure, JudgeError, Outcome, Session, SubmissionError
from classroom.judge import Test as JudgeTest
from classroom.judge.homework import HomeworkError, public_tests
from classroom.judge.oracle import SEEDS
from classroom.judge.printed import Listener, Printed
from classroom.progress import Progress, ProgressEntry, digest
from classroom.stubs import forbidden, untouched, written
from classroom.tasks import HomeworkTask, files_of

SECONDS = 10.0


class State(Enum):
    """The state of an exercise. The value is what the student reads."""

    SOLVED = "public tests passed"
    CHANGED = "changed since it passed"
    BEGUN = "begun"
    FAILED = "not right yet"
    BROKEN = "cannot be checked"
    OPEN = "not started"
    ABSENT = "not written yet"


@dataclass(frozen=True)
class Result:
    """One exercise checked.

    outcomes : of the tests that ran, in order; tests after one that timed out are not run.
    tests : number of public tests of the exercise.
    fault : why it is BROKEN: SyntaxError or OSError from reading the file, SubmissionError from importing it,
        JudgeError from the judge, or what the tests raised.
    """

    task: HomeworkTask
    state: State
    outcomes: tuple[Outcome, ...] = ()
    tests: int = 0
    fault: Exception | None = None

    @property
    def passed(self) -> int:
        """Number of tests passed."""
        return sum(outcome.passed for outcome in self.outcomes)

    @property
    def failures(self) -> list[Outcome]:
        """Failed tests, without those that met the stub's `raise NotImplementedError` or the file's `fault`.

        In order, but tests in which only a type was wrong come last; where no value was wrong, before the tests in
        which a call was not refused: a wrong type spoils every result, a missing refusal none.
        """
        if self.state in (State.OPEN, State.BROKEN):
            return []
        failed = [o for o in self.outcomes if not o.passed and not unwritten(o.error)]
        faults = [o.error for o in failed if isinstance(o.error, Failure)]
        all_known = len(faults) == len(failed) and all(fault.of_type or fault.of_refusal for fault in faults)
        late = "of_refusal" if all_known else "of_type"
        return sorted(failed, key=lambda o: getattr(o.error, late, False))

    @property
    def waits_for(self) -> str:
        """The exercise that this one calls and that is not written yet; "" if there is none."""
        said = next(
            (o.error.message for o in self.outcomes if isinstance(o.error, SubmissionError) and unwritten(o.error)), ""
        )
        name, todo, _ = said.partition(": TODO")
        return name if todo and name != self.task.id else ""

    @property
    def printed(self) -> list[Printed]:
        """Output printed during the tests, without duplicates."""
        return list(dict.fromkeys(one for outcome in self.outcomes for one in outcome.printed if one))


def unwritten(error: Exception | None) -> bool:
    """Whether the error is the stub's `raise NotImplementedError`."""
    return isinstance(error, SubmissionError) and error.type == "NotImplementedError"


def check(tasks: Sequence[HomeworkTask], seconds: float = SECONDS, show_output: bool = False) -> list[Result]:
    """Run the public tests of the tasks, each homework file in its own worker process.

    One submission cannot stop the others: `seconds` limits its import and every call. Its output is kept in the
    outcomes, or with `show_output` goes to stderr as it is printed.
    """
    results: dict[str, Result] = {task.id: Result(task, State.ABSENT) for task in tasks if not task.exists}
    for file in files_of(task for task in tasks if task.exists):
        together = [task for task in tasks if task.exists and task.file == file]
        results.update({result.task.id: result for result in _check_file(file, together, seconds, show_output)})
    return [results[task.id] for task in tasks]


def record(results: Iterable[Result], progress: Progress, asked: Iterable[HomeworkTask]) -> None:
    """Record the results in the progress file; attempts count only for the `asked` exercises.

    A check of a single lesson also marks it as the current lesson; a check of several lessons does not.
    """
    changes: dict[str, Callable[[ProgressEntry], ProgressEntry]] = {}
    lessons = {task.id: task.lesson.number for task in asked}
    turn = 1 + max((entry.last for entry in progress.entries().values()), default=0)
    here = turn if len(set(lessons.values())) == 1 else 0
    for result in results:
        if result.state in (State.ABSENT, State.BROKEN):
            continue
        solved = digest(result.task.file) if result.state is State.SOLVED else ""
        tried = result.task.id in lessons and result.state is not State.OPEN

        def change(entry: ProgressEntry, solved: str = solved, tried: bool = tried) -> ProgressEntry:
            last = here if tried and here else entry.last
            return replace(entry, attempts=entry.attempts + tried, solved=solved, last=last)

        changes[result.task.id] = change
    if changes:
        progress.update_all(changes)


def state_of(task: HomeworkTask, entries: dict[str, ProgressEntry]) -> State:
    """The state of an exercise according to the progress file; nothing is run."""
    if not task.exists:
        return State.ABSENT
    solved = entries.get(task.id, ProgressEntry()).solved
    if not solved:
        return State.OPEN
    return State.SOLVED if solved == digest(task.file) else State.CHANGED


def syntax_error(path: Path) -> SyntaxError | OSError | None:
    """The error that prevents Python from parsing the file, or None. Nothing is run."""
    try:
        source = path.read_bytes()
    except OSError as error:
        return error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error))
    return None


def _check_file(file: Path, tasks: Sequence[HomeworkTask], seconds: float, show_output: bool) -> list[Result]:
    fault = syntax_error(file)
    if fault is not None:
        return [Result(task, State.BROKEN, fault=fault) for task in tasks]
    try:
        tests = public_tests(file.parent)
    except HomeworkError as error:  # the student has this file too
        cause = error.__cause__
        return [Result(task, State.BROKEN, fault=cause if isinstance(cause, Exception) else error) for task in tasks]
    without = forbidden(tasks[0].lesson)
    with (
        Listener() as listener,
        Session(file, seconds=seconds, without=without, show_output=show_output, listener=listener) as session,
        Session(file, seconds=seconds, without=without) as quiet,
    ):
        results: list[Result] = []
        try:
            for task in tasks:
                results.append(_run(task, [test for test in tests if test.exercise == task.id], session, quiet))
                unloaded = _load_error(results[-1])
                if unloaded is not None:
                    return [Result(task, State.BROKEN, results[-1].outcomes, fault=unloaded) for task in tasks]
        except JudgeError as error:
            return [Result(task, State.BROKEN, fault=error) for task in tasks]
        return results


def _load_error(result: Result) -> SubmissionError | None:
    """The import error of the file, or None."""
    errors = (outcome.error for outcome in result.outcomes)
    return next((error for error in errors if isinstance(error, SubmissionError) and error.kind == "load"), None)


def _run(task: HomeworkTask, tests: list[JudgeTest], session: Session, quiet: Session) -> Result:
    """Run the tests of one exercise until the remaining ones can add nothing; what all pass, on more seeds in `quiet`.

    Seeds are fixed, so that a failure stays the same until the code changes. Grading uses others.
    """
    outcomes: list[Outcome] = []
    for test in tests:
        outcomes.append(session.run(test, 0))
        error = outcomes[-1].error
        if isinstance(error, SubmissionError) and error.kind in ("load", "missing", "timeout"):
            break
    if all(outcome.passed for outcome in outcomes):
        outcomes = [on_more_seeds(quiet, outcome) for outcome in outcomes]
    state = _state(outcomes, len(tests))
    if state is State.FAILED and untouched(task):
        # code given in the stub calls a function that is not written yet
        state = State.OPEN
    if state is State.OPEN and written(task):
        # it calls a function that is not written yet, such as another exercise's
        state = State.BEGUN
    return Result(task, state, tuple(outcomes), len(tests))


def on_more_seeds(session: Session, outcome: Outcome) -> Outcome:
    """The outcome of a test that has passed on seed 0: the first failure on the other seeds, if there is one."""
    if not outcome.test.draws:
        return outcome
    others = (session.run(outcome.test, seed) for seed in range(1, SEEDS))
    return next((one for one in others if not one.passed), outcome)


def _state(outcomes: list[Outcome], tests: int) -> State:
    if not tests:
        return State.ABSENT
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    if not errors:
        return State.SOLVED
    if not all(unwritten(error) for error in errors):
        return State.FAILED
    return State.BEGUN if len(outcomes) > len(errors) else State.OPEN
