"""Byte-level byte pairs, as GPT-2, Llama 3 and Qwen2 have them: what a tokenizer.json holds, and the loop that joins.

Source: https://arxiv.org/abs/1508.07909; bytes as symbols: Radford et al., "Language Models are Unsupervised
Multitask Learners" (2019).
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from kuiper.errors import KuiperError
from kuiper.text.pieces import GPT2, Splitter, split
from kuiper.text.tokens import whole_characters

MOST_KNOWN = 1 << 16
"""Pieces whose tokens are remembered."""


def _byte_alphabet() -> dict[int, str]:
    """Byte -> the character that stands for it in a vocabulary: itself if it can be printed, else from U+0100 on."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {byte: chr(256 + i) for i, byte in enumerate(rest)}


LETTER_OF = _byte_alphabet()
BYTE_OF = {letter: byte for byte, letter in LETTER_OF.items()}


def spelt(piece: str) -> str:
    """The bytes of a text in the letters of a vocabulary.

    >>> spelt(" é")
    'ĠÃ©'
    """
    return "".join(LETTER_OF[byte] for byte in piece.encode("utf-8"))


def bytes_of(letters: str) -> bytes:
    """What an entry of a vocabulary stands for; one that is not spelt in letters of bytes stands for itself.

    >>> bytes_of("ĠÃ©"), bytes_of("<｜end｜>") == "<｜end｜>".encode()
    (b' \\xc3\\xa9', True)
    """
    if all(letter in BYTE_OF for letter in letters):
        return bytes(BYTE_OF[letter] for letter in letters)
    return letters.encode("utf-8")


@dataclass(frozen=True)
class AddedToken:
    """A text that is one token wherever it stands.

    special : it steers the network, as the end of a message does, and is not shown.
    normalized : it is looked for in the normalized text.
    """

    token: int
    content: str
    special: bool = False
    normalized: bool = False


class BytePairs:
    """A vocabulary of byte-level byte pairs.

    vocabulary : letters -> token; it has to hold the 256 letters of bytes.
    merges : pairs of entries, those that were learnt first coming first; the two together are an entry, too.
    splitters : cut a text into pieces, one after the other; no token reaches across.
    added : texts that are one token.
    normalization : of Unicode, such as "NFC"; None: the text stays as it is.
    whole : a piece that is an entry is that token, whatever the merges (`ignore_merges`).
    before, after : tokens around a text that stands alone, such as the one with which each text begins.

    Raises KuiperError for what does not fit together.

    >>> entries = [*map(LETTER_OF.get, range(256)), "he", "Ġhe"]
    >>> tokens = BytePairs({entry: i for i, entry in enumerate(entries)}, [("h", "e"), ("Ġ", "he")])
    >>> tokens.encode("he the he"), tokens.decode([257])
    ([256, 32, 116, 256, 257], ' he')
    """

    may_be_padded = True
    """A network may have more scores than there are tokens: tables are padded to round sizes."""

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        splitters: Sequence[Splitter] = (split(GPT2),),
        *,
        added: Sequence[AddedToken] = (),
        normalization: Literal["NFC", "NFD", "NFKC", "NFKD"] | None = None,
        whole: bool = False,
        before: Sequence[int] = (),
        after: Sequence[int] = (),
    ) -> None:
        self.vocabulary, self.splitters, self.normalization, self.whole = vocabulary, splitters, normalization, whole
        self.before, self.after = list(before), list(after)
        missing = [byte for byte, letter in LETTER_OF.items() if letter not in vocabulary]
        if missing:
            raise KuiperError(f"vocabulary: expected an entry for each of 256 bytes, found none for {missing[0]}")
        self.pieces = {token: bytes_of(letters) for letters, token in vocabulary.items()}
        """Token -> the bytes that it stands for."""
        if len(self.pieces) < len(vocabulary):
            raise KuiperError("vocabulary: expected another token for each entry, found two entries with one")
        self._merges = _ranked(vocabulary, merges)
        for one in added:
            if vocabulary.get(one.content, one.token) != one.token or self._taken(one):
                raise KuiperError(f"added token {one.content!r:.60}: expected a token of its own, found {one.token}")
            self.pieces[one.token] = one.content.encode("utf-8")
        self.added = {one.token for one in added}
        self.special = {one.token for one in added if one.special}
        self._added = {
            normalized: _Finder({self._normal(one.content) if normalized else one.content: one.token
                                 for one in added if one.normalized == normalized})
            for normalized in (False, True)
        }  # fmt: skip
        if unknown := [token for token in (*self.before, *self.after) if token not in self.pieces]:
            raise KuiperError(f"tokens around a text: expected ones of the vocabulary, found {unknown[0]}")
        self._known: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """One more than the greatest token."""
        return max(self.pieces) + 1

    def token(self, content: str) -> int | None:
        """The token that a text is as a whole, as the end of a message; None where there is none."""
        found = self._added[False].tokens.get(content, self._added[True].tokens.get(content))
        return self.vocabulary.get(content) if found is None else found

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        """The tokens of a text; with `add_special_tokens` those around it, too. KuiperError for half a character.

        Texts of added tokens become these tokens.
        """
        if half := re.search("[\ud800-\udfff]", text):
            raise KuiperError(f"text: expected characters, found {half.group()!r}, half of one")
        found: list[int] = []
        for part, token in self._added[False](text):
            for inner, normalized in [(part, token)] if token is not None else self._added[True](self._normal(part)):
                found += self._encode_plain(inner) if normalized is None else [normalized]
        return [*self.before, *found, *self.after] if add_special_tokens else found

    def decode(self, tokens: Sequence[int], *, skip_special_tokens: bool = False) -> str:
        """The text of the tokens; bytes that are no UTF-8 become U+FFFD. Raises KuiperError for an unknown token."""
        return b"".join(self._bytes_of(tokens, skip_special_tokens)).decode("utf-8", "replace")

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """What the tokens add to the text, special ones left out, in whole characters, as soon as they are there."""
        return whole_characters(self._bytes_of(tokens, skip_special_tokens=True))

    def _taken(self, one: AddedToken) -> bool:
        """Whether the token means something else already."""
        return self.pieces.get(one.token, b"") not in (b"", one.content.encode("utf-8"), bytes_of(one.content))

    def _normal(self, text: str) -> str:
        return text if self.normalization is None else unicodedata.normalize(self.normalization, text)

    def _encode_plain(self, text: str) -> list[int]:
        """The tokens of a text without added ones."""
        pieces = [text]
        for splitter in self.splitters:
            pieces = [inner for piece in pieces for inner in splitter(piece)]
        found: list[int] = []
        for piece in pieces:
            tokens = self._known.get(piece)
            if tokens is None:
                letters = spelt(piece)
                whole = self.vocabulary.get(letters) if self.whole else None
                symbols = [self.vocabulary[letter] for letter in letters]
                tokens = join_pairs(symbols, self._merges) if whole is None else [whole]
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[piece] = tokens
            found += tokens
        return found

    def _bytes_of(self, tokens: Iterable[int], skip_special_tokens: bool) -> Iterator[bytes]:
        for token in tokens:
            if token not in self.pieces and not 0 <= token < len(self):
                raise KuiperError(f"tokens: expected numbers from 0 to {len(self) - 1}, found {token}")
            if not (skip_special_tokens and token in self.special):
                yield self.pieces.get(token, b"")


