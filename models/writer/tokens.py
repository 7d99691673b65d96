"""Learn the pairs of byte-pair tokens from a text. `kuiper.text.Tokens` reads and uses them. Standard library only.

Source: https://arxiv.org/abs/1508.07909
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

from kuiper.text import Tokens
from kuiper.text.tokens import PIECES, merged


def learn(text: str, size: int) -> Tokens:
    """The vocabulary of `size` tokens that takes, again and again, the most frequent pair of the text.

    text : printable ASCII and line ends; KuiperError where it holds another character.
    """
    tokens = Tokens([])
    pieces = Counter(PIECES.findall(text))
    words = [(tokens.encode(piece), times) for piece, times in pieces.items()]
    merges: list[tuple[int, int]] = []
    while (token := len(tokens) + len(merges)) < size:
        pairs: Counter[tuple[int, int]] = Counter()
        for word, times in words:
            for pair in pairwise(word):
                pairs[pair] += times
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        words = [(merged(word, best, token), times) for word, times in words]
        merges.append(best)
    return Tokens(merges)


def save(tokens: Tokens, path: Path | str) -> None:
    """Write the pairs as JSON."""
    Path(path).write_text(json.dumps({"merges": tokens.merges}) + "\n", encoding="utf-8")
