"""Answers that do no work gain nothing, in any exercise; whoever works loses nothing by it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, wraps
from pathlib import Path
from typing import Any

import pytest

from classroom import register
from classroom.grading.judging import judge
from classroom.grading.points import HOLLOW, UNWRITTEN, grade_of
from classroom.grading.records import Check, Isolation, Status
from classroom.grading.settings import load_settings
from classroom.grading.suite import Suite, homework_in, stub_of, suite_of
from classroom.judge import Session, blanket
from classroom.judge.homework import homework_of
from classroom.judge.tests import Test, to_its_end
from classroom.register import Exercise
from classroom.stubs import blocks

COURSE = register.load()
FOLDERS = [lesson.folder for lesson in COURSE.lessons if homework_of(lesson)]
SOME = FOLDERS[::4]
"""These homeworks stand for the others; `dev check` proves of each that no such answer passes the tests that matter."""
SEED = 20_261_122
DO_NOTHING = """
class _Own(Exception):
    pass

def _answer(first, *rest, **more):
    import numpy as np
    match _number:
        case 0: raise ValueError("no")
        case 1: raise TypeError
        case 2: raise KeyError("x")
        case 3: raise RuntimeError("no")
        case 4: raise AssertionError
        case 5: raise _Own("no")
        case 6: return first
        case 7: return float("nan")
        case 8: return np.full(np.shape(first), np.nan)
        case 9: return np.full(np.shape(first), np.nan, np.float32)
        case 10: return np.full_like(first, np.nan)
        case 11: return np.zeros_like(first)
        case 12: return None
        case 13: return 0
        case 14: return 0.0
        case 15: return []
        case 16: return ""
        case 17: return True
        case 18: return False

def _answer_in(names):
    return _answer(next((value for name, value in names.items() if name not in ("self", "cls")), None))

def number(n):
    global _number
    _number = n
"""
ANSWERS = range(DO_NOTHING.count("case "))


def in_place(stub: str) -> str:
    """Nothing done in every place where the stub has a TODO."""
    return re.sub(r"raise NotImplementedError\(.*\)", "return _answer_in(locals())", stub) + DO_NOTHING


def throughout(stub: str) -> str:
    """Nothing done by any function of the file."""
    return stub + DO_NOTHING + "".join(f"{name} = _answer\n" for name in blocks(stub))


@cache
def suite(folder: str) -> Suite:
    lesson = next(one for one in COURSE.lessons if one.folder == folder)
    return suite_of(lesson, load_settings(register.ROOT), SEED)


def gained_by(folder: str, text: str, tmp_path: Path) -> dict[tuple[str, int], float]:
    """(exercise, answer) -> points, of all answers in a file, judged as a student's, that gain any or pass."""
    homework, path, found = homework_in(register.ROOT, folder), tmp_path / "hw.py", suite(folder)
    path.write_text(text, encoding="utf-8")
    gained = {}
    with Session(path, without=homework.without) as session:
        for answer in ANSWERS:
            checks = [
                Check(test.exercise, test.name, test.public, session.run(numbered(test, answer), SEED).passed)
                for test in homework.public + homework.hidden
            ]
            for one in homework.exercises:
                mine = [check for check in checks if check.exercise == one.id]
                grade = grade_of(one, mine, found.given, 0.3, blanket=found.blanket)
                if grade.points or grade.status is Status.PASSED:
                    gained[one.id, answer] = grade.points
    return gained


def numbered(test: Test, answer: int) -> Test:
    """The test, the answer of that number chosen before it."""

    @wraps(test.function)
    def function(**given: Any) -> None:
        given["student"].number(answer)
        test.function(**given)

    return to_its_end(replace(test, function=function))


@pytest.mark.parametrize("form", [pytest.param(in_place, marks=pytest.mark.slow), throughout])
@pytest.mark.parametrize("folder", [SOME[0], *(pytest.param(folder, marks=pytest.mark.slow) for folder in SOME[1:])])
def test_an_answer_that_does_no_work_gains_nothing(folder: str, form: Callable[[str], str], tmp_path: Path) -> None:
    assert gained_by(folder, form(stub_of(register.ROOT, folder)), tmp_path) == {}


