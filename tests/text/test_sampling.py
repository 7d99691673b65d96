"""The choice of a token: distributions stay distributions, keep the right tokens, and are drawn from as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import KuiperError
from kuiper.text import Sampler, draw, probabilities, top_k, top_p

SIXTEENTHS = st.lists(st.integers(1, 40), min_size=1, max_size=12)
SCORES = st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=20)


def shares(weights: list[int]) -> np.ndarray:
    return np.array(weights) / sum(weights)


@given(SCORES, st.floats(0.1, 10))
@settings(max_examples=50)
def test_probabilities_are_the_softmax_of_the_scaled_scores(scores: list[float], temperature: float) -> None:
    grown = [math.exp((x - max(scores)) / temperature) for x in scores]
    np.testing.assert_allclose(probabilities(np.array(scores), temperature), np.array(grown) / sum(grown), rtol=1e-9)


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e-3, 1.0, 1e300])
def test_no_temperature_and_no_score_overflows(temperature: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        found = probabilities(np.array([-np.inf, -1e30, 0.0, 1e30, 1e30], np.float32), temperature)
    assert found.sum() == pytest.approx(1)
    assert found[0] == 0
    assert found[3] == found[4] > 0
    if temperature < 1e300:
        np.testing.assert_array_equal(found, [0, 0, 0, 0.5, 0.5])


def test_temperature_nought_is_the_first_of_the_greatest() -> None:
    np.testing.assert_array_equal(probabilities(np.array([1.0, 4.0, 4.0, -np.inf]), 0), [0, 1, 0, 0])


def test_a_higher_temperature_makes_the_unlikely_likelier() -> None:
    least = [probabilities(np.array([0.0, 1.0, 2.0]), t)[0] for t in (0.2, 0.7, 1.0, 2.0, 100.0)]
    assert least == sorted(least)
    assert least[-1] == pytest.approx(1 / 3, abs=0.01)


@given(SIXTEENTHS, st.integers(1, 14), st.floats(0.01, 1, exclude_max=True))
def test_what_is_kept_is_the_beginning_of_all_tokens_in_order(weights: list[int], k: int, p: float) -> None:
    whole = shares(weights)
    order = np.argsort(-whole, kind="stable")
    fewest = int(np.searchsorted(np.cumsum(whole[order]), p)) + 1
    for left, count in ((top_k(whole, k), k), (top_p(whole, p), fewest)):
        assert set(np.flatnonzero(left)) == set(order[:count])


@given(SIXTEENTHS, st.integers(1, 14))
def test_top_k_keeps_the_k_likeliest(weights: list[int], k: int) -> None:
    whole = shares(weights)
    left = top_k(whole, k)
    best = sorted(range(len(weights)), key=lambda i: (-weights[i], i))[:k]
    assert np.flatnonzero(left).tolist() == sorted(best)
    np.testing.assert_allclose(left[best], whole[best] / whole[best].sum())


@given(SIXTEENTHS, st.integers(1, 99))
def test_top_p_keeps_the_fewest_that_reach_p(weights: list[int], hundredths: int) -> None:
    total = sum(weights)
    p = (math.ceil(total * hundredths / 100) - 0.5) / total  # between two sums: rounding decides nothing
    best = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
    fewest = next(n for n in range(1, len(best) + 1) if sum(weights[i] for i in best[:n]) >= p * total)
    left = top_p(shares(weights), p)
    assert np.flatnonzero(left).tolist() == sorted(best[:fewest])
    np.testing.assert_allclose(left.sum(), 1)
    np.testing.assert_allclose(left[best[0]], shares(weights)[best[0]] / shares(weights)[best[:fewest]].sum())


def test_the_token_that_reaches_p_exactly_is_the_last_one() -> None:
    np.testing.assert_array_equal(top_p(np.array([0.25, 0.125, 0.5, 0.125]), 0.75), [1 / 3, 0, 2 / 3, 0])


def test_top_p_of_one_changes_nothing() -> None:
    whole = np.array([1e-30, 1.0, 1e-30])
    np.testing.assert_array_equal(top_p(whole, 1), whole)


def test_tokens_are_drawn_as_often_as_they_are_probable() -> None:
    random, wanted = np.random.default_rng(7), np.array([0.0, 0.5, 0.0, 0.2, 0.3, 0.0])
    counts = np.bincount([draw(wanted, random) for _ in range(4000)], minlength=6)
    assert not counts[wanted == 0].any()
    deviations = np.sqrt(4000 * wanted * (1 - wanted))
    assert (np.abs(counts - 4000 * wanted) <= 4 * deviations).all()


@pytest.mark.parametrize("number", [0.0, np.nextafter(1, 0)])
def test_the_ends_of_the_unit_interval_draw_possible_tokens(number: float) -> None:
    class Fixed:
        def random(self) -> float:
            return number

    wanted = np.array([0.0, 0.1, 0.2, 0.7, 0.0])
    assert draw(wanted, Fixed()) == (1 if number == 0 else 3)


def test_a_sampler_cools_then_cuts() -> None:
    logits = np.log(np.array([8.0, 4.0, 2.0, 1.0, 1.0]))
    found = Sampler(temperature=0.5, top_k=3, top_p=0.9).probabilities(logits)
    np.testing.assert_allclose(found, [64 / 80, 16 / 80, 0, 0, 0])  # squares 64 16 4 1 1; of 84, 80 are more than 0.9


def test_the_same_seed_gives_the_same_choices() -> None:
    logits = np.random.default_rng(0).normal(size=50)
    runs = [[Sampler(0.9, 20, 0.9)(logits, random) for _ in range(30)]
            for random in map(np.random.default_rng, (3, 3, 4))]  # fmt: skip
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -0.1}, "temperature: expected a number of at least 0, found -0.1"),
        ({"temperature": math.nan}, "temperature"),
        ({"temperature": math.inf}, "temperature"),
        ({"top_k": 0}, "top k: expected at least 1, found 0"),
        ({"top_p": 0.0}, "top p: expected a number above 0 and at most 1, found 0"),
        ({"top_p": 1.01}, "top p"),
        ({"top_p": math.nan}, "top p"),
    ],
)
def test_options_out_of_range_are_explained(options: dict[str, float], message: str) -> None:
    with pytest.raises(KuiperError, match=message):
        Sampler(**options)


@pytest.mark.parametrize("logits", [[np.nan, 1.0], [np.inf, 1.0], [-np.inf, -np.inf], [], [[1.0]]])
def test_scores_that_are_none_are_explained(logits: list[float]) -> None:
    with pytest.raises(KuiperError, match="logits: expected"):
        Sampler()(np.array(logits), np.random.default_rng(0))
