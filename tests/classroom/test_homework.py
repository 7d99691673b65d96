"""Every homework has all its parts; its stub fails and its solution passes. `course dev check` finds the mistakes."""

from __future__ import annotations

import pytest

from classroom import register
from classroom.dev.soundness import CheckJob, find_homeworks, form, run
from classroom.judge.homework import Homework, HomeworkError

try:
    HOMEWORKS = find_homeworks(register.ROOT)
except HomeworkError:
    HOMEWORKS = []

JUDGED = ("01_first_tests", "07_expression")
"""Folders whose homework is judged here; `dev check`, which continuous integration runs too, judges all alike."""


def test_there_is_homework() -> None:
    assert HOMEWORKS


@pytest.mark.slow
@pytest.mark.parametrize("homework", HOMEWORKS, ids=lambda homework: homework.folder.name)
def test_it_has_all_its_parts(homework: Homework) -> None:
    assert form(homework) == (True, [])


@pytest.mark.slow
@pytest.mark.parametrize(
    "homework", [pytest.param(one, id=one.folder.name) for one in HOMEWORKS if one.folder.name in JUDGED]
)
def test_the_stub_fails_and_the_solution_passes(homework: Homework) -> None:
    problems: list[str] = []
    for kind, seeds in (("stub", 1), ("blanket", 1), ("solution", 3)):
        problems += run(CheckJob(register.ROOT, homework.lesson.number, kind, range(seeds))).problems
    assert not problems
