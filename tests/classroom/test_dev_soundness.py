from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classroom import register
from classroom.dev import soundness
from classroom.dev.cli import app
from classroom.dev.soundness import HomeworkReport
from classroom.judge.homework import HomeworkError, Mutant
from classroom.register import RegisterError

FILES = {
    "course.toml": """
title = "A course"
[[lesson]]
number = 1
title = "First"
summary = "A beginning"
folder = "01_first"
modules = []
homework = "hw01.py"
[[lesson.exercise]]
id = "double"
title = "Twice"
points = 1
hints = ["What?", "How?", "So."]
[[lesson]]
number = 2
title = "Second"
summary = "No homework"
folder = "02_second"
modules = []
""",
    "homework/01_first/hw01.py": "def double(x):\n    raise NotImplementedError('double: TODO')\n",
    "homework/01_first/judge/solution.py": "import table\ndef double(x):\n    return x * table.TWO\n",
    "homework/01_first/table.py": "TWO = 2\n",
    "homework/01_first/public.py": """
from classroom.judge import expect, task
@task("double")
def twice_three(student, rng):
    '''3 becomes 6.'''
    expect(student.double(3), 6)
""",
    "homework/01_first/judge/hidden.py": """
from classroom.judge import expect, task
@task("double")
def twice_anything(student, rng):
    '''n becomes 2n.'''
    n = int(rng.integers(4, 100))
    expect(student.double(n), 2 * n)
""",
    "homework/01_first/judge/mutants.py": """
MUTANTS = [
    dict(name="plus", exercise="double", why="slip", old="x * table.TWO", new="x + table.TWO"),
    dict(name="same", exercise="double", why="slip", old="return x * table.TWO", new="return x"),
]
""",
}
HW = "homework/01_first/"
REFUSED = "    from classroom.judge import expect_raises\n    expect_raises(student.double, None)"
NO_WORK = "tests are passed by an answer that does no work"

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """make(file, old, new) -> the root of a sound course with that change made."""
    monkeypatch.setattr(soundness, "MIN_MUTANTS", 2)
    monkeypatch.setattr(soundness, "MUTANT_SECONDS", 1.0)
    soundness._homework.cache_clear()

    def write(file: str = "", old: str = "", new: str = "") -> Path:
        for name, text in FILES.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            assert name != file or old in text
            path.write_text(text.replace(old, new) if name == file else text, encoding="utf-8")
        return tmp_path

    return write


def checked(root: Path, seeds: int = 3) -> HomeworkReport:
    (result,) = soundness.check_homeworks(soundness.find_homeworks(root), seeds=seeds, solution_seeds=3, processes=1)
    return result


def test_a_sound_homework_has_no_problems(make: Make) -> None:
    result = checked(make())
    assert result.problems == []
    assert (result.tests, result.mutants, result.killed) == (2, 2, 2)


