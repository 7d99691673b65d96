"""Hidden tests of homework 13."""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Student, expect, expect_raises, task

# --- Task 13.1: what is expected comes from one matrix product over a text as a whole, in float64


def drawn(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Normal numbers."""
    return rng.standard_normal(shape).astype(dtype)


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    return int(rng.integers(low, high + 1))


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
def rubbish_behind_the_text(student: Student, rng: np.random.Generator) -> None:
    """What the unused places hold does not matter: zeros, large numbers, infinity, nan."""
    q, k, v = (drawn(rng, 2, 3, 6, 4) for _ in range(3))
    for rest in (0.0, 1e30, -np.inf, np.nan):
        for count in (0, 4):
            expect_text(student, q, k, v, count, 9, rest)


@task("cached_attention")
def both_types_of_float(student: Student, rng: np.random.Generator) -> None:
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
        expect_raises(student.cached_attention, q, q, q, cache, cache.copy(), count)
    q = drawn(rng, 1, 1, 5, 2)
    cache = drawn(rng, 1, 1, 4, 2)
    expect_raises(student.in_steps, q, q, q, cache, cache.copy(), 0, [1, 1, 1, 1, 1])


# --- Task 13.2


def shuffled(rng: np.random.Generator, size: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """(size,) probabilities, and the places of the most probable, the next, and so on."""
    powers = np.exp(-0.3 * np.arange(size) - 0.1 * rng.random(size))
    places = rng.permutation(size)
    probabilities = np.zeros(size)
    probabilities[places] = powers / powers.sum()
    return probabilities.astype(dtype), places


def expect_best(student: Student, probabilities: np.ndarray, p: float, best: np.ndarray, what: str) -> None:
    """Raise Failure unless just the tokens `best` are left, in proportion."""
    expected = np.zeros_like(probabilities)
    expected[best] = probabilities[best] / probabilities[best].astype(np.float64).sum()
    expect(student.top_p(probabilities, p), expected, rtol=1e-5, what=what)


@task("top_p")
def any_distribution(student: Student, rng: np.random.Generator) -> None:
    """From 1 to 60 tokens, and any p, in float32 and float64."""
    for size in (1, 2, 3, 7, 20, 40, 60):
        for dtype in (np.float32, np.float64):
            probabilities, places = shuffled(rng, size, dtype)
            count = between(rng, 1, min(size, 15))
            sums = np.concatenate([[0.0], np.cumsum(probabilities[places].astype(np.float64))])
            p = float(sums[count - 1] + 0.5 * (sums[count] - sums[count - 1]))
            expect_best(student, probabilities, p, places[:count], f"{size} tokens of {np.dtype(dtype)}, p = {p:.3f}")


@task("top_p")
def sums_that_are_p_exactly(student: Student, rng: np.random.Generator) -> None:
    """Where the sum is p exactly, no further token is taken."""
    places = rng.permutation(6)
    probabilities = np.zeros(6)
    probabilities[places] = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125]
    for count, p in ((1, 0.5), (2, 0.75), (3, 0.875), (4, 0.9375)):
        for dtype in (np.float32, np.float64):
            expect_best(student, probabilities.astype(dtype), p, places[:count], f"p = {p}")


@task("top_p")
def many_equals(student: Student, rng: np.random.Generator) -> None:
    """Of 64 equal tokens the first few are kept; of two groups of equals first the likelier, then the first."""
    for count in (1, 17, 40):
        expect_best(student, np.full(64, 1 / 64), count / 64, np.arange(count), f"{count} of 64 equal tokens")
    likely = np.sort(rng.permutation(24)[:8])
    probabilities = np.full(24, 1 / 32)
    probabilities[likely] = 1 / 16
    others = np.setdiff1d(np.arange(24), likely)
    expect_best(student, probabilities, 0.625, np.concatenate([likely, others[:4]]), "two groups of equals")


@task("top_p")
def impossible_tokens_stay_impossible(student: Student, rng: np.random.Generator) -> None:
    """Tokens of probability 0 stay 0, also for p = 1; one certain token is alone for any p."""
    probabilities = np.zeros(9)
    likely = rng.permutation(9)[:3]
    probabilities[likely] = [0.5, 0.375, 0.125]
    expect_best(student, probabilities, 1.0, likely, "p = 1")
    expect_best(student, probabilities, 0.9375, likely, "p = 0.9375")
    certain = np.zeros(5, np.float32)
    certain[between(rng, 0, 4)] = 1
    for p in (1e-6, 0.5, 1.0):
        expect(student.top_p(certain, p), certain, what=f"one certain token, p = {p}")


@task("top_p")
def the_rarest_tokens_with_a_p_of_one(student: Student, rng: np.random.Generator) -> None:
    """p = 1 keeps tokens whose probability is too small to change the sum."""
    probabilities = np.array([1e-12, 0.75, 1e-9, 0.25, 1e-15])
    for dtype in (np.float32, np.float64):
        some = probabilities[rng.permutation(5)].astype(dtype)
        expect_best(student, some, 1.0, np.arange(5), f"p = 1, {np.dtype(dtype)}")


@task("top_p")
def a_p_that_is_none(student: Student, rng: np.random.Generator) -> None:
    """A p that is not above 0, above 1, or nan raises an exception, whatever the distribution."""
    for p in (0.0, -1e-9, 1 + 1e-9, 2.0, float("nan")):
        expect_raises(student.top_p, shuffled(rng, between(rng, 1, 9))[0], p)
