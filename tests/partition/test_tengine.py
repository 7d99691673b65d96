"""Mode "tengine" gives what the original C gives: its recorded results, and those of a slow twin on random graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from kuiper.partition import DeadlockError, Device, NodeGraph, Partition, PartitionError, partition, schedule, verify
from kuiper.partition.modes.tengine import blocked_nodes

DATA = json.loads((Path(__file__).parents[1] / "data" / "tengine_vectors.json").read_text(encoding="utf-8"))
DTYPES = ["float32", "float16", "int8", "uint8", "int32", "int16"]
KINDS = {1: "var", 2: "const", 3: "input"}
ALLOWED = DATA["device"]["allowed"]
ACC = Device("ACC", operators=ALLOWED, dtypes=[DTYPES[i] for i in DATA["device"]["dtypes"]])
CPU = Device("CPU")


def as_lists(split: Partition) -> list[list[Any]]:
    return [[s.device.name, list(s.nodes), list(s.inputs), list(s.outputs), s.wait_count] for s in split.subgraphs]


@pytest.mark.parametrize("vector", DATA["vectors"], ids=lambda vector: vector["name"])
def test_the_recorded_results_of_the_original(vector: dict[str, Any]) -> None:
    tensors = {
        key: {"kind": KINDS[t["type"]], "dtype": DTYPES[t["dtype"]], "quantized": t["quant"] > 0}
        for key, t in vector["non_default_tensors"].items()
    }
    split = partition(NodeGraph.from_lists(vector["nodes"], tensors, vector["graph_outputs"]), [ACC, CPU], "tengine")
    assert list(blocked_nodes(split.graph, ACC)) == vector["blocked"]
    assert as_lists(split) == vector["subgraphs"]
    assert schedule(split) == vector["waves"]
    verify(split)


class Original:
    """The C code's steps with its own arrays and loops; nothing of kuiper is used."""

    def __init__(self, nodes: list[Any], tensors: dict[int, dict[str, Any]], outputs: list[int]) -> None:
        self.nodes, self.tensors, self.outputs = nodes, tensors, outputs
        self.blocked = [i for i in range(len(nodes)) if nodes[i][0] not in ACC.operators or not self.in_precision(i)]
        self.list = self.split()
        self.merge()
        self.io = [self.boundary(nodes) for _, nodes in self.list]
        self.list.reverse()
        self.io.reverse()
        self.fix_outputs()
        self.wait = [sum(tensors[t]["kind"] == "var" for t in inputs) for inputs, _ in self.io]

    def in_precision(self, i: int) -> bool:
        for t in self.nodes[i][2]:
            tensor = self.tensors[t]
            if tensor["kind"] not in ("var", "input"):
                return True
            for precision in ACC.dtypes or ():
                if precision == tensor["dtype"] or tensor["quantized"]:
                    return True
        return False

    def split(self) -> list[tuple[str, list[int]]]:
        pushed = []
        for i in range(len(self.blocked) - 1, -1, -1):
            first = self.blocked[i]
            last = self.blocked[i + 1] if i < len(self.blocked) - 1 else len(self.nodes)
            complicated = 0
            for j in range(first, last):
                if self.nodes[j][0] in ALLOWED:
                    complicated += 3 if self.nodes[j][0] == "fc" else 1
            if complicated < 3:
                pushed.append(("CPU", list(range(first, last))))
            else:
                pushed.append(("ACC", list(range(first + 1, last))))
                pushed.append(("CPU", [first]))
        pushed.append(("ACC", list(range(self.blocked[0] if self.blocked else len(self.nodes)))))
        return pushed

    def merge(self) -> None:
        found = True
        while found:
            found = False
            count = len(self.list)
            for i in range(1, count):
                last, current = self.list[count - i], self.list[count - 1 - i]
                if last[0] == current[0]:
                    self.list[count - i] = (last[0], last[1] + current[1])
                    del self.list[count - 1 - i]
                    found = True
                    break

    def boundary(self, nodes: list[int]) -> tuple[list[int], list[int]]:
        size = max(self.tensors) + 1
        read, made = [0] * size, [0] * size
        for i in nodes:
            for t in self.nodes[i][1]:
                read[t] += self.tensors[t]["kind"] in ("input", "var")
            for t in self.nodes[i][2]:
                if self.tensors[t]["kind"] == "input":
                    read[t] += 1
                elif self.tensors[t]["kind"] != "const":
                    made[t] += 1
        for t in range(size):
            if read[t] and made[t]:
                read[t] = made[t] = 0
        return [t for t in range(size) if read[t]], [t for t in range(size) if made[t]]

    def fix_outputs(self) -> None:
        for inputs, _ in self.io[1:]:
            for t in inputs:
                if self.tensors[t]["kind"] != "input":
                    producer = next(i for i, node in enumerate(self.nodes) if t in node[2])
                    target = next(k for k, (_, nodes) in enumerate(self.list) if producer in nodes)
                    if t not in self.io[target][1]:
                        self.io[target][1].append(t)
        for k, (_, nodes) in enumerate(self.list):
            for i in nodes:
                for output in self.outputs:
                    if output == i:
                        for t in self.nodes[i][2]:
                            if t not in self.io[k][1]:
                                self.io[k][1].append(t)

    def run(self) -> tuple[list[list[int]], bool]:
        """The waves, and whether every sub-graph ran."""
        wait_list, ready_count = list(range(len(self.list))), [0] * len(self.list)
        waves = []
        while wait_list:
            ready = [i for i in wait_list if ready_count[i] == self.wait[i]]
            if not ready:
                return waves, False
            for i in ready:
                for k, (inputs, _) in enumerate(self.io):
                    for wanted in inputs:
                        for t in self.io[i][1]:
                            ready_count[k] += t == wanted
            wait_list = [i for i in wait_list if i not in ready]
            waves.append(ready)
        return waves, True

    def as_lists(self) -> list[list[Any]]:
        return [[d, n, i, o, w] for (d, n), (i, o), w in zip(self.list, self.io, self.wait, strict=True)]


