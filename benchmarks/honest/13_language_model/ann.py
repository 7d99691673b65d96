import numpy as np


def cached_attention(q, k, v, keys, values, count):
    T = q.shape[2]
    if count + T > keys.shape[2]:
        raise ValueError("the cache is full")
    keys[:, :, count : count + T] = k
    values[:, :, count : count + T] = v
    result = np.zeros_like(q)
    for i in range(T):
        end = count + i + 1
        scores = (q[:, :, i : i + 1] * keys[:, :, :end]).sum(axis=-1) / np.sqrt(q.shape[-1])
        scores = scores - scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores)
        weights = weights / weights.sum(axis=-1, keepdims=True)
        result[:, :, i] = (weights[..., None] * values[:, :, :end]).sum(axis=2)
    return result


def top_p(probabilities, p):
    if p <= 0 or p > 1:
        raise ValueError("p must be in (0, 1]")
    result = np.zeros_like(probabilities)
    order = np.argsort(-probabilities, kind="stable")
    total = 0
    for i in order:
        result[i] = probabilities[i]
        total += probabilities[i]
        if total >= p and p < 1:
            break
    return result / result.sum()
