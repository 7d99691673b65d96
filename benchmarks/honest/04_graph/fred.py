from graphlib import CycleError, TopologicalSorter


def topological_order(successors):
    sorter = TopologicalSorter()
    for name, after in successors.items():
        sorter.add(name)
        for one in after:
            if one not in successors:
                raise ValueError(f"{one} is not in the graph")
            sorter.add(one, name)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        raise ValueError("cycle: " + " ".join(error.args[1])) from None


def find_cycle(successors):
    graph = TopologicalSorter()
    for name in successors:
        for one in successors[name]:
            graph.add(one, name)
    try:
        graph.prepare()
    except CycleError as error:
        return error.args[1][1:]
    return []


def peak_bytes(order, reads, sizes):
    import numpy as np

    steps = {name: i for i, name in enumerate(order)}
    change = np.zeros(len(order) + 1, dtype=object)
    users = {name: [] for name in order}
    for reader, inputs in reads.items():
        for one in inputs:
            users[one].append(steps[reader])
    for name in order:
        end = max(users[name], default=len(order) - 1)
        change[steps[name]] += sizes[name]
        change[end + 1] -= sizes[name]
    return max(change.cumsum().tolist())
