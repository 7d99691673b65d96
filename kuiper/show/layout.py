"""Where the boxes of a layered graph stand, so that few edges cross and none runs through a box.

Source: K. Sugiyama, S. Tagawa, M. Toda, Methods for visual understanding of hierarchical system structures,
IEEE Transactions on Systems, Man, and Cybernetics 11(2), 1981.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

SPACE = 18.0
"""Free pixels between neighbours of one layer."""
BEND = 8.0
"""Width of the point at which a long edge passes a layer."""


@dataclass
class Layering:
    """The result: for each node its layer and the x of its middle; for each edge the x's at the layers it passes."""

    layer: list[int]
    x: list[float]
    bends: list[list[float]]


@dataclass
class _Items:
    """Nodes and bends alike: first the nodes, then one item per layer that a long edge passes."""

    width: list[float]
    layer: list[int]
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    nodes: int = 0


def layered(widths: Sequence[float], edges: Sequence[tuple[int, int]], late: Collection[int] = ()) -> Layering:
    """Widths of nodes and edges between them (each from a lower to a higher number) -> a layered layout.

    A node stands one layer below the lowest of its predecessors; nodes of `late`, which have none, stand right above
    their first reader.
    """
    layer = _longest_paths(len(widths), edges, late)
    items, chains = _with_bends(widths, layer, edges)
    rows = _ordered(items)
    x = _coordinates(items, rows)
    return Layering(layer, x[: len(widths)], [[x[item] for item in chain] for chain in chains])


def _longest_paths(count: int, edges: Sequence[tuple[int, int]], late: Collection[int]) -> list[int]:
    layer = [0] * count
    for source, target in sorted(edges):
        layer[target] = max(layer[target], layer[source] + 1)
    for node in late:
        layer[node] = min((layer[target] - 1 for source, target in edges if source == node), default=0)
    return layer


def _with_bends(
    widths: Sequence[float], layer: Sequence[int], edges: Sequence[tuple[int, int]]
) -> tuple[_Items, list[list[int]]]:
    items = _Items(list(widths), list(layer), nodes=len(widths))
    links: list[tuple[int, int]] = []
    chains: list[list[int]] = []
    for source, target in edges:
        chain = []
        for passed in range(layer[source] + 1, layer[target]):
            chain.append(len(items.width))
            items.width.append(BEND)
            items.layer.append(passed)
        chains.append(chain)
        links += zip([source, *chain], [*chain, target], strict=True)
    items.above = [[] for _ in items.width]
    items.below = [[] for _ in items.width]
    for upper, lower in links:
        items.below[upper].append(lower)
        items.above[lower].append(upper)
    return items, chains


