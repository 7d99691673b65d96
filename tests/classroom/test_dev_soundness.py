from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classroom import register
from classroom.dev import lesson_form, soundness
from classroom.dev.build import BuildError, build
from classroom.dev.cli import app
from classroom.dev.soundness import HomeworkReport
from classroom.judge import Mutant
from classroom.judge.homework import HomeworkError
from classroom.judge.mutants import MutantError
from classroom.judge.student import JudgeError
from classroom.register import RegisterError
from classroom.stubs import LIBRARIES

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
    "homework/01_first/README.md": "# First\n\n<!-- tasks -->\n<!-- /tasks -->\n",
    "homework/01_first/judge/solution.py": """import table


def double(x):
    '''Twice x.

    Rules
    -----
    sum : the result is x + x.
    whole : what is whole stays whole.
    '''
    # <solution double>
    return x * table.TWO
    # </solution>
""",
    "homework/01_first/table.py": "TWO = 2\n",
    "homework/01_first/public.py": """
from classroom.judge import expect, task
@task("double", "sum")
def twice_one_and_a_half(student):
    '''1.5 becomes 3.0.'''
    expect(student.double(1.5), 3.0)
@task("double", "sum", "whole")
def twice_a_number(student, rng, oracle):
    '''n becomes 2n.'''
    n = int(rng.integers(4, 100))
    expect(student.double(n), oracle.doubled(n), mistakes=oracle.double_mistakes(n))
""",
    "homework/01_first/judge/double.py": """
from classroom.judge import Mutant, expect, task
def doubled(n):
    return n + n
def double_mistakes(n):
    return {"squared": n * n, "halved": n / 2}
@task("double")
def twice_anything(student, rng):
    '''n becomes 2n.'''
    n = int(rng.integers(4, 100))
    expect(student.double(n), 2 * n)
MUTANTS = [
    Mutant("plus", "slip", old="x * table.TWO", new="x + table.TWO", breaks="sum"),
    Mutant("same", "slip", old="return x * table.TWO", new="return x"),
    Mutant("float", "types", old="return x * table.TWO", new="return x * 2.0", breaks="whole"),
]
""",
}
HW = "homework/01_first/"
STUB = HW + "hw01.py"
REFUSED = "    from classroom.judge import expect_raises\n    expect_raises(student.double, None)"
ONLY_REFUSED = "__import__('classroom').judge.expect_raises(student.double, None); (lambda *a, **k: None)(("
NO_WORK = "tests are passed by an answer that does no work"

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """make(file, old, new) -> the root of a sound course with that change made."""
    monkeypatch.setattr(soundness, "MIN_MUTANTS", 3)
    monkeypatch.setattr(soundness, "MUTANT_SECONDS", 1.0)
    soundness._homework.cache_clear()

    def write(file: str = "", old: str = "", new: str = "") -> Path:
        for name, text in FILES.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            assert name != file or old in text
            path.write_text(text.replace(old, new) if name == file else text, encoding="utf-8")
        if file != STUB:
            with suppress(HomeworkError, BuildError, JudgeError):
                deque(build(register.load(tmp_path), soundness.find_homeworks(tmp_path)), 0)
        return tmp_path

    return write


def checked(root: Path, seeds: int = 3) -> HomeworkReport:
    (result,) = soundness.check_homeworks(soundness.find_homeworks(root), seeds=seeds, solution_seeds=3, processes=1)
    return result


def test_a_sound_homework_has_no_problems(make: Make) -> None:
    result = checked(make())
    assert result.problems == []
    assert (result.tests, result.mutants, result.killed) == (3, 3, 3)


@pytest.mark.slow
def test_several_processes_find_the_same(make: Make) -> None:
    root = make(HW + "judge/double.py", 'return x"', 'return table.TWO * x"')
    (parallel,) = soundness.check_homeworks(soundness.find_homeworks(root), seeds=2, solution_seeds=2, processes=2)
    assert parallel.problems == checked(root, 2).problems != []


