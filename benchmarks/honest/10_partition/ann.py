def waves(subgraphs):
    n = len(subgraphs)
    ready = [0] * n
    ran = [False] * n
    result = []
    while False in ran:
        wave = []
        for i in range(n):
            if not ran[i] and ready[i] == subgraphs[i][2]:
                wave.append(i)
        if wave == []:
            raise ValueError("deadlock")
        for i in wave:
            ran[i] = True
            for tensor in subgraphs[i][1]:
                for j in range(n):
                    if tensor in subgraphs[j][0]:
                        ready[j] += 1
        result.append(wave)
    return result


def fewest(predecessors, devices):
    best = None
    for start in sorted(set(devices)):
        parts = []
        done = set()
        device = start
        while len(done) < len(devices):
            part = []
            for i in range(len(devices)):
                if i not in done and devices[i] == device and all(p in done for p in predecessors[i]):
                    part.append(i)
                    done.add(i)
            if part:
                parts.append((device, part))
            others = [d for d in set(devices) if d != device]
            if others:
                device = others[0]
        if best is None or len(parts) < len(best):
            best = parts
    return best or []
