from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom import register, status
from classroom.check import State
from classroom.progress import ProgressEntry, digest
from classroom.register import Course, Exercise, Lesson
from classroom.tasks import all_tasks


def lesson(root: Path, number: int = 1, exercises: tuple[Exercise, ...] = ()) -> Lesson:
    return Lesson(number, f"Title {number}", "Summary", f"{number:02}_title", ("kuiper.first",), exercises, root=root)


def add(root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).touch()


def passed(mini: Any, *names: str) -> dict[str, ProgressEntry]:
    return {name: ProgressEntry(solved=digest(mini.file)) for name in names}


@pytest.fixture
def course(mini: Any) -> Course:
    return register.load(mini.root)


def test_a_lesson_with_nothing_yet_says_so(tmp_path: Path) -> None:
    assert status.material(lesson(tmp_path)) == "not yet"


def test_a_lesson_without_notebook_names_the_code_to_read(tmp_path: Path) -> None:
    add(tmp_path, "kuiper/first.py")
    assert status.material(lesson(tmp_path)) == "kuiper/first.py"


def test_a_room_to_read_is_shown_as_a_folder(tmp_path: Path) -> None:
    add(tmp_path, "kuiper/first/__init__.py")
    assert status.material(lesson(tmp_path)) == "kuiper/first/"


def test_a_lesson_with_a_notebook_names_the_command_that_opens_it(tmp_path: Path) -> None:
    add(tmp_path, "kuiper/first.py")
    add(tmp_path, "lessons/01_title/title.ipynb")
    assert status.material(lesson(tmp_path)) == "lab 1"
    assert status.material(replace(lesson(tmp_path), time=45)) == "lab 1, 45 min"


def test_homework_is_claimed_only_when_it_is_there(tmp_path: Path) -> None:
    exercises = (Exercise("axby", "y", 2), Exercise("axpy", "y", 1))
    assert status.homework(lesson(tmp_path), {}) == "none"
    assert status.homework(lesson(tmp_path, 1, exercises), {"axby": State.ABSENT}) == "not yet"
    assert status.homework(lesson(tmp_path, 1, exercises), {"axby": State.OPEN}) == "[ ] axby"


def test_every_exercise_has_its_mark(mini: Any, course: Course) -> None:
    entries = passed(mini, "double") | {"turn": ProgressEntry(solved="another file")}
    ((_, _, _, marked), *_) = status.rows(course, entries)
    assert marked.splitlines() == ["[x] double", "[~] turn", "[ ] power +"]


def test_points_are_those_of_the_register_and_stretch_is_a_bonus(mini: Any, course: Course) -> None:
    by = "Yours by the public tests:"
    assert status.score_line(course, {}) == f"{by} 0 of 3 exercises, worth 0 of 5 points, bonus (+) 0 of 4."
    some = status.score_line(course, passed(mini, "turn", "power"))
    assert some == f"{by} 2 of 3 exercises, worth 3 of 5 points, bonus (+) 4 of 4."


def test_an_edited_answer_keeps_its_points_and_is_named(mini: Any, course: Course) -> None:
    entries = passed(mini, "double")
    mini.write(double="return 2 * x")
    assert "2 of 5 points" in status.score_line(course, entries)
    assert "check --changed" in status.score_line(course, entries)


def test_without_homework_there_is_no_score(tmp_path: Path) -> None:
    assert status.score_line(Course("A course", (lesson(tmp_path),)), {}) == ""


def test_the_next_exercise_is_the_first_open_one_and_bonuses_come_last(mini: Any, course: Course) -> None:
    order = []
    for known in ((), ("double",), ("double", "turn"), ("power",), ("double", "turn", "power")):
        task = status.next_task(course, passed(mini, *known))
        order.append(task.id if task else None)
    assert order == ["double", "turn", "power", "double", None]


@pytest.fixture
def three(mini: Any) -> Course:
    """Three lessons, each with two exercises and a bonus: a1 b1 c1, a2 b2 c2, a3 b3 c3."""
    lessons = []
    for number in (1, 2, 3):
        exercises = tuple(Exercise(f"{name}{number}", f"Title {name}", 1, stretch=name == "c") for name in "abc")
        one = Lesson(number, f"Title {number}", "Summary", f"0{number}_title", (), exercises, "hw.py", root=mini.root)
        for name in ("hw.py", "public.py"):
            add(mini.root, f"homework/{one.folder}/{name}")
        lessons.append(one)
    return Course("Three", tuple(lessons))


