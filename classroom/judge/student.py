"""The judge's side: a submission in a separate process, as an object whose functions return plain data."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom.judge import codec, fair
from classroom.judge.compare import Failure
from classroom.judge.printed import Listener, Printed, printable
from classroom.judge.process import Died, Process, TooLate, ended
from classroom.judge.workers import TO_START, Workers
from classroom.sandbox.base import Bare, Sandbox, SandboxError

MAX_MESSAGE_LENGTH = 2000
BASES = 20
"""Maximum number of base classes of an exception that are read."""
ANSWERS = {"return", "raise", "missing", "data"}


class JudgeError(Exception):
    """The judge itself failed, through no fault of the submission: never a grade."""


def check_fair(since: fair.Mark) -> None:
    """Raise JudgeError if a limit on the time since then has passed and says nothing about a submission."""
    if why := fair.too_busy(since):
        raise JudgeError(why)


@dataclass(frozen=True)
class FailedCall:
    """The last call (name, args, kwargs) and what was heard of it and of those before, when a call failed.

    A test may call again where it handles an error, to find its cause; what failed is still this call.
    """

    call: tuple[str, tuple[Any, ...], dict[str, Any]] | None
    heard: tuple[Printed, ...]


class SubmissionError(Exception):
    """The submission raised, died, hung, or returned an unsupported value; `kind` says which, `line` where.

    kind     what happened                                  message
    load     the file cannot be imported                    a sentence; `type` is the exception's name
    missing  there is no such function in it                a sentence
    raise    the function raised an exception               the exception's own; `type` is its name
    died     the process ended                              a sentence
    timeout  no answer in time                              a sentence
    data     the returned value is not supported            a sentence

    `bases` : names of the classes that the exception's is derived from, nearest first, without Exception and above.
    `cause` : the likely one, if the test names it. `failed_call` : see FailedCall.
    """

    def __init__(
        self, kind: str, message: str, type: str = "", line: int | None = None, bases: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.bases = tuple(bases)
        self.kind, self.type, self.message, self.line = kind, type, message, line
        self.cause: str | None = None
        self.failed_call: FailedCall | None = None

    def is_a(self, *names: str) -> bool:
        """Whether the exception is of a type with one of these names, or derived from one."""
        return not {self.type, *self.bases}.isdisjoint(names)

    @property
    def ends_worker(self) -> bool:
        """Whether no further calls are possible."""
        return self.kind in ("load", "died", "timeout")


class Student:
    """A submission file, loaded by a worker process.

    Every attribute is a function of the submission: `student.flatten(x)` sends the call and returns plain data. A
    Python function among the arguments becomes a callback that the submission can call. Raises SubmissionError.

    Parameters
    ----------
    path : the submission.
    seconds : time limit of the import and of each call.
    without : modules that the submission cannot import.
    show_output : whether to show what the submission prints.
    listener : captures its output instead; None: no capture.
    sandbox : isolates the worker; None: no sandbox.
    workers : starts the worker and determines everything but `seconds`; None: start one for this object.
    """

    def __init__(
        self,
        path: Path,
        seconds: float = 10.0,
        *,
        without: Iterable[str] = (),
        show_output: bool = False,
        listener: Listener | None = None,
        sandbox: Sandbox | None = None,
        workers: Workers | None = None,
    ) -> None:
        self._path, self._seconds = Path(path).resolve(), seconds
        self._without = frozenset(without) if workers is None else workers.without
        self._last: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
        self._listener = listener
        if not self._path.is_file():
            raise SubmissionError("load", f"{self._path.name} is not there", "FileNotFoundError")
        if sandbox is not None and Path(path).is_symlink():  # it may point to a file that is not the student's
            raise SubmissionError("load", f"{Path(path).name} is a link, not a file", "OSError")
        self._own: Workers | None = None
        try:
            if workers is None:
                output = None if show_output else listener.stream if listener else subprocess.DEVNULL
                workers = self._own = Workers(self._path, self._without, sandbox or Bare(), output)
            self._process = Process(workers.start())
        except (OSError, SandboxError) as error:
            self._end_own()
            raise JudgeError(f"the worker does not start: {error}") from error
        try:
            self._start(codec.encode(workers.settings | {"by_lines": True} if listener else workers.settings))
        except BaseException:
            self.close()
            raise

    def _start(self, settings: bytes) -> None:
        try:
            ready = self._process.exchange(settings, time.monotonic() + TO_START)
        except (Died, TooLate, codec.CodecError) as error:
            raise JudgeError(f"the worker does not start: {type(error).__name__} {error}") from error
        if ready != {"ready": True}:
            raise JudgeError(f"the worker does not start: {ready!r:.500}")
        try:
            reply = self._listened(b"", [])
        except SubmissionError as error:
            raise SubmissionError("load", f"{self._path.name}, while imported: {error.message}", error.kind) from None
        if "raise" in reply:
            raise self._load_error(reply)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._keep_failed_call()
            self._last = (name, args, kwargs)
            functions = {place: value for place, value in (*enumerate(args), *kwargs.items()) if callable(value)}
            request = {
                "call": name,
                "args": tuple(None if callable(value) else value for value in args),
                "kwargs": {key: None if callable(value) else value for key, value in kwargs.items()},
                "callbacks": list(functions),
            }
            return _result(self._listened(codec.encode(request), list(functions.values())))

        return call

    def _keep_failed_call(self) -> None:
        """Keep on each error that is being handled what was called last: the calls from now on explain it."""
        error = sys.exc_info()[1]
        while error is not None:
            if isinstance(error, (Failure, SubmissionError)) and error.failed_call is None:
                error.failed_call = self._failed_call()
            error = error.__context__

    def _failed_call(self) -> FailedCall:
        return FailedCall(self._last, tuple(self._listener.heard) if self._listener else ())

    @contextmanager
    def aside(self) -> Iterator[None]:
        """For calls that look for the cause of an error: the call before them stays the last one, unless one raises."""
        last, heard = self._last, list(self._listener.heard) if self._listener else []
        yield
        self._last = last
        if self._listener:
            self._listener.heard.clear()
            self._listener.heard.extend(heard)

    def line_of(self, error: SubmissionError) -> str:
        """The line of the submission in which the error came up; "" if it is not known."""
        lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        return "".join(lines[error.line - 1 : error.line]) if error.line else ""

    def _listened(self, frame: bytes, callbacks: list[Callable[..., Any]]) -> dict[str, Any]:
        """As `_exchange`, capturing the output."""
        try:
            return self._exchange(frame, callbacks)
        finally:
            if self._listener is not None:
                self._listener.hear()

    def _exchange(self, frame: bytes, callbacks: list[Callable[..., Any]]) -> dict[str, Any]:
        """Send a request (b"": none) and serve its callbacks within the time limit -> the answer.

        Raises JudgeError where the limit passed on a machine too busy for limits.
        """
        began = fair.mark()
        deadline = began.clock + self._seconds
        try:
            reply = self._process.exchange(frame, deadline)
            while type(reply) is dict and "callback" in reply:
                reply = self._process.exchange(_called(callbacks, reply), deadline)
            if type(reply) is not dict or not ANSWERS & reply.keys():
                raise codec.CodecError("an answer that is no answer")
        except TooLate:
            check_fair(began)
            raise SubmissionError("timeout", f"no answer within {self._seconds:g} s") from None
        except Died as death:
            raise SubmissionError("died", ended(death.code)) from None
        except codec.CodecError as error:
            self._process.close()
            raise SubmissionError("died", f"the process answered with something unknown: {error}") from None
        return reply

    def _load_error(self, reply: dict[str, Any]) -> SubmissionError:
        """The import error as a sentence."""
        raised, module, outer = _raised(reply), _clean(reply.get("name"), 80), reply.get("outer")
        where = self._path.name if raised.line is None else f"{self._path.name}, line {raised.line}"
        if raised.type in ("SyntaxError", "IndentationError", "TabError"):
            said = f"{where}: this is not Python: {raised.message}"
        elif raised.type == "ModuleNotFoundError" and any(f"{module}.".startswith(f"{n}.") for n in self._without):
            said = f"{where}: it imports {module}, and this homework is solved without"
        elif raised.type == "ModuleNotFoundError" and module:
            said = f"{where}: it imports {module}, which is not there"
        else:
            said = f"{where}: {raised.type} while it is imported: {raised.message}"
            if type(outer) is int and raised.line not in (None, outer):  # in a function: where it was called
                return SubmissionError("load", f"{said} (called from line {outer})", raised.type, outer)
        return SubmissionError("load", said, raised.type, raised.line)

    def close(self) -> None:
        """Stop the worker."""
        self._process.close()
        self._end_own()

    def _end_own(self) -> None:
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Student:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _result(answer: dict[str, Any]) -> Any:
    """The value that the submission returned. Raises SubmissionError if it did not."""
    if "return" in answer:
        return answer["return"]
    if "raise" in answer:
        raise _raised(answer)
    kind = "missing" if "missing" in answer else "data"
    raise SubmissionError(kind, _clean(answer[kind]))


def _raised(answer: dict[str, Any]) -> SubmissionError:
    line = answer.get("line")
    message, name = _clean(answer.get("message")), _clean(answer["raise"], 80)
    return SubmissionError("raise", message, name, line if type(line) is int else None, _bases(answer.get("bases")))


def _bases(names: Any) -> list[str]:
    """The names of base classes, cleaned; none if the answer has something else there."""
    return [_clean(name, 80) for name in names[:BASES]] if type(names) is list else []


def _called(callbacks: list[Callable[..., Any]], reply: dict[str, Any]) -> bytes:
    """Call the callback that the submission asks for -> reply frame."""
    number, args, kwargs = reply.get("callback"), reply.get("args"), reply.get("kwargs")
    if not isinstance(number, int) or not 0 <= number < len(callbacks):
        raise codec.CodecError("a callback of a number that was not given")
    if type(args) is not tuple or type(kwargs) is not dict:
        raise codec.CodecError("a callback without arguments")
    try:
        return codec.encode({"return": callbacks[number](*args, **kwargs)})
    except Exception as error:  # the arguments come from the submission, so it gets the error
        said = error.args[0] if type(error) is KeyError and error.args else error  # str(KeyError) quotes the key
        return codec.encode({"raise": type(error).__name__, "message": str(said)})


def _clean(text: Any, limit: int = MAX_MESSAGE_LENGTH) -> str:
    """Text of the submission without control codes, truncated; "" if it is not a str."""
    return printable(text[:limit]) if isinstance(text, str) else ""
