"""Files for grade books: the formats as documented, the right points, and nothing that acts in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from classroom.grading.disclosure import HAPPENED
from classroom.grading.exports.canvas import CANVAS, canvas
from classroom.grading.exports.gradescope import gradescope
from classroom.grading.exports.nbgrader import nbgrader
from classroom.grading.exports.write import export_refusal
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.reports import write_reports
from classroom.register import Course, Exercise, Lesson

REGISTER = Course(
    "A course",
    (
        Lesson(
            1,
            "Numbers",
            "",
            "01_numbers",
            (),
            (Exercise("double", "Twice", 4), Exercise("extra", "More", 2, stretch=True)),
            "hw01.py",
        ),
        Lesson(2, "Shapes", "", "02_shapes", (), (Exercise("area", "An area", 3),), "hw02.py"),
    ),
)
VISIBILITY = {"hidden", "after_due_date", "after_published", "visible"}


def graded(student: str = "ann", points: float = 3, bonus: float = 2, **rest: object) -> Graded:
    grades = (
        Grade("double", points, 4, Status.PASSED, checks=rest.pop("checks", ())),  # type: ignore[arg-type]
        Grade("extra", bonus, 2, Status.PASSED, stretch=True),
    )
    values = {"isolation": Isolation.STRONG, "late_days": 0, **rest}
    return Graded(student, "01_numbers", f"digest of {student}", "s", grades, **values)  # type: ignore[arg-type]


def other(student: str, points: float, status: Status = Status.PASSED) -> Graded:
    return Graded(student, "02_shapes", "d", "s", (Grade("area", points, 3, status),), Isolation.STRONG, late_days=0)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_gradescope_gets_the_score_with_lateness_and_bonus() -> None:
    result = gradescope(graded(late_days=2, factor=0.8), REGISTER)
    assert result["score"] == pytest.approx(0.8 * 5)
    assert "2 days late: 5 points × 0.8 = 4" in str(result["output"])
    tests = result["tests"]
    assert isinstance(tests, list)
    assert [(one["name"], one["number"], one["score"], one["max_score"]) for one in tests] == [
        ("double: Twice", "1.1", 3, 4),
        ("extra: More (bonus)", "1.2", 2, 2),
    ]
    assert [one["status"] for one in tests] == ["failed", "passed"]


def test_how_long_a_submission_took_is_not_told_to_its_student() -> None:
    """It could wait as long as a hidden input is large, and read the answer from the next file."""
    text = json.dumps(gradescope(graded(seconds=1.2345), REGISTER))
    assert "execution_time" not in text
    assert "1.23" not in text


def test_gradescopes_file_holds_documented_keys_and_values_only() -> None:
    result = gradescope(graded(), REGISTER)
    top = {"score", "output", "output_format", "test_output_format", "test_name_format", "visibility",
           "stdout_visibility", "extra_data", "tests"}  # fmt: skip
    one = {
        "score",
        "max_score",
        "status",
        "name",
        "name_format",
        "number",
        "output",
        "output_format",
        "tags",
        "visibility",
        "extra_data",
    }
    assert set(result) <= top
    tests = result["tests"]
    assert isinstance(tests, list)
    assert all(set(test) <= one for test in tests)
    assert {result["visibility"], *(test["visibility"] for test in tests)} <= VISIBILITY - {"hidden", "visible"}
    assert result["stdout_visibility"] == "hidden"
    assert result["output_format"] == result["test_output_format"] == result["test_name_format"] == "text"


def test_gradescope_shows_hidden_tests_as_hints_only() -> None:
    hidden = Check("double", "SECRET1", False, False, "SECRET2", "SECRET3", "SECRET4", "SECRET5", "Negative numbers.")
    public = Check("double", "adds", True, False, "wrong", "double(2)", "4", "5", "Twice two.")
    text = json.dumps(gradescope(graded(checks=(hidden, public)), REGISTER))
    assert "SECRET" not in text
    assert "hidden test failed: Negative numbers." in text
    assert "public test failed: Twice two.\\nwrong\\ncalled: double(2)\\nexpected: 4\\ngot: 5" in text


def test_gradescope_says_once_that_a_file_cannot_be_imported() -> None:
    why = "hw01.py, line 3: it imports torch, which is not there"
    hidden = Check("double", "t", False, False, HAPPENED["load"], hint="Negative numbers.")
    result = gradescope(graded(points=0, checks=(Check("double", "p", True, False, why), hidden)), REGISTER)
    text = json.dumps(result)
    assert text.count(why) == 1
    assert "Negative numbers" not in text


def test_nbgrader_gets_its_own_columns() -> None:
    time = datetime(2027, 3, 1, 12, tzinfo=UTC)
    submissions = {"digest of ann": Submission("ann", "01_numbers", {}, handed_in=time)}
    text = nbgrader([graded(late_days=1, factor=0.9)], submissions)
    assert text.splitlines()[0] == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,"
        "raw_score,late_submission_penalty,score,max_score"
    )
    (row,) = rows(text)
    assert (row["assignment"], row["student_id"]) == ("01_numbers", "ann")
    assert row["timestamp"] == "2027-03-01 12:00:00+00:00"
    assert [float(row[name]) for name in ("raw_score", "late_submission_penalty", "score", "max_score")] == [
        5,
        0.5,
        4.5,
        4,
    ]


def test_canvas_gets_a_column_for_each_homework_and_the_points_possible() -> None:
    table = rows(canvas([graded("ann"), graded("bo", 1, 0, factor=0.5), other("bo", 2)], REGISTER))
    assert list(table[0]) == [*CANVAS, "Homework 1: Numbers", "Homework 2: Shapes"]
    assert [row["Student"] for row in table] == ["Points Possible", "ann", "bo"]
    assert [row["SIS Login ID"] for row in table] == ["", "ann", "bo"]
    assert [row["Homework 1: Numbers"] for row in table] == ["4", "5", "0.5"]
    assert [row["Homework 2: Shapes"] for row in table] == ["3", "", "2"]


def test_no_student_can_pass_for_the_row_of_points_possible() -> None:
    table = rows(canvas([graded("x Points Possible"), graded("points possible")], REGISTER))
    assert sum("points possible" in row["Student"].lower() for row in table) == 1


def test_what_was_not_judged_is_in_no_export(tmp_path: Path) -> None:
    lines = write_reports(tmp_path, [graded("ann"), other("ann", 0, Status.INFRASTRUCTURE)], REGISTER)
    assert any("1 without a grade left out" in line for line in lines)
    exports = tmp_path / "exports"
    assert [row["assignment"] for row in rows((exports / "nbgrader.csv").read_text())] == ["01_numbers"]
    assert "Shapes" not in (exports / "canvas.csv").read_text()
    assert [path.parent.parent.name for path in exports.rglob("results.json")] == ["01_numbers"]


@pytest.mark.parametrize("isolation", [Isolation.NONE, Isolation.WEAK])
def test_below_strong_isolation_exports_are_refused_unless_forced(tmp_path: Path, isolation: Isolation) -> None:
    results = [graded("ann"), graded("bo", isolation=isolation)]
    lines = write_reports(tmp_path, results, REGISTER)
    assert any(
        f"no exports: 1 submission was judged in isolation below strong ({isolation.value})" in line for line in lines
    )
    assert not (tmp_path / "exports").exists()
    assert len(list((tmp_path / "feedback").iterdir())) == 2
    write_reports(tmp_path, results, REGISTER, force=True)
    written = json.loads((tmp_path / "exports" / "gradescope" / "01_numbers" / "bo" / "results.json").read_text())
    assert written["extra_data"]["isolation"] == isolation.value
    lines = write_reports(tmp_path, results, REGISTER)
    assert any("of an earlier run" in line for line in lines)


def test_strong_isolation_is_not_refused() -> None:
    assert export_refusal([graded("ann"), graded("bo")]) == ""


@pytest.mark.parametrize("other_name", ["Ann", "a\u202enn"])
def test_names_alike_in_a_grade_book_are_left_out_of_its_tables_and_the_others_stay(
    tmp_path: Path, other_name: str
) -> None:
    """A name with a mark that nobody sees must not overwrite another's grade."""
    students = [graded("ann", 4), graded(other_name, 1), graded("bo"), graded("anna")]
    lines = write_reports(tmp_path, students, REGISTER)
    said = [line for line in lines if "no row for" in line]
    assert [repr(name) in said[0] for name in ("ann", other_name, "bo", "anna")] == [True, True, False, False]
    exports = tmp_path / "exports"
    assert [row["student_id"] for row in rows((exports / "nbgrader.csv").read_text())] == ["anna", "bo"]
    assert [row["Student"] for row in rows((exports / "canvas.csv").read_text())] == ["Points Possible", "anna", "bo"]
    scores = [json.loads(path.read_text())["score"] for path in exports.rglob("results.json")]
    assert sorted(scores) == [3, 5, 5, 6]
    assert len(list((tmp_path / "feedback").iterdir())) == 4


