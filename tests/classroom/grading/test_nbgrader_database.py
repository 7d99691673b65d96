"""nbgrader's database is filled by its own API, and nbgrader itself reads the points out of it."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from classroom.grading.errors import GradingError
from classroom.grading.exports.nbgrader_database import fill
from classroom.grading.records import Grade, Graded, Isolation, Status
from classroom.grading.roster import Person

pytest.importorskip("nbgrader", reason="nbgrader is not installed: its own environment runs this test")

from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin

HOMEWORK = "01_numbers"
NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
PEOPLE = {"ann": Person("ann", "Smith, Ann Mary", "77", "ann@x.org")}
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


@pytest.fixture(autouse=True)
def _own_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """nbgrader starts `alembic` by its name, also where no environment is activated."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def graded(student: str, points: float, bonus: float = 0.0, **rest: object) -> Graded:
    grades = (
        Grade("double", points, 4.0, Status.PASSED),
        Grade("extra", bonus, 2.0, Status.PASSED, stretch=True),
    )
    values = {"late_days": 0, "due": True, **rest}
    return Graded(student, HOMEWORK, f"of {student}", "s", grades, Isolation.STRONG, **values)  # type: ignore[arg-type]


def test_points_lateness_bonus_and_names_arrive(tmp_path: Path) -> None:
    base = tmp_path / "gradebook.db"
    results = [graded("ann", 3.0, 2.0, factor=0.9, late_days=1, deadline=NOON), graded("Ann", 1.5), graded("bo", 0.0)]
    said = fill(base, results, PEOPLE, {})
    assert said == f"3 submissions of 3 students: {base}"
    with Gradebook(f"sqlite:///{base}") as book:
        one = book.find_submission(HOMEWORK, "ann")
        assert (one.score, one.max_score, one.late_submission_penalty) == (5.0, 4.0, 0.5)
        assert book.find_submission(HOMEWORK, "Ann").score == 1.5
        assert book.find_assignment(HOMEWORK).duedate == NOON.replace(tzinfo=None)
        who = book.find_student("ann")
        assert (who.first_name, who.last_name, who.email) == ("Ann Mary", "Smith", "ann@x.org")
        exporter = CsvExportPlugin(to=str(tmp_path / "grades.csv"))
        exporter.export(book)
    assert ",4.5,4.0" in (tmp_path / "grades.csv").read_text(encoding="utf-8")


def test_repeated_it_updates_and_leaves_what_nbgrader_has(tmp_path: Path) -> None:
    base = tmp_path / "gradebook.db"
    with Gradebook(f"sqlite:///{base}") as book:  # as nbgrader made it, with a notebook and a submission of its own
        book.add_assignment(HOMEWORK)
        book.add_notebook("essay", HOMEWORK)
        book.add_grade_cell("q1", "essay", HOMEWORK, max_score=10, cell_type="markdown")
        book.add_student("ann", first_name="Anna")
        book.add_submission(HOMEWORK, "ann")
        book.find_grade("q1", "essay", HOMEWORK, "ann").manual_score = 7.0
        book.db.commit()
    fill(base, [graded("ann", 1.0)], {}, {})
    fill(base, [graded("ann", 3.0)], {}, {})
    with Gradebook(f"sqlite:///{base}") as book:
        one = book.find_submission(HOMEWORK, "ann")
        assert (one.score, one.max_score) == (10.0, 14.0)
        assert book.find_student("ann").first_name == "Anna"
        book.find_grade("double", "course", HOMEWORK, "ann").manual_score = 4.0
        book.db.commit()
    assert "1 exercises keep the points" in fill(base, [graded("ann", 2.0)], {}, {})
    with Gradebook(f"sqlite:///{base}") as book:
        assert book.find_submission(HOMEWORK, "ann").score == 11.0


def test_what_is_no_database_is_named_and_left(tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_text("no database" * 100, encoding="utf-8")
    with pytest.raises(GradingError, match="expected nbgrader's database"):
        fill(tmp_path / "gradebook.db", [graded("ann", 1.0)], {}, {})
    assert (tmp_path / "gradebook.db").read_text(encoding="utf-8").startswith("no database")


def test_what_has_no_grade_is_left_out(tmp_path: Path) -> None:
    waiting = graded("ann", 0.0)
    waiting = Graded(waiting.student, HOMEWORK, "d", "s", (Grade("double", 0, 4, Status.INFRASTRUCTURE),),
                     Isolation.STRONG, due=True)  # fmt: skip
    fill(tmp_path / "gradebook.db", [waiting, graded("bo", 1.0)], {}, {})
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        assert [student.id for student in book.students] == ["bo"]
