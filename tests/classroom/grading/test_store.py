from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.errors import GradingError
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.settings import Settings
from classroom.grading.store import FILE_NAME, Store, from_json, to_json
from classroom.register import Exercise

EXERCISES = {"hw": (Exercise("f", "f", 2), Exercise("g", "g", 1, stretch=True))}
NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def submission(student: str = "ann", text: str = "x", **options: Any) -> Submission:
    return Submission(student, "hw", {"hw.py": text.encode()}, **{"handed_in": NOON, **options})


def graded(one: Submission, points: float = 2.0, suite: str = "s", status: Status = Status.PASSED) -> Graded:
    check = Check("f", "t", True, True, "\x00 \ud800 é", "call", "e", "g", "hint", 0.5)
    grades = (Grade("f", points, 2.0, status, "m", (check,)), Grade("g", 0.0, 1.0, Status.FAILED, stretch=True))
    return Graded(one.student, one.homework, one.digest, suite, grades, Isolation.WEAK, 1.5)


def test_a_result_comes_back_as_it_was() -> None:
    one = graded(submission())
    assert from_json(to_json(one)) == one


def test_the_first_result_stays(tmp_path: Path) -> None:
    one = submission()
    with Store(tmp_path) as store:
        assert store.keep(graded(one, 2.0))
        assert not store.keep(graded(one, 1.0))
        assert store.is_judged(one.digest, "s")
        assert not store.is_judged(one.digest, "other suite")
        assert not store.is_judged(submission("bo").digest, "s")
        store.keep_suites({"hw": "s"})
        store.keep_submissions([one])
        (result,) = store.graded(Settings(), EXERCISES)
    assert result.grades[0].points == 2.0


def test_what_is_written_is_there_for_the_next_process(tmp_path: Path) -> None:
    one = submission(faults=("odd",), judged="x/hw.py", aside=("notes.pdf",))
    with Store(tmp_path) as store:
        store.keep_submissions([one])
        store.keep(graded(one))
    with Store(tmp_path) as store:
        assert list(store.submissions()) == [one]
        assert store[one.digest] == one
        assert list(store) == [one.digest]
        assert len(store) == 1
        assert one.digest in store
        assert "no digest" not in store
        assert store.is_judged(one.digest, "s")


def test_a_later_file_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    first, second = submission(text="first"), submission(text="second")
    with Store(tmp_path) as store:
        store.keep_suites({"hw": "s"})
        store.keep_submissions([first])
        store.keep(graded(first, 1.0))
        store.keep_submissions([second])
        assert store.graded(Settings(), EXERCISES) == []
        assert store.unjudged() == 1
        store.keep(graded(second, 2.0))
        (result,) = store.graded(Settings(), EXERCISES)
        assert result.digest == second.digest
        assert store.unjudged() == 0


def test_lateness_is_that_of_today_s_deadline(tmp_path: Path) -> None:
    one = submission()
    with Store(tmp_path) as store:
        store.keep_suites({"hw": "s"})
        store.keep_submissions([one])
        store.keep(graded(one))
        for hours, days in ((0, 0), (20, 1), (50, 3)):
            settings = Settings(deadlines={"hw": NOON - timedelta(hours=hours)}, late_deduction=0.1)
            (result,) = store.graded(settings, EXERCISES)
            assert (result.late_days, result.factor) == (days, 1 - days / 10)


