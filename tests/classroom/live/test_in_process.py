"""The judge's worker in this process, as a page has it: the same verdicts as from a process of its own."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom import explain, register
from classroom.check import Result, State, check
from classroom.judge import SubmissionError
from classroom.live import in_process
from classroom.live.deadline import Deadline, TooLong
from classroom.live.notebook import Notebook
from classroom.live.page_advice import PageAdvice
from classroom.started import COMMAND, DOCUMENTED
from classroom.tasks import find_one


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `install` does, undone after the test."""
    for module, name, thing in in_process.PLACES:
        monkeypatch.setattr(importlib.import_module(module), name, thing)


def student(tmp_path: Path, text: str, **options: Any) -> Any:
    path = tmp_path / "hw.py"
    path.write_text(text, encoding="utf-8")
    return in_process.PageStudent(path, **options)


def test_every_place_is_there() -> None:
    for module, name, _ in in_process.PLACES:
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("exercise", ["flatten", pytest.param("topological_order", marks=pytest.mark.slow), "sigmoid"])
def test_the_solution_passes_and_the_stub_does_not(tmp_path: Path, exercise: str) -> None:
    there = find_one(register.load(), exercise)
    shutil.copytree(there.file.parent, tmp_path / "homework" / there.lesson.folder)
    shutil.copy(register.ROOT / "homework" / "stubs.zip", tmp_path / "homework")
    shutil.copytree(register.ROOT / "models" / "digits", tmp_path / "models" / "digits")  # some tests read it
    task = replace(there, lesson=replace(there.lesson, root=tmp_path))
    assert check([task])[0].state is State.OPEN
    shutil.copy(task.file.parent / "judge" / "solution.py", task.file)
    assert check([task])[0].state is State.SOLVED


def checked(tmp_path: Path, text: str) -> Result:
    """flatten, checked with the text as the whole homework file."""
    there = find_one(register.load(), "flatten")
    folder = tmp_path / "homework" / there.lesson.folder
    shutil.copytree(there.file.parent, folder, dirs_exist_ok=True)
    shutil.copy(register.ROOT / "homework" / "stubs.zip", tmp_path / "homework")
    (folder / there.file.name).write_text(text, encoding="utf-8")
    (result,) = check([replace(there, lesson=replace(there.lesson, root=tmp_path))])
    return result


ENDLESSLY_TALKING = "def flatten(x, row_major=True):\n    print('x\\n' * 100)\n    return x\n"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("def flatten(x, row_major=True):\n    return x.reshape(-1)\n", "open Hint 1 below"),
        ("def flatten(x, row_major=True):\n    raise NotImplementedError\n", "open Hint 1 below"),
        ("def flat(x):\n    return x\n", "The Reset button puts it back"),
        ("def flatten(x:\n", "is not Python yet"),
        (ENDLESSLY_TALKING, "more lines"),
    ],
)
def test_a_report_in_a_page_names_no_command(tmp_path: Path, text: str, part: str) -> None:
    said = explain.report(checked(tmp_path, text))
    assert part in " ".join(said.split())
    assert not re.search(rf"({re.escape(COMMAND)}|{re.escape(DOCUMENTED)}) \w|--\w", said)


@pytest.mark.usefixtures("installed")
def test_a_solved_exercise_is_solved_in_a_page_and_nobody_counts_points(tmp_path: Path) -> None:
    solution = find_one(register.load(), "flatten").file.parent / "judge" / "solution.py"
    result = checked(tmp_path, solution.read_text(encoding="utf-8"))
    assert explain.heading(result).endswith(f"solved, {result.tests} of {result.tests} public tests passed")
    assert "point" not in explain.report(result)


def test_a_command_in_a_likely_cause_is_left_out_of_a_page() -> None:
    cause = f"yours gives wrong rows: mend it first ({DOCUMENTED} check im2col), then look again"
    assert PageAdvice().cause(cause) == "yours gives wrong rows: mend it first, then look again"


