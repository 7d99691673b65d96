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

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from ..public import Boundary, random_subgraphs


def waves_of(subgraphs: Boundary) -> list[list[int]]:
    """What waves has to give when there is no deadlock: one wave after the last of the makers."""
    maker = {t: i for i, (_, outputs, _) in enumerate(subgraphs) for t in outputs}
    above = [{maker[t] for t in inputs if t in maker} for inputs, _, _ in subgraphs]
    turn: dict[int, int] = {}
    while len(turn) < len(subgraphs):
        for i, makers in enumerate(above):
            if i not in turn and makers <= turn.keys():
                turn[i] = 1 + max((turn[j] for j in makers), default=-1)
    return [[i for i in range(len(subgraphs)) if turn[i] == w] for w in range(1 + max(turn.values()))]


def too_soon(subgraphs: Boundary) -> list[list[int]]:
    """Wrong waves: counts rise while the wave is still being collected."""
    ready, left, found = [0] * len(subgraphs), list(range(len(subgraphs))), []
    while left:
        wave = []
        for i in list(left):
            if ready[i] == subgraphs[i][2]:
                wave.append(i)
                left.remove(i)
                for j, (inputs, _, _) in enumerate(subgraphs):
                    ready[j] += sum(t in inputs for t in subgraphs[i][1])
        found.append(wave)
    return found


def at_the_first_tensor(subgraphs: Boundary) -> list[list[int]]:
    """Wrong waves: a sub-graph runs as soon as one of the tensors that it waits for is there."""
    ready, left, found = [0] * len(subgraphs), list(range(len(subgraphs))), []
    while left:
        wave = [i for i in left if ready[i] or not subgraphs[i][2]]
        left = [i for i in left if i not in wave]
        made = [t for i in wave for t in subgraphs[i][1]]
        ready = [count + sum(t in inputs for t in made) for count, (inputs, _, _) in zip(ready, subgraphs)]
        found.append(wave)
    return found


def waves_mistakes(subgraphs: Boundary) -> dict[str, list[list[int]]]:
    """Likely cause -> what it gives for these sub-graphs, where that is wrong."""
    right = waves_of(subgraphs)
    found = {
        "a sub-graph ran in the same wave as one that it waits for: collect the whole wave first, count afterwards": (
            too_soon(subgraphs)
        ),
        "sub-graphs that are ready at the same time belong in one wave": [[i] for wave in right for i in wave],
        "a sub-graph ran when the first of its tensors was there: it waits for as many as its wait count says": (
            at_the_first_tensor(subgraphs)
        ),
        "the last wave is missing": right[:-1],
        "a wave is a list of places that ascend": [wave[::-1] for wave in right],
        "that is one list of places: each wave is a list of its own": [i for wave in right for i in wave],
    }
    return {cause: wrong for cause, wrong in found.items() if wrong != right}


def random_links(rng: np.random.Generator, count: int) -> Boundary:
    """Sub-graphs in no order of the list, each of which reads from any of those made before it."""
    subgraphs: Boundary = []
    for place in range(count):
        reads = sorted({int(t) for t in rng.integers(0, 2 * place, rng.integers(0, 3))}) if place else []
        subgraphs.append((reads, [2 * place, 2 * place + 1], len(reads)))
    return shuffled(rng, subgraphs)


def shuffled(rng: np.random.Generator, subgraphs: Boundary) -> Boundary:
    """The same sub-graphs in another order of the list."""
    return [subgraphs[i] for i in rng.permutation(len(subgraphs)).tolist()]


@task("waves")
def many_sub_graphs_in_any_order(student: Student, rng: np.random.Generator) -> None:
    """Up to 200 random sub-graphs, in any order of the list, run in the right waves."""
    for count in (8, 25, 60, 200):
        for subgraphs in (random_links(rng, count), random_subgraphs(rng, count)):
            expect(student.waves(subgraphs), waves_of(subgraphs), what=f"waves of {count} sub-graphs")


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
    subgraphs = random_links(rng, 12)
    made = subgraphs[0][1][0]
    circle = [([made, 1002], [1001], 2), ([1001], [1002], 1)]
    for extra in (circle, [([2000], [2001], 1)], [([3000], [3000], 1)]):
        expect_refused(student.waves, shuffled(rng, [*subgraphs, *extra]))


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
        breaks="afterwards",
    ),
    Mutant(
        "one at a time",
        "each wave is a single sub-graph",
        old="        found.append(wave)",
        new=("        wave = wave[:1]\n        found.append(wave)"),
        breaks="together",
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
        breaks="counted",
    ),
    Mutant(
        "one reader",
        "each tensor is taken to have one reader",
        old="readers.setdefault(tensor, []).append(place)",
        new="readers[tensor] = [place]",
        breaks="counted",
    ),
    Mutant(
        "waits for the caller",
        "the number of all inputs is taken for the wait count",
        old="ready[place] == subgraphs[place][2]",
        new="ready[place] == len(subgraphs[place][0])",
        breaks="caller",
    ),
    Mutant(
        "deadlock ignored",
        "an empty wave is taken for the end",
        old='            raise ValueError(f"a deadlock: sub-graphs {waiting} wait for each other")',
        new="            break",
        breaks="deadlock",
    ),
    Mutant(
        "deadlock at the start only",
        "it is only checked that somebody can begin",
        old='            raise ValueError(f"a deadlock: sub-graphs {waiting} wait for each other")',
        new=('            if not found:\n                raise ValueError("a deadlock")\n            break'),
        breaks="deadlock",
    ),
    Mutant(
        "another error",
        "the deadlock is found, and told with an exception that the task does not name",
        old="raise ValueError(f",
        new="raise RuntimeError(f",
        breaks="deadlock",
    ),
    Mutant(
        "tensors decide",
        "what nobody makes is taken for the caller's, whatever the wait count",
        old="        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]\n",
        new=(
            "        unmade = {tensor for place in waiting for tensor in subgraphs[place][1]}\n"
            "        wave = [place for place in waiting if not unmade & set(subgraphs[place][0])]\n"
        ),
        breaks="deadlock",
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
        breaks="together",
    ),
    Mutant(
        "latest first",
        "a wave is not in ascending order",
        old="        found.append(wave)",
        new="        found.append(wave[::-1])",
        breaks="ascending",
    ),
    Mutant(
        "nobody is a deadlock",
        "the wave is empty, so nobody can run",
        old="    while waiting:\n",
        new="    while waiting or not found:\n",
        breaks="nothing",
    ),
    Mutant(
        "one empty wave",
        "the first wave is written down before anybody is looked at",
        old="    return found\n",
        new="    return found or [[]]\n",
        breaks="nothing",
    ),
    Mutant(
        "wave by wave by recursion",
        "a function that calls itself for the next wave ends at Python's limit",
        old="    return found\n",
        new=(
            "    def later(n: int) -> list[list[int]]:\n"
            "        return [found[n], *later(n + 1)] if n < len(found) else []\n"
            "\n"
            "    return later(0)\n"
        ),
        breaks="long",
    ),
]
