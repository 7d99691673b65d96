"""A RuntimeGraph as a partitioner sees it."""

from __future__ import annotations

from collections.abc import Mapping

from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import Node, NodeGraph, TensorInfo, TensorKind
from kuiper.runtime import GraphState, RuntimeGraph, RuntimeOperand, RuntimeOperator
from kuiper.runtime.plan import declared_bytes

KINDS = {"pnnx.Input": TensorKind.INPUT, "pnnx.Attribute": TensorKind.CONST}


def node_graph(graph: RuntimeGraph, work: Mapping[str, float] | None = None) -> NodeGraph:
    """One node per operator, in execution order, but for pnnx.Output: what it reads gives the graph's outputs.

    Nodes and tensors bear the names of operators and operands. Raises PartitionError when the graph is not built.
    """
    if getattr(graph, "state", None) is not GraphState.COMPLETE:
        found = getattr(getattr(graph, "state", None), "name", type(graph).__name__)
        raise PartitionError(f"NodeGraph.from_runtime: expected a RuntimeGraph in state COMPLETE, found {found}")
    operators = [op for op in graph.operators if op.type != "pnnx.Output"]
    ids: dict[str, int] = {}
    tensors: dict[int, TensorInfo] = {}
    producer: dict[str, int] = {}
    for i, op in enumerate(operators):
        for operand in op.output_operands:
            ids[operand.name] = len(ids)
            tensors[ids[operand.name]] = _tensor(operand, KINDS.get(op.type, TensorKind.VAR))
            producer[operand.name] = i
    nodes = [
        Node(
            op.type,
            [ids[operand.name] for operand in op.input_operands],
            [ids[operand.name] for operand in op.output_operands],
            op.name,
            _work(op) if work is None else work.get(op.name, 0.0),
            {name: parameter.value for name, parameter in op.params.items()},
        )
        for op in operators
    ]
    outputs = sorted({producer[operand.name] for operand in graph.output_operands})
    return NodeGraph(nodes, tensors, outputs, runtime=graph)


def _tensor(operand: RuntimeOperand, kind: TensorKind) -> TensorInfo:
    dtype = None if operand.type is None else operand.type.torch
    return TensorInfo(kind, dtype, bytes=declared_bytes(operand), name=operand.name)


def _work(op: RuntimeOperator) -> float:
    """A multiplication and an addition for each weight that an output element meets; one operation without weights."""
    elements = 0.0
    for operand in op.output_operands:
        size = declared_bytes(operand)
        if size is not None and operand.type is not None:
            elements += size / operand.type.compute.itemsize
    weight = op.attributes.get("weight")
    if weight is None or len(weight.shape) < 2 or not weight.shape[0]:
        return elements
    size = 1
    for extent in weight.shape[1:]:
        size *= extent
    return 2.0 * size * elements
