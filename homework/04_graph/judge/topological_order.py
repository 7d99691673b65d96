r"""An order of execution, without recursion: why the solution is as it is.

**Why it is right.** `missing[name]` is the number of arrows into `name` whose start has not been written down. A name
is written down only when this is 0, so after all its predecessors. Each arrow is subtracted once, because each name
is taken once: it becomes ready at the moment when its counter *arrives* at 0, and that happens once. Without a cycle
nobody is lost: if names were left over, each would have a predecessor that is left over, too; walk from one to the
next, against the arrows, and among finitely many names you must come to one for the second time. That is a cycle.

**The same argument finds the cycle.** `find_cycle` is that walk. The first name left over would not do: d in a -> b
<-> c -> d waits behind the cycle. `predecessor` may keep any one predecessor of each name, as long as it is left
over.

**Cost.** Time and memory grow like V + E. Watch for `order.index(...)`, `name in order` and `ready.pop(0)` on a list:
each looks through the list, and the whole becomes quadratic. A dictionary, a set or a deque does not.

**Depth first without recursion** is right as well, if the stack remembers where it was in each node's successors:

```python
stack = [(root, iter(successors[root]))]
while stack:
    name, followers = stack[-1]
    for follower in followers:
        if follower not in entered:
            entered.add(follower)
            stack.append((follower, iter(successors[follower])))
            break
    else:
        stack.pop()
        post_order.append(name)
```

The `else` belongs to the `for`: it runs when no successor was left to enter. kuiper's `reverse_post_order` is this.
An arrow to a node that was entered and is not finished closes a cycle.

**Typical mistakes**

| mistake | what shows it |
|---|---|
| a plain stack: pre-order | simple_ops: add before op4 |
| a plain queue: level by level | a short and a long path that meet |
| the reverse forgotten | outputs come first |
| only one input, or the first key, as the start | two inputs; keys in another order |
| recursion | RecursionError at a chain of 5,000 |
| a double arrow counted in one place and not in the other | cat(x, x) with another predecessor |
| only "nobody is ready at the start" taken as a cycle | a cycle behind an input |
| a walk from the inputs that never sees a cycle without one | a ring beside a network that runs |
| a name that is no key gets a place, or is dropped | the error comes much later, or never |
| a list as default argument | the second call returns the first one's names, too |
"""

from __future__ import annotations

from itertools import pairwise

from classroom.judge import Failure, Mutant, expect, task

from .. import public


def shuffled(rng, successors):
    """The same network with its keys in another order."""
    names = list(successors)
    return {names[i]: successors[names[i]] for i in rng.permutation(len(names))}


def renamed(rng, successors):
    """The same network with other names, and its keys in another order."""
    names = dict(zip(successors, (f"op{i}" for i in rng.permutation(10 * len(successors)).tolist()), strict=False))
    return shuffled(rng, {names[name]: [names[f] for f in followers] for name, followers in successors.items()})


def numbered(edges, nodes):
    """Edges between numbers -> successors."""
    successors = {f"n{i}": [] for i in range(nodes)}
    for start, end in edges:
        successors[f"n{start}"].append(f"n{end}")
    return successors


@task("topological_order")
def every_arrow_of_random_networks(student, rng):
    """Each name stands once and before its successors in twelve random networks."""
    for nodes in (6, 9, 15, 30, 30, 60, 60, 60, 120, 120, 250, 400):
        successors = public.network(rng, nodes, int(rng.integers(1, 4)), float(rng.uniform(0, 2)))
        public.expect_order(student.topological_order(successors), successors)


@task("topological_order")
def a_detector_of_280_operators(student, rng):
    """Each arrow is respected in a network with residual blocks, long skips and three outputs, as YOLOv5's are."""
    edges = [(i, i + 1) for i in range(279)]
    edges += [(i, i + int(rng.integers(2, 7))) for i in range(0, 200, 4)]
    edges += [(int(i), int(i) + int(rng.integers(60, 120))) for i in rng.integers(20, 140, 8)]
    edges = [edge for edge in edges if edge[0] not in (250, 260)] + [(40, 251), (90, 261)]
    successors = renamed(rng, numbered(edges, 280))
    public.expect_order(student.topological_order(successors), successors)


@task("topological_order")
def a_chain_of_20000(student, rng):
    """A chain of 20,000 operators, its keys in any order, has its order: nothing calls itself."""
    names = [f"op{i}" for i in rng.permutation(100_000)[:20_000].tolist()]
    chain = shuffled(rng, {a: [b] for a, b in pairwise(names)} | {names[-1]: []})
    expect(student.topological_order(chain), names, what="the order")


