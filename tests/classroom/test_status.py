from __future__ import annotations

from pathlib import Path

from classroom import status
from classroom.register import Course, Exercise, Lesson


def lesson(root: Path, number: int = 1, exercises: tuple[Exercise, ...] = ()) -> Lesson:
    return Lesson(number, f"Title {number}", "Summary", f"{number:02}_title", ("kuiper.first",), exercises, root=root)


def add(root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).touch()


def test_a_lesson_with_nothing_yet_says_so(tmp_path: Path) -> None:
    assert status.material(lesson(tmp_path)) == "not yet"


def test_a_lesson_without_notebook_names_the_code_to_read(tmp_path: Path) -> None:
    add(tmp_path, "kuiper/first.py")
    assert status.material(lesson(tmp_path)) == "kuiper/first.py"


def test_a_room_to_read_is_shown_as_a_folder(tmp_path: Path) -> None:
    add(tmp_path, "kuiper/first/__init__.py")
    assert status.material(lesson(tmp_path)) == "kuiper/first/"


def test_a_lesson_with_a_notebook_names_it(tmp_path: Path) -> None:
    add(tmp_path, "kuiper/first.py")
    add(tmp_path, "lessons/01_title/title.ipynb")
    assert status.material(lesson(tmp_path)) == "lessons/01_title/title.ipynb"


def test_homework_is_claimed_only_when_its_folder_holds_something(tmp_path: Path) -> None:
    exercises = (Exercise("axby", "y", 2), Exercise("axpy", "y", 1))
    assert status.homework(lesson(tmp_path)) == "none"
    assert status.homework(lesson(tmp_path, 1, exercises)) == "not yet"
    add(tmp_path, "homework/01_title/axby.py")
    assert status.homework(lesson(tmp_path, 1, exercises)) == "axby, axpy (3 points)"


def test_the_next_step_is_something_that_is_there(tmp_path: Path) -> None:
    course = Course("A course", (lesson(tmp_path, 1), lesson(tmp_path, 2)))
    assert "map" in status.next_step(course)
    add(tmp_path, "kuiper/first.py")
    assert "read kuiper/first.py (lesson 1, Title 1)" in status.next_step(course)
    add(tmp_path, "lessons/01_title/title.ipynb")
    assert "lab" in status.next_step(course)
