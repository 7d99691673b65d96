"""A sub-graph cut out of its network: what a back end is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kuiper import dtypes, pnnx
from kuiper.partition.backends import Network
from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.partition.operator import as_pnnx
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
    result = pnnx.Graph()

    def operand(tensor: int) -> pnnx.Operand:
        key = graph.tensors[tensor].name
        if key not in result.operands:
            result.operands[key] = pnnx.Operand(key)
        return result.operands[key]

    def add(operator: pnnx.Operator, reads: Sequence[int], makes: Sequence[int]) -> None:
        operator.inputs, operator.outputs = [operand(t) for t in reads], [operand(t) for t in makes]
        for read in operator.inputs:
            read.consumers.append(operator)
        for made in operator.outputs:
            made.producer = operator
        result.operators.append(operator)

    for tensor in inputs:
        add(pnnx.Operator("pnnx.Input", f"input {graph.tensors[tensor].name}"), [], [tensor])
    read = dict.fromkeys(t for v in nodes for t in graph.nodes[v].inputs)
    constants = dict.fromkeys(graph.producer[t] for t in read if graph.tensors[t].kind is TensorKind.CONST)
    for v in (*constants, *nodes):
        node = graph.nodes[v]
        add(as_pnnx(graph.operators[v], casts_to), node.inputs, node.outputs)
    add(pnnx.Operator("pnnx.Output", "output"), outputs, [])
    result.operators[-1].input_names = [None] * len(outputs)
    _describe(result, graph, casts_to)
    return Network(result, name, runtime.registry, runtime.toolbox, casts_to)


def _describe(network: pnnx.Graph, graph: NodeGraph, casts_to: np.dtype | None) -> None:
    """Give the operands their shapes and types."""
    known = {o.name: o for op in graph.operators for o in op.output_operands}
    for name, operand in network.operands.items():
        operand.shape, operand.dtype = known[name].shapes, known[name].type
        if casts_to is not None and operand.dtype is not None and operand.dtype.compute.kind == "f":
            operand.dtype = dtypes.of(np.empty(0, casts_to))
