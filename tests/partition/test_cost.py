"""Mode "cost" is the cheapest by the model: against brute force, networkx and the model's own definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.partition import Device, Link, NodeGraph, Partition, PartitionError, cost_of, partition, verify
from kuiper.partition.modes.cheapest import improved, shared_out
from kuiper.partition.modes.maxflow import FlowNetwork
from kuiper.partition.modes.placement import Model

LINK = Link(latency=2.0, bandwidth=4.0)
ACC = Device("ACC", operators={"a", "c"}, speed=4.0)
CPU = Device("CPU", speed=1.0)
NPU = Device("NPU", operators={"b", "c"}, speed=3.0)


@st.composite
def graphs(draw: st.DrawFn, most: int = 7) -> NodeGraph:
    """Random acyclic graphs with whole numbers as work and sizes; node i makes tensor i, some make a second one."""
    nodes, sizes, made = [], {}, [100]
    for i in range(draw(st.integers(1, most))):
        outputs = [i, 50 + i] if draw(st.integers(0, 4)) == 0 else [i]
        reads = draw(st.lists(st.sampled_from(made), min_size=1, max_size=3))
        nodes.append([draw(st.sampled_from("abc")), reads, outputs, {"work": draw(st.integers(0, 24))}])
        sizes |= {t: {"bytes": draw(st.integers(0, 16))} for t in outputs}
        made += outputs
    return NodeGraph.from_lists(nodes, {100: {"kind": "input"}, **sizes})


def seconds(graph: NodeGraph, placed: Sequence[Device]) -> float:
    """Computing and copying by their definition."""
    total = sum(node.work / device.speed for node, device in zip(graph.nodes, placed, strict=True))
    for v, node in enumerate(graph.nodes):
        for tensor in node.outputs:
            foreign = {placed[u].name for u, other in enumerate(graph.nodes) if tensor in other.inputs}
            size = graph.tensors[tensor].bytes or 0
            total += len(foreign - {placed[v].name}) * (LINK.latency + size / LINK.bandwidth)
    return total


def every_placement(graph: NodeGraph, devices: Sequence[Device]) -> list[tuple[Device, ...]]:
    takers = [[d for d in devices if d.takes_operator(node.type)] for node in graph.nodes]
    return list(itertools.product(*takers))


def placement_of(split: Partition) -> list[Device]:
    device = {v: part.device for part in split.subgraphs for v in part.nodes}
    return [device[v] for v in range(len(split.graph.nodes))]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(graphs())
def test_no_placement_on_two_devices_computes_and_copies_in_less_time(graph: NodeGraph) -> None:
    split = partition(graph, [ACC, CPU], "cost", link=LINK)
    verify(split)
    cost = cost_of(split, LINK)
    assert cost.total == pytest.approx(seconds(graph, placement_of(split)))
    assert cost.total == pytest.approx(min(seconds(graph, placed) for placed in every_placement(graph, [ACC, CPU])))


@settings(max_examples=80, deadline=None)
@given(graphs(most=6), st.sampled_from([1.0, 5.0]))
def test_starts_are_weighed(graph: NodeGraph, launch: float) -> None:
    acc, cpu = Device("ACC", operators={"a", "c"}, speed=4.0, launch=launch), Device("CPU", speed=1.0, launch=launch)
    split = partition(graph, [acc, cpu], "cost", link=LINK)
    verify(split)
    cost = cost_of(split, LINK)
    assert cost.launch == launch * len(split.subgraphs)
    on_cpu = cost_of(partition(graph, [cpu], "cost", link=LINK), LINK).total
    without = seconds(graph, placement_of(partition(graph, [ACC, CPU], "cost", link=LINK)))
    starts = cost_of(partition(graph, [acc, cpu], "fewest", min_nodes=0), LINK)
    assert without + launch <= cost.total + 1e-9
    assert cost.total <= min(on_cpu, starts.total) + 1e-9


@settings(max_examples=100, deadline=None)
@given(graphs(most=6), st.data())
def test_nodes_are_shared_between_two_of_three_devices_as_cheaply_as_possible(
    graph: NodeGraph, data: st.DataObject
) -> None:
    devices = [ACC, NPU, CPU]
    model = Model(graph, devices, LINK)
    placed = [data.draw(st.sampled_from(able)) for able in model.takers]
    a, b, _ = data.draw(st.permutations(range(3)))
    shared = shared_out(model, placed, a, b, extra=0.0)
    choices = [[d for d in (a, b) if d in able] if p in (a, b) else [p] for p, able in zip(placed, model.takers)]
    costs = [seconds(graph, [devices[d] for d in other]) for other in itertools.product(*choices)]
    assert seconds(graph, [devices[d] for d in shared]) == pytest.approx(min(costs))


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_three_devices_cost_no_more_than_any_two(graph: NodeGraph) -> None:
    split = partition(graph, [ACC, NPU, CPU], "cost", link=LINK)
    verify(split)
    cost = cost_of(split, LINK).total
    assert cost <= cost_of(partition(graph, [CPU], "cost", link=LINK), LINK).total + 1e-9
    assert cost >= min(seconds(graph, placed) for placed in every_placement(graph, [ACC, NPU, CPU])) - 1e-9


def test_islands_that_do_not_earn_their_start_move_together_with_their_neighbours() -> None:
    graph = NodeGraph.from_lists([["ab"[i % 2], [i], [i + 1], {"work": 4}] for i in range(9)], {0: {"kind": "input"}})
    model = Model(graph, [replace(ACC, launch=5.0), CPU], Link(latency=0.0))
    alternating = [able[0] for able in model.takers]
    assert model.total(alternating) == 5 * (1 + 5) + 4 * 4
    assert model.total(improved(model, alternating)) == 9 * 4
    both = Model(graph, [replace(ACC, launch=2.0), replace(CPU, launch=2.0)], Link(latency=0.0))
    assert both.total(improved(both, alternating)) == (1 + 2) + (7 * 4 + 2) + (1 + 2)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.sampled_from([1.0, 5.0]))
def test_moving_groups_never_makes_it_dearer(graph: NodeGraph, launch: float) -> None:
    model = Model(graph, [replace(ACC, launch=launch), replace(CPU, launch=launch)], LINK)
    start = [able[0] for able in model.takers]
    assert model.total(improved(model, start)) <= model.total(start)
    for part in model.groups(start):
        for device in (0, 1):
            if all(device in model.takers[v] for v in part.nodes):
                moved = [device if v in part.nodes else d for v, d in enumerate(start)]
                difference = model.cut_cost(moved) - model.cut_cost(start)
                assert model.moving(start, part.nodes, device) == pytest.approx(difference)


SLOW_AND_FAST = [pytest.param(1e10, True, id="PCIe"), pytest.param(1e6, False, id="serial line")]


@pytest.mark.parametrize(("bandwidth", "splits"), SLOW_AND_FAST)
def test_the_digits_network_is_put_on_both_devices_where_that_pays(bandwidth: float, splits: bool) -> None:
    digits = kuiper.load("models/digits/digits.pnnx.param", engine="simple")
    graph = NodeGraph.from_runtime(digits, inputs=[np.zeros((64, 1, 8, 8), np.float32)])
    acc = Device("ACC", operators={"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d"}, speed=1e11, launch=1e-5)
    cpu, link = Device("CPU", speed=1e10), Link(latency=1e-5, bandwidth=bandwidth)
    split = partition(graph, [acc, cpu], "cost", link=link)
    used = {part.device.name for part in split.subgraphs}
    assert used == ({"ACC", "CPU"} if splits else {"CPU"})
    alone = cost_of(partition(graph, [cpu], "cost", link=link), link).total
    assert cost_of(split, link).total < alone if splits else cost_of(split, link).total == pytest.approx(alone)


@settings(max_examples=100, deadline=None)
@given(graphs(), st.sampled_from([0.0, 2.0]))
def test_a_partition_tells_the_costs_that_were_compared_the_chosen_one_first(graph: NodeGraph, launch: float) -> None:
    acc, cpu = replace(ACC, launch=launch), replace(CPU, launch=launch)
    split = partition(graph, [acc, cpu], "cost", link=LINK)
    chosen, *others = split.compared.values()
    assert chosen.total == pytest.approx(cost_of(split, LINK).total)
    assert chosen.computes == pytest.approx(cost_of(split, LINK).computes)
    assert all(chosen.total <= other.total + 1e-9 for other in others)
    alone = cost_of(partition(graph, [cpu], "cost", link=LINK), LINK)
    assert split.compared["all on CPU"].total == pytest.approx(alone.total)
    everything = {node.type for node in graph.nodes} <= {"a", "c"}
    assert ("all on ACC" in split.compared) == everything
    assert ("ACC has all it can" in split.compared) == (not everything and {n.type for n in graph.nodes} != {"b"})


def test_other_modes_compare_no_costs() -> None:
    graph = NodeGraph.from_lists([["a", [0], [1]]], {0: {"kind": "input"}})
    assert partition(graph, [ACC, CPU]).compared == {}


def test_a_cost_is_told_device_by_device() -> None:
    nodes = [["a", [9], [0], {"work": 8}], ["b", [0], [1], {"work": 3}]]
    graph = NodeGraph.from_lists(nodes, {9: {"kind": "input"}, 0: {"bytes": 4}})
    cost = cost_of(partition(graph, [ACC, CPU], "fewest", min_nodes=0), LINK)
    assert cost.computes == {"ACC": 8 / 4, "CPU": 3 / 1}
    assert (cost.compute, cost.copy, cost.launch, cost.total) == (5.0, 2 + 4 / 4, 0.0, 8.0)


def test_copies_and_bytes_are_counted_once_per_device() -> None:
    nodes = [["a", [9], [0]], ["b", [0], [1]], ["b", [0], [2]], ["a", [1, 2, 0], [3]]]
    sizes = {9: {"kind": "input", "bytes": 1000}, 0: {"bytes": 10}, 1: {"bytes": 100}, 2: {"shape": (5,)}}
    only_a = Device("ACC", operators={"a"})
    split = partition(NodeGraph.from_lists(nodes, sizes), [only_a, Device("NPU", operators={"b"})], "cost")
    assert (split.transfers, split.bytes) == (3, 10 + 100 + 20)
    assert sorted((t, d.name) for t, d in split.copies) == [(0, "NPU"), (1, "ACC"), (2, "ACC")]


def test_a_dear_link_keeps_all_on_one_device_and_a_cheap_one_does_not() -> None:
    nodes = [["a", [9], [0], {"work": 8}], ["b", [0], [1], {"work": 1}]]
    graph = NodeGraph.from_lists(nodes, {9: {"kind": "input"}})
    near, far = Link(latency=5.0), Link(latency=7.0)
    assert len(partition(graph, [ACC, CPU], "cost", link=near).subgraphs) == 2
    assert len(partition(graph, [ACC, CPU], "cost", link=far).subgraphs) == 1


@st.composite
def networks(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]], list[tuple[int, int, int, int]]]:
    count = draw(st.integers(1, 7))
    ends = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=count, max_size=count))
    vertex = st.integers(0, count - 1)
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 9), st.integers(0, 5)), max_size=14))
    return count, ends, [arc for arc in arcs if arc[0] != arc[1]]


@settings(max_examples=200, deadline=None)
@given(networks())
def test_no_cut_is_smaller_than_the_minimum_cut(
    description: tuple[int, list[tuple[int, int]], list[tuple[int, int, int, int]]],
) -> None:
    count, ends, arcs = description

    def capacity(side: Sequence[bool]) -> int:
        crossing = sum(c * (side[u] and not side[v]) + back * (side[v] and not side[u]) for u, v, c, back in arcs)
        return crossing + sum(to_sink if on else from_source for on, (from_source, to_sink) in zip(side, ends))

    network = FlowNetwork(count)
    for v, (from_source, to_sink) in enumerate(ends):
        network.from_source(v, from_source)
        network.to_sink(v, to_sink)
    for u, v, there, back in arcs:
        network.arc(u, v, there, back)
    flow, side = network.minimum_cut()
    assert flow == capacity(side) == min(map(capacity, itertools.product([False, True], repeat=count)))


def test_a_large_minimum_cut_is_that_of_networkx() -> None:
    networkx = pytest.importorskip("networkx", reason="compares with networkx, which is not installed")
    count, graph, network = 300, networkx.DiGraph(), FlowNetwork(300)
    for v in range(count):
        from_source, to_sink = v * 37 % 101, math.inf if v % 11 == 5 else v * 53 % 89
        network.from_source(v, from_source)
        network.to_sink(v, to_sink)
        graph.add_edge("s", v, capacity=from_source)
        graph.add_edge(v, "t", capacity=to_sink)
        for u in (v - 1, v - 5):
            if u >= 0:
                network.arc(u, v, u * v % 17, u * v % 7)
                graph.add_edge(u, v, capacity=u * v % 17)
                graph.add_edge(v, u, capacity=u * v % 7)
    assert network.minimum_cut()[0] == networkx.minimum_cut_value(graph, "s", "t")


@pytest.mark.parametrize("bad", [{"latency": -1.0}, {"bandwidth": 0.0}, {"latency": math.nan}])
def test_impossible_links_are_errors(bad: dict[str, float]) -> None:
    with pytest.raises(PartitionError, match="expected a latency of 0 or more and a bandwidth above 0"):
        Link(**bad)
