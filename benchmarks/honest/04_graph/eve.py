def find_cycle(successors):
    # take away everything that leads nowhere, then everything else leads on for ever
    before = {n: [] for n in successors}
    count = {}
    for n in successors:
        count[n] = len(successors[n])
        for s in successors[n]:
            before[s].append(n)
    dead = [n for n in count if count[n] == 0]
    gone = set()
    while dead:
        n = dead.pop()
        gone.add(n)
        for p in before[n]:
            count[p] -= 1
            if count[p] == 0:
                dead.append(p)
    alive = [n for n in successors if n not in gone]
    if not alive:
        return []
    seen = {}
    n = alive[0]
    while n not in seen:
        seen[n] = len(seen)
        n = next(s for s in successors[n] if s not in gone)
    return list(seen)[seen[n]:]


def topological_order(successors):
    # remember for everybody who comes before it
    before = {}
    for n in successors:
        before[n] = set()
    for n in successors:
        for s in successors[n]:
            if s not in before:
                raise KeyError(s)
            before[s].add(n)
    free = [n for n in before if not before[n]]
    done = []
    while len(free) > 0:
        n = free.pop()
        done.append(n)
        for s in set(successors[n]):
            before[s].remove(n)
            if len(before[s]) == 0:
                free.append(s)
    rest = set(before) - set(done)
    if rest:
        # only those with a successor in rest can be on a cycle
        changed = True
        while changed:
            changed = False
            for n in list(rest):
                if not any(s in rest for s in successors[n]):
                    rest.discard(n)
                    changed = True
        raise ValueError("cycle among " + ", ".join(rest))
    return done


def peak_bytes(order, reads, sizes):
    best = 0
    for i in range(len(order)):
        now = 0
        for j in range(i + 1):
            name = order[j]
            readers = [k for k in range(len(order)) if name in reads[order[k]]]
            if not readers or max(readers) >= i:
                now += sizes[name]
        if now > best:
            best = now
    return best
