"""A graded submission before its feedback is released: its public tests, and nothing of hidden ones.

What is told then is what `check` tells: no points, no override, no hint of a hidden test.
"""

from __future__ import annotations

from dataclasses import replace

from classroom.grading.records import Grade, Graded, Status

KEPT = (Status.MISSING, Status.UNREADABLE, Status.INFRASTRUCTURE)
"""States that come from what was handed in, and not from hidden tests."""


def held_back(graded: Graded) -> Graded:
    """The submission without points and hidden tests; what each exercise's state says is that of its public tests."""
    return replace(graded, grades=tuple(_held(grade) for grade in graded.grades), factor=1.0)


def _held(grade: Grade) -> Grade:
    public = tuple(check for check in grade.checks if check.public)
    passed = sum(check.passed for check in public)
    status = Status.PASSED if public and passed == len(public) else Status.PARTIAL if passed else Status.FAILED
    if grade.status in KEPT and not passed:
        status = grade.status
    elif not public:
        status = Status.MISSING
    message = grade.message if status is Status.UNREADABLE or (not public and status is Status.MISSING) else ""
    return replace(grade, points=0.0, status=status, message=message, checks=public)
