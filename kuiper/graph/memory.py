"""Memory (lesson 4): how long each value lives, and where it could lie in an arena: one buffer for all.

The fast engine lays out its arenas in kuiper/fast/plan/arena.py: it starts from `plan_memory` and searches
for a better order with `place`. The layers leave allocation to numpy (kuiper/runtime/README.md).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.graph.operator import Operator, Shape


@dataclass(frozen=True, slots=True)
class Lifetime:
    """An operand is written at step `first` of the execution order, and nobody needs it after step `last`.

    An input counts from its pnnx.Input on, although run_layers has all inputs from the start.
    """

    first: int
    last: int


def lifetimes(order: Sequence[Operator]) -> dict[str, Lifetime]:
    """Operand name -> its lifetime. What the graph returns (read by pnnx.Output) lives to the end."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for step, op in enumerate(order):
        for operand in op.outputs:
            first[operand.name] = last[operand.name] = step
        for operand in op.inputs:
            last[operand.name] = max(last[operand.name], len(order) - 1 if op.type == "pnnx.Output" else step)
    # a tuple or a dict holds its members: they live as long as it does
    for op in reversed(order):
        if op.type.startswith("prim::") and op.outputs:
            end = max(last[operand.name] for operand in op.outputs)
            for operand in op.inputs:
                last[operand.name] = max(last[operand.name], end)
    return {name: Lifetime(first[name], last[name]) for name in first}


def releases(lives: Mapping[str, Lifetime], steps: int) -> list[list[str]]:
    """For each step the operands that nobody needs after it; none for the last, after which only the outputs matter.

    >>> releases({"x": Lifetime(0, 1), "y": Lifetime(1, 2)}, 3)
    [[], ['x'], []]
    """
    found: list[list[str]] = [[] for _ in range(steps)]
    for name, life in lives.items():
        if life.last < steps - 1:
            found[life.last].append(name)
    return found


@dataclass(frozen=True)
class MemoryPlan:
    """Where each operand lies in one arena, in bytes.

    `total_bytes` is the space without any reuse, `planned_bytes` the size of the arena, `lower_bound_bytes`
    the most that is alive at any one step: no placement of these values can do with less.
    """

    offsets: Mapping[str, int]
    sizes: Mapping[str, int]
    lifetimes: Mapping[str, Lifetime]
    total_bytes: int
    planned_bytes: int
    lower_bound_bytes: int


def plan_memory(lives: Mapping[str, Lifetime], sizes: Mapping[str, int]) -> MemoryPlan:
    """Give each operand of `sizes` (name -> bytes) an offset such that values alive together never overlap.

    Largest first, each at the lowest offset that is free for its whole lifetime.
    Source: Y. Pisarchyk and J. Lee, Efficient memory management for deep neural net inference, 2020, "greedy by size".
    """
    names = list(sizes)
    index = {name: i for i, name in enumerate(names)}
    order = [index[name] for name in largest_first(lives, sizes)]
    offsets = dict(zip(names, place(order, list(sizes.values()), neighbours(lives, names)), strict=True))
    changes: dict[int, int] = {}
    for name, bytes_of in sizes.items():
        changes[lives[name].first] = changes.get(lives[name].first, 0) + bytes_of
        changes[lives[name].last + 1] = changes.get(lives[name].last + 1, 0) - bytes_of
    peak = max(itertools.accumulate(changes[step] for step in sorted(changes)), default=0)
    planned = max((offsets[name] + bytes_of for name, bytes_of in sizes.items()), default=0)
    return MemoryPlan(offsets, dict(sizes), {n: lives[n] for n in sizes}, sum(sizes.values()), planned, peak)


def largest_first(lives: Mapping[str, Lifetime], sizes: Mapping[str, int]) -> list[str]:
    """The names by falling size; those of one size in the order in which they are written."""
    return sorted(sizes, key=lambda name: (-sizes[name], lives[name].first))


def neighbours(lives: Mapping[str, Lifetime], names: Sequence[str]) -> list[list[int]]:
    """For each of `names` the indices of those that are alive together with it, itself among them.

    >>> neighbours({"a": Lifetime(0, 1), "b": Lifetime(1, 2), "c": Lifetime(2, 3)}, "abc")
    [[0, 1], [0, 1, 2], [1, 2]]
    """
    first = np.array([lives[name].first for name in names], np.int64)
    last = np.array([lives[name].last for name in names], np.int64)
    return [np.flatnonzero((first <= stop) & (start <= last)).tolist() for start, stop in zip(first, last)]


def place(order: Iterable[int], sizes: Sequence[int], alive_with: Sequence[Sequence[int]]) -> list[int]:
    """Offsets of values 0 to n-1: each in turn gets the lowest at which it overlaps none that is alive with it.

    >>> place([2, 0, 1], [10, 20, 30], [[0, 1], [0, 1, 2], [1, 2]])
    [0, 30, 0]
    """
    offsets = [-1] * len(sizes)
    for i in order:
        lowest = 0
        for start, stop in sorted([(offsets[j], offsets[j] + sizes[j]) for j in alive_with[i] if offsets[j] >= 0]):
            if lowest + sizes[i] <= start:
                break
            lowest = max(lowest, stop)
        offsets[i] = lowest
    return offsets


@dataclass(frozen=True, slots=True)
class Extent:
    """Shape of a value and the bytes of one element; None and 0 where they are not known."""

    shape: Shape | None
    itemsize: int

    @property
    def bytes(self) -> int | None:
        """Space of the value, or None when a dimension or the element type is not known."""
        if self.shape is None or any(size < 0 for size in self.shape) or not self.itemsize:
            return None
        return math.prod(self.shape) * self.itemsize


def declared_extents(order: Iterable[Operator]) -> dict[str, Extent]:
    """Operand name -> shape and element size as the file says them."""
    return {
        operand.name: Extent(operand.shape, operand.dtype.compute.itemsize if operand.dtype else 0)
        for op in order
        for operand in op.outputs
    }


def memory_plan_of(order: Sequence[Operator], extents: Mapping[str, Extent]) -> MemoryPlan | None:
    """The memory plan for what operators in execution order write; None for open shapes.

    Values whose shape or element type is not known are left out.
    """
    if any(extent.shape is not None and min(extent.shape, default=0) < 0 for extent in extents.values()):
        return None
    sizes = {name: extent.bytes for name, extent in extents.items()}
    return plan_memory(lifetimes(order), {name: size for name, size in sizes.items() if size is not None})
