import math

import numpy as np


def softmax(s):
    e = np.exp(s - np.max(s))
    return e / np.sum(e)


def cached_attention(q, k, v, keys, values, count):
    n, h, t, d = q.shape
    if keys.shape[2] < count + t:
        raise ValueError(f"no room for {t} tokens after {count}")
    out = np.empty(q.shape, q.dtype)
    for a in range(n):
        for b in range(h):
            for i in range(t):
                keys[a, b, count + i] = k[a, b, i]
                values[a, b, count + i] = v[a, b, i]
                seen = slice(0, count + i + 1)
                w = softmax(keys[a, b, seen] @ q[a, b, i] / math.sqrt(d))
                out[a, b, i] = w @ values[a, b, seen]
    return out


def top_p(probabilities, p):
    if not 0 < p <= 1:
        raise ValueError(p)
    if p == 1:
        return probabilities / probabilities.sum()
    ranking = sorted(range(len(probabilities)), key=lambda i: (-probabilities[i], i))
    kept, reached = [], 0.0
    while reached < p and ranking:
        token = ranking.pop(0)
        kept.append(token)
        reached += float(probabilities[token])
    mask = np.zeros(len(probabilities), bool)
    mask[kept] = True
    chosen = np.where(mask, probabilities, 0)
    return (chosen / chosen.sum()).astype(probabilities.dtype)
