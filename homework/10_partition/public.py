"""Public tests of homework 10."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_raises, task

Parts = list[tuple[str, list[int]]]
Boundary = list[tuple[list[int], list[int], int]]


@dataclass(frozen=True)
class Graph:
    """Nodes as (tensors read, tensors made), the kind of each tensor, and the nodes that make what is returned."""

    nodes: list[tuple[list[int], list[int]]]
    kinds: list[str]
    returned: list[int]


LESSON = Graph(
    [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([3], [4]), ([4], [5]), ([5], [6]), ([6], [7]), ([7, 1], [8]),
     ([8], [9])],
    ["input"] + ["var"] * 9,
    [9],
)  # fmt: skip
LESSON_PARTS = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]

# --- merge ---

MERGE_LESSON: Parts = [("ACC", [0, 1, 2]), ("CPU", [3, 4]), ("CPU", [5]), ("ACC", [6, 7, 8]), ("CPU", [9])]


def merged(parts: Parts) -> Parts:
    """What merge has to give, by looking for the first two neighbours on one device again and again."""
    left = [(device, list(nodes)) for device, nodes in parts if nodes]
    while True:
        twins = [i for i in range(len(left) - 1) if left[i][0] == left[i + 1][0]]
        if not twins:
            return left
        i = twins[0]
        left[i : i + 2] = [(left[i][0], left[i][1] + left[i + 1][1])]


def pairwise_only(parts: Parts) -> Parts:
    """A wrong merge: each part is compared with its neighbour in the list that was given, two at a time."""
    done, i = [], 0
    left = [part for part in parts if part[1]]
    while i < len(left):
        two = i + 1 < len(left) and left[i][0] == left[i + 1][0]
        done.append((left[i][0], left[i][1] + (left[i + 1][1] if two else [])))
        i += 1 + two
    return done


def by_device(parts: Parts) -> Parts:
    """A wrong merge: all parts of a device become one."""
    found: dict[str, list[int]] = {}
    for device, nodes in parts:
        found[device] = found.get(device, []) + nodes
    return [part for part in found.items() if part[1]]


def dropped_late(parts: Parts) -> Parts:
    """A wrong merge: empty parts go after merging, and leave two neighbours on one device."""
    joined: Parts = []
    for device, nodes in parts:
        if joined and joined[-1][0] == device:
            joined[-1] = (device, joined[-1][1] + nodes)
        else:
            joined.append((device, list(nodes)))
    return [part for part in joined if part[1]]


def expect_merged(student: Student, parts: Parts, what: str) -> None:
    """The student's merge of `parts`, with the well-known mistakes."""
    right = merged(parts)
    mistakes = {
        "an empty part was left out after merging: leave it out first, then its neighbours stand side by side": (
            dropped_late(parts)
        ),
        "that is the list as it was given, without its empty parts": [part for part in parts if part[1]],
        "three neighbours on one device become one as well: compare with the last part of your own list": (
            pairwise_only(parts)
        ),
        "only NEIGHBOURS in the list may become one: what lies between them has to run in between": by_device(parts),
        "the last part is missing: is it written down when the loop ends?": right[:-1],
        "the nodes of the later part stand before those of the earlier one": [
            (device, nodes[::-1]) for device, nodes in merged([(device, nodes[::-1]) for device, nodes in parts[::-1]])
        ][::-1],
        "the devices are lists, not tuples: append (device, nodes)": [list(part) for part in right],
    }
    expect(student.merge(parts), right, what=what, mistakes={k: v for k, v in mistakes.items() if v != right})


def random_parts(rng: np.random.Generator, count: int, devices: Sequence[str], empty: float) -> Parts:
    """Parts with random devices and node numbers in no order, some of them without nodes."""
    numbers = rng.permutation(4 * count).tolist()
    parts: Parts = []
    for _ in range(count):
        size = 0 if rng.random() < empty else int(rng.integers(1, 4))
        parts.append((devices[rng.integers(len(devices))], [numbers.pop() for _ in range(size)]))
    return parts


@task("merge")
def the_parts_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """The lesson's five parts become four, and a list without such neighbours stays as it is."""
    expect_merged(student, MERGE_LESSON, "the lesson's parts")
    expect_merged(student, [("ACC", [0]), ("CPU", [1]), ("ACC", [2])], "parts that take turns")


