"""The table [feedback] of course.toml: when a homework's points are shown, and where to ask for another look."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from classroom.grading.course_table import read_table, times
from classroom.grading.errors import GradingError
from classroom.grading.safe import one_line

KEYS = ("regrade", "released")
LINKS = ("https", "http", "mailto")
"""Schemes of a link for regrade requests."""
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=\S)")
MOST = 500
"""Maximum characters of `regrade`."""


@dataclass(frozen=True)
class FeedbackRules:
    """How feedback is given.

    regrade : a link or a sentence for students who think that something was judged wrongly; "" if there is none.
    released : homework's folder name -> when its points, hidden tests and comments are shown; at once if it is not in.
    """

    regrade: str = ""
    released: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def is_link(self) -> bool:
        """Whether `regrade` is a link."""
        return urlsplit(self.regrade).scheme in LINKS and " " not in self.regrade

    def held_until(self, homework: str, now: datetime) -> datetime | None:
        """When the homework's feedback is shown, if that is later than `now`; else None."""
        time = self.released.get(homework)
        return time if time is not None and now < time else None


AT_ONCE = FeedbackRules()
"""Feedback is shown as soon as it is there."""


def load_rules(root: Path) -> FeedbackRules:
    """Read [feedback] of root/course.toml. Raises GradingError."""
    path = root / "course.toml"
    table, folders = read_table(path, "feedback", KEYS)
    released = times(path, "feedback.released", table.get("released", {}), folders)
    return FeedbackRules(_regrade(path, table.get("regrade", "")), released)


def _regrade(path: Path, text: Any) -> str:
    wanted = "a link that begins with https://, http:// or mailto:, or a sentence"
    if not isinstance(text, str) or len(text) > MOST or one_line(text, MOST) != text.strip():
        raise GradingError(f"{path}, [feedback]: expected regrade to be {wanted}, found {text!r:.80}")
    scheme = SCHEME.match(text.strip())
    if scheme and scheme[0][:-1].lower() not in LINKS:
        raise GradingError(
            f"{path}, [feedback]: expected regrade to be {wanted}, found a link that begins with {scheme[0]}"
        )
    return text.strip()
