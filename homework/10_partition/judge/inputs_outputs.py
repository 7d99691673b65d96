r"""What enters a sub-graph, and what leaves it: why the solution is as it is.

Three things decide about a tensor: its kind, the part of the node that makes it, and the parts of the nodes that read
it. So two tables are made first, node -> part and tensor -> maker, and one walk over all reads does the rest. That
takes time in proportion to the number of reads. The other way, sets for each part (read, made, read outside), is as
short and right, but it looks at the whole graph once for each part.

The original starts from outputs = made - read. It is a good first idea, because in a chain what is read inside stays
inside. It is wrong as soon as paths part, as in SSD, a detector whose middle layers feed both the next layer and a
detection head. Tengine mends it afterwards: for every input of every sub-graph it looks whether the maker's sub-graph
hands it over, and if not, appends it. The same holds for a middle result that the network returns; that came to
Tengine as a later fix. In the worked solution neither is a special case: `outputs[source].add(tensor)` stands where a
read crosses.

What else goes wrong: a tensor that a node reads twice, or that three parts read, is one tensor (use sets). A part
waits for *tensors*, not for parts: two tensors from one part count 2, because the scheduler adds 1 for each tensor.
Nobody waits for the caller's inputs, or the count is never reached.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import CAUSES, FORMS, Boundary, Graph, random_graph

Nodes = Sequence[tuple[list[int], list[int]]]
DETECTOR = Graph(
    [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([1], [4]), ([3], [5]), ([1, 0], [6]), ([3, 0], [7]),
     ([4, 5], [8]), ([6, 7], [9]), ([8, 9], [10])],
    ["input"] + ["var"] * 10,
    [10],
)  # fmt: skip


def boundaries(
    parts: list[list[int]], nodes: Nodes, kinds: list[str], returned: list[int], mistake: str = ""
) -> Boundary:
    """What inputs_outputs has to give, straight from its rules; or what it gives with one of CAUSES."""
    found = []
    maker = {t: v for v, (_, makes) in enumerate(nodes) for t in makes}
    if mistake == "kinds of nodes":
        kinds = [kinds[maker[t]] for t in range(len(kinds))]
    made = [makes[:1] if mistake == "several" else makes for _, makes in nodes]
    returns = set(returned) if mistake == "as tensors" else {t for v in returned for t in made[v]}
    for part in parts:
        reads = {t for v in part for t in nodes[v][0]}
        makes = {t for v in part for t in made[v]}
        outside = {t for v, (read, _) in enumerate(nodes) if v not in part for t in read}
        outside -= outside if mistake == "ssd" else set()
        inputs = {t for t in reads | makes if kinds[t] == "input"} | {t for t in reads - makes if kinds[t] == "var"}
        inputs |= {t for t in reads if kinds[t] == "const"} if mistake == "const" else set()
        inputs |= {t for t in reads if kinds[t] == "var"} if mistake == "all read" else set()
        inputs -= {t for t in inputs if kinds[t] == "input"} if mistake == "no inputs" else set()
        inputs -= {t for t in makes if kinds[t] == "input"} if mistake == "input node" else set()
        inputs -= {t for t in reads - makes if kinds[t] == "input"} if mistake == "input reader" else set()
        go_out = outside | (returns if mistake != "returned" else set())
        go_out |= makes - reads if mistake != "unread" else set()
        outputs = {t for t in makes if kinds[t] == "var" and (t in go_out or mistake == "all made")}
        outputs |= {t for t in makes if kinds[t] != "var"} if mistake == "given out" else set()
        waits = len(inputs) if mistake == "wait" else sum(kinds[t] == "var" for t in inputs)
        found.append((sorted(inputs), sorted(outputs), waits))
    return found


def by_place(parts: list[list[int]]) -> list[list[int]]:
    """The parts, of the same sizes, as if their nodes ascended from the first part to the last."""
    part_of = [i for i, part in enumerate(parts) for _ in part]
    return [[v for v, other in enumerate(part_of) if other == i] for i in range(len(parts))]


def tensors_as_nodes(parts: list[list[int]], nodes: Nodes, kinds: list[str], returned: list[int]) -> Boundary:
    """A wrong answer: tensor t is taken to come from the part of node t, or from none where there is no such node."""
    part_of = {v: i for i, part in enumerate(parts) for v in part}
    reads = [(part_of[v], part_of.get(t), t) for v, (read, _) in enumerate(nodes) for t in read if kinds[t] == "var"]
    at_home = {t for here, source, t in reads if here == source}
    found = []
    for i, part in enumerate(parts):
        given = {t for v in part for t in [*nodes[v][0], *nodes[v][1]] if kinds[t] == "input"}
        inputs = given | {t for here, source, t in reads if here == i != source}
        made = {(v, t) for v in part for t in nodes[v][1] if kinds[t] == "var"}
        outputs = {t for v, t in made if t not in at_home or v in returned}
        outputs |= {t for here, source, t in reads if source == i != here}
        found.append((sorted(inputs), sorted(outputs), len(inputs - given)))
    return found


def boundary_mistakes(
    parts: list[list[int]], nodes: Nodes, kinds: list[str], returned: list[int]
) -> dict[str, Boundary]:
    """Likely cause -> what it gives for this graph, where that is wrong."""
    right = boundaries(parts, nodes, kinds, returned)
    found = {cause: boundaries(parts, nodes, kinds, returned, name) for name, cause in CAUSES.items()}
    found[FORMS["by place"]] = boundaries(by_place(parts), nodes, kinds, returned)
    found[FORMS["tensor as node"]] = tensors_as_nodes(parts, nodes, kinds, returned)
    return {cause: wrong for cause, wrong in found.items() if wrong != right}


def expect_right(student: Student, parts: list[list[int]], graph: Graph, what: str) -> None:
    """Raise Failure unless the student's inputs_outputs is right."""
    asked = parts, graph.nodes, graph.kinds, graph.returned
    expect(student.inputs_outputs(*asked), boundaries(*asked), what=what)


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
        graph, split = random_graph(rng, count, parts)
        expect_right(student, split, graph, f"{count} nodes in {len(split)} parts")


