from __future__ import annotations

import csv
import hashlib
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom.cli import progress_bar
from classroom.grading import grade as grading
from classroom.grading import population, runner
from classroom.grading.errors import GradingError
from classroom.grading.grade import GradingRun, Options, in_shard
from classroom.grading.intake.handing_in import write_class
from classroom.grading.judging import Job, judge
from classroom.grading.records import Graded, Isolation, Status
from classroom.grading.store import FILE_NAME, Store
from classroom.sandbox import Bare

FULL = {"double": 2.0, "turn": 3.0, "power": 4.0}
Key = tuple[str, str]


def rows(out: Path) -> dict[Key, dict[str, str]]:
    """(student, exercise) -> row of grades.csv."""
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}


def points(out: Path) -> dict[Key, float]:
    return {key: float(row["points"]) for key, row in rows(out).items()}


def results(out: Path) -> dict[str, tuple[int, str]]:
    """digest -> (row, result)."""
    if not (out / FILE_NAME).is_file():
        return {}
    base = sqlite3.connect(out / FILE_NAME, timeout=60)
    try:
        return {row[0]: row[1:] for row in base.execute("SELECT digest, rowid, graded FROM results")}
    except sqlite3.OperationalError:  # the tables are not there yet
        return {}
    finally:
        base.close()


def expected(people: Iterable[population.SimulatedStudent]) -> dict[Key, float]:
    """Every mutant of the small course fails all hidden tests of its exercise."""
    return {(one.name, name): 0.0 if name in one.wrong else most for one in people for name, most in FULL.items()}


def hand_in(teacher: Any, folder: Path, count: int, seed: int = 0) -> list[population.SimulatedStudent]:
    people = population.make_class([teacher.lesson], count, seed)
    write_class(people, [teacher.lesson], folder)
    return people


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, teacher: Any) -> list[Job]:
    """Judging in this process, by workers that nothing shuts in; the jobs that were judged."""
    seen: list[Job] = []

    def run(jobs: Iterable[Job], processes: int, folder: Path | None) -> Iterator[Graded]:
        for job in jobs:
            seen.append(job)
            yield judge(job, teacher.sandbox, Isolation.NONE)

    monkeypatch.setattr(grading, "run_local", run)
    monkeypatch.setattr("classroom.grading.judging.this_sandbox", lambda: (Bare(), Isolation.NONE))
    return seen


