"""Judge one submission: public tests in one worker, each hidden test in a fresh one, the worksheet, then the points.

A test passes only if it ran to its end and held: no answer, a crash, a timeout or a skip is a failure. A worker that
died is retried once, since a machine short of memory kills processes too. Errors of the judge itself are retried a few
times, and are then Status.INFRASTRUCTURE: no grade. So is a test that ran out of time on a machine too busy for limits.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, wraps
from pathlib import Path
from typing import Any

from classroom.grading import notebook
from classroom.grading.disclosure import coarse, disclosed
from classroom.grading.errors import GradingError
from classroom.grading.intake.choice import judged_file
from classroom.grading.intake.recognise import WORKSHEET
from classroom.grading.points import grade_of, nothing
from classroom.grading.records import Grade, Graded, Isolation, Status, Submission
from classroom.grading.source_text import encoding_fault, wide_fault
from classroom.grading.suite import Suite, check_version, homework_in, stub_of
from classroom.grading.worksheets import sheet_checks
from classroom.judge import fair
from classroom.judge.homework import Homework
from classroom.judge.student import JudgeError, SubmissionError, check_fair
from classroom.judge.tests import Outcome, Session, Test, to_its_end
from classroom.judge.workers import Workers
from classroom.sandbox import Sandbox, best_sandbox, canary

ATTEMPTS = 3
PAUSE = 0.5
"""Seconds before a retry, times the number of the attempt."""
NOT_PYTHON = {"SyntaxError", "IndentationError", "TabError"}


@dataclass(frozen=True)
class Job:
    """A submission and the suite to judge it by. Sent to other processes and machines."""

    submission: Submission
    suite: Suite


@cache
def this_sandbox() -> tuple[Sandbox, Isolation]:
    """The best sandbox of this machine and its isolation, tested once per process."""
    sandbox = best_sandbox()
    return sandbox, canary(sandbox)


def judge(job: Job, sandbox: Sandbox | None = None, isolation: Isolation | None = None) -> Graded:
    """Judge a submission. Never raises: errors of the judge itself become Status.INFRASTRUCTURE.

    Lateness and faults are added later, when results are read.
    """
    started = time.monotonic()
    trouble = ""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            if sandbox is None or isolation is None:
                sandbox, isolation = this_sandbox()
            grades = _grades(job, sandbox)
            return _graded(job, grades, isolation, started)
        except (JudgeError, GradingError, OSError, MemoryError) as error:
            trouble = f"{type(error).__name__}: {error}"
        if attempt < ATTEMPTS:
            time.sleep(PAUSE * attempt)
    return infrastructure(job, trouble, isolation or Isolation.NONE, time.monotonic() - started)


def infrastructure(job: Job, trouble: str, isolation: Isolation = Isolation.NONE, seconds: float = 0.0) -> Graded:
    """A result without a grade, for a submission that could not be judged."""
    exercises = homework_in(job.suite.root, job.suite.homework).exercises
    message = f"the judge could not work: {trouble[:300]}"
    grades = tuple(nothing(exercise, Status.INFRASTRUCTURE, message) for exercise in exercises)
    return _graded(job, grades, isolation, time.monotonic() - seconds)


def _graded(job: Job, grades: tuple[Grade, ...], isolation: Isolation, started: float) -> Graded:
    one = job.submission
    seconds = coarse(time.monotonic() - started)
    return Graded(one.student, one.homework, one.digest, job.suite.version, grades, isolation, seconds)


def _grades(job: Job, sandbox: Sandbox) -> tuple[Grade, ...]:
    check_version(job.suite)
    homework = homework_in(job.suite.root, job.suite.homework)
    stub = stub_of(job.suite.root, job.suite.homework)
    try:
        text, remark = _text(job.submission, homework.stub.name, stub)
    except notebook.NotebookFault as error:
        return _unreadable(homework, str(error))
    if fault := wide_fault(homework.stub.name, text):
        return _unreadable(homework, fault)
    with tempfile.TemporaryDirectory(prefix="judging-") as folder:
        path = Path(folder) / homework.stub.name
        path.write_bytes(text)
        with Workers(path, homework.without, sandbox) as workers:
            bench = SubmissionRunner(path, job.suite, job.suite.seed_of(job.submission.digest), workers)
            outcomes = list(bench.run(homework.public, homework.hidden))
        fault = _not_python(one for one, _ in outcomes)
        asked = [] if fault else sheet_checks(
            job.suite, homework, path, sandbox, _written(job.suite, outcomes), bench.seconds_left()
        )  # fmt: skip
    if fault:
        return _unreadable(homework, encoding_fault(homework.stub.name, text) or fault)
    grades = []
    for exercise in homework.exercises:
        mine = [(outcome, seconds) for outcome, seconds in outcomes if outcome.test.exercise == exercise.id]
        checks = (
            *(disclosed(outcome, homework.stub, seconds) for outcome, seconds in mine),
            *(check for check in asked if check.exercise == exercise.id),
        )
        unwritten = all(job.suite.is_unwritten(outcome) for outcome, _ in mine if outcome.test.public)
        share = job.suite.settings.public_share
        grade = grade_of(exercise, checks, job.suite.given, share, unwritten, job.suite.blanket)
        grades.append(replace(grade, message=f"{grade.message}; {remark}") if remark else grade)
    return tuple(grades)


def _written(suite: Suite, outcomes: Iterable[tuple[Outcome, float]]) -> set[str]:
    """The exercises of which a public test meets something else than the stub; none if the file cannot be loaded."""
    public = [outcome for outcome, _ in outcomes if outcome.test.public]
    if any(isinstance(one.error, SubmissionError) and one.error.kind == "load" for one in public):
        return set()
    return {one.test.exercise for one in public if not suite.is_unwritten(one)}


def _unreadable(homework: Homework, why: str) -> tuple[Grade, ...]:
    return tuple(nothing(exercise, Status.UNREADABLE, why) for exercise in homework.exercises)


def _text(submission: Submission, name: str, stub: str) -> tuple[bytes, str]:
    """(content of the judged file, remark). Raises NotebookFault."""
    which = judged_file(submission.files, name, stub.encode())
    if which != WORKSHEET:
        return submission.files[name], ""
    cells = notebook.answers(submission.files[WORKSHEET])
    return notebook.as_module(cells, stub).encode(), "judged from the worksheet"


def _not_python(outcomes: Iterable[Outcome]) -> str:
    """The syntax error of the file, else "": from the first test, since all tests load the same file."""
    for outcome in outcomes:
        error = outcome.error
        if isinstance(error, SubmissionError) and error.kind == "load" and error.type in NOT_PYTHON:
            return error.message
        return ""
    return ""


class SubmissionRunner:
    """Runs the tests of one submission within the time limits, each in a fresh worker.

    Parameters
    ----------
    path : the submission's file, alone in its folder.
    suite, seed : the suite to judge by, and the seed of its inputs.
    workers : starts the workers.
    """

    def __init__(self, path: Path, suite: Suite, seed: int, workers: Workers) -> None:
        self._suite, self._seed, self._settings = suite, seed, suite.settings
        self._began = fair.mark()
        self._session: Callable[[], Session] = lambda: Session(
            path, seconds=suite.settings.call_seconds, workers=workers
        )

    def run(self, public: list[Test], hidden: list[Test]) -> Iterator[tuple[Outcome, float]]:
        """(outcome, seconds) of every test. Tests that cannot pass are not run: none if the file cannot be loaded, and
        no hidden test of an exercise whose public tests all fail exactly as with the stub."""
        unloadable: SubmissionError | None = None
        written: set[str] = set()
        session = self._session()
        try:
            for test in public:
                if unloadable is not None:
                    yield Outcome(test, unloadable), 0.0
                    continue
                outcome, seconds = self._one(session, test)
                if _died(outcome):
                    session.close()
                    session = self._session()
                    outcome, seconds = self._one(session, test)
                if isinstance(outcome.error, SubmissionError) and outcome.error.kind == "load":
                    unloadable = outcome.error
                if not self._suite.is_unwritten(outcome):
                    written.add(test.exercise)
                yield outcome, seconds
        finally:
            session.close()
        begun = {test.exercise for test in public}
        for test in hidden:
            if unloadable is not None:
                yield Outcome(test, unloadable), 0.0
            elif test.exercise in begun - written:
                yield Outcome(test, SubmissionError("raise", "not written yet", "NotImplementedError")), 0.0
            else:
                yield self._alone(test)

    def seconds_left(self) -> float:
        """What is left of the submission's time. Raises JudgeError if that is nothing on a machine too busy for limits.

        Time in which the judge stood still is not the submission's.
        """
        left = self._settings.submission_seconds - self._began.seconds
        if left < 0:
            check_fair(self._began)
        return left

    def _alone(self, test: Test) -> tuple[Outcome, float]:
        """Run one test in a fresh worker; again if the worker died."""
        for again in (False, True):
            with self._session() as session:
                outcome, seconds = self._one(session, test)
            if again or not _died(outcome):
                break
        return outcome, seconds

    def _one(self, session: Session, test: Test) -> tuple[Outcome, float]:
        began, left = fair.mark(), self.seconds_left()
        if left < 0:
            spent = f"no time left: {self._settings.submission_seconds:g} s are spent on this submission"
            return Outcome(test, SubmissionError("timeout", spent)), 0.0
        seconds = min(left, self._settings.test_seconds)

        @wraps(test.function)
        def timed(**given: Any) -> None:
            test.function(**{**given, "student": Timed(given["student"], began, seconds)})

        outcome = session.run(to_its_end(replace(test, function=timed)), self._seed)
        return replace(outcome, test=test), round(began.seconds, 4)


class Timed:
    """A Student whose calls end when the test's time is up: many short calls could exceed it."""

    def __init__(self, student: Any, began: fair.Mark, seconds: float) -> None:
        self._student, self._began, self._seconds = student, began, seconds

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._student, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            if self._began.seconds > self._seconds:
                check_fair(self._began)
                raise SubmissionError("timeout", "no answers in time: the test's calls took too long together")
            return call(*args, **kwargs)

        return timed


def _died(outcome: Outcome) -> bool:
    error = outcome.error
    return isinstance(error, SubmissionError) and "died" in (error.kind, error.type)
