"""From groups of nodes to sub-graphs: what each reads from outside and hands over."""

from __future__ import annotations

from collections.abc import Sequence

from kuiper.partition.device import Device
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.partition.subgraph import SubGraph

Group = tuple[Device, list[int]]
"""A device and the ids of the nodes that run there together, in order."""


def subgraphs(graph: NodeGraph, groups: Sequence[Group]) -> list[SubGraph]:
    """Groups in running order -> sub-graphs.

    Inputs: tensors read that the group does not make, but for constants. Outputs: tensors made that another group reads
    or that the graph returns. A sub-graph waits for the inputs that another one makes; input and constant nodes are in
    no group, what they make is at hand.
    """
    producer, tensors, nodes = graph.producer, graph.tensors, graph.nodes
    group_of = {v: i for i, (_, members) in enumerate(groups) for v in members}
    inputs: list[set[int]] = [set() for _ in groups]
    outputs: list[set[int]] = [set() for _ in groups]
    waits = [0] * len(groups)
    for i, (_, members) in enumerate(groups):
        reads = inputs[i]
        for v in members:
            for tensor in nodes[v].inputs:
                if tensor in reads:
                    continue
                source = group_of.get(producer.get(tensor, -1))
                if source is None:
                    if tensors[tensor].kind is not TensorKind.CONST:
                        reads.add(tensor)
                elif source != i:
                    reads.add(tensor)
                    outputs[source].add(tensor)
                    waits[i] += 1
    for v in graph.outputs:
        if v in group_of:
            outputs[group_of[v]].update(nodes[v].outputs)
    return [
        SubGraph(i, device, members, sorted(inputs[i]), sorted(outputs[i]), waits[i])
        for i, (device, members) in enumerate(groups)
    ]
