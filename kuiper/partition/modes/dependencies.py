"""What must run before what: the nodes that compute, ordered, with their predecessors."""

from __future__ import annotations

from dataclasses import dataclass

from kuiper.graph import topological_order
from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import NodeGraph, TensorKind


@dataclass(frozen=True)
class Dependencies:
    """`order`: ids of the nodes that compute, each after those it reads from; `before[v]`: these, without repeats."""

    order: list[int]
    before: list[list[int]]


def dependencies_of(graph: NodeGraph) -> Dependencies:
    """Order the nodes of a graph without those for inputs and constants; ids in order already stay as they are.

    Raises GraphError for a cycle, PartitionError for a tensor that is read and that nobody makes.
    """
    producer, sources, tensors = graph.producer, graph.sources, graph.tensors
    before: list[list[int]] = []
    order: list[int] = []
    sorted_already = True
    for v, node in enumerate(graph.nodes):
        makers: list[int] = []
        before.append(makers)
        if v in sources:
            continue
        order.append(v)
        for tensor in node.inputs:
            u = producer.get(tensor)
            if u is None:
                if tensors[tensor].kind is TensorKind.VAR:
                    raise undefined(graph, v, tensor)
            elif u not in sources and u not in makers:
                makers.append(u)
                sorted_already = sorted_already and u < v
    return Dependencies(order if sorted_already else _ordered(order, before), before)


def undefined(graph: NodeGraph, node: int, tensor: int) -> PartitionError:
    """The error for a tensor that is read and that nobody makes."""
    expected = "a node that makes it, or the kind input or const"
    return PartitionError(f"tensor {tensor}, read by {graph.label(node)}: expected {expected}, found neither")


def _ordered(order: list[int], before: list[list[int]]) -> list[int]:
    successors: dict[str, list[str]] = {str(v): [] for v in order}
    for v in order:
        for u in before[v]:
            successors[str(u)].append(str(v))
    return [int(name) for name in topological_order(successors)]