@task("inputs_outputs")
def every_node_a_part_of_its_own(student: Student, rng: np.random.Generator) -> None:
    """When each node is a part of its own, and when all nodes are one part, the lists are right as well."""
    graph, _ = random_graph(rng, 24, 4)
    expect_right(student, [[v] for v in range(24)], graph, "24 parts of one node")
    expect_right(student, [list(range(24))], graph, "one part of 24 nodes")


@task("inputs_outputs")
def a_tensor_that_many_read(student: Student, rng: np.random.Generator) -> None:
    """A tensor that is read twice by one node, by several nodes and by parts far away stands once in each list."""
    x, y, z, u, w = rng.permutation(5).tolist()
    nodes = [([], [x]), ([x, x], [y]), ([y, x, y], [z]), ([y, y, z], [u]), ([u, y], [w])]
    kinds = ["var"] * 5
    kinds[x] = "input"
    graph = Graph(nodes, kinds, [4])
    for parts in ([[0, 1], [2], [3], [4]], [[0, 1, 2], [3, 4]], [[0], [1], [2, 4], [3]], [[0], [1, 2], [3], [4]]):
        expect_right(student, parts, graph, f"parts {parts}")


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
            expect_right(student, parts, Graph(nodes, kinds, returned), f"returned {returned}")