def entries_of(course: Course, *solved: str, tried: str = "") -> dict[str, ProgressEntry]:
    """The exercises solved one after the other; then one is tried in vain."""
    files = {task.id: task.file for task in all_tasks(course)}
    entries = {name: ProgressEntry(1, 0, digest(files[name]), turn) for turn, name in enumerate(solved, 1)}
    return entries | ({tried: ProgressEntry(attempts=1, last=100)} if tried else {})


NEXT: dict[str, tuple[tuple[str, ...], str, str | None]] = {
    "at first": ((), "", "a1"),
    "a lesson's second exercise follows its first": (("a3",), "", "b3"),
    "one stays in the lesson of the latest exercise": (("a3", "b3", "a2"), "", "b2"),
    "an exercise tried in vain is the latest too": (("a1",), "b3", "a3"),
    "after a lesson the next one follows": (("a1", "a2", "b2"), "", "a3"),
    "after the last lesson what is open of the earlier ones": (("a1", "a3", "b3"), "", "b1"),
    "a bonus is no reason to leave the lesson": (("a2", "c2"), "", "b2"),
    "when all the others are solved the lesson's own bonus": (("a1", "b1", "a2", "b2", "a3", "b3"), "", "c3"),
    "and then the other bonuses": (("a1", "b1", "a2", "b2", "a3", "b3", "c3"), "", "c1"),
}


@pytest.mark.parametrize("case", NEXT)
def test_the_next_exercise(three: Course, case: str) -> None:
    solved, tried, expected = NEXT[case]
    task = status.next_task(three, entries_of(three, *solved, tried=tried))
    assert (task.id if task else None) == expected


def test_of_progress_without_an_order_the_furthest_lesson_is_the_one_one_is_in(three: Course) -> None:
    entries = {name: replace(entry, last=0) for name, entry in entries_of(three, "a2", "a1").items()}
    task = status.next_task(three, entries)
    assert task is not None
    assert task.id == "b2"


def test_after_a_lesson_its_bonus_is_offered_beside_the_next_lesson(three: Course) -> None:
    text = status.next_step(three, entries_of(three, "a1", "b1"))
    assert "Next: a2" in text
    text = " ".join(text.split())
    assert "or the bonus of lesson 1, c1 (1 point): " in text
    assert "check c1" in text
    for solved in (("a1",), ("a1", "b1", "c1")):
        assert "bonus" not in status.next_step(three, entries_of(three, *solved))


def test_earlier_exercises_that_are_open_are_mentioned(three: Course) -> None:
    assert "earlier a1, b1 and 2 more are not solved yet" in status.next_step(three, entries_of(three, "a3"))
    assert "earlier b2 is not solved yet" in status.next_step(three, entries_of(three, "a1", "b1", "a2", "a3"))
    assert "earlier" not in status.next_step(three, entries_of(three, "a1", "b1", "a2"))


def test_the_next_step_names_the_commands_for_the_exercise(mini: Any, course: Course) -> None:
    text = status.next_step(course, {})
    assert "Next: double, Twice each number (lesson 1, 2 points)" in text
    assert "homework/01_numbers/hw01_numbers.py" in text
    assert "check double" in text
    assert "lab 1" not in text
    add(mini.root, "lessons/01_numbers/01_numbers.ipynb")
    assert "lab 1\n" in status.next_step(course, {})
    timed = replace(course, lessons=tuple(replace(one, time=45) for one in course.lessons))
    assert "lab 1 (about 45 minutes)\n" in status.next_step(timed, {})


def test_when_all_is_solved_the_demo_follows(mini: Any, course: Course) -> None:
    assert "demo --mine" in status.next_step(course, passed(mini, "double", "turn", "power"))


def test_without_homework_the_next_step_is_something_that_is_there(tmp_path: Path) -> None:
    course = Course("A course", (lesson(tmp_path, 1), lesson(tmp_path, 2)))
    assert "map" in status.next_step(course, {})
    add(tmp_path, "kuiper/first.py")
    assert "read kuiper/first.py (lesson 1, Title 1)" in status.next_step(course, {})
    add(tmp_path, "lessons/01_title/title.ipynb")
    assert "lab" in status.next_step(course, {})