@task("topological_order")
def a_ladder_of_diamonds(student, rng):
    """3,000 diamonds in a row, with more paths than could ever be walked, have an order."""
    edges = [edge for i in range(0, 9000, 3) for edge in ((i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3))]
    successors = renamed(rng, numbered(edges, 9001))
    public.expect_order(student.topological_order(successors), successors)


@task("topological_order")
def parts_that_do_not_touch(student, rng):
    """Inputs that nobody reads, and parts without an arrow between them, are in the order, too."""
    for _ in range(4):
        joined = {}
        for part in range(3):
            piece = public.network(rng, int(rng.integers(1, 9)), 1, 0.5)
            joined |= {f"p{part}{name}": [f"p{part}{f}" for f in followers] for name, followers in piece.items()}
        successors = renamed(rng, joined | {f"alone{i}": [] for i in range(3)})
        public.expect_order(student.topological_order(successors), successors)


@task("topological_order")
def the_smallest_networks(student, rng):
    """No operator gives an empty list, one operator a list of one, and one arrow a list of two."""
    name, other = (f"op{i}" for i in rng.permutation(1000)[:2].tolist())
    expect(student.topological_order({name: []}), [name])
    expect(student.topological_order({other: [], name: [other]}), [name, other])
    expect(student.topological_order({}), [])


@task("topological_order")
def a_name_twice_in_a_list(student, rng):
    """cat(x, x) reads one result twice: it still waits for its other predecessor."""
    for _ in range(6):
        x, late, cat, end = (f"op{i}" for i in rng.permutation(1000)[:4].tolist())
        readers = [cat, cat, late]
        rng.shuffle(readers)
        successors = shuffled(rng, {x: readers, late: [cat, end], cat: [end, end, end], end: []})
        public.expect_order(student.topological_order(successors), successors)


@task("topological_order")
def a_cycle_deep_in_a_network(student, rng):
    """ValueError names an operator on the cycle, not only one that waits behind it, and none that could have run."""
    for length in (2, 3, 7, 40):
        before = public.network(rng, 30, 2, 0.5)
        before = {f"b{name}": [f"b{f}" for f in followers] for name, followers in before.items()}
        ring = [f"ring{i}" for i in rng.permutation(1000)[:length].tolist()]
        behind = [f"z{i}" for i in rng.permutation(1000)[:20].tolist()]
        successors = before | {a: [b] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)}
        successors |= {a: [b] for a, b in pairwise(behind)} | {behind[-1]: []}
        entry = list(before)[int(rng.integers(30))]
        successors[entry] = [*successors[entry], ring[0]]
        successors[ring[-1]] = [*successors[ring[-1]], behind[0]]
        ordered = {name: successors[name] for name in behind} | shuffled(rng, successors)  # the first key is behind it
        named = public.expect_error(student, ordered, ["ValueError"])
        if not named & set(ring):
            raise Failure("expected a message that names an operator on the cycle", ring, sorted(named))
        # what follows the entry may wait for the cycle only through the ring, so all of `before` can run
        if innocent := named & set(before):
            raise Failure(f"the message names {min(innocent)}, which could have run", ring, sorted(named))


@task("topological_order")
def an_operator_that_reads_itself(student, rng):
    """An operator that leads to itself is a cycle of one: ValueError names it."""
    for name in (f"op{i}" for i in rng.permutation(1000)[:3].tolist()):
        successors = {"input": [name], name: [name, "output"], "output": []}
        if name not in public.expect_error(student, successors, ["ValueError"]):
            raise Failure(f"expected a message that names {name}", name, None)


@task("topological_order")
def a_cycle_without_an_input(student, rng):
    """A cycle is an error also when another part of the network can run, and when nothing can."""
    a, b, c = (f"op{i}" for i in rng.permutation(1000)[:3].tolist())
    networks = (({a: [b], b: [c], c: [a]}, {a, b, c}), ({"free": ["end"], "end": [], a: [b], b: [a], c: []}, {a, b}))
    for successors, ring in networks:
        named = public.expect_error(student, shuffled(rng, successors), ["ValueError"])
        if not named & ring or named & (set(successors) - ring):
            raise Failure(f"expected a message that names some of {sorted(ring)} only", sorted(ring), sorted(named))


@task("topological_order")
def a_successor_that_is_no_key(student, rng):
    """A successor that the dictionary does not have raises ValueError or KeyError, and is named."""
    for nodes in (2, 10, 50):
        successors = public.network(rng, nodes, 1, 0.5)
        ghost = f"ghost{rng.integers(1000)}"
        name = list(successors)[int(rng.integers(nodes))]
        successors[name] = [*successors[name], ghost]
        if ghost not in public.expect_error(student, successors, ["ValueError", "KeyError"]):
            raise Failure(f"expected a message that names {ghost}", ghost, None)


