"""Public tests of lesson 10: what merge, inputs_outputs, waves and fewest must do, on the lesson's graphs and more."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task

Parts = list[tuple[str, list[int]]]
Boundary = list[tuple[list[int], list[int], int]]


@dataclass(frozen=True)
class Graph:
    """Nodes as (tensors read, tensors made), the kind of each tensor, and the nodes that make what is returned."""

    nodes: list[tuple[list[int], list[int]]]
    kinds: list[str]
    returned: list[int]


# --- merge ---


def random_parts(rng: np.random.Generator, count: int, devices: Sequence[str], empty: float) -> Parts:
    """Parts with random devices and node numbers in no order, some of them without nodes."""
    numbers = rng.permutation(4 * count).tolist()
    parts: Parts = []
    for _ in range(count):
        size = 0 if rng.random() < empty else int(rng.integers(1, 4))
        parts.append((devices[rng.integers(len(devices))], [numbers.pop() for _ in range(size)]))
    return parts


CHANGED = {
    "item assignment": "a tuple never changes: let the list in it grow, or put a new tuple in its place",
    "'NoneType' object has no attribute 'extend'": "extend makes the list longer and returns None",
}
SHORTER = "the list became shorter than the loop thinks: build a new list instead of deleting from the old one"
NO_LAST_PART = (
    "at the first part your own list is still empty: ask whether there is a last part. (Or is it parts[i + 1]? The "
    "last part has no next one.)"
)


def merge_of(student: Student, parts: Parts) -> Any:
    """The student's merge of `parts`; an IndexError that a single part raises, too, has another likely cause."""
    try:
        with likely({"IndexError": SHORTER, **CHANGED}):
            return student.merge(parts)
    except Failure as failure:
        with student.aside():
            try:
                student.merge([("CPU", [0])])
            except SubmissionError as error:
                if error.is_a("IndexError"):
                    failure.cause = NO_LAST_PART
        raise


def expect_merged(student: Student, oracle: Any, parts: Parts, what: str) -> None:
    """Raise Failure unless the student's merge of `parts` is right."""
    got = merge_of(student, parts)
    expect(got, oracle.merged(parts), what=what, mistakes=oracle.merge_mistakes(parts))


@task("merge", "neighbours", "apart", "order", "form")
def the_parts_of_the_lesson(student: Student, oracle: Any) -> None:
    """The lesson's five parts become four."""
    parts: Parts = [("ACC", [0, 1, 2]), ("CPU", [3, 4]), ("CPU", [5]), ("ACC", [6, 7, 8]), ("CPU", [9])]
    expected = [("ACC", [0, 1, 2]), ("CPU", [3, 4, 5]), ("ACC", [6, 7, 8]), ("CPU", [9])]
    got = merge_of(student, parts)
    expect(got, expected, what="the lesson's parts", mistakes=oracle.merge_mistakes(parts))


@task("merge", "apart", "form")
def parts_that_take_turns(student: Student, oracle: Any) -> None:
    """Parts of two devices that take turns stay as they are."""
    parts: Parts = [("ACC", [0]), ("CPU", [1, 3]), ("ACC", [2]), ("CPU", [4])]
    expect(merge_of(student, parts), parts, what="parts that take turns", mistakes=oracle.merge_mistakes(parts))


@task("merge", "neighbours", "order", "form")
def three_and_more_neighbours(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three, four or more neighbours on one device become one part, their nodes in the old order."""
    expect_merged(student, oracle, [("CPU", [4]), ("CPU", [0, 7]), ("CPU", [2])], "three parts on the CPU")
    for count in (4, 7):
        expect_merged(student, oracle, random_parts(rng, count, ["ACC"], 0.0), f"{count} parts on one device")


@task("merge", "neighbours", "order", "form")
def thousands_of_neighbours(student: Student) -> None:
    """Three thousand neighbours on one device become one part."""
    cause = {"RecursionError": "a function that calls itself for each part ends at Python's limit: write a loop"}
    with likely(cause):
        got = student.merge([("CPU", [v]) for v in range(3000)])
    expect(got, [("CPU", list(range(3000)))], what="3,000 neighbours")


@task("merge", "empty", "neighbours", "order", "form")
def parts_without_nodes(student: Student, oracle: Any) -> None:
    """A part without nodes is left out, wherever it stands; if its neighbours run on one device, they become one."""
    expect_merged(student, oracle, [("CPU", [0]), ("ACC", []), ("CPU", [1])], "an empty part in the middle")
    expect_merged(student, oracle, [("ACC", []), ("CPU", [0]), ("ACC", [1, 2])], "an empty part at the start")
    expect_merged(student, oracle, [("CPU", [5]), ("ACC", [])], "an empty part at the end")
    expect_merged(student, oracle, [("ACC", []), ("CPU", [])], "two empty parts")


@task("merge", "neighbours", "apart", "empty", "order", "form")
def random_lists(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random parts, some without nodes, have no two neighbours on one device left."""
    for count in (6, 9, 14):
        parts = [*random_parts(rng, count, ["ACC", "CPU"], 0.3), ("CPU", [100]), ("ACC", []), ("CPU", [99])]
        expect_merged(student, oracle, parts, f"{len(parts)} parts, some of them empty")


@task("merge", "names", "neighbours", "apart", "order", "form")
def devices_of_any_name(student: Student, oracle: Any) -> None:
    """Devices of other names than those of the lesson are merged, too."""
    parts: Parts = [("", [7, 8]), ("", [2]), ("dsp", [3]), ("dsp", [1]), ("GPU 0", [5]), ("GPU 1", [6])]
    with likely({"IndexError": "'' may be the first device's name, so '' cannot mean that there is no last part yet"}):
        got = student.merge(parts)
    what = "devices '', dsp, GPU 0 and GPU 1"
    expect(got, oracle.merged(parts), what=what, mistakes=oracle.merge_mistakes(parts))
    parts = [("CPU", [3]), ("cpu", [1]), ("a", [7, 8]), ("a ", [2]), ("a ", [5])]
    expect_merged(student, oracle, parts, "devices CPU, cpu, 'a' and 'a '")


@task("merge", "nothing")
def no_parts(student: Student, oracle: Any) -> None:
    """No parts give an empty list."""
    with likely({"IndexError": "there may be no first part: begin with an empty list of your own, not with parts[0]"}):
        got = student.merge([])
    expect(got, [], what="merge of no parts", mistakes=oracle.merge_mistakes([]))


@task("merge", "caller")
def the_parts_stay_as_they_were(student: Student) -> None:
    """`parts`, and the lists of nodes in it, are after the call what they were before."""
    parts: Parts = [("CPU", [0]), ("CPU", [1, 2]), ("ACC", []), ("ACC", [3]), ("CPU", [4]), ("CPU", [5])]
    _, after = student.merge_and_parts(parts)
    grown = [("CPU", [0, 1, 2]), ("CPU", [1, 2]), ("ACC", []), ("ACC", [3]), ("CPU", [4, 5]), ("CPU", [5])]
    mistakes = {
        "a list of the caller's grew: append (device, list(nodes)), with a list of your own": grown,
        "the caller's list itself was merged: make a list of your own": [
            ("CPU", [0, 1, 2]),
            ("ACC", [3]),
            ("CPU", [4, 5]),
        ],
    }
    try:
        expect(after, parts, what="`parts` after the call", mistakes=mistakes)
    except Failure as failure:
        failure.message = f"{failure.message}; before it was {parts!r}, and now {after!r:.200}"
        raise


# --- inputs_outputs ---

LESSON = Graph(
    [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([3], [4]), ([4], [5]), ([5], [6]), ([6], [7]), ([7, 1], [8]),
     ([8], [9])],
    ["input"] + ["var"] * 9,
    [9],
)  # fmt: skip
LESSON_PARTS = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]


