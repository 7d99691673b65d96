"""Mode "tengine": the sub-graphs that Tengine-lite makes, step by step as it makes them.

Nodes are cut into ranges of ids at the nodes that the accelerator blocks. A small range stays on the CPU, here
the host. Unknown operator types count as blocked. Where the original reads a tensor before it is made, overflows its
integers or reads outside its arrays, there is an error instead.
Source: Tengine-lite, source/optimizer/split.c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from kuiper.partition.device import Device
from kuiper.partition.errors import PartitionError
from kuiper.partition.modes.dependencies import undefined
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.partition.subgraph import Group, SubGraph
from kuiper.partition.support import host_of, rule_refusal, units

COMPLEX = 3
"""Tengine's MODEL_COMPLEX_COUNT: the fewest `units` that are worth the accelerator."""
MOST_SUBGRAPHS, MOST_INPUTS, MOST_OUTPUTS, MOST_TENSORS = 256, 255, 255, 32767
"""Beyond these the integers of the original overflow."""


def split_tengine(graph: NodeGraph, devices: Sequence[Device], limits: bool) -> tuple[list[SubGraph], dict[int, str]]:
    """Sub-graphs as Tengine makes them, and why nodes fall back; `limits`: with the original's limits on sizes.

    Raises PartitionError for other devices than one accelerator and one host that takes everything (a host alone is
    both), for a size beyond the limits, and for a node that reads a tensor before it is made.
    """
    accelerator, host = _roles(devices)
    if limits:
        _check("tensors", max(len(graph.tensors), max(graph.tensors, default=0)), MOST_TENSORS)
    blocked = {} if accelerator == host else blocked_nodes(graph, devices[accelerator])
    groups = merged(ranges(graph, list(blocked), devices, accelerator, host))
    if limits:
        _check("sub-graphs", len(groups), MOST_SUBGRAPHS)
    _check_definitions(graph, groups)
    parts = with_boundaries(graph, devices, groups)
    if limits:
        _check("inputs of a sub-graph", max(len(part.inputs) for part in parts), MOST_INPUTS)
        _check("outputs of a sub-graph", max(len(part.outputs) for part in parts), MOST_OUTPUTS)
    return parts, _fallbacks(groups, blocked, accelerator, host)


def blocked_nodes(graph: NodeGraph, accelerator: Device) -> dict[int, str]:
    """Ascending ids of the nodes that the accelerator blocks -> why: by type, precision, or a rule of its own."""
    reasons: dict[int, str] = {}
    for v, node in enumerate(graph.nodes):
        if not accelerator.takes_operator(node.type):
            reasons[v] = f"{accelerator.name} does not take operator {node.type}"
        elif not precision_is_fine(graph, v, accelerator):
            found = ", ".join(str(graph.tensors[tensor].dtype) for tensor in node.outputs) or "no output"
            reasons[v] = f"{accelerator.name} takes none of its outputs' dtypes ({found})"
        elif (reason := rule_refusal(accelerator, graph, v)) is not None:
            reasons[v] = reason
    return reasons


def precision_is_fine(graph: NodeGraph, v: int, accelerator: Device) -> bool:
    """Fine at the first output that is a constant, or whose dtype is allowed or quantised: one output is enough."""
    infos = [graph.tensors[tensor] for tensor in graph.nodes[v].outputs]
    return any(x.kind is TensorKind.CONST or accelerator.takes_dtype(x.dtype, x.quantized) for x in infos)


def ranges(
    graph: NodeGraph, blocked: Sequence[int], devices: Sequence[Device], accelerator: int, host: int
) -> list[Group]:
    """Ranges of ids with their device, in order: the part before the first blocked node, even if it is empty; then
    from each blocked node to the next, whole on the host or, where it is large enough, all but its first node on the
    accelerator.
    """
    stops = [*blocked, len(graph.nodes)]
    groups = [Group(accelerator, list(range(stops[0])))]
    allowed = devices[accelerator].operators
    for first, stop in pairwise(stops):
        known = [graph.nodes[v] for v in range(first, stop) if allowed is None or graph.nodes[v].type in allowed]
        if sum(map(units, known)) < COMPLEX:
            groups.append(Group(host, list(range(first, stop))))
        else:
            groups += [Group(host, [first]), Group(accelerator, list(range(first + 1, stop)))]
    return groups


