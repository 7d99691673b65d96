"""Cells of a lesson that the reader fills in: checked where they stand, made up for where they are left out.

A lesson asks for a function in one cell, which ends in `check`; the next cell, folded, holds the lesson's own answer
under `unless_right`. So the notebook runs to its end whatever the reader has written, and goes on with what is right.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

_right: dict[str, Callable[..., Any]] = {}
"""The reader's functions that passed their last check, by name."""


def check(function: Callable[..., Any], *cases: tuple[tuple[Any, ...], Any]) -> None:
    """Print how the reader's function does on `cases`, each (arguments, expected), and remember whether it is right.

    Arrays and floats may differ by rounding (1 part in a million); of arrays the shape counts too. Where an exception's
    class is expected, the function must raise it.

    >>> def half(x):
    ...     return x / 2
    >>> check(half, ((4,), 2.0), ((1,), 0.5))
    half: right, 2 of 2
    >>> check(half, ((4,), 2.0), ((1,), 1))
    half(1): expected 1, got 0.5 (1 of 2 right)
    >>> check(half, (("4",), TypeError), ((4,), 2.0))
    half: right, 2 of 2
    >>> check(half, ((4,), TypeError))
    half(4): expected TypeError, got 2.0 (0 of 1 right)
    """
    name = function.__name__
    _right.pop(name, None)
    answers = [_answer(function, arguments) for arguments, _ in cases]
    if all(got is None or got is Ellipsis for got, _ in answers) and any(expected is not None for _, expected in cases):
        print(f"{name}: not written yet")
        return
    wrong = [
        f"{name}({', '.join(map(_short, arguments))}): expected {_short(expected)}, {said or f'got {_short(got)}'}"
        for (got, said), (arguments, expected) in zip(answers, cases, strict=True)
        if not (isinstance(got, expected) if said and _is_error(expected) else not said and _same(got, expected))
    ]
    if wrong:
        print(f"{wrong[0]} ({len(cases) - len(wrong)} of {len(cases)} right)")
        return
    _right[name] = function
    print(f"{name}: right, {len(cases)} of {len(cases)}")


def unless_right(function: Function) -> Function | Callable[..., Any]:
    """Decorate the lesson's own answer: the reader's function of the same name instead, if it passed its check."""
    return _right.get(function.__name__, function)


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """(what the function returns, what it did instead of returning something)."""
    try:
        got = function(*copy.deepcopy(arguments))
    except Exception as error:
        return error, f"but it raised {type(error).__name__}: {error}"
    return got, ""


def _is_error(expected: Any) -> bool:
    return isinstance(expected, type) and issubclass(expected, Exception)


def _same(got: Any, expected: Any) -> bool:
    if isinstance(expected, (list, tuple)):
        alike = isinstance(got, (list, tuple)) and len(got) == len(expected)
        return alike and all(_same(one, other) for one, other in zip(got, expected, strict=True))
    if isinstance(expected, (np.ndarray, np.generic, float, int)) and not isinstance(expected, bool):
        try:
            one, other = np.asarray(got), np.asarray(expected)
            return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True))
        except (TypeError, ValueError):
            return False
    return type(got) is type(expected) and bool(got == expected)


def _short(value: Any) -> str:
    """The value in one line; a large array by its shape."""
    if isinstance(value, np.ndarray):
        return str(value.tolist()) if value.size <= 12 else f"an array of shape {value.shape}"
    if isinstance(value, np.generic):
        return repr(value.item())
    text = getattr(value, "__name__", None) or " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
