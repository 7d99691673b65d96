"""pytest as a front end of the judge: `pytest homework/02_tensor`, in a process of its own as a student starts it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = "homework/01_numbers/hw01_numbers.py"


@pytest.fixture
def course(mini: Any) -> Any:
    """The small course, in which pytest judges homework."""
    mini.settle_pytest()
    return mini


def collected(run: Any) -> list[str]:
    return [line for line in run.text.splitlines() if "::" in line]


@pytest.mark.slow
def test_a_folder_collects_every_public_test_once_by_exercise_and_name(course: Any) -> None:
    run = course.pytest("homework/01_numbers", "--collect-only", "-q")
    names = ["double::whole_numbers", "double::tables", "turn::backwards", "power::squares"]
    assert collected(run) == [f"{FILE}::{name}" for name in names]
    assert collected(course.pytest("--collect-only", "-q", folder="homework/01_numbers")) == collected(run)


def test_public_tests_named_themselves_are_collected_there(course: Any) -> None:
    run = course.pytest("homework/01_numbers/public.py", "--collect-only", "-q")
    assert collected(run)[0] == "homework/01_numbers/public.py::double::whole_numbers"
    assert len(collected(run)) == 4


HIDDEN = '''"""Add it to itself."""

from classroom.judge import expect, task


@task("double")
def negative_ones(student, rng):
    """Negative numbers are doubled."""
    expect(student.double(-3), -6)


@task("double")
def nothing(student, rng):
    """Nothing stays nothing."""
    expect(student.double(0), 0)
'''


@pytest.mark.slow
def test_hidden_tests_are_collected_where_the_folder_has_them(course: Any) -> None:
    (course.file.parent / "judge").mkdir()
    (course.file.parent / "judge" / "double.py").write_text(HIDDEN, encoding="utf-8")
    every = collected(course.pytest("homework/01_numbers", "--collect-only", "-q"))
    hidden = [f"{FILE}::double::negative_ones[hidden]", f"{FILE}::double::nothing[hidden]"]
    assert (len(every), every[2:4]) == (6, hidden)
    assert collected(course.pytest("homework/01_numbers", "--collect-only", "-q", "-m", "hidden")) == hidden
    named = collected(course.pytest("homework/01_numbers/judge/double.py", "--collect-only", "-q"))
    assert named == [name.replace("hw01_numbers.py", "judge/double.py") for name in hidden]
    course.write(double="return x + x if x > -3 else 0")
    run = course.pytest("homework/01_numbers", "-m", "hidden")
    assert "1 failed, 1 passed" in run.text
    assert "Negative numbers are doubled." in run.text


@pytest.mark.slow
def test_the_stub_fails_every_test_and_says_what_is_to_be_written(course: Any) -> None:
    run = course.pytest("homework/01_numbers")
    assert run.code == 1
    assert "4 failed" in run.text
    assert "not written yet: TODO double, in hw01_numbers.py, line 9" in run.text
    assert "Traceback" not in run.text


@pytest.mark.slow
def test_a_right_answer_passes_and_the_isolation_is_said(course: Any) -> None:
    course.solve()
    run = course.pytest("homework/01_numbers")
    assert run.code == 0, run.text
    assert "4 passed" in run.text
    assert "homework: judged in a process of its own; isolation" in run.text


def test_a_failure_is_the_diagnosis_of_check_without_a_traceback(course: Any) -> None:
    course.write(double="return x * x", turn="return x[::-1]", power="return x[0]")
    run = course.pytest("homework/01_numbers", "-k", "double or power")
    said = course.run("check", "1.1", "--all-failures").output
    words = [line for line in said.splitlines() if line.lstrip().startswith(("must hold", "called", "likely why"))]
    assert words
    assert all(line in run.text for line in words)
    assert "happened    power raised TypeError" in run.text
    assert "Traceback" not in run.text
    assert "classroom/" not in run.text


@pytest.mark.slow
def test_what_was_printed_is_shown(course: Any) -> None:
    course.write(double="print('x is', x); return x")
    assert "printed     x is [0 1 2 3]" in course.pytest("homework/01_numbers", "-k", "whole_numbers").text


@pytest.mark.slow
def test_only_what_failed_last_runs_again(course: Any) -> None:
    course.write(double="return 2 * x", turn="return x", power="return x * x")
    assert "1 failed, 3 passed" in course.pytest("homework/01_numbers").text
    course.solve()
    again = course.pytest("homework/01_numbers", "--lf")
    assert (again.code, "1 passed" in again.text) == (0, True)


@pytest.mark.slow
def test_junit_names_exercises_and_holds_the_diagnosis(course: Any) -> None:
    course.write(double="return 2 * x", turn="return x")
    course.pytest("homework/01_numbers", "--junit-xml", "out.xml")
    cases = {case.get("name"): case for case in ElementTree.parse(course.root / "out.xml").iter("testcase")}
    assert cases["tables"].get("classname") == "homework.01_numbers.hw01_numbers.double"
    assert cases["tables"].find("failure") is None
    failure = cases["backwards"].find("failure")
    assert failure is not None
    assert "The last number comes first." in str(failure.text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def double(x:\n", "hw01_numbers.py, line 1 is not Python yet"),
        ("import no_such_thing\n", "it imports no_such_thing, which is not there"),
        ("import time\nwhile True: time.sleep(1)\n", "is not imported in time"),
        ("def turn(x): return x[::-1]\n", "reset double"),
    ],
)
def test_a_file_that_cannot_be_judged_fails_each_test_with_the_reason(course: Any, text: str, said: str) -> None:
    course.file.write_text(text, encoding="utf-8")
    run = course.pytest("homework/01_numbers", "-k", "double", "--homework-seconds", "1")
    assert (run.code, "2 failed" in run.text) == (1, True)
    assert said in run.text


@pytest.mark.slow
def test_a_missing_file_fails_and_says_how_to_get_it_back(course: Any) -> None:
    course.file.unlink()
    run = course.pytest("homework/01_numbers")
    assert run.code == 1
    assert "hw01_numbers.py is missing" in run.text


@pytest.mark.slow
def test_a_student_cannot_end_the_run_or_hang_it(course: Any) -> None:
    course.write(double="import os; os._exit(0)", turn="while True: pass", power="return x * x")
    run = course.pytest("homework/01_numbers", "--homework-seconds", "1")
    assert run.code == 1
    assert "3 failed, 1 passed" in run.text
    assert "no answer within 1 s" in run.text


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--homework-seed=-1", "--homework-seconds=0", "--homework-seconds=soon"])
def test_an_option_without_sense_is_refused(course: Any, option: str) -> None:
    run = course.pytest("homework/01_numbers", option)
    assert run.code == 4
    assert "expected a" in run.text


@pytest.mark.slow
def test_the_seed_decides_the_inputs(course: Any) -> None:
    course.write(double="print(float(np.ravel(x)[0])); return x")
    seen = [course.pytest("homework/01_numbers", "-k", "tables", f"--homework-seed={n}").text for n in (1, 1, 2)]
    printed = [next(line for line in text.splitlines() if "printed" in line) for text in seen]
    assert printed[0] == printed[1] != printed[2]


HOSTILE = "import pathlib\npathlib.Path({mark!r}).write_text('run')\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["conftest.py", "test_mine.py", "__init__.py", "helper.py", "judge/conftest.py"])
def test_no_file_of_a_student_runs_inside_pytest(course: Any, tmp_path: Path, name: str) -> None:
    mark = tmp_path / "mark"
    planted = course.file.parent / name
    planted.parent.mkdir(exist_ok=True)
    planted.write_text(HOSTILE.format(mark=str(mark)) + 'def test_it():\n    """\n    >>> 1\n    1\n    """\n', "utf-8")
    run = course.pytest("homework")
    assert not mark.exists()
    if name.endswith("conftest.py"):
        assert run.code == 2
        assert "would run inside pytest, where it can change every result" in run.text
    else:
        assert "4 failed" in run.text


@pytest.mark.slow
def test_a_conftest_that_pytest_has_read_already_ends_the_run(course: Any) -> None:
    (course.file.parent / "conftest.py").write_text("", encoding="utf-8")
    run = course.pytest("homework/01_numbers")
    assert run.code == 4
    assert "conftest.py" in run.text
    course.solve()
    assert course.pytest("homework/01_numbers", "--own-tests", "-k", "backwards").code == 0


@pytest.mark.slow
def test_elsewhere_pytest_is_as_it_was(course: Any) -> None:
    (course.root / "tests").mkdir()
    (course.root / "tests" / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")
    assert "1 passed" in course.pytest("tests").text


@pytest.mark.slow
def test_the_course_itself_loads_it(course: Any) -> None:
    run = course.pytest("homework/02_tensor", "--collect-only", "-q", "-m", "public", root=ROOT)
    assert "homework/02_tensor/hw02_tensor.py::flatten::one_to_24_row_by_row" in collected(run)


@pytest.mark.slow
def test_editors_find_the_line_of_the_function(course: Any) -> None:
    report = course.root / "where.py"
    report.write_text(
        "import json, pathlib\n"
        "def pytest_collection_modifyitems(items):\n"
        "    pathlib.Path('where.json').write_text(json.dumps([item.location for item in items]))\n",
        encoding="utf-8",
    )
    course.pytest("homework/01_numbers", "--collect-only", "-p", "where")
    first = json.loads((course.root / "where.json").read_text(encoding="utf-8"))[0]
    line = course.file.read_text(encoding="utf-8").splitlines()[first[1]]
    assert (first[0].replace("\\", "/"), line) == (FILE, "def double(x):")
