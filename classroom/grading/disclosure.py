"""What reports disclose about a test's outcome: everything for a public test, only the requirement for a hidden one.

A submission sees the inputs of hidden tests, so nothing that it says about them is passed on: no message, no returned
value, no exception name of its own.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path

from classroom import difference, explain
from classroom.front.asked import Answer
from classroom.grading.records import Check
from classroom.judge import Failure, Outcome, SubmissionError

MAX_VALUE_LENGTH = 4000
WHOLE_FILE = ("load", "missing")
HAPPENED = {
    "load": "the file cannot be imported",
    "missing": "the function is not there",
    "died": "the process ended",
    "timeout": "no answer in time",
    "data": "what was returned cannot be handed in",
}


def disclosed(outcome: Outcome, stub: Path, seconds: float) -> Check:
    """The outcome as reports may show it. Parameter names come from the stub, never from the submission."""
    test, error, seconds = outcome.test, outcome.error, coarse(seconds)
    common = (test.exercise, test.name, test.public, outcome.passed)
    if error is None:
        return Check(*common, hint=test.sentence, seconds=seconds)
    if not test.public:
        return Check(*common, message=hidden_message(error), hint=test.sentence, seconds=seconds)
    shown = {"call": "", "expected": "", "got": ""}
    if outcome.call is not None and not (isinstance(error, SubmissionError) and error.kind in WHOLE_FILE):
        made = outcome.call
        shown["call"] = _text(lambda: explain.call_text(stub, made))
    if isinstance(error, Failure):
        shown["expected"], shown["got"] = _both(error)
    call, expected, got = shown.values()
    return Check(*common, public_message(error), call, expected, got, test.sentence, seconds, error.cause or "")


def coarse(seconds: float) -> float:
    """A time to the tenth of a second: finer ones would tell a submission's run apart, and what it met there.

    >>> coarse(0.2718)
    0.3
    """
    return round(seconds, 1)


def answered(answer: Answer, why: str = "") -> Check:
    """The answer to a question of the worksheet, which is public; `why` it was not asked, if it was not."""
    name, hint = f"worksheet_{answer.name}", f"the worksheet, {answer.name}: {answer.sentence}"
    came = answer.difference
    if came is None:
        return Check(answer.exercise, name, True, answer.passed, why, hint=hint, seconds=coarse(answer.seconds))
    texts = (came.happened, answer.sentence, came.expected, came.got)
    happened, call, expected, got = (text[:MAX_VALUE_LENGTH] for text in texts)
    return Check(answer.exercise, name, True, False, happened, call, expected, got, hint, coarse(answer.seconds))


def _both(failure: Failure) -> tuple[str, str]:
    """Expected and got: two arrays of the same shape around the first difference, other values from the start."""
    expected, got = failure.expected, failure.got
    try:
        if difference.comparable(expected, got):
            first, second = difference.each_in_text(expected, got, failure.where)
            return first[:MAX_VALUE_LENGTH], second[:MAX_VALUE_LENGTH]
    except Exception:
        pass  # an array that cannot be shown cell by cell is shown like any other value
    return _text(lambda: explain.long(expected)), _text(lambda: explain.long(got))


def public_message(error: Failure | SubmissionError) -> str:
    """What happened."""
    if isinstance(error, Failure):
        return error.message[:MAX_VALUE_LENGTH]
    line = f" (line {error.line})" if error.line else ""
    if error.kind == "raise":
        return f"raised {error.type}{line}: {error.message}"[:MAX_VALUE_LENGTH]
    return f"{error.message}{line if error.kind != 'load' else ''}"[:MAX_VALUE_LENGTH]


def hidden_message(error: Failure | SubmissionError) -> str:
    """What happened, in the judge's words only.

    >>> hidden_message(SubmissionError("raise", "x was [3, 1, 4]", "Leak314"))
    'raised an exception'
    """
    if isinstance(error, Failure):
        return "the result is not the expected one"
    if error.kind != "raise":
        return HAPPENED[error.kind]
    kind = getattr(builtins, error.type, None)
    known = isinstance(kind, type) and issubclass(kind, BaseException)
    return f"raised {error.type}" if known else "raised an exception"


def _text(make: Callable[[], str]) -> str:
    """The text; "" if formatting a value of the submission fails."""
    try:
        return make()[:MAX_VALUE_LENGTH]
    except Exception:
        return ""
