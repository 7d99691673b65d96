"""A Counter and a deque; memory by adding up changes."""

from collections import Counter, deque


def topological_order(successors):
    incoming = Counter()
    for targets in successors.values():
        incoming.update(targets)
    for target in incoming:
        if target not in successors:
            raise ValueError(f"{target!r} is used but never defined")
    queue = deque()
    for name in successors:
        if not incoming[name]:
            queue.append(name)
    ordered = []
    while queue:
        first = queue.popleft()
        ordered.append(first)
        for target in successors[first]:
            incoming[target] -= 1
            if not incoming[target]:
                queue.append(target)
    stuck = [name for name in successors if incoming[name]]
    if stuck:
        back = {}
        for name in stuck:
            for target in successors[name]:
                back[target] = name
        at, trail = stuck[0], set()
        while at not in trail:
            trail.add(at)
            at = back[at]
        raise ValueError("cycle: " + at)
    return ordered


def peak_bytes(order, reads, sizes):
    position = {name: i for i, name in enumerate(order)}
    last_use = [len(order) - 1] * len(order)
    for name in order:
        for needed in reads[name]:
            last_use[position[needed]] = position[name]
    change = [0] * (len(order) + 1)
    for i, name in enumerate(order):
        change[i] += sizes[name]
        change[last_use[i] + 1] -= sizes[name]
    running = highest = 0
    for delta in change:
        running += delta
        highest = max(highest, running)
    return highest