def test_names_alike_leave_the_check_of_the_isolation_in_force(tmp_path: Path) -> None:
    students = [graded("ann", isolation=Isolation.WEAK), graded("Ann", isolation=Isolation.WEAK)]
    lines = write_reports(tmp_path, students, REGISTER)
    assert any("2 submissions were judged in isolation below strong" in line for line in lines)
    assert not (tmp_path / "exports").exists()


def nothing(student: str, due: bool) -> Graded:
    return replace(other(student, 0, Status.MISSING), due=due)


def test_homework_that_is_not_due_and_not_handed_in_is_in_no_export(tmp_path: Path) -> None:
    lines = write_reports(tmp_path, [graded("ann"), nothing("ann", False), graded("bo"), other("bo", 2)], REGISTER)
    assert any("1 neither handed in nor due" in line for line in lines)
    exports = tmp_path / "exports"
    table = {row["Student"]: row["Homework 2: Shapes"] for row in rows((exports / "canvas.csv").read_text())}
    assert table == {"Points Possible": "3", "ann": "", "bo": "2"}
    pairs = [(row["student_id"], row["assignment"]) for row in rows((exports / "nbgrader.csv").read_text())]
    assert pairs == [("ann", "01_numbers"), ("bo", "01_numbers"), ("bo", "02_shapes")]
    assert not (exports / "gradescope" / "02_shapes" / "ann").exists()