def random_graph(rng: np.random.Generator, count: int, parts: int) -> tuple[Graph, list[list[int]]]:
    """A graph with inputs, constants and nodes of several outputs, its tensors numbered in no order; and parts.

    Nodes of a part need not be neighbours, and parts stand in any order.
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
    """Nodes in parts that do not wait for each other in a circle, in any order; none is empty."""
    part_of: list[int] = []
    maker = {t: v for v, (_, makes) in enumerate(graph.nodes) for t in makes}
    for v, (reads, _) in enumerate(graph.nodes):
        least = max([part_of[maker[t]] for t in reads], default=0)
        part_of.append(min(parts - 1, least + int(rng.integers(0, 2))) if v >= 3 else 0)
    order = rng.permutation(parts).tolist()
    return [members for p in order if (members := [v for v, q in enumerate(part_of) if q == p])]


NO_ENTRY = (
    "a table of yours lacks this number: is it a tensor's where a node's belongs, or a tensor that a node makes beside "
    "its first one?"
)
RAISED = {
    "KeyError": NO_ENTRY,
    "IndexError": NO_ENTRY,
    "item assignment": "a tuple never changes: collect in lists or sets of your own, and make the tuple last",
    "unhashable type: 'list'": "a node is two lists of tensors, nodes[v] = (reads, makes), and a part is a list of "
    "nodes: loop over the numbers in them",
}
NOT_PLAIN = {
    "generator": "that is a generator: the result is a list",
    "found a set": "sets are good for collecting, but the result holds none: sorted(...) makes a list of one, and "
    "len(...) counts it",
    "dicts": "the result is a list with a tuple for each part, and no dict",
}


def expect_boundaries(
    student: Student, oracle: Any, parts: list[list[int]], graph: Graph, what: str, expected: Boundary | None = None
) -> None:
    """Raise Failure unless the student's inputs_outputs is right; `expected` : if the test knows it itself."""
    asked = parts, graph.nodes, graph.kinds, graph.returned
    right = oracle.boundaries(*asked) if expected is None else expected
    mistakes = oracle.boundary_mistakes(*asked)
    try:
        with likely(RAISED):
            got = student.inputs_outputs(*asked)
    except SubmissionError as error:
        if error.kind == "data":
            error.cause = next((cause for words, cause in NOT_PLAIN.items() if words in error.message), None)
        raise
    try:
        expect(got, right, what=what, mistakes=mistakes)
    except Failure as failure:
        differ = first_difference(got, right)
        named = Failure(f"{what}: {differ}" if differ else failure.message, right, got)
        named.of_type = failure.of_type
        named.cause = failure.cause or (None if named.of_type else reason_of(got, right, parts, graph))
        raise named from None


def first_difference(got: Any, right: Boundary) -> str | None:
    """The first list or count that differs, in words; None where the form differs."""
    if not isinstance(got, list) or len(got) != len(right):
        return None
    for i, (found, expected) in enumerate(zip(got, right, strict=True)):
        if not isinstance(found, tuple) or len(found) != 3:
            return None
        for name, ours, theirs in zip(("inputs", "outputs", "wait count"), expected, found, strict=True):
            if type(ours) is not type(theirs):
                return None
            if ours != theirs:
                return f"{name} of part {i}: expected {ours!r:.200}, got {theirs!r:.200}"
    return None


