"""Lesson 4: execution order."""

import itertools

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kuiper.errors import GraphError
from kuiper.graph import reverse_post_order, topological_order
from kuiper.graph.order import find_cycle

ORDERS = pytest.mark.parametrize("order", [topological_order, reverse_post_order])

LESSON = {"image": ["conv"], "conv": ["relu"], "relu": ["mask", "pool"], "mask": [], "pool": ["digit"], "digit": []}
SIMPLE_OPS = {
    "in": ["op1"],
    "op1": ["op2"],
    "op2": ["op3", "op4"],
    "op3": ["add"],
    "op4": ["add"],
    "add": ["out"],
    "out": [],
}
DIAMOND = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
TWO_INPUTS = {"in0": ["cat"], "in1": ["relu"], "relu": ["cat"], "cat": []}


def respects(order, successors):
    step = {name: i for i, name in enumerate(order)}
    return sorted(order) == sorted(successors) and all(
        step[name] < step[follower] for name, followers in successors.items() for follower in followers
    )


def test_depth_first_order_is_the_lessons():
    assert reverse_post_order(LESSON) == ["image", "conv", "relu", "pool", "digit", "mask"]


@ORDERS
@pytest.mark.parametrize("graph", [LESSON, SIMPLE_OPS, DIAMOND, TWO_INPUTS, {"alone": []}, {}])
def test_every_node_comes_before_its_successors(order, graph):
    assert respects(order(graph), graph)


def test_a_file_that_is_in_order_keeps_it():
    assert topological_order(SIMPLE_OPS) == list(SIMPLE_OPS)


@ORDERS
def test_a_chain_longer_than_the_recursion_limit_is_ordered(order):
    chain = {str(i): [str(i + 1)] for i in range(20_000)} | {"20000": []}
    assert order(chain) == list(chain)


@ORDERS
@pytest.mark.parametrize(
    ("graph", "cycle"),
    [
        ({"in": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}, {"a", "b", "c"}),
        ({"a": ["a"]}, {"a"}),
        ({"in": ["out"], "out": [], "x": ["y"], "y": ["x"]}, {"x", "y"}),
    ],
)
def test_a_cycle_is_named(order, graph, cycle):
    with pytest.raises(GraphError, match="cycle") as caught:
        order(graph)
    named = str(caught.value).split(": ")[-1].split(" -> ")
    assert named[0] == named[-1]
    assert set(named) == cycle


@pytest.mark.parametrize("before", [{}, {"in": ["b"]}, {"out": [], "in": ["c", "out"]}])
def test_a_cycle_begins_with_the_node_that_is_listed_first(before):
    assert find_cycle({**before, "a": ["b"], "b": ["c"], "c": ["a"]}) == ["a", "b", "c"]


def test_a_successor_that_is_no_node_is_an_error():
    with pytest.raises(GraphError, match="'ghost'"):
        topological_order({"a": ["ghost"]})


@st.composite
def graphs(draw):
    """Random directed graphs, with and without cycles, listed in random order."""
    count = draw(st.integers(1, 12))
    names = draw(st.permutations([f"n{i}" for i in range(count)]))
    edges = draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=24))
    if draw(st.booleans()):
        edges = [(min(e), max(e)) for e in edges if e[0] != e[1]]
    return {name: [f"n{b}" for a, b in edges if f"n{a}" == name] for name in names}


@ORDERS
@given(graph=graphs())
def test_any_graph_is_ordered_or_its_cycle_named(order, graph):
    reference = networkx.DiGraph([(a, b) for a, followers in graph.items() for b in followers])
    if networkx.is_directed_acyclic_graph(reference):
        assert respects(order(graph), graph)
        assert find_cycle(graph) == []
    else:
        with pytest.raises(GraphError, match="cycle"):
            order(graph)
        cycle = find_cycle(graph)
        assert cycle
        assert len(set(cycle)) == len(cycle)
        assert all(b in graph[a] for a, b in itertools.pairwise([*cycle, cycle[0]]))
        assert cycle[0] == next(name for name in graph if name in cycle)


@pytest.mark.parametrize("order", [topological_order, reverse_post_order])
def test_a_successor_that_is_no_node_is_named(order):
    with pytest.raises(GraphError, match="a leads to 'c', which is no node of the graph"):
        order({"a": ["b", "c"], "b": []})