@task("merge")
def three_and_more_neighbours(student: Student, rng: np.random.Generator) -> None:
    """Three, four or more neighbours on one device become one part, their nodes in the old order."""
    expect_merged(student, [("CPU", [4]), ("CPU", [0, 7]), ("CPU", [2])], "three parts on the CPU")
    for count in (6, 9, 14):
        parts: Parts = [("CPU", [100]), ("CPU", [99]), ("CPU", [98]), *random_parts(rng, count, ["ACC", "CPU"], 0.0)]
        expect_merged(student, parts, f"{len(parts)} parts")


@task("merge")
def parts_without_nodes(student: Student, rng: np.random.Generator) -> None:
    """A part without nodes is left out; if its neighbours run on one device, they become one part."""
    expect_merged(student, [("CPU", [0]), ("ACC", []), ("CPU", [1])], "an empty part in the middle")
    expect_merged(student, [("ACC", []), ("CPU", [0]), ("ACC", [1, 2])], "an empty part at the start")
    parts: Parts = [("ACC", []), *random_parts(rng, 8, ["ACC", "CPU"], 0.4), ("CPU", [77]), ("ACC", []), ("CPU", [88])]
    expect_merged(student, parts, f"{len(parts)} parts, some of them empty")


# --- inputs_outputs ---


def boundaries(parts: list[list[int]], graph: Graph, mistake: str = "") -> Boundary:
    """What inputs_outputs has to give, straight from the table in the README; or what it gives with one mistake."""
    found = []
    kinds = graph.kinds
    for part in parts:
        reads = {t for v in part for t in graph.nodes[v][0]}
        makes = {t for v in part for t in graph.nodes[v][1]}
        outside = {t for v, (read, _) in enumerate(graph.nodes) if v not in part for t in read}
        returned = {t for v in graph.returned for t in graph.nodes[v][1]}
        outside -= outside if mistake == "ssd" else set()
        returned -= returned if mistake == "returned" else set()
        inputs = {t for t in reads | makes if kinds[t] == "input"} | {t for t in reads - makes if kinds[t] == "var"}
        inputs |= {t for t in reads if kinds[t] == "const"} if mistake == "const" else set()
        inputs |= {t for t in reads if kinds[t] == "var"} if mistake == "all read" else set()
        inputs -= {t for t in makes if kinds[t] == "input"} if mistake == "input node" else set()
        outputs = {t for t in makes if kinds[t] == "var" and (t in outside or t not in reads or t in returned)}
        outputs = {t for t in makes if kinds[t] == "var"} if mistake == "all made" else outputs
        outputs |= {t for t in makes - reads if kinds[t] != "var"} if mistake == "given out" else set()
        waits = len(inputs) if mistake == "wait" else sum(kinds[t] == "var" for t in inputs)
        found.append((sorted(inputs), sorted(outputs), waits))
    return found


SSD = (
    "a tensor is missing among the outputs: it is read inside its own part AND by another one, so it has to be handed "
    "over (the SSD case)"
)
CAUSES = {
    "ssd": SSD,
    "returned": "a tensor that the network returns is missing among the outputs: nodes in `returned` hand over what "
    "they make, even if their own part reads it",
    "const": "constants are at hand on every device: they are neither inputs nor counted",
    "all read": "a tensor that the part makes itself is no input of it: only what another part makes",
    "all made": "not everything that a part makes leaves it: a tensor that only its own nodes read stays inside",
    "input node": "a tensor of kind 'input' is an input of the part whose node stands for it, too",
    "given out": "only tensors of kind 'var' are handed over: inputs and constants are never outputs",
    "wait": "the wait count is the number of inputs of kind 'var': nobody waits for what the caller gives",
}


def expect_boundaries(student: Student, parts: list[list[int]], graph: Graph, what: str) -> None:
    """The student's inputs_outputs, with the well-known mistakes."""
    right = boundaries(parts, graph)
    mistakes = {CAUSES[name]: wrong for name in CAUSES if (wrong := boundaries(parts, graph, name)) != right}
    got = student.inputs_outputs(parts, graph.nodes, graph.kinds, graph.returned)
    try:
        expect(got, right, what=what, mistakes=mistakes)
    except Failure as failure:
        failure.cause = failure.cause or form_of(got, right)
        raise


def form_of(got: Any, right: Boundary) -> str | None:
    """What is wrong with the form of an answer whose numbers are right."""
    try:
        tidy = [(sorted(set(inputs)), sorted(set(outputs)), waits) for inputs, outputs, waits in got]
    except (TypeError, ValueError):
        return "each part needs three things: (inputs, outputs, wait_count)"
    if [part[:2] for part in tidy] == [part[:2] for part in right]:
        if [part[2] for part in tidy] != [part[2] for part in right]:
            return "the wait count counts different tensors of kind 'var' among the inputs, whoever makes or reads them"
        return "the numbers are right, their form is not: sorted lists, no number twice, in tuples of three"
    return None


