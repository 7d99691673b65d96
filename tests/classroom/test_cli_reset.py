from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from classroom import stubs
from classroom.progress import FOLDER, Progress
from classroom.stubs import definitions_text, names_of, put_back

ROOT = Path(__file__).resolve().parents[2]
SHEET_NAME = stubs.WORKSHEET


def backups(mini: Any) -> list[str]:
    return [path.read_text() for path in sorted((mini.root / FOLDER / "backups").glob("*"))]


def test_one_exercise_is_put_back_and_the_others_stay(mini: Any) -> None:
    mini.write(double="return x", turn="return x[::-1]")
    mine = mini.file.read_text()
    assert mini.run("reset", "double").exit_code == 0
    text = mini.file.read_text()
    assert 'raise NotImplementedError("double: TODO")' in text
    assert "return x[::-1]" in text
    assert backups(mini) == [mine]


def test_a_whole_file_is_put_back(mini: Any) -> None:
    stub = mini.file.read_text()
    mini.solve()
    mine = mini.file.read_text()
    assert mini.run("reset", "hw01_numbers.py").exit_code == 0
    assert mini.file.read_text() == stub
    assert backups(mini) == [mine]


def test_a_file_that_is_gone_comes_back(mini: Any) -> None:
    stub = mini.file.read_text()
    mini.file.unlink()
    assert mini.run("reset", "double").exit_code == 0
    assert mini.file.read_text() == stub


def test_a_function_that_is_gone_comes_back_at_the_end(mini: Any) -> None:
    mini.write(turn="return x[::-1]")
    mini.file.write_text(mini.file.read_text().replace("def double", "def doubled"))
    mini.run("reset", "double")
    assert "double (task 1.1): not started" in mini.run("check", "double").output
    assert "public tests passed" in mini.run("check", "turn").output


def test_copies_are_never_overwritten(mini: Any) -> None:
    mine = []
    for number in range(4):
        mini.write(double=f"return {number}")
        mine.append(mini.file.read_text())
        mini.run("reset", "double")
    assert sorted(backups(mini)) == sorted(mine)


def test_what_is_as_handed_out_already_is_left_alone(mini: Any) -> None:
    assert "is as it was handed out" in mini.run("reset", "double").output
    assert not (mini.root / FOLDER / "backups").exists()


BROKEN = {
    "a bracket that is left open": "return (x",
    "a text that is left open": "return '''x",
    "lines that are not indented": "y = x\n    for i in y:\n    pass",
    "a line at the margin": "y = (\nreturn y",
    "a margin that jumps": "y = x\n      return y",
    "a head without a colon": None,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BROKEN)
def test_an_exercise_that_python_cannot_read_is_put_back_and_the_others_stay(mini: Any, kind: str) -> None:
    body = BROKEN[kind]
    mini.write(double=body or "return x", turn="return x[::-1]", power="return x * x")
    if body is None:
        mini.file.write_text(mini.file.read_text().replace("def double(x):", "def double(x)"))
    mine = mini.file.read_text()
    result = mini.run("reset", "double")
    assert result.exit_code == 0, result.output
    assert backups(mini) == [mine]
    ast.parse(mini.file.read_text())
    output = mini.run("check", "1").output
    assert "double (task 1.1): not started" in output
    assert "turn (task 1.2): public tests passed" in output
    assert "power (task 1.3): public tests passed" in output


def test_an_exercise_beside_one_that_python_cannot_read_is_put_back_and_the_trouble_is_named(mini: Any) -> None:
    mini.write(double="return (x", turn="return 7")
    mine = mini.file.read_text()
    result = mini.run("reset", "turn")
    assert result.exit_code == 0
    assert backups(mini) == [mine]
    text = mini.file.read_text()
    assert "return (x" in text
    assert 'raise NotImplementedError("turn: TODO")' in text
    assert "return 7" not in text
    assert "hw01_numbers.py, line 9 is not Python yet" in " ".join(result.output.split())


def test_bytes_that_are_no_text_are_put_back_only_as_a_whole(mini: Any) -> None:
    mini.file.write_bytes(mini.file.read_bytes().replace(b"Twice", "zweifach, für".encode("latin-1")))
    before = mini.file.read_bytes()
    result = mini.run("reset", "double")
    assert result.exit_code == 2
    assert "reset hw01_numbers.py" in " ".join(result.output.split())
    assert mini.file.read_bytes() == before
    assert mini.run("reset", "hw01_numbers.py").exit_code == 0


def test_solved_neighbours_stay_solved(mini: Any) -> None:
    mini.write(double="return 2 * x", turn="return x[::-1]")
    mini.run("check", "1")
    mini.run("reset", "double")
    output = mini.run("map").output
    for shown in ("[ ] double", "[x] turn"):
        assert shown in output


def test_a_neighbour_that_needs_what_was_put_back_is_named_and_open(mini: Any) -> None:
    mini.write(double="return 2 * x", power="return double(x) * x // 2")
    mini.run("check", "1")
    result = mini.run("reset", "double")
    assert "power passed before and does not now" in " ".join(result.output.split())
    assert "[ ] power" in mini.run("map").output


