"""Which token comes next: from the network's scores to one choice."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.scalars import softmax

Choice = Callable[[np.ndarray, np.random.Generator], int]
"""(V,) scores -> a token, drawn from the generator: a Sampler, or another function."""


def probabilities(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """(V,) scores -> (V,) float64: e^(x / temperature) / sum e^(x / temperature), without overflow.

    temperature : below 1 the likely tokens become likelier, above 1 all become more alike; at 0 the first of the
        tokens with the greatest score has probability 1.

    Raises ShapeError, and KuiperError for a temperature below 0 and for scores that are nan, plus infinity, or all
    minus infinity (some may be: those tokens are impossible).

    >>> probabilities(np.array([0.0, 1000.0, 1000.0])), probabilities(np.array([1.0, 3.0, 3.0]), 0)
    (array([0. , 0.5, 0.5]), array([0., 1., 0.]))
    """
    check_temperature(temperature)
    scores = np.asarray(logits, np.float64)
    if scores.ndim != 1 or scores.size == 0:
        raise ShapeError("logits", "(V,), one score for each token", scores.shape)
    top = scores.max()
    if not np.isfinite(top):  # nan too: the greatest of numbers with a nan is nan
        raise KuiperError(f"logits: expected finite scores, the greatest is {top}; are weights and input right?")
    if temperature == 0:
        return np.eye(1, scores.size, int(scores.argmax()))[0]
    with np.errstate(over="ignore"):  # the least temperatures: minus infinity, of which e^x is 0
        return softmax((scores - top) / temperature)


def top_k(probabilities: np.ndarray, k: int) -> np.ndarray:
    """(V,) -> (V,): the `k` most probable tokens, in proportion; the rest 0. Of equals the first come first.

    Raises KuiperError for k below 1.

    >>> top_k(np.array([0.2, 0.5, 0.3]), 2)
    array([0.   , 0.625, 0.375])
    """
    check_top_k(k)
    least = np.partition(probabilities, -k)[-k] if k < probabilities.size else 0.0
    return _only(probabilities, _in_order(probabilities, least)[:k])


def top_p(probabilities: np.ndarray, p: float) -> np.ndarray:
    """(V,) -> (V,): the fewest most probable tokens whose sum reaches `p`, in proportion; the rest 0.

    Also called nucleus sampling. Of equals the first come first; p = 1 changes nothing.
    Raises KuiperError for p outside (0,1].

    Source: https://arxiv.org/abs/1904.09751

    >>> top_p(np.array([0.125, 0.5, 0.375]), 0.75)
    array([0.        , 0.57142857, 0.42857143])
    """
    check_top_p(p)
    if p == 1:
        return probabilities
    order = _in_order(probabilities, (1 - p) / probabilities.size)  # those below sum up to less than 1 - p
    count = int(np.searchsorted(np.cumsum(probabilities[order]), p)) + 1
    return _only(probabilities, order[:count])


def draw(probabilities: np.ndarray, random: np.random.Generator) -> int:
    """(V,) -> a token, each as often as its probability says; takes one number from `random`.

    >>> draw(np.array([0.0, 1.0, 0.0]), np.random.default_rng(0))
    1
    """
    sums = np.cumsum(probabilities)
    return int(np.searchsorted(sums, random.random() * sums[-1], side="right"))


@dataclass(frozen=True)
class Sampler:
    """How to choose: temperature first, then the `top_k` likeliest tokens (None: all), of those the nucleus `top_p`.

    Raises KuiperError for a temperature below 0, top_k below 1, top_p outside (0,1].

    >>> Sampler(temperature=0)(np.array([0.5, 2.0, 1.0]), np.random.default_rng(0))
    1
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0

    def __post_init__(self) -> None:
        check_temperature(self.temperature)
        check_top_p(self.top_p)
        if self.top_k is not None:
            check_top_k(self.top_k)

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """(V,) scores -> (V,) float64, what the choice is drawn from."""
        found = probabilities(logits, self.temperature)
        if self.top_k is not None:
            found = top_k(found, self.top_k)
        return top_p(found, self.top_p)

    def __call__(self, logits: np.ndarray, random: np.random.Generator) -> int:
        """(V,) scores -> the token that was drawn."""
        return draw(self.probabilities(logits), random)


def check_temperature(temperature: float) -> None:
    """Raise KuiperError unless it is a number of at least 0."""
    if not (temperature >= 0 and math.isfinite(temperature)):
        raise KuiperError(f"temperature: expected a number of at least 0, found {temperature}")


def check_top_k(k: int) -> None:
    """Raise KuiperError unless it is at least 1."""
    if k < 1:
        raise KuiperError(f"top k: expected at least 1, found {k}")


def check_top_p(p: float) -> None:
    """Raise KuiperError unless it is in (0,1]."""
    if not 0 < p <= 1:
        raise KuiperError(f"top p: expected a number above 0 and at most 1, found {p}")


def _in_order(probabilities: np.ndarray, least: float) -> np.ndarray:
    """The tokens of at least that probability, the likeliest first: of a hundred thousand, few are worth sorting."""
    some = np.flatnonzero(probabilities >= least)
    return some[np.argsort(-probabilities[some], kind="stable")]


def _only(probabilities: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    left = np.zeros_like(probabilities)
    left[tokens] = probabilities[tokens]
    return left / left.sum()