CAUSES = {
    "ssd": "a tensor is missing among the outputs: what another part reads is handed over, wherever that part stands "
    "in the list, and even if its own part reads it as well (the SSD case)",
    "returned": "a tensor that the network returns is missing among the outputs: nodes in `returned` hand over what "
    "they make, even if their own part reads it",
    "as tensors": "`returned` holds numbers of NODES, and was read as numbers of tensors: ask for the node that makes "
    "the tensor (`node in returned`), not for the tensor itself",
    "const": "constants are at hand on every device: they are neither inputs nor counted",
    "all read": "a tensor that the part makes itself is no input of it: only what another part makes",
    "all made": "not everything that a part makes leaves it: a tensor that only its own nodes read stays inside",
    "several": "a node may make several tensors: go through all of nodes[v][1], and not only the first",
    "unread": "a tensor that nobody reads is missing among the outputs: what no node of its own part reads goes out, "
    "of each of the tensors that a node makes",
    "no inputs": "tensors of kind 'input' are missing: each is an input of every part that reads it, and of the part "
    "whose node stands for it",
    "input node": "a tensor of kind 'input' is an input of the part whose node stands for it, too",
    "input reader": "a tensor of kind 'input' is an input of each part that reads it, not only of its node's",
    "given out": "only tensors of kind 'var' are handed over: inputs and constants are never outputs. (`kinds` is "
    "asked with a TENSOR's number, kinds[t], and not with its node's)",
    "kinds of nodes": "`kinds` is asked with a TENSOR's number, kinds[t]; a node's number may be another one",
    "wait": "the wait count is the number of inputs of kind 'var': nobody waits for what the caller gives",
}
FORMS = {
    "length": "the result is a list with a tuple for each part, (inputs, outputs, wait_count), in the order of `parts`",
    "shared": "all parts have the same list: [set()] * n is ONE set n times, [set() for _ in parts] one for each part",
    "first": "that is the first part alone: does `return` stand in the loop over the parts?",
    "number": "the wait count is an int: count with len(...) or sum(...)",
    "three": "each part needs three things: (inputs, outputs, wait_count)",
    "twice": "a number stands twice in a list: collect them in a set, then sort",
    "waits": "the wait count counts tensors, not parts: each input of kind 'var' once, and nobody waits for what the "
    "caller gives",
    "elsewhere": "a tensor that another part reads is missing among the outputs: it is handed over, however many read "
    "it, and whether or not its own part does",
    "form": "the numbers are right, their form is not: a list of tuples of three, (a list, a list, the wait count)",
    "order": "the numbers are right, but they do not ascend: sorted(...) makes a list in which they do. "
    "(A set has no order: list({1, 2}) happens to ascend, list({1, 8}) need not)",
    "not read": "no node of the part reads this tensor: nodes and tensors have different numbers, see nodes[v]",
    "only read": "the part only reads this tensor: it is an output of the part that MAKES it",
    "not made": "no node of the part makes this tensor: nodes and tensors have different numbers, see nodes[v]",
    "computed": "`kinds` calls this tensor 'var': its node computes it, though it reads nothing, so it is no input of "
    "the network",
    "given elsewhere": "a part gets only those tensors of kind 'input' that its nodes read or stand for",
    "not waited": "what another part makes, and this one reads, is an input of this one. (A part's nodes are those in "
    "its list, which need not be neighbours.)",
    "by place": "parts hold NUMBERS of nodes, which need not ascend: part_of[v] = i for each v in parts[i], where a "
    "list of the i's one after the other belongs to nodes in the order of the parts",
    "nodes as made": "numbers of nodes were used as numbers of tensors: a part makes the tensors in nodes[v][1] of "
    "each of its nodes v, and not tensor v",
    "tensor as node": "a tensor's number was used as its node's: the part that makes tensor t is that of the node "
    "that makes it, part_of[maker[t]], and not part_of[t]",
}


def reason_of(got: Any, right: Boundary, parts: list[list[int]], graph: Graph) -> str | None:
    """Why the first list or count that differs probably does, or what is wrong with the answer's form."""
    if got is None:
        return None
    if isinstance(got, (list, tuple)) and len(got) != len(right):
        return FORMS["first" if len(got) == 1 else "length"]
    try:
        tidy = [(sorted(set(inputs)), sorted(set(outputs)), waits) for inputs, outputs, waits in got]
        twice = any(len(set(numbers)) < len(numbers) for part in got for numbers in part[:2])
    except (TypeError, ValueError):
        return FORMS["three"]
    if len(tidy) != len(right):
        return FORMS["length"]
    for k in (0, 1):
        lists = [part[k] for part in tidy]
        computed = {t for t, kind in enumerate(graph.kinds) if kind == "var"}.intersection(lists[0])
        if len(lists) > 1 and len(computed) > 1 and all(numbers == lists[0] for numbers in lists):
            return FORMS["shared"]
    if nodes_taken_for_tensors(tidy, right, parts, graph):
        return FORMS["nodes as made"]
    for part, found, expected in zip(parts, tidy, right, strict=True):
        for name, ours, theirs in zip(("inputs", "outputs"), expected[:2], found[:2], strict=True):
            differ = sorted(set(ours) ^ set(theirs))
            if differ:
                missing = differ[0] in ours
                if missing:
                    return missing_here(name, differ[0], part, graph)
                of_sources = {t for reads, makes in graph.nodes if not reads for t in makes}
                extra = min(set(theirs) - set(ours), key=lambda t: (t in of_sources, t))
                return too_many_here(name, extra, part, graph)
    if twice:
        return FORMS["twice"]
    if any(type(waits) is not int for _, _, waits in tidy):
        return FORMS["number"]
    if tidy == right:
        kinds = {type(got), *(type(numbers) for part in got for numbers in part[:2])}, {type(part) for part in got}
        return FORMS["order" if kinds == ({list}, {tuple}) else "form"]
    return FORMS["waits"]


def nodes_taken_for_tensors(found: Boundary, right: Boundary, parts: list[list[int]], graph: Graph) -> bool:
    """Whether a part's inputs are what it would read from outside if node v made tensor v, or its outputs its nodes."""
    reads = [{t for v in part for t in graph.nodes[v][0] if graph.kinds[t] == "var"} for part in parts]
    outside = [read - set(part) for read, part in zip(reads, parts, strict=True)]
    inputs = [{t for t in part[0] if t in range(len(graph.kinds)) and graph.kinds[t] == "var"} for part in found]
    wanted = [{t for t in part[0] if graph.kinds[t] == "var"} for part in right]
    if inputs == outside:
        return inputs not in (wanted, reads)
    outputs = [set(part[1]) for part in found]
    makes = [{t for v in part for t in graph.nodes[v][1]} for part in parts]
    of_nodes = all(numbers <= set(part) for numbers, part in zip(outputs, parts, strict=True))
    return of_nodes and any(numbers - made for numbers, made in zip(outputs, makes, strict=True))


def missing_here(name: str, tensor: int, part: list[int], graph: Graph) -> str:
    """Why a tensor is probably missing among the inputs, or outputs, of a part."""
    made = any(tensor in graph.nodes[v][1] for v in part)
    if name == "inputs":
        given = CAUSES["input node" if made else "input reader"]
        return given if graph.kinds[tensor] == "input" else FORMS["not waited"]
    if not any(tensor in graph.nodes[v][0] for v in part):
        return FORMS["elsewhere"] if any(tensor in reads for reads, _ in graph.nodes) else CAUSES["unread"]
    return CAUSES["returned" if any(tensor in graph.nodes[v][1] for v in graph.returned) else "ssd"]


def too_many_here(name: str, tensor: int, part: list[int], graph: Graph) -> str | None:
    """Why a tensor is probably among the inputs, or outputs, of a part to which it does not belong."""
    if tensor not in range(len(graph.kinds)):
        return None
    made = any(tensor in graph.nodes[v][1] for v in part)
    if name == "inputs":
        if graph.kinds[tensor] == "const":
            return CAUSES["const"]
        if made and any(not reads and makes == [tensor] for reads, makes in graph.nodes):
            return FORMS["computed"] if graph.kinds[tensor] == "var" else None
        if graph.kinds[tensor] == "input":
            return FORMS["given elsewhere"]
        return CAUSES["all read"] if made else FORMS["not read"]
    if graph.kinds[tensor] != "var":
        return CAUSES["given out"]
    if made:
        return CAUSES["all made"]
    return FORMS["only read" if any(tensor in graph.nodes[v][0] for v in part) else "not made"]


