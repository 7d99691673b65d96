"""The judge's tests as pytest's items: homework/02_tensor/hw02_tensor.py::flatten::one_to_24_row_by_row.

A homework file stands for all tests of its homework, the hidden ones where the folder has them; public.py and the files
of judge/ stand for their own tests if they are named. Public tests of a file share a worker, a hidden one has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest

from classroom import explain
from classroom.check import on_more_seeds, syntax_error, unwritten
from classroom.front.options import seconds_of, seed_of
from classroom.front.places import lesson_at
from classroom.judge import JudgeError, Outcome, Session, SubmissionError
from classroom.judge import Test as JudgeTest
from classroom.judge.homework import Homework, HomeworkError
from classroom.judge.printed import Listener
from classroom.register import RegisterError
from classroom.sandbox import Sandbox, best_sandbox
from classroom.stubs import StubError, blocks, handed_out, names_of
from classroom.tasks import HomeworkTask, tasks_of

PUBLIC_FILE, JUDGE_FOLDER = "public.py", "judge"


class NotPassed(Exception):
    """A test failed; the message is its diagnosis."""


@cache
def sandbox() -> Sandbox:
    """The best sandbox of this machine, tried once."""
    return best_sandbox()


def tests_at(path: Path, parent: pytest.Collector) -> HomeworkFile | None:
    """The collector of a file in a homework's folder; None where it stands for no tests."""
    try:
        lesson = lesson_at(path)
    except RegisterError as error:
        raise pytest.UsageError(str(error)) from None
    if lesson is None or not lesson.homework_file:
        return None
    folder = lesson.root / "homework" / lesson.folder
    named = parent.session.isinitpath(path)
    tested = {folder / lesson.homework_file}
    if named or not (folder / lesson.homework_file).is_file():
        tested.add(folder / PUBLIC_FILE)
    if named:
        tested |= {folder / JUDGE_FOLDER / f"{exercise.id}.py" for exercise in lesson.exercises}
    if path not in tested or not (folder / PUBLIC_FILE).is_file():
        return None
    return HomeworkFile.from_parent(parent, path=path, homework=Homework(lesson, folder))


class HomeworkFile(pytest.File):
    """The tests that a file stands for, and what runs them."""

    def __init__(self, *, homework: Homework, **of_pytest: Any) -> None:
        super().__init__(**of_pytest)
        self.homework = homework
        self.tasks: dict[str, HomeworkTask] = {task.id: task for task in tasks_of(homework.lesson)}
        self._listener: Listener | None = None
        self._shared: Session | None = None

    def collect(self) -> Iterator[ExerciseTests]:
        """The exercises that have tests here, in order."""
        try:
            tests = self._tests()
        except HomeworkError as error:
            raise self.CollectError(str(error)) from None
        for name, task in self.tasks.items():
            mine = [test for test in tests if test.exercise == name]
            if mine:
                yield ExerciseTests.from_parent(self, name=name, task=task, tests=mine)

    def _tests(self) -> list[JudgeTest]:
        if self.path.name == PUBLIC_FILE:
            return self.homework.public
        if self.path.parent.name == JUDGE_FOLDER:
            return [test for test in self.homework.hidden if test.exercise == self.path.stem]
        hidden = self.homework.hidden if (self.homework.folder / JUDGE_FOLDER).is_dir() else []
        return [*self.homework.public, *hidden]

    @property
    def file(self) -> Path:
        """The homework file that is judged."""
        return self.homework.folder / self.homework.lesson.homework_file

    @cached_property
    def fault(self) -> SyntaxError | OSError | None:
        """Why Python cannot read the homework file, if it cannot."""
        return syntax_error(self.file)

    @cached_property
    def lines(self) -> dict[str, int]:
        """Exercise -> line of its first function in the homework file, from 0; editors put their marks there."""
        try:
            stub, mine = handed_out(self.homework.lesson), blocks(self.file.read_text(encoding="utf-8"))
        except (StubError, OSError, ValueError, SyntaxError):
            return {}
        found = {name: [mine[one][0] - 1 for one in names_of(stub, name) if one in mine] for name in self.tasks}
        return {name: lines[0] for name, lines in found.items() if lines}

    def run(self, test: JudgeTest) -> Outcome:
        """Run one test in the sandbox, with the seed and the time limit of the command line. Raises JudgeError."""
        if test.public:
            if self._shared is None:
                self._shared = self._session()
            return self._on_seeds(self._shared, test)
        with self._session() as alone:
            return self._on_seeds(alone, test)

    def _on_seeds(self, session: Session, test: JudgeTest) -> Outcome:
        seed = seed_of(self.config)
        outcome = session.run(test, seed or 0)
        return on_more_seeds(session, outcome) if seed is None and outcome.passed else outcome

    def _session(self) -> Session:
        if self._listener is None:
            self._listener = Listener()
        return Session(
            self.file,
            seconds=seconds_of(self.config),
            without=self.homework.without,
            listener=self._listener,
            sandbox=sandbox(),
        )

    def teardown(self) -> None:
        """Stop the worker."""
        if self._shared is not None:
            self._shared.close()
            self._shared = None
        if self._listener is not None:
            self._listener.close()
            self._listener = None


