r"""An order of execution, without recursion: why the solution is as it is.

**Why it is right.** `missing[name]` is the number of arrows into `name` whose start has not been written down. A name
is written down only when this is 0, so after all its predecessors. Each arrow is subtracted once, because each name
is taken once: it becomes ready at the moment when its counter *arrives* at 0, and that happens once. Without a cycle
nobody is lost: if names were left over, each would have a predecessor that is left over, too; walk from one to the
next, against the arrows, and among finitely many names you must come to one for the second time. That is a cycle.

**Naming the cycle.** The first name left over would not do: d in a -> b <-> c -> d waits behind the cycle. `find_cycle`
gives names that are on it. The argument above finds one as well: from any name left over, go to a predecessor that is
left over, and on, until you meet a name for the second time.

**Cost.** Time and memory grow like V + E. Watch for `order.index(...)` and `name in order` on a list: each looks
through the list, and the whole becomes quadratic; a dictionary or a set does not. `ready.pop(0)` and
`order.insert(0, name)` move the whole list: quadratic, too, but so quick a move that 60,000 names take about a second.
A deque takes and puts at either end at once.

**Depth first without recursion** is right as well: the walk of `find_cycle` finishes names in post-order. kuiper's
`reverse_post_order` is this.

**Typical mistakes**

| mistake | what shows it |
|---|---|
| a plain stack: pre-order | simple_ops: add before op4 |
| a plain queue: level by level | a short and a long path that meet |
| the reverse forgotten | outputs come first |
| only one input, or the first key, as the start | two inputs; keys in another order |
| recursion | RecursionError at a long chain |
| a double arrow counted in one place and not in the other | cat(x, x) with another predecessor |
| only "nobody is ready at the start" taken as a cycle | a cycle behind an input |
| a walk from the inputs that never sees a cycle without one | a ring beside a network that runs |
| a name that is no key gets a place, or is dropped | the error comes much later, or never |
| a list as default argument | the second call returns the first one's names, too |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import FINISH, error_message, expect_named, expect_order, network

Network = Mapping[str, Sequence[str]]


def order_mistakes(successors: Network) -> dict[str, list[str]]:
    """Likely cause -> the order that it gives for this network; each of them is wrong for most networks."""
    early = (
        "a node is written down when it is met for the first time. It must wait for all its predecessors: write it "
        "down when the last of them is done."
    )
    first_done = (
        "a node is taken when its first predecessor is done. Count how many predecessors are missing, and take it at 0."
    )
    return {
        early: first_met(successors, -1, 1),
        early[:-1] + ", whichever successor comes first.": first_met(successors, -1, -1),
        first_done: first_met(successors, 0, 1),
        "all new successors were marked as entered before the first of them was walked, so its walk passes by those "
        f"that it leads to, too. Enter each when its turn comes {FINISH}.": marked_early(successors),
        **parts_reversed(successors),
        "the names are sorted by their in-degree. It says how many predecessors a node has, not when they are done: "
        "subtract as they are taken, and take a node at 0.": sorted(successors, key=in_degrees(successors).__getitem__),
        "each name was put where it fits those that were there, and never moves: a name that comes later may have to "
        "stand between the two. Write a node down when its last predecessor is done.": inserted(successors, False),
        "each name was put behind its predecessors that were there, and never moves: a predecessor that comes later "
        "stands behind it. Write a node down when its last predecessor is done.": inserted(successors, True),
        "two names were exchanged where an arrow led back, which may turn other arrows round. Write a node down when "
        "its last predecessor is done.": exchanged(successors),
    }


def inserted(successors: Network, behind: bool) -> list[str]:
    """Each key in turn put in front of its successors that are there, or `behind` its predecessors: a wrong order."""
    order: list[str] = []
    for name in successors:
        before = [place + 1 for place, other in enumerate(order) if name in successors[other]]
        after = [place for place, other in enumerate(order) if other in successors[name]]
        order.insert(max(before, default=0) if behind else min(after, default=len(order)), name)
    return order


def exchanged(successors: Network) -> list[str]:
    """The keys, of which two change places at each arrow that leads back, once for each arrow: a wrong order."""
    order = list(successors)
    for name, followers in successors.items():
        for follower in followers:
            i, j = order.index(name), order.index(follower)
            if i > j:
                order[i], order[j] = order[j], order[i]
    return order


def parts_reversed(successors: Network) -> dict[str, list[str]]:
    """Likely cause -> the order of which each walk's part was reversed by itself, begun at each name or each input."""
    followed = {follower for followers in successors.values() for follower in followers}
    cause = (
        "the part of each walk was reversed by itself. What a later walk finishes belongs before all that: gather the "
        f"post-order of all walks in one list {FINISH}, and reverse "
        "it once, after the last"
    )
    wrong = {}
    inputs = [name for name in successors if name not in followed]
    for starts, end in ((list(successors), "."), (inputs, " walk.")):
        order: list[str] = []
        for start in starts:
            order += post_order(start, successors, set(order))[::-1]
        wrong[cause + end] = order
    return wrong


