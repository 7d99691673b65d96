"""Text output for any terminal: colour if wanted, ASCII if the encoding has nothing else."""

from __future__ import annotations

import codecs
import os
import re
import shutil
import sys
import textwrap
import unicodedata

CODES = {"bold": "1", "dim": "2", "good": "32", "bad": "31", "warn": "33"}
NARROWEST, WIDEST = 40, 100

ASCII = str.maketrans(
    {"█": "@", "▓": "#", "▒": "+", "░": ".", "▀": "^", "▄": "_", "─": "-", "·": ".", "×": "x", "→": "->", "…": "..."}
)
"""ASCII replacements for the characters that the course draws with."""


EAST_ASIAN = {
    *("gb2312", "gbk", "gb18030", "big5", "cp950", "big5hkscs", "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949"),
}
CODE_PAGES = {932, 936, 949, 950}
"""Encodings and Windows' code pages of Chinese, Japanese and Korean, in which blocks and lines take two columns."""


def colour_wanted() -> bool:
    """Whether standard output is a terminal with colours and NO_COLOR is not set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    old_windows = os.name == "nt" and "WT_SESSION" not in os.environ
    return sys.stdout.isatty() and not plain and not old_windows


def styled(text: str, style: str) -> str:
    """The text in a style of CODES, if colours are wanted.

    >>> styled("right", "good")
    'right'
    """
    return f"\x1b[{CODES[style]}m{text}\x1b[0m" if colour_wanted() else text


def ambiguous_is_wide(encoding: str | None) -> bool:
    """Whether characters of ambiguous width take two columns, as on East Asian consoles.

    >>> ambiguous_is_wide("cp932"), ambiguous_is_wide("utf-8")
    (True, False)
    """
    try:
        if codecs.lookup(encoding or "ascii").name in EAST_ASIAN:
            return True
    except LookupError:
        return False
    # Python writes UTF-8 to a Windows console, whatever its code page.
    return os.name == "nt" and "WT_SESSION" not in os.environ and code_page() in CODE_PAGES


def code_page() -> int:
    """The code page of the Windows console; 0 on other systems."""
    if sys.platform != "win32":
        return 0
    import ctypes

    return int(ctypes.windll.kernel32.GetConsoleOutputCP())


def fitting(text: str, encoding: str | None) -> str:
    """The text if the encoding can represent it in one column per character, else in ASCII.

    >>> fitting("8×8", "ascii")
    '8x8'
    """
    if ambiguous_is_wide(encoding):
        return text.translate(ASCII)
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.translate(ASCII)
    return text


def say(text: str = "") -> None:
    """Print the text in characters that standard output can show."""
    print(fitting(text, sys.stdout.encoding))


def width() -> int:
    """Width of the page in columns: the terminal's (or COLUMNS), between NARROWEST and WIDEST."""
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)


def paragraph(text: str, indent: int = 0, first: str = "") -> str:
    """The text wrapped to the page; `first` is put in the margin of the first line. Text in backquotes is not broken.

    >>> paragraph("a few words", indent=6, first="  So")
    '  So  a few words'
    """
    margin = " " * indent
    whole = re.sub("`[^`]*`", lambda found: found[0].replace(" ", "\xa0"), text)
    lines = textwrap.wrap(
        whole,
        width(),
        initial_indent=first.ljust(indent),
        subsequent_indent=margin,
        break_on_hyphens=False,
        break_long_words="`" not in text,  # a command is copied whole, though its line sticks out
    )
    return "\n".join(lines).replace("\xa0", " ")


def side_by_side(blocks: list[str], gap: int = 3) -> str:
    """Blocks of lines side by side.

    >>> print(side_by_side(["a\\nbb", "c\\nd"], gap=1))
    a  c
    bb d
    """
    columns = [block.splitlines() for block in blocks]
    height = max((len(column) for column in columns), default=0)
    widths = [max(map(seen, column), default=0) for column in columns]
    rows = []
    for line in range(height):
        cells = [column[line] if line < len(column) else "" for column in columns]
        padded = (cell + " " * (width - seen(cell)) for cell, width in zip(cells, widths, strict=True))
        rows.append((" " * gap).join(padded).rstrip())
    return "\n".join(rows)


def seen(text: str) -> int:
    """Number of columns that the text takes: colour codes take none, Chinese characters two each."""
    plain = re.sub("\x1b\\[[0-9;]*m", "", text)
    return sum(column_width(character) for character in plain)


def column_width(character: str) -> int:
    """Number of columns that a character takes on a terminal.

    >>> column_width("a"), column_width("网"), column_width("\u0301")
    (1, 2, 0)
    """
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
