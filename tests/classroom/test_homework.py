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

LONG = ("03_pnnx", "04_graph", "08_resnet", "09_yolov5", "10_partition", "11_speed")
"""Folders whose homework is slow to judge."""


def test_there_is_homework() -> None:
    assert HOMEWORKS


@pytest.mark.parametrize(
    "homework",
    [
        pytest.param(one, id=one.folder.name, marks=[pytest.mark.slow] if one.folder.name in LONG else [])
        for one in HOMEWORKS
    ],
)
def test_it_has_all_its_parts_the_stub_fails_and_the_solution_passes(homework: Homework) -> None:
    sound, problems = form(homework)
    assert sound, problems
    for kind, seeds in (("stub", 1), ("blanket", 1), ("solution", 3)):
        problems += run(CheckJob(register.ROOT, homework.lesson.number, kind, range(seeds))).problems
    assert not problems
