r"""Neighbours on one device become one: why the solution is as it is.

Compare each part with the last part of the *answer*, not with the part before it in the list that was given. Then
three neighbours become one without a second pass, and an empty part that was skipped leaves no trace: its neighbours
meet in the answer. One pass, linear in the number of nodes.

Only neighbours may be merged. ACC, CPU, ACC are three parts because the CPU's part reads from the first and is read
by the third; joined, the two would wait for themselves. Order matters inside a part, too: the nodes of the earlier
part run first.

Tengine merges in another way: it looks for the first two neighbours, joins them, and starts again, which is
quadratic. Its list begins at the output, so its "last" is our "first". And it keeps empty parts: when node 0 is
blocked, the main part before it has no nodes, and the accelerator is started for nothing.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import Parts, random_parts


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


def joined(parts: Parts) -> Parts:
    """The merge of parts of which none is empty, or a wrong one: empty parts still stand between their neighbours."""
    done: Parts = []
    for device, nodes in parts:
        if done and done[-1][0] == device:
            done[-1] = (device, done[-1][1] + nodes)
        else:
            done.append((device, list(nodes)))
    return done


def firsts(parts: Parts) -> Parts:
    """A wrong merge: of neighbours the first one stays, with its own nodes alone."""
    left = [part for part in parts if part[1]]
    return left[:1] + [after for before, after in pairwise(left) if before[0] != after[0]]


def extended(parts: Parts) -> list[tuple[str, list[int] | None]]:
    """A wrong merge: what extend returns, None, stands where neighbours were joined."""
    left = [part for part in parts if part[1]]
    groups = [[*some] for _, some in groupby(left, key=lambda part: part[0])]
    return [(some[0][0], some[0][1] if len(some) == 1 else None) for some in groups]


def beside(parts: Parts) -> Parts:
    """A wrong merge: a joined part stands behind the part that it was made of, and does not replace it."""
    done: Parts = []
    for device, nodes in parts:
        if nodes:
            done.append((device, done[-1][1] + nodes if done and done[-1][0] == device else nodes))
    return done


def nested(parts: Parts) -> list[tuple[str, list[Any]]]:
    """A wrong merge: the nodes of a later part become one element of the earlier part's list."""
    done: list[tuple[str, list[Any]]] = []
    for device, nodes in parts:
        if nodes and done and done[-1][0] == device:
            done[-1][1].append(nodes)
        elif nodes:
            done.append((device, list(nodes)))
    return done


def skipping(parts: Parts) -> Parts:
    """A wrong merge: empty parts are removed from the list that the loop goes through, which skips the next one."""
    left = list(parts)
    for part in left:
        if not part[1]:
            left.remove(part)
    return joined(left)


def merge_mistakes(parts: Parts) -> dict[str, Any]:
    """Likely cause -> what it gives for these parts, where that is wrong."""
    right = merged(parts)
    found = {
        "an empty part was left out after merging: leave it out first, then its neighbours stand side by side": [
            part for part in joined(parts) if part[1]
        ],
        "what was collected last is written down, though there may be nothing: ask whether it has nodes": [
            *right,
            (None, []),
        ],
        'that is a part "" without nodes: write down what was collected last only if it has nodes': [*right, ("", [])],
        "a list that shrinks under a loop over it skips the part after each one removed: build a new list": (
            skipping(parts)
        ),
        "empty parts are still there: leave out a part without nodes": joined(parts),
        "no neighbours were joined: are names compared with ==, and with the last part of your own list?": [
            part for part in parts if part[1]
        ],
        "the part that was joined still stands before the joined one: write the joined one in its place": (
            beside(parts)
        ),
        "three neighbours on one device become one as well: compare with the last part of your own list": (
            pairwise_only(parts)
        ),
        "only NEIGHBOURS in the list may become one: what lies between them has to run in between": by_device(parts),
        "extend makes the list longer and returns None: the longer list is the old one": extended(parts),
        "a joined part has lost the nodes of the later ones: they belong behind its own": firsts(parts),
        "the last part is missing: is it written down when the loop ends?": right[:-1],
        "that is the first part alone: does `return` stand in the loop?": right[:1],
        "the device comes first in a part, then the list of its nodes": [(nodes, device) for device, nodes in right],
        "those are the devices alone: each part is a tuple, (device, list of nodes)": [device for device, _ in right],
        "the nodes are sorted: their numbers are no order, keep the one they have": [
            (device, sorted(nodes)) for device, nodes in right
        ],
        "the nodes of the later part stand before those of the earlier one": merged(parts[::-1])[::-1],
        "a part was written again after it was joined with the one before it": [
            (a[0], a[1] + b[1]) if a[0] == b[0] else a for a, b in pairwise(parts)
        ],
        "the nodes were appended as one list: extend adds them one by one": nested(parts),
        'a device may be called "": ask whether there is one (`is not None`), not whether its name is true': [
            part for part in right if part[0]
        ],
        "each part is a list: it has to be a tuple, (device, nodes)": [list(part) for part in right],
    }
    return {cause: wrong for cause, wrong in found.items() if wrong != right}


