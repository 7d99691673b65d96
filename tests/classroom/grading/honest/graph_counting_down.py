"""A list as a stack, counts in a dictionary; memory by looking for readers."""


def topological_order(successors):
    indegree = {}
    for node in successors:
        indegree[node] = 0
    for node in successors:
        for child in successors[node]:
            if child not in indegree:
                raise KeyError(f"unknown operator {child}")
            indegree[child] = indegree[child] + 1
    result = []
    stack = [n for n in indegree if indegree[n] == 0]
    while len(stack) > 0:
        current = stack.pop()
        result.append(current)
        for child in successors[current]:
            indegree[child] = indegree[child] - 1
            if indegree[child] == 0:
                stack.append(child)
    if len(result) != len(successors):
        rest = set(successors) - set(result)
        before = {}
        for other in rest:
            for child in successors[other]:
                before[child] = other
        node = min(rest)
        seen = set()
        while node not in seen:
            seen.add(node)
            node = before[node]
        raise ValueError("there is a cycle through " + node)
    return result


def peak_bytes(order, reads, sizes):
    best = 0
    for i in range(len(order)):
        total = 0
        for j in range(i + 1):
            readers = [k for k in range(len(order)) if order[j] in reads[order[k]]]
            if not readers or max(readers) >= i:
                total += sizes[order[j]]
        if total > best:
            best = total
    return best
