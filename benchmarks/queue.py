"""A very large class on a Dask cluster, in small: `python -m benchmarks.queue --submissions 50000 --workers 2`.

The queue, its scheduler, its workers and the store of results are the real ones. Only the judging is not: a worker
sleeps as long as it takes, `--faster` times faster. How long it takes is measured first, by really judging some
submissions of a made-up class. A third of the way one worker is killed, and another is started. Printed is whether
every submission has exactly one result, what the queue costs beside the judging, and what it would take for real.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from classroom import register
from classroom.grading.cluster import run_dask
from classroom.grading.judging import Job, judge, this_sandbox
from classroom.grading.points import nothing
from classroom.grading.population import make_class
from classroom.grading.records import Graded, Isolation, Status, Submission
from classroom.grading.settings import load_settings
from classroom.grading.store import Store
from classroom.grading.suite import Suite, suite_of
from classroom.register import ROOT, Exercise, Lesson

SECONDS_TO_START = 120
PRETENDED = Exercise("pretended", "", 1)


def main() -> None:
    """Measure, pretend, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--submissions", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--faster", type=float, default=100.0)
    parser.add_argument("--measured", type=int, default=24, help="submissions that are really judged first")
    parser.add_argument("--out", type=Path, help="keep the results here; stopped, the same command goes on")
    options = parser.parse_args()
    lesson = register.load().lesson(1)
    suite = suite_of(lesson, load_settings(ROOT), seed=0)
    times = judging_times(lesson, suite, options.measured)
    print(f"isolation {this_sandbox()[1].value}; {len(times)} submissions of lesson 1 really judged, one at a time: "
          f"mean {statistics.fmean(times):.2f} s, median {statistics.median(times):.2f} s", flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder)
        count, wall, ideal = simulate(suite, times, options.submissions, options.workers, options.faster, out)
    if not count:
        return
    overhead = (wall - ideal) / count
    print(f"{count} submissions, {options.workers} workers, {options.faster:g} times faster:")
    print(f"{wall:.0f} s by the clock, {ideal:.0f} s of it judging; the queue costs {1000 * overhead:.2f} ms each")
    hours = (statistics.fmean(times) / options.workers + overhead) * options.submissions / 3600
    print(f"{options.submissions} for real: {hours:.1f} hours on {options.workers} workers")


def judging_times(lesson: Lesson, suite: Suite, count: int) -> list[float]:
    """Seconds by the clock of judging so many submissions of a made-up class, one after the other."""
    found = []
    for student in make_class([lesson], count, seed=1):
        files = {lesson.homework_file: student.texts[lesson.folder].encode()}
        started = time.monotonic()
        judge(Job(Submission(student.name, lesson.folder, files), suite))
        found.append(time.monotonic() - started)
    return found


def time_of(digest: str, times: Sequence[float]) -> float:
    """The time that a submission takes: one of the measured ones, always the same."""
    return times[int(digest[:12], 16) % len(times)]


def pretend(job: Job, times: Sequence[float], faster: float) -> Graded:
    """Sleep instead of judging."""
    one = job.submission
    time.sleep(time_of(one.digest, times) / faster)
    grades = (nothing(PRETENDED, Status.FAILED, ""),)
    return Graded(one.student, one.homework, one.digest, job.suite.version, grades, Isolation.STRONG)


def simulate(
    suite: Suite, times: Sequence[float], count: int, workers: int, faster: float, folder: Path
) -> tuple[int, float, float]:
    """(submissions that were open, seconds by the clock, seconds of judging for each worker).

    Raises RuntimeError if a result is missing.
    """
    from distributed import Client, LocalCluster

    running: list[subprocess.Popen[bytes]] = []
    with Store(folder) as store, LocalCluster(n_workers=0, dashboard_address=None, scheduler_port=0) as cluster:
        store.keep_suites({suite.homework: suite.version})
        if len(store) != count:
            store.keep_submissions(_class(suite, count))
        waiting = [digest for digest in store if not store.is_judged(digest, suite.version)]
        try:
            running += [_worker(cluster.scheduler_address, folder) for _ in range(workers)]
            with Client(cluster) as client:
                client.wait_for_workers(workers, timeout=SECONDS_TO_START)
            started, done = time.monotonic(), 0
            jobs = (Job(store[digest], suite) for digest in waiting)
            work = partial(pretend, times=times, faster=faster)
            for graded in run_dask(jobs, cluster.scheduler_address, work=work):
                if not store.keep(graded):
                    raise RuntimeError(f"{graded.student} has two results")
                done += 1
                if done == len(waiting) // 3:
                    running[0].kill()
                    running.append(_worker(cluster.scheduler_address, folder))
            wall = time.monotonic() - started
        finally:
            for one in running:
                one.kill()
                one.wait()
        lost, again = store.unjudged(), store.forget_infrastructure()
    print(f"{len(waiting)} of {count} were open: {done} results, {lost} missing, {again} to be judged again")
    print("one worker was killed on the way", flush=True)
    if lost or again or done != len(waiting):
        raise RuntimeError("not every submission has its result")
    return len(waiting), wall, sum(time_of(digest, times) for digest in waiting) / faster / workers


def _class(suite: Suite, count: int) -> Iterator[Submission]:
    return (Submission(f"student{number:06}", suite.homework, {"hw.py": b"pass"}) for number in range(count))


def _worker(address: str, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    return subprocess.Popen(
        [*command, "--no-dashboard", "--death-timeout", str(SECONDS_TO_START)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
