"""Homework 10: a graph in parts, for an accelerator and a CPU.

Lesson: lessons/10_partition/10_partition.ipynb. Check: python3 course.py check merge

Nodes and tensors are numbers. A part is a list of nodes that one device runs in one go.
"""

from __future__ import annotations


def merge(parts: list[tuple[str, list[int]]]) -> list[tuple[str, list[int]]]:
    """Neighbours in the list that run on the same device become one part; parts without nodes are left out.

    Parameters
    ----------
    parts : (name of the device, its nodes) each, in running order.

    Rules
    -----
    neighbours : parts that stand side by side and run on the same device become one, however many they are; Python
        lets a function call itself some 1,000 times.
    apart : two parts of a device stay two where a part of another device stands between them.
    empty : a part without nodes is left out first, so that its neighbours stand side by side.
    order : parts and nodes keep their order: the nodes of the earlier part come first, and are not sorted.
    names : a device may have any name, also "".
    nothing : no parts give an empty list.
    form : the result is a list of tuples (device, list of nodes).
    caller : `parts` and the lists in it stay as they were.

    >>> merge([("ACC", [0, 1, 2]), ("CPU", [3, 4]), ("CPU", [5]), ("ACC", [6, 7, 8]), ("CPU", [9])])
    [('ACC', [0, 1, 2]), ('CPU', [3, 4, 5]), ('ACC', [6, 7, 8]), ('CPU', [9])]
    >>> merge([("CPU", [0]), ("ACC", []), ("CPU", [1])])
    [('CPU', [0, 1])]
    """
    # TODO merge (Task 10.1)
    raise NotImplementedError("merge: TODO")


def merge_and_parts(parts: list[tuple[str, list[int]]]) -> tuple[list, list]:
    """Given: what merge makes of `parts`, and `parts` afterwards."""
    return merge(parts), parts


def inputs_outputs(
    parts: list[list[int]], nodes: list[tuple[list[int], list[int]]], kinds: list[str], returned: list[int]
) -> list[tuple[list[int], list[int], int]]:
    """What each part reads from outside, what it hands over, and for how many tensors it waits.

    Parameters
    ----------
    parts : the nodes of each part. Every node is in exactly one part, and no part is empty; nodes of a part need not
        be neighbours, and a part may stand before one that it reads from.
    nodes : for each node the tensors that it reads and the tensors that it makes, as two lists. Every tensor is made
        by exactly one node.
    kinds : for each tensor "input" (the caller gives it), "const" (it is at hand on every device) or "var" (computed).
        Nodes that stand for an input or a constant make such a tensor, and read none. A node that computes may read
        none, too, as torch.rand does.
    returned : nodes that make what the network returns, at least one.

    Rules
    -----
    network_input : a tensor of kind "input" is an input of each part that reads it, and of the part whose node stands
        for it.
    from_outside : a "var" tensor is an input of each part that reads it and does not make it.
    handed_over : a "var" tensor is an output of the part that makes it when another part reads it, wherever that part
        stands, and even if its own part reads it as well.
    unread : a "var" tensor is an output of the part that makes it when no node of this part reads it.
    returned : a "var" tensor is an output of the part that makes it when a node in `returned` makes it.
    inside : any other "var" tensor stays inside: it is neither input nor output.
    constants : a "const" tensor is never an input and never an output.
    never_out : an "input" tensor is never an output.
    wait_count : the wait count of a part is the number of its inputs of kind "var".
    sorted : inputs and outputs ascend, and no number stands in a list twice.
    form : the result is a list with a tuple (inputs, outputs, wait_count) for each part, in the order of `parts`.

    In this example tensor 1 is read inside its own part, and by the last part (the SSD case). So it is handed over.

    >>> nodes = [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([3, 1], [4])]
    >>> inputs_outputs([[0, 1, 2], [3], [4]], nodes, ["input", "var", "var", "var", "var"], [4])
    [([0], [1, 2], 0), ([2], [3], 1), ([1, 3], [4], 2)]
    """
    # TODO inputs_outputs (Task 10.2)
    raise NotImplementedError("inputs_outputs: TODO")


def waves(subgraphs: list[tuple[list[int], list[int], int]]) -> list[list[int]]:
    """The waves in which sub-graphs run: in each wave run all that have what they wait for.

    Parameters
    ----------
    subgraphs : (inputs, outputs, wait_count) each, as `inputs_outputs` gives them.

    Rules
    -----
    together : each sub-graph has a ready count, at first 0; a wave is all sub-graphs that have not run and whose ready
        count has reached their wait count. A ready count never exceeds the wait count.
    afterwards : ready counts rise when the whole wave has run, not while it is being collected.
    counted : each output of a wave adds 1 to the ready count of every sub-graph that has it among its inputs: two
        outputs for one reader add 2.
    caller : inputs that the caller gives are in no wait count: nobody waits for them.
    ascending : a wave is a list of places in `subgraphs`, ascending; the sub-graphs may stand there in any order.
    deadlock : when some have not run and none can, at the beginning or later, raise ValueError. A wait count that is
        never reached is a deadlock, too, even if no sub-graph makes what is missing.
    nothing : no sub-graphs need no waves: the result is an empty list.
    long : a chain of 2,000 sub-graphs runs, too; Python lets a function call itself some 1,000 times.

    >>> waves([([0], [1, 2], 0), ([1], [3], 1), ([2], [4], 1), ([3, 4], [5], 2)])
    [[0], [1, 2], [3]]
    >>> waves([([0, 3], [1], 1), ([1], [3], 1)])
    Traceback (most recent call last):
    ...
    ValueError: a deadlock: sub-graphs [0, 1] wait for each other
    """
    # TODO waves (Task 10.3, a bonus)
    raise NotImplementedError("waves: TODO")


def fewest(predecessors: list[list[int]], devices: list[str]) -> list[tuple[str, list[int]]]:
    """As few parts as possible, where each node's device is given and there are at most two devices.

    Parameters
    ----------
    predecessors : for each node the nodes whose results it reads, each once, with smaller numbers than its own.
    devices : for each node the name of the device that has to run it.

    Rules
    -----
    fewest : no right answer has fewer parts; where several have as few, any of them will do.
    once : every node stands in exactly one part.
    device : all nodes of a part have the device of the part.
    after : a node stands after all its predecessors, in a later part or later in the same one.
    empty : no part is without nodes, and no nodes give an empty list.
    names : the devices may have any names, and all nodes may have the same one.
    form : the result is a list of tuples (device, list of nodes), in running order.
    long : a chain of 5,000 nodes is split, too; Python lets a function call itself some 1,000 times.

    >>> fewest([[], [], [0], [1], [2, 3]], ["ACC", "CPU", "CPU", "CPU", "ACC"])
    [('ACC', [0]), ('CPU', [1, 2, 3]), ('ACC', [4])]
    """
    # TODO fewest (Task 10.4, a bonus)
    raise NotImplementedError("fewest: TODO")
