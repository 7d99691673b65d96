r"""New tokens look at all that the cache remembers, and at themselves: why the solution is as it is.

Three lines do the remembering, and the other six are the attention of the lesson. `end = count + T` is the first
place behind the text; everything after it in the cache is cut off by `[:, :, :end]`, so no mask is needed for unused
places. That is safer than a mask: a weight of 0 times nan is nan.

**The mask** compares places with places. Scores have the shape (N, H, T, end): row i is the new token at place count
+ i, column j is place j, and what has j > count + i is hidden:

    ahead = np.arange(end) > np.arange(count, end)[:, None]

With count = 0 it is the triangle above the diagonal. With T = 1 it is one row of False: a network that writes token
by token masks nothing. That is why a wrong mask so often goes unnoticed; it shows when several tokens come after
earlier ones.

Where it goes wrong:

| mistake | when nobody notices |
|---|---|
| no division by sqrt(D), or by D | never, but everything still looks reasonable: the text only gets worse |
| mask of new tokens against new tokens only | for an empty cache, and for T = 1 where it hides all but place 0 |
| a score of 0 for what is hidden, instead of -inf | never: e^0 is 1 |
| weights set to 0 after the softmax | never: they do not sum to 1 |
| softmax along another axis | where that axis is as long, the shapes fit |
| no largest score subtracted | until a score passes 88 (float32) or 709 (float64) |
| one largest score for all queries | until two queries lie further apart than that: 0 / 0 |
| `keys = np.concatenate(...)` | in a single call: the result is right, and the next call knows nothing of it |
| `keys.reshape(..., D, end)` for a transpose | where D = end the shapes fit, and always the numbers are wrong |
| `/ np.sqrt(D)` | only the type tells: float64, and the pass takes twice the time and memory |
| no test for room | T = 1 and a full cache: the slice is empty, and numpy broadcasts one token into nothing |

**Why -inf.** e^-inf is 0 exactly, so what is hidden has no weight and does not count in the sum. Each token sees
itself, so no row is all -inf, and none becomes 0 / 0.

**Cost.** The scores take N H T end D multiplications, and the values as many. For one new token that is linear in the
length of the text; without a cache all queries, keys and values of the text would be computed again for each token.
The price is memory: 2 N H R D numbers for each layer.

**In real networks** several heads of queries share one of keys and values (grouped queries), the keys are rotated by
their position before they are written, and the cache lies in pages, so that texts of different lengths do not waste
room ([PagedAttention](https://arxiv.org/abs/2309.06180)). Fast kernels never store the scores: they walk along the
keys and keep a running largest score, sum and result ([FlashAttention](https://arxiv.org/abs/2205.14135)).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from ..public import drawn
from .shared import between

Sees = Callable[[int, int], bool]
CLOSE = 1e-3
"""A wrong result that is nearer than this to the right one explains nothing."""


def written(cache: np.ndarray, new: np.ndarray, place: int) -> np.ndarray:
    """The cache with `new` in the places from `place` on."""
    changed = cache.copy()
    changed[:, :, place : place + new.shape[2]] = new[:, :, : changed.shape[2] - place]
    return changed


def shares(scores: list[float]) -> list[float]:
    """Softmax of a few numbers, one after the other."""
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def attended(
    q: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    places: int,
    sees: Sees,
    scale: float | None = None,
    hidden: float | None = None,
) -> np.ndarray:
    """Each query looks at those of the first `places` places that it sees: what it finds, one query at a time.

    hidden : the score of the other places; None: they do not take part.
    """
    y = np.full(q.shape, np.nan)
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else scale
    for n, h, i in np.ndindex(q.shape[:3]):
        scores = {
            j: scale * math.fsum((q[n, h, i] * keys[n, h, j]).tolist()) if sees(i, j) else hidden for j in range(places)
        }
        found = {j: score for j, score in scores.items() if score is not None}
        if found:
            weights = shares(list(found.values()))
            y[n, h, i] = sum(weight * values[n, h, j].astype(np.float64) for weight, j in zip(weights, found))
    return y.astype(q.dtype)


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int
) -> np.ndarray:
    """What has to come out."""
    keys, values = written(keys, k, count), written(values, v, count)
    return attended(q, keys, values, count + q.shape[2], lambda i, j: j <= count + i)


def over_queries(
    q: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    count: int,
    largest: int | None = 2,
    total: int | None = 2,
) -> np.ndarray:
    """A wrong one: the largest score, or the sum, or both are not taken over axis 3, but over the queries, axis 2.

    None : over all axes.
    """
    places = count + q.shape[2]
    scores = q.astype(np.float64) @ keys[:, :, :places].swapaxes(2, 3) / math.sqrt(q.shape[3])
    scores[:, :, np.arange(places) > count + np.arange(q.shape[2])[:, None]] = -np.inf
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        powers = np.exp(scores - scores.max(axis=largest, keepdims=True))
        return (powers / powers.sum(axis=total, keepdims=True) @ values[:, :, :places]).astype(q.dtype)


def zeroed_afterwards(q: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """A wrong one: softmax over all places in use, and only then a weight of 0 for what is hidden."""
    places = count + q.shape[2]
    scores = q.astype(np.float64) @ keys[:, :, :places].swapaxes(2, 3) / math.sqrt(q.shape[3])
    powers = np.exp(scores - scores.max(axis=3, keepdims=True))
    weights = powers / powers.sum(axis=3, keepdims=True)
    weights[:, :, np.arange(places) > count + np.arange(q.shape[2])[:, None]] = 0
    return (weights @ values[:, :, :places]).astype(q.dtype)


def without_its_axis(q: np.ndarray, keys: np.ndarray, values: np.ndarray, largest: bool, total: bool) -> np.ndarray:
    """A wrong one: the largest score, or the sum, loses its axis, and so column j gets that of query j.

    The shapes fit by chance, for one text with one head, and as many queries as places.
    """
    scores = q.astype(np.float64) @ keys.swapaxes(2, 3) / math.sqrt(q.shape[3])
    scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=3, keepdims=not largest))
    return (powers / powers.sum(axis=3, keepdims=not total) @ values).astype(q.dtype)


def attention_mistakes(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int
) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    old_keys, old_values = keys, values
    keys, values = written(keys, k, count), written(values, v, count)
    end, width = count + q.shape[2], q.shape[3]

    def causal(i: int, j: int) -> bool:
        return j <= count + i

    found = {
        "the scores are not divided by sqrt(D)": attended(q, keys, values, end, causal, 1.0),
        "the scores are divided by D: it is sqrt(D)": attended(q, keys, values, end, causal, 1 / width),
        "the scores are divided by sqrt(H D): D is the width of one head, sqrt(D)": attended(
            q, keys, values, end, causal, 1 / math.sqrt(q.shape[1] * width)
        ),
        "the mask is upside down: a new token sees the places before it, j <= count + i, not those after it": attended(
            q, keys, values, end, lambda i, j: j >= count + i
        ),
        "True and False of the mask are exchanged: what is hidden is j > count + i": attended(
            q, keys, values, end, lambda i, j: j > count + i
        ),
        "nothing is masked: a new token must not see those after it": attended(q, keys, values, end, lambda i, j: True),
        "nothing is masked, and places that are not in use have a weight: take the first count + T places, and hide "
        "from each new token those after it": attended(q, keys, values, keys.shape[2], lambda i, j: True),
        "a new token does not see itself: j <= count + i, not <": attended(
            q, keys, values, end, lambda i, j: j < count + i
        ),
        "a new token sees the one after it: j <= count + i": attended(
            q, keys, values, end, lambda i, j: j <= count + i + 1
        ),
        "the mask hides earlier tokens too: new token i stands at place count + i, not at i": attended(
            q, keys, values, end, lambda i, j: j <= i
        ),
        "each new token sees as far as the first of them: new token i sees the places 0 .. count + i": attended(
            q, keys, values, end, lambda i, j: j <= count
        ),
        "the new tokens see only each other: what is in the cache belongs to them too": attended(
            q, keys, values, end, lambda i, j: count <= j <= count + i
        ),
        "the new tokens see only the cache as it was: write k and v, both, and then look": attended(
            q, old_keys, old_values, end, causal
        ),
        "the scores were computed before k was written to the keys: write first, then look": attended(
            q, old_keys, values, end, causal
        ),
        "the values of the new tokens are not among those that are summed: write v, too, before you look": attended(
            q, keys, old_values, end, causal
        ),
        "hidden scores are 0, and e^0 is a weight of 1: hide with -np.inf": attended(
            q, keys, values, end, causal, hidden=0.0
        ),
        "the new tokens are written from place 0 on: they belong behind the earlier ones": attended(
            q, written(old_keys, k, 0), written(old_values, v, 0), end, causal
        ),
        "the new tokens are written one place too far: the first of them belongs to place count": attended(
            q, written(old_keys, k, count + 1), written(old_values, v, count + 1), end, causal
        ),
        "only the first new token is written: all T of them go to the places count .. count+T-1": attended(
            q, written(old_keys, k[:, :, :1], count), written(old_values, v[:, :, :1], count), end, causal
        ),
        "places behind the new tokens have a weight: only the first count + T are in use": attended(
            q, keys, values, keys.shape[2], lambda i, j: causal(i, j) or j >= end
        ),
        "keys are used where values belong: weight * values[j], and v is written there": attended(
            q, keys, keys, end, causal
        ),
        "k is written to the values, too: v belongs there": attended(
            q, keys, written(old_values, k, count), end, causal
        ),
        "v is written to the keys, too: k belongs there": attended(q, written(old_keys, v, count), values, end, causal),
        "weights are set to 0 after the softmax, and no longer sum to 1: hide the SCORES, before it": (
            zeroed_afterwards(q, keys, values, count)
        ),
        "softmax runs over the queries: the weights of ONE query sum to 1, axis=-1": over_queries(
            q, keys, values, count
        ),
        "the sum runs over the queries: the weights of ONE query sum to 1, axis=-1": over_queries(
            q, keys, values, count, largest=3
        ),
        "the sum runs over all queries and heads: the weights of ONE query sum to 1, sum(axis=-1, keepdims=True)": (
            over_queries(q, keys, values, count, largest=3, total=None)
        ),
        "softmax runs over all queries and heads at once: the weights of ONE query sum to 1, axis=-1": (
            over_queries(q, keys, values, count, largest=None, total=None)
        ),
        "softmax runs over the heads, axis 1: the weights of ONE query sum to 1, axis=-1": (
            over_queries(q, keys, values, count, largest=1, total=1)
        ),
        "the largest score is taken over the queries: subtract the same number from all scores of ONE query, axis=-1": (
            over_queries(q, keys, values, count, total=3)
        ),
    }
    if q.shape[:2] == (1, 1) and count == 0:
        for largest, total, of in ((False, True, "sum"), (True, False, "max"), (True, True, "max and sum")):
            cause = f"{of} without keepdims=True: column j gets the number of query j, not of the query of its row"
            found[cause] = without_its_axis(q, keys[:, :, :end], values[:, :, :end], largest, total)
    expected = attention(q, k, v, old_keys, old_values, count)
    return {cause: wrong for cause, wrong in found.items() if not np.allclose(wrong, expected, CLOSE, CLOSE)}


def large_mistakes(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int
) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for large scores, where that is not what has to come out."""
    expected = attention(q, k, v, keys, values, count)
    keys, values, end = written(keys, k, count), written(values, v, count), count + q.shape[2]
    scores = q @ keys[:, :, :end].swapaxes(2, 3) / q.dtype.type(math.sqrt(q.shape[3]))
    hidden = np.arange(end) > np.arange(count, end)[:, None]
    found = {}
    visible = np.where(hidden, -np.inf, scores)
    powers = np.exp(visible - visible.max())
    with np.errstate(invalid="ignore"):
        wrong = powers / powers.sum(axis=3, keepdims=True) @ values[:, :, :end]
    if not np.allclose(wrong, expected, 1e-2, 1e-2):
        cause = (
            "one largest score is subtracted for several queries, as max() does: where all scores of a query lie far "
            "below it, each becomes e^-1000, which is 0, and 0 / 0 is nan. Each query has its own largest: "
            "max(axis=-1, keepdims=True)"
        )
        found[cause] = wrong.astype(q.dtype)
    for most in (50, 80, 88, 100, 500, 700):
        clipped = np.where(hidden, -np.inf, np.clip(scores, -most, most))
        powers = np.exp(clipped - clipped.max(axis=3, keepdims=True))
        wrong = powers / powers.sum(axis=3, keepdims=True) @ values[:, :, :end]
        if not np.allclose(wrong, expected, 1e-2, 1e-2):
            cause = f"scores were clipped, to {most} or so: those above become equal. Subtract the largest instead"
            found[cause] = wrong.astype(q.dtype)
    for most, what in ((-100, "a number such as 0 or -100"), (-1000, "-1000 or so")):
        masked = np.where(hidden, most, scores)
        powers = np.exp(masked - masked.max(axis=3, keepdims=True))
        wrong = powers / powers.sum(axis=3, keepdims=True) @ values[:, :, :end]
        if not np.allclose(wrong, expected, 1e-2, 1e-2):
            cause = f"hidden scores are {what}, and visible ones may be lower: hide with -np.inf"
            found[cause] = wrong.astype(q.dtype)
    return found