MUTANTS = [
    Mutant(
        "no ssd case",
        "made minus read: a tensor that is read at home is never handed over",
        old=("    return [\n        (sorted(reads)"),
        new=("    outputs = [made - read_at_home for made in outputs]\n    return [\n        (sorted(reads)"),
        breaks="handed_over",
    ),
    Mutant(
        "returned forgotten",
        "a result that the network returns stays inside when its own part reads it",
        old="(tensor not in read_at_home or node in returned)",
        new="tensor not in read_at_home",
        breaks="returned",
    ),
    Mutant(
        "tensors for nodes",
        "returned is read as tensors, not as nodes",
        old="node in returned",
        new="tensor in returned",
    ),
    Mutant(
        "everything made goes out",
        "outputs are all that the part makes",
        old="(tensor not in read_at_home or node in returned)",
        new="(True or node in returned)",
        breaks="inside",
    ),
    Mutant(
        "everything read comes in",
        "inputs are all that the part reads",
        old="                    read_at_home.add(tensor)\n",
        new=("                    read_at_home.add(tensor)\n                    inputs[here].add(tensor)\n"),
        breaks="from_outside",
    ),
    Mutant(
        "constants come in",
        "a constant is taken for an input",
        old='for tensor in [*reads, *makes] if kinds[tensor] == "input")',
        new='for tensor in [*reads, *makes] if kinds[tensor] != "var")',
        breaks="constants",
    ),
    Mutant(
        "input nodes forgotten",
        "only what a node reads is looked at; an input node reads nothing",
        old="for tensor in [*reads, *makes] if",
        new="for tensor in reads if",
        breaks="network_input",
    ),
    Mutant(
        "what reads nothing comes in",
        "a node that reads nothing is taken for an input, whatever `kinds` says",
        old='for tensor in [*reads, *makes] if kinds[tensor] == "input")',
        new='for tensor in [*reads, *makes] if kinds[tensor] == "input" or (not reads and kinds[tensor] == "var"))',
    ),
    Mutant(
        "inputs not for readers",
        "a network input is given to the part of its node only",
        old="for tensor in [*reads, *makes] if",
        new="for tensor in makes if",
        breaks="network_input",
    ),
    Mutant(
        "inputs and constants handed over",
        "whatever a node makes is taken for a computed tensor",
        old='if kinds[tensor] == "var" and (tensor not in read_at_home',
        new="if (tensor not in read_at_home",
        breaks="never_out",
    ),
    Mutant(
        "wait for the caller",
        "the wait count is the number of all inputs",
        old='sum(kinds[tensor] == "var" for tensor in reads)',
        new="len(reads)",
        breaks="wait_count",
    ),
    Mutant(
        "wait for makers",
        "the wait count is the number of parts that make inputs, not of tensors",
        old='sum(kinds[tensor] == "var" for tensor in reads)',
        new='len({part_of[maker[tensor]] for tensor in reads if kinds[tensor] == "var"})',
        breaks="wait_count",
    ),
    Mutant(
        "unsorted",
        "outputs are appended as they are found, as in the original",
        old="(sorted(reads), sorted(hands_over), ",
        new="(sorted(reads), sorted(hands_over, key=lambda tensor: (tensor in read_at_home, tensor)), ",
        breaks="sorted",
    ),
    Mutant(
        "a list of a set",
        "small numbers come out of a set ascending, so it looks sorted",
        old="(sorted(reads), sorted(hands_over), ",
        new="(list(reads), list(hands_over), ",
        breaks="sorted",
    ),
    Mutant(
        "neighbours only",
        "a tensor is taken to cross to the next part only",
        old="                    outputs[source].add(tensor)\n",
        new=("                    if here == source + 1:\n                        outputs[source].add(tensor)\n"),
        breaks="handed_over",
    ),
    Mutant(
        "later parts only",
        "whoever reads stands behind",
        old="                    outputs[source].add(tensor)\n",
        new=("                    if here > source:\n                        outputs[source].add(tensor)\n"),
        breaks="handed_over",
    ),
    Mutant(
        "from earlier parts only",
        "what is read was made before",
        old="                    inputs[here].add(tensor)\n",
        new=("                    if source < here:\n                        inputs[here].add(tensor)\n"),
        breaks="from_outside",
    ),
    Mutant(
        "returned input",
        "what the network returns goes out, also where it is an input",
        old='if kinds[tensor] == "var" and (tensor not in read_at_home or node in returned)',
        new=(
            'if (kinds[tensor] == "var" and tensor not in read_at_home) or (\n'
            '                node in returned and kinds[tensor] != "const"\n'
            "            )"
        ),
        breaks="never_out",
    ),
    Mutant(
        "returned constant",
        "what the network returns goes out, also where it is a constant",
        old='if kinds[tensor] == "var" and (tensor not in read_at_home or node in returned)',
        new=(
            'if (kinds[tensor] == "var" and tensor not in read_at_home) or (\n'
            '                node in returned and kinds[tensor] != "input"\n'
            "            )"
        ),
        breaks="constants",
    ),
    Mutant(
        "first output only",
        "a node is taken to make one tensor",
        old=("    for node, (_, makes) in enumerate(nodes):\n        for tensor in makes:\n            if"),
        new=("    for node, (_, makes) in enumerate(nodes):\n        for tensor in makes[:1]:\n            if"),
        breaks="unread",
    ),
    Mutant(
        "constants handed over",
        "a constant that nobody at home reads is a result of its node",
        old='        for tensor in makes:\n            if kinds[tensor] == "var" and',
        new='        for tensor in makes:\n            if kinds[tensor] != "input" and',
        breaks="constants",
    ),
    Mutant(
        "inputs handed over",
        "an input that nobody at home reads is a result of its node",
        old='        for tensor in makes:\n            if kinds[tensor] == "var" and',
        new='        for tensor in makes:\n            if kinds[tensor] != "const" and',
        breaks="never_out",
    ),
    Mutant(
        "unread stays",
        "what nobody reads is needed by nobody",
        old="(tensor not in read_at_home or node in returned)",
        new="node in returned",
        breaks="unread",
    ),
    Mutant(
        "reads counted",
        "a tensor that two nodes read is waited for twice",
        breaks="wait_count",
        old='sum(kinds[tensor] == "var" for tensor in reads)',
        new=(
            "sum(kinds[t] == 'var' and t in reads for node, (some, _) in enumerate(nodes) for t in some"
            " if inputs[part_of[node]] is reads)"
        ),
    ),
    Mutant(
        "twice in a list",
        "lists instead of sets: a tensor that two nodes read stands there twice",
        old="        (sorted(reads), sorted(hands_over), ",
        new=(
            "        (sorted(t for node, (some, made) in enumerate(nodes) if inputs[part_of[node]] is reads\n"
            "                for t in [*some, *made] if t in reads), sorted(hands_over), "
        ),
        breaks="sorted",
    ),
    Mutant(
        "lists for tuples",
        "what is filled step by step is a list",
        old='        (sorted(reads), sorted(hands_over), sum(kinds[tensor] == "var" for tensor in reads))\n',
        new='        [sorted(reads), sorted(hands_over), sum(kinds[tensor] == "var" for tensor in reads)]\n',
        breaks="form",
    ),
]
