"""Questions of the worksheet count as public tests; what fails around them is never a grade."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from classroom import stubs
from classroom.grading.errors import GradingError
from classroom.grading.judging import judge
from classroom.grading.records import Check, Graded, Isolation, Status
from classroom.grading.settings import Settings, load_settings
from classroom.sandbox import Bare

pytest.importorskip("nbval", reason="runs worksheets, and nbval is not installed")

from classroom.dev import notebooks as books
from classroom.front import cells, stand_in
from classroom.grading import judging, suite
from classroom.judge import fair


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Where the first course leaves its sheet with outputs, which the others hand out as it is."""
    return {}


@pytest.fixture
def asking(teacher: Any, monkeypatch: pytest.MonkeyPatch, made: dict[str, str]) -> Any:
    """The small course with a worksheet of two questions, as handed out."""
    monkeypatch.setattr(judging, "PAUSE", 0.0)
    sheet = teacher.file.with_name("worksheet.ipynb")
    setup = teacher.code("setup", "import hw01_numbers as hw")
    double = teacher.code("twice", "hw.double(21)", exercise="double")
    square = teacher.code("square", "print(hw.power(7))", exercise="power")
    if sheet.name not in made:
        sheet.write_bytes(teacher.notebook(setup, double, square))
        made[sheet.name] = books.regenerated(sheet)
    sheet.write_text(made[sheet.name], encoding="utf-8")
    pack(teacher)
    return teacher


def pack(teacher: Any) -> None:
    files = {"hw01_numbers.py": teacher.stub, "worksheet.ipynb": teacher.file.with_name("worksheet.ipynb").read_text()}
    packed = stubs.packed_stubs({f"01_numbers/{name}": text for name, text in files.items()})
    (teacher.root / "homework" / stubs.ARCHIVE).write_bytes(packed)


def judged(teacher: Any, text: str, settings: Settings | None = None) -> Graded:
    return judge(teacher.job(hw01_numbers=text, settings=settings), Bare(), Isolation.NONE)


def questions(graded: Graded) -> dict[str, Check]:
    every = [check for grade in graded.grades for check in grade.checks]
    return {check.name: check for check in every if check.name.startswith("worksheet_")}


@pytest.mark.slow
def test_each_question_is_a_public_test_of_its_exercise(asking: Any) -> None:
    graded = judged(asking, asking.solution)
    asked = questions(graded)
    assert {name: (check.exercise, check.public, check.passed) for name, check in asked.items()} == {
        "worksheet_twice": ("double", True, True),
        "worksheet_square": ("power", True, True),
    }
    assert all(grade.points == grade.max_points for grade in graded.grades)


@pytest.mark.slow
def test_a_question_that_is_answered_wrongly_costs_its_part_and_says_why(asking: Any) -> None:
    graded = judged(asking, asking.solution.replace("return x * x", "return x * x if x != 7 else 0"))
    power = next(grade for grade in graded.grades if grade.exercise == "power")
    assert power.message == "1 of 2 public tests passed, 1 of 1 hidden tests passed"
    assert power.points == pytest.approx(4 * (0.3 / 2 + 0.7))
    check = questions(graded)["worksheet_square"]
    assert (check.passed, check.expected, check.got) == (False, "49", "0")
    assert check.message == "the output differs from that of a right answer"


@pytest.mark.slow
def test_course_toml_turns_them_off(asking: Any) -> None:
    without = replace(load_settings(asking.root), worksheets=False)
    assert questions(judged(asking, asking.solution, without)) == {}
    (asking.root / "course.toml").write_text(
        (asking.root / "course.toml").read_text(encoding="utf-8") + "\n[grading]\nworksheets = 0\n", encoding="utf-8"
    )
    with pytest.raises(GradingError, match="expected worksheets to be true or false, found 0"):
        load_settings(asking.root)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "import os; os._exit(1)"])
