from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom import register
from classroom.grading.judging import Job, judge
from classroom.grading.records import Graded, Isolation, Submission
from classroom.grading.settings import load_settings
from classroom.grading.suite import Suite, homework_in, version_of
from classroom.sandbox import Bare, Command
from classroom.sandbox.base import FORKER, WORKER

FOLDER = "01_numbers"

JUDGED = {
    "double": '''"""Add it to itself."""

import numpy as np

from classroom.judge import Mutant, expect, task


@task("double")
def any_shape(student, rng):
    """Tables of any shape are doubled."""
    x = rng.standard_normal((int(rng.integers(2, 5)), 3))
    expect(student.double(x), 2 * x)


@task("double")
def negative_ones(student, rng):
    """Negative numbers are doubled."""
    x = -rng.integers(1, 100, 5)
    expect(student.double(x), 2 * x)


MUTANTS = [Mutant("thrice", "one too many", "return 2 * x", "return 3 * x")]
''',
    "turn": '''"""Read from the end."""

from classroom.judge import Mutant, expect, task


@task("turn")
def long_lists(student, rng):
    """Twenty numbers are turned."""
    x = [int(n) for n in rng.integers(0, 1000, 20)]
    expect(student.turn(x), x[::-1])


MUTANTS = [Mutant("sorted", "order", "return x[::-1]", "return sorted(x)")]
''',
    "power": '''"""Multiply."""

from classroom.judge import Mutant, expect, task


@task("power")
def any_number(student, rng):
    """Whole numbers are multiplied with themselves."""
    n = int(rng.integers(10, 1000))
    expect(student.power(n), n * n)


MUTANTS = [Mutant("twice", "2x", "return x * x", "return x + x")]
''',
}
"""Exercise -> what judges it."""


def code(name: str, *lines: str, **metadata: Any) -> dict[str, Any]:
    """A code cell."""
    source = [f"{line}\n" for line in lines]
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata,
        "execution_count": None,
        "outputs": [],
        "source": source,
    }


def notebook(*cells: dict[str, Any]) -> bytes:
    """A notebook of these cells, the worksheet's heading first."""
    heading = {"cell_type": "markdown", "id": "cell-00", "metadata": {}, "source": ["# Worksheet 1: numbers\n"]}
    return json.dumps({"cells": [heading, *cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


class Forking(Bare):
    """Workers that nothing shuts in, forked where the system can: the tests need many."""

    def command(self, submission: Path, without: frozenset[str]) -> Command:
        command = super().command(submission, without)
        if sys.platform != "linux":
            return command
        argv = tuple(str(FORKER) if word == str(WORKER) else word for word in command.argv)
        return replace(command, argv=argv, forks=True)


class Teacher:
    """A small course with everything that judges it."""

    def __init__(self, mini: Any, solution: str) -> None:
        self.root, self.pack, self.solution = mini.root, mini.pack, solution
        self.course = register.load(self.root)
        self.lesson = self.course.lesson(1)
        self.stub = self.file.read_text(encoding="utf-8")
        self.code, self.notebook = code, notebook
        self.sandbox = Forking()

    @property
    def file(self) -> Path:
        return self.root / "homework" / FOLDER / "hw01_numbers.py"

    def job(self, seed: int = 7, student: str = "ann", settings: Any = None, **files: bytes | str) -> Job:
        """A job for files {"hw01_numbers": text, "worksheet": bytes}."""
        suffix = {"hw01_numbers": ".py", "worksheet": ".ipynb"}
        data = {name + suffix[name]: text.encode() if isinstance(text, str) else text for name, text in files.items()}
        settings = settings or load_settings(self.root)
        version = version_of(homework_in(self.root, FOLDER), settings, seed)
        return Job(Submission(student, FOLDER, data), Suite(self.root, FOLDER, version, settings, seed))

    def judged(self, **options: Any) -> Graded:
        """The job judged in this process, by workers that nothing shuts in."""
        return judge(self.job(**options), self.sandbox, Isolation.NONE)

    def points(self, **options: Any) -> dict[str, float]:
        """Exercise -> points of the job judged."""
        return {grade.exercise: grade.points for grade in self.judged(**options).grades}


@pytest.fixture
def teacher(mini: Any, with_solutions: Callable[[], None]) -> Teacher:
    """The small course with hidden tests, mutants and a worksheet."""
    with_solutions()
    folder = mini.file.parent
    for name, text in JUDGED.items():
        (folder / "judge" / f"{name}.py").write_text(text, encoding="utf-8")
    cells = [code("cell-01", "import hw01_numbers as hw"), code("cell-02", "hw.double(3)"), code("cell-03", "1")]
    (folder / "worksheet.ipynb").write_bytes(notebook(*cells))
    return Teacher(mini, (folder / "judge" / "solution.py").read_text(encoding="utf-8"))