class ExerciseTests(pytest.Collector):
    """The tests of one exercise."""

    def __init__(self, *, task: HomeworkTask, tests: Iterable[JudgeTest], **of_pytest: Any) -> None:
        super().__init__(**of_pytest)
        self.task, self.tests = task, list(tests)

    def collect(self) -> Iterator[JudgedTest]:
        """Public tests by their names, hidden ones as `name[hidden]`."""
        for test in self.tests:
            name = test.name if test.public else f"{test.name}[hidden]"
            yield JudgedTest.from_parent(self, name=name, task=self.task, test=test)


class JudgedTest(pytest.Item):
    """One test of the judge."""

    def __init__(self, *, task: HomeworkTask, test: JudgeTest, **of_pytest: Any) -> None:
        super().__init__(**of_pytest)
        self.task, self.test = task, test
        self.add_marker("public" if test.public else "hidden")

    @property
    def _of(self) -> HomeworkFile:
        found = self.getparent(HomeworkFile)
        assert found is not None
        return found

    def runtest(self) -> None:
        """Run it. Raises NotPassed with the diagnosis, JudgeError."""
        if self._of.fault is not None:
            raise NotPassed(explain.why(self.task, self._of.fault))
        outcome = self._of.run(self.test)
        if not outcome.passed:
            raise NotPassed(diagnosis(self.task, outcome))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What `check` says; a traceback for errors of the course alone."""
        error = excinfo.value
        if isinstance(error, NotPassed):
            return str(error)
        if isinstance(error, JudgeError):
            return explain.why(self.task, error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The exercise's function in the student's file."""
        return self._of.file, self._of.lines.get(self.task.id), f"{self.task.id}: {self.name}"


def diagnosis(task: HomeworkTask, outcome: Outcome) -> str:
    """Why a test failed, in the words of `check`."""
    error = outcome.error
    if isinstance(error, SubmissionError) and unwritten(error):
        return explain.labelled("why", not_written(task, error.message, error.line))
    if isinstance(error, SubmissionError) and error.kind == "load":
        return explain.why(task, error)
    return explain.diagnosis(task, outcome)


def not_written(task: HomeworkTask, message: str = "", line: int | None = None) -> str:
    """That an exercise, or what it calls, is still the stub's, in a sentence.

    message : of the stub's NotImplementedError, such as "flatten: TODO".
    """
    todo = re.match(r"(\w+): TODO", message)
    where = f"{task.file.name}, line {line}" if line else task.file.name
    return f"not written yet: TODO {todo[1] if todo else task.id}, in {where}"
