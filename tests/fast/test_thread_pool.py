"""The pool of threads: errors, the settings of processor and matrix library as they were, and life without either."""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest

from kuiper.fast.threads import Blas, ThreadPool, blas, default_threads, parallel, run_serially, usable_cores

threadpoolctl = pytest.importorskip("threadpoolctl", reason="reads the matrix library's threads, which needs it")


def blas_threads():
    """Threads of the libraries that were there when the first plan ran, numpy's among them; later ones are others'."""
    held = {library.filepath for library in blas._find().lib_controllers}
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["filepath"] in held]


def cores():
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None


def fails(kind):
    def call():
        raise kind("on purpose")

    return call


def test_stages_follow_each_other_and_threads_run_on_threads_of_their_own():
    seen = []
    stages = [
        [[lambda i=i, thread=thread: seen.append((i, thread, threading.get_ident()))] for thread in range(3)]
        for i in "ab"
    ]
    with ThreadPool().session(3) as run:
        run(stages)
        run(stages[:1])
    assert [i for i, *_ in seen] == list("aaabbbaaa")
    threads = {thread: {ident for _, other, ident in seen if other == thread} for thread in range(3)}
    assert threads[0] == {threading.get_ident()}
    assert all(len(idents) == 1 for idents in threads.values())
    assert len(set.union(*threads.values())) == 3


@pytest.mark.parametrize("where", [0, 1, 2])
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_in_a_thread_comes_when_all_threads_are_done_and_the_pool_works_on(where, kind):
    pool, done = ThreadPool(), []
    for _ in range(3):
        threads = [[lambda i=i: done.append(i)] for i in range(3)]
        threads[where] = [fails(kind)]
        before = cores()
        with pytest.raises(kind, match="on purpose"), pool.session(3) as run:
            run([threads])
        assert sorted(done) == [i for i in range(3) if i != where]
        assert cores() == before
        done.clear()
    with pool.session(3) as run:
        run([[[lambda i=i: done.append(i)] for i in range(3)]])
    assert sorted(done) == [0, 1, 2]


def test_errors_of_two_threads_do_not_linger():
    pool = ThreadPool()
    with pytest.raises(ValueError, match="on purpose"), pool.session(3) as run:
        run([[[int], [fails(ValueError)], [fails(ValueError)]]])
    with pool.session(3) as run:
        run([[[int], [int], [int]]])


def test_an_interrupt_while_waiting_leaves_a_pool_that_works():
    pool, done = ThreadPool(), []
    release = threading.Event()

    class Interrupted:
        """A lock whose first wait is cut short by Ctrl-C."""

        def __init__(self, lock):
            self.lock = lock

        def acquire(self):
            release.set()
            raise KeyboardInterrupt

        def __getattr__(self, name):
            return getattr(self.lock, name)

    def late():
        release.wait(10)
        done.append("late")

    with pool.session(2) as run:
        run([[[int], [int]]])
        pool._workers[0].done = Interrupted(pool._workers[0].done)
        with pytest.raises(KeyboardInterrupt):
            run([[[int], [late]]])
        assert done == ["late"]
    with pool.session(2) as run:
        run([[[int], [lambda: done.append("again")]]])
    assert done == ["late", "again"]


def test_a_pool_in_use_is_not_waited_for():
    pool, seen = ThreadPool(), []
    with pool.session(2), pool.session(2) as inner:
        inner([[[lambda: seen.append(threading.get_ident())], [lambda: seen.append(threading.get_ident())]]])
    assert set(seen) == {threading.get_ident()}


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads have no cores of their own here")
def test_the_callers_cores_are_restored():
    before = cores()
    for threads in (1, 2, len(before), len(before) + 1):
        with ThreadPool().session(threads) as run:
            run([[[int]] * threads])
        assert cores() == before


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads have no cores of their own here")
def test_with_as_many_threads_as_cores_each_keeps_to_its_own_and_otherwise_to_none():
    pool, seen, count = ThreadPool(), [], len(cores())
    for threads in (count + 1, count, count + 1, count):
        with pool.session(threads) as run:
            run([[[lambda: seen.append(cores())]] * threads])
        own = [{core} for core in sorted(cores())]
        assert sorted(seen, key=sorted) == (own if threads == count else [cores()] * threads)
        seen.clear()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads have no cores of their own here")