def cache_mistakes(
    name: str, cache: np.ndarray, new: np.ndarray, other: np.ndarray, count: int
) -> dict[str, np.ndarray]:
    """Likely cause -> the cache of that name, "keys" or "values", that it leaves behind; `other` : v for k, k for v."""
    tokens, room = new.shape[2], cache.shape[2]
    letter = name[0]
    end = count + tokens
    found = {
        f"{name} is as it was: {name}[:, :, count : count + T] = {letter} writes in place; `{name} = ...` makes "
        "another array, and a copy is not the caller's": cache,
        "the new tokens are written from place 0 on: they belong behind the earlier ones": written(cache, new, 0),
        "the new tokens are written to the last places: they belong to count .. count+T-1": written(
            cache, new, room - tokens
        ),
        "the new tokens are written one place too far": written(cache, new, count + 1),
        "k is written where v belongs, or v where k belongs": written(cache, other, count),
        "the places behind the new tokens were changed too": np.concatenate(
            [written(cache, new, count)[:, :, :end], np.zeros_like(cache[:, :, end:])], axis=2
        ),
    }
    right = written(cache, new, count)
    return {cause: wrong for cause, wrong in found.items() if not np.array_equal(wrong, right)}


def steps_mistakes(q: np.ndarray, k: np.ndarray, v: np.ndarray, steps: list[int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for a text in these steps, from an empty cache on."""
    ends = np.repeat(np.cumsum(steps), steps)
    found = {
        "each step sees only its own tokens: is the cache written, and read?": attended(
            q, k, v, len(ends), lambda i, j: j <= i and ends[j] == ends[i]
        ),
        "the tokens of one step see each other, also those after them": attended(
            q, k, v, len(ends), lambda i, j: j < ends[i]
        ),
    }
    expected = attended(q, k, v, len(ends), lambda i, j: j <= i)
    return {cause: wrong for cause, wrong in found.items() if not np.allclose(wrong, expected, CLOSE, CLOSE)}


def of_whole_text(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Causal attention over all tokens at once."""
    wide = (x.astype(np.longdouble) for x in (q, k, v))
    q64, k64, v64 = wide
    scores = np.einsum("nhid,nhjd->nhij", q64, k64) / np.sqrt(np.longdouble(q.shape[3]))
    scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=3, keepdims=True))
    return np.einsum("nhij,nhjd->nhid", powers / powers.sum(axis=3, keepdims=True), v64).astype(q.dtype)


