"""What the hidden tests of lesson 7 share."""

from __future__ import annotations

NAMES = {"(": "LEFT_BRACKET", ")": "RIGHT_BRACKET", ",": "COMMA"}
