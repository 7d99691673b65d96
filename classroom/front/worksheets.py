"""The worksheet in a student's folder, for `pytest --nbval`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from classroom.front.options import seconds_of
from classroom.front.places import lesson_at
from classroom.front.sheets import SheetError, handed_out_sheet, students_sheet
from classroom.front.tests import not_written, sandbox
from classroom.judge.homework import Homework
from classroom.register import RegisterError
from classroom.stubs import WORKSHEET, StubError, handed_out
from classroom.tasks import tasks_of


def sheet_at(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The collector of a worksheet, if nbval is asked for; None for any other file."""
    options = parent.config.option
    if path.name != WORKSHEET or not (getattr(options, "nbval", False) or getattr(options, "nbval_lax", False)):
        return None
    try:
        lesson = lesson_at(path)
        notebook = None if lesson is None else handed_out_sheet(lesson)
        if lesson is None or notebook is None:
            return None
        mine = students_sheet(path.read_bytes())
        stub = handed_out(lesson)
    except (RegisterError, SheetError, StubError, OSError) as error:
        raise pytest.UsageError(f"{path}: {error}") from None
    from classroom.front.cells import Sheet, SheetFile
    from classroom.front.stand_in import Given

    homework = Homework(lesson, path.parent)
    tasks = {task.id: task for task in tasks_of(lesson)}

    def given() -> Given:
        file, seconds = path.parent / lesson.homework_file, seconds_of(parent.config)
        return Given(file.stem, stub, file, seconds, 2 * seconds, homework.without, sandbox=sandbox())

    sheet = Sheet(notebook, path.parent, given, tasks, mine, not_written)
    collector: Any = SheetFile.from_parent(parent, path=path, sheet=sheet)
    return collector
