import numpy as np


def waves(subgraphs):
    size = len(subgraphs)
    edges = np.zeros((size, size), int)
    for a, first in enumerate(subgraphs):
        for b, second in enumerate(subgraphs):
            edges[a, b] = len([t for t in first[1] if t in second[0]])
    wanted = np.array([s[2] for s in subgraphs], int)
    level = np.full(size, -1)
    step = 0
    while (level < 0).any():
        ready = edges[level >= 0].sum(axis=0)
        runs = (level < 0) & (ready == wanted)
        if not runs.any():
            raise ValueError("these wait for ever: " + str(np.flatnonzero(level < 0)))
        level[runs] = step
        step += 1
    return [np.flatnonzero(level == s).tolist() for s in range(step)]


def fewest(predecessors, devices):
    answers = []
    for turn in (0, 1):
        kinds = sorted(set(devices), reverse=bool(turn))
        rank = []
        for node, before in enumerate(predecessors):
            kind = kinds.index(devices[node])
            r = kind
            for p in before:
                r = max(r, rank[p] if devices[p] == devices[node] else rank[p] + 1)
            rank.append(r)
        groups = {}
        for node, r in enumerate(rank):
            groups.setdefault(r, []).append(node)
        answers.append([(devices[groups[r][0]], groups[r]) for r in sorted(groups)])
    return min(answers, key=len)
