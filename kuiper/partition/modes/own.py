"""A function of the caller's own in the place of mode "fewest": it groups the nodes, each of which has its device."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kuiper.partition.device import Device
from kuiper.partition.errors import PartitionError
from kuiper.partition.modes.dependencies import Dependencies
from kuiper.partition.subgraph import Group

Grouping = Callable[[list[list[int]], list[str]], Sequence[tuple[str, Sequence[int]]]]
"""(for each node its predecessors, for each node its device's name) -> (device's name, nodes) of each group, in order.

Nodes are numbered from 0, each after its predecessors.
"""
FORM = "a list of (name of the device, list of its nodes' numbers)"


def grouped_by(
    grouping: Grouping, dependencies: Dependencies, device_of: Sequence[int], devices: Sequence[Device]
) -> list[Group]:
    """The groups that the function makes, none empty, each node on its device; `verify` checks the rest.

    Raises PartitionError for an exception of the function, a result of another form, and those two.
    """
    title = getattr(grouping, "__name__", "the function")
    number = {v: i for i, v in enumerate(dependencies.order)}
    predecessors = [[number[u] for u in dependencies.before[v]] for v in dependencies.order]
    names = [devices[device_of[v]].name for v in dependencies.order]
    try:
        made = grouping(predecessors, names)
    except Exception as error:
        raise PartitionError(f"{title} raised {type(error).__name__}: {error}") from error
    if not _is_sequence(made):
        raise PartitionError(f"{title}: expected {FORM}, found {type(made).__name__}")
    groups = []
    for place, part in enumerate(made):
        where = f"{title}, part {place}"
        if not _is_sequence(part) or len(part) != 2 or not _is_sequence(part[1]):
            raise PartitionError(f"{where}: expected (name of the device, list of nodes), found {part!r:.60}")
        name, nodes = part
        if not nodes:
            raise PartitionError(f"{where}: expected at least one node, found none")
        for node in nodes:
            if not isinstance(node, (int, np.integer)) or not 0 <= node < len(names):
                raise PartitionError(f"{where}: expected nodes from 0 to {len(names) - 1}, found {node!r}")
            if names[node] != name:
                raise PartitionError(f"{where}, node {node}: expected {names[node]!r}, its device, found {name!r}")
        groups.append(Group(device_of[dependencies.order[nodes[0]]], [dependencies.order[node] for node in nodes]))
    return groups


def _is_sequence(value: object) -> bool:
    """Whether a value is a list or something like it: a tuple or a range, but no text."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
