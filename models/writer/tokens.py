"""Text to tokens and back: byte-pair encoding over printable ASCII. Standard library only.

Source: https://arxiv.org/abs/1508.07909. Tokens 0 to 95 are line end and the characters from space to ~; each further
token is two earlier ones side by side. Tokens never reach across words: a word takes the space before it along.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

CHARACTERS = ["\n", *map(chr, range(32, 127))]
PIECES = re.compile(r" ?[A-Za-z]+| ?[0-9]+| ?[^A-Za-z0-9\s]+| +|\n+")


class Tokens:
    """A vocabulary.

    merges : pairs of tokens; the i-th becomes token 96 + i.

    >>> tokens = Tokens([(73, 70), (97, 1)])
    """

    def __init__(self, merges: list[tuple[int, int]]) -> None:
        self.merges = merges
        self.rank = {pair: len(CHARACTERS) + i for i, pair in enumerate(merges)}
        self.texts = list(CHARACTERS)
        for left, right in merges:
            self.texts.append(self.texts[left] + self.texts[right])

    @classmethod
    def learn(cls, text: str, size: int) -> Tokens:
        """The vocabulary of `size` tokens that takes, again and again, the most frequent pair of the text."""
        pieces = Counter(PIECES.findall(text))
        words = [([CHARACTERS.index(c) for c in piece], times) for piece, times in pieces.items()]
        merges: list[tuple[int, int]] = []
        while len(CHARACTERS) + len(merges) < size:
            pairs: Counter[tuple[int, int]] = Counter()
            for word, times in words:
                for pair in pairwise(word):
                    pairs[pair] += times
            best = max(pairs, key=lambda pair: (pairs[pair], pair))
            words = [(merged(word, best, len(CHARACTERS) + len(merges)), times) for word, times in words]
            merges.append(best)
        return cls(merges)

    @classmethod
    def load(cls, path: Path | str) -> Tokens:
        """Read what `save` wrote."""
        return cls([tuple(pair) for pair in json.loads(Path(path).read_text(encoding="utf-8"))["merges"]])

    def save(self, path: Path | str) -> None:
        """Write the pairs as JSON."""
        Path(path).write_text(json.dumps({"merges": self.merges}) + "\n", encoding="utf-8")

    def __len__(self) -> int:
        return len(self.texts)

    def encode(self, text: str) -> list[int]:
        """The tokens of a text of printable ASCII and line ends; ValueError where it holds another character."""
        known: dict[str, list[int]] = {}
        found = []
        for piece in PIECES.findall(text):
            if piece not in known:
                known[piece] = self._piece(piece)
            found += known[piece]
        return found

    def decode(self, tokens: list[int]) -> str:
        """The text of the tokens."""
        return "".join(self.texts[token] for token in tokens)

    def _piece(self, piece: str) -> list[int]:
        """Join the pair that was learnt first, until no pair is known."""
        word = [CHARACTERS.index(c) for c in piece]
        while pairs := [pair for pair in pairwise(word) if pair in self.rank]:
            first = min(pairs, key=self.rank.__getitem__)
            word = merged(word, first, self.rank[first])
        return word


def merged(word: list[int], pair: tuple[int, int], token: int) -> list[int]:
    """The word with each occurrence of the pair, from the left, replaced by the token."""
    result: list[int] = []
    for symbol in word:
        if result and (result[-1], symbol) == pair:
            result[-1] = token
        else:
            result.append(symbol)
    return result