WRONG = [
    ("course.toml", 'homework = "hw01.py"', "", 'course.toml: lesson 1 needs homework = "hw01_NAME.py"'),
    ("course.toml", '"How?"', '" "', "double: expected 3 hints in course.toml, found 2"),
    ("course.toml", ', "So."', "", "double: expected 3 hints in course.toml, found 2"),
    ("course.toml", 'id = "double"', 'id = "twice"', "double is no exercise of this lesson in course.toml"),
    (HW + "public.py", '@task("double", "sum")', '@task("twice")', "twice has tests and stands not in course.toml"),
    (HW + "judge/solution.py", "    # <solution double>\n", "", "line 13: `# </solution>` without a beginning"),
    (HW + "judge/solution.py", "    # </solution>\n", "", "the last `# <solution>` is not closed"),
    (HW + "judge/solution.py", "n double>", "n duoble>", "duoble is no exercise of this lesson in course.toml"),
    (HW + "judge/solution.py", "    Rules\n", "    Roles\n", "double: expected a section `Rules`"),
    (HW + "judge/solution.py", "whole : what", "whole: what", "expected a rule, `name : what holds`"),
    (HW + "judge/solution.py", "whole : what", "sum : what", "double: the rule sum stands twice"),
    (HW + "judge/solution.py", "    whole : what is whole stays whole.\n", "", "mutants name the rule whole,"),
    (HW + "public.py", ', "whole"', "", "the rule whole has no public test: write one, @task('double', 'whole')"),
    (HW + "public.py", ', "whole"', ', "hole"', "double: public tests name the rule hole, which its docstring"),
    (HW + "public.py", '"sum", "whole"', '"whole"', "rule sum: each of its mutants fails public"),
    (HW + "public.py", "student, rng, oracle", "student, rng, orakel", "twice_a_number asks for orakel; a"),
    (HW + "judge/double.py", ', breaks="sum"', "", "the rule sum has no mutant: write one with breaks='sum'"),
    (HW + "public.py", '"sum"', '"whole"', "mutant double/plus: no public test of its rule, sum, finds it"),
    (HW + "README.md", "<!-- /tasks -->", "", "expected the line <!-- /tasks --> once, found it nowhere"),
    (HW + "judge/solution.py", "TWO\n", "TWO + (x > 50)\n", "the solution fails double/twice_a_number on seed"),
    (HW + "judge/double.py", "(n), 2 * n)", "(n), 2 * n + (n > 9))", "twice_anything: the solution fails on seed"),
    (HW + "judge/solution.py", "TWO\n", "TOW\n", "mutant double/plus: expected `old` once in the"),
    (HW + "judge/double.py", '"return x"', '"return x * 2"', "mutant double/same: survives on seeds 0, 1, 2"),
    (HW + "judge/double.py", 'old="return x * table.TWO"', 'old="x"', "mutant double/same: expected `old` once"),
    (HW + "judge/double.py", '"return x"', '"return y"', "broken rather than mistaken: NameError"),
    (HW + "judge/double.py", '"return x"', '"return ("', "same: no mistake that runs: hw01.py, line 13"),
    (HW + "judge/double.py", '"return x"', '"return x + table.TWO"', "double/same: the same as double/plus"),
    (HW + "judge/double.py", '"same", "slip"', '"same", ""', "it does not say why"),
    (HW + "judge/double.py", '"same", "slip",', 'label="same",', "01_first/judge/double.py: TypeError"),
    (HW + "judge/double.py", "'''n becomes 2n.'''", "", "01_first/judge/double.py: ValueError"),
    (HW + "judge/double.py", '@task("double")', "", "01_first/judge/double.py: ValueError"),
    (HW + "judge/double.py", "expect(student", "assert True or (student", "twice_anything: it finds no mutant"),
    (HW + "judge/double.py", "n = int", "import pytest; pytest.skip('no'); n = int", "check failed: Skipped: no"),
    (HW + "judge/double.py", "n = int", "import unittest; raise unittest.SkipTest; n = int", "fails on seed 0"),
    (HW + "judge/double.py", "    expect(student.double(n), 2 * n)", REFUSED, f"double: all its hidden {NO_WORK}"),
    (HW + "public.py", "expect(student.double(", ONLY_REFUSED, f"double: all its public {NO_WORK}"),
    (HW + "judge/double.py", "def twice_anything", "def twice(student, rng): ...\ndef twice", "two functions of"),
]  # fmt: skip
"""(file, old, new, what is said)"""


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [pytest.param(*case, marks=[pytest.mark.slow] * bool(place % 12)) for place, case in enumerate(WRONG)],
)
def test_what_is_wrong_is_said(make: Make, file: str, old: str, new: str, problem: str) -> None:
    problems = checked(make(file, old, new)).problems
    assert any(problem in found for found in problems), problems


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("hw01.py", "def double", "def duoble", "homework/01_first/hw01.py is not what judge/solution.py makes"),
        ("README.md", "| 1 |", "| 2 |", "homework/01_first/README.md: the region `tasks` is not what course.toml"),
        ("judge/double.py", "n + n", "n * 2 + 0 * n if n < 50 else 3 * n - n", ""),
        ("judge/double.py", "n / 2", "n / 3", "homework/01_first/expected.zip is not what the oracle answers"),
        ("judge/double.py", '"halved"', '"cut in half"', "homework/01_first/expected.zip is not what the oracle"),
        (
            "judge/solution.py",
            "Twice x",
            "Double x",
            "homework/stubs.zip has other stubs or worksheets than are made now",
        ),
    ],
)
def test_what_is_built_and_was_changed_is_named_with_the_command(
    make: Make, file: str, old: str, new: str, said: str
) -> None:
    root = make()
    path = root / HW / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    soundness._homework.cache_clear()
    problems = [one for one in checked(root).problems if "`python3 course.py dev build" in one]
    assert any(said in one for one in problems) if said else not problems


