"""The one comparison of the judge: exact type, shape, element type, size, finiteness, tolerance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


class Failure(Exception):
    """A test that did not hold: what was expected, what came, where they first differ, and the likely cause."""

    def __init__(
        self, message: str, expected: Any = None, got: Any = None, where: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.expected, self.got, self.where = message, expected, got, where
        self.cause: str | None = None


def expect(
    got: Any,
    expected: Any,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    what: str = "the result",
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """As `compare`; a failure names the first of `mistakes` (likely cause -> what it gives) that `got` equals."""
    try:
        compare(got, expected, rtol, atol, what)
    except Failure as failure:
        for cause, wrong in (mistakes or {}).items():
            try:
                compare(got, wrong, max(rtol, 1e-6), max(atol, 1e-6), what)
            except Failure:
                continue
            failure.cause = cause
            break
        raise


def compare(got: Any, expected: Any, rtol: float, atol: float, what: str) -> None:
    """Raise Failure unless `got` is `expected`: the same type all the way down, arrays within the tolerance.

    An array must have the expected shape and element type and be finite where `expected` is; with rtol = atol = 0 it
    must be equal, NaN to NaN. Numbers compare by value and type: 1, 1.0 and True are three things. An empty `expected`
    array is refused, because nothing would be compared.
    """
    if isinstance(expected, np.ndarray):
        _expect_array(got, expected, rtol, atol, what)
    elif isinstance(expected, dict):
        _expect_type(got, expected, what)
        if list(got) != list(expected) and set(got) != set(expected):
            raise Failure(f"{what}: expected the keys {list(expected)}, got {list(got)}", expected, got)
        for key, value in expected.items():
            compare(got[key], value, rtol, atol, f"{what}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        _expect_type(got, expected, what)
        if len(got) != len(expected):
            raise Failure(f"{what}: expected {len(expected)} elements, got {len(got)}", expected, got)
        for i, (a, b) in enumerate(zip(got, expected, strict=True)):
            compare(a, b, rtol, atol, f"{what}[{i}]")
    else:
        _expect_type(got, expected, what)
        if isinstance(expected, float):
            same = got == expected or (got != got and expected != expected)
            close = abs(got - expected) <= atol + rtol * abs(expected)
            if not (same or close):
                raise Failure(f"{what}: expected {expected!r}, got {got!r}", expected, got)
        elif got != expected:
            raise Failure(f"{what}: expected {expected!r:.200}, got {got!r:.200}", expected, got)


def expect_raises(student_call: Any, *args: Any, **kwargs: Any) -> str:
    """Raise Failure unless the call raises an exception of its own making (not a crash, not NotImplementedError).

    Returns the exception's type name.
    """
    from classroom.judge.student import SubmissionError

    try:
        got = student_call(*args, **kwargs)
    except SubmissionError as error:
        if error.kind != "raise" or error.type in ("NotImplementedError", "RecursionError", "NameError", "SystemExit"):
            raise
        return error.type
    raise Failure(f"expected an exception, got {got!r:.200}", "an exception", got)


def _expect_type(got: Any, expected: Any, what: str) -> None:
    if type(got) is not type(expected):
        message = f"{what}: expected {type(expected).__name__} {expected!r:.80}, got {type(got).__name__} {got!r:.80}"
        raise Failure(message, expected, got)


def _expect_array(got: Any, expected: np.ndarray, rtol: float, atol: float, what: str) -> None:
    if expected.size == 0:
        raise AssertionError(f"{what}: an empty expected array compares nothing")
    if type(got) is not np.ndarray:
        raise Failure(f"{what}: expected a numpy array, got {type(got).__name__} {got!r:.80}", expected, got)
    if got.shape != expected.shape:
        raise Failure(f"{what}: expected shape {expected.shape}, got {got.shape}", expected, got)
    if got.dtype != expected.dtype:
        raise Failure(f"{what}: expected element type {expected.dtype}, got {got.dtype}", expected, got)
    if expected.dtype.kind in "fc":
        with np.errstate(invalid="ignore"):
            close = np.abs(got - expected) <= atol + rtol * np.abs(expected)
        same = close | (got == expected) | (np.isnan(got) & np.isnan(expected))
    else:
        same = got == expected
    if not same.all():
        where = tuple(int(i) for i in np.argwhere(~same)[0])
        count = int((~same).sum())
        message = (
            f"{what}: {count} of {same.size} elements differ, the first at {list(where)}: "
            f"expected {expected[where]!s}, got {got[where]!s}"
        )
        raise Failure(message, expected, got, where)