def split_at(x: np.ndarray, count: int, room: int, rest: float) -> tuple[np.ndarray, np.ndarray]:
    """A text's keys (or values) -> those after place `count`, and a cache with those before it and `rest` behind."""
    cache = np.full((*x.shape[:2], room, x.shape[3]), rest, x.dtype)
    cache[:, :, :count] = x[:, :, :count]
    return x[:, :, count:], cache


def expect_text(
    student: Student, q: np.ndarray, k: np.ndarray, v: np.ndarray, count: int, room: int, rest: float = np.nan
) -> None:
    """Raise Failure unless the tokens after `count` find what they find in the text as a whole."""
    (new_k, keys), (new_v, values) = split_at(k, count, room, rest), split_at(v, count, room, rest)
    expected = of_whole_text(q, k, v)[:, :, count:]
    got = student.cached_attention(q[:, :, count:].copy(), new_k.copy(), new_v.copy(), keys, values, count)
    tolerance = 2e-5 if q.dtype == np.float32 else 1e-10
    what = f"q {q[:, :, count:].shape} after {count} tokens, room for {room}, the rest of the cache {rest}"
    expect(got, expected, rtol=tolerance, atol=tolerance, what=what)


@task("cached_attention")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """The result is right for any number of texts, heads, tokens, places and widths, also where they are 1."""
    for _ in range(25):
        n, heads, count, tokens, width = (between(rng, low, 5) for low in (1, 1, 0, 1, 1))
        q, k, v = (drawn(rng, n, heads, count + tokens, width) for _ in range(3))
        expect_text(student, q, k, v, count, count + tokens + between(rng, 0, 3))