# The first tests hold no input of the network and no constant; each adds a rule to those of the chain.


@task("inputs_outputs", "from_outside", "inside", "wait_count", "sorted", "form")
def a_chain_in_three_parts(student: Student, oracle: Any) -> None:
    """Of a chain each part hands over one tensor, and all parts but the first read one."""
    nodes = [([], [0]), *(([t], [t + 1]) for t in range(7))]
    chain = Graph(nodes, ["var"] * 8, [7])
    expected = [([], [2], 0), ([2], [4], 1), ([4], [7], 1)]
    expect_boundaries(student, oracle, [[0, 1, 2], [3, 4], [5, 6, 7]], chain, "a chain in three parts", expected)


@task("inputs_outputs", "handed_over", "from_outside", "inside", "wait_count", "sorted", "form")
def read_at_home_and_far_away(student: Student, oracle: Any) -> None:
    """A tensor that its own part reads is handed over to a part far behind as well."""
    nodes = [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([3], [4]), ([4, 1], [5])]
    graph = Graph(nodes, ["var"] * 6, [5])
    expected = [([], [1, 2], 0), ([2], [3], 1), ([3], [4], 1), ([1, 4], [5], 2)]
    expect_boundaries(student, oracle, [[0, 1, 2], [3], [4], [5]], graph, "a tensor read two parts later", expected)


@task("inputs_outputs", "handed_over", "from_outside", "inside", "wait_count", "sorted", "form")
def parts_in_any_order(student: Student, oracle: Any) -> None:
    """A part may stand before the one that it reads from, and its nodes may lie apart: the rules are the same."""
    nodes = [([], [0]), ([0], [1]), ([1], [2]), ([2, 1], [3])]
    graph = Graph(nodes, ["var"] * 4, [3])
    expected = [([1, 2], [3], 2), ([], [1, 2], 0)]
    expect_boundaries(student, oracle, [[3], [0, 1, 2]], graph, "the last part first", expected)
    graph = Graph([([], [0]), ([0], [1]), ([0], [2]), ([1, 2], [3])], ["var"] * 4, [3])
    expected = [([0, 2], [3], 2), ([], [0, 2], 0)]
    expect_boundaries(student, oracle, [[1, 3], [0, 2]], graph, "parts whose nodes are no neighbours", expected)


@task("inputs_outputs", "sorted", "handed_over", "from_outside", "inside", "wait_count", "form")
def a_tensor_that_many_read(student: Student, oracle: Any) -> None:
    """A tensor that two nodes read, and one of them twice, stands once in each list, and is waited for once."""
    nodes = [([], [4]), ([4], [3, 0]), ([3, 0, 3], [2]), ([0, 2, 3], [1])]
    graph = Graph(nodes, ["var"] * 5, [3])
    expected = [([], [0, 3], 0), ([0, 3], [1], 2)]
    expect_boundaries(student, oracle, [[0, 1], [2, 3]], graph, "a tensor with three readers", expected)


@task("inputs_outputs", "sorted", "handed_over", "from_outside", "inside", "wait_count", "form")
def two_tensors_that_ascend(student: Student, oracle: Any) -> None:
    """Tensors 8 and 1 stand in the lists as [1, 8], whichever was found first."""
    nodes = [([], [8]), ([8], [1]), ([8, 1], [0]), ([0], [2]), *(([t], [t + 1]) for t in range(2, 7))]
    expected = [([], [1, 8], 0), ([1, 8], [7], 2)]
    graph = Graph(nodes, ["var"] * 9, [8])
    expect_boundaries(student, oracle, [[0, 1], [2, 3, 4, 5, 6, 7, 8]], graph, "tensors 8 and 1", expected)


@task("inputs_outputs", "returned", "from_outside", "inside", "wait_count", "sorted", "form")
def what_the_network_returns(student: Student, oracle: Any) -> None:
    """What a returned node makes is handed over, even if its own part reads it and no other does."""
    graph = Graph([([], [4]), ([4], [0]), ([0], [1]), ([1], [2]), ([2], [3])], ["var"] * 5, [1, 4])
    what = "a network whose nodes 1 and 4 make what it returns"
    expect_boundaries(student, oracle, [[0, 1, 2, 3, 4]], graph, f"{what}, in one part", [([], [0, 3], 0)])
    expected = [([], [0, 1], 0), ([1], [3], 1)]
    expect_boundaries(student, oracle, [[0, 1, 2], [3, 4]], graph, f"{what}, in two parts", expected)
    graph = Graph([([], [0]), ([0], [1, 2]), ([1, 2], [3]), ([3], [4])], ["var"] * 5, [1, 2, 3])
    what = "a network that returns what nodes 1, 2 and 3 make, and node 1 makes two tensors"
    expect_boundaries(student, oracle, [[0, 1, 2, 3]], graph, what, [([], [1, 2, 3, 4], 0)])


@task("inputs_outputs", "unread", "inside", "from_outside", "wait_count", "sorted", "form")
def what_nobody_reads(student: Student, oracle: Any) -> None:
    """A computed tensor that nobody reads leaves its part, though the network does not return it."""
    for makes, what in (([3, 1], "a node whose first output nobody reads"), ([1, 3], "one whose second nobody reads")):
        graph = Graph([([], [0]), ([0], makes), ([1], [2])], ["var"] * 4, [2])
        expect_boundaries(student, oracle, [[0, 1, 2]], graph, what, [([], [2, 3], 0)])


@task("inputs_outputs", "constants", "from_outside", "inside", "wait_count", "sorted", "form")
def constants_are_on_every_device(student: Student, oracle: Any) -> None:
    """A constant that two parts read is an input of neither, and no output of the part with its node."""
    graph = Graph([([], [2]), ([2], [0]), ([0, 2], [1])], ["var", "var", "const"], [2])
    expected = [([], [0], 0), ([0], [1], 1)]
    expect_boundaries(student, oracle, [[0, 1], [2]], graph, "a constant that two parts read", expected)
    expected = [([], [], 0), *expected]
    expect_boundaries(student, oracle, [[0], [1], [2]], graph, "a constant in a part of its own", expected)


# Those with inputs of the network.


