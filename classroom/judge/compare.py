"""How the judge compares values: exact type, shape, dtype, length, finiteness, tolerance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from classroom.judge.fingerprint import Fingerprint, fingerprint

if TYPE_CHECKING:
    from classroom.judge.student import FailedCall, SubmissionError

NOT_MEANT = {
    "NotImplementedError",
    "RecursionError",
    "MemoryError",
    "NameError",
    "UnboundLocalError",
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "SystemExit",
    "KeyboardInterrupt",
    "GeneratorExit",
}
"""Exceptions that code does not raise deliberately to refuse its input."""


class Failure(Exception):
    """A test failed: what was expected, what came, where they first differ, the likely cause, the submission's line.

    of_type : whether the values are right, and only their number types are wrong.
    of_refusal : whether a call should have raised an exception, and raised none or another one.
    failed_call : kept where the test calls again to find the cause.
    """

    def __init__(
        self, message: str, expected: Any = None, got: Any = None, where: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.expected, self.got, self.where = message, expected, got, where
        self.cause: str | None = None
        self.line: int | None = None
        self.failed_call: FailedCall | None = None
        self.of_type = self.of_refusal = False


class EmptyExpectedError(Exception):
    """A test expects an empty array, which any empty array would match."""


def expect(
    got: Any,
    expected: Any,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    what: str = "the result",
    names: Sequence[str] = (),
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """As `compare`; the failure names the first of `mistakes` (likely cause -> its result) that `got` equals.

    Where values and number types are both wrong, the values come first: their cause is the one to look for.
    """
    try:
        compare(got, expected, rtol, atol, what, names)
    except Failure as failure:
        retyped = _retyped(got, expected)
        values = _of_values(failure, retyped, expected, rtol, atol, what, names)
        tried, first = ((got,), failure) if values is None else ((got, retyped), values)
        first.of_type = values is None
        pairs = ((one, cause, wrong) for one in tried for cause, wrong in (mistakes or {}).items())
        first.cause = next((cause for one, cause, wrong in pairs if _is(one, wrong, rtol, atol)), None)
        raise first from None


def _of_values(
    failure: Failure, retyped: Any, expected: Any, rtol: float, atol: float, what: str, names: Sequence[str]
) -> Failure | None:
    """What is wrong with the values, and then with their types, if `failure` is about these; None for right values."""
    try:
        compare(retyped, expected, rtol, atol, what, names)
    except Failure as values:
        if values.message == failure.message:
            return failure
        kind = failure.message.removeprefix(f"{what}: ")
        return Failure(f"{values.message}. The type is wrong, too: {kind}", expected, retyped, values.where)
    return None


def _retyped(got: Any, expected: Any) -> Any:
    """`got` with the number types of `expected`, wherever these can hold its values; the rest as it is."""
    if isinstance(got, np.ndarray) and isinstance(expected, np.ndarray):
        return _array_as(got, expected.dtype)
    if isinstance(got, np.generic) and type(expected) in (bool, int, float):
        return got.item() if type(got.item()) is type(expected) else got
    if isinstance(got, np.ndarray) and isinstance(expected, list) and got.ndim == 1 and not _has_arrays(expected):
        return got.tolist()
    if type(got) is not type(expected):
        return got
    if isinstance(expected, dict):
        return {key: _retyped(value, expected[key]) if key in expected else value for key, value in got.items()}
    if type(expected) in (list, tuple) and expected:
        like = (*expected, *[expected[-1]] * max(0, len(got) - len(expected)))
        return type(expected)(_retyped(one, other) for one, other in zip(got, like))
    return got


def _array_as(got: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An array in another element type; as it is where whole numbers cannot hold its values."""
    if got.dtype == dtype or got.dtype.kind not in "biuf" or dtype.kind not in "biuf":
        return got
    with np.errstate(all="ignore"):
        other = got.astype(dtype)
    return other if dtype.kind == "f" or np.array_equal(other, got) else got


def _is(got: Any, wrong: Any, rtol: float, atol: float) -> bool:
    if isinstance(wrong, Fingerprint):
        return fingerprint(got) == wrong
    try:
        compare(got, wrong, max(rtol, 1e-6), max(atol, 1e-6), "")
    except (Failure, EmptyExpectedError):
        return False
    return True


