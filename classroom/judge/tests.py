"""Judge's tests: functions of (student, rng), each for one exercise, run against one submission."""

from __future__ import annotations

import importlib.util
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from classroom.judge.compare import Failure
from classroom.judge.student import Student, SubmissionError

TestFunction = Callable[[Student, np.random.Generator], None]


@dataclass(frozen=True)
class Test:
    """One test: the exercise it judges, its name, the sentence that says what must hold."""

    exercise: str
    name: str
    sentence: str
    function: TestFunction
    public: bool


@dataclass(frozen=True)
class Outcome:
    """What one test said: passed, or the error with the call that led to it (name, args, kwargs)."""

    test: Test
    error: Failure | SubmissionError | None = None
    call: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None

    @property
    def passed(self) -> bool:
        """Whether the test held."""
        return self.error is None


def task(exercise: str) -> Callable[[TestFunction], TestFunction]:
    """Mark a function (student, rng) as a test of `exercise`; its docstring is the sentence that must hold."""

    def mark(function: TestFunction) -> TestFunction:
        function.exercise = exercise  # type: ignore[attr-defined]
        return function

    return mark


def load_tests(path: Path, *, public: bool) -> list[Test]:
    """The tests of a file, in its order. Raises ValueError for one without a sentence, or a file without tests."""
    spec = importlib.util.spec_from_file_location(f"judge_tests_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = []
    for name, value in vars(module).items():
        exercise = getattr(value, "exercise", None)
        if not callable(value) or not isinstance(exercise, str):
            continue
        if not value.__doc__:
            raise ValueError(f"{path}: {name} has no docstring that says what must hold")
        tests.append(Test(exercise, name, value.__doc__.strip().splitlines()[0], value, public))
    if not tests:
        raise ValueError(f"{path}: expected tests marked with @task, found none")
    return tests


def run_tests(
    submission: Path, tests: Iterable[Test], *, seed: int, seconds: float = 10.0, fresh: bool = False
) -> list[Outcome]:
    """Run tests against a submission file.

    Parameters
    ----------
    seed : of the random inputs; each test draws from a generator of its own, made from the seed and the test's name.
    seconds : for loading the submission and for each call.
    fresh : a new worker for every test; otherwise one serves until it dies.
    """
    outcomes: list[Outcome] = []
    student: Student | None = None
    try:
        for test in tests:
            rng = np.random.default_rng([seed, zlib.crc32(test.name.encode())])
            error: Failure | SubmissionError | None = None
            call = None
            try:
                if student is None:
                    student = Student(submission, seconds)
                test.function(student, rng)
            except (Failure, SubmissionError) as caught:
                error = caught
                call = student._last if student is not None else None
            if student is not None and (fresh or (isinstance(error, SubmissionError) and error.kind != "raise")):
                student.close()
                student = None
            outcomes.append(Outcome(test, error, call))
    finally:
        if student is not None:
            student.close()
    return outcomes


def score(outcomes: Sequence[Outcome], exercise: str) -> bool:
    """Whether every test of the exercise passed, and there was one."""
    mine = [o for o in outcomes if o.test.exercise == exercise]
    return bool(mine) and all(o.passed for o in mine)
