"""How the commands write: tables, numbers with units, shapes, errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from kuiper.graph import shape_text

PIPE_WIDTH = 160
"""Columns where no terminal says how wide it is: enough that a file or `grep` gets whole lines."""


def console(*, stderr: bool = False) -> Console:
    """Where to print: plain text, no markup, because operator names and expressions are full of brackets."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def complain(message: str) -> None:
    """Print an error on the error stream, with its own line breaks."""
    _say("error", "bold red", message)


def warn(message: str) -> None:
    """Print a warning on the error stream: the work goes on."""
    _say("warning", "yellow", message)


def note(message: str) -> None:
    """Print on the error stream what was decided for the user."""
    _say("note", "cyan", message)


def _say(label: str, style: str, message: str) -> None:
    out = console(stderr=True)
    out.print(label, style=style, end=": ", soft_wrap=True)
    out.print(message, soft_wrap=True)


def table(*columns: str, right: Iterable[str] = (), fold: Iterable[str] = (), title: str | None = None) -> Table:
    """An empty table; columns in `right` are numbers, those in `fold` give way first when space is short."""
    right, fold = set(right), set(fold)
    made = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_edge=False)
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold", no_wrap=name not in fold)
    return made


def facts(rows: Sequence[tuple[str, str]]) -> Table:
    """Names and values, one pair a line."""
    made = Table(box=None, show_header=False, pad_edge=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def count(value: float | None) -> str:
    """A number in three digits and a power of a thousand.

    >>> count(3628146688), count(512), count(0), count(None)
    ('3.63 G', '512', '0', '?')
    """
    if value is None:
        return "?"
    for size, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * size:
            return f"{_three_digits(value / size)} {prefix}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def flop(value: float) -> str:
    """Floating-point operations.

    >>> flop(3628146688), flop(128)
    ('3.63 GFLOP', '128 FLOP')
    """
    number = count(value)
    return f"{number}FLOP" if " " in number else f"{number} FLOP"


def space(value: int | None) -> str:
    """Bytes in binary units.

    >>> space(5897704 * 4), space(100), space(None)
    ('22.5 MiB', '100 B', '?')
    """
    if value is None:
        return "?"
    for size, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if value >= 0.9995 * size:
            return f"{_three_digits(value / size)} {unit}"
    return f"{value} B"


def seconds(value: float) -> str:
    """A duration in three digits.

    >>> seconds(0.01234), seconds(2.5)
    ('12.3 ms', '2.50 s')
    """
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if value >= 0.9995 * size:
            return f"{_three_digits(value / size)} {unit}"
    return f"{_three_digits(value * 1e6)} us"


def shape_of(value: tuple[int, ...] | None) -> str:
    """A shape, "?" where nothing is known."""
    return "?" if value is None else shape_text(value)


def several(names: Sequence[str], most: int = 3) -> str:
    """The first few names.

    >>> several(["a", "b", "c", "d"])
    'a, b, c, ... (4 in all)'
    """
    some = ", ".join(names[:most])
    return some if len(names) <= most else f"{some}, ... ({len(names)} in all)"


def _three_digits(value: float) -> str:
    decimals = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{decimals}f}"
