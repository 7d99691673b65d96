"""What the judges of lesson 12 share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from classroom.judge.fingerprint import fingerprint


def wrong(found: Mapping[str, Any], right: Any) -> dict[str, Any]:
    """Those of `found` (likely cause -> what comes of it) that are not right here after all."""
    return {cause: value for cause, value in found.items() if fingerprint(value) != fingerprint(right)}


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    return int(rng.integers(low, high + 1))
