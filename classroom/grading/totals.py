"""Totals: the points of a submission after the late deduction, and overrides by a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from classroom.grading.records import Grade, Graded, Status

Key = tuple[str, str, str]
"""Student, homework, exercise."""
Overrides = Mapping[Key, tuple[float, str]]
"""Points set by a person, and why."""


@dataclass(frozen=True)
class Total:
    """The total of one submission.

    points : after the late deduction, bonus included; may exceed `most`.
    raw : before the deduction.
    bonus : the part of `points` from stretch exercises.
    most : maximum points without stretch exercises.
    complete : False if not everything could be judged; then `points` is not a grade.
    """

    points: float
    raw: float
    bonus: float
    most: float
    complete: bool

    @property
    def deducted(self) -> float:
        """Points deducted for lateness."""
        return round(self.raw - self.points, 6)

    @property
    def regular(self) -> float:
        """`points` without the bonus; at most `most`."""
        return round(self.points - self.bonus, 6)


def total(graded: Graded) -> Total:
    """Sum of points x factor; points of stretch exercises are a bonus beyond the maximum."""
    raw = sum(grade.points for grade in graded.grades)
    bonus = sum(grade.points for grade in graded.grades if grade.stretch)
    most = sum(grade.max_points for grade in graded.grades if not grade.stretch)
    complete = all(grade.status is not Status.INFRASTRUCTURE for grade in graded.grades)
    return Total(round(raw * graded.factor, 6), raw, round(bonus * graded.factor, 6), most, complete)


def overridden(results: Sequence[Graded], overrides: Overrides) -> list[Graded]:
    """The results with points set by a person in place of the judge's; lateness is still deducted."""
    return [
        replace(graded, grades=tuple(_set(grade, overrides, graded) for grade in graded.grades)) for graded in results
    ]


def _set(grade: Grade, overrides: Overrides, graded: Graded) -> Grade:
    found = overrides.get((graded.student, graded.homework, grade.exercise))
    if found is None:
        return grade
    points, reason = found
    return replace(grade, points=float(points), status=Status.OVERRIDDEN, message=reason)