def merged(groups: Sequence[Group]) -> list[Group]:
    """Neighbours on the same device become one."""
    runs = groupby(groups, lambda group: group.device)
    return [Group(device, [v for part in run for v in part.nodes]) for device, run in runs]


def with_boundaries(graph: NodeGraph, devices: Sequence[Device], groups: Sequence[Group]) -> list[SubGraph]:
    """Groups -> sub-graphs with their inputs, outputs and wait counts."""
    boundaries = [_boundary(graph, nodes) for _, nodes in groups]
    group_of = {v: i for i, (_, nodes) in enumerate(groups) for v in nodes}
    handed_over = [set(outputs) for _, outputs in boundaries]

    def hand_over(group: int, tensor: int) -> None:
        if tensor not in handed_over[group]:
            handed_over[group].add(tensor)
            boundaries[group][1].append(tensor)

    for inputs, _ in boundaries[1:]:
        for tensor in inputs:
            if graph.tensors[tensor].kind is not TensorKind.INPUT:
                hand_over(group_of[graph.producer[tensor]], tensor)
    returned = set(graph.output_nodes)
    for i, (_, nodes) in enumerate(groups):
        for v in nodes:
            if v in returned:
                for tensor in graph.nodes[v].outputs:
                    hand_over(i, tensor)
    waits = [sum(graph.tensors[t].kind is TensorKind.VAR for t in inputs) for inputs, _ in boundaries]
    return [SubGraph(i, devices[device], nodes, *boundaries[i], waits[i]) for i, (device, nodes) in enumerate(groups)]


def _boundary(graph: NodeGraph, nodes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Read and not made, made and not read; an output of kind input counts as read, constants not at all."""
    read: set[int] = set()
    made: set[int] = set()
    for v in nodes:
        node = graph.nodes[v]
        read.update(t for t in node.inputs if graph.tensors[t].kind is not TensorKind.CONST)
        for tensor in node.outputs:
            kind = graph.tensors[tensor].kind
            if kind is TensorKind.INPUT:
                read.add(tensor)
            elif kind is TensorKind.VAR:
                made.add(tensor)
    return sorted(read - made), sorted(made - read)


def _fallbacks(groups: Sequence[Group], blocked: Mapping[int, str], accelerator: int, host: int) -> dict[int, str]:
    """Node id -> why it is on the host and not on the accelerator; nothing where they are one."""
    if accelerator == host:
        return {}
    small = f"too small: mode tengine asks for {COMPLEX} operators"
    return {v: blocked.get(v, small) for part in groups if part.device == host for v in part.nodes}


def _roles(devices: Sequence[Device]) -> tuple[int, int]:
    """The numbers of the accelerator and of the host; the same where there is one device."""
    host = host_of(devices)
    others = [d for d in range(len(devices)) if d != host]
    if not devices[host].takes_everything or len(others) > 1:
        found = ", ".join(device.name for device in devices)
        raise PartitionError(f"tengine: expected one accelerator and one device that takes everything, found {found}")
    return (others or [host])[0], host


def _check(what: str, count: int, most: int) -> None:
    if count > most:
        raise PartitionError(
            f"tengine: expected at most {most} {what}, found {count}: the original's integers overflow; "
            "limits=False does without them"
        )


def _check_definitions(graph: NodeGraph, groups: Sequence[Group]) -> None:
    """Raise PartitionError where a node reads what nobody makes, or what a later node of its own group makes."""
    producer, sources = graph.producer, graph.sources
    group_of = {v: i for i, (_, nodes) in enumerate(groups) for v in nodes}
    for v, node in enumerate(graph.nodes):
        for tensor in node.inputs:
            u = producer.get(tensor)
            if u is None:
                if graph.tensors[tensor].kind is TensorKind.VAR:
                    raise undefined(graph, v, tensor)
            elif u >= v and u not in sources and group_of[u] == group_of[v]:
                made = f"{graph.label(u)} makes it later" if u > v else "it makes it itself"
                raise PartitionError(f"tengine: {graph.label(v)} reads tensor {tensor} before it is made: {made}")