def random_graph(rng: np.random.Generator, count: int, parts: int) -> tuple[Graph, list[list[int]]]:
    """A graph with inputs, constants and nodes of several outputs, its tensors numbered in no order; and parts.

    No part comes before one that it reads from. Nodes of a part need not be neighbours.
    """
    made: list[tuple[list[int], list[int]]] = [([], [0]), ([], [1]), ([], [2])]
    kinds = ["input", "input", "const"]
    for _ in range(3, count):
        reads = [int(rng.integers(0, len(kinds))) for _ in range(int(rng.integers(1, 4)))]
        reads += [len(kinds) - 1] if rng.random() < 0.5 else []
        outputs = list(range(len(kinds), len(kinds) + 1 + int(rng.random() < 0.3)))
        if rng.random() < 0.1:
            reads, outputs = [], outputs[:1]
        kinds += ["var" if reads else "const"] * len(outputs)
        made.append((reads, outputs))
    names = rng.permutation(len(kinds)).tolist()
    nodes = [([names[t] for t in reads], [names[t] for t in outputs]) for reads, outputs in made]
    named = [kinds[names.index(t)] for t in range(len(kinds))]
    inner = [v for v in range(3, count) if nodes[v][0]]
    returned = sorted({inner[-1], *(int(v) for v in rng.choice(inner, 2))})
    graph = Graph(nodes, named, returned)
    return graph, random_split(rng, graph, parts)


def random_split(rng: np.random.Generator, graph: Graph, parts: int) -> list[list[int]]:
    """Nodes in parts, none of which comes before one that it reads from; none is empty."""
    part_of: list[int] = []
    maker = {t: v for v, (_, makes) in enumerate(graph.nodes) for t in makes}
    for v, (reads, _) in enumerate(graph.nodes):
        least = max([part_of[maker[t]] for t in reads], default=0)
        part_of.append(min(parts - 1, least + int(rng.integers(0, 2))) if v >= 3 else 0)
    return [members for p in range(parts) if (members := [v for v, q in enumerate(part_of) if q == p])]


@task("inputs_outputs")
def the_sub_graphs_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """In the lesson's four sub-graphs, tensor 1 is read inside its own and in another one, and is handed over."""
    expect_boundaries(student, LESSON_PARTS, LESSON, "the lesson's sub-graphs")
    chain = Graph(LESSON.nodes[:8], LESSON.kinds[:8], [7])
    expect_boundaries(student, [[0, 1, 2], [3, 4], [5, 6, 7]], chain, "a chain in three parts")


@task("inputs_outputs")
def constants_and_several_inputs(student: Student, rng: np.random.Generator) -> None:
    """Inputs of the network are inputs of the parts that read them; constants are not, and nobody waits for either."""
    nodes = [([], [5]), ([], [0]), ([], [3]), ([5, 3], [1]), ([1, 0], [6]), ([6, 3, 5, 6], [2]), ([2], [4])]
    kinds = ["input", "var", "var", "const", "var", "input", "var"]
    graph = Graph(nodes, kinds, [6])
    expect_boundaries(student, [[0, 1, 2, 3], [4], [5, 6]], graph, "two inputs and a constant")
    expect_boundaries(student, [[0, 1, 2], [3, 4, 5], [6]], graph, "a part that computes nothing")


@task("inputs_outputs")
def what_the_network_returns(student: Student, rng: np.random.Generator) -> None:
    """What a returned node makes is handed over, even if its own part reads it; so is what nobody reads."""
    nodes = [([], [0]), ([0], [1]), ([1], [2, 3]), ([2], [4]), ([4, 1], [5])]
    graph = Graph(nodes, ["input"] + ["var"] * 5, [1, 4])
    expect_boundaries(student, [[0, 1, 2], [3, 4]], graph, "a network that returns tensors 1 and 5")
    expect_boundaries(student, [[0, 1, 2, 3, 4]], graph, "the same network in one part")


@task("inputs_outputs")
def random_graphs(student: Student, rng: np.random.Generator) -> None:
    """Random graphs with several inputs, outputs and readers, in parts whose nodes need not be neighbours."""
    for count, parts in ((8, 2), (12, 3), (20, 4), (30, 6)):
        graph, split = random_graph(rng, count, parts)
        expect_boundaries(student, split, graph, f"{count} nodes in {len(split)} parts")


