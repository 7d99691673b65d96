r"""As few of the likely tokens as reach p: why the solution is as it is.

`order` is the *numbers* of the tokens, the most probable first; the probabilities stay where they are. The running
sums of the sorted probabilities rise, so `np.searchsorted(sums, p)` is how many of them are below p; the next token
is the one that reaches it, hence + 1. If the sum is p exactly, `searchsorted` (from the left) counts only those
before it, and the + 1 adds that one: right again.

- `np.cumsum(...) <= p` as a mask leaves out the token that crosses p, and with a confident network, whose first token
  has 0.95, it leaves nothing at all. Then comes 0 / 0.
- `np.argmax(sums >= p)` says 0 where no sum is. With p = 1 and rounding that happens: only one token is left.
- `argsort(...)[::-1]` turns the order of equals around. `kind="stable"` on the negated probabilities does not.
- A threshold, `probabilities >= least`, keeps all equals of the last token, also those that are not needed.
- p = 1 means everything. Sums of rounded numbers reach 1 too early or not at all, so it is a case of its own.
- To be divided by is the sum of what is left, which is p or more, not p.

The number of tokens that stay adapts to the network: few where it is sure, many where it is not. That is the
difference from top-k.

Cost: sorting, V log V, for each token. For large vocabularies one takes the best few hundred first
(`np.argpartition`).

Source: A. Holtzman and others, [The curious case of neural text degeneration](https://arxiv.org/abs/1904.09751),
2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from .shared import between


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


def top_p_mistakes(probabilities: np.ndarray, p: float) -> dict[str, np.ndarray]:
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
    unstable = (
        "the order of equally probable tokens is left to chance: np.argsort(-probabilities, kind='stable') keeps it"
    )
    found = {
        "the probabilities were divided by their sum before they were compared with p: only what is kept is divided": (
            only(order[: int(np.searchsorted(np.cumsum(probabilities[order]) / probabilities.sum(), p)) + 1])
        ),
        "the sums were rounded before they were compared with p: 0.4999999 does not reach 0.5": (
            only(order[: int(np.searchsorted(np.round(sums, 6), p)) + 1])
        ),
        "a limit keeps all tokens that equal it, and the set shall be the smallest: keep the tokens' numbers, those of "
        "np.argsort": only(np.flatnonzero(probabilities >= least)),
        "the token with which the sum reaches p is missing": only(order[: kept - 1]),
        "the least probable tokens are kept: sort with the largest first, np.argsort(-probabilities, kind='stable')": (
            only(rising[: int(np.searchsorted(np.cumsum(probabilities[rising]), p)) + 1])
        ),
        "the tokens were taken in their order: sort them first, the most probable first": only(
            np.arange(min(int(np.searchsorted(np.cumsum(probabilities), p)) + 1, len(probabilities)))
        ),
        "one token too many: where the sum is p already, the set is complete": only(order[: kept + 1]),
        "that share of the TOKENS was kept: it is the sum of their probabilities that reaches p": (
            only(order[: max(1, int(np.ceil(p * len(order))))])
        ),
        "these are the kept tokens alone, sorted: the result has a place for every token, with 0 for the others": (
            probabilities[order[:kept]] / probabilities[order[:kept]].sum()
        ),
        "softmax was taken of what is kept: divide it by its sum": (
            np.where(expected > 0, np.exp(probabilities), 0) / np.exp(probabilities[order[:kept]]).sum()
        ),
        "not divided by the sum: what is left has to sum to 1 again": np.where(expected > 0, probabilities, 0),
        "divided by p, which is not the sum of what is kept: that sum may be larger": (
            np.where(expected > 0, probabilities, 0) / p
        ),
        "the result is sorted: each token stays in its place": -np.sort(-expected),
        "of equally probable tokens the last one was taken: sort -probabilities with kind='stable'": only(
            backwards[:kept]
        ),
        "tokens that are less probable than p are dropped: it is their SUM that counts": only(
            np.flatnonzero(probabilities >= p)
        ),
        "tokens are dropped where the sum has not reached p yet": only(order[sums >= p]),
        unstable: only(np.argsort(-probabilities)[:kept]),
        f"{unstable}; read backwards it is no longer stable": only(np.argsort(probabilities)[::-1][:kept]),
    }
    if (probabilities < p).all():
        cause = "no token alone is as probable as p, and so all were dropped: it is their SUM that counts"
        found[cause] = np.zeros_like(probabilities)
    if p == 1 or sums[-1] < p:
        found["one token is left: np.argmax says 0 where no sum reaches p, and rounding may leave none"] = only(
            order[:1]
        )
    found = {
        cause: wrong
        for cause, wrong in found.items()
        if wrong.shape != expected.shape or not np.allclose(wrong, expected, 1e-4, 1e-4)
    }
    reached = int(np.searchsorted(sums, 1)) + 1
    if p == 1 and reached < kept:
        cause = "the sum was rounded to 1 before the last tokens came: with p = 1 keep all, without a sum"
        found = {cause: only(order[:reached]), **found}
    if 0.999 < p < 1 and kept < len(order):
        found = {"p just below 1 was taken for 1: only p == 1 keeps all": only(order), **found}
    return {cause: wrong.astype(probabilities.dtype) for cause, wrong in found.items()}


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
def many_sums_that_are_p_exactly(student: Student, rng: np.random.Generator) -> None:
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
        expect_refused(student.top_p, shuffled(rng, between(rng, 1, 9))[0], p)


COUNT = "    count = np.searchsorted(np.cumsum(probabilities[order], dtype=np.float64), p) + 1\n"
ORDER = '    order = np.argsort(-probabilities, kind="stable")\n'
DIVIDED = "    return kept / kept.sum()\n"
KEPT = "    kept[order[:count]] = probabilities[order[:count]]\n"
ONE = "    if p == 1:\n"
CHECK = "    if not 0 < p <= 1:\n"

MUTANTS = [
    Mutant(
        "divided_first",
        "divides by the sum of all before the sum is compared with p",
        old=COUNT,
        new=(
            "    sums = np.cumsum(probabilities[order], dtype=np.float64)\n"
            "    count = np.searchsorted(sums / sums[-1], p) + 1\n"
        ),
        breaks="reached",
    ),
    Mutant(
        "kept_alone",
        "returns the kept tokens alone",
        old=DIVIDED,
        new="    return kept[order[:count]] / kept.sum()\n",
        breaks="places",
    ),
    Mutant(
        "first_that_reaches",
        "fails where no sum reaches p",
        old=COUNT,
        new=(
            "    count = np.nonzero(np.cumsum(probabilities[order], dtype=np.float64) >= p)[0][0] + 1 if p < 1 else 0\n"
        ),
        breaks="reached",
    ),
    Mutant(
        "without_the_last",
        "leaves the token out with which the sum reaches p",
        old=COUNT,
        new="    count = np.searchsorted(np.cumsum(probabilities[order], dtype=np.float64), p)\n",
        breaks="reached",
    ),
    Mutant(
        "one_more",
        "takes a token more where the sum is p exactly",
        old=COUNT,
        new='    count = np.searchsorted(np.cumsum(probabilities[order], dtype=np.float64), p, side="right") + 1\n',
        breaks="smallest",
    ),
    Mutant(
        "two_more",
        "takes one token too many",
        old=COUNT,
        new="    count = np.searchsorted(np.cumsum(probabilities[order], dtype=np.float64), p) + 2\n",
        breaks="smallest",
    ),
    Mutant(
        "ascending",
        "sorts with the smallest first",
        old=ORDER,
        new='    order = np.argsort(probabilities, kind="stable")\n',
        breaks="reached",
    ),
    Mutant(
        "unsorted",
        "takes the tokens in their order",
        old=ORDER,
        new="    order = np.arange(len(probabilities))\n",
        breaks="reached",
    ),
    Mutant(
        "not_renormalised",
        "what is left does not sum to 1",
        old=DIVIDED,
        new="    return kept\n",
        breaks="proportion",
    ),
    Mutant(
        "softmax_again",
        "makes a distribution with another softmax",
        old=DIVIDED,
        new=("    powers = np.where(kept > 0, np.exp(kept), 0).astype(kept.dtype)\n    return powers / powers.sum()\n"),
    ),
    Mutant(
        "divided_by_p",
        "divides by p, which is not the sum",
        old=DIVIDED,
        new="    return kept / kept.dtype.type(p)\n",
        breaks="proportion",
    ),
    Mutant(
        "rest_shared",
        "gives the rest to all tokens alike",
        old=DIVIDED,
        new=("    return np.where(kept > 0, kept + (1 - kept.sum()) / np.count_nonzero(kept), 0).astype(kept.dtype)\n"),
        breaks="proportion",
    ),
    Mutant(
        "order_lost",
        "returns the tokens sorted",
        old=KEPT,
        new="    kept[:count] = probabilities[order[:count]]\n",
        breaks="places",
    ),
    Mutant(
        "ranks_for_places",
        "takes the order's inverse for the order",
        old=KEPT,
        new=("    places = np.argsort(order)[:count]\n    kept[places] = probabilities[places]\n"),
        breaks="places",
    ),
    Mutant(
        "equals_backwards",
        "of equals the last comes first",
        old=ORDER,
        new='    order = np.argsort(probabilities, kind="stable")[::-1]\n',
        breaks="equals",
    ),
    Mutant(
        "all_equals",
        "keeps all that are as probable as the last one",
        old=KEPT,
        new=(
            "    least = probabilities[order[:count]].min()\n"
            "    kept[probabilities >= least] = probabilities[probabilities >= least]\n"
        ),
        breaks="equals",
    ),
    Mutant(
        "each_above_p",
        "keeps tokens that are more probable than p",
        old=COUNT,
        new="    count = max(1, np.count_nonzero(probabilities >= p))\n",
    ),
    Mutant(
        "share_of_tokens",
        "keeps that share of the tokens",
        old=COUNT,
        new="    count = max(1, int(np.ceil(p * len(order))))\n",
    ),
    Mutant(
        "below_one_minus_p",
        "drops tokens less probable than 1 - p",
        old=COUNT,
        new="    count = max(1, np.count_nonzero(probabilities >= 1 - p))\n",
    ),
    Mutant(
        "none_below_the_first",
        "keeps nothing where the first token is enough",
        old=COUNT,
        new="    count = np.count_nonzero(np.cumsum(probabilities[order], dtype=np.float64) <= p)\n",
    ),
    Mutant(
        "argmax_of_nothing",
        "where the sum stays below 1 nothing is found, and argmax says 0",
        old=COUNT,
        new=(
            "    count = np.argmax(np.cumsum(probabilities[order], dtype=np.float64) >= p) + 1\n"
            "    if True:\n"
            "        return np.where(np.isin(np.arange(len(order)), order[:count]), probabilities, 0) "
            "/ probabilities[order[:count]].sum()\n"
        ),
    ),
    Mutant(
        "one_by_the_sum",
        "drops rare tokens for p = 1",
        old=ONE,
        new="    if False:\n",
        breaks="one",
    ),
    Mutant(
        "one_as_it_is",
        "for p = 1 there is nothing to divide",
        old=ONE,
        new="    if p == 1:\n        return probabilities.copy()\n    if p == 1:\n",
        breaks="proportion",
    ),
    Mutant(
        "one_as_it_came",
        "for p = 1 there is nothing to do",
        old=ONE,
        new="    if p == 1:\n        return probabilities\n    if p == 1:\n",
    ),
    Mutant(
        "divided_where_it_lies",
        "for p = 1 a view of what was given is divided if it has to be",
        old=ONE,
        new=("    if p == 1 and abs(probabilities.sum() - 1) < 1e-9:\n        return probabilities\n    if p == 1:\n"),
        breaks="new",
    ),
    Mutant(
        "nearly_reached",
        "a sum is compared with some tolerance",
        old=COUNT,
        new="    count = np.searchsorted(np.cumsum(probabilities[order], dtype=np.float64), p - 1e-6) + 1\n",
        breaks="reached",
    ),
    Mutant(
        "never_reached",
        "where the sum stays below p one token is left",
        old=COUNT,
        new=(
            "    reached = np.cumsum(probabilities[order], dtype=np.float64) >= p\n    count = np.argmax(reached) + 1\n"
        ),
        breaks="reached",
    ),
    Mutant(
        "always_float64",
        "computes in float64, whatever comes",
        old=DIVIDED,
        new="    return kept.astype(np.float64) / kept.sum()\n",
        breaks="dtype",
    ),
    Mutant(
        "no_check",
        "takes any p",
        old=CHECK,
        new="    if False:\n",
        breaks="refused",
    ),
    Mutant(
        "no_check_above",
        "takes a p above 1",
        old=CHECK,
        new="    if not 0 < p:\n",
        breaks="refused",
    ),
    Mutant(
        "no_check_below",
        "takes a p of 0 and below",
        old=CHECK,
        new="    if not p <= 1:\n",
        breaks="refused",
    ),
    Mutant(
        "nan_passes",
        "two comparisons that nan passes",
        old=CHECK,
        new="    if p <= 0 or p > 1:\n",
        breaks="refused",
    ),
    Mutant(
        "one_is_refused",
        "takes no p of 1",
        old=CHECK,
        new="    if not 0 < p < 1:\n",
        breaks="one",
    ),
    Mutant(
        "summed_in_float32",
        "sums in the type of the probabilities",
        old=COUNT,
        new="    count = np.searchsorted(np.cumsum(probabilities[order]), p) + 1\n",
        breaks="float64",
    ),
    Mutant(
        "reached_within_a_billionth",
        "a sum is compared with a small tolerance",
        old=COUNT,
        new="    count = np.searchsorted(np.cumsum(probabilities[order], dtype=np.float64), p - 1e-8) + 1\n",
        breaks="reached",
    ),
    Mutant(
        "nearly_one",
        "takes a p just below 1 for 1",
        old=ONE,
        new="    if p > 0.99999:\n",
    ),
    Mutant(
        "rounded_before_sorting",
        "takes nearly equal tokens for equals",
        old=ORDER,
        new='    order = np.argsort(-np.round(probabilities, 6), kind="stable")\n',
        breaks="equals",
    ),
    Mutant(
        "any_order_of_equals",
        "sorts with a method that does not keep the order of equals",
        old=ORDER,
        new="    order = np.argsort(-probabilities)\n",
        breaks="equals",
    ),
    Mutant(
        "written_into_the_caller's",
        "sets what is not kept to 0, in the array that was given",
        old="    kept = np.zeros_like(probabilities)\n",
        new="    kept, probabilities = probabilities, probabilities.copy()\n    kept[...] = 0\n",
        breaks="new",
    ),
    Mutant(
        "divided_in_place",
        "returns the caller's own array, divided, for p = 1",
        old=ONE,
        new="    if p == 1:\n        probabilities /= probabilities.sum()\n",
    ),
    Mutant(
        "another_error",
        "refuses with an exception that the task does not name",
        old='        raise ValueError(f"top_p: expected',
        new='        raise ArithmeticError(f"top_p: expected',
        breaks="refused",
    ),
]
