"""How long partitioning takes as graphs grow: `python -m benchmarks.partition [NODES ...]`.

The graph is a chain with edges from earlier nodes; now and then an operator is for the CPU alone. The last column is
the growth since the row before, for a graph that grew by the factor in brackets.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import TypeVar

from kuiper.partition import Device, Link, NodeGraph, partition, schedule, verify

T = TypeVar("T")
SIZES = (1_000, 10_000, 100_000)
REPEATS = 3
ACC = Device("ACC", operators={"input", "conv", "relu", "eltwise", "fc"}, dtypes={"float32"}, speed=1e12, launch=1e-5)
CPU = Device("CPU", speed=5e10, launch=1e-6)


def network(count: int, seed: int = 20) -> NodeGraph:
    """`count` nodes: each reads the one before, three in ten also an earlier one; one in seven is a sigmoid."""
    rng = random.Random(seed)
    nodes: list[list[object]] = [["input", [], [0]]]
    for i in range(1, count):
        inputs = [i - 1]
        if i > 2 and rng.random() < 0.3:
            inputs.append(i - 1 - rng.randint(1, min(i - 1, 20)))
        op = "sigmoid" if rng.random() < 1 / 7 else rng.choice(["conv", "relu", "eltwise", "conv"])
        nodes.append([op, inputs, [i], {"work": rng.uniform(1e4, 1e8)}])
    sizes = {i: {"bytes": rng.randint(1_000, 1_000_000)} for i in range(1, count)}
    return NodeGraph.from_lists(nodes, {0: {"kind": "input"}, **sizes}, [count - 1])


def least(call: Callable[[], T]) -> tuple[float, T]:
    """Seconds of processor time of the fastest of a few calls, and what the last one returned."""
    best = float("inf")
    for _ in range(REPEATS):
        started = time.process_time()
        result = call()
        best = min(best, time.process_time() - started)
    return best, result


def main() -> None:
    """Print one table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="NODES")
    sizes = arguments.parse_args().sizes
    print(f"seconds of processor time, the fastest of {REPEATS}")
    print(f"{'mode':8} {'nodes':>8} {'sub-graphs':>10} {'split':>8} {'verify':>8} {'schedule':>8}   growth")
    for mode in ("tengine", "fewest", "cost"):
        before: tuple[int, float] | None = None
        for size in sizes:
            graph = network(size)
            split_s, split = least(lambda: partition(graph, [ACC, CPU], mode, link=Link(), limits=False))  # noqa: B023
            verify_s, _ = least(lambda: verify(split))  # noqa: B023
            schedule_s, waves = least(lambda: schedule(split))  # noqa: B023
            assert sum(map(len, waves)) == len(split.subgraphs)
            growth = f"x {split_s / before[1]:.1f} (x {size / before[0]:.0f})" if before else ""
            seconds = f"{split_s:8.3f} {verify_s:8.3f} {schedule_s:8.3f}"
            print(f"{mode:8} {size:8} {len(split.subgraphs):10} {seconds}   {growth}")
            before = size, split_s


if __name__ == "__main__":
    main()
