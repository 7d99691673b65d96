"""Every homework judges rightly. `course dev check` proves it on more seeds."""

from __future__ import annotations

import pytest

from classroom import register
from classroom.dev.check import check, found
from classroom.judge.homework import Homework, HomeworkError

try:
    HOMEWORKS = found(register.ROOT)
except HomeworkError:
    HOMEWORKS = []


def test_there_is_homework() -> None:
    assert HOMEWORKS


@pytest.mark.parametrize("homework", HOMEWORKS, ids=lambda homework: homework.folder.name)
def test_the_stub_fails_the_solution_passes_and_every_mistake_is_found(homework: Homework) -> None:
    (result,) = check([homework], seeds=1, solution_seeds=2)
    assert not result.problems
    assert result.killed == result.mutants >= 8
