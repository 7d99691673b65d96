"""Workers of one submission that come from one process: they share nothing, and it never sees the submission."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from classroom.judge import Failure, JudgeError, Session, Student, SubmissionError, expect
from classroom.judge import Test as JudgeTest
from classroom.judge.workers import Workers
from classroom.sandbox import Sandbox

Write = Callable[[str], Path]
SOURCE = """
import builtins, os, random, stat, sys, time
import numpy as np

builtins.loaded = getattr(builtins, "loaded", 0) + 1
np.loaded = getattr(np, "loaded", 0) + 1

def count(): return builtins.loaded, np.loaded, np.allclose(1, 2)

def spoil():
    np.allclose = lambda *a, **k: True
    builtins.loaded = np.loaded = 99
    sys.modules["codec"] = sys.modules["__main__"] = None

def draw(): return random.random(), int(np.random.randint(1 << 60)), int(np.random.default_rng().integers(1 << 60))

def sockets():
    found = []
    for number in range(256):
        try: mode = os.fstat(number).st_mode
        except OSError: continue
        found.append((number, stat.S_ISSOCK(mode)))
    return found

def signal_parent():
    os.kill(os.getppid(), 0)

def sleep(): time.sleep(60)
def leave(n): os._exit(n)
def f(x): return x
"""


@pytest.fixture
def workers(bubblewrap: Sandbox, write: Write) -> Iterator[Workers]:
    with Workers(write(SOURCE), ["kuiper"], bubblewrap) as forked:
        yield forked


def student(workers: Workers, seconds: float = 10.0) -> Student:
    return Student(workers.path, seconds, workers=workers)


def test_what_one_worker_does_the_next_does_not_see(workers: Workers) -> None:
    for _ in range(2):
        with student(workers) as worker:
            assert worker.count() == (1, 1, False)
            worker.spoil()


def test_all_come_from_one_process_which_is_none_of_them(workers: Workers) -> None:
    with student(workers), student(workers) as second:
        forker = workers._forker
        assert forker is not None
        assert second._process._child._forker is forker  # type: ignore[attr-defined]
        assert second.f(np.arange(3)).tolist() == [0, 1, 2]


def test_no_two_workers_draw_the_same(workers: Workers) -> None:
    drawn = []
    for _ in range(3):
        with student(workers) as worker:
            drawn += worker.draw()
    assert len(set(drawn)) == len(drawn)


def test_a_worker_has_its_pipes_and_not_the_judge_s_socket(workers: Workers) -> None:
    with student(workers), student(workers) as worker:
        found = dict(worker.sockets())
        assert set(found) <= {0, 1, 2, 3, 4}
        assert not any(found.values())
        with pytest.raises(SubmissionError) as caught:
            worker.signal_parent()
        assert caught.value.type == "PermissionError"


def test_after_a_death_and_after_a_time_limit_the_next_worker_serves(workers: Workers) -> None:
    for name, arguments, kind in (("leave", (3,), "died"), ("sleep", (), "timeout")):
        with student(workers, 0.3) as worker, pytest.raises(SubmissionError) as caught:
            getattr(worker, name)(*arguments)
        assert caught.value.kind == kind
        with student(workers) as worker:
            assert worker.f(1) == 1


def test_where_the_forker_is_gone_there_is_no_grade(workers: Workers) -> None:
    test = JudgeTest("f", "judged", "It holds.", lambda student, rng: expect(student.f(1), 1), False)
    with Session(workers.path, workers=workers, fresh=True) as session:
        assert session.run(test, 0).passed
        assert workers._forker is not None
        os.kill(workers._forker.process.pid, signal.SIGKILL)
        workers._forker.process.wait()
        with pytest.raises(JudgeError, match="does not start"):
            session.run(test, 0)


@pytest.mark.slow
def test_many_workers_leave_no_descriptor_and_no_process(workers: Workers) -> None:
    def left() -> Counter[str]:
        gc.collect()  # what earlier tests have left to be collected is not counted
        return Counter(os.readlink(entry.path) for entry in os.scandir("/proc/self/fd"))

    with student(workers) as worker:
        worker.f(1)
    before = left()
    rounds = 10
    for _ in range(rounds):
        with student(workers) as worker:
            worker.f(1)
    # Threads that earlier tests left behind open and close a few of their own: a leak has one for each worker.
    assert (left() - before).total() < rounds
    assert workers._forker is not None
    outer = workers._forker.process
    workers.close()
    assert outer.returncode is not None


def test_a_session_s_tests_each_get_a_fresh_one(workers: Workers) -> None:
    def spoils(student: Student, rng: np.random.Generator) -> None:
        expect(student.count(), (1, 1, False))
        student.spoil()
        raise Failure("done")

    tests = [JudgeTest("f", name, "It holds.", spoils, False) for name in ("one", "two")]
    with Session(workers.path, workers=workers, fresh=True) as session:
        assert [str(session.run(test, 0).error) for test in tests] == ["done", "done"]
