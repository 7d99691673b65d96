"""Read what the statistics are made of from the results: points, attempts, causes, who is who."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from classroom.grading.history import HandIn, hand_ins
from classroom.grading.pairs import kept_pairs
from classroom.grading.records import UNCOUNTED, Grade, Graded
from classroom.grading.roster import Person
from classroom.grading.settings import Settings
from classroom.grading.similarity import Pair
from classroom.grading.store import Store
from classroom.grading.totals import Total, overridden, total
from classroom.register import Course, Exercise, Lesson


@dataclass(frozen=True)
class Item:
    """An exercise and its homework."""

    homework: str
    exercise: Exercise


@dataclass(frozen=True)
class ClassRecord:
    """A class and its results.

    students : all, also of the class list alone, sorted by their names in results.
    people : student -> entry of the class list, if there is one.
    lessons : those whose homework counts for somebody.
    graded : (student, homework) -> result, in which of the checks only those of `from_json(brief)` are left.
    hand_ins : every attempt. pairs : similar submissions.
    with_pages : students who have a page.
    """

    students: tuple[str, ...]
    people: Mapping[str, Person]
    lessons: tuple[Lesson, ...]
    graded: Mapping[tuple[str, str], Graded]
    hand_ins: Sequence[HandIn]
    pairs: Sequence[Pair]
    with_pages: tuple[str, ...] = ()

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The exercises, in the course's order."""
        return tuple(Item(lesson.folder, one) for lesson in self.lessons for one in lesson.exercises)

    @cached_property
    def place(self) -> dict[str, int]:
        """Student -> row."""
        return {student: place for place, student in enumerate(self.students)}

    @cached_property
    def totals(self) -> dict[tuple[str, str], Total]:
        """(student, homework) -> the points of the result."""
        return {key: total(one) for key, one in self.graded.items()}

    @cached_property
    def shares(self) -> np.ndarray:
        """(students, items) shares of the points, 0 to 1, before deductions; nan where nothing is written or judged."""
        column = {(one.homework, one.exercise.id): place for place, one in enumerate(self.items)}
        found = np.full((len(self.students), len(self.items)), np.nan)
        for (student, homework), one in self.graded.items():
            for grade in one.grades:
                place = column.get((homework, grade.exercise))
                if place is not None and grade.status not in UNCOUNTED and grade.max_points:
                    found[self.place[student], place] = grade.points / grade.max_points
        return found

    def section_of(self, student: str) -> str:
        """The student's section; "" if unknown."""
        person = self.people.get(student)
        return person.section if person else ""

    def name_of(self, student: str) -> str:
        """The student's name in the class list, else the name in the results."""
        person = self.people.get(student)
        return (person.name if person else "") or student

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """All sections, sorted."""
        return tuple(sorted({self.section_of(student) for student in self.students} - {""}))


def gather(store: Store, course: Course, settings: Settings) -> ClassRecord:
    """Read a store."""
    exercises = {lesson.folder: lesson.exercises for lesson in course.lessons}
    results = overridden(store.graded(settings, exercises, brief=True), store.overrides())
    people, listed = store.people(), store.roster()
    counted = {one.homework for one in results if one.counts}
    return ClassRecord(
        tuple(sorted({one.student for one in results} | listed.keys(), key=lambda name: (name.casefold(), name))),
        people,
        tuple(lesson for lesson in course.lessons if lesson.folder in counted),
        {(one.student, one.homework): one for one in results if one.homework in counted},
        [one for one in hand_ins(store.base) if one.homework in counted],
        kept_pairs(store.base),
        tuple({one.student: None for one in results}),
    )


def is_written(grade: Grade) -> bool:
    """Whether the grade says something about the exercise."""
    return grade.status not in UNCOUNTED
