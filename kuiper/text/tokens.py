"""Text to tokens and back: byte-pair encoding.

Source: https://arxiv.org/abs/1508.07909. The first tokens are single bytes, the symbols; each further token is two
earlier ones side by side. Tokens never reach across words: a word takes the space before it along.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from kuiper.errors import KuiperError

ASCII = b"\n" + bytes(range(32, 127))
"""The symbols of a vocabulary of plain English: line end, and the characters from space to ~."""
BYTES = bytes(range(256))
"""The symbols of a vocabulary that can write everything: a character of UTF-8 is one to four of them."""
SYMBOLS = {"ascii": ASCII, "bytes": BYTES}

PIECES = re.compile(r" ?[A-Za-z]+| ?[0-9]+| ?[^A-Za-z0-9\s]+| +|\n+|\s")
"""What a text falls into before pairs are joined: words, numbers, punctuation, spaces, line ends."""


class Tokens:
    """A vocabulary.

    merges : pairs of tokens, those that were learnt first coming first; the i-th becomes token len(symbols) + i.
    symbols : the bytes that are tokens 0, 1, ...

    Raises KuiperError for a pair of tokens that do not exist before it.

    >>> tokens = Tokens([(73, 70), (96, 1)])
    >>> tokens.encode("hehe he"), tokens.decode([97, 70])
    ([96, 96, 1, 96], 'he e')
    """

    may_be_padded = False
    """A network has one score for each token."""

    def __init__(self, merges: Sequence[tuple[int, int]], symbols: bytes = ASCII) -> None:
        self.merges, self.symbols = list(merges), symbols
        self.pieces = [symbols[i : i + 1] for i in range(len(symbols))]
        """What each token stands for."""
        for pair in self.merges:
            self._check(pair)
            self.pieces.append(self.pieces[pair[0]] + self.pieces[pair[1]])
        self._token = {symbol: token for token, symbol in enumerate(symbols)}
        self._rank = {pair: len(symbols) + i for i, pair in reversed(list(enumerate(self.merges)))}

    @classmethod
    def load(cls, path: Path | str) -> Tokens:
        """The vocabulary of a JSON file {"merges": [[left, right], ...], "symbols": "ascii" (if absent) or "bytes"}.

        Raises KuiperError for a file that cannot be read or holds something else.
        """
        try:
            stored = json.loads(Path(path).read_text(encoding="utf-8"))
            merges = [(int(left), int(right)) for left, right in stored["merges"]]
            symbols = SYMBOLS[stored.get("symbols", "ascii")]
        except OSError as error:
            raise KuiperError(f"{path}: expected a file of tokens, found {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            wanted = '{"merges": [[left, right], ...], "symbols": "ascii" or "bytes"}'
            raise KuiperError(f"{path}: expected JSON {wanted}, found something else") from error
        return cls(merges, symbols)

    def __len__(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> list[int]:
        """The tokens of a text. Raises KuiperError where the symbols cannot write one of its characters."""
        known: dict[str, list[int]] = {}
        found: list[int] = []
        for piece in PIECES.findall(text):
            if piece not in known:
                known[piece] = self._join(self._symbols_of(piece))
            found += known[piece]
        return found

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of the tokens; bytes that are no UTF-8 become U+FFFD. Raises KuiperError for an unknown token."""
        wrong = [token for token in tokens if not 0 <= token < len(self)]
        if wrong:
            raise KuiperError(f"tokens: expected numbers from 0 to {len(self) - 1}, found {wrong[0]}")
        return b"".join(self.pieces[token] for token in tokens).decode("utf-8", "replace")

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """What the tokens add to the text, in whole characters, as soon as they are there."""
        return whole_characters(self.pieces[token] for token in tokens)

    def _symbols_of(self, piece: str) -> list[int]:
        """Each byte's own token."""
        found = []
        for character in piece:
            code = character.encode("utf-8", "surrogatepass")
            if "\ud800" <= character <= "\udfff" or not all(byte in self._token for byte in code):
                wanted = (
                    "printable ASCII and line ends" if self.symbols == ASCII else "characters of the symbols' bytes"
                )
                raise KuiperError(f"text: expected {wanted}, found {character!r}")
            found += [self._token[byte] for byte in code]
        return found

    def _join(self, word: list[int]) -> list[int]:
        """Join the pair that was learnt first, until no pair is known."""
        while pairs := [pair for pair in pairwise(word) if pair in self._rank]:
            first = min(pairs, key=self._rank.__getitem__)
            word = merged(word, first, self._rank[first])
        return word

    def _check(self, pair: tuple[int, int]) -> None:
        if not all(0 <= token < len(self.pieces) for token in pair):
            raise KuiperError(f"merges: expected two of the {len(self.pieces)} tokens before it, found {pair}")


def merged(word: Sequence[int], pair: tuple[int, int], token: int) -> list[int]:
    """The word with each occurrence of the pair, from the left, replaced by the token.

    >>> merged([1, 1, 1, 2], (1, 1), 7)
    [7, 1, 2]
    """
    result: list[int] = []
    for symbol in word:
        if result and (result[-1], symbol) == pair:
            result[-1] = token
        else:
            result.append(symbol)
    return result


def whole_characters(pieces: Iterable[bytes]) -> Iterator[str]:
    """Bytes -> their text, each character when its last byte has come; what is no UTF-8 becomes U+FFFD.

    >>> list(whole_characters([b"a\\xc3", b"\\xa9b", b"\\xc3"]))
    ['a', 'éb', '\ufffd']
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for piece in pieces:
        if text := decoder.decode(piece):
            yield text
    if text := decoder.decode(b"", final=True):
        yield text
