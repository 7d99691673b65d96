"""A sub-graph cut out of its network: what a back end is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kuiper import dtypes
from kuiper.graph import Attribute, Graph, Operand, Operator
from kuiper.partition.backends import Network
from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.runtime import RuntimeGraph


def runtime_of(graph: NodeGraph) -> RuntimeGraph:
    """The network that a graph was made from. Raises PartitionError where there is none."""
    if not isinstance(graph.runtime, RuntimeGraph):
        raise PartitionError("expected a graph of NodeGraph.from_runtime, found one without operators: it cannot run")
    return graph.runtime


def cut_out(
    graph: NodeGraph,
    nodes: Sequence[int],
    inputs: Sequence[int],
    outputs: Sequence[int],
    name: str,
    casts_to: np.dtype | None = None,
) -> Network:
    """Nodes, in order, as a network of their own that reads and makes these tensors.

    Constants that the nodes read come along, so that they need not cross. With `casts_to`, all floating-point weights
    have that type. Raises PartitionError for a graph that was not made from a network.
    """
    runtime = runtime_of(graph)
    known = {operand.name: operand for op in graph.operators for operand in op.outputs}
    operands: dict[str, Operand] = {}

    def operand(key: str) -> Operand:
        if key not in operands:
            operands[key] = Operand(key, known[key].shape, _cast_type(known[key].dtype, casts_to))
        return operands[key]

    def copy(op: Operator) -> Operator:
        reads, makes = ([operand(o.name) for o in each] for each in (op.inputs, op.outputs))
        weights = {key: _cast(attribute, casts_to) for key, attribute in op.attributes.items()}
        return replace(op, inputs=reads, outputs=makes, attributes=weights, layer=None)

    names = {tensor: info.name for tensor, info in graph.tensors.items()}
    read = dict.fromkeys(t for v in nodes for t in graph.nodes[v].inputs)
    constants = dict.fromkeys(graph.producer[t] for t in read if graph.tensors[t].kind is TensorKind.CONST)
    sources = [Operator("pnnx.Input", f"input {names[t]}", [], [operand(names[t])]) for t in inputs]
    parts = [copy(graph.operators[v]) for v in (*constants, *nodes)]
    result = Operator("pnnx.Output", "output", [operand(names[t]) for t in outputs])
    network = Graph([*sources, *parts, result]).connect()
    return Network(network, name, runtime.registry, runtime.toolbox, casts_to)


def _cast(attribute: Attribute, casts_to: np.dtype | None) -> Attribute:
    if casts_to is None or attribute.data.dtype.kind != "f":
        return attribute
    return Attribute.from_array(attribute.data.astype(casts_to))


def _cast_type(dtype: dtypes.DType | None, casts_to: np.dtype | None) -> dtypes.DType | None:
    if casts_to is None or dtype is None or dtype.compute.kind != "f":
        return dtype
    return dtypes.of(np.empty(0, casts_to))
