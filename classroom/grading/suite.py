"""The suite that judges one homework: its tests, stub, settings and seed, and a version hash of all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from classroom import register
from classroom.grading.errors import GradingError
from classroom.grading.settings import Settings
from classroom.judge.blanket import Name, of_stub, passable
from classroom.judge.homework import Homework, HomeworkError
from classroom.judge.oracle import FILE
from classroom.judge.student import SubmissionError
from classroom.judge.tests import Outcome
from classroom.register import Lesson
from classroom.stubs import WORKSHEET, StubError, packed, pristine
from classroom.tasks import HomeworkTask

JUDGE, FRONT = (Path(register.__file__).with_name(name) for name in ("judge", "front"))
BESIDE = (
    *("judging.py", "suite.py", "points.py", "worksheets.py"),
    *("notebook.py", "notebook_loader.py", "source_text.py"),
)


Kept = Callable[[str, str | None], str | None]
"""A cache: (key, value or None) -> the stored value; if there is none, `value` is stored first."""


@dataclass(frozen=True)
class Suite:
    """What every judging process must agree on; picklable.

    homework : its folder name, in the course at `root`.
    version : hash of everything that decides a grade.
    given : (public, name) of the tests that the original stub passes; they earn nothing.
    unwritten : (name, message) of its failed public tests: a submission that fails the same way is unwritten.
    blanket : tests that a trivial answer passes; they count only together with one that none passes.
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
        """Whether a public test failed as it does with the stub."""
        unfinished = isinstance(outcome.error, SubmissionError) and outcome.error.type == "NotImplementedError"
        return unfinished or (outcome.test.name, str(outcome.error)) in self.unwritten

    def seed_of(self, digest: str) -> int:
        """The seed of a submission's inputs, from the suite's seed and the digest of student, homework and files.

        Other files get other inputs, so that nobody closes in on the hidden ones by handing in again; the same files
        get the same ones on every machine.
        """
        return int.from_bytes(hashlib.sha256(f"{self.seed}\0{digest}".encode()).digest()[:8], "big")


def suite_of(lesson: Lesson, settings: Settings, seed: int, kept: Kept = lambda key, value: value) -> Suite:
    """The suite of a lesson's homework. Raises GradingError for an incomplete homework.

    The stub and the trivial answers are run once per version: `kept(key, value)` caches the result.
    """
    try:
        homework = homework_in(lesson.root, lesson.folder)
        if settings.worksheets and sheet_of(homework) and find_spec("nbval") is None:
            raise GradingError(
                "worksheets need nbval: `course setup --grading`, or worksheets = false in [grading] of course.toml"
            )
        version = version_of(homework, settings, seed)
        key = f"tests without work, {version}"
        known = kept(key, None) or kept(key, json.dumps(_without_work(homework, settings)))
        given, unwritten, blanket = (frozenset(map(tuple, pairs)) for pairs in json.loads(known or "[[], [], []]"))
    except HomeworkError as error:
        raise GradingError(str(error)) from error
    return Suite(lesson.root, lesson.folder, version, settings, seed, given, unwritten, blanket)


def _without_work(homework: Homework, settings: Settings) -> list[list[Any]]:
    """The suite's `given`, `unwritten` and `blanket`, by running the stub and the trivial answers."""
    stub, seconds = stub_of(homework.lesson.root, homework.folder.name), settings.call_seconds
    outcomes = of_stub(homework, stub, seconds)
    return [
        [(one.test.public, one.test.name) for one in outcomes if one.passed],
        [(one.test.name, str(one.error)) for one in outcomes if one.test.public and not one.passed],
        sorted(passable(homework, stub, seconds)),
    ]


@cache
def homework_in(root: Path, folder: str) -> Homework:
    """The homework with that folder name in the course at `root`; its tests are loaded once per process."""
    lesson = next(one for one in register.load(root).lessons if one.folder == folder)
    return Homework(lesson, root / "homework" / folder)


@cache
def stub_of(root: Path, folder: str) -> str:
    """The original homework file."""
    homework = homework_in(root, folder)
    try:
        return pristine(HomeworkTask(homework.lesson, homework.lesson.exercises[0], ""))
    except StubError:
        return homework.stub.read_text(encoding="utf-8")


def version_of(homework: Homework, settings: Settings, seed: int) -> str:
    """sha256 of the judge's code, the tests, the stub, points, settings and the seed.

    Titles, hints and deadlines of course.toml are left out: they do not change results.
    """
    root, folder = homework.lesson.root, homework.folder
    here = Path(__file__).parent
    files = [*sorted(JUDGE.glob("*.py")), *sorted(FRONT.glob("*.py")), *(here / name for name in BESIDE)]
    files += [folder / "public.py", *sorted(folder.glob(FILE)), *sorted((folder / "judge").glob("*.py"))]
    hash_ = hashlib.sha256()
    for path in files:
        hash_.update(hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).digest())
    points = [(one.id, one.points, one.stretch) for one in homework.exercises]
    rest = [folder.name, points, homework.stub.name, list(homework.without), settings.decisive, seed]
    hash_.update(json.dumps(rest).encode())
    hash_.update(stub_of(root, folder.name).encode())
    if settings.worksheets:
        hash_.update(sheet_of(homework))
    return hash_.hexdigest()[:32]


def sheet_of(homework: Homework) -> bytes:
    """The worksheet as handed out; b"" if there is none."""
    try:
        return packed(homework.lesson, WORKSHEET) or b""
    except StubError:
        return b""


def check_version(suite: Suite) -> None:
    """Raise GradingError unless this process has the same suite as the one that created it."""
    if version_of(homework_in(suite.root, suite.homework), suite.settings, suite.seed) != suite.version:
        raise GradingError("another version of the course or of its tests lies here than where grading was started")
