"""What must hold of every partition, checked from scratch: `verify`.

- numbering: a sub-graph's index is its place in the list, and its device is one of those offered
- cover: every node is in exactly one sub-graph, and none is empty
- support: the device takes the node: its type, its options, the dtype of all its inputs and outputs
- order: a sub-graph, and a node in it, comes after all it reads from
- acyclic: no sub-graphs wait for each other in a circle
- boundary: a tensor that crosses is among its maker's outputs and its reader's inputs; graph outputs are handed over
- wait_count: the number of different inputs that another sub-graph makes
- schedule: the waves reach every sub-graph

Mode "tengine" has rules of its own, see `Rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from kuiper.graph.order import find_cycle
from kuiper.partition.device import Device
from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.partition.scheduler import schedule
from kuiper.partition.subgraph import Partition, SubGraph
from kuiper.partition.support import refusal
from kuiper.partition.tengine import blocked_nodes

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


def _refuses(graph: NodeGraph, device: Device) -> Refuses:
    return lambda v: None if v in graph.sources else refusal(device, graph, v)


OWN = Rules(
    empty=False,
    inputs_made=False,
    placed=lambda graph: [v for v in range(len(graph.nodes)) if v not in graph.sources],
    refuses=_refuses,
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


def verify(partition: Partition) -> None:
    """Check every invariant of a partition; about linear in its size.

    Raises PartitionError with the name of the first broken one in `.invariant`, and for the last DeadlockError.
    """
    rules = TENGINE if partition.mode == "tengine" else OWN
    _numbering(partition)
    _cover(partition, rules)
    _support(partition, rules)
    _order(partition)
    made_in = _made_in(partition, rules)
    _boundary(partition, rules, made_in)
    _wait_count(partition, made_in)
    schedule(partition)


def _numbering(partition: Partition) -> None:
    for place, part in enumerate(partition.subgraphs):
        if part.index != place:
            raise PartitionError(f"expected index {place}, found {part.index}", invariant="numbering")
        if part.device not in partition.devices:
            found = getattr(part.device, "name", part.device)
            raise PartitionError(f"sub-graph {place}: expected a device that was offered, found {found}",
                                 invariant="numbering")  # fmt: skip


def _cover(partition: Partition, rules: Rules) -> None:
    graph = partition.graph
    place: dict[int, int] = {}
    for part in partition.subgraphs:
        if not part.nodes and not rules.empty:
            raise PartitionError(f"sub-graph {part.index} is empty", invariant="cover")
        for v in part.nodes:
            if not 0 <= v < len(graph.nodes):
                raise PartitionError(f"sub-graph {part.index}: node {v} is not in the graph", invariant="cover")
            if v in place:
                raise PartitionError(
                    f"{graph.label(v)} is in sub-graphs {place[v]} and {part.index}", invariant="cover"
                )
            place[v] = part.index
    for v in rules.placed(graph):
        if v not in place:
            raise PartitionError(f"{graph.label(v)} is in no sub-graph", invariant="cover")


def _support(partition: Partition, rules: Rules) -> None:
    graph = partition.graph
    choosy = [device for device in partition.devices if not device.takes_everything]
    refuses = {device.name: rules.refuses(graph, device) for device in choosy}
    for part in partition.subgraphs:
        for v in part.nodes if part.device.name in refuses else ():
            reason = refuses[part.device.name](v)
            if reason is not None:
                raise PartitionError(f"sub-graph {part.index}, {graph.label(v)}: {reason}", invariant="support")


def _made_in(partition: Partition, rules: Rules) -> dict[int, int]:
    """Tensor id -> index of the sub-graph that makes it; what is at hand is missing."""
    graph = partition.graph
    return {
        tensor: part.index
        for part in partition.subgraphs
        for v in part.nodes
        for tensor in graph.nodes[v].outputs
        if rules.waits(graph, tensor)
    }


def _order(partition: Partition) -> None:
    graph = partition.graph
    done: set[int] = set()
    for part in partition.subgraphs:
        for v in part.nodes:
            for tensor in graph.nodes[v].inputs:
                source = graph.producer.get(tensor)
                if source is not None and source not in done and source not in graph.sources:
                    _raise_order(partition, part, v, tensor)
                if source is None and graph.tensors[tensor].kind is TensorKind.VAR:
                    message = f"{graph.label(v)} reads tensor {tensor}, which nothing makes"
                    raise PartitionError(message, invariant="order")
            done.add(v)


def _raise_order(partition: Partition, part: SubGraph, v: int, tensor: int) -> None:
    graph = partition.graph
    cycle = _cycle(partition)
    if cycle:
        raise PartitionError("sub-graphs wait for each other: " + " -> ".join(map(str, cycle)), invariant="acyclic")
    maker = graph.producer[tensor]
    message = (
        f"{graph.label(v)} in sub-graph {part.index} comes before {graph.label(maker)} in sub-graph "
        f"{partition.subgraph_of[maker]}, whose tensor {tensor} it reads"
    )
    raise PartitionError(message, invariant="order")


def _cycle(partition: Partition) -> list[int]:
    """Indices of sub-graphs in a circle, the first one again at the end; empty when there is none."""
    graph, placed = partition.graph, partition.subgraph_of
    successors: dict[str, list[str]] = {str(part.index): [] for part in partition.subgraphs}
    for part in partition.subgraphs:
        for v in part.nodes:
            for tensor in graph.nodes[v].inputs:
                maker = graph.producer.get(tensor)
                if maker in placed and maker not in graph.sources and placed[maker] != part.index:
                    successors[str(placed[maker])].append(str(part.index))
    return [int(name) for name in find_cycle(successors)]


def _boundary(partition: Partition, rules: Rules, made_in: dict[int, int]) -> None:
    graph = partition.graph
    handed_over = [set(part.outputs) for part in partition.subgraphs]
    for part in partition.subgraphs:
        reads: set[int] = set()
        makes: set[int] = set()
        for v in part.nodes:
            reads.update(graph.nodes[v].inputs)
            makes.update(graph.nodes[v].outputs)
        inputs = set(part.inputs)
        if len(inputs) < len(part.inputs) or len(handed_over[part.index]) < len(part.outputs):
            raise PartitionError(f"sub-graph {part.index} lists a tensor twice", invariant="boundary")
        for tensor in reads:
            source = made_in.get(tensor)
            crosses = source is not None and source != part.index
            given = tensor not in makes and graph.tensors[tensor].kind is TensorKind.INPUT
            if (crosses or given) and tensor not in inputs:
                _boundary_error(part, f"reads tensor {tensor}, which is not among its inputs")
            if source is not None and crosses and tensor not in handed_over[source]:
                _boundary_error(partition.subgraphs[source], f"does not hand over tensor {tensor}")
        odd = inputs - reads - makes if rules.inputs_made else inputs - (reads - makes)
        if odd:
            _boundary_error(part, f"has tensor {min(odd)} as an input and does not read it from outside")
        if not handed_over[part.index] <= makes:
            _boundary_error(part, f"hands over tensor {min(handed_over[part.index] - makes)}, which it does not make")
    placed = partition.subgraph_of
    for v in graph.outputs:
        for tensor in graph.nodes[v].outputs:
            if v in placed and tensor not in handed_over[placed[v]]:
                _boundary_error(partition.subgraphs[placed[v]], f"does not hand over tensor {tensor}, a graph output")


def _boundary_error(part: SubGraph, message: str) -> None:
    raise PartitionError(f"sub-graph {part.index} {message}", invariant="boundary")


def _wait_count(partition: Partition, made_in: dict[int, int]) -> None:
    for part in partition.subgraphs:
        expected = sum(tensor in made_in for tensor in set(part.inputs))
        if part.wait_count != expected:
            message = f"sub-graph {part.index}: expected {expected}, found {part.wait_count}"
            raise PartitionError(message, invariant="wait_count")
