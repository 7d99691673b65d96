"""The worker: holds one submission, answers calls. Run as `python worker.py SUBMISSION.py`, frames on stdin and stdout.

The judge sends {"call": name, "args": tuple, "kwargs": dict}; the worker answers {"return": value} or
{"raise": type, "message": text}. Among the arguments {"callback": i} stands for a function of the judge's: when the
submission calls it, the worker sends {"callback": i, "args": tuple} first and waits for {"return": value}.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from classroom.judge import codec

LONGEST_MESSAGE = 2000


def main() -> None:
    """Serve calls until the judge closes its end."""
    requests, answers = _take_streams()
    try:
        module = load(Path(sys.argv[1]))
    except BaseException as error:
        codec.write(answers, described(error))
        return
    codec.write(answers, {"return": None})
    while True:
        try:
            request = codec.read(requests)
        except EOFError:
            return
        codec.write(answers, answer(module, request, requests, answers))


def load(path: Path) -> Any:
    """Import the submission from its file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def answer(module: Any, request: dict[str, Any], requests: IO[bytes], answers: IO[bytes]) -> dict[str, Any]:
    """Call one function of the submission."""
    try:
        function = getattr(module, request["call"])
        args = [_callback(a, requests, answers) for a in request["args"]]
        kwargs = {key: _callback(a, requests, answers) for key, a in request["kwargs"].items()}
        value = function(*args, **kwargs)
        codec.encode(value)
        return {"return": value}
    except codec.CodecError as error:
        return {"raise": "CodecError", "message": str(error), "line": None}
    except BaseException as error:
        return described(error)


def described(error: BaseException) -> dict[str, Any]:
    """An exception as plain data: its type, its message, the line of the submission where it was raised."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(Path(sys.argv[1])):
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and line is None:
        line = error.lineno
    try:
        message = str(error)[:LONGEST_MESSAGE]
    except BaseException:
        message = "its message cannot be read"
    return {"raise": type(error).__name__, "message": message, "line": line}


def _callback(argument: Any, requests: IO[bytes], answers: IO[bytes]) -> Any:
    if not (isinstance(argument, dict) and list(argument) == ["callback"]):
        return argument

    def call(*args: Any, **kwargs: Any) -> Any:
        codec.write(answers, {"callback": argument["callback"], "args": args, "kwargs": kwargs})
        reply = codec.read(requests)
        if "raise" in reply:
            raise ValueError(reply["message"])
        return reply["return"]

    return call


def _take_streams() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes to the judge; prints of the submission go to stderr, and reads of its stdin find nothing."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return requests, answers


if __name__ == "__main__":
    main()
