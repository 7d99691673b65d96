"""What must hold of every partition, checked from scratch: `verify`.

- numbering: a sub-graph's index is its place in the list, and its device is one of those offered
- cover: every node that computes is in exactly one sub-graph, and none is empty
- support: the device takes the node: its type, its options, the dtype of all its inputs and outputs
- order: a sub-graph, and a node in it, comes after all it reads from
- acyclic: no sub-graphs wait for each other in a circle
- boundary: a tensor that crosses is among its maker's outputs and its reader's inputs; graph outputs are handed over
- wait_count: the number of different inputs that another sub-graph makes
- schedule: the waves reach every sub-graph

Mode "tengine" has rules of its own, see `Rules`: its sub-graphs may be empty, and inputs and constants are in one too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from kuiper.graph.order import cycle_text, find_cycle
from kuiper.partition.device import Device
from kuiper.partition.errors import PartitionError
from kuiper.partition.modes.tengine import blocked_nodes
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.partition.scheduler import schedule
from kuiper.partition.subgraph import Partition
from kuiper.partition.support import refusal

Refuses = Callable[[int], str | None]
"""Node -> why its device does not take it, or None."""


@dataclass(frozen=True)
class Rules:
    """What a mode allows.

    empty : whether a sub-graph may be empty.
    inputs_made : whether what a sub-graph makes itself may be among its inputs.
    placed : the ids of the nodes that have to be in a sub-graph.
    refuses : why a device does not take nodes.
    waits : whether a sub-graph that reads a tensor waits for it; others are at hand.
    """

    empty: bool
    inputs_made: bool
    placed: Callable[[NodeGraph], Collection[int]]
    refuses: Callable[[NodeGraph, Device], Refuses]
    waits: Callable[[NodeGraph, int], bool]


OWN = Rules(
    empty=False,
    inputs_made=False,
    placed=lambda graph: [v for v in range(len(graph.nodes)) if v not in graph.sources],
    refuses=lambda graph, device: lambda v: None if v in graph.sources else refusal(device, graph, v),
    waits=lambda graph, tensor: graph.producer[tensor] not in graph.sources,
)
TENGINE = Rules(
    empty=True,
    inputs_made=True,
    placed=lambda graph: range(len(graph.nodes)),
    refuses=lambda graph, device: blocked_nodes(graph, device).get,
    waits=lambda graph, tensor: graph.tensors[tensor].kind is TensorKind.VAR,
)
"""To Tengine inputs and constants are nodes like others, and a tensor is at hand by its own kind."""


def verify(partition: Partition) -> list[list[int]]:
    """Check every invariant of a partition; about linear in its size. Returns the waves, as `schedule` does.

    Raises PartitionError with the name of the first broken one in `.invariant`, and for the last DeadlockError.
    """
    rules = TENGINE if partition.mode == "tengine" else OWN
    checks = {
        "numbering": _numbering,
        "cover": _cover,
        "support": _support,
        "order": _order,
        "boundary": _boundary,
        "wait_count": _wait_count,
    }
    for invariant, faults in checks.items():
        for fault in faults(partition, rules):
            raise PartitionError(fault, invariant=invariant)
    return schedule(partition)


def _numbering(partition: Partition, rules: Rules) -> Iterator[str]:
    for place, part in enumerate(partition.subgraphs):
        if part.index != place:
            yield f"expected index {place}, found {part.index}"
        if part.device not in partition.devices:
            found = getattr(part.device, "name", part.device)
            yield f"sub-graph {place}: expected a device that was offered, found {found}"


def _cover(partition: Partition, rules: Rules) -> Iterator[str]:
    graph = partition.graph
    place: dict[int, int] = {}
    for part in partition.subgraphs:
        if not part.nodes and not rules.empty:
            yield f"sub-graph {part.index} is empty"
        for v in part.nodes:
            if not 0 <= v < len(graph.nodes):
                yield f"sub-graph {part.index}: node {v} is not in the graph"
            if v in place:
                yield f"{graph.label(v)} is in sub-graphs {place[v]} and {part.index}"
            place[v] = part.index
    for v in rules.placed(graph):
        if v not in place:
            yield f"{graph.label(v)} is in no sub-graph"


def _support(partition: Partition, rules: Rules) -> Iterator[str]:
    graph = partition.graph
    choosy = [device for device in partition.devices if not device.takes_everything]
    refuses = {device.name: rules.refuses(graph, device) for device in choosy}
    for part in partition.subgraphs:
        for v in part.nodes if part.device.name in refuses else ():
            if (reason := refuses[part.device.name](v)) is not None:
                yield f"sub-graph {part.index}, {graph.label(v)}: {reason}"


def _order(partition: Partition, rules: Rules) -> Iterator[str]:
    """Where a circle is the reason, PartitionError names that instead."""
    graph, producer, placed = partition.graph, partition.graph.producer, partition.subgraph_of
    done: set[int] = set()
    for part in partition.subgraphs:
        for v in part.nodes:
            for tensor in graph.nodes[v].inputs:
                maker = producer.get(tensor)
                if maker is not None and maker not in done and maker not in graph.sources:
                    if cycle := _cycle(partition):
                        message = "sub-graphs wait for each other: " + cycle_text(cycle)
                        raise PartitionError(message, invariant="acyclic")
                    yield (
                        f"{graph.label(v)} in sub-graph {part.index} comes before {graph.label(maker)} in sub-graph "
                        f"{placed[maker]}, whose tensor {tensor} it reads"
                    )
                if maker is None and graph.tensors[tensor].kind is TensorKind.VAR:
                    yield f"{graph.label(v)} reads tensor {tensor}, which nothing makes"
            done.add(v)


def _cycle(partition: Partition) -> list[str]:
    """Indices of sub-graphs in a circle; empty when there is none."""
    graph, placed = partition.graph, partition.subgraph_of
    successors: dict[str, list[str]] = {str(part.index): [] for part in partition.subgraphs}
    for part in partition.subgraphs:
        for v in part.nodes:
            for tensor in graph.nodes[v].inputs:
                maker = graph.producer.get(tensor)
                if maker in placed and maker not in graph.sources and placed[maker] != part.index:
                    successors[str(placed[maker])].append(str(part.index))
    return find_cycle(successors)


def _boundary(partition: Partition, rules: Rules) -> Iterator[str]:
    graph, placed = partition.graph, partition.subgraph_of
    makers = {t: i for v, i in placed.items() for t in graph.nodes[v].outputs if rules.waits(graph, t)}
    handed_over = [set(part.outputs) for part in partition.subgraphs]
    for part in partition.subgraphs:
        title = f"sub-graph {part.index}"
        reads = {tensor for v in part.nodes for tensor in graph.nodes[v].inputs}
        makes = {tensor for v in part.nodes for tensor in graph.nodes[v].outputs}
        inputs, outputs = set(part.inputs), handed_over[part.index]
        if len(inputs) < len(part.inputs) or len(outputs) < len(part.outputs):
            yield f"{title} lists a tensor twice"
        for tensor in reads:
            source = makers.get(tensor)
            crosses = source is not None and source != part.index
            given = tensor not in makes and graph.tensors[tensor].kind is TensorKind.INPUT
            if (crosses or given) and tensor not in inputs:
                yield f"{title} reads tensor {tensor}, which is not among its inputs"
            if source is not None and crosses and tensor not in handed_over[source]:
                yield f"sub-graph {source} does not hand over tensor {tensor}"
        odd = inputs - reads - makes if rules.inputs_made else inputs - (reads - makes)
        if odd:
            yield f"{title} has tensor {min(odd)} as an input and does not read it from outside"
        if not outputs <= makes:
            yield f"{title} hands over tensor {min(outputs - makes)}, which it does not make"
    for v in graph.output_nodes:
        for tensor in graph.nodes[v].outputs:
            if v in placed and tensor not in handed_over[placed[v]]:
                yield f"sub-graph {placed[v]} does not hand over tensor {tensor}, a graph output"


def _wait_count(partition: Partition, rules: Rules) -> Iterator[str]:
    graph, placed = partition.graph, partition.subgraph_of
    for part in partition.subgraphs:
        expected = sum(graph.producer.get(t) in placed and rules.waits(graph, t) for t in set(part.inputs))
        if part.wait_count != expected:
            yield f"sub-graph {part.index}: expected {expected}, found {part.wait_count}"