def _ordered(items: _Items) -> list[list[int]]:
    """Items of each layer from left to right: sort by the mean place of the neighbours, down and up, keep the best."""
    rows: list[list[int]] = [[] for _ in range(max(items.layer, default=-1) + 1)]
    for item, layer in enumerate(items.layer):
        rows[layer].append(item)
    best, fewest = [list(row) for row in rows], _crossings(items, rows)
    for sweep in range(16):
        if fewest == 0:
            break
        neighbours = items.below if sweep % 2 else items.above
        place = {item: i for row in rows for i, item in enumerate(row)}
        for row in reversed(rows) if sweep % 2 else rows:
            row.sort(key=_mean_place(neighbours, place))
            place.update((item, i) for i, item in enumerate(row))
        crossings = _crossings(items, rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _mean_place(neighbours: Sequence[Sequence[int]], place: dict[int, int]) -> Callable[[int], float]:
    def mean(item: int) -> float:
        near = neighbours[item]
        return sum(place[n] for n in near) / len(near) if near else place[item]

    return mean


def _crossings(items: _Items, rows: Sequence[Sequence[int]]) -> int:
    """Pairs of links between neighbouring layers that cross: an earlier start with a later end."""
    place = {item: i for row in rows for i, item in enumerate(row)}
    total = 0
    for row in rows:
        ends: list[int] = []
        for item in row:
            targets = [place[lower] for lower in items.below[item]]
            total += sum(len(ends) - bisect_right(ends, target) for target in targets)
            for target in targets:
                insort(ends, target)
    return total


def _coordinates(items: _Items, rows: Sequence[Sequence[int]]) -> list[float]:
    """x of every item: each is drawn to its neighbours, boxes much more than a line that passes them."""
    x = [0.0] * len(items.width)
    for sweep in range(24):
        upward = sweep % 2 == 1
        for row in reversed(rows) if upward else rows:
            wishes, weights = [], []
            for item in row:
                near = items.below[item] if upward else items.above[item]
                pulls = [(_pull(items, item, other), x[other]) for other in near] or [(0.001, x[item])]
                weights.append(sum(pull for pull, _ in pulls))
                wishes.append(sum(pull * place for pull, place in pulls) / weights[-1])
            for item, place in zip(row, _apart(wishes, weights, [items.width[i] for i in row]), strict=True):
                x[item] = place
    _straighten(items, rows, x)
    left = min((x[i] - width / 2 for i, width in enumerate(items.width)), default=0.0)
    return [place - left for place in x]


def _pull(items: _Items, a: int, b: int) -> float:
    """How strongly a link pulls its ends above each other: the backbone most, bypasses and weights hardly."""
    upper, lower = min(a, b), max(a, b)
    if lower >= items.nodes:
        return 0.3 if upper >= items.nodes else 0.003
    joins = not items.above[upper] and len(items.above[lower]) > 1
    return 0.03 if joins else 1.0


def _straighten(items: _Items, rows: Sequence[Sequence[int]], x: list[float]) -> None:
    """Let each long line run straight down for as many layers as its neighbours leave it room."""
    neighbours = {b: (a, c) for row in rows for a, b, c in zip([-1, *row], row, [*row[1:], -1])}

    def room(item: int) -> tuple[float, float]:
        left, right = neighbours[item]
        least = x[left] + (items.width[left] + BEND) / 2 + SPACE if left >= 0 else -inf
        most = x[right] - (items.width[right] + BEND) / 2 - SPACE if right >= 0 else inf
        return least, most

    def settle(run: list[int], least: float, most: float) -> None:
        wish = sum(x[item] for item in run) / len(run)
        for item in run:
            x[item] = min(max(wish, least), most)

    for first in range(items.nodes, len(items.width)):
        if items.above[first][0] >= items.nodes:
            continue
        run, least, most, item = [first], *room(first), first
        while (item := items.below[item][0]) >= items.nodes:
            low, high = room(item)
            if max(low, least) > min(high, most):
                settle(run, least, most)
                run, least, most = [], low, high
            run.append(item)
            least, most = max(low, least), min(high, most)
        settle(run, least, most)


def _apart(wishes: Sequence[float], weights: Sequence[float], widths: Sequence[float]) -> list[float]:
    """The places closest to `wishes` (least squares) at which neighbours do not overlap.

    Isotonic regression: neighbours that would overlap join a block, which moves to the mean of its members' wishes.
    Source: R. E. Barlow et al., Statistical Inference under Order Restrictions, 1972 (pool adjacent violators).
    """
    offsets = [0.0]
    for left, right in pairwise(widths):
        offsets.append(offsets[-1] + (left + right) / 2 + SPACE)
    blocks: list[tuple[float, float, int]] = []
    for wish, weight, offset in zip(wishes, weights, offsets):
        mean, count = wish - offset, 1
        while blocks and blocks[-1][0] > mean:
            other, other_weight, other_count = blocks.pop()
            mean = (mean * weight + other * other_weight) / (weight + other_weight)
            weight, count = weight + other_weight, count + other_count
        blocks.append((mean, weight, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets)]
