"""Public tests of lesson 13: attention with a cache, and a choice among the likely tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, expect_refused, likely, task

# --- cached_attention

NOT_SQUARE = (
    "the mask is square, as in the lesson, where nothing came before: here it has a row for each of the T new tokens, "
    "and a column for each of the count + T places"
)
ONLY_NEW_ROWS = (
    "the mask has a row for every place, and only the T new tokens look: it has T rows, those of the places count .. "
    "count+T-1, and count + T columns"
)
IN_USE = "the mask has a column for every place of the cache, and the scores only for those in use, count + T of them"
NOT_BY_NUMBER = "* multiplies number by number: the scores are q @ the keys, turned, and the result is weights @ values"
BROADCAST = "broadcast together with shapes "
SHAPE_ERRORS = {
    "core dimension": "keys (N, H, R, D) are multiplied with their last two axes exchanged, swapaxes(-1, -2): .T turns "
    "all four axes around. And there are as many values as weights: take the same places of both",
    "could not broadcast input array": "k fits into keys[:, :, count : count + T]: places lie along axis 2, and the "
    "slice ends at count + T",
    "boolean index did not match indexed array along axis 0": "the mask has two axes, and they are the last two of the "
    "scores: scores[..., mask] = -np.inf, or np.where, which lines up last axes by itself",
    "boolean index did not match": NOT_SQUARE,
    f"{BROADCAST}(2,2) ": NOT_SQUARE,
    f"{BROADCAST}(1,1,2,4) (2,2)": NOT_SQUARE,
    f"{BROADCAST}(4,4) ": ONLY_NEW_ROWS,
    f"{BROADCAST}(1,1,2,4) (4,4)": ONLY_NEW_ROWS,
    f"{BROADCAST}(2,6) ": IN_USE,
    f"{BROADCAST}(1,1,2,4) (2,6)": IN_USE,
    f"{BROADCAST}(1,1,2,4) (1,1,2)": "the largest score and the sum of a query belong to its whole row: keepdims=True "
    "keeps the axis along which they were taken",
    f"{BROADCAST}(1,1,3,4) (1,1,4,3)": NOT_BY_NUMBER,
    f"{BROADCAST}(1,1,3,3) (1,1,3,4)": NOT_BY_NUMBER,
}


def drawn(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Normal numbers."""
    return rng.standard_normal(shape).astype(dtype)


def caches(rng: np.random.Generator, shape: tuple[int, ...], count: int, dtype: Any = np.float32) -> list[np.ndarray]:
    """Keys and values (N, H, R, D): normal numbers in the first `count` places, large ones in the others."""
    keys, values = drawn(rng, *shape, dtype=dtype), drawn(rng, *shape, dtype=dtype)
    keys[:, :, count:], values[:, :, count:] = 3.0, 50.0
    return [keys, values]


def expect_unchanged(name: str, got: Any, before: np.ndarray, cause: str) -> None:
    """Raise Failure unless the caller's array is as it was."""
    try:
        expect(got, before, what=f"{name} after the call")
    except Failure as failure:
        failure.cause = cause
        raise


def expect_attended(student: Student, oracle: Any, *given: Any, what: str, tolerance: float = 2e-5) -> None:
    """Raise Failure unless the student's result for q, k, v, keys, values, count is right."""
    expected, mistakes = oracle.attention(*given), oracle.attention_mistakes(*given)
    with likely(SHAPE_ERRORS):
        got = student.cached_attention(*given)
    try:
        expect_numbers(got, expected, tolerance, what, mistakes)
    except Failure as failure:
        if failure.cause is None and isinstance(got, np.ndarray) and got.dtype.kind == "f" and np.isnan(got).all():
            failure.cause = "all is nan. Was a mask multiplied by infinity? 0 * infinity is nan: choose with np.where"
        raise


