"""Points of an exercise from the outcomes of its tests.

points = max_points x (share x public + (1 - share) x hidden), where `public` and `hidden` are the fractions of those
tests passed. All tests of one kind have the same weight. Tests that the original stub passes earn nothing, and
breaking one costs as much as failing any other.

A test that a trivial answer passes (always raise, return the argument, nan, None, 0 ...; see judge/blanket.py) counts
only together with one that no trivial answer passes: code that always raises passes every test that bad input is
refused. Without any hidden test earned there are no points, since public tests can be hard-coded. All tests passed: all
points.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from classroom.grading.records import Check, Grade, Status
from classroom.register import Exercise

UNWRITTEN = "not written yet"
"""The message for an exercise that is still the stub's."""
HOLLOW = "what passed would pass without any work too, and counts only beside another test"
"""What the message of such an exercise says beyond the count."""
Names = Collection[tuple[bool, str]]
"""(public, name) of tests."""


def grade_of(
    exercise: Exercise,
    checks: Sequence[Check],
    given: Names,
    public_share: float,
    unwritten: bool = False,
    blanket: Names = (),
) -> Grade:
    """The grade of one exercise from all its tests.

    given : tests that the stub passes. blanket : tests that a trivial answer passes.
    unwritten : every public test met only the stub's own error.
    """
    checks = tuple(checks)
    if not checks or not any(not check.public for check in checks):
        return nothing(exercise, Status.INFRASTRUCTURE, "the exercise has no hidden tests")
    message = tests_passed(checks)
    if all(check.passed for check in checks):
        return Grade(exercise.id, float(exercise.points), float(exercise.points), Status.PASSED, message, checks,
                     exercise.stretch)  # fmt: skip
    worked = any(check.passed and (check.public, check.name) not in {*given, *blanket} for check in checks)
    part = fraction(checks, given, public_share)
    points = math.floor(exercise.points * part * worked * 100 + 1e-6) / 100
    status = Status.PARTIAL if points else Status.MISSING if unwritten else Status.FAILED
    message = UNWRITTEN if status is Status.MISSING else f"{message}; {HOLLOW}" if part and not worked else message
    return Grade(exercise.id, points, float(exercise.points), status, message, checks, exercise.stretch)


def fraction(checks: Sequence[Check], given: Names, public_share: float) -> float:
    """The fraction of the points, 0 to 1, if not all checks passed."""
    public = earned([check for check in checks if check.public], given)
    hidden = earned([check for check in checks if not check.public], given)
    if not hidden:
        return 0.0
    return hidden if public is None else public_share * public + (1 - public_share) * hidden


def earned(checks: Sequence[Check], given: Names) -> float | None:
    """The fraction of tests passed beyond those that the stub passes; None if there is nothing to earn.

    >>> checks = [Check("f", "a", False, True), Check("f", "b", False, False), Check("f", "c", False, True)]
    >>> earned(checks, [])
    0.6666666666666666
    >>> earned(checks, [(False, "a")])
    0.5
    """
    ahead = sum((check.public, check.name) in given for check in checks)
    if len(checks) == ahead:
        return None
    return max(0, sum(check.passed for check in checks) - ahead) / (len(checks) - ahead)


def nothing(exercise: Exercise, status: Status, message: str) -> Grade:
    """A grade of 0 points with a reason."""
    return Grade(exercise.id, 0.0, float(exercise.points), status, message, (), exercise.stretch)


def tests_passed(checks: Sequence[Check]) -> str:
    """Number of public and hidden tests passed, in words."""
    parts = []
    for kind, public in (("public", True), ("hidden", False)):
        some = [check.passed for check in checks if check.public is public]
        if some:
            parts.append(f"{sum(some)} of {len(some)} {kind} tests passed")
    return ", ".join(parts)
