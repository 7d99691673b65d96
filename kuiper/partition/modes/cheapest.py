"""Mode "cost": place nodes so that computing, copying and starting take the least time by the model.

For two devices, the least computing and copying is a minimum cut, which is exact; the starts of sub-graphs are not
part of it and are weighed afterwards. More devices are taken two at a time, each time exactly, until nothing changes.
Sources: H. S. Stone, Multiprocessor scheduling with the aid of network flow algorithms, IEEE Transactions on Software
Engineering 3(1), 1977; Y. Boykov, O. Veksler, R. Zabih, Fast approximate energy minimization via graph cuts, IEEE
Transactions on Pattern Analysis and Machine Intelligence 23(11), 2001 (swap moves).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import inf

from kuiper.partition.cost import Cost, Link
from kuiper.partition.device import Device
from kuiper.partition.modes.maxflow import FlowNetwork
from kuiper.partition.modes.placement import Model
from kuiper.partition.node_graph import NodeGraph
from kuiper.partition.subgraph import Group

ROUNDS = 8
"""How often groups are tried on another device, and devices two at a time."""


def split_cost(
    graph: NodeGraph, devices: Sequence[Device], link: Link
) -> tuple[list[Group], dict[int, str], dict[str, Cost]]:
    """The cheapest groups found, in running order; why nodes fall back; the costs of the placements weighed, by name.

    Candidates: each node on the first device that takes it; everything on one device; the minimum cut; cuts in which a
    copy pays for the starts that it brings as well. Then groups move to another device while the total falls.
    """
    model = Model(graph, devices, link)
    candidates = [[able[0] if able else -1 for able in model.takers], *map(model.everything_on, range(len(devices)))]
    best = min(candidates, key=model.total)
    longest = max(device.launch for device in devices)
    for extra in sorted({0.0, longest / 2, longest}):
        best = min(best, least_cut(model, candidates[0], extra), key=model.total)
    if longest > 0:
        best = improved(model, best)
    return model.groups(best), model.fallbacks, compared(model, best)


def compared(model: Model, best: list[int]) -> dict[str, Cost]:
    """What placements cost: the best one, then those that keep to one device as far as it takes the nodes."""
    names: dict[tuple[int, ...], str] = {}
    for d, device in enumerate(model.devices):
        placed = model.everything_on(d)
        used = {placed[v] for v in model.dependencies.order}
        if used == {d}:
            names[tuple(placed)] = f"all on {device}"
        elif d in used:
            names.setdefault(tuple(placed), f"{device} has all it can")
    chosen = {tuple(best): names.get(tuple(best), "split")}
    return {name: model.cost(placed) for placed, name in {**chosen, **names}.items()}


def least_cut(model: Model, placed: list[int], extra: float = 0.0) -> list[int]:
    """The placement with the least computing and copying, where each copy takes `extra` seconds more.

    Exact for two devices. For more, no exchange of nodes between two devices makes it cheaper, or ROUNDS passed.
    """
    cost = model.cut_cost(placed, extra)
    for _ in range(ROUNDS):
        for a, b in combinations(range(len(model.devices)), 2):
            placed = shared_out(model, placed, a, b, extra)
        before, cost = cost, model.cut_cost(placed, extra)
        if len(model.devices) == 2 or cost >= before * (1 - 1e-9):
            break
    return placed


def shared_out(model: Model, placed: list[int], a: int, b: int, extra: float) -> list[int]:
    """The nodes on `a` or `b` shared between the two as cheaply as possible, all others left: a cut, `a` its source."""
    members = [v for v in model.dependencies.order if placed[v] in (a, b)]
    number = {v: i for i, v in enumerate(members)}
    network = FlowNetwork(len(members))
    for v, i in number.items():
        network.to_sink(i, model.seconds_of(v, a) if a in model.takers[v] else inf)
        network.from_source(i, model.seconds_of(v, b) if b in model.takers[v] else inf)
    for crossing in model.crossings:
        readers = [number[v] for v in crossing.readers if v in number]
        if readers:
            _add_crossing(network, crossing.seconds + extra, number.get(crossing.maker), readers)
    _, on_a = network.minimum_cut()
    result = list(placed)
    for v, i in number.items():
        result[v] = a if on_a[i] else b
    return result


def improved(model: Model, placed: list[int]) -> list[int]:
    """Move whole groups to another device, many at once or else the most promising one, while the total falls."""
    least = model.total(placed)
    for _ in range(ROUNDS):
        moves = _promising(model, placed)
        for chosen in (_apart(moves), moves[:1]):
            tried = list(placed)
            for _, _, nodes, device in chosen:
                for v in nodes:
                    tried[v] = device
            total = model.total(tried)
            if total < least:
                placed, least = tried, total
                break
        else:
            break
    return placed


Move = tuple[float, int, list[int], int]
"""Seconds it adds (below 0: saves), number of the group, its nodes, and the device to move them to."""


def _promising(model: Model, placed: list[int]) -> list[Move]:
    """Moves that seem to save something, best first: a group between two of its new device saves two starts."""
    groups, moves = model.groups(placed), []
    for i, part in enumerate(groups):
        beside = [groups[j].device for j in (i - 1, i + 1) if 0 <= j < len(groups)]
        for device in sorted(set(beside) - {part.device}):
            if all(device in model.takers[v] for v in part.nodes):
                added = model.moving(placed, part.nodes, device) - model.devices[part.device].launch
                if beside.count(device) == 2:
                    added -= model.devices[device].launch
                if added < 0:
                    moves.append((added, i, part.nodes, device))
    return sorted(moves)


def _apart(moves: Sequence[Move]) -> list[Move]:
    """The best moves of which no two concern the same group or neighbours."""
    taken: set[int] = set()
    chosen = []
    for move in moves:
        if not taken & {move[1] - 1, move[1], move[1] + 1}:
            taken.add(move[1])
            chosen.append(move)
    return chosen


def _add_crossing(network: FlowNetwork, seconds: float, maker: int | None, readers: Sequence[int]) -> None:
    """Let the cut pay once when a reader is not on the maker's side; a maker elsewhere (None) pays per side read."""
    if maker is not None and len(readers) == 1:
        network.arc(maker, readers[0], seconds, seconds)
        return
    on_a, on_b = network.vertex(), network.vertex()
    for reader in readers:
        network.arc(reader, on_a, inf)
        network.arc(on_b, reader, inf)
    if maker is None:
        network.to_sink(on_a, seconds)
        network.from_source(on_b, seconds)
    else:
        network.arc(on_a, maker, seconds)
        network.arc(maker, on_b, seconds)