def marked_early(successors: Network) -> list[str]:
    """The reverse post-order of walks that mark all new successors of a node before they walk them: a wrong order."""
    entered: set[str] = set()

    def walk(name: str) -> list[str]:
        new = [follower for follower in dict.fromkeys(successors[name]) if follower not in entered]
        entered.update([name, *new])
        return [*(one for follower in new for one in walk(follower)), name]

    return [one for start in successors if start not in entered for one in walk(start)][::-1]


def post_order(name: str, successors: Network, entered: set[str]) -> list[str]:
    """The names that a walk from here finishes, in this order; those in `entered` are not entered again."""
    if name in entered:
        return []
    entered.add(name)
    return [*(one for follower in successors[name] for one in post_order(follower, successors, entered)), name]


def in_degrees(successors: Network) -> dict[str, int]:
    """How many arrows enter each node."""
    followed = [follower for followers in successors.values() for follower in followers]
    return {name: followed.count(name) for name in successors}


def first_met(successors: Mapping[str, Sequence[str]], end: int, direction: int) -> list[str]:
    """Names as a plain stack (end -1) or a plain queue (end 0) meets them first: a wrong order."""
    followed = {follower for followers in successors.values() for follower in followers}
    waiting = [name for name in successors if name not in followed][:: -1 if end else 1]
    met: dict[str, None] = {}
    while waiting:
        name = waiting.pop(end)
        if name not in met:
            met[name] = None
            waiting += successors[name][:: end * direction or 1]
    return list(met)


def shuffled(rng: np.random.Generator, successors: Network) -> dict[str, Sequence[str]]:
    """The same network with its keys in another order."""
    names = list(successors)
    return {names[i]: successors[names[i]] for i in rng.permutation(len(names))}


def renamed(rng: np.random.Generator, successors: Network) -> dict[str, Sequence[str]]:
    """The same network with other names, and its keys in another order."""
    names = dict(zip(successors, (f"op{i}" for i in rng.permutation(10 * len(successors)).tolist()), strict=False))
    return shuffled(rng, {names[name]: [names[f] for f in followers] for name, followers in successors.items()})


def numbered(edges: Iterable[tuple[int, int]], nodes: int) -> dict[str, list[str]]:
    """Edges between numbers -> successors."""
    successors: dict[str, list[str]] = {f"n{i}": [] for i in range(nodes)}
    for start, end in edges:
        successors[f"n{start}"].append(f"n{end}")
    return successors


@task("topological_order")
def every_arrow_of_random_networks(student: Student, rng: np.random.Generator) -> None:
    """Each name stands once and before its successors in twelve random networks."""
    for nodes in (6, 9, 15, 30, 30, 60, 60, 60, 120, 120, 250, 400):
        successors = network(rng, nodes, int(rng.integers(1, 4)), float(rng.uniform(0, 2)))
        expect_order(student.topological_order(successors), successors)


@task("topological_order")
def a_detector_of_280_operators(student: Student, rng: np.random.Generator) -> None:
    """Each arrow is respected in a network with residual blocks, long skips and three outputs, as YOLOv5's are."""
    edges = [(i, i + 1) for i in range(279)]
    edges += [(i, i + int(rng.integers(2, 7))) for i in range(0, 200, 4)]
    edges += [(int(i), int(i) + int(rng.integers(60, 120))) for i in rng.integers(20, 140, 8)]
    edges = [edge for edge in edges if edge[0] not in (250, 260)] + [(40, 251), (90, 261)]
    successors = renamed(rng, numbered(edges, 280))
    expect_order(student.topological_order(successors), successors)


