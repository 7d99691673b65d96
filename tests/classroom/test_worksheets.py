"""Worksheets run by nbval: what a student is told, and that no cheat in a notebook or behind it gains anything.

The small course has a sheet of four questions. `pytest --nbval` on it runs in a process of its own, as a student
starts it; grading asks the same sheet in this process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from classroom import register, stubs
from classroom.judge import SubmissionError
from classroom.judge.homework import Homework

nbformat = pytest.importorskip("nbformat", reason="makes worksheets, and nbformat is not installed")
pytest.importorskip("nbval", reason="runs worksheets, and nbval is not installed")

from classroom.dev import notebooks as books  # noqa: E402
from classroom.front.asked import Answer, SheetFault, answers  # noqa: E402
from classroom.front.cells import Sheet  # noqa: E402
from classroom.front.sheets import handed_out_sheet  # noqa: E402
from classroom.front.stand_in import Given, NoAnswer, as_raised  # noqa: E402
from classroom.tasks import tasks_of  # noqa: E402

SHEET = "homework/01_numbers/worksheet.ipynb"
QUESTIONS = {"twice": "double", "table": "double", "back": "turn", "square": "power"}
SOURCES = {
    "setup": "import hw01_numbers as hw\nimport numpy as np\n\nx = np.arange(6).reshape(2, 3)",
    "twice": "hw.double(x)",
    "table": "from kuiper.show import show_tensor\n\nshow_tensor(hw.double(x))",
    "back": "hw.turn([1, 2, 3])",
    "square": 'print("the square:", hw.power(7))',
}


def cell(name: str, source: str, kind: str = "code", **metadata: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": metadata, "source": source}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


class Course:
    """The small course with a worksheet, handed out with the outputs of its worked solution.

    The sheet with outputs is made by the first of these courses, in `made`, and handed out by the others as it is.
    """

    def __init__(self, mini: Any, made: dict[str, str]) -> None:
        self.mini, self.root, self.file = mini, mini.root, mini.file
        self.sheet = self.file.with_name("worksheet.ipynb")
        mini.settle_pytest()
        cells = [cell("heading", "# Worksheet 1: numbers", "markdown")]
        for name, source in SOURCES.items():
            cells.append(cell(name, source, **({"exercise": QUESTIONS[name]} if name in QUESTIONS else {})))
        self.store({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        if SHEET not in made:
            made[SHEET] = books.regenerated(self.sheet)
        self.sheet.write_text(made[SHEET], encoding="utf-8")
        files = (self.file, self.sheet)
        packed = stubs.packed_stubs({f"01_numbers/{one.name}": one.read_text(encoding="utf-8") for one in files})
        (self.root / "homework" / stubs.ARCHIVE).write_bytes(packed)

    @property
    def notebook(self) -> dict[str, Any]:
        return json.loads(self.sheet.read_text(encoding="utf-8"))  # type: ignore[no-any-return]

    def store(self, notebook: dict[str, Any]) -> None:
        self.sheet.write_text(json.dumps(notebook), encoding="utf-8")

    def each(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change every cell of the student's copy."""
        notebook = self.notebook
        for one in notebook["cells"]:
            change(one)
        self.store(notebook)

    def add(self, *cells: dict[str, Any], at: int = 1) -> None:
        """Cells of the student's own, at the beginning."""
        notebook = self.notebook
        notebook["cells"][at:at] = cells
        self.store(notebook)

    def nbval(self, *options: str) -> Any:
        return self.mini.pytest("-p", "nbval.plugin", "--nbval", SHEET, *options)

    def asked(self, text: str, **times: float) -> dict[str, Answer]:
        """What grading asks: question -> answer of a homework file."""
        self.file.write_text(text, encoding="utf-8")
        lesson = register.load(self.root).lesson(1)
        homework = Homework(lesson, self.file.parent)
        limits = {"call_seconds": 5.0, "cell_seconds": 10.0, **times}
        given = Given("hw01_numbers", stubs.handed_out(lesson), self.file, without=homework.without, **limits)
        sheet = Sheet(handed_out_sheet(lesson), self.file.parent, lambda: given, {t.id: t for t in tasks_of(lesson)})
        return {one.name: one for one in answers(sheet, 30.0)}

    def passed(self, text: str, **times: float) -> list[str]:
        """The questions that a homework file answers rightly in grading."""
        return [name for name, answer in self.asked(text, **times).items() if answer.passed]


