"""A whole class in each layout in which course systems export: every row of every table is checked."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from classroom.grading import grade as grading
from classroom.grading.grade import GradingRun, Options
from classroom.grading.judging import Job, judge
from classroom.grading.records import Grade, Graded, Isolation, Status
from classroom.grading.store import Store
from tests.classroom.grading.bulk_class import (
    LAYOUTS,
    NOON,
    Student,
    lay_out,
    made_up,
    pack,
    worth,
    write_roster,
    write_times,
)

FOLDER = "01_numbers"
POLICY = f"[grading]\nlate_deduction = 0.25\ngrace_minutes = 0\n[grading.deadlines]\n{FOLDER} = 2026-03-01T12:00:00Z\n"
SYSTEMS_WITH_TIMES = ("gradescope", "nbgrader")


def stub_judge(job: Job) -> Graded:
    """What a file says that it is worth, as the judge's result."""
    (data,) = job.submission.files.values()
    most = (("double", 2.0, 0.0), ("turn", 3.0, worth(data)), ("power", 4.0, 0.0))
    grades = tuple(Grade(name, points, top, Status.PARTIAL) for name, top, points in most)
    one = job.submission
    return Graded(one.student, one.homework, one.digest, job.suite.version, grades, Isolation.STRONG)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch, teacher: Any) -> list[Job]:
    """The stub judges instead of workers; the jobs that it got."""
    seen: list[Job] = []

    def run(jobs: Iterable[Job], processes: int, folder: Path | None) -> Iterator[Graded]:
        for job in jobs:
            seen.append(job)
            yield stub_judge(job)

    monkeypatch.setattr(grading, "run_local", run)
    path = teacher.root / "course.toml"
    path.write_text(path.read_text(encoding="utf-8") + POLICY, encoding="utf-8")
    return seen


def graded(teacher: Any, handed_in: Path, out: Path, **options: Any) -> tuple[list[str], GradingRun]:
    """Take in, judge and report as the command does -> what it said."""
    run = GradingRun(teacher.course, out, Options(seed=1, **options))
    run.check(handed_in)
    with Store(out) as store:
        said = run.take_in(handed_in, store)
        suites = run.suites(store)
        list(run.judge(store, suites, run.jobs(store, suites, None)))
        said += run.report(store)
    return said, run


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def points_of(one: Student) -> str:
    return number(max(0.0, (one.points or 0.0) * (1 - 0.25 * one.late)))


def check_tables(people: list[Student], out: Path) -> None:
    totals = {row["student"]: row for row in table(out / "totals.csv")}
    assert totals.keys() == {one.person.login for one in people}
    canvas = {row["SIS Login ID"]: row for row in table(out / "exports" / "canvas.csv")}
    moodle = {row["Username"]: row for row in table(out / "exports" / "moodle" / f"{FOLDER}.csv")}
    nbgrader = {row["student_id"]: row for row in table(out / "exports" / "nbgrader.csv")}
    title = "Homework 1: Numbers"
    assert canvas.keys() == {"", *totals}
    for one in people:
        who, row, mine = one.person, totals[one.person.login], canvas[one.person.login]
        assert (row["homework 1"], row["points"]) == (points_of(one), points_of(one)), who
        assert (row["name"], row["student_id"], row["email"], row["section"]) == (
            who.name,
            who.student_id,
            who.email,
            who.section,
        )
        assert (mine["Student"], mine["ID"], mine["SIS User ID"], mine["Section"], mine[title]) == (
            who.name,
            who.platform_id,
            who.student_id,
            who.section,
            points_of(one),
        )
        assert moodle[who.login] == {
            "Email address": who.email,
            "ID number": who.student_id,
            "Username": who.login,
            title: points_of(one),
        }
        assert nbgrader[who.login]["score"] == points_of(one)
        assert nbgrader[who.login]["email"] == who.email


