"""What a sub-graph waits for: `Countdown` says which can run now; `schedule` tries it out, in waves.

The executor does not run the waves one after the other: it starts each sub-graph as soon as it can run. That there are
waves which reach every sub-graph proves that none waits for ever; the widest one gives the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kuiper.partition.errors import DeadlockError
from kuiper.partition.subgraph import Partition


def readers_of(inputs: Iterable[Iterable[int]]) -> dict[int, list[int]]:
    """The tensors that each of several parts reads -> for each tensor the numbers of its readers, in order.

    >>> readers_of([[7], [7, 8]])
    {7: [0, 1], 8: [1]}
    """
    readers: dict[int, list[int]] = {}
    for number, tensors in enumerate(inputs):
        for tensor in tensors:
            readers.setdefault(tensor, []).append(number)
    return readers


class Countdown:
    """How many tensors each part still waits for, from its wait count down to 0, when it can run.

    readers : tensor -> numbers of the parts that read it, as `readers_of` gives them.
    waits : how many tensors each part waits for.

    >>> countdown = Countdown({7: [1], 8: [1]}, [0, 2])
    >>> countdown.ready, countdown.handed_over([7]), countdown.handed_over([8])
    ([0], [], [1])
    """

    def __init__(self, readers: Mapping[int, Sequence[int]], waits: Iterable[int]) -> None:
        self.readers, self.missing = readers, list(waits)

    @property
    def ready(self) -> list[int]:
        """The parts that wait for nothing more: before the first tensor is handed over, those to begin with."""
        return [number for number, missing in enumerate(self.missing) if missing == 0]

    def handed_over(self, tensors: Iterable[int]) -> list[int]:
        """Count these tensors as handed over -> the parts that got one and can run now, in order."""
        touched: set[int] = set()
        for tensor in tensors:
            for reader in self.readers.get(tensor, ()):
                self.missing[reader] -= 1
                touched.add(reader)
        return sorted(number for number in touched if self.missing[number] == 0)


def schedule(partition: Partition) -> list[list[int]]:
    """Indices of sub-graphs in waves, each of those that have all they wait for; linear in inputs and outputs.

    Those of one wave can run at the same time. Raises DeadlockError when none can run and some have not.
    Source: Tengine-lite, source/scheduler/scheduler.c (sched_run), whose ready count here counts down.
    """
    parts = partition.subgraphs
    countdown = Countdown(readers_of(part.inputs for part in parts), [part.wait_count for part in parts])
    waiting = set(range(len(parts)))
    waves: list[list[int]] = []
    wave = countdown.ready
    while wave:
        waves.append(wave)
        waiting.difference_update(wave)
        wave = countdown.handed_over(tensor for i in wave for tensor in parts[i].outputs)
    if waiting:
        stuck = sorted(waiting)
        some = ", ".join(_state(partition, i, countdown.missing[i]) for i in stuck[:5]) + ", ..." * (len(stuck) > 5)
        raise DeadlockError(f"{len(stuck)} sub-graph(s) wait and none can run: {some}", stuck)
    return waves


def _state(partition: Partition, index: int, missing: int) -> str:
    wanted = partition.subgraphs[index].wait_count
    return f"sub-graph {index} waits for {wanted} tensor(s) and got {wanted - missing}"