# --- waves ---

FIVE: Boundary = [([0], [1, 2], 0), ([1], [3], 1), ([2], [4], 1), ([3], [5], 1), ([4, 5], [6], 2)]


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


def expect_waves(student: Student, subgraphs: Boundary, what: str) -> None:
    """The student's waves, with the well-known mistakes."""
    right = waves_of(subgraphs)
    mistakes = {
        "a sub-graph ran in the same wave as one that it waits for: collect the whole wave first, count afterwards": (
            too_soon(subgraphs)
        ),
        "sub-graphs that are ready at the same time belong in one wave": [[i] for wave in right for i in wave],
        "the last wave is missing": right[:-1],
    }
    try:
        got = student.waves(subgraphs)
    except SubmissionError as error:
        if error.type != "ValueError":
            raise
        failure = Failure(f"{what}: expected {right!r:.200}, got ValueError: {error.message:.200}", right, "ValueError")
        failure.cause = (
            "there is no deadlock here: each output adds 1 for EVERY sub-graph that reads it, two outputs of one "
            "sub-graph add 2, and inputs that the caller gives are not waited for"
        )
        raise failure from None
    expect(got, right, what=what, mistakes={k: v for k, v in mistakes.items() if v != right})


@task("waves")
def the_five_sub_graphs(student: Student, rng: np.random.Generator) -> None:
    """The lesson's five sub-graphs run in four waves, 1 and 2 together; its chain of four in four."""
    expect_waves(student, FIVE, "the lesson's five sub-graphs")
    expect_waves(student, boundaries(LESSON_PARTS, LESSON), "the lesson's chain of four")


@task("waves")
def tensors_are_counted(student: Student, rng: np.random.Generator) -> None:
    """Two tensors from one sub-graph count twice, and one tensor counts for each sub-graph that reads it."""
    expect_waves(student, [([0], [1, 2], 0), ([1, 2], [3], 2), ([0, 2], [4], 1), ([3, 4], [5], 2)], "four sub-graphs")
    for count, parts in ((12, 4), (24, 8), (40, 15)):
        graph, split = random_graph(rng, count, parts)
        expect_waves(student, boundaries(split, graph), f"{len(split)} sub-graphs")


@task("waves")
def a_deadlock_is_an_error(student: Student, rng: np.random.Generator) -> None:
    """Sub-graphs that wait for each other raise ValueError, at once or after some waves."""
    for subgraphs in (
        [([0, 3], [1], 1), ([1], [3], 1)],
        [([0], [1], 0), ([1, 4], [2], 2), ([2], [3], 1), ([3], [4], 1), ([1], [5], 1)],
    ):
        try:
            got = expect_raises(student.waves, subgraphs)
        except Failure as failure:
            failure.cause = "some have not run, and the wave is empty: raise ValueError instead of returning"
            raise
        expect(got, "ValueError", what="the type of the error for a deadlock")


# --- fewest ---

TWIN = [[], [0], [1], [2], [3], [4], [0], [6], [7], [8], [5, 9]]
TWIN_DEVICES = ["ACC", "ACC", "CPU", "ACC", "ACC", "ACC", "ACC", "CPU", "ACC", "ACC", "ACC"]


def turns(predecessors: list[list[int]], devices: list[str], start: str) -> int:
    """How many parts there are when `start` runs all it can, then the other device all it can, and so on."""
    other = next((device for device in devices if device != start), start)
    done: set[int] = set()
    count = 0
    while len(done) < len(devices):
        device = (start, other)[count % 2]
        before = len(done)
        for v, above in enumerate(predecessors):
            if v not in done and devices[v] == device and done.issuperset(above):
                done.add(v)
        count += 1
        if len(done) == before:  # nothing to run in the first turn
            return turns(predecessors, devices, other)
    return count


def least(predecessors: list[list[int]], devices: list[str]) -> int:
    """The least number of parts."""
    return min((turns(predecessors, devices, start) for start in sorted(set(devices))), default=0)


def expect_fewest(student: Student, predecessors: list[list[int]], devices: list[str], what: str) -> None:
    """The student's parts are parts that can run, and as few as can be."""
    got = student.fewest(predecessors, devices)
    try:
        check_fewest(got, predecessors, devices, what)
    except Failure as failure:
        failure.message = f"{failure.message}; the answer was {got!r:.200}"
        raise