def compare(got: Any, expected: Any, rtol: float, atol: float, what: str, names: Sequence[str] = ()) -> None:
    """Raise Failure unless `got` equals `expected`: the same types recursively, arrays within the tolerance.

    An array must have the expected shape and dtype and be finite where `expected` is; with rtol = atol = 0 it must be
    equal, NaN to NaN. Numbers compare by value and type: 1, 1.0 and True differ. An empty `expected` array is refused,
    because nothing would be compared. `names` : names of the elements of a list or tuple.
    """
    if isinstance(expected, np.ndarray):
        _expect_array(got, expected, rtol, atol, what)
    elif isinstance(expected, dict):
        _expect_type(got, expected, what)
        if set(got) != set(expected):
            raise Failure(f"{what}: expected the keys {list(expected)}, got {list(got)}", expected, got)
        for key, value in _arrays_last(expected.items()):
            compare(got[key], value, rtol, atol, _place(what, f"[{key!r}]"))
    elif isinstance(expected, (list, tuple)):
        _expect_type(got, expected, what)
        if len(got) != len(expected):
            named = f" ({', '.join(names)})" if names else ""
            raise Failure(
                f"{what}: expected {len(expected)} element{'s' * (len(expected) != 1)}{named}, got {len(got)}",
                expected,
                got,
            )
        for i, value in _arrays_last(enumerate(expected)):
            compare(got[i], value, rtol, atol, f"{what}: {names[i]}" if names else _place(what, f"[{i}]"))
    else:
        _expect_type(got, expected, what)
        if isinstance(expected, (float, np.inexact)):
            if not _close(np.asarray(got), np.asarray(expected), rtol, atol).all():
                raise Failure(f"{what}: expected {expected!r}, got {got!r}", expected, got)
        elif got != expected:
            raise Failure(f"{what}: expected {expected!r:.200}, got {got!r:.200}", expected, got)


def _place(what: str, index: str) -> str:
    """What lies at an index of `what`, for a message.

    >>> _place(_place("three parts on the CPU", "[0]"), "['costs']")
    "three parts on the CPU at [0]['costs']"
    """
    return f"{what}{index}" if re.search(r" at (\[[^]]*\])+$", what) else f"{what} at {index}"


def expect_raises(student_call: Any, *args: Any, **kwargs: Any) -> str:
    """Raise Failure unless the call raises a deliberate exception -> the name of its type."""
    return refusal_of(student_call, *args, **kwargs).type


def refusal_of(student_call: Any, *args: Any, **kwargs: Any) -> SubmissionError:
    """Raise Failure unless the call raises a deliberate exception -> that exception.

    Exceptions that show that the code is unfinished or broken (NOT_MEANT) are not deliberate.
    """
    from classroom.judge.student import SubmissionError

    try:
        got = student_call(*args, **kwargs)
    except SubmissionError as error:
        if error.kind != "raise" or error.is_a(*NOT_MEANT):
            raise
        return error
    shown = _named(got) if _has_arrays(got) else f"{got!r:.200}"
    raise Failure(f"expected an exception, got {shown}", "an exception", got)


def _arrays_last(items: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """(index, value) of each element, arrays last: a wrong number often explains a wrong array, never the reverse."""
    return sorted(items, key=lambda item: isinstance(item[1], np.ndarray) or _has_arrays(item[1]))


def _expect_type(got: Any, expected: Any, what: str) -> None:
    if type(got) is not type(expected):
        message = f"{what}: expected {_named(expected)}, got {_named(got)}"
        if isinstance(got, (np.generic, np.ndarray)) and type(expected) in (bool, int, float):
            message += f": make it a plain number with {type(expected).__name__}(...)"
        raise Failure(message, expected, got)


def _named(value: Any) -> str:
    """The value for a message: type and repr; for arrays the shape, for containers of arrays the length."""
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"a numpy array of shape {value.shape}"
    name = type(value).__name__
    shown = value.item() if isinstance(value, np.generic) else value  # its type is named already
    return f"a {name} of {len(value)}" if _has_arrays(value) else f"{name} {shown!r:.80}"


def _has_arrays(value: Any) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return isinstance(value, np.ndarray) or any(isinstance(item, np.ndarray) for item in items)


def _expect_array(got: Any, expected: np.ndarray, rtol: float, atol: float, what: str) -> None:
    if expected.size == 0:
        raise EmptyExpectedError(f"{what}: an empty expected array compares nothing")
    if type(got) is not np.ndarray:
        raise Failure(f"{what}: expected a numpy array, got {_named(got)}", expected, got)
    if got.shape != expected.shape:
        raise Failure(f"{what}: expected shape {expected.shape}, got {got.shape}", expected, got)
    if got.dtype != expected.dtype:
        raise Failure(f"{what}: expected element type {expected.dtype}, got {got.dtype}", expected, got)
    same = _close(got, expected, rtol, atol) if expected.dtype.kind in "fc" else got == expected
    if not same.all():
        where = tuple(int(i) for i in np.argwhere(~same)[0])
        count = int((~same).sum())
        message = (
            f"{what}: {count} of {same.size} elements differ, the first at {list(where)}: "
            f"expected {expected[where]!s}, got {got[where]!s}"
        )
        raise Failure(message, expected, got, where)


def _close(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """Elementwise: equal, both NaN, or within the tolerance of a finite number."""
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        got, expected = got.astype(wide), expected.astype(wide)
        near = np.isfinite(expected) & (np.abs(got - expected) <= atol + rtol * np.abs(expected))
    return near | (got == expected) | (np.isnan(got) & np.isnan(expected))