def test_the_answers_that_do_no_work_are_those_of_the_stub_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "hw.py"
    path.write_text(blanket.blanket("def f(x, y):\n    raise NotImplementedError('f: TODO')\n"), encoding="utf-8")
    with Session(path) as session:
        student = session._loaded()
        student.choose_blanket(blanket.BLANKET_LINES.index("return first"))
        assert student.f([3], 4) == [3]
        student.choose_blanket(blanket.BLANKET_LINES.index("return None"))
        assert student.f([3], 4) is None


def checks(public: str, hidden: str) -> list[Check]:
    """One check for each letter: + passed, - failed."""
    kinds = ((True, public), (False, hidden))
    return [Check("f", str(n), kind, one == "+") for kind, row in kinds for n, one in enumerate(row)]


@pytest.mark.parametrize(
    ("public", "hidden", "points", "status"),
    [
        ("-+", "--+", 0.0, Status.FAILED),
        ("--", "--+", 0.0, Status.FAILED),
        ("+-", "--+", 0.45 + 0.7, Status.PARTIAL),
        ("--", "+--", 0.7, Status.PARTIAL),
        ("-+", "+-+", 0.45 + 1.4, Status.PARTIAL),
        ("++", "++-", 0.9 + 1.4, Status.PARTIAL),
        ("++", "+++", 3.0, Status.PASSED),
    ],
)
def test_what_a_blanket_answer_passes_counts_beside_a_test_that_none_passes(
    public: str, hidden: str, points: float, status: Status
) -> None:
    """The last public and the last hidden test are those that a blanket answer passes."""
    found = {(True, "1"), (False, "2")}
    grade = grade_of(Exercise("f", "f", 3), checks(public, hidden), (), 0.3, blanket=found)
    assert grade.points == pytest.approx(points)
    assert grade.status is status
    assert (HOLLOW in grade.message) is (points == 0)


def test_what_the_stub_passes_is_no_work_either() -> None:
    grade = grade_of(Exercise("f", "f", 3), checks("+-", "-+"), {(True, "0")}, 0.3, blanket={(False, "1")})
    assert grade.points == 0


def test_no_word_of_it_where_nothing_passed_or_nothing_was_written() -> None:
    exercise, found = Exercise("f", "f", 3), {(False, "1")}
    assert HOLLOW not in grade_of(exercise, checks("+-", "--"), (), 0.3, blanket=found).message
    assert grade_of(exercise, checks("--", "-+"), (), 0.3, True, found).message == UNWRITTEN


REFUSAL = '''

@task("double")
def texts_are_refused(student, rng):
    """A text is refused."""
    from classroom.judge import expect_raises
    expect_raises(student.double, "no number")
'''


def test_the_judge_gives_nothing_for_refusing_everything_and_says_why(teacher: Any) -> None:
    hidden = teacher.file.parent / "judge" / "double.py"
    hidden.write_text(hidden.read_text(encoding="utf-8") + REFUSAL, encoding="utf-8")
    homework_in.cache_clear()
    found = suite_of(teacher.lesson, load_settings(teacher.root), 7)
    assert found.blanket == {(False, "texts_are_refused")}
    for text, points in (
        ("raise ValueError('always')", 0.0),
        ("return np.abs(2 * x) if x.ndim == 1 else 2 * x", 1.53),
    ):
        job = teacher.job(hw01_numbers=teacher.stub.replace('raise NotImplementedError("double: TODO")', text))
        grade = judge(replace(job, suite=found), teacher.sandbox, Isolation.NONE).grades[0]
        assert grade.points == points
        assert grade.message.endswith(HOLLOW) is (points == 0.0)


def test_blanket_answers_are_run_once_for_each_version(teacher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, str] = {}

    def meta(key: str, value: str | None) -> str | None:
        return kept.setdefault(key, value) if value is not None else kept.get(key)

    settings = load_settings(teacher.root)
    first = suite_of(teacher.lesson, settings, 7, meta)
    monkeypatch.setattr("classroom.grading.suite.passable", lambda *_: pytest.fail("it was run again"))
    assert suite_of(teacher.lesson, settings, 7, meta) == first
    assert len(kept) == 1
