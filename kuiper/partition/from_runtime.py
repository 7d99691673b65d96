"""A RuntimeGraph as a partitioner sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kuiper.graph import Extent, Operand, declared_extents
from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import Node, NodeGraph, TensorInfo, TensorKind
from kuiper.profile import measured_extents, network_cost
from kuiper.runtime import GraphState, RuntimeGraph

KINDS = {"pnnx.Input": TensorKind.INPUT, "pnnx.Attribute": TensorKind.CONST}


def node_graph(
    graph: RuntimeGraph, work: Mapping[str, float] | None, open_dimension: int | None, inputs: Sequence[Any] | None
) -> NodeGraph:
    """One node per operator, in execution order, but for pnnx.Output: what it reads gives the graph's outputs.

    Nodes and tensors bear the names of operators and operands. Raises PartitionError when the graph is not built.
    """
    if getattr(graph, "state", None) is not GraphState.COMPLETE:
        found = getattr(getattr(graph, "state", None), "name", type(graph).__name__)
        raise PartitionError(f"NodeGraph.from_runtime: expected a RuntimeGraph in state COMPLETE, found {found}")
    if inputs is None:
        extents = _closed(declared_extents(graph.operators), open_dimension)
    else:
        extents = measured_extents(graph, *inputs)
    if work is None:
        work = {op.name: float(op.flops or 0) for op in network_cost(graph.operators, extents).operators}
    operators = [op for op in graph.operators if op.type != "pnnx.Output"]
    ids: dict[str, int] = {}
    tensors: dict[int, TensorInfo] = {}
    producer: dict[str, int] = {}
    for i, op in enumerate(operators):
        for operand in op.outputs:
            ids[operand.name] = len(ids)
            tensors[ids[operand.name]] = _tensor(operand, KINDS.get(op.type, TensorKind.VAR), extents[operand.name])
            producer[operand.name] = i
    nodes = [
        Node(
            op.type,
            [ids[operand.name] for operand in op.inputs],
            [ids[operand.name] for operand in op.outputs],
            op.name,
            work.get(op.name, 0.0),
            op,
        )
        for op in operators
    ]
    outputs = sorted({producer[operand.name] for operand in graph.outputs})
    return NodeGraph(nodes, tensors, outputs, runtime=graph)


def _closed(extents: Mapping[str, Extent], open_dimension: int | None) -> dict[str, Extent]:
    """The extents with `open_dimension` where the file leaves a dimension open; unchanged without one."""
    if open_dimension is None:
        return dict(extents)
    return {
        name: replace(extent, shape=extent.shape and tuple(open_dimension if n < 0 else n for n in extent.shape))
        for name, extent in extents.items()
    }


def _tensor(operand: Operand, kind: TensorKind, extent: Extent) -> TensorInfo:
    dtype = None if operand.dtype is None else operand.dtype.torch
    return TensorInfo(kind, dtype, bytes=extent.bytes, name=operand.name, shape=extent.shape, operand=operand)
