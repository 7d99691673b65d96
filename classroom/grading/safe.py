"""Make untrusted text safe for a page, a table cell or a file name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

TERMINAL = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor movement: CSI ... final byte
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"  # titles, links: OSC ... end
    "|\x1b[ -/]*[0-~]?"
)
"""Terminal control sequences (ECMA-48), with their content."""
JOINERS = "\u200c\u200d"
"""Invisible joiners, needed in Persian words and composed emoji."""
FORMULA = tuple("=+-@＝＋－＠|%")
"""Characters that start a formula or command in spreadsheets."""
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}
"""File names reserved for devices on Windows."""
MAX_NAME_LENGTH = 80
"""Maximum bytes of a file name without suffix; file systems allow 255."""


def clean(text: str) -> str:
    """The text without terminal sequences, control codes, and marks that reorder or hide other text.

    Newlines and tabs stay; a lone surrogate becomes U+FFFD.

    >>> clean("\\x1b[31mred\\x1b[0m \\u202eexe.txt")
    'red exe.txt'
    """
    text = TERMINAL.sub("", text).replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return text.translate(_KEPT)


class _Kept(dict[int, str]):
    """Code point -> its replacement, computed once each."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        stays = character in "\n\t" or character in JOINERS
        by_kind = {} if stays else {"Cs": "\ufffd", "Cc": "", "Cf": ""}
        self[code] = by_kind.get(unicodedata.category(character), character)
        return self[code]


_KEPT = _Kept()


def one_line(text: str, most: int = 200) -> str:
    """The cleaned text as one line of at most `most` characters.

    >>> one_line("two\\n  words and more", 12)
    'two words a…'
    """
    line = " ".join(clean(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def name_list(names: Sequence[str], most: int = 5) -> str:
    """Names for a sentence, truncated after `most`.

    >>> name_list(["ann", "bo", "cy"], 2)
    'ann, bo and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(one_line(name, 120) for name in names[:most]) + more


def truncated(text: str, most: int = 4000) -> str:
    """The cleaned text, truncated to `most` characters with a note.

    >>> truncated("abcdefgh", 4)
    'abcd… (4 more characters)'
    """
    text = clean(text)
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"


def cell(value: object) -> str:
    """A value for a CSV cell: numbers unchanged, text on one line and never a spreadsheet formula.

    Source: https://owasp.org/www-community/attacks/CSV_Injection

    >>> cell("=cmd()"), cell("Ann"), cell(2.5), cell(None)
    ("'=cmd()", 'Ann', '2.5', '')
    """
    if value is None:
        return ""
    if isinstance(value, int | float):
        return points_text(value)
    text = str(value)
    line = one_line(text, 1000)
    return f"'{line}" if line.startswith(FORMULA) or text.startswith(("\t", "\r", "\n")) else line


def points_text(value: float) -> str:
    """Points as text with at most two decimals, without trailing zeros.

    >>> points_text(3.0), points_text(2.5), points_text(2 / 3)
    ('3', '2.5', '0.67')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Name -> file name without suffix: letters, digits, `.`, `_`, `-`; unique on every file system.

    A name that had to be changed, that differs from another only in case, or that looks like such a file name, gets
    twelve digits of its sha256 appended: nobody can choose a name that gets another's file.

    >>> file_names(["ann", "../bo"])
    {'ann': 'ann', '../bo': 'bo-e8b019606c27'}
    """
    wanted = {name: _plain(name) for name in dict.fromkeys(names)}
    alike = Counter(plain.casefold() for plain in wanted.values())
    chosen = {}
    for name, plain in wanted.items():
        if plain != name or alike[plain.casefold()] > 1 or re.search("-[0-9a-f]{12}$", plain):
            plain = f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        chosen[name] = plain
    return chosen


def _plain(name: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", unicodedata.normalize("NFKC", clean(name))).strip("._-") or "student"
    return _shortened(f"_{plain}" if plain.split(".")[0].casefold() in RESERVED else plain)


def _shortened(plain: str) -> str:
    return plain.encode()[:MAX_NAME_LENGTH].decode("utf-8", "ignore")
