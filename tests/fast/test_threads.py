"""Threads and processes: graphs may be shared, run side by side, and run on after a fork."""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest

from kuiper.graph import Operand

RNG = np.random.default_rng(0)
SHAPE = (1, 8, 9, 7)


def numbers(*shape):
    return RNG.standard_normal(shape or SHAPE).astype(np.float32)


@pytest.fixture(autouse=True)
def _hectic(untimed, monkeypatch):
    """Threads take turns as often as they can, and nothing is timed."""
    untimed(monkeypatch)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def network(net):
    network = net()
    x = network.input(-1, 8, -1, -1)
    y = network.op("F.relu", network.conv(x, 8, 8, padding=1))
    y = network.expression("add(@0,@1)", network.conv(y, 8, 8, groups=8, padding=1), x)
    network.returns(network.op("torch.cat", y, network.op("F.softsign", y), dim=1))
    return network


@pytest.fixture
def simple(load, network):
    return load(network, engine="simple")


def in_threads(count, work):
    """Call work(0), work(1), ... at the same time; raise what they raise."""
    errors = []
    barrier = threading.Barrier(count)

    def run(i):
        barrier.wait()
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_may_share_a_graph(load, network, simple, near, threads):
    graph = load(network, engine="fast", threads=threads)
    images = [numbers(1 + i % 2, 8, 9, 7) for i in range(4)]
    expected = [simple(x) for x in images]

    def work(i):
        for _ in range(15):
            near(graph(images[i]), expected[i])

    in_threads(4, work)


def test_threads_may_share_a_graph_that_the_layers_compute(simple, near):
    images = [numbers() for _ in range(4)]
    expected = [simple(x) for x in images]

    def work(i):
        for _ in range(15):
            near(simple(images[i]), expected[i])

    in_threads(4, work)


@pytest.mark.parametrize("engine", ["simple", "fast"])
def test_a_result_is_the_callers_own_even_if_another_thread_is_between(load, network, engine):
    """The operand remembers the last pass of all threads; here the other thread always comes last."""

    class Contested(Operand):
        data = property(lambda self: "the other thread's", lambda self, value: None)

    graph, x = load(network, engine=engine), numbers()
    expected = graph(x)[0]
    graph.outputs[0].__class__ = Contested
    np.testing.assert_array_equal(graph(x)[0], expected)


def test_two_graphs_run_at_the_same_time(load, network, simple, near, forked):
    graphs = [load(network, engine="fast", threads=threads) for threads in (2, 2, 3)]
    x = numbers(2, 8, 9, 7)
    expected = simple(x)

    def work(i):
        for _ in range(15):
            near(graphs[i](x), expected)

    in_threads(3, work)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_computes_too(load, network, forked):
    graph = load(network, engine="fast", threads=2)
    x = numbers()
    expected = graph(x)[0]
    child = os.fork()
    if child == 0:
        same = False
        try:
            same = bool((graph(x)[0] == expected).all()) and bool(load(network, engine="fast")(x))
        finally:
            os._exit(0 if same else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    np.testing.assert_array_equal(graph(x)[0], expected)