def test_a_reset_exercise_is_no_longer_solved_and_its_hints_stay_known(mini: Any) -> None:
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    mini.run("hint", "double")
    mini.run("reset", "double")
    entry = Progress(mini.root).entry("double")
    assert (entry.solved, entry.hints) == ("", 1)


def test_without_room_for_a_copy_nothing_is_changed(mini: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mini.write(double="return x")
    before = mini.file.read_text()

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(stubs, "free_name", refuse)
    result = mini.run("reset", "double")
    assert result.exit_code == 2
    assert "nothing was changed" in result.output
    assert mini.file.read_text() == before


@pytest.mark.parametrize("content", [None, b"no archive"])
def test_without_the_archive_of_stubs_it_is_a_sentence(mini: Any, content: bytes | None) -> None:
    archive = mini.root / "homework" / stubs.ARCHIVE
    archive.unlink()
    if content is not None:
        archive.write_bytes(content)
    mini.write(double="return x")
    result = mini.run("reset", "double")
    assert result.exit_code == 2
    assert "homework/stubs.zip cannot be read" in result.output


SHEET = '{"cells": ["as handed out"]}'


@pytest.fixture
def sheet(mini: Any) -> Path:
    """A worksheet that was handed out, with the student's changes."""
    files = {
        f"01_numbers/{name}": text for name, text in ((mini.file.name, mini.file.read_text()), (SHEET_NAME, SHEET))
    }
    (mini.root / "homework" / stubs.ARCHIVE).write_bytes(stubs.packed_stubs(files))
    path = Path(mini.file.with_name(SHEET_NAME))
    path.write_text("mine")
    return path


@pytest.mark.parametrize("name", ["01_numbers/worksheet.ipynb", "homework/01_numbers/worksheet.ipynb"])
def test_a_worksheet_is_put_back_alone(mini: Any, sheet: Path, name: str) -> None:
    mini.write(double="return x")
    mine = mini.file.read_text()
    result = mini.run("reset", name)
    assert result.exit_code == 0
    assert "homework/01_numbers/worksheet.ipynb is as it was handed out again" in " ".join(result.output.split())
    assert (sheet.read_text(), mini.file.read_text(), backups(mini)) == (SHEET, mine, ["mine"])


@pytest.mark.parametrize("name", ["1", "01_numbers"])
def test_a_lesson_is_put_back_with_its_worksheet(mini: Any, sheet: Path, name: str) -> None:
    stub = mini.file.read_text()
    mini.write(double="return x")
    mine = mini.file.read_text()
    assert mini.run("reset", name).exit_code == 0
    assert (sheet.read_text(), mini.file.read_text()) == (SHEET, stub)
    assert sorted(backups(mini)) == sorted([mine, "mine"])


@pytest.mark.parametrize("name", ["double", "hw01_numbers.py"])
def test_the_worksheet_stays_where_something_else_is_named(mini: Any, sheet: Path, name: str) -> None:
    mini.write(double="return x")
    assert mini.run("reset", name).exit_code == 0
    assert sheet.read_text() == "mine"


def test_a_worksheet_that_is_gone_comes_back(mini: Any, sheet: Path) -> None:
    sheet.unlink()
    assert mini.run("reset", "01_numbers/worksheet.ipynb").exit_code == 0
    assert sheet.read_text() == SHEET


def test_a_worksheet_that_nobody_handed_out_or_of_no_lesson_is_refused(mini: Any) -> None:
    result = mini.run("reset", "01_numbers/worksheet.ipynb")
    assert (result.exit_code, "lesson 1 has no worksheet" in result.output) == (2, True)
    result = mini.run("reset", "nowhere/worksheet.ipynb")
    assert (result.exit_code, "name the folder" in result.output) == (2, True)


def test_a_lesson_without_homework_is_refused(mini: Any) -> None:
    assert mini.run("reset", "2").exit_code == 2


def test_the_functions_of_an_exercise_are_those_that_say_so() -> None:
    first = "class A:\n    def f(self):\n        # TODO one\n        pass\n"
    stub = first + "\n\n# TODO two\ndef g():\n    pass\n\n\ndef h():\n    pass\n"
    assert names_of(stub, "one") == ["A"]
    assert names_of(stub, "two") == ["g"]
    assert names_of(stub, "on") == []


def test_decorators_and_the_comment_above_belong_to_a_function() -> None:
    stub = "import x\n\n\n# TODO f\n@x.y\n@x.z(\n    1)\ndef f():\n    pass\n"
    assert definitions_text(stub, ["f"]).startswith("# TODO f\n@x.y")
    mine = "import x\n\n\n@x.y\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"
    assert put_back(mine, stub, ["f"]) == stub + "\n\ndef g():\n    return 2\n"


def test_lines_are_counted_as_python_counts_them() -> None:
    source = "a = '\x0c\u2028'\n\n\ndef f():\n    return 1\n"
    assert definitions_text(source, ["f"]) == "def f():\n    return 1"
