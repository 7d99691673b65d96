r"""A list of calls in as few loops as possible: why the solution is as it is.

One question decides about each value: must it be in memory? It must if the caller gets it, if a product or a softmax
reads it, which need it as a whole, or if two loops read it. Otherwise one loop makes it and uses it up, number by
number, in a register.

The answer depends on the readers, so the solution goes from the last call to the first: `last_of` has, for each call
that it has seen, the last call of its group. A call joins if all its readers are in one group, and else begins a group,
of which it is the last call. That y is read twice is no obstacle, if both readers are in one loop: so it is in y
sigmoid(y), the SiLU of YOLOv5.

Where two products meet in an addition, one joins, and the other is written to memory. Which of them does not matter
for the number of groups; the solution takes the later one, as compilers do: the earlier one is ready by then.

Why sorting by the last calls gives an order that can run: what a group reads was made by the last call of another
group, and stands before the reader in the list, so before the last call of the reader's group. Sorted by the first
calls it may go wrong, if a shortcut is computed early and used late. And why do groups never wait for each other in a
circle? From a call of a group every path leads to the last call of the group; a way out and back in would need another
door.

**As few as possible?** Each group has one value in memory, so fewer groups are fewer values. Nothing can be gained by
writing a value that could have stayed inside: that makes one group more, and lets at most one product more join.

**How good is that?** numpy's calls write every number. Of 60 random networks, these groups write 53%, and no rule
allows less. (`check` counts 12 of them, so its shares may be a few percent off.) A library with one kernel for a
product, its bias and an activation writes 85%; onnxruntime 1.31, which adds shortcuts and knows the SiLU, 67%, and
copies from one order of memory to another.

**Typical mistakes.** To go forward and to look at the call before only: the shortcut's addition then does not find its
product, and a SiLU falls into three. To count readers, and refuse two of them. To forget `returned`. To let the gate of
8 numbers into the loop of the image of 800.

**Cost.** One look at each operand. Compilers go on from here: TVM and XLA compute a cheap value twice, rather than
write it, which the rule `all` forbids here.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Failure, Mutant, Student, task

from ..public import ELEMENTWISE, Calls, chain, expect_legal, network, readers_of


def fewest(calls: Calls, sizes: dict[str, int], returned: list[str]) -> int:
    """The fewest groups: at first each call is one, and two become one as long as that is allowed.

    Element-wise calls join first: whatever they join, another may join as well. Then each product does, if no other
    product is there already; the order among them changes nothing in the number.
    """
    group = {name: number for number, (name, _, _) in enumerate(calls)}
    whole = {name for name, operation, _ in calls if operation not in ELEMENTWISE}
    readers = {name: set(names) for name, names in readers_of(calls).items()}
    heads = {group[name] for name in whole}

    def joins(name: str) -> bool:
        others = {group[reader] for reader in readers[name]}
        if name in returned or len(others) != 1 or readers[name] & whole or others == {group[name]}:
            return False
        (other,) = others
        members = [each for each in group if group[each] in (group[name], other)]
        if any(sizes[each] != sizes[name] for each in members) or (name in whole and other in heads):
            return False
        heads.update({other} if name in whole else ())
        group.update({each: other for each in members})
        return True

    for some in (set(group) - whole, whole):
        while any([joins(name) for name in group if name in some]):
            pass
    return len(set(group.values()))


def by_ready_kernels(calls: Calls, sizes: dict[str, int], returned: list[str]) -> int:
    """The numbers that a library writes whose kernels compute a product, its bias and one activation at once."""
    readers = readers_of(calls)
    known = {name: (operation, operands) for name, operation, operands in calls}
    inside = set()

    def follows(name: str, kinds: set[str], given: bool) -> str | None:
        """Its only reader, if that is of these kinds; given : its other operands are weights."""
        if name in returned or len(readers[name]) != 1:
            return None
        (reader,) = readers[name]
        operation, operands = known[reader]
        fits = operation in kinds and sizes[reader] == sizes[name]
        return reader if fits and (not given or not ({*operands} - {name}) & known.keys()) else None

    for name, operation, _ in calls:
        if operation in ("conv", "matmul"):
            for kinds, given in (({"add"}, True), ({"relu", "sigmoid", "tanh"}, False)):
                if reader := follows(name, kinds, given):
                    inside.add(name)
                    name = reader
    return sum(size for name, size in sizes.items() if name not in inside)


@task("fuse")
def other_networks(student: Student, rng: np.random.Generator) -> None:
    """Many networks of random blocks."""
    for _ in range(30):
        calls, sizes, returned = network(rng, int(rng.integers(1, 12)))
        got = student.fuse(calls, sizes, returned)
        expect_legal(got, calls, sizes, returned)
        if len(got) != fewest(calls, sizes, returned):
            raise Failure(f"expected {fewest(calls, sizes, returned)} groups, got {len(got)}")


@task("fuse")
def expressions(student: Student, rng: np.random.Generator) -> None:
    """Random element-wise calls of equal and of different sizes, with a product here and there."""
    for _ in range(30):
        calls: Calls = []
        sizes: dict[str, int] = {}
        for number in range(int(rng.integers(1, 14))):
            known = ["x", *(name for name, _, _ in calls)]
            name = f"e{number}"
            operands = tuple(str(rng.choice(known[-4:])) for _ in range(int(rng.integers(1, 3))))
            calls.append((name, str(rng.choice(["add", "mul", "relu", "tanh", "matmul", "softmax"])), operands))
            sizes[name] = int(rng.choice([8, 8, 8, 16]))
        read = {operand for _, _, operands in calls for operand in operands}
        returned = [name for name, _, _ in calls if name not in read or rng.integers(6) == 0]
        got = student.fuse(calls, sizes, returned)
        expect_legal(got, calls, sizes, returned)
        if len(got) != fewest(calls, sizes, returned):
            raise Failure(f"expected {fewest(calls, sizes, returned)} groups, got {len(got)}: {calls}")


@task("fuse")
def long_networks(student: Student) -> None:
    """A network of 6,000 calls takes no longer than it must, and needs no deep recursion."""
    calls, sizes = chain(*["matmul", "add", "relu"] * 2000)
    got = student.fuse(calls, sizes, ["v5999"])
    expect_legal(got[:300], calls[:900], sizes, [])
    if len(got) != 2000:
        raise Failure(f"expected 2000 groups, got {len(got)}")
    calls, sizes = chain(*["tanh"] * 3000)
    if student.fuse(calls, sizes, ["v2999"]) != [[name for name, _, _ in calls]]:
        raise Failure("expected one group of 3,000 calls")


JOINS = "            and (operation in ELEMENTWISE or last not in taken)\n"
READERS = "            and all(operations[reader] in ELEMENTWISE for reader in readers[name])\n"
RESULT = "    return [group for group in groups.values() if group]\n"
LASTS = "        lasts = {last_of[reader] for reader in readers[name]}\n"
NOT_NEXT = (
    "        names = list(operations)\n"
    "        if readers[name] and names.index(readers[name][0]) != names.index(name) + 1:\n"
    "            lasts = set()\n"
)

LOOPS = "    loops = [group for group in groups.values() if group]\n"
WITH_PRODUCT = (
    "    kinds = [{operations[name] in ELEMENTWISE for name in group} for group in loops]\n"
    "    cut = [[group] if False in kind else [[name] for name in group] for group, kind in zip(loops, kinds)]\n"
    "    return [group for some in cut for group in some]\n"
)
TWICE = (
    "    cheap = [name for name in operations if operations[name] in ELEMENTWISE and len(set(readers[name])) > 1]\n"
    "    return [\n"
    "        [n for n in operations if n in group or (n in cheap and set(readers[n]) & set(group))]\n"
    "        for group in loops\n"
    "    ]\n"
)
BY_FIRST = "    places = list(operations)\n    return sorted(loops, key=lambda group: places.index(group[0]))\n"

MUTANTS = [
    Mutant(
        "reads_the_one_before",
        "joins what reads the call before it, whoever else does",
        RESULT,
        "    chains: list[list[str]] = []\n"
        "    for name, operation, operands in calls:\n"
        "        last = chains[-1][-1] if chains else ''\n"
        "        alike = operation in ELEMENTWISE and sizes.get(last) == sizes[name]\n"
        "        if alike and last in operands and last not in returned:\n"
        "            chains[-1].append(name)\n"
        "        else:\n"
        "            chains.append([name])\n"
        "    return chains\n",
        "written",
    ),
    Mutant(
        "single",
        "each call is its own loop",
        "            and last != name\n",
        "            and last == ''\n",
        "fewest",
    ),
    Mutant(
        "readers",
        "joins only what is read once",
        LASTS,
        LASTS + "        if len(readers[name]) > 1:\n            lasts = set()\n",
        "fewest",
    ),
    Mutant(
        "last_calls",
        "asks only the last call of a group what it reads",
        JOINS,
        JOINS + "            and last in readers[name]\n",
        "fewest",
    ),
    Mutant(
        "last_operand",
        "looks at the last operand of each call only",
        "        for operand in operands:\n            readers.get(operand",
        "        for operand in operands[-1:]:\n            readers.get(operand",
        "fewest",
    ),
    Mutant("neighbours", "goes by the next call of the list", LASTS, LASTS + NOT_NEXT, "fewest"),
    Mutant(
        "with_product",
        "fuses only after a product",
        RESULT,
        LOOPS + WITH_PRODUCT,
        "fewest",
    ),
    Mutant(
        "pairs",
        "an epilogue of one call",
        RESULT,
        "    return [group[i : i + 2] for group in groups.values() for i in range(0, len(group), 2)]\n",
        "fewest",
    ),
    Mutant(
        "cut_before_products",
        "a product begins a group, and all that follows joins it",
        RESULT,
        "    cut: list[list[str]] = []\n"
        "    for name, operation in operations.items():\n"
        "        cut += [[]] if not cut or operation not in ELEMENTWISE else []\n"
        "        cut[-1].append(name)\n"
        "    return cut\n",
    ),
    Mutant(
        "returned",
        "forgets what the caller gets",
        "            name not in returned\n",
        "            name != ''\n",
        "written",
    ),
    Mutant(
        "one_reader",
        "looks at the last reader only",
        LASTS,
        "        lasts = {last_of[reader] for reader in readers[name][-1:]}\n",
        "written",
    ),
    Mutant("no_product", "lets no product join", JOINS, "            and operation in ELEMENTWISE\n", "fewest"),
    Mutant("two_products", "lets two products into a group", JOINS, "", "whole"),
    Mutant("into_product", "lets a product's operand join", READERS, "", "whole"),
    Mutant(
        "first_reader",
        "asks its first reader only whether it is a product",
        READERS,
        "            and operations[readers[name][0]] in ELEMENTWISE\n",
        "whole",
    ),
    Mutant("sizes", "forgets the sizes", "            and sizes[name] == sizes[last]\n", "", "size"),
    Mutant(
        "by_first",
        "sorts groups by their first calls",
        RESULT,
        LOOPS + BY_FIRST,
        "order",
    ),
    Mutant(
        "reversed",
        "groups from the last to the first",
        RESULT,
        "    return [group for group in groups.values() if group][::-1]\n",
    ),
    Mutant(
        "inside_out",
        "calls of a group from the last to the first",
        RESULT,
        "    return [group[::-1] for group in groups.values() if group]\n",
    ),
    Mutant(
        "tuples", "tuples of names", RESULT, "    return [tuple(group) for group in groups.values() if group]\n", "form"
    ),
    Mutant("empty", "empty groups among them", RESULT, "    return list(groups.values())\n", "form"),
    Mutant(
        "forgets_single",
        "leaves out groups of one call",
        RESULT,
        "    return [group for group in groups.values() if len(group) > 1]\n",
        "all",
    ),
    Mutant(
        "twice",
        "computes what is read twice in both groups",
        RESULT,
        LOOPS + TWICE,
        "all",
    ),
]
