import numpy as np


def cached_attention(q, k, v, keys, values, count):
    new = q.shape[-2]
    until = count + new
    room = keys.shape[-2]
    if until > room:
        raise ValueError("room is too small")
    keys[..., count:until, :], values[..., count:until, :] = k, v
    scores = np.einsum("nhtd,nhrd->nhtr", q, keys[..., :until, :]) / q.dtype.type(q.shape[-1] ** 0.5)
    future = np.arange(until)[None, :] > np.arange(count, until)[:, None]
    scores[..., future] = -np.inf
    scores -= scores.max(-1)[..., None]
    np.exp(scores, out=scores)
    scores /= scores.sum(-1)[..., None]
    return np.einsum("nhtr,nhrd->nhtd", scores, values[..., :until, :])


def top_p(probabilities, p):
    if p > 1 or p <= 0:
        raise ValueError("p is no share")
    order = np.argsort(probabilities, kind="stable")[::-1]
    sums = np.cumsum(probabilities[order])
    number = 1 + np.searchsorted(sums, p)
    if p == 1:
        number = len(order)
    out = np.zeros_like(probabilities)
    best = order[:number]
    out[best] = probabilities[best] / probabilities[best].sum()
    return out
