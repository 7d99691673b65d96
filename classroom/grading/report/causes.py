"""The likely causes of wrong answers, counted by students, each with a typical wrong answer.

Only public tests are looked at: what a hidden test asked, and what came of it, is on no page.
"""

from __future__ import annotations

import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from classroom.grading.records import Check, Graded
from classroom.grading.report.gather import ClassRecord, is_written

OTHER = "no likely cause is known"
NOT_LOADED = "the file cannot be imported"
RAISED = re.compile(r"raised (\w+)")
UNWRITTEN = "NotImplementedError"
MOST = 4
"""Causes of an exercise that are shown."""


@dataclass(frozen=True)
class Sample:
    """What a public test called, expected and got."""

    call: str
    expected: str
    got: str


@dataclass(frozen=True)
class Cause:
    """A likely cause of wrong answers to an exercise.

    known : whether a test named it, rather than what happened. students : who met it, sorted.
    sample : the commonest call with its results; the shortest of several.
    """

    homework: str
    exercise: str
    words: str
    known: bool
    students: tuple[str, ...]
    sample: Sample | None


def causes_of(record: ClassRecord) -> dict[tuple[str, str], list[Cause]]:
    """(homework, exercise) -> the causes, most students first, those that a test named before others of as many.

    What happened counts only for students of whose answer no test named a cause.
    """
    who = defaultdict[tuple[str, str, str, bool], set[str]](set)
    samples = defaultdict[tuple[str, str, str, bool], Counter[Sample]](Counter)
    for (student, homework), one in record.graded.items():
        if _is_stopped(one):
            for grade in one.grades:
                who[homework, grade.exercise, NOT_LOADED, False].add(student)
            continue
        for grade in one.grades:
            told = [(check, words_of(check)) for check in grade.checks if is_written(grade)]
            named = any(check.cause for check, words in told if words)
            for check, words in told:
                if words and bool(check.cause) is named:
                    key = (homework, grade.exercise, words, bool(check.cause))
                    who[key].add(student)
                    if check.call or check.got:
                        samples[key][Sample(check.call, check.expected, check.got)] += 1
    found = defaultdict[tuple[str, str], list[Cause]](list)
    for key, students in who.items():
        homework, exercise, words, known = key
        cause = Cause(homework, exercise, words, known, tuple(sorted(students)), _typical(samples[key]))
        found[homework, exercise].append(cause)
    for some in found.values():
        some.sort(key=lambda one: (-len(one.students), not one.known, one.words))
    return {key: some[:MOST] for key, some in found.items()}


def words_of(check: Check) -> str:
    """The likely cause of a failed public check, else what happened; "" for other checks and for what is unwritten.

    Only names of Python's own exceptions are passed on.
    """
    if check.passed or not check.public:
        return ""
    if check.cause:
        return check.cause
    raised = RAISED.match(check.message)
    if not raised:
        return OTHER
    if raised[1] == UNWRITTEN:
        return ""
    kind = getattr(builtins, raised[1], None)
    known = isinstance(kind, type) and issubclass(kind, BaseException)
    return f"it raises {raised[1]}" if known else "it raises an exception of its own"


def _is_stopped(graded: Graded) -> bool:
    """Whether the file could not be imported: then every test failed in the same way, before any call."""
    failed = [check for grade in graded.grades for check in grade.checks]
    if not failed or any(check.passed or check.call or check.got or check.cause for check in failed):
        return False
    told = {check.message for check in failed}
    return len(told) == 1 and not RAISED.match(told.pop()) and len(graded.grades) > 1


def _typical(samples: Mapping[Sample, int]) -> Sample | None:
    def rank(one: Sample) -> tuple[int, int, str, str, str]:
        return -samples[one], len(one.call) + len(one.got), one.call, one.expected, one.got

    return min(samples, key=rank, default=None)
