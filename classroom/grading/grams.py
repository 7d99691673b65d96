"""Hashes of short sequences of tokens: what two pieces of code have in common, they have these in common."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from classroom.grading.source_tokens import Code, SourceToken

GRAM = 10
"""Tokens per hash: shorter matches are noise."""


@lru_cache(maxsize=1 << 16)
def _code(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


def token_codes(found: Sequence[SourceToken]) -> np.ndarray:
    """n tokens -> (n,) uint64, the same for equal texts in any process."""
    return np.array([_code(token.text) for token in found], np.uint64)


def hashes(codes: np.ndarray, width: int = GRAM) -> np.ndarray:
    """(n,) codes of tokens -> (n - width + 1,) uint64 hashes of all windows of `width`; none for fewer tokens."""
    count = len(codes) - width + 1
    if count < 1:
        return np.zeros(0, np.uint64)
    found = np.zeros(count, np.uint64)
    for offset in range(width):
        found = found * np.uint64(0x9E3779B97F4A7C15) + codes[offset : offset + count]
    found ^= found >> np.uint64(29)
    found *= np.uint64(0xBF58476D1CE4E5B9)
    return found ^ (found >> np.uint64(32))


def grams(read: Code) -> tuple[np.ndarray, list[int]]:
    """n tokens -> (n - GRAM + 1,) hashes of all GRAM-token windows, and the n tokens' lines."""
    found = hashes(token_codes(read.tokens))
    return found, [token.line for token in read.tokens] if len(found) else []
