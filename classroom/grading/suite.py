"""What judges one homework: its tests, its stub, the settings and the seed, and a version that names all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from classroom import register
from classroom.grading.settings import GradingError, Settings
from classroom.judge.blanket import Name, of_stub, passable
from classroom.judge.homework import Homework, HomeworkError
from classroom.judge.student import SubmissionError
from classroom.judge.tests import Outcome
from classroom.register import Lesson
from classroom.stubs import StubError, pristine
from classroom.tasks import HomeworkTask

JUDGE = Path(register.__file__).with_name("judge")
BESIDE = ("judging.py", "suite.py", "points.py", "notebook.py", "notebook_loader.py", "source_text.py")


Kept = Callable[[str, str | None], str | None]
"""What is kept under a key; with a value, that value is kept first where there is none."""


@dataclass(frozen=True)
class Suite:
    """What every judging process must agree on, in a form that travels.

    homework : its folder's name; the course lies in `root`.
    version : a hash over all that decides a grade.
    given : (public, name) of the tests that the stub as handed out passes, which therefore earn nothing.
    unwritten : (name, message) of what its public tests meet instead: who meets the same has written nothing yet.
    blanket : the tests that a blanket answer passes, which count only beside one that none passes.
    """

    root: Path
    homework: str
    version: str
    settings: Settings
    seed: int
    given: frozenset[Name] = frozenset()
    unwritten: frozenset[tuple[str, str]] = frozenset()
    blanket: frozenset[Name] = frozenset()

    def is_unwritten(self, outcome: Outcome) -> bool:
        """Whether a public test met what it meets in the stub."""
        unfinished = isinstance(outcome.error, SubmissionError) and outcome.error.type == "NotImplementedError"
        return unfinished or (outcome.test.name, str(outcome.error)) in self.unwritten

    def seed_of(self, student: str) -> int:
        """The seed of a student's inputs: known to whoever knows this suite's, and no two students' alike."""
        text = f"{self.seed}\0{self.homework}\0{student}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def suite_of(lesson: Lesson, settings: Settings, seed: int, kept: Kept = lambda key, value: value) -> Suite:
    """The suite of a lesson's homework. Raises GradingError for a homework that is not whole.

    The stub and the blanket answers are run once for each version: `kept` gives back what it was given under a key.
    """
    try:
        homework = homework_in(lesson.root, lesson.folder)
        version = version_of(homework, settings, seed)
        key = f"tests without work, {version}"
        known = kept(key, None) or kept(key, json.dumps(_without_work(homework, settings)))
        given, unwritten, blanket = (frozenset(map(tuple, pairs)) for pairs in json.loads(known or "[[], [], []]"))
    except HomeworkError as error:
        raise GradingError(str(error)) from error
    return Suite(lesson.root, lesson.folder, version, settings, seed, given, unwritten, blanket)


def _without_work(homework: Homework, settings: Settings) -> list[list[Any]]:
    """The suite's `given`, `unwritten` and `blanket`, found by running the stub and the blanket answers."""
    stub, seconds = stub_of(homework.lesson.root, homework.folder.name), settings.call_seconds
    outcomes = of_stub(homework, stub, seconds)
    return [
        [(one.test.public, one.test.name) for one in outcomes if one.passed],
        [(one.test.name, str(one.error)) for one in outcomes if one.test.public and not one.passed],
        sorted(passable(homework, stub, seconds)),
    ]


@cache
def homework_in(root: Path, folder: str) -> Homework:
    """The homework of that folder in the course at `root`, its tests loaded once a process."""
    lesson = next(one for one in register.load(root).lessons if one.folder == folder)
    return Homework(lesson, root / "homework" / folder)


@cache
def stub_of(root: Path, folder: str) -> str:
    """The homework file as handed out."""
    homework = homework_in(root, folder)
    try:
        return pristine(HomeworkTask(homework.lesson, homework.lesson.exercises[0], ""))
    except StubError:
        return homework.stub.read_text(encoding="utf-8")


def version_of(homework: Homework, settings: Settings, seed: int) -> str:
    """sha256 over the judge's code, the tests, the stub, points and settings, and the seed.

    Titles, hints and deadlines of course.toml are left out: they change no result.
    """
    root, folder = homework.lesson.root, homework.folder
    here = Path(__file__).parent
    files = [*sorted(JUDGE.glob("*.py")), *(here / name for name in BESIDE)]
    files += [folder / "public.py", folder / "judge" / "hidden.py"]
    hash_ = hashlib.sha256()
    for path in files:
        hash_.update(hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).digest())
    points = [(one.id, one.points, one.stretch) for one in homework.exercises]
    rest = [folder.name, points, homework.stub.name, list(homework.without), settings.decisive, seed]
    hash_.update(json.dumps(rest).encode())
    hash_.update(stub_of(root, folder.name).encode())
    return hash_.hexdigest()[:32]


def check_version(suite: Suite) -> None:
    """Raise GradingError unless this process would judge as the one that made the suite."""
    if version_of(homework_in(suite.root, suite.homework), suite.settings, suite.seed) != suite.version:
        raise GradingError("another version of the course or of its tests lies here than where grading was started")