def test_stored_answers_that_cannot_be_read_are_written_anew(make: Make) -> None:
    root = make()
    path = root / HW / "expected.zip"
    right = path.read_bytes()
    path.write_bytes(b"no zip")
    assert list(build(register.load(root), soundness.find_homeworks(root))) == [path]
    assert path.read_bytes() == right


@pytest.mark.slow
def test_too_few_mutants_are_a_problem(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make()
    monkeypatch.setattr(soundness, "MIN_MUTANTS", 8)
    assert checked(root).problems == ["expected at least 8 mutants, found 3"]


@pytest.mark.slow
def test_a_mutant_that_hangs_is_found(make: Make) -> None:
    result = checked(make(HW + "judge/double.py", '"return x"', '"while True: pass"'))
    assert result.problems == []


@pytest.mark.slow
def test_a_mutant_that_is_found_on_some_seeds_only_is_a_problem(make: Make) -> None:
    mutant = '"return x * table.TWO + (x > 50)"'
    (problem,) = checked(make(HW + "judge/double.py", '"return x"', mutant), seeds=8).problems
    assert problem.startswith("mutant double/same: survives on seeds ")


def test_a_lesson_without_homework_is_refused(make: Make) -> None:
    with pytest.raises(HomeworkError, match="lesson 2 has no homework/02_second"):
        soundness.find_homeworks(make(), [2])
    with pytest.raises(RegisterError, match="lesson 3"):
        soundness.find_homeworks(make(), [3])


def test_the_framework_cannot_be_called_where_the_stub_does_without_it(make: Make) -> None:
    (homework,) = soundness.find_homeworks(make())
    assert homework.without == ("kuiper", *LIBRARIES)
    (homework,) = soundness.find_homeworks(make(HW + "judge/solution.py", "import table", "import kuiper, table"))
    assert homework.without == ()


def test_a_mutant_changes_one_place() -> None:
    mutant = Mutant("m", "slip", "a", "b")
    assert mutant.applied("cat") == "cbt"
    for text in ("dog", "banana"):
        with pytest.raises(MutantError, match="once"):
            mutant.applied(text)


def course_dev(root: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(register, "ROOT", root)
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1"})
    return result.exit_code, result.output


@pytest.mark.slow
def test_the_command_says_that_all_holds(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    few = ("--seeds", "2", "--solution-seeds", "2", "--processes", "1")
    monkeypatch.setattr(lesson_form, "problems", lambda *_: iter(()))  # its course has homework and no notebooks
    code, said = course_dev(make(), monkeypatch, "check", "1", *few)
    assert code == 0
    assert "3 of 3" in said
    assert "All of it holds" in said


@pytest.mark.slow
def test_the_command_fails_with_the_reason(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_form, "problems", lambda *_: iter(()))
    root = make(HW + "judge/double.py", '"return x"', '"return table.TWO * x"')
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