def expect_numbers(
    got: Any, expected: np.ndarray, tolerance: float, what: str, mistakes: Mapping[str, np.ndarray] | None = None
) -> None:
    """Raise Failure for wrong numbers, and only then for right ones of another type."""
    wider = isinstance(got, np.ndarray) and got.dtype == np.float64 and expected.dtype == np.float32
    if wider and got.shape == expected.shape:
        expect(got.astype(np.float32), expected, rtol=tolerance, atol=tolerance, what=what, mistakes=mistakes)
    try:
        expect(got, expected, rtol=tolerance, atol=tolerance, what=what, mistakes=mistakes)
    except Failure as failure:
        if wider and got.shape == expected.shape:
            failure.cause = (
                "somewhere a float64 came in, and made all after it float64: np.sqrt(D) and np.tri are float64, and so "
                "is np.where(mask, 0, -np.inf); math.sqrt(D), np.tri(..., dtype=bool) and np.where(mask, scores, "
                "-np.inf) are not"
            )
        elif isinstance(got, np.ndarray) and failure.of_type:
            failure.cause = failure.cause or f"the result has the dtype of q, here {expected.dtype}: leave astype away"
        raise


@task("cached_attention", "attention", "sees", "dtype", "apart")
def the_three_tokens_of_the_lesson(student: Student, oracle: Any) -> None:
    """The lesson's three tokens, at once, in an empty cache: the last one has the weights 0.21, 0.58 and 0.21."""
    q, k, v = (
        np.array(rows, float)[None, None]
        for rows in (
            [[1, 0, 1, 0], [1, 2, 0, 1], [0, 2, 2, 0]],
            [[1, 1, 0, 0], [0, 2, 0, 2], [2, 0, 1, 0]],
            [[4, 0, 0, 0], [0, 4, 0, 0], [0, 0, 4, 4]],
        )
    )
    expect_attended(student, oracle, q, k, v, np.zeros((1, 1, 5, 4)), np.zeros((1, 1, 5, 4)), 0, what="three tokens")


