"""Rotary positions: how far each pair of a head turns from one token to the next.

Pair i of a head of width D turns by theta^(-2i/D) at each token: the first pairs fast, the last ones slowly. A model
that shall read longer texts than it was trained on slows some of them down:

    default   none
    linear    all, by `factor`
    llama3    by `factor` those that turn less than `low_freq_factor` times in a text of the old length; those that turn
              more than `high_freq_factor` times stay as they are; those between, by something between
    yarn      the same with `beta_slow` and `beta_fast`, between them along a straight line in i; cosines and sines,
              and so queries and keys, grow a little

In type dynamic the speeds change with the length of the text, and keys in a cache would have to be turned anew: it is
refused, as is every other.

Source: https://arxiv.org/abs/2104.09864 (default), 2306.15595 (linear), 2309.00071 (yarn); the code of Llama 3.1
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kuiper.documents import Document


@dataclass(frozen=True, eq=False)
class Rotation:
    """speeds (D/2,) float32: radians per token for each pair of a head; scale: factor of their cosines and sines."""

    speeds: np.ndarray
    scale: float = 1.0


def read_rotation(rope: Document, width: int, positions: int) -> Rotation:
    """The rotation that rope_parameters (older: rope_scaling and rope_theta) say.

    width : of a head, an even number.
    positions : max_position_embeddings, the length of text where the settings name no older one.

    Raises ModelFormatError for a type or a setting that is not known.

    >>> from pathlib import Path
    >>> plain = Document(Path("config.json"), {"rope_type": "linear", "factor": 2.0, "rope_theta": 100.0})
    >>> read_rotation(plain, 4, 64).speeds
    array([0.5 , 0.05], dtype=float32)
    """
    kind = rope.text("rope_type", rope.text("type", "default"))
    if kind != rope.text("type", kind):
        raise rope.fault("type", f"the same as rope_type, {kind!r:.60}")
    if kind not in _SCALINGS:
        raise rope.fault("rope_type", f"one of {', '.join(_SCALINGS)}", repr(kind)[:60])
    known, scaled = _SCALINGS[kind]
    for key in rope.values.keys() - known - {"rope_type", "type", "rope_theta", "partial_rotary_factor"}:
        raise rope.fault(key, f"no setting of that name in type {kind}")
    if rope.number("partial_rotary_factor", 1.0) != 1:
        raise rope.fault("partial_rotary_factor", "1, heads that turn as a whole")
    theta = rope.number("rope_theta", 10000.0)
    if theta <= 1:
        raise rope.fault("rope_theta", "a number above 1")
    plain = theta ** (-np.arange(0, width, 2, dtype=np.float64) / width)
    speeds, scale = scaled(rope, plain, theta, positions)
    if not math.isfinite(scale):
        raise rope.fault("rope_type", "settings that give a finite scale", f"{scale}")
    return Rotation(speeds.astype(np.float32), scale)


def _default(rope: Document, plain: np.ndarray, theta: float, positions: int) -> tuple[np.ndarray, float]:
    return plain, 1.0


def _linear(rope: Document, plain: np.ndarray, theta: float, positions: int) -> tuple[np.ndarray, float]:
    return plain / _factor(rope), 1.0


def _llama3(rope: Document, plain: np.ndarray, theta: float, positions: int) -> tuple[np.ndarray, float]:
    low, high = rope.number("low_freq_factor"), rope.number("high_freq_factor")
    if low >= high:
        raise rope.fault("high_freq_factor", f"a number above low_freq_factor, {low:g}")
    turns = rope.size("original_max_position_embeddings", positions) * plain / (2 * math.pi)
    return _mixed(plain, _factor(rope), np.clip((turns - low) / (high - low), 0, 1)), 1.0


def _yarn(rope: Document, plain: np.ndarray, theta: float, positions: int) -> tuple[np.ndarray, float]:
    factor, fast, slow = _factor(rope), rope.number("beta_fast", 32.0), rope.number("beta_slow", 1.0)
    if slow >= fast:
        raise rope.fault("beta_fast", f"a number above beta_slow, {slow:g}")
    length, pairs = rope.size("original_max_position_embeddings", positions), len(plain)

    def pair_that_turns(times: float) -> float:
        return pairs * (math.log(length / (2 * math.pi)) - math.log(times)) / math.log(theta)

    first, last = pair_that_turns(fast), pair_that_turns(slow)
    if rope.flag("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, 2 * pairs - 1)
    if first == last:
        last += 0.001
    kept = 1 - np.clip((np.arange(pairs) - first) / (last - first), 0, 1)
    return _mixed(plain, factor, kept), _yarn_scale(rope, factor)


def _yarn_scale(rope: Document, factor: float) -> float:
    """What YaRN multiplies queries and keys by: `attention_factor`, or a function of the factor."""
    if rope.get("attention_factor") is not None:
        return rope.number("attention_factor")

    def grown(by: float) -> float:
        return 0.1 * by * math.log(factor) + 1

    if rope.get("mscale") and rope.get("mscale_all_dim"):
        return grown(rope.number("mscale")) / grown(rope.number("mscale_all_dim"))
    return grown(1.0)


def _mixed(plain: np.ndarray, factor: float, kept: np.ndarray) -> np.ndarray:
    """Speeds of which the share `kept` stays, and the rest is slower by the factor."""
    return kept * plain + (1 - kept) * plain / factor


def _factor(rope: Document) -> float:
    factor = rope.number("factor")
    if factor < 1:
        raise rope.fault("factor", "a number of at least 1")
    return factor


_Scaling = Callable[[Document, np.ndarray, float, int], tuple[np.ndarray, float]]
_OLD_LENGTH = "original_max_position_embeddings"
_SCALINGS: dict[str, tuple[frozenset[str], _Scaling]] = {
    "default": (frozenset({_OLD_LENGTH}), _default),
    "linear": (frozenset({"factor", _OLD_LENGTH}), _linear),
    "llama3": (frozenset({"factor", "low_freq_factor", "high_freq_factor", _OLD_LENGTH}), _llama3),
    "yarn": (
        frozenset({"factor", "beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim", _OLD_LENGTH})
        | {"attention_factor"},
        _yarn,
    ),
}
"""Type -> the settings that it has, and what it makes of the plain speeds."""