def check_fewest(got: Any, predecessors: list[list[int]], devices: list[str], what: str) -> None:
    """Raise Failure where the answer is none, cannot run, or has more parts than needed."""
    if type(got) is not list or not all(
        type(part) is tuple and len(part) == 2 and type(part[0]) is str and type(part[1]) is list
        and all(type(v) is int for v in part[1]) for part in got
    ):  # fmt: skip
        raise Failure(f"{what}: expected a list of (device, list of nodes)", "[(device, nodes), ...]", got)
    placed = [v for _, nodes in got for v in nodes]
    if sorted(placed) != list(range(len(devices))):
        expected = f"each of the {len(devices)} nodes once"
        raise _failure(f"{what}: expected {expected}, got {len(placed)} nodes", expected, got, "every node belongs in "
                       "exactly one part: is one of them left out, or in two parts?")  # fmt: skip
    if any(not nodes for _, nodes in got):
        raise _failure(f"{what}: expected no empty part", "no empty part", got,
                       "a level that no node has is no part: leave it out")  # fmt: skip
    for i, (device, nodes) in enumerate(got):
        strange = [v for v in nodes if devices[v] != device]
        if strange:
            message = f"{what}: node {strange[0]} has to run on {devices[strange[0]]}, part {i} is for {device}"
            raise _failure(message, devices[strange[0]], device, "two devices share a level: it grows by 1 where the "
                           "device changes, and nodes of the second device begin at level 1")  # fmt: skip
    place = {v: i for i, v in enumerate(placed)}
    for v, above in enumerate(predecessors):
        for u in above:
            if place[u] > place[v]:
                raise _failure(f"{what}: node {v} reads what node {u} makes, and runs before it", f"{u} before {v}",
                               got, "a node's level is the largest that ANY of its predecessors asks for")  # fmt: skip
    fewest = least(predecessors, devices)
    if len(got) > fewest:
        more = turns(predecessors, devices, max(set(devices), key=lambda d: turns(predecessors, devices, d)))
        cause = (
            "the other device should have had the first turn: try both, and keep the shorter answer"
            if len(got) == more == fewest + 1
            else "parts that could run together are apart: a level grows only where the device changes on the way"
        )
        raise _failure(f"{what}: expected {fewest} parts, got {len(got)}", fewest, len(got), cause)


def _failure(message: str, expected: Any, got: Any, cause: str) -> Failure:
    failure = Failure(message, expected, got)
    failure.cause = cause
    return failure


def random_placed(rng: np.random.Generator, count: int, near: int, names: Sequence[str]) -> tuple[Any, list[str]]:
    """Predecessors of `count` nodes, at most `near` before them, and a device for each."""
    predecessors = [
        sorted({int(u) for u in rng.integers(max(0, v - near), v, int(rng.integers(0, 3)))} if v else set())
        for v in range(count)
    ]
    return predecessors, [names[i] for i in rng.integers(0, 2, count)]


@task("fewest")
def the_two_branches_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """The lesson's two branches, which ranges of ids cut into five sub-graphs, need only three."""
    expect_fewest(student, TWIN, TWIN_DEVICES, "two branches")
    expect_fewest(student, [[], [], [0], [1], [2, 3]], ["ACC", "CPU", "CPU", "CPU", "ACC"], "five nodes")


@task("fewest")
def either_device_may_begin(student: Student, rng: np.random.Generator) -> None:
    """Whichever device has the first turn, the answer has the least number of parts."""
    for first, second in (("ACC", "CPU"), ("CPU", "ACC")):
        expect_fewest(student, [[], [], [1], [2], [0, 3]], [first, second, first, second, second], f"{second} first")
        expect_fewest(student, [[], [0], [1]], [first, second, second], f"a chain that begins on {first}")


@task("fewest")
def random_placements(student: Student, rng: np.random.Generator) -> None:
    """Random graphs, with nodes that read nothing and nodes that nobody reads, in as few parts as can be."""
    for count, near in ((6, 4), (10, 4), (20, 8), (40, 6), (60, 30)):
        predecessors, devices = random_placed(rng, count, near, ("ACC", "CPU"))
        expect_fewest(student, predecessors, devices, f"{count} nodes")


@task("fewest")
def one_device_is_one_part(student: Student, rng: np.random.Generator) -> None:
    """When all nodes run on one device, whatever its name, there is one part; without nodes there is none."""
    expect_fewest(student, TWIN, ["GPU"] * 11, "all on the GPU")
    expect_fewest(student, [[]], ["CPU"], "one node")
    expect_fewest(student, [], [], "no nodes")
