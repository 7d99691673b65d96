"""Times that a course system wrote into its export."""

from __future__ import annotations

from datetime import datetime

from classroom.grading.late import parse_time


def timestamp(text: str) -> datetime | None:
    """The time in nbgrader's timestamp.txt or Gradescope's metadata; None if it cannot be parsed.

    Source: https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html
    """
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        return None
