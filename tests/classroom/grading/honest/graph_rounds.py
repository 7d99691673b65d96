"""Rounds: whatever waits for nothing goes; memory as one sum a step."""


def topological_order(successors):
    known = set(successors)
    for name in successors:
        unknown = set(successors[name]) - known
        if unknown:
            raise ValueError("no such operator: " + ", ".join(sorted(unknown)))
    waiting = {name: set() for name in successors}
    for name, outs in successors.items():
        for out in outs:
            waiting[out].add(name)
    order = []
    free = [name for name, inputs in waiting.items() if not inputs]
    while free:
        order.extend(free)
        touched = {out for name in free for out in successors[name]}
        for name in free:
            del waiting[name]
            for out in successors[name]:
                waiting[out].discard(name)
        free = [name for name in touched if not waiting[name]]
    if waiting:
        raise ValueError(f"cycle at {walk_back(waiting)}")
    return order


def walk_back(waiting):
    here = next(iter(waiting))
    for _ in range(len(waiting)):
        here = next(iter(waiting[here]))
    return here


def peak_bytes(order, reads, sizes):
    end = {}
    for name in order:
        end[name] = len(order)
    for i, name in enumerate(order):
        for r in reads[name]:
            end[r] = i
    return max((sum(sizes[n] for n in order[: i + 1] if end[n] >= i) for i in range(len(order))), default=0)