def test_a_system_that_does_not_let_threads_choose_cores_is_no_error(monkeypatch):
    def refuse(*_):
        raise PermissionError("not allowed")

    done = []
    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    with ThreadPool().session(len(cores())) as run:
        run([[[lambda: done.append(1)]] * len(cores())])
    assert len(done) == len(cores())


def test_a_system_without_such_cores_has_threads_too(monkeypatch):
    for name in ("sched_getaffinity", "sched_setaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    done = []
    with ThreadPool().session(2) as run:
        run([[[lambda: done.append(1)], [lambda: done.append(2)]]])
    assert sorted(done) == [1, 2]
    assert usable_cores() == (os.cpu_count() or 1)


class TestMatrixLibrary:
    @pytest.fixture(autouse=True)
    def two_threads(self):
        with threadpoolctl.threadpool_limits(2, user_api="blas"):
            if 2 not in blas_threads():
                pytest.skip("numpy's matrix library takes no number of threads")
            self.before = blas_threads()
            yield

    def test_it_has_one_thread_inside_and_as_many_as_before_after(self):
        with parallel(2):
            assert set(blas_threads()) == {1}
        assert blas_threads() == self.before

    def test_runs_that_overlap_restore_it_when_the_last_one_ends(self):
        one, other = blas.one_thread(), blas.one_thread()
        one.__enter__()
        other.__enter__()
        one.__exit__(None, None, None)
        assert set(blas_threads()) == {1}
        other.__exit__(None, None, None)
        assert blas_threads() == self.before

    def test_an_error_restores_it(self):
        with pytest.raises(ValueError, match="on purpose"), parallel(2) as run:
            run([[[int], [fails(ValueError)]]])
        assert blas_threads() == self.before

    def test_many_threads_restore_it(self):
        def work():
            for _ in range(50):
                with parallel(2) as run:
                    run([[[int], [int]]])

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert blas_threads() == self.before


def test_warnings_are_kept_to_the_plan():
    big = np.full(4, 3e38, np.float32)
    with np.errstate(all="raise"):
        with parallel(2) as run:
            run([[[lambda: np.add(big, big)], [lambda: np.add(big, big)]]])
        assert np.geterr()["over"] == "raise"


class TestWithoutThreadpoolctl:
    @pytest.fixture(autouse=True)
    def absent(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "threadpoolctl", None)
        monkeypatch.setattr("kuiper.fast.threads.blas", Blas())

    def test_the_matrix_library_is_left_alone(self):
        assert not Blas().can_be_held
        with parallel(1):
            pass

    def test_plans_have_one_thread(self, net, load, near, untimed, monkeypatch):
        untimed(monkeypatch)
        network = net()
        x = network.input(2, 8, 9, 7)
        network.returns(network.conv(network.op("nn.SiLU", x), 8, 8, padding=1))
        x = np.random.default_rng(0).standard_normal((2, 8, 9, 7)).astype(np.float32)
        graph = load(network, engine="fast", threads=3)
        near(graph(x), load(network, engine="simple")(x))
        assert graph.executor.plan_for({"0": x}).threads == 1


@pytest.mark.parametrize(
    ("text", "threads"),
    [("1", 1), ("3", 3), ("0", 1), ("1000", 64), ("", None), ("4,2", None), ("-2", None), ("x", None)],
)
def test_the_environment_says_how_many_threads(monkeypatch, text, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert default_threads() == (usable_cores() if threads is None else threads)


def test_threads_can_run_one_after_the_other():
    seen = []
    run_serially([[[lambda: seen.append(1)], [lambda: seen.append(2)]], [], [[lambda: seen.append(3)]]])
    assert seen == [1, 2, 3]
