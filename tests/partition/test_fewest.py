"""Mode "fewest" is the minimum: against a table, against brute force, and sound on any graph."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import GraphError
from kuiper.partition import Device, NodeGraph, Partition, PartitionError, partition, schedule, verify

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "tengine_vectors.json").read_text(encoding="utf-8"))
ACC = Device("ACC", operators=VECTORS["device"]["allowed"], dtypes={"float32", "float16", "uint8"})
CPU = Device("CPU")
A, B = Device("A", operators={"a"}), Device("B", operators={"b"})
TABLE = """v01 1/1/1, v02 3/3/2, v03 2/3/1, v04 3/3/2, v05 3/2/2, v06 3/2/2, v07 2/2/2, v08 2/7/1, v09 3/3/2, v10 5/7/4,
v11 3/3/2, v12 3/3/2, v13 2/4/2, v14 1/1/1, v15 3/3/1, v16 3/3/2"""


@pytest.mark.parametrize(("vector", "row"), list(zip(VECTORS["vectors"], TABLE.split(","), strict=True)),
                         ids=lambda x: x["name"] if isinstance(x, dict) else "")  # fmt: skip
def test_numbers_of_subgraphs_by_the_table(vector: dict[str, Any], row: str) -> None:
    name, numbers = row.split()
    assert vector["name"].startswith(name)
    tensors = {t: {"kind": "input", "dtype": "int32" if x["dtype"] == 4 else "float32"}
               for t, x in vector["non_default_tensors"].items()}  # fmt: skip
    graph = NodeGraph.from_lists(vector["nodes"], tensors, vector["graph_outputs"])
    splits = [partition(graph, [ACC, CPU], "tengine")]
    splits += [partition(graph, [ACC, CPU], "fewest", min_nodes=work) for work in (0, 3)]
    assert "/".join(str(len(split.subgraphs)) for split in splits) == numbers
    for split in splits:
        verify(split)


@st.composite
def graphs(draw: st.DrawFn, ops: Sequence[str] = "ab", most: int = 7, shuffled: bool = False) -> NodeGraph:
    """Random acyclic graphs behind one input; tensor i is made by node i, tensor 100 is the input."""
    count = draw(st.integers(1, most))
    place = draw(st.permutations(range(count))) if shuffled else list(range(count))
    nodes: list[Any] = [None] * count
    for i in range(count):
        earlier = [*place[:i], 100]
        reads = draw(st.lists(st.sampled_from(earlier), min_size=1, max_size=3, unique=True))
        nodes[place[i]] = [draw(st.sampled_from(list(ops))), reads, [place[i]]]
    return NodeGraph.from_lists(nodes, {100: {"kind": "input"}}, draw(st.lists(st.integers(0, count - 1), max_size=2)))


def fewest_by_brute_force(graph: NodeGraph) -> int:
    """Take any set of nodes of one type whose predecessors are done or in it; the fewest steps to the end."""
    types = [node.type for node in graph.nodes]
    before = [sum(1 << t for t in node.inputs if t != 100) for node in graph.nodes]
    full = (1 << len(types)) - 1

    @cache
    def steps(done: int) -> int:
        if done == full:
            return 0
        best = len(types)
        for kind in set(types):
            mine = sum(1 << v for v, found in enumerate(types) if found == kind) & ~done
            part = mine
            while part:
                reach = done | part
                if all(before[v] & ~reach == 0 for v in range(len(types)) if part >> v & 1):
                    best = min(best, 1 + steps(reach))
                part = (part - 1) & mine
        return best

    return steps(0)


def assert_sound(split: Partition) -> None:
    """The invariants once more, from the definitions and apart from `verify`."""
    graph = split.graph
    flat = [v for part in split.subgraphs for v in part.nodes]
    assert sorted(flat) == [v for v, node in enumerate(graph.nodes) if node.type not in ("input", "const")]
    position = {v: i for i, v in enumerate(flat)}
    part_of = {v: part.index for part in split.subgraphs for v in part.nodes}
    for part in split.subgraphs:
        assert part.nodes
        reads = {t for v in part.nodes for t in graph.nodes[v].inputs}
        makes = {t for v in part.nodes for t in graph.nodes[v].outputs}
        assert part.inputs == sorted(reads - makes)
        wanted = {t for v, node in enumerate(graph.nodes) if part_of[v] != part.index for t in node.inputs} & makes
        wanted |= {t for v in graph.output_nodes for t in graph.nodes[v].outputs} & makes
        assert part.outputs == sorted(wanted)
        assert part.wait_count == len([t for t in part.inputs if t in graph.producer])
        for v in part.nodes:
            assert part.device.operators is None or graph.nodes[v].type in part.device.operators
            assert all(position[graph.producer[t]] < position[v] for t in graph.nodes[v].inputs if t in graph.producer)
    assert sorted(i for wave in schedule(split) for i in wave) == list(range(len(split.subgraphs)))
    verify(split)


@settings(max_examples=150, deadline=None)
@given(graphs(shuffled=True))
def test_no_split_for_two_devices_has_fewer_subgraphs(graph: NodeGraph) -> None:
    split = partition(graph, [A, B], "fewest", min_nodes=0)
    assert_sound(split)
    assert len(split.subgraphs) == fewest_by_brute_force(graph)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(graphs(ops="abc", shuffled=True))
def test_three_devices_are_split_soundly_and_never_better_than_possible(graph: NodeGraph) -> None:
    split = partition(graph, [A, B, Device("C", operators={"c"})], "fewest", min_nodes=0)
    assert_sound(split)
    assert fewest_by_brute_force(graph) <= len(split.subgraphs) <= len(graph.nodes)


def test_three_devices_in_a_chain_take_one_subgraph_per_change() -> None:
    ops = "aabbbcca"
    graph = NodeGraph.from_lists([[op, [i], [i + 1]] for i, op in enumerate(ops)], {0: {"kind": "input"}})
    split = partition(graph, [A, B, CPU], "fewest", min_nodes=0)
    assert [(part.device.name, part.nodes) for part in split.subgraphs] == [
        ("A", [0, 1]), ("B", [2, 3, 4]), ("CPU", [5, 6]), ("A", [7])]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(graphs(ops=["a", "a", "fc", "b"], most=14), st.integers(0, 5))
def test_no_island_is_smaller_than_min_nodes(graph: NodeGraph, min_nodes: int) -> None:
    split = partition(graph, [Device("ACC", operators={"a", "fc"}), CPU], "fewest", min_nodes=min_nodes)
    assert_sound(split)
    for part in split.subgraphs:
        if part.device != CPU:
            assert sum(3 if graph.nodes[v].type == "fc" else 1 for v in part.nodes) >= min_nodes


@settings(max_examples=150, deadline=None)
@given(graphs(ops=["a", "a", "fc", "b"], most=14), st.integers(0, 5))
def test_every_node_on_the_host_has_a_reason(graph: NodeGraph, min_nodes: int) -> None:
    split = partition(graph, [Device("ACC", operators={"a", "fc"}), CPU], "fewest", min_nodes=min_nodes)
    on_host = {v for part in split.subgraphs if part.device == CPU for v in part.nodes}
    known, unknown = f"too small for ACC: min_nodes={min_nodes}", "ACC does not take operator b"
    assert split.fallbacks == {v: unknown if graph.nodes[v].type == "b" else known for v in sorted(on_host)}
    assert list(split.fallbacks) == sorted(on_host)


def test_all_inputs_and_outputs_must_have_a_dtype_the_device_takes() -> None:
    tensors = {0: {"kind": "input", "dtype": "int32"}, 1: {"dtype": "float32"}, 2: {"dtype": "int8", "quantized": True}}
    graph = NodeGraph.from_lists([["conv", [0], [1]], ["conv", [1], [2]]], tensors)
    split = partition(graph, [ACC, CPU], "fewest", min_nodes=0)
    assert [part.device.name for part in split.subgraphs] == ["CPU", "ACC"]
    assert split.fallbacks == {0: "ACC does not take int32 (input tensor 0)"}


def test_a_rule_of_the_device_refuses_by_options() -> None:
    picky = Device("ACC", refuses=lambda node: "dilation above 1" if node.params.get("dilation", 1) > 1 else None)
    nodes = [["conv", [0], [1]], ["conv", [1], [2], {"params": {"dilation": 2}}]]
    split = partition(NodeGraph.from_lists(nodes, {0: {"kind": "input"}}), [picky, CPU], "fewest", min_nodes=0)
    assert [part.nodes for part in split.subgraphs] == [[0], [1]]
    assert split.fallbacks == {1: "dilation above 1"}


def test_input_and_constant_nodes_are_in_no_subgraph() -> None:
    nodes = [["input", [], [0]], ["const", [], [1]], ["conv", [0, 1], [2]]]
    graph = NodeGraph.from_lists(nodes, {0: {"kind": "input"}, 1: {"kind": "const"}})
    (part,) = partition(graph, [ACC, CPU], "fewest", min_nodes=0).subgraphs
    assert (part.nodes, part.inputs, part.outputs, part.wait_count) == ([2], [0], [2], 0)


def test_nodes_that_no_device_takes_are_named() -> None:
    graph = NodeGraph.from_lists([["c", [0], [1], {"name": "layer1"}]], {0: {"kind": "input"}})
    with pytest.raises(PartitionError, match=r"found none for 1:\n  node 0 \(c, layer1\): A does not take operator c"):
        partition(graph, [A, B], "fewest")


def test_a_cycle_is_named() -> None:
    graph = NodeGraph.from_lists([["a", [1], [0]], ["a", [0], [1]]])
    with pytest.raises(GraphError, match="cycle: 0 -> 1 -> 0"):
        partition(graph, [A, B], "fewest")


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of kuiper.partition a call runs."""
    count = 0

    def local(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return local

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        return local if "partition" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def ladder(count: int) -> NodeGraph:
    """A chain with an edge back over seven nodes, every tenth node for the CPU alone."""
    nodes = [["sigmoid" if i % 10 == 9 else "conv", [i, max(i - 7, 0)], [i + 1]] for i in range(count)]
    return NodeGraph.from_lists(nodes, {0: {"kind": "input"}})


@pytest.mark.parametrize("mode", ["tengine", "fewest", "cost"])
def test_work_grows_with_the_size_of_the_graph(mode: str) -> None:
    def work(count: int) -> tuple[int, int, int]:
        graph = ladder(count)
        split = partition(graph, [ACC, CPU], mode, limits=False)
        return (
            lines_run(lambda: partition(graph, [ACC, CPU], mode, limits=False)),
            lines_run(lambda: verify(split)),
            lines_run(lambda: schedule(split)),
        )

    for small, large in zip(work(400), work(1600), strict=True):
        assert large < 4.5 * small + 200


@pytest.mark.parametrize("made", [[("CPU", [0, 1])], (("CPU", (0, 1)),), [("CPU", range(2))]], ids=repr)
def test_a_grouping_may_give_lists_tuples_and_ranges(made: Any) -> None:
    graph = NodeGraph.from_lists([["a", [0], [1]], ["b", [1], [2]]], {0: {"kind": "input"}})
    split = partition(graph, [Device("CPU")], grouping=lambda before, device: made)
    assert [part.nodes for part in split.subgraphs] == [partition(graph, [Device("CPU")]).subgraphs[0].nodes]


@pytest.mark.parametrize(
    "made",
    ["CPU", iter([("CPU", [0])]), [("CPU", "0")], ["ab"]],
    ids=["a text", "an iterator", "a text of nodes", "a text for a group"],
)
def test_a_grouping_of_another_form_is_refused(made: Any) -> None:
    graph = NodeGraph.from_lists([["a", [0], [1]]], {0: {"kind": "input"}})
    with pytest.raises(PartitionError, match=r"expected .*\(name of the device, list of .*nodes.*, found "):
        partition(graph, [Device("CPU")], grouping=lambda before, device: made)
