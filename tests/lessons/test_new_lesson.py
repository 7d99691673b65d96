"""`dev new lesson` makes a lesson of which dev check says only what its author has to write."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from classroom import register
from classroom.dev import figures, lesson_form
from classroom.dev.cli import app
from classroom.dev.new_lesson import NewLessonError, folder_of, new_lesson

ROOT = register.ROOT
WORDS_TO_WRITE = ("write what stands as", "write the summary of lesson", "draw what stands as", "words of prose, found")


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the course, as far as lessons need it; the commands work on it."""
    for folder in ("lessons", "homework", "docs", "models/digits"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    shutil.copytree(ROOT / "kuiper", tmp_path / "kuiper", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "course.toml", tmp_path)
    monkeypatch.setattr(register, "ROOT", tmp_path)
    return tmp_path


def dev(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1"})


@pytest.mark.slow
def test_a_new_lesson_lacks_only_what_its_author_has_to_write(copy: Path) -> None:
    pytest.importorskip("nbclient", reason="runs notebooks, and nbclient is not installed")
    before = (copy / "course.toml").read_text(encoding="utf-8")
    done = dev("new", "lesson", 'Fewer bits: "quantization"')
    assert done.exit_code == 0, done.output
    assert (copy / "course.toml").read_text(encoding="utf-8").startswith(before.rstrip("\n"))
    lesson = register.load(copy).lessons[-1]
    number = str(lesson.number)
    assert (lesson.title, lesson.folder) == (
        'Fewer bits: "quantization"',
        f"{lesson.number:02}_fewer_bits_quantization",
    )
    assert f"dev check {number}" in done.output
    for command in ("figures", "notebooks"):
        done = dev(command, number)
        assert done.exit_code == 0, done.output
    done = dev("notebooks", number, "--check")
    assert done.exit_code == 0, done.output
    done = dev("check", number)
    assert done.exit_code == 1
    told = [line for line in done.output.splitlines() if line.startswith(("course.toml: ", lesson.folder))]
    assert f"write the summary of lesson {number} in course.toml" in done.output
    assert "(In [1])" not in done.output, "the code is sound"
    minutes = "expected the minutes that the notebook takes"
    assert [line for line in told if not any(words in line for words in (*WORDS_TO_WRITE, minutes))] == []


@pytest.mark.slow
def test_a_new_lesson_whose_author_has_written_is_sound(copy: Path) -> None:
    pytest.importorskip("nbclient", reason="runs notebooks, and nbclient is not installed")
    lesson = new_lesson(copy, "Quantization")
    for path in (copy / "course.toml", *(copy / "lessons" / lesson.folder).glob("*.*")):
        text = path.read_text(encoding="utf-8").replace("time = 0", "time = 60")
        path.write_text(re.sub(r"TODO:?", "Words of", text), encoding="utf-8")
    notebook = copy / "lessons" / lesson.folder / f"{lesson.folder}.ipynb"
    cells = json.loads(notebook.read_text(encoding="utf-8"))
    cells["cells"][1]["source"].append("\n\n" + "word " * 1300)
    notebook.write_text(json.dumps(cells), encoding="utf-8")
    number = str(lesson.number)
    for command in (("figures", number), ("notebooks", number)):
        assert dev(*command).exit_code == 0
    course = register.load(copy)
    assert list(lesson_form.lesson_faults(course.lesson(lesson.number), course)) == []
    assert [sentence for name, sentence in lesson_form.problems(course, []) if "README" not in sentence] == []


def test_two_runs_of_its_figures_draw_the_same(copy: Path) -> None:
    script = copy / "lessons" / new_lesson(copy, "Quantization").folder / "figures.py"
    assert figures.drawn(script) == figures.drawn(script)


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("...", "course: expected a title with letters, of which the folder's name is made, found '...'"),
        ("a\x07b", "expected a title with letters"),
        (register.load().lessons[0].title.upper(), "already: take another title"),
    ],
)
def test_a_title_that_will_not_do_is_refused_and_nothing_is_written(copy: Path, title: str, told: str) -> None:
    before = (copy / "course.toml").read_bytes(), sorted((copy / "lessons").iterdir())
    done = dev("new", "lesson", title)
    assert done.exit_code == 2
    assert told in done.output
    assert ((copy / "course.toml").read_bytes(), sorted((copy / "lessons").iterdir())) == before


def test_a_folder_that_is_there_is_not_overwritten(copy: Path) -> None:
    folder = folder_of(len(register.load(copy).lessons) + 1, "Quantization")
    (copy / "lessons" / folder).mkdir()
    with pytest.raises(NewLessonError, match=f"lessons/{folder} is there already"):
        new_lesson(copy, "Quantization")
