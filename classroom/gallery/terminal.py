"""Terminal output: columns, and text that arrives piece by piece."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from classroom.page import fitting, seen, width


def in_columns(rows: Sequence[Sequence[str]], gap: int = 2) -> str:
    """Rows of texts as lines, each column as wide as its widest cell.

    >>> print(in_columns([["picture", "it says"], ["1", "brick"]]))
    picture  it says
    1        brick
    """
    widths = [max(map(seen, column)) for column in zip(*rows, strict=True)]
    lines = ["".join(text + " " * (wide - seen(text) + gap) for text, wide in zip(row, widths)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


class Typewriter:
    """Prints text as it arrives, wrapping words at the right margin."""

    def __init__(self) -> None:
        self.column = 0

    def __call__(self, text: str) -> None:
        """Print some more."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self._print("\n")
                self.column = 0
            if self.column and self.column + seen(line) > width() and line.startswith(" "):
                self._print("\n")
                self.column, line = 0, line.lstrip(" ")
            self._print(line)
            self.column += seen(line)

    def end(self) -> None:
        """Finish the line."""
        self._print("\n" if self.column else "")
        self.column = 0

    def _print(self, text: str) -> None:
        print(fitting(text, sys.stdout.encoding), end="", flush=True)
