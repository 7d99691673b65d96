"""Judge on many machines: jobs go to the workers of a Dask cluster, results come back to this process.

Each worker needs the same version of the course and its own sandbox; a worker with another version returns
Status.INFRASTRUCTURE instead of grades. Start workers with one thread each:
`dask worker ADDRESS --nworkers N --nthreads 1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from classroom import register
from classroom.grading.errors import GradingError
from classroom.grading.judging import ATTEMPTS, Job, infrastructure, judge
from classroom.grading.records import Graded

AHEAD = 4
"""Jobs in flight per thread of the cluster."""
TO_CONNECT = 30


def run_dask(
    jobs: Iterable[Job], address: str, security: Any = None, work: Callable[[Job], Graded] | None = None
) -> Iterator[Graded]:
    """Judge the jobs on the cluster at `address` (tcp://host:8786, tls://host:8786); yield results as they come.

    `work` : what a worker does with a job; without, it judges.

    A job lost with its worker is retried on another, ATTEMPTS times at most. Raises GradingError if Dask is not
    installed or the cluster cannot be reached.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise GradingError('Dask is not installed: pip install -e ".[cluster]" in the course\'s folder') from error
    try:
        client = Client(address, security=security, timeout=TO_CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        raise GradingError(f"{address}: no cluster answers there: {error}") from error
    with client:
        rest, pending = iter(jobs), {}
        running = as_completed()
        most = max(1, AHEAD * sum(client.nthreads().values()))

        def submit(count: int) -> None:
            for job in islice(rest, count):
                future = client.submit(work or judge_there, job, pure=False, retries=ATTEMPTS - 1)
                pending[future.key] = job
                running.add(future)

        submit(most)
        for future in running:
            job = pending.pop(future.key)
            try:
                yield future.result()
            except Exception as error:  # KilledWorker, or any other error of the cluster
                yield infrastructure(job, f"the cluster lost it: {type(error).__name__}: {error}")
            submit(1)


def judge_there(job: Job) -> Graded:
    """Judge on a worker's machine, with its own copy of the course unless the job's is there."""
    root = job.suite.root if (Path(job.suite.root) / "course.toml").is_file() else register.ROOT
    return judge(replace(job, suite=replace(job.suite, root=root)))
