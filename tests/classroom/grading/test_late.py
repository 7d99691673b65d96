from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.dated import read_times
from classroom.grading.errors import GradingError
from classroom.grading.late import factor_of, late_days, lateness, listed_time, parse_time
from classroom.grading.settings import Settings, load_settings
from classroom.register import ROOT

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
GRACE = timedelta(minutes=15)


@pytest.mark.parametrize(
    ("late", "days"),
    [
        (timedelta(days=-3), 0),
        (timedelta(0), 0),
        (timedelta(minutes=15), 0),
        (timedelta(minutes=15, seconds=1), 1),
        (timedelta(days=1, minutes=15), 1),
        (timedelta(days=1, minutes=16), 2),
    ],
)
def test_each_day_begun_after_the_grace_counts(late: timedelta, days: int) -> None:
    assert late_days(NOON + late, NOON, GRACE) == days


def test_without_a_deadline_nobody_is_late_and_without_a_time_nobody_knows() -> None:
    assert late_days(NOON, None, GRACE) == 0
    assert late_days(None, NOON, GRACE) is None
    assert lateness("a", None, Settings(deadlines={"a": NOON})) == (None, 1.0)


def test_each_day_costs_its_share_until_nothing_is_left() -> None:
    settings = Settings(late_deduction=0.25, late_days_at_most=3)
    assert [factor_of(days, settings) for days in (None, 0, 1, 2, 3, 4, 400)] == [1, 1, 0.75, 0.5, 0.25, 0, 0]
    assert factor_of(3, Settings(late_deduction=0.5, late_days_at_most=10)) == 0


def test_times_in_other_zones_are_the_same_moment() -> None:
    deadline = datetime.fromisoformat("2027-03-01T23:59:00+01:00")
    settings = Settings(deadlines={"a": deadline}, grace_minutes=0)
    assert lateness("a", parse_time("2027-03-01 22:58:59 UTC"), settings)[0] == 0
    assert lateness("a", parse_time("2027-03-01T18:00:00-05:00"), settings)[0] == 1


@pytest.mark.parametrize(
    "text",
    [
        "2027-03-01T12:00:00+00:00",
        "2027-03-01T12:00:00Z",
        "2027-03-01 12:00:00.000000 UTC",
        "2027-03-01 12:00:00.000000000 Z",
        "'2027-03-01 13:00:00 +01:00'",
    ],
)
def test_the_ways_in_which_tools_write_a_time(text: str) -> None:
    assert parse_time(text) == NOON


def test_a_table_of_times_goes_by_student_and_homework(tmp_path: Path, teacher: Any) -> None:
    path = tmp_path / "times.csv"
    path.write_text(
        "\ufeffstudent,time,homework\nann,2027-03-01T12:00Z,\nann,2027-03-02T12:00Z,1\nbo,2027-03-03T12:00Z,01_numbers\n",
        encoding="utf-8",
    )
    times = read_times(path, teacher.course)
    assert listed_time(times, "ann", "01_numbers") == NOON + timedelta(days=1)
    assert listed_time(times, "ann", "other") == NOON
    assert listed_time(times, "bo", "01_numbers") == NOON + timedelta(days=2)
    assert listed_time(times, "bo", "other") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,when\nann,now\n", "columns student, time"),
        ("student,time\nann,yesterday\n", "line 2: expected a time"),
        ("student,time,homework\nann,2027-03-01T12:00Z,99\n", "line 2: no homework is called '99'"),
    ],
)
def test_a_bad_table_is_named_with_its_line(tmp_path: Path, teacher: Any, text: str, said: str) -> None:
    (tmp_path / "times.csv").write_text(text, encoding="utf-8")
    with pytest.raises(GradingError, match=said):
        read_times(tmp_path / "times.csv", teacher.course)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("public_share = 2", "public_share to be a number from 0.0 to 1.0, found 2"),
        ("late_days_at_most = 1.5", "whole number"),
        ("call_seconds = true", "found True"),
        ("late_deductions = 0.1", "late_deductions is no setting"),
        ("[grading.deadlines]\n01_numbers = 2027-03-01T12:00:00", "offset from UTC"),
        ("[grading.deadlines]\n01_nombers = 2027-03-01T12:00:00Z", "no lesson with the folder 01_nombers"),
    ],
)
def test_a_bad_setting_is_named(teacher: Any, table: str, said: str) -> None:
    path = teacher.root / "course.toml"
    path.write_text(path.read_text(encoding="utf-8") + f"\n[grading]\n{table}\n", encoding="utf-8")
    with pytest.raises(GradingError, match=said):
        load_settings(teacher.root)


def test_the_course_s_own_settings_can_be_read() -> None:
    settings = load_settings(ROOT)
    assert 0 < settings.public_share < 0.5
    assert settings.submission_seconds > settings.test_seconds > settings.call_seconds