@pytest.fixture(scope="module")
def sheets_made() -> dict[str, str]:
    """Where the first course leaves its sheet."""
    return {}


@pytest.fixture
def course(mini: Any, with_solutions: Callable[[], None], sheets_made: dict[str, str]) -> Course:
    with_solutions()
    return Course(mini, sheets_made)


WRONG = "def double(x):\n    return x\n\n\ndef turn(x):\n    return x\n\n\ndef power(x):\n    return x\n"


def verdicts(run: Any) -> dict[str, str]:
    """Question -> how it ended, from the summary that -rA prints."""
    found = re.findall(r"^(PASSED|FAILED|SKIPPED)[^\n]*worksheet\.ipynb::(\S+)", run.text, re.M)
    return {name: word for word, name in found}


@pytest.mark.slow
def test_it_is_handed_out_with_the_outputs_of_right_answers_and_the_same_each_time(course: Course) -> None:
    outputs = {one["id"]: one.get("outputs") for one in course.notebook["cells"]}
    assert outputs["back"][0]["data"]["text/plain"] == ["[3, 2, 1]"]
    assert "<svg" in "".join(outputs["table"][0]["data"]["image/svg+xml"])
    assert outputs["square"][0]["text"] == ["the square: 49\n"]
    assert books.regenerated(course.sheet) == course.sheet.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_student_is_told_which_cells_differ(course: Course) -> None:
    run = course.nbval("-rA")
    assert verdicts(run) == dict.fromkeys(QUESTIONS, "FAILED")
    assert "not written yet: TODO double, in hw01_numbers.py" in run.text
    course.mini.write(double="return 2 * x", turn="return x", power="return [][x]")
    run = course.nbval("-rA")
    assert verdicts(run) == {"twice": "PASSED", "table": "PASSED", "back": "FAILED", "square": "FAILED"}
    assert "expected    [3, 2, 1]" in run.text
    assert "got         [1, 2, 3]" in run.text
    assert "IndexError (hw01_numbers.py, line 20)" in run.text
    assert "Traceback" not in run.text
    course.mini.solve()
    run = course.nbval("-rA")
    assert verdicts(run) == dict.fromkeys(QUESTIONS, "PASSED")
    assert run.code == 0


@pytest.mark.slow
def test_one_question_alone_and_what_failed_last_run_with_the_cells_above_them(course: Course) -> None:
    course.mini.write(double="return 2 * x", power="return x * x", turn="return x")
    assert "2 passed, 2 deselected" in course.nbval("-k", "double").text
    course.nbval()
    assert "1 failed, 3 deselected" in course.nbval("--lf").text


@pytest.mark.slow
def test_a_sheet_that_is_no_notebook_is_said(course: Course) -> None:
    course.sheet.write_text("{", encoding="utf-8")
    assert "worksheet.ipynb is damaged or no notebook" in course.nbval().text


# --- cheats in a notebook: what a student's copy says decides nothing ---


def bake(one: dict[str, Any]) -> None:
    if one["cell_type"] == "code":
        one["execution_count"], one["outputs"] = None, [{"output_type": "stream", "name": "stdout", "text": "0\n"}]


def unrun(one: dict[str, Any]) -> None:
    if one["cell_type"] == "code":
        one["execution_count"], one["outputs"] = None, []


def tagged(*tags: str) -> Callable[[dict[str, Any]], None]:
    def tag(one: dict[str, Any]) -> None:
        one["metadata"]["tags"] = list(tags)

    return tag


def commented(comment: str) -> Callable[[dict[str, Any]], None]:
    def change(one: dict[str, Any]) -> None:
        one["source"] = [f"# {comment}\n", *one["source"]]

    return change


def made(kind: str) -> Callable[[dict[str, Any]], None]:
    def change(one: dict[str, Any]) -> None:
        one["cell_type"] = kind

    return change


def without_exercise(one: dict[str, Any]) -> None:
    one["metadata"] = {}


def hard_coded(one: dict[str, Any]) -> None:
    if one["id"] == "back":
        one["source"] = ["[3, 2, 1]"]


def emptied(one: dict[str, Any]) -> None:
    one["source"] = []