@task("topological_order")
def a_chain_of_20000(student: Student, rng: np.random.Generator) -> None:
    """A chain of 20,000 operators, its keys in any order, has its order: no recursion limit is met."""
    names = [f"op{i}" for i in rng.permutation(100_000)[:20_000].tolist()]
    chain = shuffled(rng, {a: [b] for a, b in pairwise(names)} | {names[-1]: []})
    expect(student.topological_order(chain), names, what="the order")


@task("topological_order")
def a_ladder_of_diamonds(student: Student, rng: np.random.Generator) -> None:
    """3,000 diamonds in a row, with more paths than could ever be walked, have an order."""
    edges = [edge for i in range(0, 9000, 3) for edge in ((i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3))]
    successors = renamed(rng, numbered(edges, 9001))
    expect_order(student.topological_order(successors), successors)


@task("topological_order")
def parts_that_do_not_touch(student: Student, rng: np.random.Generator) -> None:
    """Inputs that nobody reads, and parts without an arrow between them, are in the order, too."""
    for _ in range(4):
        joined = {}
        for part in range(3):
            piece = network(rng, int(rng.integers(1, 9)), 1, 0.5)
            joined |= {f"p{part}{name}": [f"p{part}{f}" for f in followers] for name, followers in piece.items()}
        successors = renamed(rng, joined | {f"alone{i}": [] for i in range(3)})
        expect_order(student.topological_order(successors), successors)


@task("topological_order")
def the_smallest_networks(student: Student, rng: np.random.Generator) -> None:
    """No operator gives an empty list, one operator a list of one, and one arrow a list of two."""
    name, other = (f"op{i}" for i in rng.permutation(1000)[:2].tolist())
    expect(student.topological_order({name: []}), [name])
    expect(student.topological_order({other: [], name: [other]}), [name, other])
    expect(student.topological_order({}), [])


@task("topological_order")
def a_name_twice_in_a_list(student: Student, rng: np.random.Generator) -> None:
    """cat(x, x) reads one result twice: it still waits for its other predecessor."""
    for _ in range(6):
        x, late, cat, end = (f"op{i}" for i in rng.permutation(1000)[:4].tolist())
        readers = [cat, cat, late]
        rng.shuffle(readers)
        successors = shuffled(rng, {x: readers, late: [cat, end], cat: [end, end, end], end: []})
        expect_order(student.topological_order(successors), successors)


@task("topological_order")
def a_cycle_deep_in_a_network(student: Student, rng: np.random.Generator) -> None:
    """ValueError names an operator on the cycle, not only one that waits behind it, and none that could have run."""
    for length in (2, 3, 7, 40):
        before = network(rng, 30, 2, 0.5)
        before = {f"b{name}": [f"b{f}" for f in followers] for name, followers in before.items()}
        ring = [f"ring{i}" for i in rng.permutation(1000)[:length].tolist()]
        behind = [f"z{i}" for i in rng.permutation(1000)[:20].tolist()]
        successors = before | {a: [b] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)}
        successors |= {a: [b] for a, b in pairwise(behind)} | {behind[-1]: []}
        entry = list(before)[int(rng.integers(30))]
        successors[entry] = [*successors[entry], ring[0]]
        successors[ring[-1]] = [*successors[ring[-1]], behind[0]]
        ordered = {name: successors[name] for name in behind} | shuffled(rng, successors)  # the first key is behind it
        # what follows the entry may wait for the cycle only through the ring, so all of `before` can run
        expect_named(error_message(student, ordered, ["ValueError"]), ring, before)


@task("topological_order")
def an_operator_that_reads_itself(student: Student, rng: np.random.Generator) -> None:
    """An operator that leads to itself is a cycle of one: ValueError names it."""
    for name in (f"op{i}" for i in rng.permutation(1000)[:3].tolist()):
        successors = {"input": [name], name: [name, "output"], "output": []}
        expect_named(error_message(student, successors, ["ValueError"]), [name], ["input"])


@task("topological_order")
def a_cycle_without_an_input(student: Student, rng: np.random.Generator) -> None:
    """A cycle is an error also when another part of the network can run, and when nothing can."""
    a, b, c = (f"op{i}" for i in rng.permutation(1000)[:3].tolist())
    networks = (({a: [b], b: [c], c: [a]}, {a, b, c}), ({"free": ["end"], "end": [], a: [b], b: [a], c: []}, {a, b}))
    for successors, ring in networks:
        message = error_message(student, shuffled(rng, successors), ["ValueError"])
        expect_named(message, ring, set(successors) - ring)


