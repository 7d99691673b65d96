"""Activation functions as passes of numpy over fixed arrays.

What counts is the number of passes over the data and what each one costs. Per element of a tile in the cache, in
nanoseconds: add or multiply in place 0.06, into another array 0.08, clip 0.11 (maximum with a number: 0.4), divide
0.12, tanh 0.36, exp 0.45. Numbers are arrays without axes, which ufuncs take faster than Python's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy._core import umath

from kuiper.fast.kernels.base.calls import Call

clip: Callable[..., Any] = getattr(umath, "clip", np.clip)
"""The ufunc beneath np.clip, which spends 1.3 us more in Python on each call."""
Steps = Callable[..., list[Call]]
"""(x, work, out, *scratch) -> calls that end with out = f(x). x is read alone; work may be out."""


@dataclass(frozen=True)
class Activation:
    """A function of every element: f(x) = steps(factor * x), float32, as the simple layers have it.

    Nothing overflows that does not overflow in the simple layer, but for GELU: from |x| = 1e12 on its result is right
    and numpy warns.

    factor : what x is multiplied by first; see `scaled`.
    in_place : whether x may be the steps' work array.
    scratch : how many arrays the steps need besides x, work and out.
    nanoseconds : of one element on one thread.
    bounds : of f(x) = min(max(x, low), high), (low, high).
    """

    name: str
    steps: Steps
    nanoseconds: float
    factor: float = 1.0
    in_place: bool = False
    scratch: int = 0
    bounds: tuple[float, float] | None = None

    def calls(
        self, x: np.ndarray, target: np.ndarray, take: Callable[[], np.ndarray], spoil: bool = True
    ) -> list[Call]:
        """target = f(x), for any strides. x may be the target; where `spoil` holds, x is not needed afterwards.

        take : gives a fresh scratch array of the target's shape.
        """
        calls: list[Call] = []
        if self.factor != 1:
            scaled = x if spoil else target
            calls.append(partial(np.multiply, x, number(self.factor), scaled))
            x = scaled
        work = take() if _same(x, target) and not self.in_place else target
        return calls + self.steps(x, work, target, *(take() for _ in range(self.scratch)))

    @property
    def scaled(self) -> Activation:
        """g with f(x) = g(factor * x), often a pass cheaper: for a producer that puts the factor into its weights."""
        return replace(self, factor=1.0)


def number(value: float) -> np.ndarray:
    """A number as ufuncs take it fastest: an array of float32 without axes."""
    return np.array(value, np.float32)


def _same(x: np.ndarray, y: np.ndarray) -> bool:
    return x is y or x.__array_interface__["data"] == y.__array_interface__["data"]


ZERO, HALF, ONE, TWO = map(number, (0, 0.5, 1, 2))
INFINITY = number(math.inf)
LARGE = number(88)
"""exp of it is still a float32."""


def clamp(low: float | None, high: float | None) -> Activation:
    """min(max(x, low), high); NaN stays."""
    bounds = -math.inf if low is None else low, math.inf if high is None else high
    ends = number(bounds[0]), number(bounds[1])
    return Activation("clamp", lambda x, work, out: [partial(clip, x, *ends, out)], 0.11, in_place=True, bounds=bounds)


def _identity(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
    return [] if _same(x, out) else [partial(np.copyto, out, x)]


def _tanh(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
    return [partial(np.tanh, x, out)]


def _sigmoid(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
    """1 / (1 + e^x), for -x."""
    return [
        partial(clip, x, -INFINITY, LARGE, out),
        partial(np.exp, out, out),
        partial(np.add, out, ONE, out),
        partial(np.divide, ONE, out, out),
    ]


def _silu(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
    """x (1 + tanh(x)), for x/2."""
    return [partial(np.tanh, x, work), partial(np.add, work, ONE, work), partial(np.multiply, x, work, out)]


def _hardsigmoid(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
    """clip(x + 1/2, 0, 1), for x/6."""
    return [partial(np.add, x, HALF, out), partial(clip, out, ZERO, ONE, out)]


def _hardswish(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
    """x clip(x + 3/sqrt(6), 0, sqrt(6)), for x / sqrt(6): the pass that would divide by 6 is saved."""
    root = math.sqrt(6)
    return [
        partial(np.add, x, number(3 / root), work),
        partial(clip, work, ZERO, number(root), work),
        partial(np.multiply, x, work, out),
    ]


def _gelu_tanh(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
    """x (1 + tanh(x (a + b x^2))), for x/2."""
    a = 2 * math.sqrt(2 / math.pi)
    return [
        partial(np.multiply, x, x, work),
        partial(np.multiply, work, number(4 * 0.044715 * a), work),
        partial(np.add, work, number(a), work),
        partial(np.multiply, x, work, work),
        *_silu(work, work, work)[:2],
        partial(np.multiply, x, work, out),
    ]


# erf(sqrt(2) x) = tanh(x R(x^2)) with R(s) = A s + B + C / (s + D + E / (s + F)): the six numbers that make the largest
# error for |x| <= 3, and so anywhere, as small as it can be: 1.1e-7, and 2.3e-7 in float32.
ERF = (
    *(0.1451091106697202, 2.366552001409392, -1.332916145266191),
    *(-5.901533504751975, 86.46333989802574, 11.330778802937285),
)


def _gelu(x: np.ndarray, work: np.ndarray, out: np.ndarray, square: np.ndarray) -> list[Call]:
    """x (1 + erf(sqrt(2) x)), for x/2."""
    a, b, c, d, e, f = map(number, ERF)
    return [
        partial(np.multiply, x, x, square),
        partial(np.add, square, f, work),
        partial(np.divide, e, work, work),
        partial(np.add, work, square, work),
        partial(np.add, work, d, work),
        partial(np.divide, c, work, work),
        partial(np.add, work, b, work),
        partial(np.multiply, square, a, square),
        partial(np.add, work, square, work),
        partial(np.multiply, x, work, work),
        *_silu(work, work, work)[:2],
        partial(np.multiply, x, work, out),
    ]


def _mish(x: np.ndarray, work: np.ndarray, out: np.ndarray, n: np.ndarray) -> list[Call]:
    """x n / (n + 2) with n = e (e + 2) and e = e^x, as the simple layer has it."""
    return [
        partial(clip, x, -INFINITY, number(20), work),
        partial(np.exp, work, work),
        partial(np.add, work, TWO, n),
        partial(np.multiply, work, n, n),
        partial(np.add, n, TWO, work),
        partial(np.divide, n, work, work),
        partial(np.multiply, x, work, out),
    ]


def leaky_relu(slope: float) -> Activation | None:
    """The larger of x and slope x, or the smaller for slope > 1; 0 times infinity is left to the simple layer."""
    larger = np.maximum if slope <= 1 else np.minimum

    def steps(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
        return [partial(np.multiply, x, number(slope), work), partial(larger, x, work, out=out)]

    return Activation("leaky_relu", steps, 0.22) if slope and math.isfinite(slope) else None


def exponential_unit(alpha: float, scale: float = 1.0, slope: float = 1.0) -> Activation | None:
    """scale (max(x, 0) + alpha (e^(slope min(x, 0)) - 1)): ELU and its cousins.

    Where the curve lies above the line x, the larger of the two is the result. None for slope <= 0.
    """
    if slope <= 0:
        return None
    above = scale == 1 and 0 <= alpha * slope <= 1

    def steps(x: np.ndarray, work: np.ndarray, out: np.ndarray, *right: np.ndarray) -> list[Call]:
        calls: list[Call] = [partial(clip, x, -INFINITY, ZERO, work)]
        if slope != 1:
            calls.append(partial(np.multiply, work, number(slope), work))
        calls.append(partial(np.expm1, work, work))
        if scale * alpha != 1:
            calls.append(partial(np.multiply, work, number(scale * alpha), work))
        if not right:
            return [*calls, partial(np.maximum, x, work, out=out)]
        calls.append(partial(clip, x, ZERO, INFINITY, right[0]))
        if scale != 1:
            calls.append(partial(np.multiply, right[0], number(scale), right[0]))
        return [*calls, partial(np.add, right[0], work, out)]

    return Activation("elu", steps, 0.7, scratch=0 if above else 1)


def softplus(beta: float, threshold: float) -> Activation | None:
    """The larger of x and log(1 + e^min(beta x, threshold)) / beta: at a high threshold the two are one float32."""

    def steps(x: np.ndarray, work: np.ndarray, out: np.ndarray) -> list[Call]:
        calls: list[Call] = [partial(np.multiply, x, number(beta), work)] if beta != 1 else []
        calls += [
            partial(clip, work if calls else x, -INFINITY, number(threshold), work),
            partial(np.exp, work, work),
            partial(np.log1p, work, work),
        ]
        if beta != 1:
            calls.append(partial(np.multiply, work, number(1 / beta), work))
        return [*calls, partial(np.maximum, x, work, out=out)]

    known = 0 < beta < math.inf and 17 <= threshold <= 88
    return Activation("softplus", steps, 1.2) if known else None


IDENTITY = Activation("identity", _identity, 0.08, in_place=True)
TANH = Activation("tanh", _tanh, 0.36, in_place=True)
SIGMOID = Activation("sigmoid", _sigmoid, 0.78, factor=-1.0, in_place=True)
SILU = Activation("silu", _silu, 0.56, factor=0.5)
HARDSIGMOID = Activation("hardsigmoid", _hardsigmoid, 0.23, factor=1 / 6, in_place=True)
HARDSWISH = Activation("hardswish", _hardswish, 0.3, factor=1 / math.sqrt(6))
GELU = Activation("gelu", _gelu, 1.4, factor=0.5, scratch=1)
GELU_TANH = Activation("gelu_tanh", _gelu_tanh, 0.85, factor=0.5)
MISH = Activation("mish", _mish, 1.0, scratch=1)
