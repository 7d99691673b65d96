"""The arena: one array of bytes for the roots of a plan, those that never live together in the same bytes.

A root is a value that has memory of its own (layout.py).

Placing them in the least space is NP-hard (it is two-dimensional packing), but the orders in which a greedy placement
goes well are few: the best of them is taken, and made better by trying neighbours of it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kuiper.graph import Lifetime, MemoryPlan, plan_memory
from kuiper.graph.memory import neighbours, place

ENOUGH = 1.02
"""A MemoryPlan within 2 % of the lower bound is good enough."""
TRIES = 400


def plan_arena(lives: Mapping[str, Lifetime], sizes: Mapping[str, int]) -> MemoryPlan:
    """Give each value of `sizes` (name -> bytes) an offset such that values alive together never overlap.

    Starts from the course's own MemoryPlan (lesson 4: the largest first) and searches for a better order while that is
    more than 2 % above the lower bound. The same input gives the same plan.
    """
    start = plan_memory(lives, sizes)
    if not sizes or start.planned_bytes <= ENOUGH * start.lower_bound_bytes:
        return start
    search = _Search(lives, sizes)
    best = search.best(start.lower_bound_bytes)
    offsets = {name: int(best[i]) for i, name in enumerate(sizes)}
    planned = max(offsets[name] + size for name, size in sizes.items())
    if planned >= start.planned_bytes:
        return start
    return MemoryPlan(offsets, start.sizes, start.lifetimes, start.total_bytes, planned, start.lower_bound_bytes)


class _Search:
    def __init__(self, lives: Mapping[str, Lifetime], sizes: Mapping[str, int]) -> None:
        self.first = np.array([lives[name].first for name in sizes])
        self.last = np.array([lives[name].last for name in sizes])
        self.sizes = list(sizes.values())
        self.size = np.array(self.sizes, np.int64)
        self.neighbours = neighbours(lives, list(sizes))

    def best(self, bound: int) -> np.ndarray:
        """The offsets of the best order found."""
        length = self.last - self.first + 1
        orders = [
            np.lexsort((self.first, -self.size)),
            np.argsort(-self.size * length, kind="stable"),
            np.lexsort((-self.size, -length)),
            np.lexsort((-self.size, self.first)),
            np.lexsort((-self.size, -self.last)),
        ]
        tried = [(self.height(offsets), order, offsets) for order in orders for offsets in [self.place(order)]]
        height, order, offsets = min(tried, key=lambda each: each[0])
        rng = np.random.default_rng(0)
        for _ in range(TRIES):
            if height <= ENOUGH * bound:
                break
            # what sticks out at the top goes earlier: that is where space is short
            top = np.flatnonzero(offsets + self.size == height)
            moved = int(rng.choice(top)) if rng.random() < 0.7 else int(rng.integers(len(order)))
            rest = order[order != moved]
            changed = np.insert(rest, rng.integers(len(order)), moved)
            new = self.place(changed)
            if self.height(new) <= height:
                height, order, offsets = self.height(new), changed, new
        return offsets

    def place(self, order: np.ndarray) -> np.ndarray:
        """Each value in turn at the lowest offset that is free for its whole life."""
        return np.array(place(order.tolist(), self.sizes, self.neighbours), np.int64)

    def height(self, offsets: np.ndarray) -> int:
        """Bytes in all."""
        return int((offsets + self.size).max())
