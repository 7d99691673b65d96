"""Tests of the judge: functions of a student's functions, each for one exercise, run on one submission."""

from __future__ import annotations

import ast
import inspect
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from classroom.judge.compare import Failure
from classroom.judge.printed import Listener, Printed
from classroom.judge.student import JudgeError, Student, SubmissionError
from classroom.judge.workers import Workers
from classroom.sandbox.base import Sandbox

TestFunction = Callable[..., str | None]
"""Raises Failure, or returns nothing, or a sentence that says how good the right answer is."""
Oracles = Callable[[str, int], Any]
"""(name of a test, seed) -> the oracle that the test asks for what is right."""
GIVEN = ("student", "rng", "oracle")
"""What a test can ask for, by the names of its parameters."""


@dataclass(frozen=True)
class Test:
    """A test: the exercise it belongs to, its name, the sentence that says what must hold.

    rules : names of the task's rules that it tests.
    oracles : where its oracle comes from, if it asks for one.
    """

    __test__: ClassVar[bool] = False  # not a pytest test, in spite of its name

    exercise: str
    name: str
    sentence: str
    function: TestFunction
    public: bool
    rules: tuple[str, ...] = ()
    oracles: Oracles | None = None
    section: str = ""

    @property
    def asks(self) -> bool:
        """Whether it asks an oracle."""
        return "oracle" in inspect.signature(self.function).parameters

    @property
    def draws(self) -> bool:
        """Whether its inputs depend on the seed."""
        return "rng" in inspect.signature(self.function).parameters

    def call(self, student: Student, seed: int) -> str | None:
        """Run it; its random inputs depend on the seed and its name. Returns what it says about a right answer."""
        given: dict[str, Any] = {}
        for name in inspect.signature(self.function).parameters:
            if name == "student":
                given[name] = student
            elif name == "rng":
                given[name] = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
            elif self.oracles is not None:
                given[name] = self.oracles(self.name, seed)
            else:
                raise JudgeError(f"the test {self.name} asks for an oracle, and there is none")
        return self.function(**given)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a test: passed, or the error with the call that led to it (name, args, kwargs).

    printed : output of each call, latest last, if there is a listener; includes the import if the test started with it.
    score : how good the right answer is, in a sentence, if the test says so.
    """

    test: Test
    error: Failure | SubmissionError | None = None
    call: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
    printed: tuple[Printed, ...] = ()
    score: str = ""

    @property
    def passed(self) -> bool:
        """Whether the test passed."""
        return self.error is None


class UnusableAnswerError(Failure):
    """The test itself failed on the value that the submission returned."""


def task(exercise: str, *rules: str, section: str = "") -> Callable[[TestFunction], TestFunction]:
    """Mark a function as a test of `exercise` and of its `rules`; its docstring is the sentence that must hold.

    The function names what it needs among its parameters: `student`, `rng` (seeded), `oracle` (what is right).
    section : heading of the lesson to read again when the test fails, if it is not the one of the exercise; of another
        lesson "lesson 13, Attention".
    """

    def mark(function: TestFunction) -> TestFunction:
        function.exercise, function.rules, function.section = exercise, rules, section  # type: ignore[attr-defined]
        return function

    return mark


def load_file(path: Path) -> ModuleType:
    """Import a Python file by path, without writing bytecode.

    It may import its neighbours (`from .sizes import small`), and from the folder above (`from ..public import BOXES`).
    """
    path = path.resolve()
    module = ModuleType(f"{_package(path.parent)}.{path.stem}_{zlib.crc32(str(path).encode()):08x}")
    module.__file__, module.__package__ = str(path), _package(path.parent)
    sys.modules[module.__name__] = module
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    finally:
        sys.dont_write_bytecode = keep
    return module


def _package(folder: Path) -> str:
    """The name of a package made of a folder and the one above it, for relative imports."""
    above = f"folder_{zlib.crc32(str(folder.parent).encode()):08x}"
    for name, place in ((above, folder.parent), (f"{above}.{folder.name}", folder)):
        if name not in sys.modules:
            sys.modules[name] = ModuleType(name)
            sys.modules[name].__path__ = [str(place)]
    return f"{above}.{folder.name}"


def load_tests(path: Path, *, public: bool, oracles: Callable[[str], Oracles] | None = None) -> list[Test]:
    """The tests of a file, in order. `oracles` : exercise -> its oracles.

    Raises ValueError for a file without tests, a test without a docstring or with unknown parameters, and duplicate
    names.
    """
    names = [node.name for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: two functions of one name, of which only the last counts: {', '.join(twice)}")
    tests = []
    for name, value in vars(load_file(path)).items():
        exercise = getattr(value, "exercise", None)
        if not inspect.isfunction(value) or not isinstance(exercise, str):
            continue
        if not value.__doc__:
            raise ValueError(f"{path}: {name} has no docstring that says what must hold")
        unknown = set(inspect.signature(value).parameters) - set(GIVEN)
        if unknown:
            raise ValueError(f"{path}: {name} asks for {', '.join(sorted(unknown))}; a test can ask for {GIVEN}")
        sentence = " ".join(value.__doc__.split("\n\n")[0].split())
        tests.append(
            Test(
                exercise,
                name,
                sentence,
                value,
                public,
                getattr(value, "rules", ()),
                oracles(exercise) if oracles else None,
                getattr(value, "section", ""),
            )
        )
    if not tests:
        raise ValueError(f"{path}: expected tests marked with @task, found none")
    return tests


def to_its_end(test: Test) -> Test:
    """The test, made to fail if it skips or exits: those are not Exceptions, but not passes either."""

    @wraps(test.function)
    def function(**given: Any) -> None:
        try:
            test.function(**given)
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise Failure(f"the test did not run to its end: {type(error).__name__}") from error

    return replace(test, function=function)


class Session:
    """A submission and its worker, reused across tests and seeds until it dies.

    Parameters
    ----------
    seconds : time limit of the import and of each call.
    fresh : whether to start a new worker for every test.
    without : modules that the submission cannot import.
    show_output : whether to show what the submission prints.
    listener : captures its output instead; None: no capture.
    sandbox : isolates the worker; None: no sandbox.
    workers : starts workers and determines everything but `seconds` and `fresh`; None: the session starts its own.
    """

    def __init__(
        self,
        submission: Path,
        *,
        seconds: float = 10.0,
        fresh: bool = False,
        without: Iterable[str] = (),
        show_output: bool = False,
        listener: Listener | None = None,
        sandbox: Sandbox | None = None,
        workers: Workers | None = None,
    ) -> None:
        self._start = lambda: Student(
            submission,
            seconds,
            without=without,
            show_output=show_output,
            listener=listener,
            sandbox=sandbox,
            workers=workers,
        )
        self._fresh, self._listener = fresh, listener
        self._student: Student | None = None
        self._unloadable: SubmissionError | None = None

    def run(self, test: Test, seed: int) -> Outcome:
        """Run one test; its random inputs depend on the seed and its name. Raises only JudgeError."""
        error: Failure | SubmissionError | None = None
        student, score = None, None
        if self._listener is not None:
            self._listener.heard.clear()
        try:
            student = self._loaded()
            score = test.call(student, seed)
        except (Failure, SubmissionError) as caught:
            error = caught
        except JudgeError:
            raise
        except Exception as caught:  # such as None[0]: no return value may stop the judge
            error = UnusableAnswerError(f"the answer cannot be used: {type(caught).__name__}: {caught}")
            error.__cause__ = caught
        call = student._last if student is not None and error is not None else None
        printed = tuple(self._listener.heard) if self._listener is not None else ()
        if error is not None and error.failed_call is not None:
            call, printed = error.failed_call.call, error.failed_call.heard
        if self._fresh or (isinstance(error, SubmissionError) and error.ends_worker):
            self.close()
        return Outcome(test, error, call, printed, score or "")

    def _loaded(self) -> Student:
        if self._unloadable is not None:
            raise self._unloadable
        if self._student is None:
            try:
                self._student = self._start()
            except SubmissionError as error:
                self._unloadable = error
                raise
        self._student._last = None
        return self._student

    def close(self) -> None:
        """Stop the worker."""
        if self._student is not None:
            self._student.close()
            self._student = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run_tests(
    submission: Path,
    tests: Iterable[Test],
    *,
    seed: int,
    seconds: float = 10.0,
    fresh: bool = False,
    without: Iterable[str] = (),
    show_output: bool = False,
    sandbox: Sandbox | None = None,
) -> list[Outcome]:
    """Run tests on a submission file -> one outcome each; parameters as for Session."""
    session = Session(
        submission, seconds=seconds, fresh=fresh, without=without, show_output=show_output, sandbox=sandbox
    )
    with session:
        return [session.run(test, seed) for test in tests]


def exercise_passed(outcomes: Sequence[Outcome], exercise: str) -> bool:
    """Whether every test of the exercise passed, and there was at least one."""
    mine = [o for o in outcomes if o.test.exercise == exercise]
    return bool(mine) and all(o.passed for o in mine)
