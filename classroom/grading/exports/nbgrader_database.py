"""Put points into nbgrader's database by its own API, nbgrader.api.Gradebook.

A homework is an assignment of its folder's name, with a notebook `course` beside those that nbgrader made, and a grade
cell for each of its exercises. Bonus exercises have no maximum there: their points are extra credit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from classroom.grading.errors import GradingError
from classroom.grading.exports.nbgrader import names_of
from classroom.grading.records import Grade, Graded, Submission
from classroom.grading.roster import Person
from classroom.grading.totals import total

NOTEBOOK = "course"
"""The notebook that stands for the course's homework file."""


def fill(
    database: Path,
    results: Sequence[Graded],
    people: Mapping[str, Person],
    submissions: Mapping[str, Submission],
) -> str:
    """Write all results that have a grade -> a sentence about it.

    Raises GradingError if nbgrader is missing, or `database` is no database of it.
    """
    try:
        from nbgrader.api import Gradebook
    except ImportError as error:
        raise GradingError(
            "nbgrader is not installed here: pip install nbgrader, in this environment or in one of its own from which "
            f"the course's commands are started ({error})"
        ) from error
    ready = [one for one in results if total(one).complete and one.counts]
    try:
        with _own_programs(), Gradebook(f"sqlite:///{database}") as book:
            for homework in sorted({one.homework for one in ready}):
                _assignment(book, homework, next(one for one in ready if one.homework == homework))
            for student in sorted({one.student for one in ready}):
                person = people.get(student) or Person(student)
                last, first = names_of(person.name)
                told = {"last_name": last, "first_name": first, "email": person.email}
                book.update_or_create_student(student, **{name: text for name, text in told.items() if text})
            by_hand = 0
            for one in ready:
                by_hand += _submission(book, one, getattr(submissions.get(one.digest), "handed_in", None))
    except GradingError:
        raise
    except Exception as error:  # SQLAlchemy's and nbgrader's, which are not imported here
        raise GradingError(f"{database}: expected nbgrader's database: {type(error).__name__}: {error}") from error
    said = f"{len(ready)} submissions of {len({one.student for one in ready})} students: {database}"
    return f"{said}; {by_hand} exercises keep the points that somebody set there" if by_hand else said


@contextmanager
def _own_programs() -> Iterator[None]:
    """nbgrader starts `alembic` by its name, which lies beside this Python in an environment that is not activated."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _assignment(book: Any, homework: str, one: Graded) -> None:
    deadline = one.deadline.replace(microsecond=0) if one.deadline else None
    book.update_or_create_assignment(homework, **({"duedate": deadline.isoformat()} if deadline else {}))
    book.update_or_create_notebook(NOTEBOOK, homework)
    for grade in one.grades:
        most = 0.0 if grade.stretch else grade.max_points
        book.update_or_create_grade_cell(grade.exercise, NOTEBOOK, homework, max_score=most, cell_type="code")


def _submission(book: Any, one: Graded, handed_in: Any) -> int:
    """Write one submission -> how many of its exercises have points that somebody set in nbgrader."""
    from nbgrader.api import Grade as Cell
    from nbgrader.api import SubmittedNotebook

    told = {"timestamp": handed_in.isoformat()} if handed_in else {}
    submission = book.update_or_create_submission(one.homework, one.student, **told)
    notebook = book.find_notebook(NOTEBOOK, one.homework)
    own = next((each for each in submission.notebooks if each.notebook_id == notebook.id), None)
    if own is None:  # the submission is older than the notebook
        own = SubmittedNotebook(notebook=notebook, assignment=submission)
        book.db.add(own)
    cells = {grade.cell_id: grade for grade in own.grades}
    by_hand = sum(grade.manual_score is not None for grade in own.grades)
    by_name = {cell.name: cell for cell in notebook.grade_cells}
    for grade in one.grades:
        cell = by_name[grade.exercise]
        found = cells.get(cell.id) or Cell(cell_id=cell.id, notebook=own)
        book.db.add(found)
        _set(found, grade)
    own.late_submission_penalty = total(one).deducted
    book.db.commit()
    return by_hand


def _set(cell: Any, grade: Grade) -> None:
    """Points of the judge, or set by a person here; what somebody set in nbgrader stays, and counts there."""
    cell.auto_score = 0.0 if grade.stretch else float(grade.points)
    if grade.stretch:
        cell.extra_credit = float(grade.points)
    cell.needs_manual_grade = False
