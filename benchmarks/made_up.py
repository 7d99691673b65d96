"""A made-up class with results, written to results.sqlite without judging anything: for trying the pages on many.

Everything follows from the seed. A student has an ability, an exercise a difficulty, and whether an attempt passes is
drawn by the logistic model of the two (Rasch, "Probabilistic models for some intelligence and attainment tests", 1960).
Answers that fail have one of a few likely causes; some students copy, some give up, some hand in late.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from classroom.grading.pairs import keep_pairs
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.roster import Person
from classroom.grading.similarity import Pair
from classroom.grading.store import Store
from classroom.register import Exercise, Lesson

FIRST_DEADLINE = datetime(2027, 3, 1, 22, 59, tzinfo=UTC)
WEEK = timedelta(weeks=1)
SUITE = "made-up"
PUBLIC, HIDDEN = 5, 4
"""Tests of an exercise."""
MOST_ATTEMPTS = 4
SECTIONS = ("Mon 10", "Tue 14", "Thu 8")
FIRST = ("Ann", "Bo", "Cleo", "Dara", "Emre", "Fatima", "Goran", "Hana", "Ines", "Jun", "Kofi", "Lena", "Noor", "Rui")
LAST = ("Adeyemi", "Berg", "Chen", "Dvořák", "Eriksson", "Fernández", "Gupta", "Hoang", "Jansen", "Kim", "Müller")
LONG = "Maximiliane-Alexandra von und zu Hohenstein-Wernigerode de la Cruz y Villanueva-S"
CAUSES = (
    ("the axes are swapped: rows come out as columns", "[1, 5, 9, 2, 6, 10]", "return x.T.reshape(-1)"),
    ("an empty array is not thought of", "raised IndexError", "return x[0] + x[1:]"),
    ("the last element is left out", "[1, 2, 3, 4, 5]", "return x[:-1]"),
)
RIGHT = "[1, 2, 3, 4, 5, 6]"


def deadline_of(number: int) -> datetime:
    """The deadline of the homework with that number: one a week."""
    return FIRST_DEADLINE + (number - 1) * WEEK


def name_of(number: int) -> str:
    """The student's name in the class list; one in forty has 80 characters."""
    if number % 40 == 7:
        return LONG[:80]
    return f"{FIRST[number % len(FIRST)]} {LAST[number // len(FIRST) % len(LAST)]}"


def login_of(number: int) -> str:
    """The student's login, the name in results."""
    return f"student{number:04}"


def section_of(number: int) -> str:
    """The student's section."""
    return SECTIONS[number % len(SECTIONS)]


def fill(folder: Path, lessons: Sequence[Lesson], students: int, seed: int = 0) -> None:
    """Write results of so many students for these lessons into `folder`."""
    with Store(folder) as store:
        store.keep_suites({lesson.folder: SUITE for lesson in lessons})
        store.keep_roster(
            Person(login_of(n), name_of(n), "", f"{login_of(n)}@example.edu", section_of(n)) for n in range(students)
        )
        for number in range(students):
            _student(store, number, lessons, seed)
        keep_pairs(store.base, _copies(lessons, students))


def _student(store: Store, number: int, lessons: Sequence[Lesson], seed: int) -> None:
    draw = random.Random(f"{seed} {number}")
    ability, diligence = draw.gauss(0.6, 1.0), draw.random()
    gives_up = draw.randint(3, 9) if draw.random() < 0.06 else len(lessons) + 1
    for lesson in lessons:
        if lesson.number >= gives_up or draw.random() < 0.02:
            store.keep_submissions([Submission(login_of(number), lesson.folder, {})])
            continue
        _homework(store, login_of(number), number, lesson, ability, diligence, draw)


def _homework(
    store: Store, login: str, number: int, lesson: Lesson, ability: float, diligence: float, draw: random.Random
) -> None:
    count = draw.randint(1, MOST_ATTEMPTS)
    last = deadline_of(lesson.number) + timedelta(hours=draw.gauss(-60 * diligence - 8, 14))
    for attempt in range(1, count + 1):
        came = last - timedelta(hours=11 * (count - attempt) * (0.5 + draw.random()))
        grades, code = [], []
        for exercise in lesson.exercises:
            grade, text = _exercise(exercise, ability + 0.5 * attempt - 1.0, draw)
            grades.append(grade)
            code.append(text)
        copied = number % 50 in (3, 4, 5) and lesson.number in (2, 4)
        text = "\n\n".join(code) + f"\n# {'group' if copied else login} {'' if copied else attempt}\n"
        one = Submission(
            login, lesson.folder, {lesson.homework_file: text.encode()}, came.replace(microsecond=0),
            judged=f"{login}/{lesson.homework_file}",
        )  # fmt: skip
        store.keep_submissions([one])
        spent = round(draw.uniform(0.2, 1.2), 1)
        store.keep(Graded(login, lesson.folder, one.digest, SUITE, tuple(grades), Isolation.STRONG, spent))


def _exercise(exercise: Exercise, ability: float, draw: random.Random) -> tuple[Grade, str]:
    """(its grade, the code of the answer)."""
    hardness = random.Random(exercise.id).gauss(0.0, 1.0) + (0.8 if exercise.stretch else 0.0)
    chance = 1 / (1 + math.exp(hardness - ability))
    right = draw.random() < chance
    cause, got, body = draw.choices(CAUSES, (6, 3, 1))[0]
    passed = [right or draw.random() < 0.4 for _ in range(PUBLIC + HIDDEN)]
    if right:
        passed, body = [True] * len(passed), "return x.reshape(-1)"
    checks = []
    for place, held in enumerate(passed):
        public = place < PUBLIC
        kind = f"{'public' if public else 'hidden'}_{place}"
        if held or not public:
            told = "" if held else "the result is not the expected one"
            checks.append(Check(exercise.id, kind, public, held, told, hint=f"Rule {place} of {exercise.id} holds."))
        else:
            checks.append(
                Check(exercise.id, kind, True, False, "values differ", f"{exercise.id}(x)", RIGHT, got,
                      f"Rule {place} of {exercise.id} holds.", 0.0, cause)
            )  # fmt: skip
    share = sum(passed) / len(passed)
    points = round(exercise.points * share, 2)
    status = Status.PASSED if right or share == 1 else Status.PARTIAL if points else Status.FAILED
    text = f"def {exercise.id}(x):\n    {body}"
    message = f"{sum(passed)} of {len(passed)} tests passed"
    return Grade(exercise.id, points, exercise.points, status, message, tuple(checks), exercise.stretch), text


def _copies(lessons: Sequence[Lesson], students: int) -> list[Pair]:
    """The pairs among those whose answers were made equal."""
    lines = ((1, 2), (4, 5))
    groups = ([login_of(base + k) for k in (3, 4, 5) if base + k < students] for base in range(0, students, 50))
    return [
        Pair(lesson.folder, (first, second), 1.0, 24, (lines, lines))
        for group in groups
        for lesson in lessons
        if lesson.number in (2, 4)
        for place, first in enumerate(group)
        for second in group[place + 1 :]
    ]
