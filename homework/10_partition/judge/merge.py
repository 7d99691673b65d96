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

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from .. import public


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


MUTANTS = [
    Mutant(
        "by device",
        "all parts of a device become one, wherever they stand",
        old=("        if merged and merged[-1][0] == device:\n            merged[-1][1].extend(nodes)"),
        new=(
            "        twins = [part for part in merged if part[0] == device]\n"
            "        if twins:\n"
            "            twins[0][1].extend(nodes)"
        ),
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
    ),
    Mutant(
        "empty parts kept",
        "as in the original: a part without nodes stays in the list",
        old=("        if not nodes:\n            continue\n        if merged"),
        new="        if merged",
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
    ),
    Mutant(
        "empty only at the start",
        "only an empty main part, before the first blocked node, is thought of",
        old=("        if not nodes:\n            continue"),
        new=("        if not nodes and not merged:\n            continue"),
    ),
    Mutant(
        "later nodes first",
        "Tengine's list begins at the output; here it begins at the input",
        old="merged[-1][1].extend(nodes)",
        new="merged[-1][1][:0] = nodes",
    ),
    Mutant(
        "nodes sorted",
        "ids are taken for the running order",
        old="merged[-1][1].extend(nodes)",
        new="merged[-1] = (device, sorted(merged[-1][1] + nodes))",
    ),
    Mutant(
        "accelerator only",
        "only two device names are thought of",
        old="if merged and merged[-1][0] == device:",
        new='if merged and merged[-1][0] == device and device in ("ACC", "CPU"):',
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
    ),
]