@task("inputs_outputs", "network_input", "from_outside", "never_out", "wait_count", "sorted", "form")
def an_input_that_two_parts_read(student: Student, oracle: Any) -> None:
    """A network's input is an input of both parts that read it, and neither waits for it."""
    graph = Graph([([], [0]), ([0], [1]), ([1, 0], [2])], ["input", "var", "var"], [2])
    expected = [([0], [1], 0), ([0, 1], [2], 1)]
    expect_boundaries(student, oracle, [[0, 1], [2]], graph, "an input that two parts read", expected)


@task("inputs_outputs", "network_input", "never_out", "wait_count", "sorted", "form")
def an_input_that_another_part_reads(student: Student, oracle: Any) -> None:
    """A network's input is an input of the part whose node stands for it, and of the part that reads it."""
    graph = Graph([([], [0]), ([], [1]), ([0, 1], [2])], ["input", "input", "var"], [2])
    expected = [([0], [], 0), ([0, 1], [2], 0)]
    expect_boundaries(student, oracle, [[0], [1, 2]], graph, "two input nodes in different parts", expected)


@task(
    "inputs_outputs", "handed_over", "network_input", "from_outside", "inside", "never_out", "wait_count", "form",
    "sorted",
)  # fmt: skip
def the_sub_graphs_of_the_lesson(student: Student, oracle: Any) -> None:
    """In the lesson's four sub-graphs, tensor 1 is read inside its own and in another one, and is handed over."""
    expected = [([0], [1, 2], 0), ([2], [5], 1), ([1, 5], [8], 2), ([8], [9], 1)]
    expect_boundaries(student, oracle, LESSON_PARTS, LESSON, "the lesson's sub-graphs", expected)


@task("inputs_outputs", "constants", "never_out", "network_input", "wait_count", "sorted", "form")
def a_constant_and_an_input_are_not_handed_over(student: Student, oracle: Any) -> None:
    """Neither a constant nor an input leaves the part of its node, whoever reads or returns it."""
    nodes, kinds = [([], [0]), ([], [1]), ([], [2]), ([0, 1], [3])], ["input", "const", "const", "var"]
    for returned in ([3], [0, 3], [1, 2, 3]):
        graph, what = Graph(nodes, kinds, returned), f"an input and two constants, returned = {returned}"
        expected = [([0], [], 0), ([0], [3], 0)]
        expect_boundaries(student, oracle, [[0, 1, 2], [3]], graph, what, expected)
        expected = [([0], [], 0), ([], [], 0), ([0], [3], 0)]
        expect_boundaries(student, oracle, [[0], [1, 2], [3]], graph, f"{what}, the constants apart", expected)


@task(
    "inputs_outputs", "constants", "network_input", "from_outside", "inside", "never_out", "wait_count", "form",
    "sorted",
)  # fmt: skip
def two_inputs_and_a_constant(student: Student, oracle: Any) -> None:
    """Inputs of the network are inputs of the parts that read them, constants are not, and nobody waits for either."""
    nodes = [([], [5]), ([], [0]), ([], [3]), ([5, 3], [1]), ([1, 0], [6]), ([6, 3, 5, 6], [2]), ([2], [4])]
    kinds = ["input", "var", "var", "const", "var", "input", "var"]
    graph = Graph(nodes, kinds, [6])
    expect_boundaries(student, oracle, [[0, 1, 2, 3], [4], [5, 6]], graph, "two inputs and a constant")
    expect_boundaries(student, oracle, [[0, 1, 2], [3, 4, 5], [6]], graph, "a part that computes nothing")


