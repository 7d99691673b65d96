"""What course.toml says of lessons, in words: for the notebooks, the Markdown files, the site and the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable

from classroom.register import Course, Exercise, Lesson

MINUTES_A_POINT = 10
"""Estimated duration of an exercise for which course.toml has no time."""
FACTS, EXERCISES = "facts", "exercises"
"""Built regions of a notebook, each between the lines `<!-- NAME -->` and `<!-- /NAME -->`."""
PREDICT = "predict"
"""The tag of a code cell whose result the reader is asked to foresee."""
YOURS, ANSWER = "yours", "answer"
"""The tags of a code cell that the reader fills in, and of the folded one below it, which makes up for it."""
HIDDEN = {PREDICT: "outputs_hidden", ANSWER: "source_hidden"}
"""Tag -> what JupyterLab does not show of the cell until the reader asks for it."""


def exercise_minutes(lesson: Lesson) -> int:
    """Minutes that the exercises of a lesson take, without the bonus.

    >>> exercise_minutes(Lesson(1, "One", "", "01_one", (), (Exercise("a", "A", 3), Exercise("b", "B", 6, time=120))))
    150
    """
    return sum(one.time or one.points * MINUTES_A_POINT for one in lesson.exercises if not one.stretch)


def time_words(lesson: Lesson) -> str:
    """How long a lesson takes with its exercises; "" if course.toml does not say.

    >>> time_words(Lesson(1, "One", "", "01_one", (), (Exercise("a", "A", 3),), time=60))
    'about 60 minutes, and about 30 for the exercises'
    >>> time_words(Lesson(1, "One", "", "01_one", (), (Exercise("a", "A", 1, time=40), Exercise("b", "B", 1)), time=60))
    'about 60 minutes, and about 50 for the exercises, 40 of them for `a`'
    """
    if not lesson.time:
        return ""
    exercises = f", and about {exercise_minutes(lesson)} for the exercises" if lesson.points else ""
    long = [f"{one.time} of them for `{one.id}`" for one in lesson.exercises if one.time and not one.stretch]
    exercises += "".join(f", {words}" for words in long)
    return f"about {lesson.time} minutes{exercises}"


def course_hours(course: Course) -> tuple[int, int]:
    """Hours that all notebooks take, and that all exercises take, without the bonus; rounded."""
    minutes = sum(lesson.time for lesson in course.lessons)
    return round(minutes / 60), round(sum(map(exercise_minutes, course.lessons)) / 60)


def needs_words(lesson: Lesson, course: Course, address: Callable[[Lesson], str]) -> str:
    """The lessons to read before, as Markdown links to `address` of each, with what is needed of them."""
    if not lesson.needs:
        return "nothing but Python"
    return ", ".join(
        f"[lesson {need.lesson}]({address(course.lesson(need.lesson))}){f' ({need.what})' if need.what else ''}"
        for need in lesson.needs
    )


def points_words(exercise: Exercise) -> str:
    """
    >>> points_words(Exercise("a", "A", 1)), points_words(Exercise("b", "B", 3, stretch=True))
    ('1 point', '3 points, a bonus')
    """
    return f"{exercise.points} point{'s' * (exercise.points != 1)}{', a bonus' * exercise.stretch}"


def without_region(text: str, name: str) -> str:
    """The Markdown without a built region and its marks.

    >>> without_region("# A\\n\\n<!-- facts -->\\n- b\\n<!-- /facts -->\\n\\nC", "facts")
    '# A\\n\\nC'
    """
    return re.sub(rf"^<!-- {name} -->$.*?^<!-- /{name} -->$\n*", "", text, flags=re.M | re.S).rstrip()
