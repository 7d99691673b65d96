"""How the course was started: the command that every message prints."""

from __future__ import annotations

import os

VARIABLE = "COURSE_COMMAND"
"""Set by the launcher to what the user typed, for the process in which the command runs."""

COMMAND = os.environ.get(VARIABLE) or "course"
"""`python3 course.py`, `py course.py` on Windows, or `course`, whichever started this process."""