def until(condition: Any, process: Any, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def is_judge(pid: int) -> bool:
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_killed_in_the_middle_it_goes_on_and_judges_each_once(teacher: Any, mini: Any, tmp_path: Path) -> None:
    people = hand_in(teacher, tmp_path / "subs", 10)
    assert {one.kind for one in people} >= {population.HONEST, population.WRONG}
    out = tmp_path / "out"
    command = ("grade", str(tmp_path / "subs"), "--out", str(out), "--seed", "3", "--jobs", "2")
    run = mini.start(*command)
    until(lambda: len(results(out)) >= 1, run)
    os.kill(next(pid for pid in children(run.pid) if is_judge(pid)), signal.SIGKILL)
    until(lambda: len(results(out)) >= 3, run)
    run.kill()
    run.communicate()
    before = results(out)
    assert 3 <= len(before) < 10
    assert not (out / "grades.csv").exists()
    again = mini.start(*command)
    said, trouble = again.communicate(timeout=300)
    assert again.returncode == 0, trouble
    assert f"{10 - len(before)} submissions to judge, {len(before)} judged already" in said
    after = results(out)
    assert len(after) == 10
    assert {key: after[key] for key in before} == before
    assert points(out) == expected(people)
    assert len(list((out / "feedback").glob("*.html"))) == 10
    assert "0 submissions to judge, 10 judged already" in mini.run(*command).stdout
    assert results(out) == after


def test_a_process_that_always_dies_leaves_no_grade_and_the_run_goes_on(
    teacher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "serve", type)  # the process ends at once
    jobs = [teacher.job(student=name, hw01_numbers=teacher.solution) for name in ("ann", "bo")]
    found = list(runner.run_local(jobs, 1))
    assert sorted(one.student for one in found) == ["ann", "bo"]
    assert {grade.status for one in found for grade in one.grades} == {Status.INFRASTRUCTURE}


@pytest.mark.slow
def test_shards_divide_the_class_and_merge_to_the_whole(
    teacher: Any, mini: Any, tmp_path: Path, here: list[Job]
) -> None:
    people = hand_in(teacher, tmp_path / "subs", 5, seed=1)
    parts = [tmp_path / f"part{number}" for number in (1, 2)]
    unseeded = mini.run("grade", str(tmp_path / "subs"), "--shard", "1/2", "--out", str(tmp_path / "unseeded"))
    assert "--shard needs --seed" in unseeded.stderr
    for number, part in enumerate(parts, 1):
        said = mini.run("grade", str(tmp_path / "subs"), "--out", str(part), "--shard", f"{number}/2", "--seed", "5")
        assert said.exit_code == 0, said.output
    names = [{student for student, _ in points(part)} for part in parts]
    assert not names[0] & names[1]
    assert all(names)
    merged = mini.run("merge", *map(str, parts), "--out", str(tmp_path / "all"))
    assert merged.exit_code == 0, merged.output
    assert points(tmp_path / "all") == expected(people)
    assert len(here) == 5


def test_a_folder_that_is_no_shard_is_refused_before_anything_is_written(mini: Any, tmp_path: Path) -> None:
    said = mini.run("merge", str(tmp_path), "--out", str(tmp_path / "all"))
    assert said.exit_code == 2
    assert "holds no results" in said.stderr
    assert not (tmp_path / "all").exists()


def test_a_folder_of_results_is_no_class(teacher: Any, mini: Any, tmp_path: Path, here: list[Job]) -> None:
    hand_in(teacher, tmp_path / "subs", 1, seed=1)
    out = str(tmp_path / "out")
    assert mini.run("grade", str(tmp_path / "subs"), "--out", out).exit_code == 0
    said = mini.run("grade", out, "--out", str(tmp_path / "again"))
    assert said.exit_code == 2
    assert "holds results, not submissions" in said.stderr


def test_a_shard_of_a_name_is_the_same_everywhere() -> None:
    first = int(hashlib.sha256(b"ann").hexdigest()[:16], 16)
    assert [in_shard("ann", (n, 5)) for n in range(1, 6)].index(True) == first % 5
    shares = [sum(in_shard(f"student{n}", (i, 4)) for n in range(1000)) for i in range(1, 5)]
    assert sum(shares) == 1000
    assert min(shares) > 200


@pytest.mark.slow
def test_points_set_by_a_person_stay_when_it_is_judged_again(
    teacher: Any, mini: Any, tmp_path: Path, here: list[Job]
) -> None:
    (tmp_path / "subs" / "ann").mkdir(parents=True)
    (tmp_path / "subs" / "ann" / "hw01_numbers.py").write_text(teacher.stub, encoding="utf-8")
    (tmp_path / "subs" / "=cmd()").mkdir()
    out = ("--out", str(tmp_path / "out"))
    assert mini.run("grade", str(tmp_path / "subs"), *out).exit_code == 0
    assert points(tmp_path / "out")["ann", "double"] == 0
    assert ("'=cmd()", "double") in points(tmp_path / "out")
    assert "needs a reason" in mini.run("override", "ann", "double", "1.5", "--why", " ", *out).stderr
    assert mini.run("override", "ann", "double", "1.5", "--why", "right but for a sign", *out).exit_code == 0
    assert mini.run("regrade", "ann", *out).exit_code == 0
    row = rows(tmp_path / "out")["ann", "double"]
    assert (row["points"], row["status"], row["message"]) == ("1.5", "overridden", "right but for a sign")
    assert rows(tmp_path / "out")["ann", "turn"]["status"] == "missing"
    assert len(here) == 2
    assert here[0] == here[1]
    hidden = teacher.file.parent / "judge" / "double.py"
    hidden.write_text(hidden.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    assert "tests or settings of 01_numbers have changed" in mini.run("regrade", "ann", *out).stderr
    assert len(here) == 2
    again = mini.run("grade", str(tmp_path / "subs"), *out).stdout
    assert "have changed since: 01_numbers, judged again" in again
    assert "1 submission to judge" in again
    assert len(here) == 3
    assert "at most 2 points" in mini.run("override", "ann", "double", "20", "--why", "a slip", *out).stderr
    assert mini.run("override", "ann", "double", "2", "--why", "again", *out).exit_code == 0
    assert points(tmp_path / "out")["ann", "double"] == 2
    for command in (("regrade", "bo"), ("override", "bo", "double", "1", "--why", "x")):
        said = mini.run(*command, *out)
        assert said.exit_code == 2
        assert "holds nothing of 'bo'" in said.stderr
    assert "holds no results" in mini.run("regrade", "ann", "--out", str(tmp_path / "nowhere")).stderr


@pytest.mark.slow
def test_lateness_is_taken_from_the_table_and_the_policy(
    teacher: Any, mini: Any, tmp_path: Path, here: list[Job]
) -> None:
    path = teacher.root / "course.toml"
    policy = "[grading]\nlate_deduction = 0.25\ngrace_minutes = 0\n"
    deadline = "[grading.deadlines]\n01_numbers = 2027-03-01T12:00:00Z\n"
    path.write_text(path.read_text(encoding="utf-8") + policy + deadline, encoding="utf-8")
    (tmp_path / "subs" / "ann").mkdir(parents=True)
    (tmp_path / "subs" / "ann" / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    (tmp_path / "times.csv").write_text("student,time\nann,2027-03-02T12:00:01Z\n", encoding="utf-8")
    command = ("grade", str(tmp_path / "subs"), "--out", str(tmp_path / "out"))
    assert mini.run(*command, "--times", str(tmp_path / "times.csv")).exit_code == 0
    row = rows(tmp_path / "out")["ann", "turn"]
    assert (row["points"], row["max_points"], row["late"]) == ("1.5", "3", "2")
    (tmp_path / "times.csv").write_text("student,time\nann,2027-03-01T12:00:00Z\n", encoding="utf-8")
    assert mini.run(*command, "--times", str(tmp_path / "times.csv")).exit_code == 0
    assert rows(tmp_path / "out")["ann", "turn"]["points"] == "3"
    assert len(here) == 1


@pytest.mark.slow
def test_who_is_in_the_table_of_times_and_handed_in_nothing_is_named(
    teacher: Any, mini: Any, tmp_path: Path, here: list[Job]
) -> None:
    for name in ("ann", "bo"):
        (tmp_path / "subs" / name).mkdir(parents=True)
        (tmp_path / "subs" / name / "hw01_numbers.py").write_text(teacher.stub, encoding="utf-8")
    (tmp_path / "subs" / "hw01_numbers.py").write_text(teacher.stub, encoding="utf-8")
    table = "student,time\nann,2027-03-02T12:00Z\nAnne,2027-03-02T12:00Z\n\x1b[31mcy,2027-03-02T12:00Z\n"
    (tmp_path / "times.csv").write_text(table, encoding="utf-8")
    command = ("grade", str(tmp_path / "subs"), "--times", str(tmp_path / "times.csv"), "--out")
    said = mini.run(*command, str(tmp_path / "out"))
    assert said.exit_code == 0, said.output
    assert "times.csv names students who are not in" in said.stdout
    assert "Anne, cy" in " ".join(said.stdout.split())
    assert "left aside, because they are of no student" in " ".join(said.stdout.split())
    shard = mini.run(*command, str(tmp_path / "part"), "--shard", "1/2", "--seed", "1")
    assert "Anne, cy" in " ".join(shard.stdout.split())


@pytest.mark.slow
def test_exports_below_strong_isolation_need_force(teacher: Any, mini: Any, tmp_path: Path, here: list[Job]) -> None:
    (tmp_path / "subs" / "ann").mkdir(parents=True)
    (tmp_path / "subs" / "ann" / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    command = ("grade", str(tmp_path / "subs"), "--out", str(tmp_path / "out"))
    said = mini.run(*command)
    assert "isolation: none" in said.stdout
    assert "no exports" in said.stdout
    assert rows(tmp_path / "out")["ann", "turn"]["isolation"] == "none"
    assert (tmp_path / "out" / "feedback" / "ann.html").is_file()
    assert not (tmp_path / "out" / "exports").exists()
    assert mini.run(*command, "--force").exit_code == 0
    assert (tmp_path / "out" / "exports").is_dir()


def test_the_seed_is_secret_kept_and_never_mixed(teacher: Any, tmp_path: Path) -> None:
    seeds = []
    for name in ("a", "b"):
        with Store(tmp_path / name) as store:
            seeds += [GradingRun(teacher.course, tmp_path / name, Options())._seed(store) for _ in (1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]
    with Store(tmp_path / "c") as store:
        assert GradingRun(teacher.course, tmp_path, Options(seed=3))._seed(store) == 3
        assert GradingRun(teacher.course, tmp_path, Options())._seed(store) == 3
        with pytest.raises(GradingError, match="was graded with --seed 3"):
            GradingRun(teacher.course, tmp_path, Options(seed=4))._seed(store)


def test_fresh_judges_again_and_retry_infra_only_what_could_not_be(
    teacher: Any, tmp_path: Path, here: list[Job]
) -> None:
    people = hand_in(teacher, tmp_path / "subs", 2, seed=1)
    with Store(tmp_path / "out") as store:
        run = GradingRun(teacher.course, tmp_path / "out", Options())
        run.take_in(tmp_path / "subs", store)
        suites = run.suites(store)
        digests = run.jobs(store, suites, Isolation.NONE)
        assert len(digests) == len(people) == 2
        list(run.judge(store, suites, digests))
        assert run.jobs(store, suites, Isolation.NONE) == []
        store.forget(digests[0], suites["01_numbers"].version)
        store.keep(runner.infrastructure(Job(store[digests[0]], suites["01_numbers"]), "no disk"))
        assert run.jobs(store, suites, Isolation.NONE) == []
        run.options = Options(retry_infrastructure=True)
        assert run.jobs(store, suites, Isolation.NONE) == digests[:1]
        run.options = Options(fresh=True)
        assert run.jobs(store, suites, Isolation.NONE) == digests
        run.options = Options()
        assert run.jobs(store, suites, Isolation.STRONG) == digests


@pytest.mark.parametrize("shard", ["0/2", "3/2", "2", "a/b", "1/2/3"])
def test_a_bad_shard_is_told(mini: Any, tmp_path: Path, shard: str) -> None:
    said = mini.run("grade", "subs", "--shard", shard, "--out", str(tmp_path))
    assert said.exit_code == 2
    assert "expected i/n" in said.stderr


def test_a_course_without_hidden_tests_says_that_it_cannot_grade(mini: Any, tmp_path: Path) -> None:
    (tmp_path / "subs" / "ann").mkdir(parents=True)
    said = mini.run("grade", str(tmp_path / "subs"), "--out", str(tmp_path / "out"))
    assert said.exit_code == 2
    assert "holds no hidden tests" in said.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_no_submissions_is_told_before_anything_is_made(
    teacher: Any, mini: Any, tmp_path: Path
) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        said = mini.run("grade", str(folder / "subs"), "--out", str(tmp_path / "out"))
        assert said.exit_code == 2
        assert "expected a folder of submissions" in said.stderr
        assert "isolation" not in said.stdout
        assert not (tmp_path / "out").exists()


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_bar, "EVERY", 0.0)
    with progress_bar.progress("judging", 4) as step:
        for _ in range(3):
            step.done()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == ["judging: 1 of 4", "judging: 2 of 4", "judging: 3 of 4"]
    assert all("a second" in line and "min left" in line for line in lines)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with progress_bar.progress("judging", 2) as step:
        step.done()
        step.done()
    shown = capsys.readouterr().out
    assert "2/2" in shown
    assert "a second" in shown