@task("cached_attention", "sees", "attention", "apart", "unused", "dtype")
def earlier_tokens_are_seen_and_later_ones_are_not(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With earlier tokens in the cache, each new token sees all of them, itself, and no token after it."""
    for count, tokens in ((2, 2), (3, 1), (4, 3)):
        q, k, v = (drawn(rng, 1, 1, tokens, 4) for _ in range(3))
        given = (2 * q, k, v, *caches(rng, (1, 1, count + tokens + 2, 4), count), count)
        expect_attended(student, oracle, *given, what=f"{tokens} new token(s) after {count}")


@task("cached_attention", "apart", "attention", "sees", "unused", "dtype")
def texts_and_heads_of_their_own(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Each text and each head has its own keys, values and weights."""
    for texts, heads in ((2, 1), (1, 3), (2, 3)):
        q, k, v = (drawn(rng, texts, heads, 2, 4) for _ in range(3))
        given = (2 * q, k, v, *caches(rng, (texts, heads, 5, 4), 2), 2)
        expect_attended(student, oracle, *given, what=f"{texts} text(s) with {heads} head(s)")


@task("cached_attention", "unused", "sees", "attention", "dtype", "apart")
def rubbish_behind_the_text(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """What the unused places hold does not matter: large numbers, infinity, nan."""
    q, k, v = (drawn(rng, 1, 2, 2, 3) for _ in range(3))
    keys, values = caches(rng, (1, 2, 6, 3), 1)
    expected, mistakes = oracle.attention(q, k, v, keys, values, 1), oracle.attention_mistakes(q, k, v, keys, values, 1)
    for rubbish in (1e30, -np.inf, np.nan):
        keys[:, :, 1:], values[:, :, 1:] = rubbish, rubbish
        got = student.cached_attention(q, k, v, keys, values, 1)
        try:
            what = f"the result with {rubbish} in the unused places"
            expect_numbers(got, expected, 2e-5, what, mistakes)
        except Failure as failure:
            unknown = failure.cause is None and rubbish != 1e30  # with 1e30 there, all was right
            if isinstance(got, np.ndarray) and (unknown or not np.isfinite(got).all()):
                failure.cause = "0 * nan is nan: a weight of 0 is not enough, take only the first count + T places"
            raise


def expect_kept(name: str, got: Any, oracle: Any, cache: np.ndarray, new: np.ndarray, other: Any, count: int) -> None:
    """Raise Failure unless the cache holds the new tokens' keys (or values), and is otherwise as it was."""
    expected = cache.copy()
    expected[:, :, count : count + new.shape[2]] = new
    expect(got, expected, what=f"{name} after the call", mistakes=oracle.cache_mistakes(name, cache, new, other, count))


@task("cached_attention", "written", "others")
def the_cache_holds_the_new_tokens(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """After the call, places count .. count+T-1 of keys and values hold k and v, and all others what they held."""
    for count, tokens, heads, rubbish in ((0, 2, 1, 3.0), (3, 2, 2, 1e30), (2, 1, 1, np.nan)):
        q, k, v = (drawn(rng, 1, heads, tokens, 3) for _ in range(3))
        keys, values = caches(rng, (1, heads, count + tokens + 3, 3), count)
        keys[:, :, count:], values[:, :, count:] = rubbish, rubbish
        _, new_keys, new_values = student.in_steps(q, k, v, keys, values, count, [tokens])
        expect_kept("keys", new_keys, oracle, keys, k, v, count)
        expect_kept("values", new_values, oracle, values, v, k, count)


@task("cached_attention", "written")
def a_cache_inside_of_larger_arrays(student: Student, rng: np.random.Generator) -> None:
    """Where the cache is a part of larger arrays, some heads or every second place, k and v are written there."""
    q, k, v = (drawn(rng, 2, 2, 2, 3) for _ in range(3))
    expected = [np.zeros((2, 2, 5, 3), np.float32) for _ in range(2)]
    for cache, new in zip(expected, (k, v)):
        cache[:, :, 1:3] = new
    for heads, step in ((3, 1), (2, 2)):
        after = student.in_larger_arrays(q, k, v, heads, 5, step, 1)
        for name, got, cache in zip(("keys", "values"), after, expected):
            what = f"{name} after the call, a part of an array of shape (2, {heads}, {5 * step}, 3)"
            try:
                expect(got, cache, what=what)
            except Failure as failure:
                failure.cause = (
                    f"{name} was copied: np.ascontiguousarray, and reshape of such a part, make another array; write "
                    f"with {name}[:, :, count : count + T] = ..."
                )
                raise


@task("cached_attention", "written", "sees", "attention", "apart", "unused", "others", "dtype")
def token_by_token_is_all_at_once(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Six tokens in steps of 3, 1 and 2, or one by one, give what they give at once."""
    q, k, v = (drawn(rng, 1, 2, 6, 4) for _ in range(3))
    keys, values = caches(rng, (1, 2, 7, 4), 0)
    expected = oracle.attention(q, k, v, keys, values, 0)
    for steps in ([3, 1, 2], [1] * 6):
        mistakes = oracle.steps_mistakes(q, k, v, steps)
        y, _, _ = student.in_steps(q, k, v, keys, values, 0, steps)
        expect_numbers(y, expected, 2e-5, f"six tokens in steps of {steps}", mistakes)


@task("cached_attention", "arguments")
def the_new_tokens_stay_as_they_were(student: Student, rng: np.random.Generator) -> None:
    """q, k and v are after the call what they were before."""
    q, k, v = (drawn(rng, 1, 1, 2, 4) for _ in range(3))
    after = student.new_tokens_afterwards(q, k, v, *caches(rng, (1, 1, 4, 4), 1), 1)
    for name, got, array in zip("qkv", after, (q, k, v)):
        cause = f"{name} was changed in place: `{name} = {name} / 2` makes an array of your own, `{name} /= 2` does not"
        expect_unchanged(name, got, array, cause)


@task("cached_attention", "large", "attention", "sees", "dtype", "apart")
def large_scores_do_not_overflow(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Scores of several hundred, above and below 0, give finite weights, and what is hidden gets none."""
    for what in ("large scores", "scores of about -1000", "two texts and heads far apart"):
        n, heads = (2, 2) if what == "two texts and heads far apart" else (1, 1)
        q, k, v = (drawn(rng, n, heads, 3, 4) for _ in range(3))
        keys, values = caches(rng, (n, heads, 6, 4), 2)
        if n == 2:
            q[..., 0], k[..., 0], keys[..., 0] = np.array([[1, -1], [-1, 1]])[:, :, None] * 500, 4, 4
        elif what == "large scores":
            q = (600 * np.sign(q)).astype(np.float32)
            q[0, 0, 1] *= 0.01
        else:
            q[..., 0], k[..., 0], keys[..., 0] = -500, 4, 4
        expected = oracle.attention(q, k, v, keys, values, 2)
        mistakes = {
            **oracle.large_mistakes(q, k, v, keys, values, 2),
            **oracle.attention_mistakes(q, k, v, keys, values, 2),
        }
        got = student.cached_attention(q, k, v, keys, values, 2)
        try:
            expect_numbers(got, expected, 5e-3, f"the result for {what}", mistakes)
        except Failure as failure:
            if failure.cause is None and isinstance(got, np.ndarray) and not np.isfinite(got).all():
                failure.cause = (
                    "e^1000 is infinite, and e^-1000 is 0, also in the sum: subtract each query's largest VISIBLE "
                    "score before the exponential"
                )
            raise


@task("cached_attention", "full")
def what_does_not_fit_is_refused(student: Student, rng: np.random.Generator) -> None:
    """More tokens than places left raise ValueError, and the cache stays as it was."""
    q = drawn(rng, 1, 1, 2, 3)
    for count, tokens in ((4, 2), (5, 1)):
        cause = (
            f"{count} + {tokens} tokens do not fit into 5 places. A slice beyond the end is empty, and numpy writes "
            "one token into nothing without a word: compare count + T with R yourself, and raise ValueError"
        )
        new = q[:, :, :tokens]
        given = caches(rng, (1, 1, 5, 3), 5)
        expect_refused(student.cached_attention, new, new, new, *given, count, cause=cause)
        after = student.cache_after_refusal(new, new, new, *given, count)
        for name, got, cache in zip(("keys", "values"), after, given):
            expect_unchanged(name, got, cache, "the tokens were refused, and yet some were written: ask first")


@task("cached_attention", "full", "attention", "sees", "dtype", "apart")
def the_last_places_are_taken(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Exactly as many tokens as there are places left fit."""
    q, k, v = (drawn(rng, 1, 1, 2, 3) for _ in range(3))
    given = (q, k, v, *caches(rng, (1, 1, 5, 3), 3), 3)
    with likely({"ValueError": "3 + 2 tokens fit into 5 places: refuse only more"}):
        expect_attended(student, oracle, *given, what="two tokens for the last two places")


@task("cached_attention", "dtype", "exact", "attention", "sees", "unused", "apart")
def both_types_of_float(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 in, float32 out, and float64 in, float64 out; both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 2e-5), (np.float64, 1e-10)):
        q, k, v = (drawn(rng, 1, 1, 2, 5, dtype=dtype) for _ in range(3))
        given = (q, k, v, *caches(rng, (1, 1, 5, 5), 2, dtype), 2)
        expect_attended(student, oracle, *given, what=f"the result in {np.dtype(dtype)}", tolerance=tolerance)


# --- top_p


ALLOWED = "p above 0 and up to 1, 1 among them, is allowed"


def expect_top_p(
    student: Student, oracle: Any, probabilities: np.ndarray, p: float, what: str, refused: str = ALLOWED
) -> None:
    """Raise Failure unless the student's result is right; `refused` : why a ValueError is wrong here."""
    expected, mistakes = oracle.kept_of(probabilities, p), oracle.top_p_mistakes(probabilities, p)
    none = "no sum reaches p, as rounding may leave it, and so nothing is found: then all tokens are kept"
    with likely({"ValueError": refused, "IndexError": none}):
        got = student.top_p(probabilities, p)
    expect(got, expected, rtol=1e-5, what=what, mistakes=mistakes)


def between_sums(rng: np.random.Generator, probabilities: np.ndarray, count: int) -> float:
    """A p for which `count` tokens are needed, whatever rounding does."""
    sums = np.concatenate([[0.0], np.cumsum(np.sort(probabilities.astype(np.float64))[::-1])])
    return float(sums[count - 1] + (0.3 + 0.4 * rng.random()) * (sums[count] - sums[count - 1]))


def distribution(rng: np.random.Generator, size: int, dtype: Any = np.float64) -> np.ndarray:
    """(size,) probabilities, no two of them alike, in no order."""
    powers = rng.permutation(np.exp(-0.35 * np.arange(size) - 0.1 * rng.random(size)))
    return (powers / powers.sum()).astype(dtype)


@task("top_p", "reached", "smallest", "proportion", "places", "dtype", "equals")
def three_tokens_reach_p(student: Student, oracle: Any) -> None:
    """Seven tokens, 1/2, 1/4 and 1/8 among them, and the four of the example, with p = 0.8: three, in their places."""
    for given, parts in (([1, 4, 16, 1, 8, 1, 1], [0, 4, 16, 0, 8, 0, 0]), ([2, 8, 2, 4], [2, 8, 0, 4])):
        probabilities, expected = np.array(given) / sum(given), np.array(parts) / sum(parts)
        mistakes = oracle.top_p_mistakes(probabilities, 0.8)
        what = f"{len(given)} tokens with p = 0.8"
        expect(student.top_p(probabilities, 0.8), expected, rtol=1e-5, what=what, mistakes=mistakes)


@task("top_p", "smallest", "reached", "proportion", "places", "dtype", "equals")
def sums_that_are_p_exactly(student: Student, oracle: Any) -> None:
    """1/8, 1/2, 1/8, 1/4: one token reaches 0.5 exactly, and not a bit more; two reach 0.75. 0.4999999 is not 0.5."""
    probabilities = np.array([0.125, 0.5, 0.125, 0.25])
    for p in (0.75, 0.5, 0.3, 0.5 + 1e-7, 0.5 + 5e-10):
        expect_top_p(student, oracle, probabilities, p, f"the result for p = {p}")
    below = np.array([0.2, 0.4999999, 0.3000001])
    expect_top_p(student, oracle, below, 0.5, "a token of 0.4999999 and two others, p = 0.5")


@task("top_p", "reached", "smallest", "proportion", "places", "dtype")
def as_few_tokens_as_possible(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Any distribution and p: the most probable tokens, as few as reach p, in their old places, with the sum 1."""
    for size, count in ((5, 2), (9, 4), (12, 1), (20, 13)):
        probabilities = distribution(rng, size)
        p = between_sums(rng, probabilities, count)
        expect_top_p(student, oracle, probabilities, p, f"{size} tokens with p = {p:.3f}")
    rounded = rng.permutation([0.5, 0.3, 0.199])
    expect_top_p(student, oracle, rounded, 0.8004, "tokens whose sum is 0.999, with p = 0.8004")


@task("top_p", "equals", "smallest", "reached", "proportion", "places", "dtype")
def equals_come_in_their_order(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Of equally probable tokens those with the lower numbers are taken, and not more than are needed."""
    expect_top_p(student, oracle, np.full(8, 0.125), 0.5, "eight equal tokens with p = 0.5")
    some = np.array([0.125, 0.25, 0.125, 0.25, 0.125, 0.125])
    expect_top_p(student, oracle, some, 0.6, "equal tokens with p = 0.6")
    near = np.array([0.25 - 4e-8, 0.25 + 4e-8, 0.5])
    expect_top_p(student, oracle, near, 0.6, "two tokens that are nearly as probable, p = 0.6")
    many = rng.permutation(np.repeat([1 / 32, 1 / 64], [16, 32]))
    expect_top_p(student, oracle, many, 42 / 64, "two groups of equal tokens with p = 42 / 64")


@task("top_p", "one", "dtype", "proportion", "places")
def a_p_of_one_keeps_everything(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """p = 1 keeps every token, though the sum is not quite 1, or is 1 without the last ones."""
    for size in (3, 30):
        probabilities = distribution(rng, size, np.float32) * np.float32(0.999)
        expect_top_p(student, oracle, probabilities, 1.0, f"{size} tokens with p = 1")
    expect_top_p(student, oracle, np.array([1e-12, 0.75, 1e-9, 0.25, 1e-15], np.float32), 1.0, "three rare tokens")


@task("top_p", "reached", "dtype", "proportion", "places")
def a_sum_that_stays_below_p(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Where rounding leaves a sum below p, every token is kept."""
    for size in (4, 11):
        probabilities = distribution(rng, size) * 0.9999
        what = f"{size} tokens, whose sum is 0.9999, p = 0.9999999"
        refused = "a sum that stays below p is no error: rounding may leave one, and then every token is kept"
        expect_top_p(student, oracle, probabilities, 0.9999999, what, refused)


@task("top_p", "smallest", "reached", "proportion", "places", "dtype")
def a_p_that_is_nearly_one(student: Student, oracle: Any) -> None:
    """p = 0.999995 is not 1: a token of 0.999998 is enough."""
    probabilities = np.array([1e-6, 1 - 2e-6, 1e-6])
    expect_top_p(student, oracle, probabilities, 0.999995, "a token of 0.999998, p = 0.999995")


@task("top_p", "float64")
def a_hundred_thousand_small_numbers(student: Student) -> None:
    """Of 100,000 equal float32 probabilities, as many are kept as a float64 sum needs."""
    probabilities = np.full(100_000, 1e-5, np.float32)
    needed = int(np.ceil(0.5 / float(probabilities[0])))
    kept = int(np.count_nonzero(student.top_p(probabilities, 0.5)))
    if abs(kept - needed) > 1:
        failure = Failure(f"expected {needed} tokens, got {kept}", needed, kept)
        failure.cause = (
            "a limit keeps all tokens that equal it, and the set shall be the smallest: keep the tokens' numbers"
            if kept == len(probabilities)
            else "the running sum was taken in float32, where thousands of roundings add up: np.cumsum(..., "
            "dtype=np.float64), and in a loop float() of each number"
        )
        raise failure


@task("top_p", "refused")
def other_p_are_refused(student: Student) -> None:
    """p = 0, a negative p, a p above 1 and nan raise ValueError."""
    for p in (0.0, -0.5, 1.5, 1 + 1e-7, float("nan")):
        cause = f"p = {p} must not pass: raise ValueError unless 0 < p <= 1, which nan fails, too"
        expect_refused(student.top_p, np.array([0.25, 0.75]), p, cause=cause)


@task("top_p", "dtype", "reached", "smallest", "proportion", "places")
def float32_stays_float32(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 in, float32 out."""
    probabilities = distribution(rng, 7, np.float32)
    expect_top_p(student, oracle, probabilities, between_sums(rng, probabilities, 3), "the result in float32")


@task("top_p", "new", "one")
def the_probabilities_stay_as_they_were(student: Student, rng: np.random.Generator) -> None:
    """`probabilities` is after the call what it was before, and the result is no part of it."""
    some = distribution(rng, 6)
    for p, probabilities in ((0.6, some), (1.0, some * 0.999), (1.0, np.array([0.25, 0.5, 0.25]))):
        _, after, shared = student.top_p_and_probabilities(probabilities, p)
        cause = "the caller's array was written into: fill np.zeros_like(probabilities) instead"
        expect_unchanged("probabilities", after, probabilities, cause)
        if shared:
            raise Failure(f"p = {p}: expected a new array, got the memory of `probabilities`", "a new array", "a view")
