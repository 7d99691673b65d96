from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from classroom.dev import figures
from classroom.dev import notebooks as books

nbformat = pytest.importorskip("nbformat", reason="writes notebooks, and nbformat is not installed")
pytest.importorskip("nbclient", reason="runs notebooks, and nbclient is not installed")
v4 = nbformat.v4


def store(path: Path, *sources: str) -> Path:
    cells = [v4.new_code_cell(source) for source in sources]
    path.write_text(nbformat.writes(v4.new_notebook(cells=cells, metadata={"seen": "2026"})), encoding="utf-8")
    return path


@pytest.mark.slow
def test_running_it_twice_changes_nothing(tmp_path: Path) -> None:
    path = store(tmp_path / "lesson.ipynb", "print('a')\nprint('b')\nx = 1", "x + 1")
    first = books.regenerated(path)
    path.write_text(first, encoding="utf-8")
    assert books.regenerated(path) == first
    notebook = nbformat.reads(first, as_version=4)
    assert [cell.execution_count for cell in notebook.cells] == [1, 2]
    assert notebook.cells[0].outputs[0].text == "a\nb\n"
    assert notebook.cells[1].outputs[0]["data"]["text/plain"] == "2"
    assert "seen" not in first
    assert "iopub" not in first


@pytest.mark.slow
def test_what_was_measured_stays_until_it_is_emptied(tmp_path: Path) -> None:
    path = store(tmp_path / "lesson.ipynb", "import time", "time.perf_counter()")
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["cells"][1]["metadata"]["tags"] = ["nbval-ignore-output"]
    path.write_text(json.dumps(stored), encoding="utf-8")
    first = books.regenerated(path)
    path.write_text(first, encoding="utf-8")
    assert json.loads(first)["cells"][1]["outputs"]
    assert books.regenerated(path) == first
    emptied = json.loads(first)
    emptied["cells"][1]["outputs"] = []
    path.write_text(json.dumps(emptied), encoding="utf-8")
    assert books.regenerated(path) != first


def test_a_worksheet_of_no_lesson_is_said(tmp_path: Path) -> None:
    with pytest.raises(books.NotebookError, match="is the worksheet of no lesson"):
        books.regenerated(store(tmp_path / "worksheet.ipynb", "1"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exercise", "source", "said"),
    [
        ("dubble", "1", "dubble is no exercise of the lesson"),
        ("double", "x = 1", "a question about double shows nothing"),
    ],
)
def test_a_question_about_no_exercise_or_that_shows_nothing_is_said(
    mini: Any, with_solutions: Any, exercise: str, source: str, said: str
) -> None:
    with_solutions()
    path = store(mini.file.with_name("worksheet.ipynb"), source)
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["cells"][0]["metadata"]["exercise"] = exercise
    path.write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(books.NotebookError, match=said):
        books.regenerated(path)


@pytest.mark.slow
def test_a_cell_that_fails_is_said(tmp_path: Path) -> None:
    path = store(tmp_path / "lesson.ipynb", "1 / 0")
    with pytest.raises(books.NotebookError, match=r"(?s)lesson\.ipynb does not run: .*ZeroDivisionError"):
        books.regenerated(path)


def test_what_is_no_notebook_is_said(tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(books.NotebookError, match="no notebook"):
        books.regenerated(path)


def test_ids_stay_and_only_missing_or_second_ones_are_given(tmp_path: Path) -> None:
    path = store(tmp_path / "worksheet.ipynb", *"abcde")
    stored = json.loads(path.read_text(encoding="utf-8"))
    for cell, name in zip(stored["cells"], ("one", "cell-02", "one", "", "five"), strict=True):
        cell["id"] = name
    del stored["cells"][3]["id"]
    path.write_text(json.dumps(stored), encoding="utf-8")
    assert [cell.id for cell in books.read_notebook(path).cells] == ["one", "cell-02", "cell-03", "cell-04", "five"]


def test_tags_and_exercises_are_the_only_metadata_that_stays() -> None:
    kept = {"tags": ["a"], "exercise": "flatten"}
    cell = v4.new_code_cell("", metadata={**kept, "execution": {"iopub.status.busy": "now"}, "collapsed": True})
    notebook = books.normal(v4.new_notebook(cells=[cell]))
    assert notebook.cells[0].metadata == kept
    assert notebook.metadata == books.METADATA


def test_pieces_of_a_stream_are_joined_and_others_are_not() -> None:
    outputs = [
        v4.new_output("stream", name="stdout", text="a"),
        v4.new_output("stream", name="stdout", text="b"),
        v4.new_output("stream", name="stderr", text="c"),
        v4.new_output("execute_result", {"text/plain": "1"}, execution_count=7),
        v4.new_output("stream", name="stdout", text="d"),
    ]
    notebook = books.normal(v4.new_notebook(cells=[v4.new_code_cell("", outputs=outputs)]))
    kept = notebook.cells[0].outputs
    assert [output.get("text") for output in kept] == ["ab", "c", None, "d"]
    assert kept[2].execution_count == 1


def test_a_difference_is_shown_in_few_lines() -> None:
    said = books.text_difference("a\nb\nc\n", "a\nx\nc\n")
    assert "-b" in said
    assert "+x" in said


def drawing(folder: Path, body: str) -> Path:
    script = folder / "figures.py"
    script.write_text(f"def draw():\n    {body}\n", encoding="utf-8")
    return script


def test_figures_are_written_once(tmp_path: Path) -> None:
    script = drawing(tmp_path, "return {'a': '<svg/>', 'b': '<svg />'}")
    assert figures.wrong(script) == ["a.svg is missing", "b.svg is missing"]
    assert [path.name for path in figures.write(script)] == ["a.svg", "b.svg"]
    assert figures.write(script) == figures.wrong(script) == []


def test_a_figure_that_differs_and_one_that_nobody_draws_are_said(tmp_path: Path) -> None:
    script = drawing(tmp_path, "return {'a': '<svg/>'}")
    figures.write(script)
    (tmp_path / "figures" / "a.svg").write_text("<svg/>\r\n", encoding="utf-8", newline="")
    (tmp_path / "figures" / "old.svg").touch()
    assert figures.wrong(script) == [
        "a.svg is not what figures.py draws",
        "figures/old.svg is drawn by nobody: remove it",
    ]


@pytest.mark.parametrize(("body", "said"), [("return {}", "no picture"), ("1 / 0", "ZeroDivisionError")])
def test_figures_that_cannot_be_drawn_are_said(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(figures.FigureError, match=said):
        figures.drawn(drawing(tmp_path, body))
