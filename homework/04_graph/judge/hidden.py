"""Hidden tests of homework 4: larger and nastier networks. Every right order passes, whichever it is."""

from __future__ import annotations

from itertools import pairwise

from classroom.judge import Failure, expect, public_of, task

public = public_of(__file__)


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


@task("peak_bytes")
def random_networks(student, rng):
    """The busiest step of random networks, with several inputs, several outputs, and results that are read twice."""
    for steps in (2, 3, 5, 8, 8, 13, 21, 34, 34, 55):
        public.expect_peak(student, *public.run_of(rng, steps, int(rng.integers(1, 3))))


@task("peak_bytes")
def one_operator(student, rng):
    """One operator needs what its result needs."""
    size = int(rng.integers(1, 1 << 40))
    expect(student.peak_bytes(["op"], {"op": []}, {"op": size}), size)


@task("peak_bytes")
def a_long_skip(student, rng):
    """A result that is read at once and again much later is alive in between."""
    for length in (4, 9, 30):
        order = [f"op{i}" for i in range(length)]
        reads = {name: [order[i - 1]] if i else [] for i, name in enumerate(order)}
        start = int(rng.integers(0, length - 2))
        reads[order[-1]] = [order[start], order[-2]] if rng.integers(2) else [order[-2], order[start]]
        sizes = {name: int(rng.integers(1, 100)) for name in reversed(order)}
        sizes[order[start]] = 1000
        public.expect_peak(student, order, reads, sizes)


@task("peak_bytes")
def one_operand_in_two_slots(student, rng):
    """cat(x, x) reads x twice, and lets it go once."""
    for _ in range(4):
        a, b, c, d = (f"op{i}" for i in rng.permutation(100)[:4].tolist())
        sizes = {name: int(rng.integers(50, 100)) for name in (d, b, a, c)}
        public.expect_peak(student, [a, b, c, d], {a: [], b: [a, a], c: [b, b, b], d: [c, c]}, sizes)
