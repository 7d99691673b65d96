def plan_memory(lives, sizes):
    if not lives:
        return {}
    total = sum(sizes.values())
    steps = max(last for _, last in lives.values()) + 1
    blocks = [[] for _ in range(steps)]
    answer = {}
    for size, name in sorted(((sizes[n], n) for n in lives), reverse=True):
        first, last = lives[name]
        spans = sorted({span for step in range(first, last + 1) for span in blocks[step]})
        at = 0
        for low, high in [*spans, (total + size, None)]:
            if at + size <= low:
                break
            at = max(at, high)
        answer[name] = at
        for step in range(first, last + 1):
            blocks[step].append((at, at + size))
    return answer


def fold_batchnorm(weight, bias, gamma, beta, mean, var, eps=1e-5):
    s = gamma * (var + eps) ** -0.5
    folded = (weight.reshape(len(s), -1) * s.reshape(-1, 1)).reshape(weight.shape)
    shift = beta - mean * s
    if bias is not None:
        shift = shift + bias * s
    return folded.astype(weight.dtype), shift.astype(weight.dtype)
