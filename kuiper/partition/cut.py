"""A sub-graph cut out of its network: what a back end is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kuiper import dtypes
from kuiper.graph import Attribute, Graph, Operand, Operator
from kuiper.partition.errors import PartitionError
from kuiper.partition.memory import Memory
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.runtime import RuntimeGraph


def runtime_of(graph: NodeGraph) -> RuntimeGraph:
    """The network that a graph was made from. Raises PartitionError where there is none."""
    if graph.runtime is None:
        raise PartitionError("expected a graph of NodeGraph.from_runtime, found one without operators: it cannot run")
    return graph.runtime


def cut_out(
    graph: NodeGraph, nodes: Sequence[int], inputs: Sequence[int], outputs: Sequence[int], name: str, memory: Memory
) -> RuntimeGraph:
    """Nodes, in order, as a built network of its own that reads and makes these tensors in a device's memory.

    Constants that the nodes read come along, so that they need not cross. Where the device casts, all floating-point
    weights have its type. Raises PartitionError for a graph that was not made from a network.
    """
    runtime, casts_to = runtime_of(graph), memory.device.casts_to
    operands: dict[int, Operand] = {}

    def operand(tensor: int) -> Operand:
        if tensor not in operands:
            known = graph.tensors[tensor].operand
            assert known is not None, "a tensor of a network"
            operands[tensor] = Operand(known.name, known.shape, _cast_type(known.dtype, casts_to))
        return operands[tensor]

    def copy(v: int) -> Operator:
        node = graph.nodes[v]
        assert node.operator is not None, "a node of a network"
        reads, makes = ([operand(t) for t in tensors] for tensors in (node.inputs, node.outputs))
        weights = {key: _cast(attribute, casts_to) for key, attribute in node.operator.attributes.items()}
        return replace(node.operator, inputs=reads, outputs=makes, attributes=weights, layer=None)

    read = dict.fromkeys(t for v in nodes for t in graph.nodes[v].inputs)
    constants = dict.fromkeys(graph.producer[t] for t in read if graph.tensors[t].kind is TensorKind.CONST)
    sources = [Operator("pnnx.Input", f"input {operand(t).name}", [], [operand(t)]) for t in inputs]
    result = Operator("pnnx.Output", "output", [operand(t) for t in outputs])
    parts = Graph([*sources, *map(copy, (*constants, *nodes)), result])
    options = {"registry": runtime.registry, "toolbox": runtime.toolbox, "engine": memory.backend.engine}
    network = RuntimeGraph.from_graph(parts, name, **options)
    network.build()
    return network


def _cast(attribute: Attribute, casts_to: np.dtype | None) -> Attribute:
    if casts_to is None or attribute.data.dtype.kind != "f":
        return attribute
    return Attribute.from_array(attribute.data.astype(casts_to))


def _cast_type(dtype: dtypes.DType | None, casts_to: np.dtype | None) -> dtypes.DType | None:
    if casts_to is None or dtype is None or dtype.compute.kind != "f":
        return dtype
    return dtypes.of(np.empty(0, casts_to))
