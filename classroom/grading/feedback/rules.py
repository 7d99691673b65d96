"""The table [feedback] of course.toml: when a homework's points are shown, and where to ask for another look."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from classroom.grading.safe import one_line
from classroom.grading.settings import GradingError
from classroom.tables import suggestion

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
    try:
        whole = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise GradingError(f"{path}: {error}") from error
    table = whole.get("feedback", {})
    if not isinstance(table, dict):
        raise GradingError(f"{path}: expected a table [feedback], found {table!r:.80}")
    unknown = sorted(set(table) - set(KEYS))
    if unknown:
        raise GradingError(f"{path}, [feedback]: {unknown[0]} is no setting; {suggestion(unknown[0], KEYS)}")
    folders = {str(lesson.get("folder")) for lesson in whole.get("lesson", []) if isinstance(lesson, dict)}
    return FeedbackRules(_regrade(path, table.get("regrade", "")), _released(path, table.get("released", {}), folders))


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


def _released(path: Path, table: Any, folders: set[str]) -> dict[str, datetime]:
    if not isinstance(table, dict):
        raise GradingError(f"{path}: expected a table [feedback.released], found {table!r:.80}")
    for name, time in table.items():
        if name not in folders:
            raise GradingError(f"{path}, [feedback.released]: there is no lesson with the folder {name}")
        if not isinstance(time, datetime) or time.tzinfo is None:
            raise GradingError(
                f"{path}, [feedback.released]: expected for {name} a time with its offset from UTC, such as "
                f"2027-03-03T12:00:00+01:00, found {time}"
            )
    return dict(table)
