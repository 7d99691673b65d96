r"""Who can run now? And what if nobody can?: why the solution is as it is.

This is Kahn's algorithm from lesson 4 on sub-graphs, except that all that are ready run together. Collect the wave
first and count afterwards; a count that rises during the collection lets a reader run beside its maker. Whether a
sub-graph that became ready stands earlier or later in the list must not matter.

A deadlock is an empty wave while some wait. Without that check the loop never ends, or ends as if all were well. It
happens when two sub-graphs read from each other, and when a tensor that is waited for is handed over by nobody: a
mistake in `inputs_outputs` shows here.

With the table tensor -> readers each input is looked at once. Taking the wave out of the list of those that wait is
quadratic in the worked solution for a long chain; a set of candidates, those whose count has just risen, would be
linear, and `kuiper/partition/scheduler.py` does so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_raises, task

from .. import public


def shuffled(rng: np.random.Generator, subgraphs: Any) -> Any:
    """The same sub-graphs in another order of the list."""
    return [subgraphs[i] for i in rng.permutation(len(subgraphs)).tolist()]


@task("waves")
def random_sub_graphs_in_any_order(student: Student, rng: np.random.Generator) -> None:
    """The sub-graphs of random graphs, in any order of the list, run in the right waves."""
    for count, parts in ((20, 8), (60, 25), (200, 60)):
        graph, split = public.random_graph(rng, count, parts)
        public.expect_waves(student, shuffled(rng, public.boundaries(split, graph)), f"{len(split)} sub-graphs")


@task("waves")
def long_and_wide(student: Student, rng: np.random.Generator) -> None:
    """A chain of 1,200 sub-graphs runs in 1,200 waves; 300 that read one tensor, and one that reads theirs, in 3."""
    chain = [([t], [t + 1], int(t > 0)) for t in range(1200)]
    expect(student.waves(chain), [[i] for i in range(1200)], what="a chain")
    wide = [([0], [1], 0), *(([1], [t], 1) for t in range(2, 302)), (list(range(2, 302)), [302], 300)]
    expect(student.waves(wide), [[0], list(range(1, 301)), [301]], what="300 side by side")


@task("waves")
def the_smallest_schedules(student: Student, rng: np.random.Generator) -> None:
    """No sub-graph needs no wave; sub-graphs that wait for nothing run in one, and an output nobody reads is fine."""
    expect(student.waves([]), [], what="no sub-graphs")
    expect(student.waves([([0], [1], 0)]), [[0]], what="one sub-graph")
    expect(student.waves([([0], [1], 0), ([0, 4], [2], 0), ([], [3], 0)]), [[0, 1, 2]], what="three that do not wait")


@task("waves")
def hidden_deadlocks(student: Student, rng: np.random.Generator) -> None:
    """A circle behind many waves, a tensor that nobody hands over, and a sub-graph that waits for itself are errors."""
    graph, split = public.random_graph(rng, 40, 12)
    subgraphs = public.boundaries(split, graph)
    made = next(tensor for _, outputs, _ in subgraphs for tensor in outputs)
    circle = [([made, 1002], [1001], 2), ([1001], [1002], 1)]
    for extra in (circle, [([2000], [2001], 1)], [([3000], [3000], 1)]):
        name = expect_raises(student.waves, shuffled(rng, [*subgraphs, *extra]))
        expect(name, "ValueError", what="the type of the error for a deadlock")


MUTANTS = [
    Mutant(
        "counted too early",
        "counts rise while the wave is being collected, so readers run beside their makers",
        old="        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]\n",
        new=(
            "        wave = []\n"
            "        for place in waiting:\n"
            "            if ready[place] == subgraphs[place][2]:\n"
            "                wave.append(place)\n"
            "                for tensor in subgraphs[place][1]:\n"
            "                    for reader in readers.pop(tensor, []):\n"
            "                        ready[reader] += 1\n"
        ),
    ),
    Mutant(
        "one at a time",
        "each wave is a single sub-graph",
        old="        found.append(wave)",
        new=("        wave = wave[:1]\n        found.append(wave)"),
    ),
    Mutant(
        "makers counted",
        "a sub-graph that hands over two tensors counts once",
        old=(
            "            for tensor in subgraphs[place][1]:\n"
            "                for reader in readers.get(tensor, []):\n"
            "                    ready[reader] += 1"
        ),
        new=(
            "            for reader in {r for tensor in subgraphs[place][1] for r in "
            "readers.get(tensor, [])}:\n"
            "                ready[reader] += 1"
        ),
    ),
    Mutant(
        "one reader",
        "each tensor is taken to have one reader",
        old="readers.setdefault(tensor, []).append(place)",
        new="readers[tensor] = [place]",
    ),
    Mutant(
        "waits for the caller",
        "the number of all inputs is taken for the wait count",
        old="ready[place] == subgraphs[place][2]",
        new="ready[place] == len(subgraphs[place][0])",
    ),
    Mutant(
        "deadlock ignored",
        "an empty wave is taken for the end",
        old='            raise ValueError(f"a deadlock: sub-graphs {waiting} wait for each other")',
        new="            break",
    ),
    Mutant(
        "deadlock at the start only",
        "it is only checked that somebody can begin",
        old='            raise ValueError(f"a deadlock: sub-graphs {waiting} wait for each other")',
        new=('            if not found:\n                raise ValueError("a deadlock")\n            break'),
    ),
    Mutant(
        "another error",
        "the deadlock is found, and told with an exception that the task does not name",
        old="raise ValueError(f",
        new="raise RuntimeError(f",
    ),
    Mutant(
        "whoever has one",
        "a sub-graph runs as soon as the first of its tensors is there",
        old="ready[place] == subgraphs[place][2]",
        new="ready[place] >= min(subgraphs[place][2], 1)",
    ),
    Mutant(
        "the first begins alone",
        "only the first sub-graph is taken to read the network's inputs",
        old="        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]\n",
        new=(
            "        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]\n"
            "        wave = wave if found else [place for place in wave if place == 0]\n"
        ),
    ),
    Mutant(
        "latest first",
        "a wave is not in ascending order",
        old="        found.append(wave)",
        new="        found.append(wave[::-1])",
    ),
]
