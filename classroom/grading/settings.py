"""The table [grading] of course.toml: shares, time limits, late deduction, deadlines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from classroom.grading.course_table import read_table, times
from classroom.grading.errors import GradingError


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
    table, folders = read_table(path, "grading", [entry.name for entry in fields(Settings)])
    values = {name: _number(path, name, table[name]) for name in RANGES if name in table}
    if "worksheets" in table:
        if not isinstance(table["worksheets"], bool):
            found = table["worksheets"]
            raise GradingError(f"{path}, [grading]: expected worksheets to be true or false, found {found!r}")
        values["worksheets"] = table["worksheets"]
    return Settings(**values, deadlines=times(path, "grading.deadlines", table.get("deadlines", {}), folders))


def _number(path: Path, name: str, value: Any) -> Any:
    low, high = RANGES[name]
    whole = isinstance(low, int)
    if type(value) not in ((int,) if whole else (int, float)) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise GradingError(f"{path}, [grading]: expected {name} to be {kind} from {low} to {high}, found {value!r}")
    return value
