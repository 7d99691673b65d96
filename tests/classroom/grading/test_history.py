from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from classroom.grading.history import hand_ins
from classroom.grading.records import Grade, Graded, Isolation, Status, Submission
from classroom.grading.store import FILE_NAME, Store

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def submission(text: str, student: str = "ann", **options: Any) -> Submission:
    return Submission(student, "hw", {"hw.py": text.encode()}, **{"handed_in": NOON, **options})


def graded(one: Submission, points: float, status: Status = Status.PASSED, suite: str = "s") -> Graded:
    grades = (Grade("f", points, 2.0, status),)
    return Graded(one.student, one.homework, one.digest, suite, grades, Isolation.STRONG)


def points_of(store: Store) -> list[float | None]:
    return [one.points["f"][0] if one.points else None for one in hand_ins(store.base)]


def test_every_version_stays_with_its_points_though_the_last_one_counts(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for hours, text in enumerate(("one", "two", "three")):
            one = submission(text, handed_in=NOON + timedelta(hours=hours))
            store.keep_submissions([one])
            store.keep(graded(one, hours))
        assert points_of(store) == [0, 1, 2]
        assert len(list(store.submissions())) == 1
    with Store(tmp_path) as store:
        assert [one.handed_in for one in hand_ins(store.base)] == [NOON + timedelta(hours=k) for k in range(3)]


def test_the_same_files_again_are_no_new_attempt_and_nothing_is_none(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for _ in range(2):
            store.keep_submissions([submission("one"), Submission("bo", "hw", {})])
        assert points_of(store) == [None]


def test_an_attempt_that_came_late_to_the_grader_stands_where_it_was_handed_in(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for text, hours, points in (("second", 5, 2.0), ("first", 1, 1.0)):
            one = submission(text, handed_in=NOON + timedelta(hours=hours))
            store.keep_submissions([one])
            store.keep(graded(one, points))
        assert points_of(store) == [1.0, 2.0]


def test_what_the_judge_could_not_judge_has_no_points_and_a_later_judgement_counts(tmp_path: Path) -> None:
    one = submission("one")
    with Store(tmp_path) as store:
        store.keep_submissions([one])
        store.keep(graded(one, 0.0, Status.INFRASTRUCTURE))
        assert points_of(store) == [None]
        store.forget_infrastructure()
        store.keep(graded(one, 1.0))
        store.keep(graded(one, 2.0, suite="mended"))
        assert points_of(store) == [2.0]


def test_a_database_of_an_earlier_version_opens_with_the_attempts_that_it_knows(tmp_path: Path) -> None:
    one, waiting = submission("one"), submission("two", "bo")
    with Store(tmp_path) as store:
        store.keep_submissions([one, waiting, Submission("cy", "hw", {})])
        store.keep(graded(one, 1.5))
    base = sqlite3.connect(tmp_path / FILE_NAME)
    for table in ("attempts", "comments", "pairs"):
        base.execute(f"DROP TABLE {table}")
    base.commit()
    base.close()
    with Store(tmp_path) as store:
        assert [(row.student, row.points) for row in hand_ins(store.base)] == [("ann", {"f": (1.5, 2.0)}), ("bo", None)]
        store.keep_submissions([replace(one, files={"hw.py": b"new"})])
        assert len(hand_ins(store.base)) == 3


def test_attempts_and_comments_of_shards_are_put_together(tmp_path: Path) -> None:
    from classroom.grading.feedback.comments import add_comment, comments

    for name in ("ann", "bo"):
        with Store(tmp_path / name) as store:
            one = submission("one", name)
            store.keep_submissions([one])
            store.keep(graded(one, 1.0))
            add_comment(store.base, name, "hw", "f", "well done")
    with Store(tmp_path / "all") as store:
        for name in ("ann", "bo", "bo"):
            store.merge(tmp_path / name)
        assert [(one.student, one.points) for one in hand_ins(store.base)] == [
            ("ann", {"f": (1.0, 2.0)}), ("bo", {"f": (1.0, 2.0)}),
        ]  # fmt: skip
        assert comments(store.base) == {("ann", "hw", "f"): ("well done",), ("bo", "hw", "f"): ("well done",)}
