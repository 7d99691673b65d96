"""The judge's end: a submission in a process of its own, seen as an object whose functions return plain data."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from classroom.judge import codec

WORKER = Path(__file__).with_name("worker.py")


class SubmissionError(Exception):
    """The submission raised, died, hung, or returned what cannot travel; `kind` says which, `line` where.

    kind is "raise" (with `type` the exception's name), "died", "timeout" or "data".
    """

    def __init__(self, kind: str, message: str, type: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.type, self.message, self.line = kind, type, message, line


class Student:
    """One submission file, loaded by a worker process.

    Every attribute is a function of the submission: `student.flatten(x)` sends the call, and returns plain data rebuilt
    here. A Python function among the arguments becomes a callback that the submission can call. Raises SubmissionError.

    Parameters
    ----------
    path : the submission.
    seconds : how long loading, and each call, may take.
    """

    def __init__(self, path: Path, seconds: float = 10.0) -> None:
        self._path, self._seconds = Path(path), seconds
        self._last: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
        self._timed_out = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(WORKER), str(self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._path.parent,
        )
        self._answer([])

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._last = (name, args, kwargs)
            callbacks: list[Callable[..., Any]] = []
            request = {
                "call": name,
                "args": tuple(_with_callbacks(a, callbacks) for a in args),
                "kwargs": {key: _with_callbacks(a, callbacks) for key, a in kwargs.items()},
            }
            self._send(request)
            return self._answer(callbacks)

        return call

    def _send(self, value: Any) -> None:
        try:
            assert self._process.stdin is not None
            codec.write(self._process.stdin, value)
        except OSError:
            raise self._gone() from None

    def _answer(self, callbacks: list[Callable[..., Any]]) -> Any:
        timer = threading.Timer(self._seconds, self._kill)
        timer.start()
        try:
            while True:
                assert self._process.stdout is not None
                reply = codec.read(self._process.stdout)
                if not isinstance(reply, dict):
                    raise codec.CodecError("an answer that is no answer")
                if "callback" in reply:
                    self._send(_called(callbacks, reply))
                    continue
                if "raise" in reply:
                    kind = "data" if reply["raise"] == "CodecError" else "raise"
                    raise SubmissionError(kind, str(reply.get("message")), str(reply["raise"]), reply.get("line"))
                return reply["return"]
        except EOFError:
            raise self._gone() from None
        except (codec.CodecError, KeyError) as error:
            self._kill()
            raise SubmissionError("data", str(error)) from None
        finally:
            timer.cancel()

    def _kill(self) -> None:
        self._timed_out = self._process.poll() is None
        self._process.kill()

    def _gone(self) -> SubmissionError:
        if self._timed_out:
            return SubmissionError("timeout", f"no answer within {self._seconds:g} s")
        code = self._process.wait()
        return SubmissionError("died", f"the process ended by itself (exit code {code}): does the code call exit?")

    def close(self) -> None:
        """End the worker."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def __enter__(self) -> Student:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _with_callbacks(value: Any, callbacks: list[Callable[..., Any]]) -> Any:
    if callable(value):
        callbacks.append(value)
        return {"callback": len(callbacks) - 1}
    return value


def _called(callbacks: list[Callable[..., Any]], reply: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"return": callbacks[reply["callback"]](*reply["args"], **reply["kwargs"])}
    except Exception as error:  # the arguments are the submission's: what they cause is its to see
        return {"raise": type(error).__name__, "message": str(error)}