@task("topological_order")
def one_call_leaves_nothing_for_the_next(student, rng):
    """Called again, also after an error, the function starts afresh."""
    for _ in range(3):
        successors = public.network(rng, 10, 2, 0.5)
        public.expect_order(student.topological_order(successors), successors)
        public.expect_error(student, {"op1": ["op2"], "op2": ["op1"]}, ["ValueError"])
        public.expect_order(student.topological_order(successors), successors)


LOOP = (
    "    while ready:\n"
    "        name = ready.popleft()\n"
    "        order.append(name)\n"
    "        for follower in successors[name]:\n"
    "            missing[follower] -= 1\n"
    "            if missing[follower] == 0:\n"
    "                ready.append(follower)\n"
)
ERROR = 'raise ValueError("the graph has a cycle: " + " -> ".join(find_cycle(successors, left)))'

MUTANTS = [
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
    ),
    Mutant(
        "post-order, not reversed",
        "depth first gives the order backwards",
        old="    return order\n",
        new="    return order[::-1]\n",
    ),
    Mutant(
        "recursion",
        "right until a chain is longer than Python's limit",
        old=LOOP,
        new=(
            "    def run(name: str) -> None:\n"
            "        order.append(name)\n"
            "        for follower in successors[name]:\n"
            "            missing[follower] -= 1\n"
            "            if missing[follower] == 0:\n"
            "                run(follower)\n"
            "\n"
            "    for name in list(ready):\n"
            "        run(name)\n"
        ),
    ),
    Mutant(
        "only one input",
        "the walk starts at the first node without predecessors only",
        old="ready = deque(name for name, count in missing.items() if count == 0)",
        new="ready = deque([name for name, count in missing.items() if count == 0][:1])",
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
    ),
    Mutant(
        "a double arrow counts once on one side",
        "predecessors are counted without, arrows are followed with repetition",
        old="        for follower in followers:",
        new="        for follower in dict.fromkeys(followers):",
    ),
    Mutant(
        "a double arrow is subtracted once",
        "predecessors are counted with, arrows are followed without repetition",
        old=("        for follower in successors[name]:\n            missing"),
        new=("        for follower in set(successors[name]):\n            missing"),
    ),
    Mutant(
        "no look for cycles",
        "what is left over is forgotten silently",
        old="    if len(order) < len(successors):",
        new="    if False:",
    ),
    Mutant(
        "only a graph without any input is a cycle",
        "a cycle may hang on a part that runs",
        old="    if len(order) < len(successors):",
        new="    if successors and not order:",
    ),
    Mutant(
        "only a cycle behind an input is a cycle",
        "a walk from the inputs does not come to a cycle that nothing leads to",
        old="    if len(order) < len(successors):",
        new="    if order and len(order) < len(successors):",
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
    ),
    Mutant(
        "an operator that reads itself is let through",
        "the arrow from a node to itself is not counted",
        old="            missing[follower] += 1",
        new="            missing[follower] += follower != name",
    ),
    Mutant(
        "the error names nobody",
        "'there is a cycle' does not help to find it",
        old=ERROR,
        new='raise ValueError("the graph has a cycle")',
    ),
    Mutant(
        "the error names everybody",
        "a list of the whole network does not help either",
        old=ERROR,
        new='raise ValueError(f"there is a cycle in {list(successors)}")',
    ),
    Mutant(
        "the error names one who waits behind the cycle",
        "the first node that is left over need not be on the cycle",
        old=ERROR,
        new='raise ValueError(f"cycle at {left[0]}")',
    ),
    Mutant(
        "the wrong exception",
        "the task asks for ValueError",
        old=ERROR,
        new='raise RuntimeError("the graph has a cycle: " + " -> ".join(find_cycle(successors, left)))',
    ),
    Mutant(
        "unknown successors are dropped",
        "a fault of the file is hidden, and the operator behind it is missing without a word",
        old="    missing = dict.fromkeys(successors, 0)",
        new=(
            "    successors = {n: [f for f in fs if f in successors] for n, fs in successors.items()}\n"
            "    missing = dict.fromkeys(successors, 0)"
        ),
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
    ),
    Mutant(
        "the list is kept from call to call",
        "a default or global list is shared by all calls",
        old="    order: list[str] = []",
        new='    order = topological_order.__dict__.setdefault("order", [])',
    ),
    Mutant(
        "a tuple instead of a list",
        "the task asks for a list",
        old="    return order\n",
        new="    return tuple(order)\n",
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
    ),
]
