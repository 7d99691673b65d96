from __future__ import annotations

from pathlib import Path

import pytest

from classroom import register
from classroom.register import RegisterError

ONE = """
title = "A course"
[[lesson]]
number = 1
title = "First"
summary = "A beginning"
folder = "01_first"
modules = ["kuiper.first"]
[[lesson.exercise]]
id = "one"
title = "One"
points = 2
[[lesson.exercise]]
id = "two"
title = "Two"
points = 3
"""


def write(root: Path, text: str) -> Path:
    (root / "course.toml").write_text(text, encoding="utf-8")
    return root


def test_the_course_has_lessons_with_exercises() -> None:
    lessons = register.load().lessons
    assert [lesson.number for lesson in lessons] == list(range(1, len(lessons) + 1))
    assert any(lesson.exercises for lesson in lessons)


def test_points_of_a_lesson_are_those_of_its_exercises(tmp_path: Path) -> None:
    assert register.load(write(tmp_path, ONE)).lesson(1).points == 5


def test_a_lesson_says_what_it_needs_and_how_long_it_takes(tmp_path: Path) -> None:
    second = ONE[ONE.index("[[lesson]]") :].partition("[[lesson.exercise]]")[0].replace("= 1", "= 2")
    more = 'time = 75\nneeds = [{ lesson = 1, what = "shapes" }]\n'
    first, lesson = register.load(write(tmp_path, ONE + second + more)).lessons
    assert (first.time, first.needs) == (0, ())
    assert (lesson.time, lesson.needs) == (75, (register.Need(1, "shapes"),))


def test_what_a_lesson_has_is_looked_up_on_the_disk(tmp_path: Path) -> None:
    lesson = register.load(write(tmp_path, ONE)).lesson(1)
    assert (lesson.notebook(), lesson.homework(), lesson.sources()) == (None, None, ())
    (tmp_path / "kuiper").mkdir()
    (tmp_path / "kuiper" / "first.py").touch()
    (tmp_path / "lessons" / "01_first").mkdir(parents=True)
    (tmp_path / "lessons" / "01_first" / "first.ipynb").touch()
    (tmp_path / "homework" / "01_first").mkdir(parents=True)
    assert lesson.homework() is None, "an empty folder is no homework"
    (tmp_path / "homework" / "01_first" / "stub.py").touch()
    assert lesson.notebook() == tmp_path / "lessons" / "01_first" / "first.ipynb"
    assert lesson.homework() == tmp_path / "homework" / "01_first"
    assert lesson.sources() == (tmp_path / "kuiper" / "first.py",)


FIRST = ", [[lesson]] 1 (First): "
TWO = ", [[lesson]] 1 (First), [[lesson.exercise]] 2 (two): "


def but(old: str, new: str) -> str:
    assert old in ONE
    return ONE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", ": this is not TOML in UTF-8: Invalid value"),
        ("title = 'x'", ": expected tables with the heading [[lesson]], found none"),
        ("title = 'x'\n[lesson]\nnumber = 1", ": expected tables with the heading [[lesson]], in double brackets"),
        ("title = 'x'\nlesson = [1]", ", [[lesson]] 1: expected tables with the heading [[lesson]], found 1"),
        (but("[[lesson]]", "[[lessons]]"), ": lessons is no key of this table; did you mean lesson?"),
        ("release = 3\n" + ONE, ": expected a table with the heading [release], found 3"),
        (ONE + "[release]\nsolution = 'none'", ", [release]: solution is no key of this table; did you mean"),
        (ONE + "[release]\nsolutions = 'all'", ", [release]: expected solutions to be one of none, after-pass"),
        (ONE + "[gradign]\n", ": gradign is no key of this table; did you mean grading?"),
        (but("number = 1", "number = 2"), ": expected lessons numbered 1, 2, 3"),
        (but('id = "two"', 'id = "one"'), "found twice: one"),
        (but("points = 3", "pionts = 3"), TWO + "pionts is no key of this table; did you mean points?"),
        (but("points = 3", "colour = 3"), TWO + "colour is no key of this table; there are id, title,"),
        (
            but("lesson.exercise", "lesson.exercises"),
            FIRST + "exercises is no key of this table; did you mean exercise?",
        ),
        (
            but('summary = "A beginning"', ""),
            FIRST + "expected the key summary with a text in quotes, which is missing",
        ),
        (
            but('modules = ["kuiper.first"]', ""),
            FIRST + "expected the key modules with a list of texts in quotes, which",
        ),
        (
            but('["kuiper.first"]', '"kuiper.first"'),
            FIRST + "expected modules to be a list of texts in quotes, found 'kuiper.first'",
        ),
        (
            but('["kuiper.first"]', '["kuiper.first", 1]'),
            FIRST + "expected modules to be a list of texts in quotes, found [",
        ),
        (but("points = 3", 'points = "3"'), TWO + "expected points to be a whole number, found '3'"),
        (but("points = 3", "points = 0"), ": expected points of 1 or more, found 0 for two"),
        (but("points = 3", "points = true"), TWO + "expected points to be a whole number, found true"),
        (but("points = 3", "points = 3\nstretch = 1"), TWO + "expected stretch to be true or false, found 1"),
        (but("number = 1", "number = 1\ntime = -5"), ": expected time in minutes for lesson 1, found -5"),
        (but("number = 1", "number = 1\ntime = '1 h'"), FIRST + "expected time to be a whole number, found '1 h'"),
        (but("number = 1", "number = 1\nneeds = [{ lesson = 1 }]"), ": lesson 1 needs lesson 1, expected an earlier"),
        (but("number = 1", "number = 1\nneeds = [1]"), "expected tables with the heading [[lesson.needs]], found 1"),
        (but("number = 1", "number = 1\nneeds = [{}]"), "expected the key lesson with a whole number, which"),
        (but("number = 1", 'number = "1"'), FIRST + "expected number to be a whole number, found '1'"),
        (but("number = 1", "number = 1\nroot = '/'"), FIRST + "root is no key of this table; there are number,"),
    ],
)  # fmt: skip
def test_a_register_that_does_not_hold_together_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RegisterError) as caught:
        register.load(write(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path / "course.toml"))
    assert said in str(caught.value)
    assert "Error" not in str(caught.value)


def test_a_register_that_is_not_utf_8_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_bytes("title = 'été'".encode("latin-1"))
    with pytest.raises(RegisterError, match="this is not TOML in UTF-8"):
        register.load(tmp_path)


def test_a_missing_register_is_said(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match=r"course\.toml"):
        register.load(tmp_path)


def test_a_lesson_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="lesson 9"):
        register.load(write(tmp_path, ONE)).lesson(9)