def test_homework_that_nobody_handed_in_and_that_is_not_due_has_no_column() -> None:
    results = [graded("ann"), nothing("ann", False)]
    assert "Shapes" not in canvas([one for one in results if one.counts], REGISTER)


def test_homework_that_is_due_and_not_handed_in_is_exported_with_no_points(tmp_path: Path) -> None:
    write_reports(tmp_path, [graded("ann"), nothing("ann", True)], REGISTER)
    exports = tmp_path / "exports"
    assert rows((exports / "canvas.csv").read_text())[1]["Homework 2: Shapes"] == "0"
    assert json.loads((exports / "gradescope" / "02_shapes" / "ann" / "results.json").read_text())["score"] == 0


@pytest.mark.parametrize(
    "name", ["=cmd()", "+1", "-1", "@x", "\t=1", '<script>"', "a,b\nc", "\x1b[31mred", "../../x", "\ud800"]
)
def test_no_name_acts_in_an_export(tmp_path: Path, name: str) -> None:
    write_reports(tmp_path / "out", [graded(name)], REGISTER)
    exports = tmp_path / "out" / "exports"
    for file in ("nbgrader.csv", "canvas.csv"):
        for row in csv.reader(io.StringIO((exports / file).read_text(encoding="utf-8"))):
            assert not [cell for cell in row if cell.startswith(tuple("=+-@\t\r")) or not cell.isprintable()]
    (path,) = exports.rglob("results.json")
    assert len(path.relative_to(exports).parts) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    json.loads(path.read_text(encoding="utf-8"))
