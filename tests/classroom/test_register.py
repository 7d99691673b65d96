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


def test_the_course_has_the_lessons_and_the_homework_of_the_original() -> None:
    course = register.load()
    assert [lesson.number for lesson in course.lessons] == list(range(1, 14))
    exercises = {
        lesson.number: [one.id for one in lesson.exercises if not one.stretch]
        for lesson in course.lessons
        if lesson.exercises
    }
    assert exercises == {
        1: ["axby", "e_power_minus", "axpy"],
        2: ["flatten", "padding"],
        3: ["init_graph_params"],
        4: ["topological_order"],
        5: ["sigmoid"],
        6: ["grouped_convolution_test", "im2col"],
        7: ["sine"],
        8: ["adaptive_avg_pool", "classifier_head"],
        9: ["letterbox", "decode", "non_maximum_suppression"],
        10: ["merge", "inputs_outputs"],
        11: ["winograd_step", "winograd", "plan_memory"],
        12: ["transposed_convolution"],
        13: ["cached_attention"],
    }


def test_every_lesson_has_a_folder_that_bears_its_number() -> None:
    for lesson in register.load().lessons:
        assert lesson.folder.startswith(f"{lesson.number:02}_")
        assert lesson.summary


def test_every_folder_of_lessons_and_homework_is_in_the_register() -> None:
    known = {lesson.folder for lesson in register.load().lessons}
    for shelf in ("lessons", "homework"):
        folders = {path.name for path in (register.ROOT / shelf).glob("[0-9]*") if path.is_dir()}
        assert folders <= known


def test_points_of_a_lesson_are_those_of_its_exercises(tmp_path: Path) -> None:
    assert register.load(write(tmp_path, ONE)).lesson(1).points == 5


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "Invalid value"),
        ("title = 'x'", "lesson"),
        (ONE.replace("number = 1", "number = 2"), "numbered 1, 2, 3"),
        (ONE.replace('id = "two"', 'id = "one"'), "found twice: one"),
        (ONE.replace("points = 2", "pionts = 2"), "pionts"),
        (ONE.replace('summary = "A beginning"', ""), "summary"),
    ],
)
def test_a_register_that_does_not_hold_together_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RegisterError, match=said):
        register.load(write(tmp_path, text))


def test_a_missing_register_is_said(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match=r"course\.toml"):
        register.load(tmp_path)


def test_a_lesson_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="lesson 9"):
        register.load(write(tmp_path, ONE)).lesson(9)
