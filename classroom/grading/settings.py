"""The table [grading] of course.toml: shares, time limits, late deduction, deadlines."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from classroom.tables import suggestion


class GradingError(Exception):
    """Grading cannot go on: settings, folders or results are invalid or contradictory."""


@dataclass(frozen=True)
class Settings:
    """Grading settings.

    public_share : share of an exercise's points for its public tests; the rest is for the hidden ones.
    worksheets : whether questions of the worksheet count as public tests; a kernel for each submission.
    call_seconds, test_seconds, submission_seconds : time limit of the import and each call, of a test, of everything.
    late_deduction : share deducted per day started after the deadline; after `late_days_at_most` days, everything.
    grace_minutes : a delay without deduction.
    deadlines : homework's folder name -> time with UTC offset.
    """

    public_share: float = 0.3
    worksheets: bool = True
    call_seconds: float = 10.0
    test_seconds: float = 20.0
    submission_seconds: float = 120.0
    late_deduction: float = 0.1
    late_days_at_most: int = 5
    grace_minutes: float = 15.0
    deadlines: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def decisive(self) -> tuple[float, ...]:
        """The settings that results depend on: part of the suite's version."""
        return self.public_share, self.worksheets, self.call_seconds, self.test_seconds, self.submission_seconds


RANGES: dict[str, tuple[float, float]] = {
    "public_share": (0.0, 1.0),
    "call_seconds": (0.1, 3600.0),
    "test_seconds": (0.1, 3600.0),
    "submission_seconds": (0.1, 86400.0),
    "late_deduction": (0.0, 1.0),
    "late_days_at_most": (0, 10_000),
    "grace_minutes": (0.0, 525_600.0),
}


def load_settings(root: Path) -> Settings:
    """Read [grading] of root/course.toml; missing keys have defaults. Raises GradingError."""
    path = root / "course.toml"
    try:
        whole = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise GradingError(f"{path}: {error}") from error
    table = whole.get("grading", {})
    if not isinstance(table, dict):
        raise GradingError(f"{path}: expected a table [grading], found {table!r:.80}")
    unknown = sorted(set(table) - {entry.name for entry in fields(Settings)})
    if unknown:
        settings = (entry.name for entry in fields(Settings))
        raise GradingError(f"{path}, [grading]: {unknown[0]} is no setting; {suggestion(unknown[0], settings)}")
    values = {name: _number(path, name, table[name]) for name in RANGES if name in table}
    if "worksheets" in table:
        if not isinstance(table["worksheets"], bool):
            found = table["worksheets"]
            raise GradingError(f"{path}, [grading]: expected worksheets to be true or false, found {found!r}")
        values["worksheets"] = table["worksheets"]
    folders = {str(lesson.get("folder")) for lesson in whole.get("lesson", []) if isinstance(lesson, dict)}
    return Settings(**values, deadlines=_deadlines(path, table.get("deadlines", {}), folders))


def _number(path: Path, name: str, value: Any) -> Any:
    low, high = RANGES[name]
    whole = isinstance(low, int)
    if type(value) not in ((int,) if whole else (int, float)) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise GradingError(f"{path}, [grading]: expected {name} to be {kind} from {low} to {high}, found {value!r}")
    return value


def _deadlines(path: Path, table: Any, folders: set[str]) -> dict[str, datetime]:
    if not isinstance(table, dict):
        raise GradingError(f"{path}: expected a table [grading.deadlines], found {table!r:.80}")
    for name, time in table.items():
        if name not in folders:
            raise GradingError(f"{path}, [grading.deadlines]: there is no lesson with the folder {name}")
        if not isinstance(time, datetime) or time.tzinfo is None:
            raise GradingError(
                f"{path}, [grading.deadlines]: expected for {name} a time with its offset from UTC, such as "
                f"2027-03-01T23:59:00+01:00, found {time}"
            )
    return dict(table)
