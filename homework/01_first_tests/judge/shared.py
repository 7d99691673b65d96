"""What the judges of lesson 1 share."""

from __future__ import annotations

KEEPS_TYPE = "floats keep their type: convert with as_float(x) alone, which changes integers only"
