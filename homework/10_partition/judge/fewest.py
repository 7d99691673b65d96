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
(`min_nodes`) and takes the levels again.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import parts_of, random_placed


def turns(predecessors: list[list[int]], devices: list[str], start: str) -> int:
    """How many parts there are when `start` runs all it can, then the other device all it can, and so on."""
    other = next((device for device in devices if device != start), start)
    missing = [len(set(above)) for above in predecessors]
    readers: list[list[int]] = [[] for _ in devices]
    for v, above in enumerate(predecessors):
        for u in set(above):
            readers[u].append(v)
    ready = {start: [], other: []}
    for v, count in enumerate(missing):
        if not count:
            ready[devices[v]].append(v)
    parts, device = 0, start if ready[start] else other
    while ready[device]:
        parts += 1
        while ready[device]:
            for v in readers[ready[device].pop()]:
                missing[v] -= 1
                if not missing[v]:
                    ready[devices[v]].append(v)
        device = other if device == start else start
    return parts


def least_and_most(predecessors: list[list[int]], devices: list[str]) -> tuple[int, int]:
    """The least number of parts, and the number with the other of the two devices in the first turn."""
    counts = [turns(predecessors, devices, start) for start in set(devices)] or [0]
    return min(counts), max(counts)


def expect_least(student: Student, predecessors: list[list[int]], devices: list[str], what: str) -> None:
    """Raise Failure unless the student's parts can run, and are as few as can be."""
    got = parts_of(student, predecessors, devices, what)
    expect(len(got), least_and_most(predecessors, devices)[0], what=f"{what}: the number of parts")


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
        predecessors, devices = random_placed(rng, count, count, ("ACC", "CPU"))
        got = parts_of(student, predecessors, devices, f"{count} nodes")
        expect(len(got), least_of_all(predecessors, devices), what=f"{count} nodes: the number of parts")


@task("fewest")
def large_random_placements(student: Student, rng: np.random.Generator) -> None:
    """Graphs of up to 600 nodes, on devices of any name, are split into as few parts as can be."""
    for count, near in ((100, 3), (250, 20), (600, 200)):
        names = [f"dev{i}" for i in rng.permutation(100)[:2].tolist()]
        predecessors, devices = random_placed(rng, count, near, names)
        expect_least(student, predecessors, devices, f"{count} nodes")


@task("fewest")
def a_chain_that_changes_now_and_then(student: Student, rng: np.random.Generator) -> None:
    """A chain of 5,000 nodes whose device changes now and then: nothing calls itself."""
    changes = accumulate((rng.random(5000) < 0.003).tolist())
    devices = [("ACC", "CPU")[n % 2] for n in changes]
    predecessors = [[], *([v] for v in range(4999))]
    expect_least(student, predecessors, devices, "a chain")


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
        expect_least(student, predecessors, devices, f"two strands of {length}")


MUTANTS = [
    Mutant(
        "first start only",
        "the device of the first node always has the first turn",
        old="for start in sorted(set(devices))), key=len",
        new="for start in devices[:1]), key=len",
        breaks="fewest",
    ),
    Mutant(
        "the devices of the lesson",
        "the devices are always ACC and CPU",
        old="for start in sorted(set(devices))), key=len, default=[]",
        new='for start in ("ACC", "CPU")), key=len, default=[]',
        breaks="names",
    ),
    Mutant(
        "the longer answer",
        "the start that needs more levels is kept",
        old="return min((by_levels",
        new="return max((by_levels",
        breaks="fewest",
    ),
    Mutant(
        "no turn for the second device",
        "a node without predecessors is at level 0, on whichever device",
        old="max([int(device != start), *",
        new="max([0, *",
        breaks="device",
    ),
    Mutant(
        "always one more",
        "the level is the depth: it grows at every step, and parts of one device follow each other",
        old="(level[u] + (devices[u] != device) for u",
        new="(level[u] + 1 + (devices[u] == device) for u",
        breaks="fewest",
    ),
    Mutant(
        "never one more",
        "the change of device is forgotten",
        old="(level[u] + (devices[u] != device) for u",
        new="(level[u] for u",
        breaks="device",
    ),
    Mutant(
        "one predecessor",
        "only the first of the nodes that are read is looked at",
        old="for u in predecessors[node])]))",
        new="for u in predecessors[node][:1])]))",
        breaks="after",
    ),
    Mutant(
        "least instead of largest",
        "the node runs when the first of its predecessors has run",
        old="max([int(device != start), *(level[u] + (devices[u] != device) for u in predecessors[node])])",
        new=("max(int(device != start), min([level[u] + (devices[u] != device) for u in predecessors[node]] or [0]))"),
        breaks="after",
    ),
    Mutant(
        "one more behind the maximum",
        "the 1 is added once if any predecessor has another device, and not to the level of each",
        old="max([int(device != start), *(level[u] + (devices[u] != device) for u in predecessors[node])])",
        new=(
            "max([int(device != start), *(level[u] for u in predecessors[node])]) "
            "+ any(devices[u] != device for u in predecessors[node])"
        ),
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
        breaks="fewest",
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
        breaks="long",
    ),
    Mutant(
        "recursion once a part",
        "a function that calls itself for each part is deep enough for some hundred parts",
        old="    members: dict[int, list[int]] = {}\n",
        new=(
            "    def turns_after(turn: int) -> int:\n"
            "        return 1 + turns_after(turn + 1) if turn < max(level, default=0) else 0\n"
            "\n"
            "    turns_after(0)\n"
            "    members: dict[int, list[int]] = {}\n"
        ),
        breaks="long",
    ),
    Mutant(
        "three predecessors",
        "only the first three of the nodes that are read are looked at",
        old="for u in predecessors[node])]))",
        new="for u in predecessors[node][:3])]))",
        breaks="after",
    ),
    Mutant(
        "lonely nodes left out",
        "only nodes that read something, or that somebody reads, are placed",
        old="    for node, turn in enumerate(level):\n",
        new=(
            "    for node, turn in enumerate(level):\n"
            "        if not predecessors[node] and not any(node in some for some in predecessors):\n"
            "            continue\n"
        ),
        breaks="once",
    ),
    Mutant(
        "always a part",
        "an answer has at least one part, even if there is nothing in it",
        old="key=len, default=[])",
        new='key=len, default=[("CPU", [])])',
        breaks="empty",
    ),
    Mutant(
        "no default",
        "there is always a device that begins",
        old="key=len, default=[])",
        new="key=len)",
        breaks="empty",
    ),
    Mutant(
        "every level",
        "each number up to the largest level is a part",
        old="for turn in sorted(members)]",
        new="for turn in range(max(members, default=-1) + 1)]",
    ),
    Mutant(
        "two fixed names",
        "the devices are those of the lesson",
        old="for start in sorted(set(devices))), key=len",
        new='for start in sorted({"ACC", "CPU"} & set(devices))), key=len',
        breaks="names",
    ),
    Mutant(
        "always two devices",
        "the second name is there as well",
        old="    return min((by_levels",
        new="    _, _ = set(devices) if devices else (0, 0)\n    return min((by_levels",
        breaks="names",
    ),
    Mutant(
        "lists for tuples",
        "what is filled step by step is a list",
        old="    return [(devices[members[turn][0]], members[turn]) for",
        new="    return [[devices[members[turn][0]], members[turn]] for",
        breaks="form",
    ),
    Mutant(
        "a node a part",
        "each node is a part of its own",
        old="return [(devices[members[turn][0]], members[turn]) for turn in sorted(members)]",
        new="return [(devices[node], [node]) for node in range(len(devices))]",
        breaks="fewest",
    ),
]
