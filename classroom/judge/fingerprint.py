"""Fingerprints of values: a few numbers that tell whether another value is the same, without giving it away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

SUMS = 3
TOLERANCE = 1e-5
"""Of the sums' scale, between values that count as the same."""


@dataclass(frozen=True)
class Fingerprint:
    """The form of a value (types, shapes, text), and SUMS weighted sums over all its numbers.

    The weights are random and the same everywhere. `scale` is the sum of the numbers' sizes.
    """

    form: str
    sums: tuple[float, ...]
    scale: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        near = TOLERANCE * max(self.scale, other.scale) + 1e-30
        return _bare(self.form) == _bare(other.form) and all(abs(a - b) <= near for a, b in zip(self.sums, other.sums))

    __hash__ = None  # type: ignore[assignment]  # equal within a tolerance


def _bare(form: str) -> str:
    """The form as it is compared: where whole numbers have 32 bits unless told otherwise, i4 stands for i8 too.

    So it is in a browser. Forms are stored on machines of 64 bits.
    """
    return re.sub(":i[48]:", ":i:", form) if np.dtype(np.intp).itemsize == 4 else form


def fingerprint(value: Any) -> Fingerprint:
    """The fingerprint of numbers, text, arrays, and lists, tuples and dicts of them."""
    numbers: list[np.ndarray] = []
    form = " ".join(_form(value, numbers))
    flat = np.concatenate([np.zeros(0), *numbers])
    special = ~np.isfinite(flat)
    form += "".join(f" {place}:{flat[place]}" for place in np.flatnonzero(special)[:1000])
    flat[special] = 0
    weights = np.random.RandomState(0).uniform(-1, 1, (SUMS, flat.size))  # of which the stream never changes
    return Fingerprint(form, tuple(float(one) for one in weights @ flat), float(np.abs(flat).sum()))


def _form(value: Any, numbers: list[np.ndarray]) -> Iterator[str]:
    """The words of a value's form; its numbers are appended to `numbers`."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
        yield f"{type(value).__name__}:{value.dtype.str[1:]}:{','.join(map(str, value.shape))}"
        flat = np.asarray(value).reshape(-1)
        with np.errstate(invalid="ignore"):  # a NaN that signals, as bits that are no float's may be
            numbers += [flat.real.astype(np.float64), flat.imag.astype(np.float64)][: 1 + (flat.dtype.kind == "c")]
    elif isinstance(value, float):
        yield "float"
        numbers.append(np.array([value]))
    elif isinstance(value, list | tuple):
        yield f"{type(value).__name__}{len(value)}("
        for item in value:
            yield from _form(item, numbers)
    elif isinstance(value, dict):
        yield f"dict{len(value)}("
        for key, item in value.items():
            yield repr(key)
            yield from _form(item, numbers)
    elif callable(value):
        yield "function"
    else:
        yield repr(value)
