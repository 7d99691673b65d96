"""What tests ask of errors: that a call is refused, and what an exception of the student's probably means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from classroom.judge.compare import Failure, refusal_of
from classroom.judge.student import SubmissionError


def expect_refused(
    call: Callable[..., Any],
    *args: Any,
    error: str = "ValueError",
    cause: str = "",
    instead: Mapping[str, str] | None = None,
) -> None:
    """Raise Failure unless the call raises an exception of the type named `error`, or of one derived from it.

    cause : the likely one where nothing is raised. Unfinished or broken code does not refuse.
    instead : type of an exception that comes from a slip, and is no refusal -> the likely cause, "" if unknown.
    """
    try:
        refusal = refusal_of(call, *args)
    except Failure as accepted:
        accepted.cause, accepted.of_refusal = accepted.cause or cause or None, True
        accepted.message = accepted.message.replace("an exception", error, 1)
        accepted.args, accepted.expected = (accepted.message,), error
        raise
    if not refusal.is_a(error):
        got = refusal.type
        failure = Failure(f"expected {error}, got {got}", error, got)
        failure.of_refusal = True
        of_intent = f"you refuse the right thing, but with {got} instead of {error}: raise {error}"
        failure.cause = (instead or {}).get(got, of_intent) or None
        raise failure


@contextmanager
def likely(causes: Mapping[str, str] | None = None, *, timeout: str = "") -> Iterator[None]:
    """Turn an exception of the student's into a Failure with the likely cause whose words (the key) it contains.

    timeout : the likely cause where a call gives no answer in time.
    """
    try:
        yield
    except SubmissionError as error:
        if error.kind == "timeout":
            error.cause = error.cause or timeout or None
            raise
        said = f"{error.type}: {error.message}" if error.message else error.type
        cause = next((cause for words, cause in (causes or {}).items() if words in said), None)
        if cause is None or error.kind != "raise" or error.type == "NotImplementedError":
            raise
        failure = Failure(f"line {error.line} raised {said}")
        failure.cause, failure.line = cause, error.line
        raise failure from None