@task("topological_order")
def a_successor_that_is_no_key(student: Student, rng: np.random.Generator) -> None:
    """A successor that the dictionary does not have raises ValueError or KeyError, and is named."""
    for nodes in (2, 10, 50):
        successors = network(rng, nodes, 1, 0.5)
        ghost = f"ghost{rng.integers(1000)}"
        name = list(successors)[int(rng.integers(nodes))]
        successors[name] = [*successors[name], ghost]
        expect_named(error_message(student, successors, ["ValueError", "KeyError"]), [ghost], [])


@task("topological_order")
def one_call_leaves_nothing_for_the_next(student: Student, rng: np.random.Generator) -> None:
    """Called again, also after an error, the function starts afresh."""
    for _ in range(3):
        successors = network(rng, 10, 2, 0.5)
        expect_order(student.topological_order(successors), successors)
        error_message(student, {"op1": ["op2"], "op2": ["op1"]}, ["ValueError"])
        expect_order(student.topological_order(successors), successors)


RUN = (
    "    def run(name: str) -> None:\n"
    "        order.append(name)\n"
    "        for follower in successors[name]:\n"
    "            missing[follower] -= 1\n"
    "            if missing[follower] == 0:\n"
    "                run(follower)\n"
    "\n"
    "    for name in list(ready):\n"
    "        run(name)\n"
)
LOOP = (
    "    while ready:\n"
    "        name = ready.popleft()\n"
    "        order.append(name)\n"
    "        for follower in successors[name]:\n"
    "            missing[follower] -= 1\n"
    "            if missing[follower] == 0:\n"
    "                ready.append(follower)\n"
)
ERROR = 'raise ValueError("the graph has a cycle: " + " -> ".join([*cycle, cycle[0]]))'
LEFT = "left = [name for name, count in missing.items() if count > 0]\n        "

