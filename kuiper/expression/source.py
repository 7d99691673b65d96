"""The text of an expression, from what the model file's reader made of it."""

from __future__ import annotations

from typing import Any

from kuiper.errors import ParameterError


def source_text(value: Any) -> str:
    """The text that a parameter was read from: a model file says nothing of types, so `2` was taken for a number.

    Raises ParameterError for a value that no text gives.

    >>> source_text([1, "size(@0", "0)"]), source_text(None), source_text(1e-5)
    ('[1,size(@0,0)]', 'None', '1e-05')
    """
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(source_text(element) for element in value) + "]"
    if isinstance(value, complex):
        return f"{value.real!r}+{value.imag!r}j"
    if value is None or isinstance(value, (bool, int, float, str)):
        return str(value)
    raise ParameterError("expr", "a text, a number or a list of them", repr(value))
