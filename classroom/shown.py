"""Rich's tables, Markdown and code as text of the page."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from classroom.page import colour_wanted, say, width


def show(*renderables: Any, wrap: bool = True) -> None:
    """Print Rich renderables (tables, Markdown, code) in the colours and characters that the terminal supports.

    wrap : whether long lines of a text are wrapped to the page.
    """
    text = io.StringIO()
    colour = colour_wanted()
    console = Console(
        file=text,
        width=width(),
        force_terminal=colour,
        color_system="auto" if colour else None,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for renderable in renderables:
        console.print(renderable, soft_wrap=not wrap)
    say("\n".join(line.rstrip() for line in text.getvalue().rstrip("\n").split("\n")))