MUTANTS = [
    Mutant(
        "each name in front of its successors",
        "the successors that are there already; those that come later go where they may",
        old=LOOP,
        new=(
            "    for name in successors if ready else ():\n"
            "        places = [place for place, other in enumerate(order) if other in successors[name]]\n"
            "        order.insert(min(places, default=len(order)), name)\n"
        ),
    ),
    Mutant(
        "names change places",
        "what an exchange puts right, the next may turn round",
        old=LOOP,
        new=(
            "    order = list(successors) if ready else []\n"
            "    for name in order[:]:\n"
            "        for follower in successors[name]:\n"
            "            i, j = order.index(name), order.index(follower)\n"
            "            if i > j:\n"
            "                order[i], order[j] = order[j], order[i]\n"
        ),
    ),
    Mutant(
        "the cycle is found by recursion",
        "the order is found without, and the error again needs a level for each operator",
        old=ERROR,
        new=(
            LEFT + "place = {follower: name for name in left for follower in successors[name]}\n"
            "        seen = set()\n\n"
            "        def back(name: str) -> str:\n"
            "            if name in seen:\n"
            "                return name\n"
            "            seen.add(name)\n"
            "            return back(place[name])\n\n"
            '        raise ValueError("cycle at " + back(left[0]))'
        ),
        breaks="depth",
    ),
    Mutant(
        "pre-order with a stack",
        "a node is written down when it is met, not when all its predecessors are done",
        old=LOOP,
        new=(
            "    stack, seen = list(ready)[::-1], set()\n"
            "    while stack:\n"
            "        name = stack.pop()\n"
            "        if name not in seen:\n"
            "            seen.add(name)\n"
            "            order.append(name)\n"
            "            stack += reversed(successors[name])\n"
        ),
        breaks="arrows",
    ),
    Mutant(
        "pre-order, last successor first",
        "the same with the successors as they come",
        old=LOOP,
        new=(
            "    stack, seen = list(ready), set()\n"
            "    while stack:\n"
            "        name = stack.pop()\n"
            "        if name not in seen:\n"
            "            seen.add(name)\n"
            "            order.append(name)\n"
            "            stack += successors[name]\n"
        ),
        breaks="arrows",
    ),
    Mutant(
        "level by level",
        "a queue of nodes that were met: breadth first is no topological order either",
        old=LOOP,
        new=(
            "    met = set(ready)\n"
            "    while ready:\n"
            "        name = ready.popleft()\n"
            "        order.append(name)\n"
            "        for follower in successors[name]:\n"
            "            if follower not in met:\n"
            "                met.add(follower)\n"
            "                ready.append(follower)\n"
        ),
        breaks="arrows",
    ),
    Mutant(
        "post-order, not reversed",
        "depth first gives the order backwards",
        old="    return order\n",
        new="    return order[::-1]\n",
        breaks="arrows",
    ),
    Mutant(
        "recursion",
        "right until a chain is longer than Python's limit",
        old=LOOP,
        new=RUN,
        breaks="depth",
    ),
    Mutant(
        "recursion with a higher limit",
        "the limit belongs to whoever calls the function",
        old=LOOP,
        new="    import sys\n\n    sys.setrecursionlimit(10**6)\n\n" + RUN,
    ),
    Mutant(
        "leaves dropped once",
        "what nobody left over reads waits behind the cycle; what only leaves read does, too",
        old=ERROR,
        new=(
            LEFT + "waiting = set(left)\n"
            "        inner = {name for name in left if waiting.intersection(successors[name])}\n"
            "        some = next(name for name in left if inner.intersection(successors[name]))\n"
            '        raise ValueError(f"cycle at {some}")'
        ),
        breaks="on_cycle",
    ),
    Mutant(
        "only one input",
        "the walk starts at the first node without predecessors only",
        old="ready = deque(name for name, count in missing.items() if count == 0)",
        new="ready = deque([name for name, count in missing.items() if count == 0][:1])",
        breaks="once",
    ),
    Mutant(
        "starts at the first key",
        "the first operator of the file need not be an input",
        old="ready = deque(name for name, count in missing.items() if count == 0)",
        new="ready = deque(list(successors)[:1])",
    ),
    Mutant(
        "forgets operators without arrows",
        "nodes are gathered from the arrows, so one without any is lost",
        old="    return order\n",
        new=(
            "    followed = {f for fs in successors.values() for f in fs}\n"
            "    return [name for name in order if successors[name] or name in followed]\n"
        ),
        breaks="once",
    ),
    Mutant(
        "a double arrow counts once on one side",
        "predecessors are counted without, arrows are followed with repetition",
        old="        for follower in followers:",
        new="        for follower in dict.fromkeys(followers):",
        breaks="twice",
    ),
    Mutant(
        "a double arrow is subtracted once",
        "predecessors are counted with, arrows are followed without repetition",
        old=("        for follower in successors[name]:\n            missing"),
        new=("        for follower in set(successors[name]):\n            missing"),
        breaks="twice",
    ),
    Mutant(
        "no look for cycles",
        "what is left over is forgotten silently",
        old="    if len(order) < len(successors):",
        new="    if False:",
        breaks="cycle",
    ),
    Mutant(
        "only a graph without any input is a cycle",
        "a cycle may hang on a part that runs",
        old="    if len(order) < len(successors):",
        new="    if successors and not order:",
        breaks="cycle",
    ),
    Mutant(
        "only a cycle behind an input is a cycle",
        "a walk from the inputs does not come to a cycle that nothing leads to",
        old="    if len(order) < len(successors):",
        new="    if order and len(order) < len(successors):",
        breaks="cycle",
    ),
    Mutant(
        "what nothing leads to is dropped",
        "a depth-first walk from the inputs misses a cycle that no input reaches",
        old="    if len(order) < len(successors):",
        new=(
            "    followed = {follower for followers in successors.values() for follower in followers}\n"
            "    seen, front = set(), [name for name in successors if name not in followed]\n"
            "    while front:\n"
            "        if (name := front.pop()) not in seen:\n"
            "            seen.add(name)\n"
            "            front += successors[name]\n"
            "    if len(order) < len(seen):"
        ),
        breaks="cycle",
    ),
    Mutant(
        "an operator that reads itself is let through",
        "the arrow from a node to itself is not counted",
        old="            missing[follower] += 1",
        new="            missing[follower] += follower != name",
        breaks="cycle",
    ),
    Mutant(
        "the error names nobody",
        "'there is a cycle' does not help to find it",
        old=ERROR,
        new='raise ValueError("the graph has a cycle")',
        breaks="on_cycle",
    ),
    Mutant(
        "the error names everybody",
        "a list of the whole network does not help either",
        old=ERROR,
        new='raise ValueError(f"there is a cycle in {list(successors)}")',
        breaks="innocent",
    ),
    Mutant(
        "the error names one who waits behind the cycle",
        "the first node that is left over need not be on the cycle",
        old=ERROR,
        new=LEFT + 'raise ValueError(f"cycle at {left[0]}")',
        breaks="on_cycle",
    ),
    Mutant(
        "the wrong exception",
        "the task asks for ValueError",
        old=ERROR,
        new='raise RuntimeError("the graph has a cycle: " + " -> ".join(cycle))',
        breaks="cycle",
    ),
    Mutant(
        "unknown successors are dropped",
        "a fault of the file is hidden, and the operator behind it is missing without a word",
        old="    missing = dict.fromkeys(successors, 0)",
        new=(
            "    successors = {n: [f for f in fs if f in successors] for n, fs in successors.items()}\n"
            "    missing = dict.fromkeys(successors, 0)"
        ),
        breaks="unknown",
    ),
    Mutant(
        "unknown successors are added",
        "an operator that does not exist gets a place in the order",
        old="    missing = dict.fromkeys(successors, 0)",
        new=(
            "    successors = dict.fromkeys((f for fs in successors.values() for f in fs), ()) | "
            "dict(successors)\n"
            "    missing = dict.fromkeys(successors, 0)"
        ),
        breaks="unknown",
    ),
    Mutant(
        "the list is kept from call to call",
        "a default or global list is shared by all calls",
        old="    order: list[str] = []",
        new='    order = topological_order.__dict__.setdefault("order", [])',
    ),
    Mutant(
        "results are kept by the names",
        "a cache, whose key forgets the arrows",
        old="    return order\n",
        new='    return topological_order.__dict__.setdefault("known", {}).setdefault(tuple(successors), order)\n',
        breaks="fresh",
    ),
    Mutant(
        "names without repetition only",
        "a set of successors taken for granted: a second mention is called a fault",
        old="    ready = deque(",
        new=(
            "    if any(len(set(followers)) < len(followers) for followers in successors.values()):\n"
            '        raise ValueError("an operator is read twice")\n'
            "    ready = deque("
        ),
        breaks="twice",
    ),
    Mutant(
        "the error names all that was not on the cycle yet",
        "the message tells how far the walk came",
        old=ERROR,
        new='raise ValueError(f"after {order} comes a cycle: {cycle}")',
        breaks="innocent",
    ),
    Mutant(
        "the error names the last one left over",
        "the last one that waits need not be on the cycle either",
        old=ERROR,
        new=LEFT + 'raise ValueError(f"cycle at {left[-1]}")',
        breaks="on_cycle",
    ),
    Mutant(
        "an unknown successor has no name in the error",
        "that something is wrong helps nobody",
        old='raise ValueError(f"{name} leads to {follower!r}, which is no operator of the graph")',
        new='raise ValueError(f"{name} leads to an operator that is not there")',
        breaks="unknown",
    ),
    Mutant(
        "no input is an error, though nothing is there",
        "min() of no operators",
        old="    order: list[str] = []\n",
        new="    order: list[str] = []\n    min(successors)\n",
        breaks="result",
    ),
    Mutant(
        "a dictionary instead of a list",
        "its keys are in the right order, and it is no list",
        old="    return order\n",
        new="    return dict.fromkeys(order)\n",
        breaks="result",
    ),
    Mutant(
        "a cycle is a KeyError",
        "pop from an empty set of ready nodes",
        old=ERROR,
        new='raise KeyError("the graph has a cycle: " + " -> ".join(cycle))',
        breaks="cycle",
    ),
    Mutant(
        "a tuple instead of a list",
        "the task asks for a list",
        old="    return order\n",
        new="    return tuple(order)\n",
        breaks="result",
    ),
    Mutant(
        "no operators are an error",
        "the empty network has an order, the empty one",
        old="    if len(order) < len(successors):",
        new=(
            "    if not order:\n"
            '        raise ValueError(f"no input: cycle {list(successors)}")\n'
            "    if len(order) < len(successors):"
        ),
        breaks="result",
    ),
]