IN_PLACE = {
    "outputs baked in": bake,
    "never run": unrun,
    "tagged to be skipped": tagged("nbval-skip", "skip-execution"),
    "tagged to be ignored": tagged("nbval-ignore-output"),
    "tagged to raise": tagged("raises-exception", "nbval-raises-exception"),
    "commented to be skipped": commented("NBVAL_SKIP"),
    "commented to be ignored": commented("NBVAL_IGNORE_OUTPUT"),
    "made raw": made("raw"),
    "made Markdown": made("markdown"),
    "no exercise any more": without_exercise,
    "a hard-coded answer": hard_coded,
    "emptied": emptied,
}
ADDED = {
    "functions replaced": "import hw01_numbers as hw\nhw.double = lambda x: 2 * x\nhw.turn = lambda x: x[::-1]",
    "an input transformer": "get_ipython().input_transformers_cleanup.append(lambda lines: ['print(49)'])",
    "a display hook": "import sys\nsys.displayhook = lambda value: print('[3, 2, 1]')",
    "the kernel killed": "import os\nos._exit(0)",
    "a hook after each cell": "get_ipython().events.register('post_run_cell', lambda result: print('49'))",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PLACE)
def test_no_change_of_the_sheet_gains_anything(course: Course, name: str) -> None:
    course.file.write_text(WRONG, encoding="utf-8")
    course.each(IN_PLACE[name])
    run = course.nbval("-rA")
    assert set(verdicts(run).values()) == {"FAILED"}, run.text
    assert run.code == 1


@pytest.mark.slow
def test_deleted_questions_are_asked_all_the_same(course: Course) -> None:
    course.file.write_text(WRONG, encoding="utf-8")
    notebook = course.notebook
    notebook["cells"] = notebook["cells"][:1]
    course.store(notebook)
    assert verdicts(course.nbval("-rA")) == dict.fromkeys(QUESTIONS, "FAILED")


@pytest.mark.slow
def test_what_right_answers_lack_in_the_sheet_is_said(course: Course) -> None:
    course.mini.solve()
    notebook = course.notebook
    notebook["cells"] = [one for one in notebook["cells"] if one["id"] != "twice"]
    for one in notebook["cells"]:
        if one["id"] == "back":
            one["source"] = "hw.turn([1, 2, 3, 4])"
    course.store(notebook)
    run = course.nbval("-rA")
    assert verdicts(run) == {"twice": "FAILED", "table": "PASSED", "back": "FAILED", "square": "PASSED"}
    assert "in your sheet it was deleted" in " ".join(run.text.split())
    assert "in your sheet it was changed" in " ".join(run.text.split())


@pytest.mark.slow
@pytest.mark.parametrize("name", ADDED)
def test_no_cell_of_the_students_own_gains_anything(course: Course, name: str) -> None:
    course.file.write_text(WRONG, encoding="utf-8")
    course.add(cell("mine", ADDED[name]))
    found = verdicts(course.nbval("-rA"))
    assert {found[question] for question in QUESTIONS} == {"FAILED"}


@pytest.mark.slow
def test_cells_of_the_students_own_are_not_compared(course: Course) -> None:
    course.mini.solve()
    course.add(cell("mine", "1 / 0"), cell("x", "x = 'another'"), at=3)
    run = course.nbval("-rA")
    assert {question: verdicts(run)[question] for question in QUESTIONS} == dict.fromkeys(QUESTIONS, "PASSED")
    assert (run.code, "2 skipped" in run.text) == (0, True)


