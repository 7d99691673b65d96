from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from classroom.grading import population
from classroom.grading.cluster import judge_there, run_dask
from classroom.grading.errors import GradingError
from classroom.grading.judging import Job
from classroom.grading.records import Graded, Status
from classroom.grading.store import Store
from classroom.register import ROOT

distributed = pytest.importorskip("distributed", reason="judges on Dask, which is not installed")


@contextmanager
def scheduler() -> Iterator[Any]:
    """A cluster without workers of its own."""
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, scheduler_port=0) as cluster:
        yield cluster


def worker(address: str, temporary: Path) -> subprocess.Popen[bytes]:
    """A worker as a person would start one on another machine; one that is killed leaves its files in `temporary`."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    return subprocess.Popen(
        [*command, "--no-dashboard", "--death-timeout", "60"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_no_result(teacher: Any, tmp_path: Path) -> None:
    people = population.make_class([teacher.lesson], 6, seed=1)
    jobs = [teacher.job(student=one.name, hw01_numbers=one.texts["01_numbers"]) for one in people]
    found: list[Graded] = []
    with scheduler() as cluster, Store(tmp_path) as store:
        workers = [worker(cluster.scheduler_address, tmp_path) for _ in range(2)]
        try:
            with distributed.Client(cluster) as client:
                client.wait_for_workers(2, timeout=120)
            for graded in run_dask(jobs, cluster.scheduler_address):
                assert store.keep(graded)
                found.append(graded)
                workers[0].kill()
        finally:
            for one in workers:
                one.kill()
                one.wait()
    assert sorted(one.student for one in found) == [one.name for one in people]
    wrong = {one.name: one.wrong for one in people}
    for graded in found:
        for grade in graded.grades:
            assert grade.status is not Status.INFRASTRUCTURE
            assert (grade.points == grade.max_points) is (grade.exercise not in wrong[graded.student])


def test_a_worker_where_the_course_lies_elsewhere_takes_its_own(teacher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from classroom.grading import cluster

    seen: list[Job] = []
    monkeypatch.setattr(cluster, "judge", seen.append)
    job = teacher.job(hw01_numbers="")
    judge_there(job)
    (teacher.root / "course.toml").rename(teacher.root / "elsewhere.toml")
    judge_there(job)
    assert [one.suite.root for one in seen] == [teacher.root, cluster.register.ROOT]
    assert seen[0].submission == seen[1].submission


def test_no_cluster_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classroom.grading.cluster.TO_CONNECT", 0.2)
    with pytest.raises(GradingError, match="no cluster answers"):
        list(run_dask([], "tcp://127.0.0.1:9"))