@pytest.mark.usefixtures("installed")
def test_a_callback_is_called_and_what_it_raises_reaches_the_submission(tmp_path: Path) -> None:
    def add(a: int, b: int) -> int:
        if a < 0:
            raise ValueError("negative")
        return a + b

    tries = "def twice(f, x):\n    try:\n        return f(x, x)\n"
    text = f"{tries}    except ValueError as error:\n        return str(error)\n"
    asked = student(tmp_path, text)
    assert asked.twice(add, 3) == 6
    assert asked.twice(add, -3) == "negative"


@pytest.mark.usefixtures("installed")
def test_a_homework_without_kuiper_cannot_import_it_although_the_page_has(tmp_path: Path) -> None:
    text = "def name(x):\n    import kuiper.tensor\n    return kuiper.tensor.__name__\n"
    before = sys.modules["kuiper"]
    with pytest.raises(SubmissionError, match="No module named 'kuiper"):
        student(tmp_path, text, without=["kuiper.tensor"]).name(1)
    assert student(tmp_path, text).name(1) == "kuiper.tensor"
    assert sys.modules["kuiper"] is before


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("def f(x):\n    return object()\n", "data"),
        ("def g(x):\n    return x\n", "missing"),
        ("def f(x):\n    raise SystemExit\n", "raise"),
        ("def f(x):\n    return x.y\n", "raise"),
    ],
)
def test_what_goes_wrong_is_told_as_from_a_process(tmp_path: Path, text: str, kind: str) -> None:
    with pytest.raises(SubmissionError) as told:
        student(tmp_path, text).f(1)
    assert told.value.kind == kind


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python tells of jumps since 3.12")
@pytest.mark.usefixtures("installed")
def test_a_loop_that_never_ends_is_a_timeout(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"no answer within 0\.2 s"):
        student(tmp_path, "def f(x):\n    while True:\n        x += 1\n", seconds=0.2).f(1)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python tells of jumps since 3.12")
def test_what_catches_every_exception_is_stopped_too(tmp_path: Path) -> None:
    path = str(tmp_path / "loop.py")
    code = compile("while True:\n    try:\n        x = 1\n    except Exception:\n        pass\n", path, "exec")
    clock = Deadline()
    clock.watch(str(tmp_path))
    with pytest.raises(TooLong), clock.limit(time.monotonic() + 0.1):
        exec(code, {})
    assert clock.late


def test_a_cell_gives_what_it_prints_what_it_shows_and_its_last_value(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path)
    assert notebook.run("x = 2") == []
    assert notebook.run("print(x)\nx + 1") == [
        {"kind": "stdout", "text": "2\n"},
        {"kind": "value", "text": "3"},
    ]
    assert notebook.run("x;") == []
    (drawn,) = notebook.run("class P:\n    def _repr_svg_(self):\n        return '<svg/>'\n\nP()")
    assert drawn["svg"] == "<svg/>"


def test_an_error_of_a_cell_is_told_from_the_cell_on(tmp_path: Path) -> None:
    (told,) = Notebook(tmp_path).run("def f():\n    return 1 / 0\n\nf()")
    assert told["kind"] == "error"
    assert told["text"].startswith('  File "<cell 1>", line 4')
    assert told["text"].endswith("ZeroDivisionError: division by zero")
    (unread,) = Notebook(tmp_path).run("def f(:")
    assert "SyntaxError" in unread["text"]


def test_a_cell_warns_each_time_it_is_run(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)  # pytest records them otherwise
        for _ in range(2):
            (told,) = notebook.run("import warnings\nwarnings.warn('careful')")
            assert told == {"kind": "stderr", "text": "careful\n"}


def test_what_a_cell_prints_has_an_end(tmp_path: Path) -> None:
    (printed,) = Notebook(tmp_path).run("for i in range(100_000):\n    print('0123456789')")
    assert len(printed["text"]) < 300_000
    assert printed["text"].endswith("more than a page can show\n")


def test_the_answers_of_the_kernel_are_json() -> None:
    outputs = Notebook(Path(__file__).parent).run("import numpy as np\nnp.arange(3)")
    assert json.loads(json.dumps(outputs)) == [{"kind": "value", "text": "array([0, 1, 2])"}]
