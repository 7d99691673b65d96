"""Parallel branches: small steps that do not depend on each other, distributed over the threads.

Large steps use all threads themselves. Stretches of small ones remain, such as the heads of a detector; where a stretch
splits into independent branches, each thread takes some of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kuiper.fast.kernels.base.calls import Stage
from kuiper.fast.plan.fallback import Fallback
from kuiper.fast.plan.layout import MemoryLayout

WORTH_IT = 120e-6
"""Seconds that a stretch must save: several times the cost of waking the other threads."""
LONGEST = 24


@dataclass(frozen=True)
class ParallelStretch:
    """Consecutive steps from `start` on, and the number of the thread that each is assigned to.

    >>> ParallelStretch.read("4:0,1,1").assigned
    (0, 1, 1)
    """

    start: int
    assigned: tuple[int, ...]

    @property
    def stop(self) -> int:
        """The first step after it."""
        return self.start + len(self.assigned)

    def __str__(self) -> str:
        return f"{self.start}:{','.join(map(str, self.assigned))}"

    @classmethod
    def read(cls, text: str) -> ParallelStretch:
        """Inverse of str. Raises ValueError."""
        start, _, assigned = text.partition(":")
        return cls(int(start), tuple(int(thread) for thread in assigned.split(",")))


def stretches_of(
    layout: MemoryLayout, stages: Sequence[Sequence[Stage]], seconds: Sequence[float], threads: int
) -> list[ParallelStretch]:
    """The stretches that pay off, given the stages of each step and their seconds one after the other.

    Layers stay on the caller's thread: they may be a student's.
    """
    alone = [
        all(len(stage) == 1 for stage in each) and not isinstance(step.kernel, Fallback)
        for step, each in zip(layout.steps, stages)
    ]
    found = []
    start = 0
    while start < len(stages):
        stop = start
        while stop < len(stages) and alone[stop] and stop - start < LONGEST:
            stop += 1
        stretch = _distributed(layout, start, stop, seconds, threads) if stop - start > 1 else None
        if stretch is not None:
            found.append(stretch)
        start = max(stop, start + 1)
    return found


def known_stretches(layout: MemoryLayout, text: str, threads: int) -> list[ParallelStretch]:
    """The stretches that an earlier process noted, separated by spaces; none if they do not fit this network."""
    try:
        stretches = [ParallelStretch.read(word) for word in text.split()]
    except ValueError:
        return []
    ends = [0, *(stretch.stop for stretch in stretches)]
    if any(stretch.start < end for stretch, end in zip(stretches, ends)) or ends[-1] > len(layout.steps):
        return []
    for stretch in stretches:
        branches = branches_of(layout, stretch.start, stretch.stop)
        if any(len({stretch.assigned[i - stretch.start] for i in branch}) > 1 for branch in branches):
            return []
    return stretches if all(0 <= thread < threads for stretch in stretches for thread in stretch.assigned) else []


def _distributed(
    layout: MemoryLayout, start: int, stop: int, seconds: Sequence[float], threads: int
) -> ParallelStretch | None:
    branches = branches_of(layout, start, stop)
    loads = [0.0] * threads
    assigned: dict[int, int] = {}
    for branch in sorted(branches, key=lambda steps: -sum(seconds[i] for i in steps)):
        thread = loads.index(min(loads))
        loads[thread] += sum(seconds[i] for i in branch)
        assigned.update(dict.fromkeys(branch, thread))
    return (
        ParallelStretch(start, tuple(assigned[i] for i in range(start, stop)))
        if sum(loads) - max(loads) > WORTH_IT
        else None
    )


def branches_of(layout: MemoryLayout, start: int, stop: int) -> list[list[int]]:
    """The steps start..stop in groups that do not depend on each other."""
    group = {i: i for i in range(start, stop)}

    def top(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    writers: dict[str, list[int]] = {}
    for i in range(start, stop):
        for name in layout.steps[i].reads:
            if name in layout.values:
                for writer in writers.get(layout.root(name).name, ()):
                    group[top(writer)] = top(i)
            elif not layout.specs[name].constant:  # a dynamic value
                for writer in writers.get(name, ()):
                    group[top(writer)] = top(i)
        for name in layout.steps[i].writes:
            key = layout.root(name).name if name in layout.values else name
            writers.setdefault(key, []).append(i)
    branches: dict[int, list[int]] = {}
    for i in range(start, stop):
        branches.setdefault(top(i), []).append(i)
    return list(branches.values())