@st.composite
def descriptions(draw: st.DrawFn, *, odd: bool = True) -> tuple[list[Any], dict[int, dict[str, Any]], list[int]]:
    """Nodes in topological order, tensors, output nodes; `odd`: also kinds that no computed tensor should have."""
    kinds = st.sampled_from(["var"] * 8 + ["const", "input"]) if odd else st.just("var")
    ops = st.sampled_from(["conv", "relu", "fc", "concat", "conv", "sigmoid", "mish", "input", "const"])
    nodes: list[Any] = []
    tensors: dict[int, dict[str, Any]] = {}
    step = draw(st.sampled_from([1, 40, 7]))  # tensors numbered up, down, or all over the place
    numbers = [i * step % 41 for i in range(40, -1, -1)]
    for i in range(draw(st.integers(1, 14))):
        made = [numbers.pop() for _ in range(draw(st.sampled_from([1, 1, 1, 1, 2, 0] if odd else [1, 1, 2])))]
        op = "input" if i == 0 else draw(ops)
        source = op in ("input", "const")
        reads = [] if source or not tensors else draw(st.lists(st.sampled_from(sorted(tensors)), max_size=3))
        nodes.append([op, reads, made])
        for t in made:
            kind = {"input": "input", "const": "const"}[op] if source and draw(st.integers(0, 9)) else draw(kinds)
            dtype = draw(st.sampled_from(["float32"] * 6 + DTYPES))
            tensors[t] = {"kind": kind, "dtype": dtype, "quantized": draw(st.integers(0, 5)) == 0}
    if not tensors:
        tensors[numbers[0]] = {"kind": "const", "dtype": "float32", "quantized": False}
    return nodes, tensors, draw(st.lists(st.integers(0, len(nodes) - 1), max_size=3))


def assert_same(nodes: list[Any], tensors: dict[int, dict[str, Any]], outputs: list[int]) -> None:
    original = Original(nodes, tensors, outputs)
    split = partition(NodeGraph.from_lists(nodes, tensors, outputs), [ACC, CPU], "tengine")
    assert list(blocked_nodes(split.graph, ACC)) == original.blocked
    assert sorted(split.fallbacks) == [v for part in split.subgraphs if part.device == CPU for v in part.nodes]
    assert {v for v, reason in split.fallbacks.items() if not reason.startswith("too small")} == set(original.blocked)
    assert as_lists(split) == original.as_lists()
    waves, finished = original.run()
    event(f"finished: {finished}, sub-graphs: {min(len(split.subgraphs), 6)}")
    if finished:
        assert schedule(split) == waves
    else:
        with pytest.raises(DeadlockError):
            schedule(split)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(descriptions())
def test_random_graphs_come_out_as_in_the_original(
    description: tuple[list[Any], dict[int, dict[str, Any]], list[int]],
) -> None:
    assert_same(*description)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(descriptions(), st.data())
def test_ids_out_of_order_are_as_in_the_original_or_an_error_where_it_reads_too_early(
    description: tuple[list[Any], dict[int, dict[str, Any]], list[int]], data: st.DataObject
) -> None:
    nodes, tensors, outputs = description
    place = data.draw(st.permutations(range(len(nodes))))
    nodes, outputs = [nodes[i] for i in place], [place.index(i) for i in outputs]
    maker = {t: i for i, node in enumerate(nodes) for t in node[2]}
    given_ones = [
        not reads and (op in ("input", "const") or (made and all(tensors[t]["kind"] != "var" for t in made)))
        for op, reads, made in nodes
    ]
    group = {i: k for k, (_, members) in enumerate(Original(nodes, tensors, outputs).list) for i in members}
    if any(maker[t] >= i and group[maker[t]] == group[i] and not given_ones[maker[t]]
           for i, (_, reads, _) in enumerate(nodes) for t in reads):  # fmt: skip
        event("reads too early")
        with pytest.raises(PartitionError, match="before it is made"):
            partition(NodeGraph.from_lists(nodes, tensors, outputs), [ACC, CPU], "tengine")
    else:
        assert_same(nodes, tensors, outputs)


