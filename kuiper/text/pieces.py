r"""What a text falls into before byte pairs are joined: words, numbers, punctuation, blanks.

A tokenizer.json says it with regular expressions for Oniguruma. Those of GPT-2, Qwen2 and Llama 3 are known here, and
written for Python's `re`, which has no \p{L} and counts U+001C to U+001F as blanks. Which characters are letters and
numbers is what `unicodedata` says: a character that is newer than Python's tables may fall elsewhere than there.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import groupby

CONTRACTIONS = "'s|'t|'re|'ve|'m|'ll|'d"
GPT2 = CONTRACTIONS + r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    rf"(?i:{CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
PATTERNS = {"GPT-2": GPT2, "Llama 3": LLAMA3, "Qwen2": QWEN2}
"""Name -> the expression as a tokenizer.json has it."""
BLANKS = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode's property White_Space, as a range of `re`."""

Splitter = Callable[[str], list[str]]
"""A text -> its pieces, which together are the text."""


@cache
def characters_of(category: str) -> str:
    r"""The characters of the categories that begin with a letter of Unicode, as a range of `re`.

    >>> bool(re.fullmatch(f"[{characters_of('N')}]+", "1²Ⅷ৩"))
    True
    """
    everything = range(sys.maxunicode + 1)
    is_inside = [unicodedata.category(chr(code))[0] == category for code in everything]
    runs = [list(run) for inside, run in groupby(everything, is_inside.__getitem__) if inside]
    return "".join(f"\\U{run[0]:08x}-\\U{run[-1]:08x}" for run in runs)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """One of PATTERNS, for `re`."""
    for name, text in (
        (r"\p{L}", characters_of("L")),
        (r"\p{N}", characters_of("N")),
        (r"\s", BLANKS),
    ):
        before, *parts = pattern.split(name)
        pattern = before
        for part in parts:  # within brackets a range stands for itself
            pattern += (text if pattern.count("[") > pattern.count("]") else f"[{text}]") + part
    return re.compile(pattern.replace(r"\S", f"[^{BLANKS}]"))


def split(pattern: str) -> Splitter:
    """The function that cuts a text into the matches of one of PATTERNS, and what stands between them.

    >>> split(GPT2)("It's 1234  times")
    ['It', "'s", ' 1234', ' ', ' times']
    """
    return lambda text: _isolated(compiled(pattern), text)


def digits(text: str) -> list[str]:
    """Each digit, and each other number of one character, becomes a piece.

    >>> digits("a12b")
    ['a', '1', '2', 'b']
    """
    return _isolated(_number(), text)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(f"[{characters_of('N')}]")


def _isolated(pattern: re.Pattern[str], text: str) -> list[str]:
    """The matches and what stands between them, in order."""
    pieces, end = [], 0
    for match in pattern.finditer(text):
        pieces += [text[end : match.start()], match.group()]
        end = match.end()
    return [piece for piece in (*pieces, text[end:]) if piece]
