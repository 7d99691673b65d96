"""What the hidden tests of lesson 13 share."""

from __future__ import annotations

import numpy as np


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    return int(rng.integers(low, high + 1))