@task("cached_attention")
def rubbish_in_unused_places(student: Student, rng: np.random.Generator) -> None:
    """What the unused places hold does not matter: zeros, large numbers, infinity, nan."""
    q, k, v = (drawn(rng, 2, 3, 6, 4) for _ in range(3))
    for rest in (0.0, 1e30, -np.inf, np.nan):
        for count in (0, 4):
            expect_text(student, q, k, v, count, 9, rest)


@task("cached_attention")
def floats_of_both_types(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype in (np.float32, np.float64):
        q, k, v = (drawn(rng, 2, 2, 7, 8, dtype=dtype) for _ in range(3))
        expect_text(student, q, k, v, 3, 8)
        expect_text(student, q, k, v, 6, 7)


@task("cached_attention")
def a_text_in_any_steps(student: Student, rng: np.random.Generator) -> None:
    """However a text is cut into steps, the results, the keys and the values at the end are the same."""
    for _ in range(6):
        before, steps, spare = between(rng, 0, 3), rng.integers(1, 5, 5).tolist(), between(rng, 0, 2)
        length = before + sum(steps)
        q, k, v = (drawn(rng, 2, 2, length, 3) for _ in range(3))
        (new_k, keys), (new_v, values) = (split_at(x, before, length + spare, np.nan) for x in (k, v))
        y, *after = student.in_steps(q[:, :, before:].copy(), new_k.copy(), new_v.copy(), keys, values, before, steps)
        what = f"in steps of {steps} after {before} tokens"
        for name, got, cache, whole in (("keys", after[0], keys, k), ("values", after[1], values, v)):
            wanted = cache.copy()
            wanted[:, :, :length] = whole
            expect(got, wanted, what=f"{name} {what}")
        expect(y, of_whole_text(q, k, v)[:, :, before:], rtol=2e-5, atol=2e-5, what=f"the result {what}")


@task("cached_attention")
def each_query_by_itself(student: Student, rng: np.random.Generator) -> None:
    """Queries whose scores lie a thousand apart do not disturb each other, and a row of very low scores is a row."""
    for dtype in (np.float32, np.float64):
        q, k, v = (drawn(rng, 1, 3, 6, 4, dtype=dtype) for _ in range(3))
        q[:, :, :, 0], k[:, :, :, 0] = rng.permutation([-1500, -600, 0, 40, 900, 2000])[:6], 4
        k[:, :, :, 1:] += rng.integers(-2, 3, (1, 3, 6, 3))
        for count in (0, 3):
            (new_k, keys), (new_v, values) = (split_at(x, count, 7, np.nan) for x in (k, v))
            got = student.cached_attention(q[:, :, count:].copy(), new_k.copy(), new_v.copy(), keys, values, count)
            expected = of_whole_text(q, k, v)[:, :, count:]
            tolerance = 1e-2 if dtype == np.float32 else 1e-9  # scores of some 4,000 have few digits after the point
            expect(got, expected, rtol=tolerance, atol=tolerance, what=f"scores far apart, after {count} tokens")


@task("cached_attention")
def a_full_cache_takes_no_more(student: Student, rng: np.random.Generator) -> None:
    """Tokens for which there is no room raise an exception, however many there are, and in any call."""
    for count, tokens, room in ((3, 1, 3), (1, 1, 1), (0, 2, 1), (2, 4, 5)):
        q = drawn(rng, 1, 2, tokens, 3)
        cache = drawn(rng, 1, 2, room, 3)
        expect_refused(student.cached_attention, q, q, q, cache, cache.copy(), count)
    q = drawn(rng, 1, 1, 5, 2)
    cache = drawn(rng, 1, 1, 4, 2)
    expect_refused(student.in_steps, q, q, q, cache, cache.copy(), 0, [1, 1, 1, 1, 1])


SCORES = "    scores = q @ keys[:, :, :end].swapaxes(2, 3) / math.sqrt(width)\n"
WRITE_K = "    keys[:, :, count:end] = k\n"
AHEAD = "    ahead = np.arange(end) > np.arange(count, end)[:, None]\n"
MASK = "    scores = np.where(ahead, -np.inf, scores)\n"
POWERS = "    powers = np.exp(scores - scores.max(axis=3, keepdims=True))\n"
WEIGHTS = "    weights = powers / powers.sum(axis=3, keepdims=True)\n"
WRITE = "    keys[:, :, count:end] = k\n    values[:, :, count:end] = v\n"
WRITE_V = "    values[:, :, count:end] = v\n"
RETURN = "    return weights @ values[:, :, :end]\n"
FITS = "    if end > keys.shape[2]:\n"

MUTANTS = [
    Mutant(
        "mask_exchanged",
        "hides what a new token sees, and shows what comes later",
        old=MASK,
        new="    scores = np.where(ahead, scores, -np.inf)\n",
    ),
    Mutant(
        "sum_over_everything",
        "one sum for all texts, heads and queries",
        old=WEIGHTS,
        new="    weights = powers / powers.sum()\n",
        breaks="apart",
    ),
    Mutant(
        "softmax_over_everything",
        "one softmax for all texts, heads and queries",
        old=POWERS + WEIGHTS,
        new="    powers = np.exp(scores - scores.max())\n    weights = powers / powers.sum()\n",
        breaks="apart",
    ),
    Mutant(
        "all_axes_turned",
        "multiplies by keys.T, which turns all four axes around",
        old=SCORES,
        new="    scores = q @ keys[:, :, :end].T / math.sqrt(width)\n",
    ),
    Mutant(
        "k_twice",
        "writes k to the values, too",
        old=WRITE_V,
        new="    values[:, :, count:end] = k\n",
    ),
    Mutant(
        "v_twice",
        "writes v to the keys, too",
        old=WRITE_K,
        new="    keys[:, :, count:end] = v\n",
    ),
    Mutant(
        "no_scaling",
        "forgets sqrt(D)",
        old=SCORES,
        new="    scores = q @ keys[:, :, :end].swapaxes(2, 3)\n",
        breaks="attention",
    ),
    Mutant(
        "scaled_by_width",
        "divides by D",
        old=SCORES,
        new="    scores = q @ keys[:, :, :end].swapaxes(2, 3) / width\n",
        breaks="attention",
    ),
    Mutant(
        "scaled_by_tokens",
        "divides by the root of the number of places",
        old=SCORES,
        new="    scores = q @ keys[:, :, :end].swapaxes(2, 3) / math.sqrt(end)\n",
    ),
    Mutant(
        "scaled_by_numpy",
        "numpy's square root is a float64, and all after it",
        old=SCORES,
        new="    scores = q @ keys[:, :, :end].swapaxes(2, 3) / np.sqrt(width)\n",
        breaks="dtype",
    ),
    Mutant(
        "scaled_twice",
        "scales queries and scores",
        old=SCORES,
        new="    scores = q / math.sqrt(width) @ keys[:, :, :end].swapaxes(2, 3) / math.sqrt(width)\n",
    ),
    Mutant(
        "keys_scaled_in_the_cache",
        "scales the keys before they are written",
        old=WRITE_K,
        new=("    k = k / math.sqrt(width)\n    width = 1\n    keys[:, :, count:end] = k\n"),
    ),
    Mutant(
        "no_mask",
        "new tokens see what comes after them",
        old=AHEAD,
        new="    ahead = np.zeros((tokens, end), bool)\n",
        breaks="sees",
    ),
    Mutant(
        "blind_to_itself",
        "a token does not see itself",
        old=AHEAD,
        new="    ahead = np.arange(end) >= np.arange(count, end)[:, None]\n",
        breaks="sees",
    ),
    Mutant(
        "sees_the_next",
        "the mask is one place late",
        old=AHEAD,
        new="    ahead = np.arange(end) > np.arange(count + 1, end + 1)[:, None]\n",
    ),
    Mutant(
        "mask_over_the_past",
        "forgets that new token i stands at count + i",
        old=AHEAD,
        new="    ahead = np.arange(end) > np.arange(tokens)[:, None]\n",
        breaks="sees",
    ),
    Mutant(
        "mask_turned",
        "hides the past and shows the future",
        old=AHEAD,
        new="    ahead = np.arange(end) < np.arange(count, end)[:, None]\n",
    ),
    Mutant(
        "mask_only_for_whole_texts",
        "masks only where the cache is empty",
        old=AHEAD,
        new=("    ahead = np.arange(end) > np.arange(count, end)[:, None]\n    ahead &= count == 0\n"),
    ),
    Mutant(
        "masked_to_zero",
        "a score of 0 is no weight of 0",
        old=MASK,
        new="    scores = np.where(ahead, 0, scores)\n",
    ),
    Mutant(
        "masked_too_late",
        "sets weights to 0, which then do not sum to 1",
        old=(
            "    scores = np.where(ahead, -np.inf, scores)\n"
            "    powers = np.exp(scores - scores.max(axis=3, keepdims=True))\n"
            "    weights = powers / powers.sum(axis=3, keepdims=True)\n"
        ),
        new=(
            "    powers = np.exp(scores - scores.max(axis=3, keepdims=True))\n"
            "    weights = powers / powers.sum(axis=3, keepdims=True)\n"
            "    weights = np.where(ahead, 0, weights)\n"
        ),
    ),
    Mutant(
        "masked_not_enough",
        "hides with -10, which is a small weight",
        old=MASK,
        new="    scores = np.where(ahead, scores - 10, scores)\n",
    ),
    Mutant(
        "softmax_over_queries",
        "the weights of a key sum to 1",
        old=POWERS,
        new=(
            "    powers = np.exp(scores - scores.max())\n"
            "    powers /= powers.sum(axis=2, keepdims=True)\n"
            "    return powers @ values[:, :, :end]\n"
        ),
    ),
    Mutant(
        "softmax_over_everything",
        "all weights of a head sum to 1",
        old=WEIGHTS,
        new="    weights = powers / powers.sum(axis=(2, 3), keepdims=True)\n",
    ),
    Mutant(
        "softmax_over_heads",
        "the weights of all heads sum to 1",
        old=WEIGHTS,
        new="    weights = powers / powers.sum(axis=1, keepdims=True)\n",
        breaks="apart",
    ),
    Mutant(
        "no_softmax",
        "the weights do not sum to 1",
        old=WEIGHTS,
        new="    weights = powers\n",
    ),
    Mutant(
        "unstable",
        "does not subtract the largest score",
        old=POWERS,
        new="    powers = np.exp(scores)\n",
        breaks="large",
    ),
    Mutant(
        "one_maximum_for_all",
        "subtracts the largest score of all queries",
        old=POWERS,
        new="    powers = np.exp(scores - scores.max())\n",
        breaks="large",
    ),
    Mutant(
        "one_maximum_for_all_heads",
        "subtracts the largest score of all heads and keys",
        old=POWERS,
        new="    powers = np.exp(scores - scores.max(axis=(1, 3), keepdims=True))\n",
        breaks="large",
    ),
    Mutant(
        "one_maximum_for_all_texts",
        "subtracts the largest score of all texts, heads and keys",
        old=POWERS,
        new="    powers = np.exp(scores - scores.max(axis=(0, 1, 3), keepdims=True))\n",
        breaks="large",
    ),
    Mutant(
        "texts_and_heads_mixed",
        "reshapes where it should swap texts and heads",
        old=RETURN,
        new=(
            "    n, h = weights.shape[:2]\n"
            "    return weights @ values[:, :, :end].reshape(h, n, end, -1).swapaxes(0, 1)\n"
        ),
        breaks="apart",
    ),
    Mutant(
        "contiguous",
        "writes into a contiguous copy, where the cache is a part of a larger array",
        old=WRITE,
        new="    keys, values = np.ascontiguousarray(keys), np.ascontiguousarray(values)\n" + WRITE,
        breaks="written",
    ),
    Mutant(
        "heads_joined",
        "writes into the cache reshaped to N H texts, a copy where it is some heads of more",
        old=WRITE,
        new=(
            "    n, h, room, _ = keys.shape\n"
            "    keys, values = keys.reshape(n * h, room, width), values.reshape(n * h, room, width)\n"
            "    keys[:, count:end] = k.reshape(n * h, tokens, -1)\n"
            "    values[:, count:end] = v.reshape(n * h, tokens, -1)\n"
            "    keys, values = keys.reshape(n, h, room, width), values.reshape(n, h, room, width)\n"
        ),
        breaks="written",
    ),
    Mutant(
        "clipped",
        "keeps scores between -80 and 80",
        old=POWERS,
        new="    powers = np.exp(np.where(np.isfinite(scores), np.clip(scores, -80, 80), scores))\n",
        breaks="large",
    ),
    Mutant(
        "written_at_zero",
        "overwrites the earlier tokens",
        old=WRITE,
        new=("    keys[:, :, :tokens] = k\n    values[:, :, :tokens] = v\n"),
    ),
    Mutant(
        "written_at_the_end",
        "fills the cache from the end",
        old=WRITE,
        new=("    keys[:, :, -tokens:] = k\n    values[:, :, -tokens:] = v\n"),
    ),
    Mutant(
        "written_late",
        "writes one place too far where there is room",
        old=WRITE,
        new=(
            "    late = count + 1 if end < keys.shape[2] else count\n"
            "    keys[:, :, late : late + tokens] = k\n"
            "    values[:, :, late : late + tokens] = v\n"
        ),
    ),
    Mutant(
        "not_written",
        "joins cache and new tokens, and keeps nothing",
        old=WRITE,
        new=(
            "    keys = np.concatenate([keys[:, :, :count], k], axis=2)\n"
            "    values = np.concatenate([values[:, :, :count], v], axis=2)\n"
        ),
        breaks="written",
    ),
    Mutant(
        "copied",
        "writes into a copy, to leave the caller's array alone",
        old=WRITE_K,
        new=("    keys, values = keys.copy(), values.copy()\n    keys[:, :, count:end] = k\n"),
        breaks="written",
    ),
    Mutant(
        "values_not_written",
        "keeps the keys only",
        old=WRITE_V,
        new="    values = np.concatenate([values[:, :, :count], v], axis=2)\n",
    ),
    Mutant(
        "shifted",
        "moves the whole cache up by T places",
        old=WRITE,
        new=(
            "    keys[:] = np.concatenate([keys[:, :, tokens:], k], axis=2)\n"
            "    values[:] = np.concatenate([values[:, :, tokens:], v], axis=2)\n"
        ),
    ),
    Mutant(
        "rest_zeroed",
        "clears the places behind the new tokens",
        old=WRITE_V,
        new=("    values[:, :, count:end] = v\n    keys[:, :, end:] = 0\n    values[:, :, end:] = 0\n"),
        breaks="others",
    ),
    Mutant(
        "last_token_only",
        "writes only the last of the new tokens",
        old=WRITE,
        new=(
            "    joined, behind = (np.concatenate([a[:, :, :count], b], 2) for a, b in ((keys, k), "
            "(values, v)))\n"
            "    keys[:, :, end - 1 : end], values[:, :, end - 1 : end] = k[:, :, -1:], v[:, :, -1:]\n"
            "    keys, values = joined, behind\n"
        ),
    ),
    Mutant(
        "written_after",
        "looks first and writes then",
        old=WRITE,
        new=(
            "    cache, keys, values = (keys, values), keys.copy(), values.copy()\n"
            "    cache[0][:, :, count:end], cache[1][:, :, count:end] = k, v\n"
        ),
    ),
    Mutant(
        "k_and_v_exchanged",
        "writes values to keys and keys to values",
        old=WRITE,
        new=("    keys[:, :, count:end] = v\n    values[:, :, count:end] = k\n"),
    ),
    Mutant(
        "whole_room",
        "looks at all places, used or not",
        old=RETURN,
        new=(
            "    scores = q @ keys.swapaxes(2, 3) / math.sqrt(width)\n"
            "    scores[:, :, :, :end][np.broadcast_to(ahead, (*scores.shape[:3], end))] = -np.inf\n"
            "    powers = np.exp(scores - scores.max(axis=3, keepdims=True))\n"
            "    return powers / powers.sum(axis=3, keepdims=True) @ values\n"
        ),
    ),
    Mutant(
        "whole_room_masked",
        "hides unused places by a weight of 0, but 0 times nan is nan",
        old=RETURN,
        new=(
            "    padded = np.zeros((*weights.shape[:3], keys.shape[2]), weights.dtype)\n"
            "    padded[:, :, :, :end] = weights\n"
            "    return padded @ values\n"
        ),
        breaks="unused",
    ),
    Mutant(
        "no_new_tokens",
        "looks at the earlier tokens only, where there are any",
        old=RETURN,
        new=(
            "    if count:\n"
            "        weights = weights[:, :, :, :count] / weights[:, :, :, :count].sum(axis=3, "
            "keepdims=True)\n"
            "        return weights @ values[:, :, :count]\n"
            "    return weights @ values[:, :, :end]\n"
        ),
    ),
    Mutant(
        "no_earlier_tokens",
        "looks at the new tokens only",
        old=AHEAD,
        new=("    ahead = np.arange(end) > np.arange(count, end)[:, None]\n    ahead[:, :count] = True\n"),
    ),
    Mutant(
        "keys_for_values",
        "sums the keys",
        old=RETURN,
        new="    return weights @ keys[:, :, :end]\n",
        breaks="attention",
    ),
    Mutant(
        "values_for_keys",
        "compares with the values",
        old=SCORES,
        new="    scores = q @ values[:, :, :end].swapaxes(2, 3) / math.sqrt(width)\n",
    ),
    Mutant(
        "queries_for_keys",
        "compares queries with queries",
        old=WRITE_K,
        new="    keys[:, :, count:end] = q\n",
    ),
    Mutant(
        "reshaped",
        "reshapes where it should transpose",
        old=SCORES,
        new="    scores = q @ keys[:, :, :end].reshape(*keys.shape[:2], width, end) / math.sqrt(width)\n",
    ),
    Mutant(
        "first_head",
        "every head has the first head's weights",
        old=RETURN,
        new="    return weights[:, :1] @ values[:, :, :end]\n",
        breaks="apart",
    ),
    Mutant(
        "first_text",
        "every text has the first text's weights",
        old=RETURN,
        new="    return weights[:1] @ values[:, :, :end]\n",
        breaks="apart",
    ),
    Mutant(
        "always_float32",
        "computes in float32, whatever comes",
        old=RETURN,
        new="    return (weights @ values[:, :, :end]).astype(np.float32)\n",
        breaks="dtype",
    ),
    Mutant(
        "no_check",
        "cuts off what does not fit",
        old=FITS,
        new=("    end = min(end, keys.shape[2])\n    if False:\n"),
        breaks="full",
    ),
    Mutant(
        "written_before_the_check",
        "writes as many tokens as fit, and then refuses",
        old=FITS,
        new=(
            "    room = keys.shape[2] - count\n"
            "    keys[:, :, count:end], values[:, :, count:end] = k[:, :, :room], v[:, :, :room]\n" + FITS
        ),
        breaks="full",
    ),
    Mutant(
        "masked_with_1000",
        "hides with a score that others may have, too",
        old=MASK,
        new="    scores = np.where(ahead, -1000, scores).astype(q.dtype)\n",
        breaks="large",
    ),
    Mutant(
        "cleaned",
        "takes nan out of the cache",
        old=WRITE_V,
        new=WRITE_V + "    np.nan_to_num(keys, copy=False)\n",
        breaks="others",
    ),
    Mutant(
        "check_too_strict",
        "keeps the last place free",
        old=FITS,
        new="    if end >= keys.shape[2]:\n",
        breaks="full",
    ),
    Mutant(
        "check_without_tokens",
        "asks for one place, however many tokens come",
        old=FITS,
        new=("    end = min(end, keys.shape[2])\n    if count > keys.shape[2]:\n"),
        breaks="full",
    ),
    Mutant(
        "queries_scaled_in_place",
        "scales the caller's queries instead of the scores",
        old=SCORES,
        new="    q /= math.sqrt(width)\n    scores = q @ keys[:, :, :end].swapaxes(2, 3)\n",
        breaks="arguments",
    ),
    Mutant(
        "values_cleared",
        "clears what has been written, so that nobody writes it twice",
        old=RETURN,
        new="    v[...] = 0\n    return weights @ values[:, :, :end]\n",
        breaks="arguments",
    ),
    Mutant(
        "rounded",
        "computes in float32, and gives the type back at the end",
        old=RETURN,
        new="    return (weights.astype(np.float32) @ values[:, :, :end].astype(np.float32)).astype(q.dtype)\n",
        breaks="exact",
    ),
    Mutant(
        "another_error",
        "refuses with an exception that the task does not name",
        old='        raise ValueError(f"cached_attention: {count}',
        new='        raise IndexError(f"cached_attention: {count}',
        breaks="full",
    ),
    Mutant(
        "last_place_overwritten",
        "where the cache is full the latest tokens take the last places",
        old=FITS,
        new="    count = min(count, keys.shape[2] - tokens)\n    end = count + tokens\n    if False:\n",
        breaks="full",
    ),
]
