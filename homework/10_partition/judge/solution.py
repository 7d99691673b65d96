"""Homework 10: a graph in parts, for an accelerator and a CPU.

Lesson: lessons/10_partition/10_partition.ipynb. Check: python3 course.py check merge

Nodes and tensors are numbers. A part is a list of nodes that one device runs in one go. Parts stand in running order.
"""

from __future__ import annotations


def merge(parts: list[tuple[str, list[int]]]) -> list[tuple[str, list[int]]]:
    """Neighbours in the list that run on the same device become one part; parts without nodes are left out.

    Parameters
    ----------
    parts : (name of the device, its nodes) each, in running order. A part may have no nodes.

    Returns the same kind of list: all nodes in their old order, no part empty, no two neighbours on one device. Where
    an empty part stood, its neighbours stand side by side.

    >>> merge([("ACC", [0, 1, 2]), ("CPU", [3, 4]), ("CPU", [5]), ("ACC", [6, 7, 8]), ("CPU", [9])])
    [('ACC', [0, 1, 2]), ('CPU', [3, 4, 5]), ('ACC', [6, 7, 8]), ('CPU', [9])]
    >>> merge([("CPU", [0]), ("ACC", []), ("CPU", [1])])
    [('CPU', [0, 1])]
    """
    # <solution merge>
    merged: list[tuple[str, list[int]]] = []
    for device, nodes in parts:
        if not nodes:
            continue
        if merged and merged[-1][0] == device:
            merged[-1][1].extend(nodes)
        else:
            merged.append((device, list(nodes)))
    return merged
    # </solution>


def inputs_outputs(
    parts: list[list[int]], nodes: list[tuple[list[int], list[int]]], kinds: list[str], returned: list[int]
) -> list[tuple[list[int], list[int], int]]:
    """What each part reads from outside, what it hands over, and for how many tensors it waits.

    Parameters
    ----------
    parts : the nodes of each part. Every node is in exactly one part.
    nodes : for each node the tensors that it reads and the tensors that it makes, as two lists.
    kinds : for each tensor "input" (the caller gives it), "const" (it is at hand on every device) or "var" (computed).
        Nodes for inputs and constants make such tensors, and read none.
    returned : nodes that make what the network returns.

    Returns (inputs, outputs, wait_count) for each part. Both lists are sorted and have no number twice.

    - inputs: tensors of kind "input" that its nodes read or make, and tensors of kind "var" that its nodes read and
      that another part makes. Constants are never inputs.
    - outputs: tensors of kind "var" that its nodes make, and that a node of another part reads, or that none of its own
      nodes reads, or that a node in `returned` makes. Only "var" tensors are ever outputs.
    - wait_count: how many of its inputs are of kind "var".

    In this example tensor 1 is read inside its own part, and by the last part (the SSD case). So it is handed over.

    >>> nodes = [([], [0]), ([0], [1]), ([1], [2]), ([2], [3]), ([3, 1], [4])]
    >>> inputs_outputs([[0, 1, 2], [3], [4]], nodes, ["input", "var", "var", "var", "var"], [4])
    [([0], [1, 2], 0), ([2], [3], 1), ([1, 3], [4], 2)]
    """
    # <solution inputs_outputs>
    part_of = {node: part for part, members in enumerate(parts) for node in members}
    maker = {tensor: node for node, (_, makes) in enumerate(nodes) for tensor in makes}
    inputs: list[set[int]] = [set() for _ in parts]
    outputs: list[set[int]] = [set() for _ in parts]
    read_at_home: set[int] = set()
    for node, (reads, makes) in enumerate(nodes):
        here = part_of[node]
        inputs[here].update(tensor for tensor in [*reads, *makes] if kinds[tensor] == "input")
        for tensor in reads:
            if kinds[tensor] == "var":
                source = part_of[maker[tensor]]
                if source == here:
                    read_at_home.add(tensor)
                else:
                    inputs[here].add(tensor)
                    outputs[source].add(tensor)
    for node, (_, makes) in enumerate(nodes):
        for tensor in makes:
            if kinds[tensor] == "var" and (tensor not in read_at_home or node in returned):
                outputs[part_of[node]].add(tensor)
    return [
        (sorted(reads), sorted(hands_over), sum(kinds[tensor] == "var" for tensor in reads))
        for reads, hands_over in zip(inputs, outputs, strict=True)
    ]
    # </solution>


def waves(subgraphs: list[tuple[list[int], list[int], int]]) -> list[list[int]]:
    """The waves in which sub-graphs run: in each wave run all that have what they wait for.

    Parameters
    ----------
    subgraphs : (inputs, outputs, wait_count) each, as `inputs_outputs` gives them.

    Each sub-graph has a ready count, at first 0. A wave is all sub-graphs which have not run yet and whose ready count
    equals their wait count. When a wave has run, each of its outputs adds 1 to the ready count of every sub-graph that
    has this tensor among its inputs. Then comes the next wave.

    Returns a list of waves, each a list of places in `subgraphs`, ascending. Each place stands in it once.

    Raises ValueError when some have not run and none can (a deadlock).

    >>> waves([([0], [1, 2], 0), ([1], [3], 1), ([2], [4], 1), ([3, 4], [5], 2)])
    [[0], [1, 2], [3]]
    >>> waves([([0, 3], [1], 1), ([1], [3], 1)])
    Traceback (most recent call last):
    ...
    ValueError: a deadlock: sub-graphs [0, 1] wait for each other
    """
    # <solution waves>
    readers: dict[int, list[int]] = {}
    for place, (inputs, _, _) in enumerate(subgraphs):
        for tensor in inputs:
            readers.setdefault(tensor, []).append(place)
    ready = [0] * len(subgraphs)
    waiting = list(range(len(subgraphs)))
    found: list[list[int]] = []
    while waiting:
        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]
        if not wave:
            raise ValueError(f"a deadlock: sub-graphs {waiting} wait for each other")
        found.append(wave)
        waiting = [place for place in waiting if place not in wave]
        for place in wave:
            for tensor in subgraphs[place][1]:
                for reader in readers.get(tensor, []):
                    ready[reader] += 1
    return found
    # </solution>


def fewest(predecessors: list[list[int]], devices: list[str]) -> list[tuple[str, list[int]]]:
    """As few parts as possible, when each node has its device and there are at most two devices.

    Parameters
    ----------
    predecessors : for each node the nodes whose results it reads, all with smaller numbers than its own.
    devices : for each node the name of the device that has to run it.

    Returns (device, nodes) each, in running order: every node is in exactly one part, a part has at least one node and
    nodes of one device only, and a node stands after all its predecessors, in an earlier part or earlier in its own.
    Where several answers have the least number of parts, any of them will do.

    >>> fewest([[], [], [0], [1], [2, 3]], ["ACC", "CPU", "CPU", "CPU", "ACC"])
    [('ACC', [0]), ('CPU', [1, 2, 3]), ('ACC', [4])]
    """
    # <solution fewest>
    return min((by_levels(predecessors, devices, start) for start in sorted(set(devices))), key=len, default=[])


def by_levels(predecessors: list[list[int]], devices: list[str], start: str) -> list[tuple[str, list[int]]]:
    """One part for each level, when the device `start` has the first turn."""
    level: list[int] = []
    for node, device in enumerate(devices):
        level.append(max([int(device != start), *(level[u] + (devices[u] != device) for u in predecessors[node])]))
    members: dict[int, list[int]] = {}
    for node, turn in enumerate(level):
        members.setdefault(turn, []).append(node)
    return [(devices[members[turn][0]], members[turn]) for turn in sorted(members)]
    # </solution>
