"""SubGraph: nodes that run together on one device, what they read and hand over; Partition: all of them, their cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from kuiper.partition.cost import Cost, Link
from kuiper.partition.device import Device
from kuiper.partition.node_graph import NodeGraph, TensorKind


class Group(NamedTuple):
    """The number of a device, and the ids of nodes that run there together, in order: from it a SubGraph is made."""

    device: int
    nodes: list[int]


@dataclass(frozen=True)
class SubGraph:
    """Nodes that one device runs in one go.

    Parameters
    ----------
    index : its place in the list of sub-graphs.
    device : where it runs.
    nodes : ids of its nodes, in the order in which they run.
    inputs, outputs : ids of the tensors that it reads from outside, and that it hands over.
    wait_count : how many of its inputs another sub-graph has to hand over before it can run.
    """

    index: int
    device: Device
    nodes: list[int]
    inputs: list[int]
    outputs: list[int]
    wait_count: int


@dataclass(frozen=True)
class Partition:
    """A graph split into sub-graphs, in an order in which they can run.

    Parameters
    ----------
    graph : what was split.
    devices : the devices that were offered, the preferred one first.
    mode : "tengine", "fewest" or "cost".
    subgraphs : the parts.
    fallbacks : node id -> why it runs on the host (see `support.host_of`): no other device takes it, or its sub-graph
        would be too small; in mode "cost", where other nodes may be cheaper there, the former only.
    compared : mode "cost": what each placement that was weighed costs, the chosen one first.
    """

    graph: NodeGraph
    devices: Sequence[Device]
    mode: str
    subgraphs: list[SubGraph]
    fallbacks: Mapping[int, str] = field(default_factory=dict)
    compared: Mapping[str, Cost] = field(default_factory=dict)

    @cached_property
    def subgraph_of(self) -> dict[int, int]:
        """Node id -> index of its sub-graph."""
        return {node: part.index for part in self.subgraphs for node in part.nodes}

    @cached_property
    def copies(self) -> list[tuple[int, Device]]:
        """The transfers of one run: (tensor id, device) for each tensor made elsewhere and read there, once, in order.

        Tensors of input and constant nodes are not counted: they are at hand on every device.
        """
        parts, placed, producer = self.subgraphs, self.subgraph_of, self.graph.producer
        seen: dict[tuple[int, str], Device] = {}
        for part in parts:
            for tensor in part.inputs:
                source = producer.get(tensor)
                if source is None or source not in placed or source in self.graph.sources:
                    continue
                if parts[placed[source]].device != part.device:
                    seen.setdefault((tensor, part.device.name), part.device)
        return [(tensor, device) for (tensor, _), device in seen.items()]

    @property
    def transfers(self) -> int:
        """How many copies from device to device one run makes."""
        return len(self.copies)

    @cached_property
    def bytes(self) -> int:
        """Bytes of these copies, as far as shapes are known."""
        return sum(self.graph.tensors[tensor].bytes or 0 for tensor, _ in self.copies)


def subgraphs(graph: NodeGraph, devices: Sequence[Device], groups: Sequence[Group]) -> list[SubGraph]:
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
    for v in graph.output_nodes:
        if v in group_of:
            outputs[group_of[v]].update(nodes[v].outputs)
    return [
        SubGraph(i, devices[device], members, sorted(inputs[i]), sorted(outputs[i]), waits[i])
        for i, (device, members) in enumerate(groups)
    ]


def cost_of(partition: Partition, link: Link | None = None) -> Cost:
    """What one run of a partition costs: work/speed per node, latency + bytes/bandwidth per copy, launch per sub-graph.

    A tensor is copied once to each other device that reads it. Inputs and constants are free: they are on every device.
    """
    graph, link = partition.graph, link or Link()
    computes = {device.name: 0.0 for device in partition.devices}
    for part in partition.subgraphs:
        work = sum(graph.nodes[v].work for v in part.nodes if v not in graph.sources)
        computes[part.device.name] = computes.get(part.device.name, 0.0) + work / part.device.speed
    copy = sum(link.seconds(graph.tensors[tensor].bytes) for tensor, _ in partition.copies)
    return Cost(computes, copy, sum(part.device.launch for part in partition.subgraphs))
