r"""The fewest sub-graphs for two devices: why the solution is as it is.

Let the devices take turns. A node cannot run in an earlier turn than its predecessors; if the device changes on the
way, it is at least one turn later. The level is the least turn that respects this, so no answer that begins with the
same device has fewer turns, and the level itself is an answer: nodes of a level have one device, since levels
alternate. With two possible starts, take the better. For the first turn of `start`, nodes of the other device cannot
be at level 0: hence `device != start`.

The numbers of the nodes are topological, so one pass is enough: V + E steps. Running greedily (all that can run on
this device, then all that can on the other) gives the same number.

With three devices there are no fixed turns, and finding the least number is NP-hard. And fewest is not cheapest: a
part with two small nodes on a fast device costs two copies and a start. Kuiper sends such parts to the CPU
(`min_work`) and takes the levels again.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from .. import public


def least_of_all(predecessors: list[list[int]], devices: list[str]) -> int:
    """The least number of parts, by going through every order in which the nodes can run."""
    count = len(devices)
    known = {(0, ""): 0}
    waiting = [(0, "")]
    for done, last in waiting:
        for v in range(count):
            if not done >> v & 1 and all(done >> u & 1 for u in predecessors[v]):
                state = done | 1 << v, devices[v]
                cost = known[done, last] + (devices[v] != last)
                if state not in known:
                    waiting.append(state)
                known[state] = min(cost, known.get(state, cost))
    return min(cost for (done, _), cost in known.items() if done == (1 << count) - 1)


@task("fewest")
def no_order_needs_fewer(student: Student, rng: np.random.Generator) -> None:
    """For small random graphs no order of the nodes whatsoever gives fewer parts."""
    for count in (4, 6, 8):
        predecessors, devices = public.random_placed(rng, count, count, ("ACC", "CPU"))
        public.expect_fewest(student, predecessors, devices, f"{count} nodes")
        if len(set(devices)) == 2:
            got = student.fewest(predecessors, devices)
            expect(len(got), least_of_all(predecessors, devices), what="the number of parts")


@task("fewest")
def large_random_placements(student: Student, rng: np.random.Generator) -> None:
    """Graphs of up to 600 nodes, on devices of any name, are split into as few parts as can be."""
    for count, near in ((100, 3), (250, 20), (600, 200)):
        names = [f"dev{i}" for i in rng.permutation(100)[:2].tolist()]
        predecessors, devices = public.random_placed(rng, count, near, names)
        public.expect_fewest(student, predecessors, devices, f"{count} nodes")


@task("fewest")
def a_chain_of_5000(student: Student, rng: np.random.Generator) -> None:
    """A chain of 5,000 nodes whose device changes now and then: nothing calls itself."""
    changes = accumulate((rng.random(5000) < 0.003).tolist())
    devices = [("ACC", "CPU")[n % 2] for n in changes]
    predecessors = [[], *([v] for v in range(4999))]
    public.expect_fewest(student, predecessors, devices, "a chain")


@task("fewest")
def every_start_of_a_braid(student: Student, rng: np.random.Generator) -> None:
    """Two strands whose devices alternate, one a step ahead of the other, run side by side in few parts."""
    for length in (3, 4, 9, 30):
        first, second = ("ACC", "CPU") if rng.random() < 0.5 else ("CPU", "ACC")
        predecessors: list[list[int]] = [[], []]
        devices = [first, second]
        for i in range(1, length):
            predecessors += [[2 * i - 2], [2 * i - 1]]
            devices += [(first, second)[i % 2], (second, first)[i % 2]]
        if rng.random() < 0.5:
            predecessors.append([2 * length - 2, 2 * length - 1])
            devices.append(first)
        public.expect_fewest(student, predecessors, devices, f"two strands of {length}")


MUTANTS = [
    Mutant(
        "first start only",
        "the device of the first node always has the first turn",
        old="for start in sorted(set(devices))), key=len",
        new="for start in devices[:1]), key=len",
    ),
    Mutant(
        "the longer answer",
        "the start that needs more levels is kept",
        old="return min((by_levels",
        new="return max((by_levels",
    ),
    Mutant(
        "no turn for the second device",
        "a node without predecessors is at level 0, on whichever device",
        old="max([int(device != start), *",
        new="max([0, *",
    ),
    Mutant(
        "always one more",
        "the level is the depth: it grows at every step, and parts of one device follow each other",
        old="(level[u] + (devices[u] != device) for u",
        new="(level[u] + 1 + (devices[u] == device) for u",
    ),
    Mutant(
        "never one more",
        "the change of device is forgotten",
        old="(level[u] + (devices[u] != device) for u",
        new="(level[u] for u",
    ),
    Mutant(
        "one predecessor",
        "only the first of the nodes that are read is looked at",
        old="for u in predecessors[node])]))",
        new="for u in predecessors[node][:1])]))",
    ),
    Mutant(
        "least instead of largest",
        "the node runs when the first of its predecessors has run",
        old="max([int(device != start), *(level[u] + (devices[u] != device) for u in predecessors[node])])",
        new=("max(int(device != start), min([level[u] + (devices[u] != device) for u in predecessors[node]] or [0]))"),
    ),
    Mutant(
        "ranges of ids",
        "only nodes with neighbouring numbers are put together, as Tengine does",
        old=("    members: dict[int, list[int]] = {}\n    for node, turn in enumerate(level):\n"),
        new=(
            "    members: dict[int, list[int]] = {}\n"
            "    level = [sum(devices[u] != devices[u - 1] for u in range(1, v + 1)) for v in "
            "range(len(devices))]\n"
            "    for node, turn in enumerate(level):\n"
        ),
    ),
    Mutant(
        "levels in the order found",
        "a part stands where its first node was met",
        old="for turn in sorted(members)]",
        new="for turn in members]",
    ),
    Mutant(
        "the accelerator begins",
        "two fixed names, and the accelerator always has the first turn",
        old="for start in sorted(set(devices))), key=len",
        new='for start in ["ACC"][: len(devices)]), key=len',
    ),
    Mutant(
        "by recursion",
        "a function that calls itself for every predecessor ends at Python's limit, about 1,000 deep",
        old="    level: list[int] = []\n",
        new=(
            "    def depth(v: int) -> int:\n"
            "        return 1 + max([depth(u) for above in predecessors[v : v + 1] for u in "
            "above[:1]], default=0)\n"
            "\n"
            "    depth(len(devices) - 1 if devices else 0)\n"
            "    level: list[int] = []\n"
        ),
    ),
]
