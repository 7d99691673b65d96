"""Homework 13: attention with a cache, and a choice among the likely tokens.

Edit this file, then run `python3 course.py check cached_attention` (or top_p). You need numpy only.
Shapes: N texts, H heads, T new tokens, D numbers in each query, key and value, room for R tokens, V tokens in all.
"""

from __future__ import annotations

# <solution>
import math

# </solution>
import numpy as np


def cached_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int
) -> np.ndarray:
    """T new tokens look at all earlier tokens and at themselves: (N, H, T, D) -> (N, H, T, D).

    Parameters
    ----------
    q, k, v : (N, H, T, D) each, the queries, keys and values of the new tokens; T is at least 1.
    keys, values : (N, H, R, D) each, the cache. Places 0 .. count-1 hold the earlier tokens. What the others hold is
        rubbish, perhaps nan, and must not matter.
    count : how many earlier tokens there are.

    Writes k and v to the places count .. count+T-1 of keys and values, in place; all other places stay as they are.
    New token i stands at place count+i, and sees the places 0 .. count+i. It gives to place j the weight

        softmax over j of (q[i] . keys[j]) / sqrt(D)

    and its result is the sum of weight * values[j]. Scores may be large, such as 1000 or -1000, and even so nothing
    overflows. All arrays are float32 or all are float64, and the result has the same type.

    Raises ValueError when count + T is more than R.

    Example: one number for each key, so sqrt(D) is 1; the second token comes in a call of its own
    -------
        keys, values = np.zeros((1, 1, 4, 1)), np.zeros((1, 1, 4, 1))
        one = np.ones((1, 1, 1, 1))
        cached_attention(one, 0 * one, 10 * one, keys, values, 0)            # [[[[10.]]]]
        cached_attention(one, np.log(3) * one, 20 * one, keys, values, 1)    # [[[[17.5]]]]: weights 1/4 and 3/4
        values[0, 0, :, 0]                                                   # [10. 20.  0.  0.]
    """
    # <solution cached_attention>
    tokens, width = q.shape[2:]
    end = count + tokens
    if end > keys.shape[2]:
        raise ValueError(f"cached_attention: {count} + {tokens} tokens do not fit into {keys.shape[2]} places")
    keys[:, :, count:end] = k
    values[:, :, count:end] = v
    scores = q @ keys[:, :, :end].swapaxes(2, 3) / math.sqrt(width)
    ahead = np.arange(end) > np.arange(count, end)[:, None]
    scores = np.where(ahead, -np.inf, scores)
    powers = np.exp(scores - scores.max(axis=3, keepdims=True))
    weights = powers / powers.sum(axis=3, keepdims=True)
    return weights @ values[:, :, :end]
    # </solution>


def in_steps(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    count: int,
    steps: list[int],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Given: cached_attention of so many tokens at a time, all with one cache -> (its results, keys, values).

    q, k, v : (N, H, T, D) each, where T is the sum of steps.
    """
    results, done = [], 0
    for step in steps:
        now = slice(done, done + step)
        results.append(cached_attention(q[:, :, now], k[:, :, now], v[:, :, now], keys, values, count + done))
        done += step
    return np.concatenate(results, axis=2), keys, values


def top_p(probabilities: np.ndarray, p: float) -> np.ndarray:
    """(V,) -> (V,): the smallest set of most probable tokens whose sum reaches p, in proportion; all others 0.

    Parameters
    ----------
    probabilities : (V,), float32 or float64, 0 or more, with the sum 1 (but for rounding).
    p : above 0, at most 1.

    Take the most probable token, then the next, and so on, until the sum of those taken is p or more: the token with
    which it reaches p is taken too. Of equally probable tokens the one with the lower number comes first. Then
    divide by the sum, so that it is 1 again. p = 1 keeps every token, whatever rounding makes of the sum.
    The result is a new array of the same type; each token stays in its place.

    Raises ValueError when p is not above 0, or above 1.

    Example
    -------
        probabilities = np.array([0.125, 0.5, 0.125, 0.25])
        top_p(probabilities, 0.75)                  # [0.     0.6667 0.     0.3333]
        top_p(probabilities, 0.8)                   # [0.1429 0.5714 0.     0.2857]
        top_p(probabilities, 0.3)                   # [0.     1.     0.     0.    ]
    """
    # <solution top_p>
    if not 0 < p <= 1:
        raise ValueError(f"top_p: expected p above 0 and at most 1, found {p}")
    order = np.argsort(-probabilities, kind="stable")
    count = np.searchsorted(np.cumsum(probabilities[order]), p) + 1
    if p == 1:
        count = len(order)
    kept = np.zeros_like(probabilities)
    kept[order[:count]] = probabilities[order[:count]]
    return kept / kept.sum()
    # </solution>
