"""`verify` finds each broken invariant and names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kuiper.partition import DeadlockError, Device, NodeGraph, Partition, PartitionError, partition, schedule, verify

ACC = Device("ACC", operators={"conv", "relu", "input"}, dtypes={"float32"})
CPU = Device("CPU")


def graph() -> NodeGraph:
    """conv -> sigmoid -> relu, with a way around the sigmoid; the graph returns what the conv and the relu make."""
    nodes = [["input", [], [0]], ["conv", [0], [1]], ["sigmoid", [1], [2]], ["relu", [1, 2], [3]]]
    return NodeGraph.from_lists(nodes, {0: {"kind": "input"}}, [1, 3])


def split(mode: str = "fewest") -> Partition:
    return partition(graph(), [ACC, CPU], mode, min_nodes=0)


def changed(index: int, /, **fields: Any) -> Partition:
    whole = split()
    parts = [replace(part, **fields) if part.index == index else part for part in whole.subgraphs]
    return replace(whole, subgraphs=parts)


def merged() -> Partition:
    """Both parts of the accelerator as one, which then waits for the CPU and the CPU for it."""
    whole = split()
    first, middle, last = whole.subgraphs
    both = replace(first, nodes=first.nodes + last.nodes, inputs=[0, 2], outputs=[1, 3], wait_count=1)
    return replace(whole, subgraphs=[both, replace(middle, index=1)])


def swapped() -> Partition:
    whole = split()
    first, middle, last = whole.subgraphs
    return replace(whole, subgraphs=[replace(middle, index=0), replace(first, index=1), last])


BROKEN: list[tuple[str, str, Callable[[], Partition]]] = [
    ("numbering", "expected index 1, found 7", lambda: changed(1, index=7)),
    ("numbering", "a device that was offered, found NPU", lambda: changed(1, device=Device("NPU"))),
    ("cover", r"node 3 \(relu\) is in no sub-graph", lambda: replace(split(), subgraphs=split().subgraphs[:2])),
    ("cover", r"node 1 \(conv\) is in sub-graphs 0 and 1", lambda: changed(1, nodes=[2, 1])),
    ("cover", "sub-graph 1 is empty", lambda: changed(1, nodes=[])),
    ("cover", "node 9 is not in the graph", lambda: changed(1, nodes=[2, 9])),
    ("support", r"node 2 \(sigmoid\): ACC does not take operator sigmoid", lambda: changed(1, device=ACC)),
    ("order", r"node 2 \(sigmoid\) in sub-graph 0 comes before node 1 \(conv\) in sub-graph 1", swapped),
    ("acyclic", "sub-graphs wait for each other: 0 -> 1 -> 0", merged),
    ("boundary", "sub-graph 0 does not hand over tensor 1", lambda: changed(0, outputs=[])),
    ("boundary", "sub-graph 2 does not hand over tensor 3, a graph output", lambda: changed(2, outputs=[])),
    ("boundary", "sub-graph 2 reads tensor 1, which is not among its inputs", lambda: changed(2, inputs=[2])),
    ("boundary", "sub-graph 0 reads tensor 0, which is not among its inputs", lambda: changed(0, inputs=[])),
    ("boundary", "sub-graph 1 has tensor 0 as an input", lambda: changed(1, inputs=[0, 1])),
    ("boundary", "sub-graph 1 hands over tensor 3, which it does not make", lambda: changed(1, outputs=[2, 3])),
    ("boundary", "sub-graph 1 lists a tensor twice", lambda: changed(1, outputs=[2, 2])),
    ("wait_count", "sub-graph 2: expected 2, found 1", lambda: changed(2, wait_count=1)),
]


@pytest.mark.parametrize(("name", "message", "make"), BROKEN)
def test_a_broken_invariant_is_named(name: str, message: str, make: Callable[[], Partition]) -> None:
    with pytest.raises(PartitionError, match=message) as error:
        verify(make())
    assert error.value.invariant == name


@pytest.mark.parametrize("mode", ["tengine", "fewest", "cost"])
def test_what_partition_makes_passes_and_has_its_waves(mode: str) -> None:
    whole = split(mode)
    assert verify(whole) == schedule(whole)


def test_waves_run_side_by_side_what_does_not_depend_on_each_other() -> None:
    nodes = [["conv", [9], [0]], ["sigmoid", [0], [1]], ["sigmoid", [0], [2]], ["relu", [1, 2], [3]]]
    whole = partition(NodeGraph.from_lists(nodes, {9: {"kind": "input"}}), [ACC, CPU], "fewest", min_nodes=0)
    first, both, last = whole.subgraphs
    one, other = replace(both, nodes=[1], outputs=[1]), replace(both, index=2, nodes=[2], outputs=[2])
    apart = replace(whole, subgraphs=[first, one, other, replace(last, index=3)])
    verify(apart)
    assert schedule(apart) == [[0], [1, 2], [3]]


def test_subgraphs_that_wait_for_each_other_are_a_deadlock() -> None:
    with pytest.raises(DeadlockError, match="sub-graph 0 waits for 1 tensor") as error:
        schedule(merged())
    assert error.value.waiting == [0, 1]


def test_an_input_that_is_a_graph_output_deadlocks_as_in_tengine() -> None:
    """The original hands it over though nobody waits for it, so the counts never meet."""
    nodes = [["input", [], [0]], ["conv", [0], [1]], ["sigmoid", [1, 0], [2]]]
    whole = partition(NodeGraph.from_lists(nodes, {0: {"kind": "input"}}, [0, 2]), [ACC, CPU], "tengine")
    with pytest.raises(DeadlockError, match=r"sub-graph 1 waits for 1 tensor.* and got 2"):
        schedule(whole)
    fewest = partition(NodeGraph.from_lists(nodes, {0: {"kind": "input"}}, [0, 2]), [ACC, CPU], "fewest", min_nodes=0)
    assert schedule(fewest) == [[0], [1]]