@task(
    "inputs_outputs", "network_input", "from_outside", "handed_over", "unread", "returned", "inside", "constants",
    "never_out", "wait_count", "sorted", "form",
)  # fmt: skip
def random_graphs(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random graphs with several inputs, outputs and readers, in parts whose nodes need not be neighbours."""
    for count, parts in ((8, 2), (12, 3), (20, 4), (30, 6)):
        graph, split = random_graph(rng, count, parts)
        expect_boundaries(student, oracle, split, graph, f"{count} nodes in {len(split)} parts")


# --- waves ---

FIVE: Boundary = [([0], [1, 2], 0), ([1], [3], 1), ([2], [4], 1), ([3], [5], 1), ([4, 5], [6], 2)]
FOUR_OF_THE_LESSON: Boundary = [([0], [1, 2], 0), ([2], [5], 1), ([1, 5], [8], 2), ([8], [9], 1)]
STUCK = "there is no deadlock here: a sub-graph runs when its ready count has reached its wait count"
NUMBERS = "a tensor's number is no place in the list of sub-graphs: an output counts for those that read it"
REFUSED = {
    "x not in list": "remove takes off what is there, once: has this one been taken off already?",
    "ValueError": STUCK,
    "IndexError": NUMBERS,
    "RecursionError": "a function that calls itself for each wave ends at Python's limit: write a loop",
    "item assignment": "a tuple never changes: keep the counts in a list of your own, ready = [0] * len(subgraphs)",
}
NEVER_ENDS = (
    "the loop never ends: it is done when all have run, and what has run must not run again, so take each wave off "
    "those that have not"
)
SLOW = "too slow for 2,000 waves: does `in` search a long list again and again? A set answers at once"


def random_subgraphs(rng: np.random.Generator, count: int) -> Boundary:
    """Sub-graphs that read from each other and from the caller, in no order of the list, without a deadlock."""
    made: list[int] = []
    subgraphs: Boundary = []
    for _ in range(count):
        some = rng.integers(max(0, len(made) - 8), len(made), rng.integers(0, 4)) if made else ()
        waits = sorted({made[i] for i in some})
        given = [-1 - int(i) for i in rng.integers(0, 3, int(rng.random() < 0.4))]
        outputs = [len(made) + i for i in range(int(rng.integers(1, 4)))]
        made += outputs
        subgraphs.append(([*given, *waits], outputs, len(waits)))
    return [subgraphs[i] for i in rng.permutation(count).tolist()]


def expect_waves(student: Student, oracle: Any, subgraphs: Boundary, what: str, expected: Any = None) -> None:
    """Raise Failure unless the student's waves are right; `expected` : if the test knows them itself."""
    right = oracle.waves_of(subgraphs) if expected is None else expected
    mistakes = oracle.waves_mistakes(subgraphs)
    try:
        with likely(REFUSED, timeout=NEVER_ENDS):
            got = student.waves(subgraphs)
    except Failure as failure:
        if failure.cause == STUCK:
            failure.cause = why_stuck(student) or STUCK
        raise
    except SubmissionError as error:
        if error.kind == "data" and "found a set" in error.message:
            error.cause = "a wave is a set here: sorted(...) makes the list of places, ascending, that is asked for"
        raise
    try:
        expect(got, right, what=what, mistakes=mistakes)
    except Failure as failure:
        failure.cause = failure.cause or form_of_waves(got, right)
        raise


NOT_ASKED = (
    "an empty wave is a deadlock only while some have not run, and here all may have: ask first whether any is left"
)
WAVES_COUNTED = (
    "all had run when you raised: a wave can hold several sub-graphs, so count the sub-graphs that have run, and not "
    "the waves"
)
PROBES: dict[str, Boundary] = {
    "there is no deadlock here: a ready count of 0 has reached a wait count of 0, so compare them with ==": [
        ([], [0], 0)
    ],
    "there is no deadlock here: inputs that the caller gives are in no wait count, so compare the ready count with "
    "wait_count and not with the number of inputs": [([0], [1], 0)],
    "there is no deadlock here: each OUTPUT of a wave adds 1 to the ready counts of those that have it among their "
    "INPUTS, and a tensor's number is no place in the list": [([], [0], 0), ([0], [1], 1)],
    "there is no deadlock here: a reader may stand before its maker in the list, so look through all sub-graphs": [
        ([0], [1], 1),
        ([], [0], 0),
    ],
    "there is no deadlock here: two outputs of one sub-graph add 2 to the ready count of one that reads both": [
        ([], [0, 1], 0),
        ([0, 1], [2], 2),
    ],
    "there is no deadlock here: an output adds 1 for EVERY sub-graph that reads it": [
        ([], [0], 0),
        ([0], [1], 1),
        ([0], [2], 1),
    ],
    "there is no deadlock here: a ready count keeps what earlier waves added to it, so it is set to 0 once, before the "
    "first wave": [([], [0], 0), ([0], [1], 1), ([0, 1], [2], 2)],
}
"""Likely cause -> the least sub-graphs that a wrong `waves` with this mistake alone takes for a deadlock."""


def why_stuck(student: Student) -> str | None:
    """Why `waves` sees a deadlock where there is none: what it takes for one, too."""
    alone, two_alone = [([], [0], 0)], [([], [0], 0), ([], [1], 0)]
    if raises(student, alone):
        if raises(student, []):
            return NOT_ASKED
    elif raises(student, two_alone):
        return WAVES_COUNTED
    return next((cause for cause, subgraphs in PROBES.items() if raises(student, subgraphs)), None)


def raises(student: Student, subgraphs: Boundary) -> bool:
    """Whether the student's `waves` raises an exception for these sub-graphs, none of which is in a deadlock."""
    with student.aside():
        try:
            student.waves(subgraphs)
        except SubmissionError:
            return True
    return False


def form_of_waves(got: Any, right: list[list[int]]) -> str | None:
    """What is wrong with the form of an answer, whatever its order."""
    if got is None:
        return None
    if got == right[:1] != right:
        return "that is the first wave alone: is there a loop over the waves, and does `return` stand behind it?"
    if isinstance(got, list) and [] in got and [wave for wave in got if wave != []] == right:
        return "an empty wave is none: when all have run, nothing follows. Ask whether any is left before each wave"
    try:
        places = [place for wave in got for place in wave]
        if len(set(places)) < len(places):
            return "a sub-graph stands in two waves: each runs once, so do not look again at those that have run"
        if [sorted(wave) for wave in got] == right:
            return "the right waves, in another form: each wave is a list of places, ascending"
    except TypeError:
        return "a wave holds places in `subgraphs`, which are ints"
    return None


@task("waves", "together", "afterwards", "counted", "caller", "ascending")
def the_five_sub_graphs(student: Student, oracle: Any) -> None:
    """The lesson's five sub-graphs run in four waves, 1 and 2 together."""
    expect_waves(student, oracle, FIVE, "the lesson's five sub-graphs", [[0], [1, 2], [3], [4]])


@task("waves", "afterwards", "counted", "caller")
def the_chain_of_the_lesson(student: Student, oracle: Any) -> None:
    """The lesson's chain of four sub-graphs runs in four waves."""
    expect_waves(student, oracle, FOUR_OF_THE_LESSON, "the lesson's chain of four", [[0], [1], [2], [3]])


@task("waves", "counted", "together", "afterwards", "ascending")
def tensors_are_counted(student: Student, oracle: Any) -> None:
    """Two tensors from one sub-graph count twice, and one tensor counts for each sub-graph that reads it."""
    subgraphs = [([], [1, 2], 0), ([1, 2], [3], 2), ([2], [4], 1), ([3, 4], [5], 2)]
    expect_waves(student, oracle, subgraphs, "four sub-graphs", [[0], [1, 2], [3]])


@task("waves", "caller", "together", "ascending")
def what_the_caller_gives(student: Student, oracle: Any) -> None:
    """Sub-graphs that read only what the caller gives run in the first wave, wherever they stand."""
    subgraphs = [([7, 1], [2], 1), ([7, 8], [1], 0), ([8], [3], 0)]
    expect_waves(student, oracle, subgraphs, "three sub-graphs", [[1, 2], [0]])


@task("waves", "ascending", "together", "afterwards", "counted", "caller")
def random_sub_graphs_in_any_order(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random sub-graphs, in any order of the list, run in waves of ascending places."""
    for count in (5, 12, 25):
        expect_waves(student, oracle, random_subgraphs(rng, count), f"{count} sub-graphs")


@task("waves", "deadlock")
def a_deadlock_is_refused(student: Student) -> None:
    """Sub-graphs that wait for each other, or for what nobody makes, raise ValueError, at once or after some waves."""
    empty = "some have not run, and the wave is empty: raise ValueError instead of returning"
    never = (
        "sub-graph 1 waits for 2 tensors and only one of its inputs, 1, is ever made: the wait count decides, not "
        "whether somebody makes the others. So this is a deadlock: raise ValueError"
    )
    for subgraphs, cause in (
        ([([0, 3], [1], 1), ([1], [3], 1)], empty),
        ([([0], [1], 0), ([1, 4], [2], 2), ([2], [3], 1), ([3], [4], 1), ([1], [5], 1)], empty),
        ([([0], [1], 0), ([1, 9], [2], 2)], never),
    ):
        with likely(
            timeout="the loop goes on while some have not run, and none of them can: an empty wave is a deadlock"
        ):
            expect_refused(student.waves, subgraphs, cause=cause)


@task("waves", "nothing")
def no_sub_graphs(student: Student) -> None:
    """No sub-graphs need no waves."""
    with likely({"ValueError": "nobody waits where there is nobody: a deadlock needs sub-graphs that have not run"}):
        got = student.waves([])
    nobody = {"where nobody waits there is no wave, and not an empty one: return []": [[]]}
    expect(got, [], what="waves of no sub-graphs", mistakes=nobody)


@task("waves", "long", "afterwards", "counted", "caller")
def a_chain_of_2000(student: Student) -> None:
    """A chain of 2,000 sub-graphs runs in 2,000 waves."""
    chain = [([t], [t + 1], int(t > 0)) for t in range(2000)]
    with likely(REFUSED, timeout=SLOW):
        got = student.waves(chain)
    expect(got, [[i] for i in range(2000)], what="a chain")


# --- fewest ---

EMPTY_LEVEL = (
    "a level may have no nodes, such as level 0 where all that could run first is for the second device: leave it out "
    "instead of asking for its first node"
)
NO_PREDECESSOR = (
    "a node may have no predecessors, and max of nothing is an error: put [device != start], the first line of the "
    "lesson's formula, into the list, too"
)
TWIN = [[], [0], [1], [2], [3], [4], [0], [6], [7], [8], [5, 9]]
TWIN_DEVICES = ["ACC", "ACC", "CPU", "ACC", "ACC", "ACC", "ACC", "CPU", "ACC", "ACC", "ACC"]


def expect_fewest(student: Student, oracle: Any, predecessors: list[list[int]], devices: list[str], what: str) -> None:
    """Raise Failure unless the student's parts can run, and are as few as can be."""
    least, most = oracle.least_and_most(predecessors, devices)
    got = parts_of(student, predecessors, devices, what)
    if len(got) > least:
        side_by_side = any(one == other for (one, _), (other, _) in itertools.pairwise(got))
        if side_by_side and only_mixed_nodes_are_late(got, predecessors, devices):
            cause = (
                "two parts of one device stand side by side, behind a node that reads from both devices: add the 1 to "
                "the level of each predecessor whose device differs, before the maximum, and not once behind it"
            )
        elif len(got) == most == least + 1 and not side_by_side:
            cause = (
                "the other device should have had the first turn: try both, each time with the nodes of the second "
                "device from level 1 on, and keep the shorter answer"
            )
        elif not side_by_side and all(nodes == [*range(nodes[0], nodes[-1] + 1)] for _, nodes in got):
            cause = (
                "each part is a range of neighbouring numbers: give each node its level instead, and let all nodes of "
                "a level be one part, wherever they stand"
            )
        else:
            cause = "parts that could run together are apart: a level grows only where the device changes on the way"
        raise _failure(f"{what}: expected {least} parts, got {len(got)}: {got!r:.200}", least, len(got), cause)


def only_mixed_nodes_are_late(got: Parts, predecessors: list[list[int]], devices: list[str]) -> bool:
    """Whether a node that reads from its own device only is never in a later part than all that it reads."""
    part_of = {v: i for i, (_, nodes) in enumerate(got) for v in nodes}
    return all(
        part_of[v] == max(part_of[u] for u in above)
        for v, above in enumerate(predecessors)
        if above and all(devices[u] == devices[v] for u in above)
    )


def parts_of(student: Student, predecessors: list[list[int]], devices: list[str], what: str) -> Parts:
    """The student's parts. Raises Failure where they are none or cannot run, however many they are."""
    causes = {
        "RecursionError": "a function that calls itself for each predecessor ends at Python's limit: nodes come after "
        "their predecessors, so one loop over them is enough",
        "IndexError": EMPTY_LEVEL,
        "KeyError": EMPTY_LEVEL,
        "item assignment": "a tuple never changes: let the list of nodes in it grow",
        "max() arg is an empty": NO_PREDECESSOR,
        "max() iterable argument is empty": NO_PREDECESSOR,
        "unpack (expected 2, got 1)": "all nodes may have the same device: then there is no second name",
        "unpack (expected 2, got 0)": "predecessors holds lists alone: the node's number comes from enumerate",
    }
    slow = "a scan of all nodes in each turn is too slow for many turns: one loop over the nodes gives each its level"
    try:
        with likely(causes, timeout=slow):
            got = student.fewest(predecessors, devices)
    except SubmissionError as error:
        if error.kind == "data":
            error.cause = "the result is a list of tuples (device, list of nodes): no dict, no set and no generator"
        raise
    try:
        expect_runnable(got, predecessors, devices, what)
    except Failure as failure:
        failure.message = f"{failure.message}; the answer was {got!r:.200}"
        raise
    return got


def expect_runnable(got: Any, predecessors: list[list[int]], devices: list[str], what: str) -> None:
    """Raise Failure where an answer is none, or cannot run."""
    if type(got) is not list or not all(
        type(part) is tuple and len(part) == 2 and type(part[0]) is str and type(part[1]) is list
        and all(type(v) is int for v in part[1]) for part in got
    ):  # fmt: skip
        cause = "each part is a tuple, (device, nodes), and its nodes are a list of ints"
        if got is None:
            cause = "the function returned None: is there a `return` on every way through it?"
        elif type(got) is list and len(got) == len(devices) and all(type(level) is int for level in got):
            cause = "that is a number for each node, as levels are: the nodes of each level become one part"
        elif type(got) is int:
            cause = "that is how many parts there are: return the parts themselves, a list of (device, nodes)"
        raise _failure(f"{what}: expected a list of (device, list of nodes)", "[(device, nodes), ...]", got, cause)
    placed = [v for _, nodes in got for v in nodes]
    if sorted(placed) != list(range(len(devices))):
        expected = f"each of the {len(devices)} nodes once"
        raise _failure(f"{what}: expected {expected}, got {len(placed)} nodes", expected, got, "every node belongs in "
                       "exactly one part: is one of them left out, or in two parts?")  # fmt: skip
    if any(not nodes for _, nodes in got):
        raise _failure(f"{what}: expected no empty part", "no empty part", got,
                       "a level that no node has is no part: leave it out")  # fmt: skip
    part_of = {v: i for i, (_, nodes) in enumerate(got) for v in nodes}
    for i, (device, nodes) in enumerate(got):
        strange = [v for v in nodes if devices[v] != device]
        if strange:
            message = f"{what}: node {strange[0]} has to run on {devices[strange[0]]}, part {i} is for {device}"
            named = "the devices have other names here than in the lesson: take both from `devices`"
            shared = (
                "two devices share a level: it grows by 1 where the device changes, for each predecessor and before "
                "the maximum is taken, and nodes of the second device begin at level 1"
            )
            cause = shared if {"ACC", "CPU"} & set(devices) else named
            if grows_at_each_step(part_of, predecessors, devices):
                cause = (
                    "the level grows at each step: it grows only where the device changes, so a node may share the "
                    "level of one that it reads"
                )
            raise _failure(message, devices[strange[0]], device, cause)
    place = {v: i for i, v in enumerate(placed)}
    for v, above in enumerate(predecessors):
        for u in above:
            if place[u] > place[v]:
                if part_of[u] == part_of[v]:
                    cause = "inside a part, too, a node stands after its predecessors: keep the order of their numbers"
                elif len(above) == 1 and len({device for device, _ in got}) == len(got):
                    cause = "all nodes of a device stand in one part: what they wait for has to run in between"
                elif have_an_order(part_of, predecessors):
                    cause = "the parts are right, their order is not: sort them by their levels"
                else:
                    cause = "a node's level is the largest that ANY of its predecessors asks for"
                message = f"{what}: node {v} reads what node {u} makes, and runs before it"
                raise _failure(message, f"{u} before {v}", got, cause)


def grows_at_each_step(part_of: Mapping[int, int], predecessors: list[list[int]], devices: list[str]) -> bool:
    """Whether each node is in a later part than all that it reads, those on its own device too."""
    steps = [(u, v) for v, above in enumerate(predecessors) for u in above]
    stays = any(devices[u] == devices[v] for u, v in steps)
    return stays and all(part_of[u] < part_of[v] for u, v in steps)


def have_an_order(part_of: Mapping[int, int], predecessors: list[list[int]]) -> bool:
    """Whether the parts could run in some order, so that none waits for itself."""
    before: dict[int, set[int]] = {}
    for v, above in enumerate(predecessors):
        before.setdefault(part_of[v], set()).update(part_of[u] for u in above if part_of[u] != part_of[v])
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return False
    return True


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


@task("fewest", "after", "fewest", "once", "device", "empty", "form")
def three_nodes(student: Student, oracle: Any) -> None:
    """Three nodes on ACC, CPU and ACC that read from each other need three parts."""
    devices = ["ACC", "CPU", "ACC"]
    expect_fewest(student, oracle, [[], [0], [1]], devices, "a chain of three nodes")
    expect_fewest(student, oracle, [[], [0], [0, 1]], devices, "three nodes, of which the last reads the other two")


@task("fewest", "once", "device", "after", "empty", "form")
def parts_that_can_run(student: Student, rng: np.random.Generator) -> None:
    """Each node is in one part of its device, after all its predecessors, and no part is empty."""
    for count, near in ((5, 3), (12, 4), (30, 10)):
        predecessors, devices = random_placed(rng, count, near, ("ACC", "CPU"))
        parts_of(student, predecessors, devices, f"{count} nodes")


@task("fewest", "fewest", "once", "device", "after", "empty", "form")
def the_two_branches_of_the_lesson(student: Student, oracle: Any) -> None:
    """The lesson's two branches, which ranges of ids cut into five sub-graphs, need only three."""
    expect_fewest(student, oracle, TWIN, TWIN_DEVICES, "two branches")


@task("fewest", "fewest", "names", "once", "device", "after", "empty", "form")
def either_device_may_begin(student: Student, oracle: Any) -> None:
    """Whichever device has the first turn, the answer has the least number of parts."""
    for first, second in (("ACC", "CPU"), ("CPU", "ACC"), ("b", "a"), ("a", "b")):
        branches, devices = [[], [], [1], [2], [0, 3]], [first, second, first, second, second]
        expect_fewest(student, oracle, branches, devices, f"{second} first")
        expect_fewest(student, oracle, [[], [0], [1]], [first, second, second], f"a chain that begins on {first}")


@task("fewest", "fewest", "once", "device", "after", "empty", "form")
def random_placements(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random graphs, with nodes that read nothing and nodes that nobody reads, in as few parts as can be."""
    for count, near in ((6, 4), (10, 4), (20, 8), (40, 6), (60, 30)):
        predecessors, devices = random_placed(rng, count, near, ("ACC", "CPU"))
        expect_fewest(student, oracle, predecessors, devices, f"{count} nodes")


@task("fewest", "names", "fewest", "once", "device", "empty", "form")
def devices_of_other_names(student: Student, oracle: Any) -> None:
    """Devices may have any names, and all nodes may have the same one."""
    expect_fewest(student, oracle, TWIN, ["GPU"] * 11, "all on the GPU")
    expect_fewest(student, oracle, [[]], ["CPU"], "one node")
    expect_fewest(student, oracle, TWIN, ["dsp" if name == "CPU" else "" for name in TWIN_DEVICES], "devices '', dsp")


@task("fewest", "empty")
def no_nodes(student: Student) -> None:
    """No nodes give no parts."""
    with likely({"ValueError": "there may be no node, and then there is no device to begin with: return []"}):
        got = student.fewest([], [])
    nothing = {"no device was tried, so no answer was kept: where there are no nodes, return []": None}
    expect(got, [], what="fewest of no nodes", mistakes=nothing)


@task("fewest", "long", "fewest", "once", "device", "after", "empty", "form")
def a_chain_of_5000(student: Student, oracle: Any) -> None:
    """A chain of 5,000 nodes whose device changes every 500 nodes needs ten parts."""
    devices = [("ACC", "CPU")[v // 500 % 2] for v in range(5000)]
    expect_fewest(student, oracle, [[], *([v] for v in range(4999))], devices, "a chain")


@task("fewest", "long", "fewest", "once", "device", "after", "empty", "form")
def a_chain_that_changes_at_every_node(student: Student, oracle: Any) -> None:
    """A chain of 1,500 nodes whose device changes at every node needs 1,500 parts."""
    devices = [("ACC", "CPU")[v % 2] for v in range(1500)]
    cause = {"RecursionError": "a function that calls itself for each part ends at Python's limit: write a loop"}
    with likely(cause):
        expect_fewest(student, oracle, [[], *([v] for v in range(1499))], devices, "a chain")


@task("fewest", "after", "fewest", "once", "device", "empty", "form")
def a_node_that_reads_many(student: Student, oracle: Any) -> None:
    """A node that reads six others waits for all of them."""
    predecessors = [[], [0], [1], [], [], [], [2, 3, 4, 5], [0, 1, 3, 4, 5, 2]]
    devices = ["ACC", "CPU", "ACC", "ACC", "ACC", "ACC", "ACC", "CPU"]
    expect_fewest(student, oracle, predecessors, devices, "a node with six predecessors")
