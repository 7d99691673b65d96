"""Homework 13: attention with a cache, and a choice among the likely tokens.

Edit this file, then run `python3 course.py check cached_attention` (or top_p). You need numpy only.
Shapes: N texts, H heads, T new tokens, D numbers in each query, key and value, room for R tokens, V tokens in all.
"""

from __future__ import annotations

import contextlib

import numpy as np


def cached_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int
) -> np.ndarray:
    """T new tokens look at all earlier tokens and at themselves: (N, H, T, D) -> (N, H, T, D).

    Parameters
    ----------
    q, k, v : (N, H, T, D) each, the queries, keys and values of the new tokens; T is at least 1. All arrays are
        float32, or all are float64.
    keys, values : (N, H, R, D) each, the cache. Places 0 .. count-1 hold the earlier tokens.
    count : how many earlier tokens there are.

    Example: one number for each key, so sqrt(D) is 1; the second token comes in a call of its own
    -------
        keys, values = np.zeros((1, 1, 4, 1)), np.zeros((1, 1, 4, 1))
        one = np.ones((1, 1, 1, 1))
        cached_attention(one, 0 * one, 10 * one, keys, values, 0)            # [[[[10.]]]]
        cached_attention(one, np.log(3) * one, 20 * one, keys, values, 1)    # [[[[17.5]]]]: weights 1/4 and 3/4
        values[0, 0, :, 0]                                                   # [10. 20.  0.  0.]

    Rules
    -----
    attention : new token i gives to each place j that it sees the weight softmax over j of (q[i] . keys[j]) / sqrt(D),
        and its result is the sum of weight * values[j].
    sees : new token i stands at place count + i and sees the places 0 .. count + i: all earlier tokens, the new ones
        before it, and itself.
    apart : each text, each head and each query has its own softmax.
    large : scores may be 1000 or -1000, also for two queries, heads or texts of one call, and even so nothing
        overflows, and large scores that differ give different weights.
    written : k and v are written to the places count .. count+T-1 of `keys` and `values`, in place: the caller keeps
        the two arrays, which may be parts of larger ones, and comes back with the next token.
    others : all other places of the cache stay as they were.
    unused : what the places behind the new tokens hold is rubbish, perhaps nan or infinity, and does not matter.
    arguments : q, k and v stay as they were.
    full : where count + T is more than R, raise ValueError, and nothing is written; exactly R tokens fit.
    dtype : the result has the dtype of q.
    exact : for scores of a few units the result is off by less than 2e-5 in float32, and 1e-10 in float64.
    """
    # TODO cached_attention (Task 13.1)
    raise NotImplementedError("cached_attention: TODO")


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


def in_larger_arrays(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, heads: int, room: int, step: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Given: what cached_attention leaves in caches of zeros: the first heads, and every `step`-th place, of others."""
    texts, used, _, width = q.shape
    keys, values = (np.zeros((texts, heads, step * room, width), q.dtype)[:, :used, ::step] for _ in "kv")
    cached_attention(q, k, v, keys, values, count)
    return keys.copy(), values.copy()


def new_tokens_afterwards(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Given: q, k and v after a call of cached_attention."""
    cached_attention(q, k, v, keys, values, count)
    return q, k, v


def cache_after_refusal(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Given: keys and values after a call of cached_attention that raises ValueError."""
    with contextlib.suppress(ValueError):
        cached_attention(q, k, v, keys, values, count)
    return keys, values


def top_p(probabilities: np.ndarray, p: float) -> np.ndarray:
    """(V,) -> (V,): the smallest set of most probable tokens whose sum reaches p, in proportion; all others 0.

    Parameters
    ----------
    probabilities : (V,), float32 or float64, 0 or more, with the sum 1, or nearly so: rounding may leave 0.999.
    p : above 0, at most 1.

    Example
    -------
        probabilities = np.array([0.125, 0.5, 0.125, 0.25])
        top_p(probabilities, 0.75)                  # [0.     0.6667 0.     0.3333]
        top_p(probabilities, 0.8)                   # [0.1429 0.5714 0.     0.2857]
        top_p(probabilities, 0.3)                   # [0.     1.     0.     0.    ]

    Rules
    -----
    reached : the most probable tokens are kept, one after the other, until their sum is p or more; the token with
        which it reaches p is kept, too. Where the sum of all is below p, all are kept.
    float64 : the sum that is compared with p is taken in float64.
    smallest : no further token is kept, also where the sum is p exactly.
    equals : of equally probable tokens the one with the lower number comes first.
    proportion : the kept probabilities are divided by their sum, so that they sum to 1; all others are 0.
    places : each token stays in its place.
    one : p = 1 keeps every token, whatever rounding makes of the sum.
    refused : a p that is 0 or below, above 1, or nan raises ValueError.
    dtype : the result has the dtype of `probabilities`.
    new : the result is a new array, also for p = 1; `probabilities` stays as it was.
    """
    # TODO top_p (Task 13.2, a bonus)
    raise NotImplementedError("top_p: TODO")


def top_p_and_probabilities(probabilities: np.ndarray, p: float) -> tuple[np.ndarray, np.ndarray, bool]:
    """Given: what top_p makes of the probabilities, the probabilities afterwards, and whether they share memory."""
    result = top_p(probabilities, p)
    return result, probabilities, np.shares_memory(result, probabilities)