def whole_class(teacher: Any, tmp_path: Path, name: str, packed: bool, count: int) -> list[Student]:
    """Grade a class in one layout, and check every row -> the class."""
    people, entries = made_up(count), LAYOUTS[name]
    made = entries(people, teacher.solution)
    handed_in = pack(made, tmp_path / "download.zip") if packed else lay_out(made, tmp_path / "handed in")
    write_roster(people, tmp_path / "class.csv")
    write_times(people, tmp_path / "times.csv")
    times = None if name in SYSTEMS_WITH_TIMES else tmp_path / "times.csv"
    options = {"roster": tmp_path / "class.csv", "times": times}
    said, _ = graded(teacher, handed_in, tmp_path / "out", **options)
    assert not [line for line in said if "not on the class list" in line or "left aside" in line or "not read" in line]
    nothing = [one.person.login for one in people if one.points is None]
    missing = next((line for line in said if line.startswith("on the class list, and handed in nothing")), "")
    assert missing.count("s0") == min(20, len(nothing))
    check_tables(people, tmp_path / "out")
    return people


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="two folders whose names differ by capitals alone")
@pytest.mark.parametrize("packed", [False, True], ids=["unpacked", "as a zip"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_ten_students_in_each_layout(teacher: Any, tmp_path: Path, judged: list[Job], name: str, packed: bool) -> None:
    people = whole_class(teacher, tmp_path, name, packed, 10)
    assert len(judged) == sum(one.points is not None for one in people)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="two folders whose names differ by capitals alone")
@pytest.mark.parametrize("packed", [False, True], ids=["unpacked", "as a zip"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_three_hundred_students_in_each_layout(
    teacher: Any, tmp_path: Path, judged: list[Job], name: str, packed: bool
) -> None:
    people = whole_class(teacher, tmp_path, name, packed, 300)
    assert len(judged) == sum(one.points is not None for one in people)
    for job in judged[:: len(judged) // 4]:  # a few of them by the judge itself
        whole = judge(job, teacher.sandbox, Isolation.STRONG)
        assert [grade.status for grade in whole.grades] == [Status.PASSED] * 3


def test_cells_are_empty_before_the_deadline_and_zero_after(teacher: Any, tmp_path: Path, judged: list[Job]) -> None:
    people = [replace(one, late=0) for one in made_up(20, seed=3)]
    assert {one.points is None for one in people} == {True, False}
    write_roster(people, tmp_path / "class.csv")
    handed_in = lay_out(LAYOUTS["canvas"](people, teacher.solution), tmp_path / "s")
    _, run = graded(teacher, handed_in, tmp_path / "out", roster=tmp_path / "class.csv")
    after = table(tmp_path / "out" / "totals.csv")
    assert {row["homework 1"] for row in after if row["student"] in nobody(people)} == {"0"}
    later = NOON.replace(year=2126)
    run.settings = replace(run.settings, deadlines={FOLDER: later})
    with Store(tmp_path / "out") as store:
        run.report(store)
    totals = table(tmp_path / "out" / "totals.csv")
    assert {row["homework 1"] == "" for row in totals if row["student"] in nobody(people)} == {True}
    assert {row["homework 1"] == "" for row in totals if row["student"] not in nobody(people)} == {False}
    canvas = {row["SIS Login ID"] for row in table(tmp_path / "out" / "exports" / "canvas.csv")}
    assert not canvas & nobody(people)


def nobody(people: list[Student]) -> set[str]:
    return {one.person.login for one in people if one.points is None}


def test_an_extension_moves_one_student_s_deadline_alone(
    teacher: Any, mini: Any, tmp_path: Path, judged: list[Job]
) -> None:
    people = [replace(one, late=2, points=2.0) for one in made_up(4)]
    write_roster(people, tmp_path / "class.csv")
    write_times(people, tmp_path / "times.csv")
    day = (NOON + timedelta(days=1)).date().isoformat()
    (tmp_path / "extensions.csv").write_text(
        f"email,homework,deadline\n{people[2].person.email},1,{day}\n", encoding="utf-8"
    )
    handed_in = lay_out(LAYOUTS["plain"](people, teacher.solution), tmp_path / "s")
    out = tmp_path / "out"
    graded(
        teacher,
        handed_in,
        out,
        roster=tmp_path / "class.csv",
        times=tmp_path / "times.csv",
        extensions=tmp_path / "extensions.csv",
    )
    points = {row["student"]: row["points"] for row in table(out / "totals.csv")}
    assert points == {one.person.login: "1.5" if one.number == 2 else "1" for one in people}
    said = mini.run("extend", "s0003", "1", "2026-03-05", "--out", str(out))
    assert said.exit_code == 0, said.output
    assert "until 2026-03-05T23:59:00+00:00" in said.output
    points = {row["student"]: row["points"] for row in table(out / "totals.csv")}
    assert (points["s0003"], points["s0002"], points["S0000"]) == ("2", "1.5", "1")
    assert mini.run("extend", "s0003", "1", "none", "--out", str(out)).exit_code == 0
    assert {row["student"]: row["points"] for row in table(out / "totals.csv")}["s0003"] == "1"
    for deadline, why in (("2026-02-01", "not after the deadline"), ("soon", "expected a time")):
        wrong = mini.run("extend", "s0003", "1", deadline, "--out", str(out))
        assert wrong.exit_code == 2
        assert why in " ".join(wrong.output.split())
    wrong = mini.run("extend", "nobody", "1", "2026-03-05", "--out", str(out))
    assert "holds nothing of 'nobody'" in " ".join(wrong.output.split())


def test_a_download_of_one_homework_takes_nothing_away_from_another_run(
    teacher: Any, tmp_path: Path, judged: list[Job]
) -> None:
    people = made_up(12, seed=3)
    write_roster(people, tmp_path / "class.csv")
    first = lay_out(LAYOUTS["canvas"](people, teacher.solution), tmp_path / "first")
    graded(teacher, first, tmp_path / "out", roster=tmp_path / "class.csv")
    before = table(tmp_path / "out" / "totals.csv")
    second = lay_out(LAYOUTS["canvas"](people[:1], teacher.solution), tmp_path / "second")
    said, _ = graded(teacher, second, tmp_path / "out")
    assert any("submissions of earlier runs are kept" in line for line in said)
    assert table(tmp_path / "out" / "totals.csv") == before


def test_a_class_list_that_comes_later_renames_and_loses_nothing(
    teacher: Any, tmp_path: Path, judged: list[Job]
) -> None:
    people = [replace(one, late=0, points=2.0) for one in made_up(5)]
    handed_in = lay_out(LAYOUTS["canvas"](people, teacher.solution), tmp_path / "s")
    out = tmp_path / "out"
    graded(teacher, handed_in, out)
    canvas = table(out / "exports" / "canvas.csv")
    assert {row["SIS Login ID"] for row in canvas} == {""}
    assert {row["ID"] for row in canvas[1:]} == {one.person.platform_id for one in people}
    old = next(row["student"] for row in table(out / "totals.csv") if row["student"].endswith("900003"))
    with Store(out) as store:
        store.override(old, FOLDER, "double", 1.0, "seen in class")
    write_roster(people, tmp_path / "class.csv")
    graded(teacher, handed_in, out, roster=tmp_path / "class.csv")
    totals = {row["student"]: row["points"] for row in table(out / "totals.csv")}
    assert totals == {one.person.login: "3" if one.number == 3 else "2" for one in people}
