"""What goes wrong in the cells of lesson 3 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]

MARKS = {"@": "attribute", "$": "slot", "#": "shape"}

MEANING: Mistakes = {
    "only the first character is a mark: the @ in expr=add(@0,@1) stands in the value": lambda token: next(
        (word for mark, word in MARKS.items() if mark in token), "parameter"
    ),
}


def _sizes_as_text(text: str) -> tuple[list[str], str]:
    sizes, _, dtype = text.removeprefix("(").partition(")")
    return sizes.split(","), dtype


def _sizes_as_text_but_unknown(text: str) -> tuple[tuple[str | int, ...], str]:
    sizes, dtype = _sizes_as_text(text)
    return tuple(-1 if size == "?" else size for size in sizes), dtype


SHAPE: Mistakes = {
    "the sizes are still text: int() makes a number of each, and `?` becomes -1": lambda text: (
        tuple(_sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "the sizes are still text: int() makes a number of each": _sizes_as_text_but_unknown,
    "`?` is no number that int() can read: look for it first, and write -1": lambda text: (
        tuple(map(int, _sizes_as_text(text)[0])),
        _sizes_as_text(text)[1],
    ),
}

WEIGHT: Mistakes = {
    "as float64, 8 bytes are 1 number: name the type, np.float32, of which they are 2": lambda raw, shape: (
        np.frombuffer(raw).reshape(shape)
    ),
    "the numbers stand in one row: give them the shape": lambda raw, shape: np.frombuffer(raw, np.float32),
}
