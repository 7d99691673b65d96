"""Costs of placements: which node runs on which device, before the nodes are cut into groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kuiper.partition.cost import Cost, Link
from kuiper.partition.device import Device
from kuiper.partition.modes.dependencies import Dependencies, dependencies_of
from kuiper.partition.modes.fewest import group
from kuiper.partition.node_graph import NodeGraph
from kuiper.partition.subgraph import Group
from kuiper.partition.support import placements


@dataclass(frozen=True)
class Crossing:
    """A tensor that may have to be copied: how long that takes, the node that makes it, and the nodes that read it."""

    seconds: float
    maker: int
    readers: list[int]

    def times(self, placed: Sequence[int]) -> int:
        """To how many other devices the tensor goes."""
        return len({placed[v] for v in self.readers} - {placed[self.maker]})


class Model:
    """The costs of a graph's placements. A placement is a list: for each node the number of its device, -1 for none."""

    def __init__(self, graph: NodeGraph, devices: Sequence[Device], link: Link) -> None:
        self.devices = devices
        self.dependencies: Dependencies = dependencies_of(graph)
        self.takers, self.fallbacks = placements(graph, self.dependencies.order, devices)
        self.work = [node.work for node in graph.nodes]
        computed = set(self.dependencies.order)
        readers: dict[int, list[int]] = {}
        for v in self.dependencies.order:
            for tensor in dict.fromkeys(graph.nodes[v].inputs):
                if graph.producer.get(tensor) in computed:
                    readers.setdefault(tensor, []).append(v)
        self.crossings = [
            Crossing(link.seconds(graph.tensors[tensor].bytes), graph.producer[tensor], read)
            for tensor, read in readers.items()
        ]
        self.crossings_at: list[list[int]] = [[] for _ in graph.nodes]
        for i, crossing in enumerate(self.crossings):
            for v in {crossing.maker, *crossing.readers}:
                self.crossings_at[v].append(i)

    def everything_on(self, device: int) -> list[int]:
        """All nodes on one device, as far as it takes them; the others on their first."""
        return [device if device in able else able[0] if able else -1 for able in self.takers]

    def seconds_of(self, v: int, device: int) -> float:
        """How long a device takes to compute a node."""
        return self.work[v] / self.devices[device].speed

    def cut_cost(self, placed: Sequence[int], extra: float = 0.0) -> float:
        """Computing and copying, each copy `extra` seconds longer: what a minimum cut minimizes."""
        compute = sum(self.seconds_of(v, placed[v]) for v in self.dependencies.order)
        return compute + sum((crossing.seconds + extra) * crossing.times(placed) for crossing in self.crossings)

    def groups(self, placed: Sequence[int]) -> list[Group]:
        """The fewest groups for a placement, in running order."""
        return group(self.dependencies, placed, len(self.devices))

    def total(self, placed: Sequence[int]) -> float:
        """Computing, copying, and starting the fewest groups."""
        return self.cost(placed).total

    def cost(self, placed: Sequence[int]) -> Cost:
        """What a placement costs, with the fewest groups."""
        computes = {device.name: 0.0 for device in self.devices}
        for v in self.dependencies.order:
            computes[self.devices[placed[v]].name] += self.seconds_of(v, placed[v])
        copy = sum(crossing.seconds * crossing.times(placed) for crossing in self.crossings)
        return Cost(computes, copy, sum(self.devices[part.device].launch for part in self.groups(placed)))

    def moving(self, placed: list[int], nodes: Collection[int], device: int) -> float:
        """How much more computing and copying cost when `nodes`, all on one device, move to another."""
        touched = {i for v in nodes for i in self.crossings_at[v]}
        old = {v: placed[v] for v in nodes}
        difference = sum(self.seconds_of(v, device) - self.seconds_of(v, placed[v]) for v in nodes)
        difference -= sum(self.crossings[i].seconds * self.crossings[i].times(placed) for i in touched)
        for v in nodes:
            placed[v] = device
        difference += sum(self.crossings[i].seconds * self.crossings[i].times(placed) for i in touched)
        for v, before in old.items():
            placed[v] = before
        return difference
