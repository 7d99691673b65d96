from collections import Counter, defaultdict


def waves(subgraphs):
    readers = defaultdict(set)
    for place, (inputs, _, _) in enumerate(subgraphs):
        for t in inputs:
            readers[t].add(place)
    left = {place: count for place, (_, _, count) in enumerate(subgraphs)}
    found = []
    while left:
        now = sorted(place for place, count in left.items() if count == 0)
        if not now:
            raise ValueError(f"sub-graphs {list(left)} never run")
        for place in now:
            del left[place]
        found.append(now)
        told = Counter(r for place in now for t in subgraphs[place][1] for r in readers[t])
        for r, times in told.items():
            if r in left:
                left[r] -= times
    return found


def fewest(predecessors, devices):
    def run(device):
        waiting = dict(enumerate(devices))
        out = []
        while waiting:
            mine = []
            for node, its in list(waiting.items()):
                if its == device and not waiting.keys() & set(predecessors[node]):
                    mine.append(node)
                    waiting.pop(node)
            out += [(device, mine)] if mine else []
            device = next((d for d in devices if d != device), device)
        return out

    return min((run(d) for d in set(devices)), key=len, default=[])