class _Finder:
    """Cuts a text where one of several texts stands: of those that begin at a place, the longest."""

    def __init__(self, tokens: Mapping[str, int]) -> None:
        self.tokens = tokens
        self._pattern = re.compile("|".join(map(re.escape, sorted(tokens, key=len, reverse=True)))) if tokens else None

    def __call__(self, text: str) -> Iterator[tuple[str, int | None]]:
        """(part, its token), in order; None for what stands between."""
        end = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            if match.start() > end:
                yield text[end : match.start()], None
            yield match.group(), self.tokens[match.group()]
            end = match.end()
        if end < len(text):
            yield text[end:], None


def _ranked(vocabulary: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> dict[tuple[int, int], tuple[int, int]]:
    """Pair of tokens -> (when it was learnt, what it becomes)."""
    found = {}
    for rank, (left, right) in enumerate(merges):
        for entry in (left, right, left + right):
            if entry not in vocabulary:
                raise KuiperError(f"merges: expected entries of the vocabulary, found {entry!r:.60}")
        found[vocabulary[left], vocabulary[right]] = rank, vocabulary[left + right]
    return found


def join_pairs(word: Sequence[int], merges: Mapping[tuple[int, int], tuple[int, int]]) -> list[int]:
    """Join the pair that was learnt first, the leftmost of equals, again and again until no pair is known.

    merges : pair -> (when it was learnt, what it becomes).

    >>> join_pairs([1, 1, 1, 2], {(1, 1): (0, 3), (3, 1): (1, 4)})
    [4, 2]
    """
    tokens: list[int | None] = list(word)
    before, after = list(range(-1, len(tokens) - 1)), list(range(1, len(tokens) + 1))
    queue = [(merges[pair][0], i) for i, pair in enumerate(pairwise(word)) if pair in merges]
    heapq.heapify(queue)
    while queue:
        rank, i = heapq.heappop(queue)
        j = after[i]
        left, right = tokens[i], tokens[j] if j < len(tokens) else None
        if left is None or right is None or merges.get((left, right), (-1, 0))[0] != rank:
            continue  # one of the two has become part of another token
        tokens[i], tokens[j] = merges[left, right][1], None
        after[i] = after[j]
        if after[i] < len(tokens):
            before[after[i]] = i
        for first in (before[i], i):
            second = after[first] if first >= 0 else len(tokens)
            if second < len(tokens):
                left, right = tokens[first], tokens[second]
                if left is not None and right is not None and (left, right) in merges:
                    heapq.heappush(queue, (merges[left, right][0], first))
    return [token for token in tokens if token is not None]
