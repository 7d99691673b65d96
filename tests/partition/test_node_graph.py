"""Graphs for partitioning, from lists and from a network; devices; and what is wrong with bad ones."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import kuiper
from kuiper.partition import Device, NodeGraph, PartitionError, TensorKind, partition, verify
from kuiper.partition.node_graph import Node, TensorInfo
from kuiper.profile import measured_extents, network_cost
from kuiper.runtime import RuntimeGraph

CPU = Device("CPU")


@pytest.fixture(scope="module")
def digits() -> RuntimeGraph:
    return kuiper.load("models/digits/digits.pnnx.param")


def test_a_networks_operators_become_nodes(digits: RuntimeGraph) -> None:
    graph = NodeGraph.from_runtime(digits)
    operators = [op for op in digits.operators if op.type != "pnnx.Output"]
    assert [(node.name, node.type) for node in graph.nodes] == [(op.name, op.type) for op in operators]
    for node, op in zip(graph.nodes, operators, strict=True):
        assert [graph.tensors[t].name for t in node.inputs] == [o.name for o in op.inputs]
        assert [graph.tensors[t].name for t in node.outputs] == [o.name for o in op.outputs]
    (output,) = digits.outputs
    assert [graph.tensors[t].name for v in graph.output_nodes for t in graph.nodes[v].outputs] == [output.name]
    assert graph.runtime is digits


def test_sizes_and_types_come_from_the_file(digits: RuntimeGraph) -> None:
    graph = NodeGraph.from_runtime(digits, open_dimension=5)
    x = np.zeros((5, 1, 8, 8), np.float32)
    kept = digits.forward(x, keep=True).kept
    for node in graph.nodes:
        (tensor,) = node.outputs
        info = graph.tensors[tensor]
        assert (info.bytes, info.dtype) == (kept[node.name].nbytes, "float32")
        assert info.kind is (TensorKind.INPUT if node.type == "pnnx.Input" else TensorKind.VAR)
    assert {info.bytes for info in NodeGraph.from_runtime(digits).tensors.values()} == {None}  # the batch is left open


def test_work_is_two_operations_per_weight_and_output_element_and_one_per_bias(digits: RuntimeGraph) -> None:
    nodes = {node.name: node for node in NodeGraph.from_runtime(digits, open_dimension=1).nodes}
    for op in digits.operators:
        if op.type == "nn.Linear":
            out_features, in_features = op.attributes["weight"].shape
            assert nodes[op.name].work == out_features * (2 * in_features + 1)
        if op.type == "nn.Conv2d":
            (_, channels, height, width), kernel = op.outputs[0].shape, op.attributes["weight"].shape
            products = 2 * kernel[1] * kernel[2] * kernel[3]
            assert nodes[op.name].work == channels * height * width * (products + ("bias" in op.attributes))
        if op.type in ("nn.ReLU", "F.relu"):
            assert nodes[op.name].work == np.prod(op.outputs[0].shape[1:])
    given = NodeGraph.from_runtime(digits, {op.name: 7.0 for op in digits.operators})
    assert {node.work for node in given.nodes} == {7.0}


IMAGES = {
    "digits": [(1, 1, 8, 8), (32, 1, 8, 8)],
    "segmenter": [(1, 3, 64, 64), (2, 3, 96, 32)],
    "classifier": [(1, 3, 64, 64), (3, 3, 64, 64)],
    "detector": [(1, 3, 256, 256)],
}
WRITERS = [(1, 1, 4), (1, 5, 16)]
"""Texts, tokens, places."""
CASES = [(name, [shape]) for name, shapes in IMAGES.items() for shape in shapes]
CASES += [("writer", [(n, t), (4, n, 2, p, 32), (4, n, 2, p, 32), (1,)]) for n, t, p in WRITERS]


@pytest.mark.parametrize(("name", "shapes"), CASES)
def test_the_works_sum_is_the_flops_that_the_profile_counts(name: str, shapes: list[tuple[int, ...]]) -> None:
    network = kuiper.load(f"models/{name}/{name}.pnnx.param", engine="simple")
    inputs = [np.zeros(s, o.dtype.compute) for s, o in zip(shapes, network.inputs, strict=True)]
    cost = network_cost(network.operators, measured_extents(network, *inputs))
    assert cost.flops > 0
    nodes = NodeGraph.from_runtime(network, inputs=inputs).nodes
    assert sum(node.work for node in nodes) == cost.flops
    assert {node.name: node.work for node in nodes if node.work} == {o.name: o.flops for o in cost.operators if o.flops}


def test_sizes_are_those_of_a_pass_on_the_inputs() -> None:
    network = kuiper.load("models/segmenter/segmenter.pnnx.param", engine="simple")
    x = np.zeros((2, 3, 64, 32), np.float32)
    graph, kept = NodeGraph.from_runtime(network, inputs=[x]), network.forward(x, keep=True).kept
    for node in graph.nodes:
        assert [graph.tensors[t].bytes for t in node.outputs] == [kept[node.name].nbytes]


@pytest.mark.parametrize("mode", ["tengine", "fewest", "cost"])
def test_a_network_is_split(digits: RuntimeGraph, mode: str) -> None:
    types = {node.type for node in NodeGraph.from_runtime(digits).nodes}
    convs = sorted(op for op in types if "onv" in op)
    acc = Device("ACC", operators={"pnnx.Input", "nn.ReLU", *convs}, dtypes={"float32"}, speed=1e11)
    verify(partition(NodeGraph.from_runtime(digits), [acc, CPU], mode, min_nodes=0))


def test_a_graph_that_is_not_built_is_an_error() -> None:
    graph = kuiper.RuntimeGraph("models/digits/digits.pnnx.param")
    with pytest.raises(PartitionError, match="expected a RuntimeGraph in state COMPLETE, found NEED_INIT"):
        NodeGraph.from_runtime(graph)
    with pytest.raises(PartitionError, match="expected a RuntimeGraph in state COMPLETE, found int"):
        NodeGraph.from_runtime(3)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"nodes": [["conv", [0]]]}, r"node 0: expected \[operator type, tensors read, tensors made\]"),
    ({"nodes": [["conv", 0, [1]]]}, "node 0: expected"),
    ({"nodes": [[3, [0], [1]]]}, "node 0: expected"),
    ({"nodes": [None]}, "node 0: expected"),
    ({"nodes": [["conv", [0], [1], {"size": 3}]]}, "node 0: expected"),
    ({"nodes": [["conv", [-1], [1]]]}, r"node 0 \(conv\): expected tensor ids from 0 on, found -1"),
    ({"nodes": [["conv", ["x"], [1]]]}, "expected tensor ids from 0 on, found 'x'"),
    ({"nodes": [["conv", [0], [1], {"work": -1}]]}, "expected work of 0 or more, found -1"),
    (
        {"nodes": [["conv", [0], [1]], ["relu", [0], [1]]]},
        "tensor 1: expected one node that makes it, found nodes 0 and 1",
    ),
    ({"nodes": [["conv", [0], [1, 1]]]}, "tensor 1: expected one node that makes it, found node 0 twice"),
    ({"nodes": [["conv", [0], [1]]], "output_nodes": [1]}, "output_nodes: expected ids of nodes, 0 to 0, found 1"),
    (
        {"nodes": [["conv", [0], [1]]], "tensors": {0: {"kind": "weight"}}},
        "tensor 0: expected a kind of var, const or input",
    ),
    ({"nodes": [["conv", [0], [1]]], "tensors": {0: {"size": 3}}}, "tensor 0: expected .*, found size"),
    ({"nodes": [["conv", [0], [1]]], "tensors": {"x": {}}}, "tensors: expected ids from 0 on, found 'x'"),
    ({"nodes": [["conv", [0], [1]]], "tensors": {0: 3}}, "tensor 0: expected a dict, found 3"),
    (
        {"nodes": [["conv", [0], [1]]], "tensors": {0: {"bytes": -1}}},
        "tensor 0: expected bytes of 0 or more, found -1",
    ),
    ({"nodes": [["conv", [0], [1]]], "tensors": {0: {"shape": (2.5, 3)}}}, "tensor 0: .* a shape of whole numbers"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_lists_are_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PartitionError, match=message):
        NodeGraph.from_lists(**arguments)


@pytest.mark.parametrize(
    ("description", "size"),
    [
        ({}, None),
        ({"shape": (2, 3)}, 24),
        ({"shape": (2, 3), "dtype": "uint8"}, 6),
        ({"shape": ()}, 4),
        ({"shape": (-1, 3)}, None),
        ({"shape": (2, 3), "dtype": None}, None),
        ({"shape": (-1, 3), "bytes": 48}, 48),
        ({"bytes": 7}, 7),
    ],
)
def test_a_tensors_size_is_that_of_its_shape_where_it_can_be_known(description: Any, size: int | None) -> None:
    graph = NodeGraph.from_lists([["conv", [0], [1]]], {0: description})
    assert graph.tensors[0].bytes == size


def test_outputs_are_by_default_the_nodes_whose_tensors_nobody_reads() -> None:
    assert NodeGraph.from_lists([["a", [9], [0]], ["b", [0], [1]], ["c", [0], [2]]]).output_nodes == [1, 2]


def test_a_device_knows_what_it_takes() -> None:
    device = Device("ACC", operators={"conv", "relu"}, blocked={"relu"}, dtypes={"float32"})
    assert [device.takes_operator(op) for op in ("conv", "relu", "mish")] == [True, False, False]
    cases = itertools.product(("float32", "int8", None), (False, True))
    assert [device.takes_dtype(*case) for case in cases] == [True, True, False, True, False, True]
    assert not Device("ACC", dtypes=()).takes_dtype("int8", quantized=True)
    assert CPU.takes_everything
    assert CPU.takes_dtype(None)
    assert not device.takes_everything


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "expected a name, found ''"),
        ({"name": "A", "operators": "conv"}, "operators: expected a set of names, found 'conv'"),
        ({"name": "A", "dtypes": 3}, "dtypes: expected a set of names, found 3"),
        ({"name": "A", "speed": 0}, "expected a speed above 0"),
        ({"name": "A", "launch": -1}, "a launch of 0 or more"),
    ],
)
def test_bad_devices_are_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PartitionError, match=message):
        Device(**arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mode": "best"}, "mode: expected tengine, fewest, cost, found 'best'"),
        ({"devices": []}, "devices: expected one or more Devices"),
        ({"devices": ["CPU"]}, "devices: expected one or more Devices"),
        ({"devices": CPU}, "devices: expected one or more Devices"),
        ({"devices": [CPU, CPU]}, "devices: expected different names, found CPU, CPU"),
        ({"graph": 3}, "graph: expected a NodeGraph"),
        ({"graph": NodeGraph([], {}, [])}, "graph: expected at least one node, found none"),
        ({"min_nodes": "x"}, "min_nodes: expected a number, found 'x'"),
    ],
)
def test_bad_arguments_are_errors(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "graph": NodeGraph.from_lists([["a", [9], [0]]], {9: {"kind": "input"}}),
        "devices": [CPU],
    }
    with pytest.raises(PartitionError, match=message):
        partition(**{**arguments, **change})


@pytest.mark.parametrize("missing", [5, 6])
def test_each_tensor_of_a_node_has_to_be_there(missing: int) -> None:
    tensors = {tensor: TensorInfo() for tensor in (5, 6) if tensor != missing}
    with pytest.raises(PartitionError, match=rf"node 0 \(a\): expected ids that `tensors` has, found {missing}"):
        NodeGraph([Node("a", [5], [6])], tensors, [0])