@task("merge")
def long_lists(student: Student, rng: np.random.Generator) -> None:
    """Lists of up to 2,000 parts on two, three or five devices, many of them empty, have no neighbours left."""
    for count, devices in ((30, 2), (200, 3), (500, 5), (2000, 2)):
        names = [f"dev{i}" for i in rng.permutation(100)[:devices].tolist()]
        parts = random_parts(rng, count, names, 0.3)
        right = joined([part for part in parts if part[1]])
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


MUTANTS = [
    Mutant(
        "by recursion",
        "a function that calls itself for every part ends at Python's limit, about 1,000 deep",
        old="    merged: list[tuple[str, list[int]]] = []\n",
        new=(
            "    def length(first: int) -> int:\n"
            "        return 1 + length(first + 1) if first < len(parts) else 0\n"
            "\n"
            "    length(0)\n"
            "    merged: list[tuple[str, list[int]]] = []\n"
        ),
        breaks="neighbours",
    ),
    Mutant(
        "names by sound",
        "cpu and CPU are one device",
        old="        if merged and merged[-1][0] == device:",
        new="        if merged and merged[-1][0].lower().strip() == device.lower().strip():",
        breaks="names",
    ),
    Mutant(
        "by device",
        "all parts of a device become one, wherever they stand",
        old=("        if merged and merged[-1][0] == device:\n            merged[-1][1].extend(nodes)"),
        new=(
            "        twins = [part for part in merged if part[0] == device]\n"
            "        if twins:\n"
            "            twins[0][1].extend(nodes)"
        ),
        breaks="apart",
    ),
    Mutant(
        "two at a time",
        "a third neighbour is compared with the part it was given with, not with the merged one",
        old="        if merged and merged[-1][0] == device:",
        new=(
            "        if merged and merged[-1][0] == device and len(merged[-1]) == 2 and merged[-1][1] "
            "in [\n"
            "            part[1] for part in parts\n"
            "        ]:"
        ),
        breaks="neighbours",
    ),
    Mutant(
        "empty parts kept",
        "as in the original: a part without nodes stays in the list",
        old=("        if not nodes:\n            continue\n        if merged"),
        new="        if merged",
        breaks="empty",
    ),
    Mutant(
        "empty parts dropped last",
        "empty parts go after merging, and two neighbours on one device are left",
        old=(
            "        if not nodes:\n"
            "            continue\n"
            "        if merged and merged[-1][0] == device:\n"
            "            merged[-1][1].extend(nodes)\n"
            "        else:\n"
            "            merged.append((device, list(nodes)))\n"
            "    return merged"
        ),
        new=(
            "        if merged and merged[-1][0] == device:\n"
            "            merged[-1][1].extend(nodes)\n"
            "        else:\n"
            "            merged.append((device, list(nodes)))\n"
            "    return [part for part in merged if part[1]]"
        ),
        breaks="empty",
    ),
    Mutant(
        "empty only at the start",
        "only an empty main part, before the first blocked node, is thought of",
        old=("        if not nodes:\n            continue"),
        new=("        if not nodes and not merged:\n            continue"),
        breaks="empty",
    ),
    Mutant(
        "later nodes first",
        "Tengine's list begins at the output; here it begins at the input",
        old="merged[-1][1].extend(nodes)",
        new="merged[-1][1][:0] = nodes",
        breaks="order",
    ),
    Mutant(
        "nodes sorted",
        "ids are taken for the running order",
        old="merged[-1][1].extend(nodes)",
        new="merged[-1] = (device, sorted(merged[-1][1] + nodes))",
        breaks="order",
    ),
    Mutant(
        "accelerator only",
        "only two device names are thought of",
        old="if merged and merged[-1][0] == device:",
        new='if merged and merged[-1][0] == device and device in ("ACC", "CPU"):',
        breaks="names",
    ),
    Mutant(
        "last part lost",
        "a part is written down only when the next device comes",
        old="    return merged\n",
        new="    return merged[:-1]\n",
    ),
    Mutant(
        "later nodes lost",
        "the neighbour is removed, and its nodes with it",
        old="merged[-1][1].extend(nodes)",
        new="pass",
        breaks="neighbours",
    ),
    Mutant(
        "the first part first",
        "the answer begins with the first part, and there may be none",
        old="    merged: list[tuple[str, list[int]]] = []\n    for",
        new="    merged = [(parts[0][0], list(parts[0][1]))][:0]\n    for",
        breaks="nothing",
    ),
    Mutant(
        "lists for tuples",
        "a part that grows is a list",
        old="    return merged\n",
        new="    return [list(part) for part in merged]\n",
        breaks="form",
    ),
    Mutant(
        "the caller's lists grow",
        "the nodes are not copied, and extend works on the list that was given",
        old="merged.append((device, list(nodes)))",
        new="merged.append((device, nodes))",
        breaks="caller",
    ),
    Mutant(
        "merged in place",
        "the list that was given is emptied and filled again",
        old="    return merged\n",
        new="    parts[:] = merged\n    return parts\n",
        breaks="caller",
    ),
    Mutant(
        "a name is true",
        "the device before is remembered, and an empty name taken for none",
        old="if merged and merged[-1][0] == device:",
        new="if merged and device and merged[-1][0] == device:",
        breaks="names",
    ),
    Mutant(
        "an empty name for no part",
        "the empty name stands for no last part, and the first part may have it",
        old="if merged and merged[-1][0] == device:",
        new='if device == (merged[-1][0] if merged else ""):',
        breaks="names",
    ),
]
