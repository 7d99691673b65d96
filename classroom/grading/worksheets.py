"""The questions of a homework's worksheet, asked of one submission: each is a public test of its exercise.

The sheet is the one handed out, the kernel is trusted, and the submission answers from its sandbox: front/stand_in.py.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from classroom.front.asked import Answer, SheetFault, answers
from classroom.front.sheets import EXERCISE, SheetError, handed_out_sheet, question_text, questions
from classroom.front.stand_in import Given
from classroom.grading.disclosure import answered
from classroom.grading.errors import GradingError
from classroom.grading.points import UNWRITTEN
from classroom.grading.records import Check
from classroom.grading.suite import Suite, sheet_of, stub_of
from classroom.judge.homework import Homework
from classroom.judge.student import JudgeError
from classroom.sandbox import Sandbox
from classroom.tasks import tasks_of

FRAMEWORK = 3.0
"""How many times the time of a test a cell may take, with what the framework computes in it."""


def sheet_checks(
    suite: Suite, homework: Homework, submission: Path, sandbox: Sandbox, written: Collection[str], seconds: float
) -> list[Check]:
    """A check for each question of the worksheet; [] if it has none or is not asked.

    written : exercises that are not the stub's any more; of others nothing is asked, nor of any in less than no
    `seconds`, what is left of the submission's time. Raises JudgeError, GradingError.
    """
    if not suite.settings.worksheets or not sheet_of(homework):
        return []
    try:
        notebook: Any = handed_out_sheet(homework.lesson)
    except SheetError as error:
        raise GradingError(str(error)) from error
    asked = questions(notebook)
    if not written or seconds <= 0:
        why = UNWRITTEN if not written else "no answer in time: the submission's time is spent"
        return [_failed(cell, why) for cell in asked]
    from classroom.front.cells import Sheet

    settings = suite.settings
    given = Given(
        submission.stem,
        stub_of(suite.root, suite.homework),
        submission,
        settings.call_seconds,
        settings.test_seconds,
        homework.without,
        seconds,
        sandbox,
        limited=True,
    )
    tasks = {task.id: task for task in tasks_of(homework.lesson)}
    sheet = Sheet(notebook, homework.folder, lambda: given, tasks)
    try:
        return [answered(answer) for answer in answers(sheet, FRAMEWORK * settings.test_seconds)]
    except SheetFault as fault:
        raise JudgeError(str(fault)) from fault


def _failed(cell: Any, why: str) -> Check:
    answer = Answer(cell.metadata[EXERCISE], cell.id, question_text(cell), False)
    return answered(answer, why)
