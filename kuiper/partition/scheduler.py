"""The order in which sub-graphs run: waves, each of those that have all they wait for."""

from __future__ import annotations

from kuiper.partition.errors import DeadlockError
from kuiper.partition.subgraph import Partition


def schedule(partition: Partition) -> list[list[int]]:
    """Indices of sub-graphs in waves; those of one wave can run at the same time; linear in inputs and outputs.

    A sub-graph runs when its ready count equals its wait count; each tensor that it hands over raises the ready count
    of every sub-graph that reads it. Raises DeadlockError when none can run and some have not.
    Source: Tengine-lite, source/scheduler/scheduler.c (sched_run).
    """
    parts = partition.subgraphs
    readers: dict[int, list[int]] = {}
    for part in parts:
        for tensor in part.inputs:
            readers.setdefault(tensor, []).append(part.index)
    missing = [part.wait_count for part in parts]
    waiting = set(range(len(parts)))
    waves: list[list[int]] = []
    wave = [i for i in waiting if missing[i] == 0]
    while wave:
        wave.sort()
        waves.append(wave)
        waiting.difference_update(wave)
        touched: set[int] = set()
        for i in wave:
            for tensor in parts[i].outputs:
                for reader in readers.get(tensor, ()):
                    missing[reader] -= 1
                    touched.add(reader)
        wave = [i for i in touched if missing[i] == 0 and i in waiting]
    if waiting:
        stuck = sorted(waiting)
        some = ", ".join(_state(partition, i, missing[i]) for i in stuck[:5]) + ", ..." * (len(stuck) > 5)
        raise DeadlockError(f"{len(stuck)} sub-graph(s) wait and none can run: {some}", stuck)
    return waves


def _state(partition: Partition, index: int, missing: int) -> str:
    wanted = partition.subgraphs[index].wait_count
    return f"sub-graph {index} waits for {wanted} tensor(s) and got {wanted - missing}"
