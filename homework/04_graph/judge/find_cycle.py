r"""The names on a cycle: why the solution is as it is.

**An arrow to the open path closes a cycle.** A depth-first walk has three kinds of names: not entered, on the path
from its start to where it is now, and done. An arrow to a name on the path leads back to where the walk came from:
the path from that name on is the cycle. What lies before that name on the path only leads to the cycle, and is cut
off.

**An arrow to a name that is done closes nothing.** Two paths meet there, as in `add`. "Seen before" is not the
question, so one set of names is not enough. But a done name need not be entered again: everything behind it has been
followed, without finding a cycle. That makes the time grow like V + E; without it a row of 30 diamonds has a billion
paths.

**Why every cycle is found.** Take the name of a cycle that is entered first. All others of the cycle can be reached
from it, so they are entered before it is done; the one before it in the cycle then has an arrow to a name on the
path.

**No recursion.** A function that calls itself keeps two things for each call that waits: its name, and how far its
loop over the successors has come. `path` keeps both: a dictionary remembers the order in which its keys came, and an
iterator where it stopped. The `else` belongs to the `for`: it runs when the loop was not left by `break`.

**Backwards from what Kahn leaves over** is right as well: each name left over has a predecessor left over, so a walk
from one to the next must meet a name twice; what lies between is a cycle, found against the arrows, and has to be
reversed.

Cost: time and memory like V + E.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from classroom.judge import Mutant, Student, task

from ..public import expect_cycle, network

Network = Mapping[str, Sequence[str]]


def has_cycle(successors: Network) -> bool:
    """Whether a cycle is there, by taking away names that nothing left over leads to."""
    left = dict(successors)
    while left:
        followed = {follower for followers in left.values() for follower in followers}
        kept = {name: followers for name, followers in left.items() if name in followed}
        if len(kept) == len(left):
            return True
        left = kept
    return False


def shuffled(rng: np.random.Generator, successors: Network) -> dict[str, Sequence[str]]:
    """The same network with its keys in another order."""
    names = list(successors)
    return {names[i]: successors[names[i]] for i in rng.permutation(len(names))}


@task("find_cycle")
def random_networks(student: Student, rng: np.random.Generator) -> None:
    """Random networks, with and without a cycle, of 3 to 60 operators."""
    for nodes in (3, 4, 5, 6, 8, 12, 20, 30, 45, 60):
        successors = {name: list(followers) for name, followers in network(rng, nodes, 1, 0.6).items()}
        expect_cycle(student.find_cycle(successors), successors, False)
        names = list(successors)
        for _ in range(2):
            start, end = (names[i] for i in rng.integers(0, nodes, 2))
            successors[start] = [*successors[start], end]
        expect_cycle(student.find_cycle(successors), successors, has_cycle(successors))


@task("find_cycle")
def a_ring_of_thousands(student: Student, rng: np.random.Generator) -> None:
    """A ring of 20,000 operators is found whole, with a tail before it and one behind it."""
    names = [f"op{i}" for i in rng.permutation(100_000)[:20_000].tolist()]
    ring: dict[str, Sequence[str]] = {a: [b] for a, b in pairwise([*names, names[0]])}
    ring[names[7]] = ["after", names[8]]
    successors = shuffled(rng, {**ring, "before": [names[3]], "after": []})
    expect_cycle(student.find_cycle(successors), successors, True)


@task("find_cycle")
def a_ladder_of_diamonds(student: Student, rng: np.random.Generator) -> None:
    """3,000 diamonds in a row have more paths than could ever be walked, and no cycle until one arrow leads back."""
    ladder: dict[str, Sequence[str]] = {"n9000": []}
    for i in range(0, 9000, 3):
        ladder |= {f"n{i}": [f"n{i + 1}", f"n{i + 2}"], f"n{i + 1}": [f"n{i + 3}"], f"n{i + 2}": [f"n{i + 3}"]}
    expect_cycle(student.find_cycle(shuffled(rng, ladder)), ladder, False)
    ladder["n9000"] = ["n4500"]
    expect_cycle(student.find_cycle(shuffled(rng, ladder)), ladder, True)


@task("find_cycle")
def the_smallest_networks(student: Student, rng: np.random.Generator) -> None:
    """None, one or two operators."""
    a, b = (f"op{i}" for i in rng.permutation(1000)[:2].tolist())
    cases: list[tuple[Network, bool]] = [
        ({}, False), ({a: []}, False), ({a: [a]}, True), ({a: [b], b: []}, False), ({a: [b, b], b: []}, False),
        ({a: [b], b: [a]}, True), ({a: [], b: [b]}, True), ({b: [a, b], a: []}, True),
    ]  # fmt: skip
    for successors, cycle in cases:
        expect_cycle(student.find_cycle(successors), successors, cycle)


@task("find_cycle")
def cycles_that_share_operators(student: Student, rng: np.random.Generator) -> None:
    """Where many cycles share operators, one of them is found, and not a walk that visits one twice."""
    for size in (3, 5, 9):
        names = [f"op{i}" for i in rng.permutation(100)[:size].tolist()]
        everything = {name: [names[i] for i in rng.permutation(size) if names[i] != name] for name in names}
        expect_cycle(student.find_cycle(everything), everything, True)


WALK = (
    "        path = {start: iter(successors[start])}  # the open path, and for each name "
    "the successors still to follow\n"
    "        while path:\n"
    "            name = next(reversed(path))\n"
    "            for follower in path[name]:\n"
    "                if follower in path:\n"
    "                    names = list(path)\n"
    "                    return names[names.index(follower) :]\n"
    "                if follower not in done:\n"
    "                    path[follower] = iter(successors[follower])\n"
    "                    break\n"
    "            else:\n"
    "                path.popitem()\n"
    "                done.add(name)\n"
)
START = "    for start in successors:\n        if start in done:"
CUT = "return names[names.index(follower) :]"
VISIT = (
    "        path: list[str] = []\n"
    "\n"
    "        def visit(name: str) -> list[str]:\n"
    "            if name in path:\n"
    "                return path[path.index(name) :]\n"
    "            if name in done:\n"
    "                return []\n"
    "            path.append(name)\n"
    "            for follower in successors[name]:\n"
    "                if cycle := visit(follower):\n"
    "                    return cycle\n"
    "            done.add(path.pop())\n"
    "            return []\n"
    "\n"
    "        if cycle := visit(start):\n"
    "            return cycle\n"
)
MUTANTS = [
    Mutant(
        "the whole path",
        "what leads to the cycle is not on it",
        old=CUT,
        new="return names",
        breaks="cycle",
    ),
    Mutant(
        "two names of it",
        "where the walk is now, and where it was before",
        old=CUT,
        new="return names[-2:] if follower != name else [name]",
        breaks="cycle",
    ),
    Mutant(
        "against the arrows",
        "a walk from each name to a predecessor finds the cycle backwards",
        old=CUT,
        new="return names[names.index(follower) :][::-1]",
        breaks="cycle",
    ),
    Mutant(
        "sorted",
        "the names without their order",
        old=CUT,
        new="return sorted(names[names.index(follower) :])",
        breaks="cycle",
    ),
    Mutant(
        "one name short",
        "the slice begins behind the name that closes the cycle",
        old=CUT,
        new="return names[names.index(follower) + 1 :] or names[-1:]",
        breaks="cycle",
    ),
    Mutant(
        "the first again at the end",
        "as a message would show it",
        old=CUT,
        new="return [*names[names.index(follower) :], follower]",
        breaks="once",
    ),
    Mutant(
        "an operator that leads to itself is passed over",
        "it is on the path, and no other name is",
        old="                if follower in path:\n",
        new=(
            "                if follower == name:\n                    continue\n                if follower in path:\n"
        ),
        breaks="itself",
    ),
    Mutant(
        "an operator that leads to itself twice",
        "from itself to itself are two names",
        old=CUT,
        new="return names[names.index(follower) :] if follower != name else [name, name]",
        breaks="itself",
    ),
    Mutant(
        "only from the first key",
        "not every operator can be reached from it",
        old=START,
        new="    for start in list(successors)[:1]:\n        if start in done:",
        breaks="anywhere",
    ),
    Mutant(
        "only from inputs",
        "no input leads to a ring",
        old=START,
        new=(
            "    followed = {f for fs in successors.values() for f in fs}\n"
            "    for start in [name for name in successors if name not in followed]:\n"
            "        if start in done:"
        ),
        breaks="anywhere",
    ),
    Mutant(
        "only the first successor",
        "the walk does not go on with the next one",
        old="path[follower] = iter(successors[follower])",
        new="path[follower] = iter(successors[follower][:1])",
        breaks="anywhere",
    ),
    Mutant(
        "seen is enough",
        "two paths that meet are taken for a cycle",
        old="                if follower in path:\n                    names = list(path)\n",
        new=(
            "                if follower in path or follower in done:\n"
            "                    names = list(path)\n"
            "                    if follower in done:\n"
            "                        return [*names, follower]\n"
        ),
        breaks="none",
    ),
    Mutant(
        "None for none",
        "the function ends without a return",
        old="    return []\n",
        new="    return None\n",
        breaks="none",
    ),
    Mutant(
        "twice in a list",
        "cat(x, x) taken for a cycle",
        old="    done: set[str] = set()\n",
        new=(
            "    done: set[str] = set()\n"
            "    for name, followers in successors.items():\n"
            "        if len(set(followers)) < len(followers):\n"
            "            return [name, followers[0]]\n"
        ),
        breaks="none",
    ),
    Mutant(
        "an error instead of an empty list",
        "no cycle is no fault",
        old="    return []\n",
        new='    raise ValueError("there is no cycle")\n',
        breaks="none",
    ),
    Mutant(
        "all that waits",
        "names behind the cycle wait, too, and so do names between two cycles",
        old="    done: set[str] = set()\n",
        new=(
            "    missing = {}\n"
            "    for followers in successors.values():\n"
            "        for follower in followers:\n"
            "            missing[follower] = missing.get(follower, 0) + 1\n"
            "    free = [n for n in successors if n not in missing]\n"
            "    for name in free:\n"
            "        for follower in successors[name]:\n"
            "            missing[follower] -= 1\n"
            "            free += [follower] * (not missing[follower])\n"
            "    waiting = [n for n in successors if missing.get(n)]\n"
            "    return waiting\n"
            "    done: set[str] = set()\n"
        ),
    ),
    Mutant(
        "a tuple",
        "the task asks for a list",
        old=CUT,
        new="return tuple(names[names.index(follower) :])",
        breaks="result",
    ),
    Mutant(
        "a dictionary",
        "its keys are the names in order, and it is no list",
        old=CUT,
        new="return dict.fromkeys(names[names.index(follower) :])",
        breaks="result",
    ),
    Mutant(
        "names of an earlier call are done",
        "a default argument is made once for all calls",
        old="    done: set[str] = set()\n",
        new='    done = find_cycle.__dict__.setdefault("done", set())\n',
        breaks="anywhere",
    ),
    Mutant(
        "results are kept by the names",
        "a cache, whose key forgets the arrows",
        old="    done: set[str] = set()\n",
        new=(
            '    known = find_cycle.__dict__.setdefault("known", {})\n'
            "    if tuple(successors) not in known:\n"
            "        known[tuple(successors)] = successors\n"
            "    successors = known[tuple(successors)]\n"
            "    done: set[str] = set()\n"
        ),
        breaks="fresh",
    ),
    Mutant(
        "a list for the open path",
        "right, and slow where arrows lead from a long path to a name that is done",
        old="                if follower in path:\n",
        new="                if (follower in done or follower in path) and follower in list(path):\n",
        breaks="depth",
    ),
    Mutant(
        "from the first successor again",
        "right, and slow where the walk comes back often to a name with many successors",
        old="            for follower in path[name]:\n",
        new="            for follower in successors[name]:\n",
        breaks="depth",
    ),
    Mutant(
        "recursion",
        "right until a chain is longer than Python's limit",
        old=WALK,
        new=VISIT,
        breaks="depth",
    ),
    Mutant(
        "recursion with a higher limit",
        "the limit belongs to whoever calls the function",
        old=WALK,
        new="        import sys\n\n        sys.setrecursionlimit(10**6)\n" + VISIT,
    ),
]
