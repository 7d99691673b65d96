def waves(subgraphs):
    counts = {}
    todo = list(range(len(subgraphs)))
    order = []
    while todo:
        wave = [k for k in todo if counts.get(k, 0) == subgraphs[k][2]]
        if len(wave) == 0:
            raise ValueError("cannot go on with %r" % todo)
        todo = [k for k in todo if k not in wave]
        outputs = []
        for k in wave:
            outputs.extend(subgraphs[k][1])
        for k, sub in enumerate(subgraphs):
            counts[k] = counts.get(k, 0) + sum(o in sub[0] for o in outputs)
        order.append(wave)
    return order


def fewest(predecessors, devices):
    if not devices:
        return []
    plan = attempt(predecessors, devices, devices[0])
    for device in devices:
        if device != devices[0]:
            other = attempt(predecessors, devices, device)
            return other if len(other) < len(plan) else plan
    return plan


def attempt(predecessors, devices, current):
    finished, plan = [], []
    names = list(dict.fromkeys(devices))
    while len(finished) != len(devices):
        chunk = []
        for node, device in enumerate(devices):
            if device != current or node in finished:
                continue
            missing = [p for p in predecessors[node] if p not in finished]
            if not missing:
                finished.append(node)
                chunk.append(node)
        if chunk:
            plan.append((current, chunk))
        current = names[(names.index(current) + 1) % len(names)]
    return plan
