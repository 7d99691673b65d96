"""A made-up class: copies and answers from the course are found in every disguise, and honest work is left alone."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from benchmarks.similarity import HOMEWORKS, KINDS, REWRITTEN, Figures, honest, independent, likeness, measured, ways
from classroom.stubs import readable

SAME_CLASS = f"""
import random
from benchmarks.similarity import honest
print(honest({HOMEWORKS[0]!r}, random.Random(1)))
"""


@pytest.mark.slow
def test_copies_and_answers_from_the_course_are_found_and_honest_students_left_alone() -> None:
    figures = Figures()
    for homework in ("02_tensor", "04_graph", "12_unet"):
        figures.add(measured(homework, classes=2, students=60))
    assert {f"from: {kind}" for kind in KINDS} < set(figures.there)
    for kind, there in figures.there.items():
        if REWRITTEN not in kind:
            assert figures.found[kind] >= 0.75 * there, kind
    takers = [f"from: {kind}" for kind in KINDS]
    assert sum(figures.found[kind] for kind in takers) >= 0.9 * sum(figures.there[kind] for kind in takers)
    assert figures.honest >= 180
    assert figures.named <= 0.1 * figures.honest
    assert figures.taken == 0


@pytest.mark.slow
def test_one_draw_makes_one_file_whatever_the_order_of_sets() -> None:
    made = [
        subprocess.run(
            [sys.executable, "-c", SAME_CLASS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert made[0].strip()
    assert made[0] == made[1]


@pytest.mark.slow
def test_of_what_people_wrote_by_themselves_nothing_is_reported() -> None:
    count, told, pairs, alike = independent()
    assert count >= 4 * len(HOMEWORKS)
    assert pairs >= 6 * len(HOMEWORKS)
    assert (told, alike) == (0, 0)


@pytest.mark.slow
def test_the_made_up_class_is_more_alike_than_people_are() -> None:
    people, made_up = likeness(draws=2)
    assert made_up[len(made_up) // 2] > people[len(people) // 2]


@pytest.mark.parametrize(
    "homework", [HOMEWORKS[0], *(pytest.param(homework, marks=pytest.mark.slow) for homework in HOMEWORKS[1:])]
)
def test_no_two_honest_students_write_the_same(homework: str) -> None:
    draw = random.Random(1)
    written = {honest(homework, draw) for _ in range(20)}
    assert len(written) == 20
    assert all(readable(text) for text in [*written, *ways(homework)])
