"""A RuntimeGraph as a partitioner sees it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import Node, NodeGraph, TensorInfo, TensorKind
from kuiper.runtime import GraphState, RuntimeGraph, RuntimeOperand, RuntimeOperator

KINDS = {"pnnx.Input": TensorKind.INPUT, "pnnx.Attribute": TensorKind.CONST}


def node_graph(graph: RuntimeGraph, work: Mapping[str, float] | None, open_dimension: int | None) -> NodeGraph:
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
            tensors[ids[operand.name]] = _tensor(operand, KINDS.get(op.type, TensorKind.VAR), open_dimension)
            producer[operand.name] = i
    nodes = [
        Node(
            op.type,
            [ids[operand.name] for operand in op.input_operands],
            [ids[operand.name] for operand in op.output_operands],
            op.name,
            _work(op, open_dimension) if work is None else work.get(op.name, 0.0),
            {name: parameter.value for name, parameter in op.params.items()},
        )
        for op in operators
    ]
    outputs = sorted({producer[operand.name] for operand in graph.output_operands})
    return NodeGraph(nodes, tensors, outputs, runtime=graph)


def _tensor(operand: RuntimeOperand, kind: TensorKind, open_dimension: int | None) -> TensorInfo:
    elements = _elements(operand, open_dimension)
    if operand.type is None:
        return TensorInfo(kind, None, name=operand.name)
    size = None if elements is None else elements * operand.type.compute.itemsize
    return TensorInfo(kind, operand.type.torch, bytes=size, name=operand.name)


def _elements(operand: RuntimeOperand, open_dimension: int | None) -> int | None:
    if operand.shapes is None or (open_dimension is None and -1 in operand.shapes):
        return None
    return math.prod(open_dimension if extent == -1 and open_dimension else extent for extent in operand.shapes)


def _work(op: RuntimeOperator, open_dimension: int | None) -> float:
    """A multiplication and an addition for each weight that an output element meets; one operation without weights."""
    elements = sum(_elements(operand, open_dimension) or 0 for operand in op.output_operands)
    weight = op.attributes.get("weight")
    matrix = weight is not None and len(weight.shape) > 1
    return 2.0 * elements * math.prod(weight.shape[1:]) if weight is not None and matrix else float(elements)
