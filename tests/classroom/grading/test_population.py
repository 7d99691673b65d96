"""The made-up class: the same for the same seed, handed in in every form, with what must come of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from classroom.grading import population
from classroom.grading.intake.handing_in import LAYOUTS, NOON
from classroom.grading.intake.reader import Intake


def test_exercises_that_call_a_wrong_function_are_left_open(teacher: Any) -> None:
    solution = teacher.solution.replace("return x * x", "return double(x) * x / 2")
    teacher.file.parent.joinpath("judge", "solution.py").write_text(solution, encoding="utf-8")
    people = population.make_class([teacher.lesson], 200)
    alone = [one for one in people if "double" in one.wrong and one.kind in (population.WRONG, population.PARTIAL)]
    assert alone
    assert all("power" in one.wrong | one.open for one in alone)
    assert not [one for one in people if one.kind == population.HONEST and one.open]


def test_a_made_up_class_is_taken_in_whole_in_every_layout(teacher: Any, tmp_path: Path) -> None:
    people = population.make_class([teacher.lesson], 30)
    assert {one.in_worksheet for one in people} == {one.late > 0 for one in people} == {True, False}
    for name, write in LAYOUTS.items():
        write(people, [teacher.lesson], tmp_path / name)
        found = {
            student.removesuffix("@example.org"): own
            for student, own in Intake([teacher.lesson]).submissions(tmp_path / name)
        }
        assert found.keys() == {one.name for one in people}
        for one in people:
            (taken,) = found[one.name]
            assert taken.handed_in == (None if name == "plain" else NOON + timedelta(days=one.late))
            assert taken.files.keys() == {"worksheet.ipynb" if one.in_worksheet else teacher.lesson.homework_file}


def test_a_class_is_the_same_for_the_same_seed(teacher: Any, tmp_path: Path) -> None:
    people = population.make_class([teacher.lesson], 60, seed=1)
    assert people == population.make_class([teacher.lesson], 60, seed=1)
    assert people[:20] == population.make_class([teacher.lesson], 20, seed=1)
    assert people != population.make_class([teacher.lesson], 60, seed=2)
    assert {one.kind for one in people} == set(population.SHARES)
    assert all(one.wrong for one in people if one.kind == population.WRONG)


def test_grades_that_contradict_what_must_come_are_found(teacher: Any) -> None:
    right, wrong = (
        population.SimulatedStudent("ann", population.WRONG, {}, frozenset(ids), open=frozenset({"power"}))
        for ids in ({"double"}, {"turn"})
    )
    solution = teacher.solution.replace("return 2 * x", "return 3 * x")
    graded = teacher.judged(hw01_numbers=solution)
    assert population.contradictions(right, graded) == []
    assert population.contradictions(wrong, graded) == ["double", "turn"]
