"""Depth first with colours and a stack of iterators; memory by counting uses."""

WHITE, GREY, BLACK = range(3)


def topological_order(successors):
    colour = {name: WHITE for name in successors}
    done = []
    for root in successors:
        if colour[root] != WHITE:
            continue
        colour[root] = GREY
        path = [(root, iter(successors[root]))]
        while path:
            name, rest = path[-1]
            for nxt in rest:
                if nxt not in colour:
                    raise KeyError(nxt)
                if colour[nxt] == GREY:
                    raise ValueError(f"{nxt} lies on a cycle")
                if colour[nxt] == WHITE:
                    colour[nxt] = GREY
                    path.append((nxt, iter(successors[nxt])))
                    break
            else:
                colour[name] = BLACK
                done.append(name)
                path.pop()
    return done[::-1]


def peak_bytes(order, reads, sizes):
    uses = {name: 0 for name in order}
    for name in order:
        for r in set(reads[name]):
            uses[r] += 1
    held, peak = 0, 0
    for name in order:
        held += sizes[name]
        if held > peak:
            peak = held
        for r in set(reads[name]):
            uses[r] -= 1
            if uses[r] == 0:
                held -= sizes[r]
    return peak