def test_nothing_handed_in_and_nothing_readable_are_results_too(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.keep_suites({"hw": "s"})
        store.keep_submissions([Submission("ann", "hw", {}), Submission("bo", "hw", {}, faults=("damaged",))])
        store.keep_submissions([Submission("cy", "not graded", {})])
        ann, bo = store.graded(Settings(), EXERCISES)
    assert [grade.status for grade in ann.grades] == [Status.MISSING] * 2
    assert [grade.status for grade in bo.grades] == [Status.UNREADABLE] * 2
    assert bo.grades[0].message == "damaged"
    assert [grade.max_points for grade in bo.grades] == [2, 1]


def test_a_homework_is_due_when_nobody_can_hand_it_in_in_time(tmp_path: Path) -> None:
    settings = Settings(deadlines={"hw": NOON}, grace_minutes=15)
    with Store(tmp_path) as store:
        store.keep_suites({"hw": "s"})
        store.keep_submissions([Submission("ann", "hw", {})])
        for minutes, due in ((-1, False), (10, False), (16, True)):
            (one,) = store.graded(settings, EXERCISES, now=NOON + timedelta(minutes=minutes))
            assert (one.due, one.counts, one.deadline) == (due, due, NOON)
        (one,) = store.graded(Settings(), EXERCISES)
        assert (one.due, one.counts, one.deadline) == (False, False, None)
        store.keep_submissions([submission()])
        store.keep(graded(submission()))
        (one,) = store.graded(Settings(), EXERCISES)
        assert (one.counts, one.handed_in) == (True, NOON)


def test_every_student_is_named_though_nobody_s_files_are_homework(tmp_path: Path) -> None:
    aside = ("Not recognised as homework: notes.pdf",)
    with Store(tmp_path) as store:
        store.keep_submissions([Submission("ann", "hw", {}, None, aside, "", aside)])
        (one,) = store.graded(Settings(), EXERCISES)
    assert one.aside == aside
    assert not one.counts


def test_a_homework_that_nobody_hands_in_counts_when_it_is_due(tmp_path: Path) -> None:
    two = {**EXERCISES, "later": EXERCISES["hw"]}
    first = submission()
    settings = Settings(deadlines={"later": NOON})
    with Store(tmp_path) as store:
        store.keep_suites({"hw": "s"})
        store.keep(graded(first))
        store.keep_submissions([first, Submission("ann", "later", {}, None)])
        before = store.graded(settings, two, now=NOON)
        after = store.graded(settings, two, now=NOON + timedelta(days=1))
    assert [one.homework for one in before] == ["hw"]
    assert [(one.homework, one.counts) for one in after] == [("hw", True), ("later", True)]


def test_what_could_not_be_judged_can_be_tried_again(tmp_path: Path) -> None:
    good, bad = submission("ann"), submission("bo")
    with Store(tmp_path) as store:
        store.keep(graded(good))
        store.keep(graded(bad, 0.0, status=Status.INFRASTRUCTURE))
        assert store.forget_infrastructure() == 1
        assert store.is_judged(good.digest, "s")
        assert not store.is_judged(bad.digest, "s")


def test_what_was_judged_in_weaker_isolation_is_judged_again(tmp_path: Path) -> None:
    one = submission()
    with Store(tmp_path) as store:
        store.keep(graded(one))
        assert store.forget_weaker(Isolation.NONE) == store.forget_weaker(Isolation.WEAK) == 0
        assert store.forget_weaker(Isolation.STRONG) == 1


def test_the_last_decision_of_a_person_counts_and_all_are_kept(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.override("ann", "hw", "f", 1.0, "first")
        store.override("ann", "hw", "f", 1.5, "second")
        assert store.overrides() == {("ann", "hw", "f"): (1.5, "second")}
    with sqlite3.connect(tmp_path / FILE_NAME) as base:
        rows = base.execute("SELECT why, at FROM overrides ORDER BY number").fetchall()
    assert [why for why, _ in rows] == ["first", "second"]
    assert all(datetime.fromisoformat(at).tzinfo for _, at in rows)


def test_shards_are_put_together_once(tmp_path: Path) -> None:
    people = [submission(name) for name in ("ann", "bo", "cy")]
    for number, one in enumerate(people):
        with Store(tmp_path / str(number)) as shard:
            shard.keep_suites({"hw": "s"})
            shard.keep_submissions([one])
            shard.keep(graded(one))
            shard.override(one.student, "hw", "f", number, "why")
    with Store(tmp_path / "all") as store:
        assert [store.merge(tmp_path / str(number)) for number in (0, 1, 2, 1)] == [1, 1, 1, 0]
        assert [one.student for one in store.graded(Settings(), EXERCISES)] == ["ann", "bo", "cy"]
        assert store.overrides() == {(one.student, "hw", "f"): (n, "why") for n, one in enumerate(people)}
        rows = store._base.execute("SELECT COUNT(*) FROM overrides").fetchone()
        assert rows == (3,)


def test_shards_of_another_suite_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with Store(tmp_path / name) as shard:
            shard.keep_suites({"hw": name})
    with Store(tmp_path / "all") as store:
        store.merge(tmp_path / "a")
        with pytest.raises(GradingError, match="another version or seed of the tests of hw"):
            store.merge(tmp_path / "b")
        with pytest.raises(GradingError, match=r"expected results\.sqlite"):
            store.merge(tmp_path / "nowhere")


def test_results_of_an_earlier_version_are_read_and_merged(tmp_path: Path) -> None:
    one = submission(faults=("odd",))
    with Store(tmp_path / "old") as store:
        store.keep_suites({"hw": "s"})
        store.keep_submissions([one])
        store.keep(graded(one))
        for name in ("judged", "aside"):
            store._base.execute(f"ALTER TABLE submissions DROP COLUMN {name}")
    with Store(tmp_path / "all") as store:
        assert store.merge(tmp_path / "old") == 1
        assert list(store.submissions()) == [one]
        assert store.graded(Settings(), EXERCISES)[0].judged == ""


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database at all, " * 100)
    with pytest.raises(GradingError, match=r"results\.sqlite"):
        Store(tmp_path)


def test_a_digest_is_of_the_student_too() -> None:
    one = submission()
    assert one.digest != submission("bo").digest
    assert one.digest != replace(one, homework="other").digest
    assert one.digest == replace(one, handed_in=None, faults=("x",)).digest