@pytest.mark.slow
def test_nothing_beside_the_sheet_is_imported_into_the_kernel(course: Course, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    course.mini.solve()
    for name in ("numpy.py", "kuiper.py", "sitecustomize.py", "usercustomize.py"):
        planted = f"import pathlib; pathlib.Path({str(mark)!r}).write_text('run')\n"
        course.file.with_name(name).write_text(planted, encoding="utf-8")
    assert verdicts(course.nbval("-rA")) == dict.fromkeys(QUESTIONS, "PASSED")
    assert not mark.exists()


# --- cheats behind it: what the homework file does in its own process reaches no cell ---

BEHIND = {
    "a false repr": "class Liar(list):\n    def __repr__(self): return '[3, 2, 1]'\n    _repr_pretty_ = None\n"
    "def turn(x): return Liar()\n",
    "always equal": "class Yes(int):\n    def __eq__(self, other): return True\n    def __str__(self): return '49'\n"
    "def power(x): return Yes(1)\n",
    "a rich display": "class Shown:\n    def _repr_svg_(self): return '<svg/>'\ndef double(x): return Shown()\n",
    "IPython patched": "import IPython\nIPython.get_ipython().displayhook = None\n",
    "the kernel killed": "import os, signal\nfor pid in (os.getppid(), 1):\n    try: os.kill(pid, 0)\n"
    "    except Exception: pass\nos._exit(0)\n",
    "printed answers": "print('[3, 2, 1]')\nprint('the square: 49')\n",
    "the sheet read": "import json, pathlib\nfor folder in ('.', '..', 'homework/01_numbers'):\n"
    "    for file in pathlib.Path(folder).glob('*.ipynb'): json.loads(file.read_text())\n",
    "atexit": "import atexit\natexit.register(lambda: print('the square: 49'))\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BEHIND)
def test_no_cheat_behind_the_sheet_gains_anything(course: Course, name: str) -> None:
    assert course.passed(WRONG + BEHIND[name]) == []


@pytest.mark.slow
def test_right_answers_pass_and_wrong_ones_do_not(course: Course) -> None:
    solution = (course.file.parent / "judge" / "solution.py").read_text(encoding="utf-8")
    assert course.passed(solution) == list(QUESTIONS)
    wrong = course.asked(solution.replace("return 2 * x", "return 3 * x"))
    assert [name for name, answer in wrong.items() if not answer.passed] == ["twice", "table"]
    assert wrong["table"].difference is not None
    assert wrong["table"].difference.happened == "the picture is another one than a right answer gives"


@pytest.mark.slow
def test_one_answer_that_hangs_or_dies_leaves_the_others_alone(course: Course) -> None:
    hang = WRONG.replace("def double(x):\n    return x", "def double(x):\n    while True: pass")
    hang = hang.replace("def power(x):\n    return x", "def power(x):\n    return x * x")
    found = course.asked(hang, call_seconds=1.0)
    assert [name for name, answer in found.items() if answer.passed] == ["square"]
    assert found["twice"].difference is not None
    assert "no answer within 1 s" in found["twice"].difference.happened
    die = hang.replace("while True: pass", "import os; os._exit(1)")
    assert course.passed(die) == ["square"]


@pytest.mark.slow
def test_a_sheet_that_was_handed_out_without_outputs_asks_nothing_and_says_so(course: Course) -> None:
    course.each(unrun)
    packed = stubs.packed_stubs(
        {f"01_numbers/{one.name}": one.read_text("utf-8") for one in (course.file, course.sheet)}
    )
    (course.root / "homework" / stubs.ARCHIVE).write_bytes(packed)
    run = course.nbval()
    assert (run.code, "was handed out without the output of twice" in run.text) == (2, True)
    with pytest.raises(SheetFault, match="was handed out without the output of twice"):
        course.asked(WRONG)


@pytest.mark.slow
def test_an_answer_too_large_for_a_sheet_is_none(course: Course) -> None:
    found = course.asked(WRONG.replace("def power(x):\n    return x", "def power(x):\n    return '1' * 3_000_000"))
    assert found["square"].difference is not None
    assert "more than" in found["square"].difference.happened


def test_an_error_of_one_s_own_is_raised_as_the_one_of_the_stub_that_it_is_derived_from() -> None:
    stub = ModuleType("hw")
    stub.ExpressionError = type("ExpressionError", (ValueError,), {})  # type: ignore[attr-defined]
    own = SubmissionError("raise", "two values", "CountError", 3, ["ExpressionError", "ValueError"])
    raised = as_raised(own, stub)
    assert type(raised) is stub.ExpressionError
    assert str(raised) == "two values"
    decoding = SubmissionError("raise", "no text", "UnicodeDecodeError", 3, ["UnicodeError", "ValueError"])
    assert type(as_raised(decoding, stub)) is UnicodeError
    assert type(as_raised(SubmissionError("raise", "two values", "CountError"), stub)) is NoAnswer
    assert type(as_raised(SubmissionError("died", "it ended", bases=["ValueError"]), stub)) is NoAnswer
