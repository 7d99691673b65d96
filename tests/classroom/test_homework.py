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

QUICK = ("01_first_tests", "07_expression")
"""Folders whose homework is judged in a quick run too; `dev check` judges all."""


def test_there_is_homework() -> None:
    assert HOMEWORKS


@pytest.mark.parametrize(
    "homework",
    [
        pytest.param(one, id=one.folder.name, marks=[pytest.mark.slow] if one.folder.name not in QUICK else [])
        for one in HOMEWORKS
    ],
)
def test_it_has_all_its_parts_the_stub_fails_and_the_solution_passes(homework: Homework) -> None:
    sound, problems = form(homework)
    assert sound, problems
    for kind, seeds in (("stub", 1), ("blanket", 1), ("solution", 3)):
        problems += run(CheckJob(register.ROOT, homework.lesson.number, kind, range(seeds))).problems
    assert not problems
