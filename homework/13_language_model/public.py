"""Public tests of homework 13: `python3 course.py check` runs them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, expect_raises, task

Sees = Callable[[int, int], bool]


# --- Task 13.1


def drawn(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Normal numbers."""
    return rng.standard_normal(shape).astype(dtype)


def caches(rng: np.random.Generator, shape: tuple[int, ...], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys and values (N, H, R, D): normal numbers in the first `count` places, large ones in the others."""
    keys, values = drawn(rng, *shape), drawn(rng, *shape)
    keys[:, :, count:], values[:, :, count:] = 3.0, 50.0
    return keys, values


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


def right(q: np.ndarray, k: np.ndarray, v: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """What has to come out."""
    keys, values = written(keys, k, count), written(values, v, count)
    return attended(q, keys, values, count + q.shape[2], lambda i, j: j <= count + i)


def over_queries(q: np.ndarray, keys: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """A wrong one: softmax over the queries."""
    places = count + q.shape[2]
    scores = q.astype(np.float64) @ keys[:, :, :places].swapaxes(2, 3) / math.sqrt(q.shape[3])
    scores[:, :, np.arange(places) > count + np.arange(q.shape[2])[:, None]] = -np.inf
    powers = np.exp(scores - scores.max())
    return (powers / powers.sum(axis=2, keepdims=True) @ values[:, :, :places]).astype(q.dtype)


def mistakes_of(
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
        "nothing is masked: a new token must not see those after it": attended(q, keys, values, end, lambda i, j: True),
        "a new token does not see itself: j <= count + i, not <": attended(
            q, keys, values, end, lambda i, j: j < count + i
        ),
        "a new token sees the one after it: j <= count + i": attended(
            q, keys, values, end, lambda i, j: j <= count + i + 1
        ),
        "the mask hides earlier tokens too: new token i stands at place count + i, not at i": attended(
            q, keys, values, end, lambda i, j: j <= i
        ),
        "the new tokens see only each other: what is in the cache belongs to them too": attended(
            q, keys, values, end, lambda i, j: count <= j <= count + i
        ),
        "the new tokens see only the cache as it was: write first, then look": attended(
            q, old_keys, old_values, end, causal
        ),
        "hidden scores are 0, and e^0 is a weight of 1: hide with -np.inf": attended(
            q, keys, values, end, causal, hidden=0.0
        ),
        "the new tokens are written from place 0 on: they belong behind the earlier ones": attended(
            q, written(old_keys, k, 0), written(old_values, v, 0), end, causal
        ),
        "places behind the new tokens have a weight: only the first count + T are in use": attended(
            q, keys, values, keys.shape[2], lambda i, j: causal(i, j) or j >= end
        ),
        "keys are used where values belong: weight * values[j]": attended(q, keys, keys, end, causal),
        "softmax runs over the queries: the weights of ONE query sum to 1, axis=-1": over_queries(
            q, keys, values, count
        ),
    }
    expected = right(q, k, v, old_keys, old_values, count)
    return {cause: wrong for cause, wrong in found.items() if not np.allclose(wrong, expected, 1e-3, 1e-3)}


def expect_attended(
    student: Student,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    count: int,
    what: str,
) -> None:
    """Raise Failure unless the student's result is right."""
    expected = right(q, k, v, keys, values, count)
    mistakes = mistakes_of(q, k, v, keys, values, count)
    got = student.cached_attention(q, k, v, keys, values, count)
    expect(got, expected, rtol=1e-5, atol=1e-5, what=what, mistakes=mistakes)


QUERIES = [[1, 0, 1, 0], [1, 2, 0, 1], [0, 2, 2, 0]]
KEYS = [[1, 1, 0, 0], [0, 2, 0, 2], [2, 0, 1, 0]]
VALUES = [[4, 0, 0, 0], [0, 4, 0, 0], [0, 0, 4, 4]]


@task("cached_attention")
def the_three_tokens_of_the_lesson(student: Student, rng: np.random.Generator) -> None:
    """The lesson's three tokens, at once, in an empty cache: the last one has the weights 0.21, 0.58 and 0.21."""
    q, k, v = (np.array(rows, float)[None, None] for rows in (QUERIES, KEYS, VALUES))
    expect_attended(student, q, k, v, np.zeros((1, 1, 5, 4)), np.zeros((1, 1, 5, 4)), 0, "three tokens")


@task("cached_attention")
def earlier_tokens_are_seen_and_later_ones_are_not(student: Student, rng: np.random.Generator) -> None:
    """With earlier tokens in the cache, each new token sees all of them, itself, and no token after it."""
    for count, tokens, heads in ((2, 2, (1, 1)), (3, 1, (1, 2)), (4, 3, (2, 2))):
        q, k, v = (drawn(rng, *heads, tokens, 4) for _ in range(3))
        keys, values = caches(rng, (*heads, count + tokens + 2, 4), count)
        expect_attended(student, 2 * q, k, v, keys, values, count, f"{tokens} new token(s) after {count}")


def expect_kept(name: str, got: Any, cache: np.ndarray, new: np.ndarray, other: np.ndarray, count: int) -> None:
    """Raise Failure unless the cache holds the new tokens' keys (or values), and is otherwise as it was."""
    tokens, room = new.shape[2], cache.shape[2]
    letter = name[0]
    end = count + tokens
    mistakes = {
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
    expect(got, written(cache, new, count), what=f"{name} after the call", mistakes=mistakes)


@task("cached_attention")
def the_cache_holds_the_new_tokens(student: Student, rng: np.random.Generator) -> None:
    """After the call, places count .. count+T-1 of keys and values hold k and v, and all others what they held."""
    for count, tokens, heads in ((0, 2, 1), (3, 2, 2)):
        q, k, v = (drawn(rng, 1, heads, tokens, 3) for _ in range(3))
        keys, values = caches(rng, (1, heads, count + tokens + 3, 3), count)
        _, new_keys, new_values = student.in_steps(q, k, v, keys, values, count, [tokens])
        expect_kept("keys", new_keys, keys, k, v, count)
        expect_kept("values", new_values, values, v, k, count)


@task("cached_attention")
def token_by_token_is_all_at_once(student: Student, rng: np.random.Generator) -> None:
    """Six tokens in steps of 1, or of 3, 1 and 2, give what they give at once."""
    q, k, v = (drawn(rng, 1, 2, 6, 4) for _ in range(3))
    keys, values = caches(rng, (1, 2, 7, 4), 0)
    for steps in ([1] * 6, [3, 1, 2]):
        y, _, _ = student.in_steps(q, k, v, keys, values, 0, steps)
        ends = np.repeat(np.cumsum(steps), steps)
        mistakes = {
            "each step sees only its own tokens: is the cache written, and read?": attended(
                q, k, v, 6, lambda i, j, ends=ends: j <= i and ends[j] == ends[i]
            ),
            "the tokens of one step see each other, also those after them": attended(
                q, k, v, 6, lambda i, j, ends=ends: j < ends[i]
            ),
        }
        expected = right(q, k, v, keys, values, 0)
        mistakes = {cause: wrong for cause, wrong in mistakes.items() if not np.allclose(wrong, expected, 1e-3, 1e-3)}
        expect(y, expected, rtol=1e-5, atol=1e-5, what=f"six tokens in steps of {steps}", mistakes=mistakes)


@task("cached_attention")
def large_scores_do_not_overflow(student: Student, rng: np.random.Generator) -> None:
    """Scores of several hundred, above and below 0, give finite weights."""
    q, k, v = (drawn(rng, 1, 1, 3, 4) for _ in range(3))
    keys, values = caches(rng, (1, 1, 6, 4), 2)
    q = (600 * np.sign(q)).astype(np.float32)
    expected = right(q, k, v, keys, values, 2)
    got = student.cached_attention(q, k, v, keys, values, 2)
    try:
        expect(got, expected, rtol=5e-3, atol=5e-3, what="the result for large scores")
    except Failure as failure:
        if isinstance(got, np.ndarray) and got.shape == expected.shape and not np.isfinite(got).all():
            failure.cause = "e^1000 is infinite: subtract each query's largest score before the exponential"
        raise


@task("cached_attention")
def what_does_not_fit_is_refused(student: Student, rng: np.random.Generator) -> None:
    """More tokens than places left raise an exception; exactly as many do not."""
    q = drawn(rng, 1, 1, 2, 3)
    keys, values = caches(rng, (1, 1, 5, 3), 3)
    expect_attended(student, q, q, q, keys, values, 3, "two tokens for the last two places")
    for count, tokens in ((4, 2), (5, 1)):
        new = q[:, :, :tokens]
        try:
            expect_raises(student.cached_attention, new, new, new, keys, values, count)
        except Failure as failure:
            failure.cause = (
                f"{count} + {tokens} tokens do not fit into 5 places. A slice beyond the end is empty, and numpy "
                "writes one token into nothing without a word: compare count + T with R yourself"
            )
            raise


# --- Task 13.2


def kept_of(probabilities: np.ndarray, p: float) -> np.ndarray:
    """What has to come out, one token after the other."""
    ranked = sorted(range(len(probabilities)), key=lambda i: (-probabilities[i], i))
    left, total = np.zeros_like(probabilities), 0.0
    for token in ranked:
        left[token] = probabilities[token]
        total += float(probabilities[token])
        if total >= p and p < 1:
            break
    return (left / total).astype(probabilities.dtype)


def mistakes_of_top_p(probabilities: np.ndarray, p: float) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    expected = kept_of(probabilities, p)
    order = np.argsort(-probabilities, kind="stable")
    sums = np.cumsum(probabilities[order])

    def only(tokens: np.ndarray) -> np.ndarray:
        left = np.zeros_like(probabilities)
        left[tokens] = probabilities[tokens]
        return left / left.sum() if len(tokens) else left * np.nan

    rising = np.argsort(probabilities, kind="stable")
    kept = np.count_nonzero(expected)
    least = probabilities[order[kept - 1]]
    backwards = np.argsort(probabilities, kind="stable")[::-1]
    found = {
        "the token with which the sum reaches p is missing": only(order[: kept - 1]),
        "one token too many: where the sum is p already, the set is complete": only(order[: kept + 1]),
        "the least probable tokens are kept: sort with the largest first": only(
            rising[: int(np.searchsorted(np.cumsum(probabilities[rising]), p)) + 1]
        ),
        "not divided by the sum: what is left has to sum to 1 again": np.where(expected > 0, probabilities, 0),
        "the result is sorted: each token stays in its place": -np.sort(-expected),
        "of equally probable tokens the last one was taken: sort -probabilities with kind='stable'": only(
            backwards[:kept]
        ),
        "all tokens as probable as the last one are kept: the set shall be the smallest": only(
            np.flatnonzero(probabilities >= least)
        ),
        "tokens that are less probable than p are dropped: it is their SUM that counts": only(
            np.flatnonzero(probabilities >= p)
        ),
        "tokens are dropped where the sum has not reached p yet": only(order[sums >= p]),
    }
    if p == 1:
        found["one token is left: np.argmax says 0 where no sum reaches p, and rounding may leave none"] = only(
            order[:1]
        )
    found = {cause: wrong.astype(probabilities.dtype) for cause, wrong in found.items()}
    return {cause: wrong for cause, wrong in found.items() if not np.allclose(wrong, expected, 1e-4, 1e-4)}


def expect_top_p(student: Student, probabilities: np.ndarray, p: float, what: str) -> None:
    """Raise Failure unless the student's result is right."""
    mistakes = mistakes_of_top_p(probabilities, p)
    expect(student.top_p(probabilities, p), kept_of(probabilities, p), rtol=1e-5, what=what, mistakes=mistakes)


def between_sums(rng: np.random.Generator, probabilities: np.ndarray, count: int) -> float:
    """A p for which `count` tokens are needed, whatever rounding does."""
    sums = np.concatenate([[0.0], np.cumsum(np.sort(probabilities.astype(np.float64))[::-1])])
    return float(sums[count - 1] + (0.3 + 0.4 * rng.random()) * (sums[count] - sums[count - 1]))


def distribution(rng: np.random.Generator, size: int, dtype: Any = np.float64) -> np.ndarray:
    """(size,) probabilities, no two of them alike, in no order."""
    powers = rng.permutation(np.exp(-0.35 * np.arange(size) - 0.1 * rng.random(size)))
    return (powers / powers.sum()).astype(dtype)


@task("top_p")
def the_four_tokens_of_the_example(student: Student, rng: np.random.Generator) -> None:
    """1/8, 1/2, 1/8, 1/4: two tokens reach 0.75 exactly, three reach 0.8, and one reaches 0.3."""
    probabilities = np.array([0.125, 0.5, 0.125, 0.25])
    for p in (0.75, 0.8, 0.3, 0.5):
        expect_top_p(student, probabilities, p, f"p = {p}")


@task("top_p")
def as_few_tokens_as_possible(student: Student, rng: np.random.Generator) -> None:
    """Any distribution and p: the most probable tokens, as few as reach p, in their old places, with the sum 1."""
    for size, count in ((5, 2), (9, 4), (12, 1), (20, 13)):
        probabilities = distribution(rng, size)
        p = between_sums(rng, probabilities, count)
        expect_top_p(student, probabilities, p, f"{size} tokens with p = {p:.3f}")


@task("top_p")
def equals_come_in_their_order(student: Student, rng: np.random.Generator) -> None:
    """Of equally probable tokens those with the lower numbers are taken, and not more than are needed."""
    expect_top_p(student, np.full(8, 0.125), 0.5, "eight equal tokens with p = 0.5")
    expect_top_p(student, np.array([0.125, 0.25, 0.125, 0.25, 0.125, 0.125]), 0.6, "equal tokens with p = 0.6")


@task("top_p")
def a_p_of_one_keeps_everything(student: Student, rng: np.random.Generator) -> None:
    """p = 1 keeps every token, though the sum is not quite 1."""
    for size in (3, 30):
        probabilities = distribution(rng, size, np.float32) * np.float32(1 - 1e-6)
        expect_top_p(student, probabilities, 1.0, f"{size} tokens with p = 1")


@task("top_p")
def other_p_are_refused(student: Student, rng: np.random.Generator) -> None:
    """p = 0, a negative p and a p above 1 raise an exception."""
    for p in (0.0, -0.5, 1.5):
        expect_raises(student.top_p, np.array([0.25, 0.75]), p)
