"""What lessons take from IPython, for a page without it: `display`, `Image`, `SVG`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

Shower = Callable[[Any], None]
_showers: list[Shower] = []


class ImageBytes:
    """A picture as the bytes of a PNG or JPEG file."""

    def __init__(self, data: bytes | str | None = None, **options: Any) -> None:
        self.data = data if isinstance(data, bytes) else Path(str(data)).read_bytes()
        self.options = options

    def _repr_png_(self) -> bytes | None:
        return self.data if self.data[:4] == b"\x89PNG" else None

    def _repr_jpeg_(self) -> bytes | None:
        return self.data if self.data[:2] == b"\xff\xd8" else None


class SvgText:
    """A picture as the text of an SVG file."""

    def __init__(self, data: str, **options: Any) -> None:
        self.data = data

    def _repr_svg_(self) -> str:
        return self.data


Image, SVG = ImageBytes, SvgText
"""The names that lessons know."""


def display(*values: Any, **options: Any) -> None:
    """Show values below the cell that runs; outside of one, print them."""
    for value in values:
        (_showers[-1] if _showers else print)(value)


def install() -> None:
    """Let `from IPython.display import display` find this module, with or without the rest of IPython."""
    sys.modules["IPython.display"] = sys.modules[__name__]
    if "IPython" not in sys.modules:
        parent = ModuleType("IPython")
        parent.__path__ = [str(Path(path, "IPython")) for path in sys.path]
        sys.modules["IPython"] = parent


def show_with(shower: Shower) -> None:
    """From now on `display` gives values to this function."""
    _showers[:] = [shower]
