"""The thread pool: runs the calls of a stage in parallel, with numpy's BLAS held to one thread in each."""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.calls import Call, Stage


def usable_cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads() -> int:
    """OMP_NUM_THREADS, which other frameworks use too, or one per core."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(int(asked), 64)) if asked.isdecimal() else usable_cores()


class _Worker:
    """A thread that waits for a list of calls, makes them, and reports back."""

    def __init__(self, number: int) -> None:
        self.begin, self.done = threading.Lock(), threading.Lock()
        self.begin.acquire()
        self.done.acquire()
        self.calls: list[Call] = []
        self.error: BaseException | None = None
        self.busy = False
        self._cores: list[int] = []
        self._thread = threading.Thread(target=self._serve, name=f"kuiper-thread-{number}", daemon=True)
        self._thread.start()

    def keep_to(self, cores: list[int]) -> None:
        """Run on these cores from now on."""
        if cores != self._cores:
            self._cores = cores
            keep_to(cores, self._thread.native_id)

    def _serve(self) -> None:
        np.seterr(all="ignore")  # for this thread only; infinities and NaN show in the result
        while True:
            self.begin.acquire()
            try:
                for call in self.calls:
                    call()
            except BaseException as error:  # raised again by the thread that waits for the stage
                self.error = error
            self.calls, self.busy = [], False
            self.done.release()


class ThreadPool:
    """Threads that outlive the plans that use them.

    A stage is over in a fraction of a millisecond, long before the scheduler separates two threads that it has woken on
    one core. So with as many threads as cores, every thread keeps to its core while a plan runs.
    """

    def __init__(self) -> None:
        self._workers: list[_Worker] = []
        self._in_use = threading.Lock()

    @contextmanager
    def session(self, threads: int) -> Iterator[Callable[[Sequence[Stage]], None]]:
        """Within the context, the yielded function runs stages on this many threads.

        With one thread, or while the pool is in use, it runs them on the calling thread.
        """
        if threads < 2 or not self._in_use.acquire(blocking=False):
            yield run_serially
            return
        try:
            cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
            pinned = len(cores) == threads
            while len(self._workers) < threads - 1:
                self._workers.append(_Worker(len(self._workers) + 1))
            for number, worker in enumerate(self._workers[: threads - 1], 1):
                worker.keep_to([cores[number]] if pinned else cores)
            if not pinned:
                yield self._run
                return
            keep_to(cores[:1])
            try:
                yield self._run
            finally:
                keep_to(cores)
        finally:
            self._in_use.release()

    def _run(self, stages: Sequence[Stage]) -> None:
        for stage in stages:
            if len(stage) > 1:
                self._fork(stage)
            else:
                for call in stage[0]:
                    call()

    def _fork(self, stage: Stage) -> None:
        busy = self._workers[: len(stage) - 1]
        error: BaseException | None = None
        try:
            for worker, calls in zip(busy, stage[1:]):
                worker.calls, worker.busy = calls, True
                worker.begin.release()
            try:
                for call in stage[0]:
                    call()
            except BaseException as mine:
                error = mine
            for worker in busy:
                worker.done.acquire()
                error, worker.error = error or worker.error, None
        except BaseException:  # Ctrl-C in between: the state of the locks is unknown
            self._workers = []
            while any(worker.busy for worker in busy):
                time.sleep(0.001)
            raise
        if error is not None:
            raise error


def keep_to(cores: Sequence[int], thread: int | None = None) -> None:
    """Pin a thread, by its native id, or the calling one to these cores, if the system allows it."""
    if cores:
        with suppress(OSError):
            os.sched_setaffinity(thread or 0, cores)


def run_serially(stages: Sequence[Stage]) -> None:
    """Make all calls of the stages on the calling thread."""
    for stage in stages:
        for calls in stage:
            for call in calls:
                call()


pool = ThreadPool()


def _forget() -> None:
    """A forked child has none of its parent's threads."""
    global pool, blas
    pool, blas = ThreadPool(), Blas()


class Blas:
    """numpy's BLAS, held to one thread while plans run or kernels are timed.

    The setting is global to the process: it is changed when the first plan starts and restored when the last one ends.
    It takes threadpoolctl.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._users = 0
        self._limit: Any = None
        self._controller: Any = None

    @property
    def can_be_held(self) -> bool:
        """Whether threadpoolctl is installed."""
        return self._find() is not None

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Within the context, matrix products run on the calling thread."""
        with self._guard:
            if self._users == 0 and (controller := self._find()) is not None:
                self._limit = controller.limit(limits=1, user_api="blas")
            self._users += 1
        try:
            yield
        finally:
            with self._guard:
                self._users -= 1
                if self._users == 0 and self._limit is not None:
                    self._limit.restore_original_limits()
                    self._limit = None

    def _find(self) -> Any:
        if self._controller is None:
            try:
                threadpoolctl = importlib.import_module("threadpoolctl")
            except ModuleNotFoundError:
                return None
            self._controller = threadpoolctl.ThreadpoolController().select(user_api="blas")
        return self._controller


blas = Blas()
"""Read it as `threads.blas`: a forked child gets another."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def parallel(threads: int) -> Iterator[Callable[[Sequence[Stage]], None]]:
    """Within the context, the yielded function runs stages on this many threads, with BLAS on one thread in each."""
    with blas.one_thread(), np.errstate(all="ignore"), pool.session(threads) as run:
        yield run
