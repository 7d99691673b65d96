"""Mode "fewest": each node on the first device that takes it, in as few sub-graphs as that allows.

Other placements, where several devices take a node, may give fewer. Nodes with a device each are cut into groups such
that a group has one device and the groups can run one after another. With two devices the groups alternate, so a node
is at least as many groups behind a predecessor as devices change on the way: `levels` are the least possible, hence so
is their number. With more devices the problem contains shortest common supersequence, which is NP-hard; there the order
is greedy.
"""

from __future__ import annotations

from collections.abc import Sequence

from kuiper.partition.device import Device
from kuiper.partition.modes.dependencies import Dependencies, dependencies_of
from kuiper.partition.modes.own import Grouping, grouped_by
from kuiper.partition.node_graph import NodeGraph
from kuiper.partition.subgraph import Group
from kuiper.partition.support import host_of, placements, units


def split_fewest(
    graph: NodeGraph, devices: Sequence[Device], min_nodes: int, grouping: Grouping | None = None
) -> tuple[list[Group], dict[int, str]]:
    """Each node on the first device that takes it: the fewest groups, in running order; and why nodes fall back.

    grouping : a function of the caller's own that makes the groups, see `own.py`; None: `group`.

    They fall back to the host, see `host_of`. A group away from it with fewer `units` than `min_nodes` goes there, when
    the host takes its nodes; then the levels are taken again, until no such group is left.
    """
    dependencies = dependencies_of(graph)
    takers, fallbacks = placements(graph, dependencies.order, devices)
    device_of = [able[0] if able else -1 for able in takers]
    host = host_of(devices)
    while True:
        if grouping is None:
            groups = group(dependencies, device_of, len(devices))
        else:
            groups = grouped_by(grouping, dependencies, device_of, devices)
        small = [
            part
            for part in groups
            if part.device != host
            and sum(units(graph.nodes[v]) for v in part.nodes) < min_nodes
            and all(host in takers[v] for v in part.nodes)
        ]
        if not small:
            return groups, dict(sorted(fallbacks.items()))
        for part in small:
            for v in part.nodes:
                device_of[v] = host
                fallbacks[v] = f"too small for {devices[part.device]}: min_nodes={min_nodes}"


def group(dependencies: Dependencies, device_of: Sequence[int], devices: int) -> list[Group]:
    """Nodes with a device each -> the fewest groups (for two devices; few for more), in running order."""
    used = sorted({device_of[v] for v in dependencies.order})
    if len(used) <= 2:
        return by_levels(dependencies, device_of, used)
    return min((greedily(dependencies, device_of, devices, start) for start in used), key=len)


def levels(dependencies: Dependencies, device_of: Sequence[int], start: int) -> list[int]:
    """For each node the number of its group, when the groups alternate between two devices from `start` on; O(V+E).

    level(v) = max(start != device(v), max over predecessors u of level(u) + [device(u) != device(v)])
    """
    level = [0] * len(dependencies.before)
    for v in dependencies.order:
        device = device_of[v]
        least = 1 if device != start else 0
        for u in dependencies.before[v]:
            needed = level[u] if device_of[u] == device else level[u] + 1
            if needed > least:
                least = needed
        level[v] = least
    return level


def by_levels(dependencies: Dependencies, device_of: Sequence[int], used: Sequence[int]) -> list[Group]:
    """One group per level, from that start of the at most two devices that needs fewer levels."""
    level = min((levels(dependencies, device_of, start) for start in used), key=max, default=[])
    members: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for v in dependencies.order:
        members[level[v]].append(v)
    return [Group(device_of[nodes[0]], nodes) for nodes in members]


def greedily(dependencies: Dependencies, device_of: Sequence[int], devices: int, start: int) -> list[Group]:
    """Run all that can run on one device, then go on with the device on which the most changes still depend; O(V+E)."""
    heights, readers = _heights(dependencies, device_of), _readers(dependencies)
    place = {v: i for i, v in enumerate(dependencies.order)}
    missing = [len(u) for u in dependencies.before]
    ready: list[list[int]] = [[] for _ in range(devices)]
    tallest = [-1] * devices

    def offer(v: int) -> None:
        ready[device_of[v]].append(v)
        tallest[device_of[v]] = max(tallest[device_of[v]], heights[v])

    for v in dependencies.order:
        if not missing[v]:
            offer(v)
    groups: list[Group] = []
    device = start if ready[start] else max(range(devices), key=lambda d: (tallest[d], len(ready[d]), -d))
    while ready[device]:
        part = Group(device, ready[device])
        ready[device], tallest[device] = [], -1
        for v in part.nodes:  # grows during the loop
            for reader in readers[v]:
                missing[reader] -= 1
                if not missing[reader]:
                    if device_of[reader] == device:
                        part.nodes.append(reader)
                    else:
                        offer(reader)
        part.nodes.sort(key=place.__getitem__)
        groups.append(part)
        device = max(range(devices), key=lambda d: (tallest[d], len(ready[d]), -d))
    return groups


def _heights(dependencies: Dependencies, device_of: Sequence[int]) -> list[int]:
    """For each node the most changes of device on a way from it to an end."""
    height = [0] * len(dependencies.before)
    for v in reversed(dependencies.order):
        for u in dependencies.before[v]:
            height[u] = max(height[u], height[v] + (device_of[u] != device_of[v]))
    return height


def _readers(dependencies: Dependencies) -> list[list[int]]:
    readers: list[list[int]] = [[] for _ in dependencies.before]
    for v in dependencies.order:
        for u in dependencies.before[v]:
            readers[u].append(v)
    return readers
