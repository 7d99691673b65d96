"""Whether two frameworks computed the same: the largest difference between their outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Difference:
    """The largest difference between two lists of outputs, as a share of the largest value; `fault` where the lists
    cannot be compared: another number of outputs, another shape."""

    relative: float
    fault: str = ""

    def complaint(self, tolerance: float) -> str:
        """Why these are not the outputs of the same network; empty where they are, for all that matters."""
        if self.fault:
            return f"computes something else: {self.fault}"
        if not self.relative <= tolerance:
            return f"computes something else: outputs differ by {self.relative:.1e} (> {tolerance:.0e})"
        return ""


def largest_difference(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> Difference:
    """max |a - b| / max |a| over each pair of outputs, and of these the largest.

    Axes of length 1 do not matter, since one framework has a batch axis where another has none. nan and infinities
    must stand at the same places, or the difference is infinite.

    >>> largest_difference([np.array([1.0, -4.0])], [np.array([[1.0, -4.2]])]).relative
    0.05
    """
    if len(ours) != len(theirs):
        return Difference(np.inf, f"{len(theirs)} outputs, kuiper {len(ours)}")
    largest = 0.0
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a.squeeze().shape != b.squeeze().shape:
            return Difference(np.inf, f"output {i} has shape {b.shape}, kuiper's {a.shape}")
        largest = max(largest, _relative(a.squeeze(), b.squeeze()))
    return Difference(round(largest, 12))


def _relative(a: np.ndarray, b: np.ndarray) -> float:
    a, b = (x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (a, b))
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(b[finite]).all():
        return np.inf
    largest = float(np.abs(a[finite]).max(initial=0.0))
    return float(np.abs(a[finite] - b[finite]).max(initial=0.0)) / (largest or 1.0)
