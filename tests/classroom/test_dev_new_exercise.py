"""`dev new exercise` makes an exercise that is judged, of which dev check says only what its author has to write."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from classroom import register
from classroom.dev import soundness
from classroom.dev.build import build
from classroom.dev.cli import app
from classroom.dev.new_exercise import NewExerciseError, new_exercise

ROOT = register.ROOT
TO_WRITE = ("stands as TODO", "stand as TODO", "a question without its output")
WITHOUT = """
[[lesson]]
number = 1
title = "First"
summary = "A beginning"
folder = "01_first"
modules = []

[[lesson]]
number = 2
title = "Second"
summary = "Another one"
folder = "02_second"
modules = []
"""


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with the second lesson's homework of this one; the commands work on it."""
    shutil.copytree(ROOT / "homework", tmp_path / "homework", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    shutil.copy(ROOT / "course.toml", tmp_path)
    monkeypatch.setattr(register, "ROOT", tmp_path)
    soundness._homework.cache_clear()
    return tmp_path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of two lessons without homework."""
    (tmp_path / "course.toml").write_text('title = "A course"\n' + WITHOUT, encoding="utf-8")
    monkeypatch.setattr(register, "ROOT", tmp_path)
    soundness._homework.cache_clear()
    return tmp_path


def problems_of(root: Path, number: int) -> list[str]:
    homeworks = soundness.find_homeworks(root, [number])
    for _ in build(register.load(root), homeworks):
        pass
    (report,) = soundness.check_homeworks(homeworks, seeds=2, solution_seeds=2, processes=1)
    assert report.killed == report.mutants > 0
    return report.problems


def dev(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1"})


@pytest.mark.slow
def test_the_first_exercise_of_a_lesson_lacks_only_words(bare: Path) -> None:
    done = dev("new", "exercise", "at_least", "--lesson", "1")
    assert done.exit_code == 0, done.output
    lesson = register.load(bare).lesson(1)
    assert (lesson.homework_file, [one.id for one in lesson.exercises]) == ("hw01_first.py", ["at_least"])
    assert register.load(bare).lesson(2).exercises == ()
    problems = problems_of(bare, 1)
    assert problems
    assert all(any(words in one for words in TO_WRITE) for one in problems), problems
    assert "TODO at_least (Task 1.1)" in (bare / "homework/01_first/hw01_first.py").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_further_exercise_leaves_everything_else_as_it_was(copy: Path) -> None:
    before = (copy / "course.toml").read_text(encoding="utf-8")
    stub = (copy / "homework/02_tensor/hw02_tensor.py").read_text(encoding="utf-8")
    new_exercise(copy, "at_least", 2)
    after = (copy / "course.toml").read_text(encoding="utf-8")
    start = next(n for n, (one, other) in enumerate(itertools.zip_longest(before, after)) if one != other)
    assert after.endswith(before[start:])
    assert "at_least" in after[start : len(after) - len(before[start:])]
    problems = problems_of(copy, 2)
    assert all(any(words in one for words in TO_WRITE) for one in problems), problems
    text = (copy / "homework/02_tensor/hw02_tensor.py").read_text(encoding="utf-8")
    assert text.startswith(stub.rstrip("\n"))
    assert "TODO at_least (Task 2.4)" in text


@pytest.mark.slow
def test_what_is_left_to_write_is_told_by_place(bare: Path) -> None:
    new_exercise(bare, "at_least", 1)
    said = "\n".join(problems_of(bare, 1))
    for place in ("title", "section", "hints"):
        assert f"at_least: write the {place} that" in said
    for file in ("README.md", "public.py", "judge/solution.py", "judge/at_least.py"):
        assert f"{file}: write what stands as TODO, in line" in said


@pytest.mark.parametrize(
    ("name", "lesson", "said"),
    [
        ("2fast", "1", "expected a function's name such as scaled_sum, found '2fast'"),
        ("class", "1", "expected a function's name"),
        ("shared", "1", "expected a function's name"),
        ("at_least", "9", "lesson 9: the course has lessons 1 to 2"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(bare: Path, name: str, lesson: str, said: str) -> None:
    before = (bare / "course.toml").read_bytes()
    done = dev("new", "exercise", name, "--lesson", lesson)
    assert (done.exit_code, said in done.output) == (2, True), done.output
    assert (bare / "course.toml").read_bytes() == before
    assert not (bare / "homework").exists()


def test_no_exercise_is_made_twice(bare: Path) -> None:
    new_exercise(bare, "at_least", 1)
    with pytest.raises(NewExerciseError, match="has an exercise at_least already"):
        new_exercise(bare, "at_least", 2)
