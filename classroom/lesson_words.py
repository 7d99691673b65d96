"""What course.toml says of lessons, in words: for the notebooks, the Markdown files, the site and the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable

from classroom.register import Course, Exercise, Lesson

MINUTES_A_POINT = 10
"""Estimated duration of exercises."""
FACTS, EXERCISES = "facts", "exercises"
"""Built regions of a notebook, each between the lines `<!-- NAME -->` and `<!-- /NAME -->`."""
PREDICT = "predict"
"""The tag of a code cell whose result the reader is asked to foresee."""
YOURS, ANSWER = "yours", "answer"
"""The tags of a code cell that the reader fills in, and of the folded one below it, which makes up for it."""


def time_words(lesson: Lesson) -> str:
    """How long a lesson takes with its exercises; "" if course.toml does not say.

    >>> time_words(Lesson(1, "One", "", "01_one", (), (Exercise("a", "A", 3),), time=60))
    'about 60 minutes, and about 30 for the exercises'
    """
    if not lesson.time:
        return ""
    exercises = f", and about {lesson.points * MINUTES_A_POINT} for the exercises" if lesson.points else ""
    return f"about {lesson.time} minutes{exercises}"


def course_hours(course: Course) -> tuple[int, int]:
    """Hours that all notebooks take, and that all exercises take, without the bonus; rounded."""
    minutes = sum(lesson.time for lesson in course.lessons)
    points = sum(lesson.points for lesson in course.lessons)
    return round(minutes / 60), round(points * MINUTES_A_POINT / 60)


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
