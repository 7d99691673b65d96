"""Hidden tests of homework 10: results recorded from Tengine's own code, large graphs, and the smallest ones."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from classroom.judge import Student, expect, expect_raises, public_of, task

public = public_of(__file__)


# --- merge ---


@task("merge")
def long_lists(student: Student, rng: np.random.Generator) -> None:
    """Lists of up to 2,000 parts on two, three or five devices, many of them empty, have no neighbours left."""
    for count, devices in ((30, 2), (200, 3), (500, 5), (2000, 2)):
        names = [f"dev{i}" for i in rng.permutation(100)[:devices].tolist()]
        parts = public.random_parts(rng, count, names, 0.3)
        right = public.dropped_late([part for part in parts if part[1]])
        expect(student.merge(parts), right, what=f"{count} parts on {devices} devices")


@task("merge")
def the_shortest_lists(student: Student, rng: np.random.Generator) -> None:
    """No parts, only empty parts, one part, and an empty part at the end."""
    v, w = rng.permutation(100)[:2].tolist()
    expect(student.merge([]), [], what="no parts")
    expect(student.merge([("ACC", []), ("CPU", []), ("CPU", [])]), [], what="empty parts only")
    expect(student.merge([("DSP", [v])]), [("DSP", [v])], what="one part")
    expect(student.merge([("DSP", [v]), ("CPU", []), ("DSP", [])]), [("DSP", [v])], what="empty parts at the end")
    expect(student.merge([("", []), ("CPU", [v]), ("", []), ("", []), ("CPU", [w])]), [("CPU", [v, w])])


# --- inputs_outputs ---

DETECTOR = public.Graph(
    [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([1], [4]), ([3], [5]), ([1, 0], [6]), ([3, 0], [7]),
     ([4, 5], [8]), ([6, 7], [9]), ([8, 9], [10])],
    ["input"] + ["var"] * 10,
    [10],
)  # fmt: skip


@task("inputs_outputs")
def as_the_original_gives_it(student: Student, rng: np.random.Generator) -> None:
    """For a small SSD detector, and for a chain that returns a middle result, Tengine's own code gave these lists."""
    got = student.inputs_outputs([[*range(6)], [*range(6, 11)]], DETECTOR.nodes, DETECTOR.kinds, DETECTOR.returned)
    expect(got, [([0], [1, 3, 4, 5], 0), ([0, 1, 3, 4, 5], [10], 4)], what="an SSD detector in two parts")
    nodes = [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([3], [4])]
    got = student.inputs_outputs([[0, 1, 2, 3, 4]], nodes, ["input", "var", "var", "var", "var"], [2, 4])
    expect(got, [([0], [2, 4], 0)], what="a chain in one part that returns a middle result")


@task("inputs_outputs")
def large_random_graphs(student: Student, rng: np.random.Generator) -> None:
    """Random graphs of up to 400 nodes, with several inputs, outputs, readers and constants, in up to 60 parts."""
    for count, parts in ((40, 5), (120, 20), (400, 60)):
        graph, split = public.random_graph(rng, count, parts)
        public.expect_boundaries(student, split, graph, f"{count} nodes in {len(split)} parts")


@task("inputs_outputs")
def every_node_a_part_of_its_own(student: Student, rng: np.random.Generator) -> None:
    """When each node is a part of its own, and when all nodes are one part, the lists are right as well."""
    graph, _ = public.random_graph(rng, 24, 4)
    public.expect_boundaries(student, [[v] for v in range(24)], graph, "24 parts of one node")
    public.expect_boundaries(student, [list(range(24))], graph, "one part of 24 nodes")


@task("inputs_outputs")
def a_tensor_that_many_read(student: Student, rng: np.random.Generator) -> None:
    """A tensor that is read twice by one node, by several nodes and by parts far away stands once in each list."""
    x, y, z, u, w = rng.permutation(5).tolist()
    nodes = [([], [x]), ([x, x], [y]), ([y, x, y], [z]), ([y, y, z], [u]), ([u, y], [w])]
    kinds = ["var"] * 5
    kinds[x] = "input"
    graph = public.Graph(nodes, kinds, [4])
    for parts in ([[0, 1], [2], [3], [4]], [[0, 1, 2], [3, 4]], [[0], [1], [2, 4], [3]], [[0], [1, 2], [3], [4]]):
        public.expect_boundaries(student, parts, graph, f"parts {parts}")


@task("inputs_outputs")
def some_outputs_of_a_node(student: Student, rng: np.random.Generator) -> None:
    """Of a node's several outputs those leave the part that somebody outside reads, that nobody reads, or all if the
    network returns them.
    """
    a, b, c, d, e = rng.permutation(5).tolist()
    kinds = ["var"] * 5
    kinds[a] = "input"
    nodes = [([], [a]), ([a], [b, c, d]), ([b, c], [e])]
    for returned in ([2], [1, 2], [1]):
        for parts in ([[0, 1], [2]], [[0, 1, 2]], [[0], [1, 2]]):
            public.expect_boundaries(student, parts, public.Graph(nodes, kinds, returned), f"returned {returned}")


# --- waves ---


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


# --- fewest ---


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