def test_who_wrote_nothing_that_can_be_loaded_starts_no_kernel(
    asking: Any, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    def start(*_: Any) -> None:
        raise AssertionError("a kernel was started")

    monkeypatch.setattr(cells, "SheetKernel", start)
    graded = judged(asking, text or asking.stub)
    assert {check.message for check in questions(graded).values()} == {"not written yet"}
    assert not any(grade.points for grade in graded.grades)


@pytest.mark.slow
def test_a_kernel_that_does_not_start_is_no_grade(asking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: Any) -> None:
        raise cells.KernelFault("the kernel does not start: no room")

    monkeypatch.setattr(cells, "SheetKernel", start)
    graded = judged(asking, asking.solution)
    assert {grade.status for grade in graded.grades} == {Status.INFRASTRUCTURE}
    assert "the kernel does not start: no room" in graded.grades[0].message


@pytest.mark.slow
def test_a_kernel_that_dies_is_no_grade(asking: Any) -> None:
    sheet = asking.file.with_name("worksheet.ipynb")
    text = sheet.read_text(encoding="utf-8").replace("hw.double(21)", "import os; os._exit(1)")
    assert "os._exit" in text
    sheet.write_text(text, encoding="utf-8")
    pack(asking)
    graded = judged(asking, asking.solution)
    assert {grade.status for grade in graded.grades} == {Status.INFRASTRUCTURE}
    assert "the kernel died" in graded.grades[0].message


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        "print(hw.power(7))",
        "try: hw.power(7)\\nexcept Exception as error: raise RuntimeError('as the framework does') from error",
    ],
)
def test_an_answer_that_a_busy_machine_makes_late_is_no_grade(
    asking: Any, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    code = stand_in.Given.code.fget
    busy = "\nfrom classroom.judge import fair; fair.share_of_a_core = lambda: 0.0"
    monkeypatch.setattr(stand_in.Given, "code", property(lambda given: code(given) + busy))
    monkeypatch.setattr(judging, "ATTEMPTS", 1)
    sheet = asking.file.with_name("worksheet.ipynb")
    text = sheet.read_text(encoding="utf-8")
    assert "print(hw.power(7))" in text
    sheet.write_text(text.replace("print(hw.power(7))", asked), encoding="utf-8")
    pack(asking)
    settings = Settings(call_seconds=1.0)
    graded = judged(asking, asking.solution.replace("return x * x", "return x * x if x != 7 else power(x)"), settings)
    assert questions(graded)["worksheet_square"].message.startswith(("RecursionError", "RuntimeError"))
    late = asking.solution.replace("return x * x", "while x == 7: pass\n    return x * x")
    graded = judged(asking, late, settings)
    assert {grade.status for grade in graded.grades} == {Status.INFRASTRUCTURE}
    assert "time ran out, but the machine is too busy for fair limits" in graded.grades[0].message


@pytest.mark.slow
@pytest.mark.parametrize(("share", "status"), [(0.0, Status.INFRASTRUCTURE), (1.0, Status.PARTIAL)])
def test_a_cell_that_ends_too_late_counts_on_a_machine_with_room_alone(
    asking: Any, monkeypatch: pytest.MonkeyPatch, share: float, status: Status
) -> None:
    monkeypatch.setattr(fair, "share_of_a_core", lambda: share)
    monkeypatch.setattr(judging, "ATTEMPTS", 1)
    sheet = asking.file.with_name("worksheet.ipynb")
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(text.replace("print(hw.power(7))", "while True: pass"), encoding="utf-8")
    pack(asking)
    graded = judged(asking, asking.solution, Settings(test_seconds=1.0))
    assert next(grade.status for grade in graded.grades if grade.exercise == "power") is status


@pytest.mark.slow
def test_another_sheet_is_another_suite(asking: Any) -> None:
    before = asking.job(hw01_numbers=asking.solution).suite.version
    sheet = asking.file.with_name("worksheet.ipynb")
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("42", "43"), encoding="utf-8")
    pack(asking)
    assert asking.job(hw01_numbers=asking.solution).suite.version != before


def test_without_nbval_grading_says_what_to_install(asking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "find_spec", lambda name: None)
    with pytest.raises(GradingError, match="worksheets need nbval: `course setup --grading`"):
        suite.suite_of(asking.lesson, load_settings(asking.root), 7)
