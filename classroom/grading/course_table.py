"""A table of course.toml that grading reads: its keys, and a time for each homework."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Any

from classroom.grading.errors import GradingError
from classroom.tables import suggestion


def read_table(path: Path, name: str, keys: Collection[str]) -> tuple[dict[str, Any], set[str]]:
    """The table [name] of course.toml, and the folders of the course's lessons.

    path : of course.toml. keys : what the table may hold. Raises GradingError.
    """
    try:
        whole = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise GradingError(f"{path}: {error}") from error
    table = whole.get(name, {})
    if not isinstance(table, dict):
        raise GradingError(f"{path}: expected a table [{name}], found {table!r:.80}")
    unknown = sorted(set(table) - set(keys))
    if unknown:
        raise GradingError(f"{path}, [{name}]: {unknown[0]} is no setting; {suggestion(unknown[0], keys)}")
    return table, {str(lesson.get("folder")) for lesson in whole.get("lesson", []) if isinstance(lesson, dict)}


def times(path: Path, name: str, table: Any, folders: Collection[str]) -> dict[str, datetime]:
    """Homework's folder name -> time with its offset from UTC, from the table [name]. Raises GradingError."""
    if not isinstance(table, dict):
        raise GradingError(f"{path}: expected a table [{name}], found {table!r:.80}")
    for homework, time in table.items():
        if homework not in folders:
            raise GradingError(f"{path}, [{name}]: there is no lesson with the folder {homework}")
        if not isinstance(time, datetime) or time.tzinfo is None:
            raise GradingError(
                f"{path}, [{name}]: expected for {homework} a time with its offset from UTC, such as "
                f"2027-03-01T23:59:00+01:00, found {time}"
            )
    return dict(table)