def test_several_processes_find_the_same(make: Make) -> None:
    root = make(HW + "judge/mutants.py", 'return x"', 'return table.TWO * x"')
    (parallel,) = soundness.check_homeworks(soundness.find_homeworks(root), seeds=2, solution_seeds=2, processes=2)
    assert parallel.problems == checked(root, 2).problems != []


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("course.toml", 'homework = "hw01.py"', "", 'course.toml: lesson 1 needs homework = "hw01.py"'),
        ("course.toml", 'hw01.py"', 'hw02.py"', "01_first: expected hw02.py, which is not there"),
        ("course.toml", '"How?"', '" "', "double: expected 3 hints in course.toml, found 2"),
        ("course.toml", ', "So."', "", "double: expected 3 hints in course.toml, found 2"),
        ("course.toml", 'id = "double"', 'id = "twice"', "double has tests and stands not in course.toml"),
        ("course.toml", 'id = "double"', 'id = "twice"', "twice stands in course.toml and has no tests"),
        ("course.toml", 'id = "double"', 'id = "twice"', "twice stands in course.toml and has no mutants"),
        (HW + "hw01.py", "raise NotImplementedError('double: TODO')", "return 2 * x", "as handed out passes all"),
        (HW + "hw01.py", "def double", "def duoble", "the stub: hw01.py has no function double"),
        (HW + "hw01.py", "def double", "def double(", "the stub: hw01.py, line 1: this is not Python"),
        (HW + "judge/solution.py", "TWO\n", "TWO + (x > 50)\n", "twice_anything: the solution fails on seed"),
        (HW + "judge/solution.py", "TWO\n", "TOW\n", "mutant plus: expected `old` once in the solution, found it 0"),
        (HW + "judge/mutants.py", '"return x"', '"return x * 2"', "mutant double/same: survives on seeds 0, 1, 2"),
        (HW + "judge/mutants.py", 'old="return x * table.TWO"', 'old="x"', "mutant same: expected `old` once"),
        (HW + "judge/mutants.py", '"return x"', '"return y"', "broken rather than mistaken: NameError"),
        (HW + "judge/mutants.py", '"return x"', '"return ("', "same: no mistake that runs: hw01.py, line 3"),
        (HW + "judge/mutants.py", '"return x"', '"return x + table.TWO"', "double/same: the same as double/plus"),
        (HW + "judge/mutants.py", 'why="slip", old="return', 'why="", old="return', "it does not say why"),
        (HW + "judge/mutants.py", 'name="same"', 'label="same"', "mutant 2: label is no key of this table"),
        (HW + "judge/hidden.py", "'''n becomes 2n.'''", "", "01_first/judge/hidden.py: ValueError"),
        (HW + "judge/hidden.py", '@task("double")', "", "01_first/judge/hidden.py: ValueError"),
        (HW + "judge/hidden.py", "expect(student", "assert True or (student", "twice_anything: it finds no mutant"),
        (HW + "judge/hidden.py", "n = int", "import pytest; pytest.skip('no'); n = int", "check failed: Skipped: no"),
        (HW + "judge/hidden.py", "n = int", "import unittest; raise unittest.SkipTest; n = int", "fails on seed 0"),
        (HW + "judge/hidden.py", "    expect(student.double(n), 2 * n)", REFUSED, f"double: all its hidden {NO_WORK}"),
        (HW + "public.py", "    expect(student.double(3), 6)", REFUSED, f"double: all its public {NO_WORK}"),
        (HW + "public.py", "student.double(3), 6", "student.double(3), 3", f"double: all its public {NO_WORK}"),
        (HW + "judge/hidden.py", "def twice_anything", "def twice(student, rng): ...\ndef twice", "two functions of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(make: Make, file: str, old: str, new: str, problem: str) -> None:
    problems = checked(make(file, old, new)).problems
    assert any(problem in found for found in problems), problems


def test_too_few_mutants_are_a_problem(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make()
    monkeypatch.setattr(soundness, "MIN_MUTANTS", 8)
    assert checked(root).problems == ["expected at least 8 mutants, found 2"]


@pytest.mark.slow
def test_a_mutant_that_hangs_is_found(make: Make) -> None:
    result = checked(make(HW + "judge/mutants.py", '"return x"', '"while True: pass"'))
    assert result.problems == []


def test_a_mutant_that_is_found_on_some_seeds_only_is_a_problem(make: Make) -> None:
    mutant = '"return x * table.TWO + (x > 50)"'
    (problem,) = checked(make(HW + "judge/mutants.py", '"return x"', mutant), seeds=8).problems
    assert problem.startswith("mutant double/same: survives on seeds ")


def test_a_lesson_without_homework_is_refused(make: Make) -> None:
    with pytest.raises(HomeworkError, match="lesson 2 has no homework/02_second"):
        soundness.find_homeworks(make(), [2])
    with pytest.raises(RegisterError, match="lesson 3"):
        soundness.find_homeworks(make(), [3])


def test_the_framework_cannot_be_called_where_the_stub_does_without_it(make: Make) -> None:
    (homework,) = soundness.find_homeworks(make())
    assert homework.without == ("kuiper",)
    (homework,) = soundness.find_homeworks(make(HW + "hw01.py", "def", "import kuiper\ndef"))
    assert homework.without == ()


def test_a_mutant_changes_one_place() -> None:
    mutant = Mutant("m", "e", "slip", "a", "b")
    assert mutant.applied("cat") == "cbt"
    for text in ("dog", "banana"):
        with pytest.raises(HomeworkError, match="once"):
            mutant.applied(text)


def course_dev(root: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(register, "ROOT", root)
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1"})
    return result.exit_code, result.output


def test_the_command_says_that_all_holds(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    few = ("--seeds", "2", "--solution-seeds", "2", "--processes", "1")
    code, said = course_dev(make(), monkeypatch, "check", "1", *few)
    assert code == 0
    assert "2 of 2" in said
    assert "All of it holds" in said


def test_the_command_fails_with_the_reason(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(HW + "judge/mutants.py", '"return x"', '"return table.TWO * x"')
    code, said = course_dev(root, monkeypatch, "check", "--seeds", "2", "--processes", "1")
    assert code == 1
    assert "01_first: mutant double/same: survives on seeds 0, 1" in said


@pytest.mark.parametrize("command", ["check", "notebooks", "figures"])
def test_a_lesson_that_is_not_in_the_register_is_refused_in_a_sentence(
    make: Make, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert course_dev(make(), monkeypatch, command, "9") == (2, "course: lesson 9: the course has lessons 1 to 2\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "2"), "lesson 2 has no homework/02_second"),
        (("notebooks", "2"), "lesson 2 has no notebook, neither lessons/02_second/02_second.ipynb nor a worksheet"),
        (("figures", "2"), "lesson 2 has no lessons/02_second/figures.py"),
        (("figures",), "lesson 1 has no lessons/01_first/figures.py; lesson 2 has no lessons/02_second/figures.py"),
        (("figures", "1", "2"), "lesson 2 has no lessons/02_second/figures.py"),
    ],
)
def test_a_lesson_without_such_files_is_refused_in_a_sentence(
    make: Make, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    if arguments[0] == "notebooks":
        pytest.importorskip("nbclient", reason="runs notebooks, and nbclient is not installed")
    root = make()
    if "1" in arguments:
        (root / "lessons" / "01_first").mkdir(parents=True)
        (root / "lessons" / "01_first" / "figures.py").touch()
    assert course_dev(root, monkeypatch, *arguments) == (2, f"course: {said}\n")


def test_figures_are_drawn_and_compared_by_commands(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make()
    folder = root / "lessons" / "01_first"
    folder.mkdir(parents=True)
    (folder / "figures.py").write_text("def draw(): return {'a': '<svg/>'}", encoding="utf-8")
    assert course_dev(root, monkeypatch, "figures", "--check") == (1, "lessons/01_first: a.svg is missing\n")
    assert course_dev(root, monkeypatch, "figures") == (0, "lessons/01_first: written: a.svg\n")
    assert course_dev(root, monkeypatch, "figures", "1", "--check") == (0, "lessons/01_first: as stored\n")
