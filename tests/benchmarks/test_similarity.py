"""A made-up class: copies are found in every disguise, and honest work is left alone."""

from __future__ import annotations

import random

import pytest

from benchmarks.similarity import HOMEWORKS, honest, measured


@pytest.mark.parametrize("homework", HOMEWORKS)
def test_copies_in_every_disguise_are_found(homework: str) -> None:
    figures = measured(homework, classes=4, students=40)
    assert set(figures.there) == set(figures.found)
    for kind, there in figures.there.items():
        assert figures.found[kind] >= 0.8 * there, kind


def test_honest_students_are_left_alone_though_they_took_one_of_few_ways() -> None:
    figures = measured("02_tensor", classes=4, students=60)
    assert figures.honest > 150
    assert figures.named <= 0.05 * figures.honest


def test_no_two_honest_students_write_the_same() -> None:
    draw = random.Random(1)
    assert len({honest("04_graph", draw) for _ in range(20)}) == 20
