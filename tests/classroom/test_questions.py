"""The questions of the course's own worksheets: right answers pass however they are written, and idle ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom import register
from classroom.judge.homework import Homework, homework_of

pytest.importorskip("nbval", reason="runs worksheets, and nbval is not installed")

from classroom.dev.questions import ask, problems
from classroom.front.sheets import questions
from classroom.stubs import names_of, put_back

HONEST = Path(__file__).with_name("grading") / "honest"
HOMEWORKS = [one for lesson in register.load().lessons if (one := homework_of(lesson))]
OTHERWISE = [("tensor_*.py", 2), ("graph_*.py", 4)]

pytestmark = pytest.mark.slow


def test_the_solution_answers_them_as_stored_and_idle_answers_none() -> None:
    """Of one homework: `dev check`, which continuous integration runs too, asks all of them the same way."""
    assert list(problems(HOMEWORKS[0])) == []


@pytest.mark.parametrize(
    ("path", "number"), [(path, number) for names, number in OTHERWISE for path in sorted(HONEST.glob(names))],
    ids=lambda value: getattr(value, "stem", value),
)  # fmt: skip
def test_right_answers_of_others_pass_too(path: Path, number: int) -> None:
    homework = next(one for one in HOMEWORKS if one.lesson.number == number)
    written = path.read_text(encoding="utf-8")
    answers = ask(homework, written)
    done = {one.id for one in homework.exercises if any(f"def {name}(" in written for name in _names(homework, one.id))}
    assert done
    assert [answer for answer in answers if answer.exercise in done and not answer.passed] == []


@pytest.mark.parametrize("homework", HOMEWORKS, ids=lambda homework: homework.folder.name)
def test_an_exercise_left_out_spoils_no_question_about_another(homework: Homework) -> None:
    stub, solution = homework.stub.read_text("utf-8"), homework.solution.read_text("utf-8")
    first = homework.exercises[0]  # others come after it in the sheet
    found = ask(homework, put_back(solution, stub, names_of(stub, first.id)))
    built_on = {
        "flatten": {"reshape"}, "im2col": {"conv2d"}, "quantize": {"int8_matvec", "choose_block"},
        "transposed_convolution": {"u_net"},
    }.get(first.id, set())  # fmt: skip
    spoilt = [one.name for one in found if not one.passed and one.exercise not in {first.id, *built_on}]
    assert spoilt == []
    assert [one.name for one in found if one.passed and one.exercise == first.id] == []


def _names(homework: Homework, exercise: str) -> list[str]:
    return names_of(homework.stub.read_text("utf-8"), exercise)


def test_every_question_has_a_name_of_its_own() -> None:
    from classroom.front.sheets import handed_out_sheet

    for homework in HOMEWORKS:
        names = [cell.id for cell in questions(handed_out_sheet(homework.lesson))]
        assert len(set(names)) == len(names) > 0