@settings(max_examples=100, deadline=None)
@given(descriptions(odd=False))
def test_results_on_sound_graphs_pass_verification(
    description: tuple[list[Any], dict[int, dict[str, Any]], list[int]],
) -> None:
    nodes, tensors, outputs = description
    for i, node in enumerate(nodes):  # neither kind is for computed tensors, and an input that is an output deadlocks
        for t in node[2]:
            tensors[t]["kind"] = node[0] if node[0] in ("input", "const") else "var"
        outputs = [o for o in outputs if o != i or node[0] not in ("input", "const")]
    verify(partition(NodeGraph.from_lists(nodes, tensors, outputs), [ACC, CPU], "tengine"))


def pairs(count: int, *tail: str) -> NodeGraph:
    """input, then (sigmoid, fc) `count` times, each pair two sub-graphs; then the operators of `tail`."""
    ops = ["input", *["sigmoid", "fc"] * count, *tail]
    nodes = [[op, [i - 1] if i else [], [i]] for i, op in enumerate(ops)]
    return NodeGraph.from_lists(nodes, {0: {"kind": "input"}}, [len(ops) - 1])


def test_256_subgraphs_fit_and_257_overflow() -> None:
    assert len(partition(pairs(127, "sigmoid"), [ACC, CPU], "tengine").subgraphs) == 256
    with pytest.raises(PartitionError, match="at most 256 sub-graphs, found 257"):
        partition(pairs(128), [ACC, CPU], "tengine")
    assert len(partition(pairs(128), [ACC, CPU], "tengine", limits=False).subgraphs) == 257


@pytest.mark.parametrize("count", [255, 256])
def test_255_inputs_fit_and_256_overflow(count: int) -> None:
    nodes = [["concat", list(range(count)), [count]]]
    graph = NodeGraph.from_lists(nodes, {t: {"kind": "input"} for t in range(count)})
    if count <= 255:
        assert len(partition(graph, [ACC, CPU], "tengine").subgraphs[0].inputs) == count
    else:
        with pytest.raises(PartitionError, match="at most 255 inputs of a sub-graph, found 256"):
            partition(graph, [ACC, CPU], "tengine")


@pytest.mark.slow
def test_more_than_32767_tensors_overflow() -> None:
    nodes = [["relu", [i], [i + 1]] for i in range(32767)]
    with pytest.raises(PartitionError, match="at most 32767 tensors, found 32768"):
        partition(NodeGraph.from_lists(nodes, {0: {"kind": "input"}}), [ACC, CPU], "tengine")


def test_reading_before_definition_in_one_subgraph_is_an_error() -> None:
    graph = NodeGraph.from_lists([["input", [], [0]], ["relu", [2], [1]], ["conv", [0], [2]]], {0: {"kind": "input"}})
    with pytest.raises(PartitionError, match=r"node 1 \(relu\) reads tensor 2 before it is made: node 2 \(conv\)"):
        partition(graph, [ACC, CPU], "tengine")


def test_a_range_that_feeds_the_blocked_node_before_it_deadlocks() -> None:
    nodes = [["input", [], [0]], ["sigmoid", [3], [1]], ["conv", [1], [2]], ["conv", [0], [3]], ["relu", [3], [4]]]
    split = partition(NodeGraph.from_lists(nodes, {0: {"kind": "input"}}, [2]), [ACC, CPU], "tengine")
    with pytest.raises(DeadlockError, match=r"2 sub-graph\(s\) wait") as error:
        schedule(split)
    assert error.value.waiting == [1, 2]
    with pytest.raises(PartitionError) as broken:
        verify(split)
    assert broken.value.invariant == "acyclic"


def test_a_tensor_that_nobody_makes_is_an_error() -> None:
    graph = NodeGraph.from_lists([["relu", [7], [8]]])
    with pytest.raises(PartitionError, match=r"tensor 7, read by node 0 \(relu\)"):
        partition(graph, [ACC, CPU], "tengine")


def test_the_cpu_alone_gets_everything() -> None:
    split = partition(pairs(2), [CPU], "tengine")
    assert [(part.device, part.nodes) for part in split.subgraphs] == [(CPU, [0, 1, 2, 3, 4])]


def test_two_accelerators_are_an_error() -> None:
    with pytest.raises(PartitionError, match="one accelerator and one device that takes everything"):
        partition(pairs(1), [ACC, Device("NPU", operators={"conv"}), CPU], "tengine")


def test_a_type_on_both_lists_is_blocked_and_still_counts_as_work() -> None:
    both = Device("ACC", operators={"input", "conv", "relu"}, blocked={"relu"})
    nodes = [["input", [], [0]], ["relu", [0], [1]], ["conv", [1], [2]], ["conv", [2], [3]]]
    split = partition(NodeGraph.from_lists(nodes, {0: {"kind": "input"}}, [3]), [both, CPU], "tengine")
    assert [(part.device.name, part.nodes) for part in split.subgraphs] == [("ACC", [0]), ("CPU", [1]), ("ACC", [2, 3])]
