"""The worker: loads one submission and serves calls. Run as `python worker.py [FOLDER]`.

FOLDER is the folder of numpy, for a Python started without site-packages.

Frames (see codec.py) on stdin and stdout. The first tells the worker what to do:

    {"submission": path, "without": [module]}
    "by_lines": True       flush each line that the submission prints, for a listener
    "framework": folder    the folder of kuiper; default: the course's folder
    "lockdown": {...}      the sandbox policy: see lockdown.py in classroom/sandbox
    "lockdown_file": path  path of that file

The worker answers {"ready": True}, or {"failed": text} if the lockdown failed; imports the submission, answers
{"return": None}, and then answers each {"call": name, "args": tuple, "kwargs": dict, "callbacks": places} with one of

    {"return": value}
    {"raise": type, "bases": [type], "message": text, "line": number, "outer": number, "name": module}
    {"data": text}       the returned value is not supported
    {"missing": text}    there is no such function

Callbacks are functions of the judge; `places` lists which arguments they are (index or keyword). When the submission
calls one, the worker sends {"callback": number, "args": tuple, "kwargs": dict} and waits for {"return": value}.

Once the submission is loaded, nothing in this process is trusted: every answer counts as the submission's.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib.machinery
import importlib.util
import io
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Iterator, MappingView, Sequence
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType, TracebackType
from typing import IO, TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent.parent
MEMORY = 4 << 30
PASSED_ON = {one.__name__: one for one in (AttributeError, IndexError, KeyError, TypeError, ZeroDivisionError)}
"""What a function of the judge raises reaches the submission under its own name if it is one of these."""
KEYS = 8
"""Maximum number of keys that the message of a KeyError names."""
ONE_BY_ONE = (Iterator, MappingView, deque, range)
"""What list(...) makes a list of, and cannot be handed in as it is: generators, reversed(...), keys of a dictionary."""
NO_NEIGHBOURS = {"public"}
"""Files beside the submission that it must not import: the tests."""


@functools.cache
def by_path(name: str, file: Path) -> ModuleType:
    """Import a module by path: its package would import the whole judge, and sys.path would expose the solutions."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from classroom.judge import codec
else:
    sys.path += sys.argv[1:]
    codec = by_path("codec", Path(__file__).with_name("codec.py"))


def main() -> None:
    """Serve calls until the judge closes its end."""
    requests, answers = _take_streams()
    try:
        settings = codec.read(requests)
        submission = Path(settings["submission"])
        _prepare_imports(settings)
        source = submission.read_bytes()
        if settings.get("by_lines") and isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)
        judge = _shut_in(settings, requests, answers)
    except Exception as error:
        codec.write(answers, {"failed": f"{type(error).__name__}: {error}"})
        return
    judge.send({"ready": True})
    try:
        module = load(submission, source)
    except BaseException as error:
        _flush()
        judge.send(described(error, submission))
        os._exit(0)
    _flush()
    judge.send({"return": None})
    while True:
        frame = answer(module, judge.receive(), judge, submission)
        _flush()
        judge.send_frame(frame)


def _flush() -> None:
    """Flush output before the answer is sent; the submission may have replaced the streams."""
    for name in ("stdout", "stderr"):
        with contextlib.suppress(Exception):
            getattr(sys, name).flush()


def _shut_in(settings: dict[str, Any], requests: IO[bytes], answers: IO[bytes]) -> Judge:
    """Lock this process down, and start listening to the judge."""
    if "lockdown" not in settings:
        _limit_memory()
        return Judge(requests, answers)
    lockdown = by_path("lockdown", Path(settings["lockdown_file"]))
    lockdown.enter(settings["lockdown"])
    judge = Judge(requests, answers)  # the last thread started here
    lockdown.seal(settings["lockdown"])
    return judge


class Judge:
    """The connection to the judge. A thread reads the requests, and ends the process when the judge is gone."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._answers = answers
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(requests,), daemon=True).start()

    def _listen(self, requests: IO[bytes]) -> None:
        try:
            while True:
                self._inbox.put(codec.read(requests))
        finally:
            os._exit(0)

    def receive(self) -> Any:
        """Receive the next request."""
        return self._inbox.get()

    def send(self, value: Any) -> None:
        """Send one value."""
        self.send_frame(codec.encode(value))

    def send_frame(self, frame: bytes) -> None:
        """Send one encoded value."""
        self._answers.write(frame)
        self._answers.flush()


def load(path: Path, source: bytes) -> ModuleType:
    """Import the submission with text `source`, without bytecode: two versions may be less than a second apart."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    code: CodeType = compile(source, str(path), "exec", dont_inherit=True)
    with recursion_limit_kept():
        exec(code, vars(module))
    return module


@contextlib.contextmanager
def recursion_limit_kept() -> Iterator[None]:
    """Refuse a higher recursion limit: it is there to stop a recursion without end, and is not the submission's."""
    change, most = sys.setrecursionlimit, sys.getrecursionlimit()

    def setrecursionlimit(limit: int, /) -> None:
        if limit > most:
            raise RuntimeError(
                f"expected Python's own recursion limit of at most {most}, got {limit}: keep what waits in a list"
            )
        change(limit)

    sys.setrecursionlimit = setrecursionlimit
    try:
        yield
    finally:
        sys.setrecursionlimit = change
        change(most)


def answer(module: ModuleType, request: dict[str, Any], judge: Judge, submission: Path) -> bytes:
    """Call one function of the submission -> answer frame."""
    name = request["call"]
    function = vars(module).get(name)
    if not callable(function):
        found = f": its {name} is of type {type(function).__name__}" if name in vars(module) else ""
        return codec.encode({"missing": f"{submission.name} has no function {name}{found}"})
    args, kwargs = list(request["args"]), dict(request["kwargs"])
    for number, place in enumerate(request["callbacks"]):
        callback = _callback(number, judge)
        if isinstance(place, str):
            kwargs[place] = callback
        else:
            args[place] = callback
    result = None
    try:
        with recursion_limit_kept():
            result = function(*args, **kwargs)
        return codec.encode({"return": result})
    except codec.CodecError as error:
        more = ""
        if issubclass(type(result), ONE_BY_ONE):
            more = "; make a list of it: list(...)"
        elif isinstance(result, (FunctionType, BuiltinFunctionType, MethodType)):
            more = "; are the brackets of a call missing?"
        return codec.encode({"data": f"{name} gives what cannot be handed in: {error}{more}"})
    except BaseException as error:
        return codec.encode(described(error, submission))


def described(error: BaseException, submission: Path) -> dict[str, Any]:
    """An exception as plain data: type, bases, message, line of the submission where it was raised.

    outer : the line outside of its functions that led there, or the same line.
    """
    line, outer, trace, own = None, None, error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(submission):
            line, own = trace.tb_lineno, trace
            outer = outer or line
        trace = trace.tb_next
    try:
        # str() of a SyntaxError ends in "(file, line 3)"; msg is the message alone
        message = str(error.msg if isinstance(error, SyntaxError) else error)[:2000]
        if isinstance(error, SyntaxError) and error.filename == str(submission):
            line = error.lineno
        if type(error) is KeyError and own is not None and own.tb_next is None:
            message += keys_there(error, own, submission)
    except BaseException:
        message = "its message cannot be read"
    name = error.name if isinstance(error, ImportError) and isinstance(error.name, str) else ""
    message = message.encode(errors="replace").decode()
    bases = bases_of(type(error))
    return {
        "raise": type(error).__name__,
        "bases": bases,
        "message": message,
        "line": line,
        "outer": outer,
        "name": name,
    }


def bases_of(kind: type[BaseException]) -> list[str]:
    """The names of the exception classes that `kind` is derived from, nearest first, without Exception and above.

    A class that only has the name of one of Python's exceptions is left out.

    >>> bases_of(UnicodeDecodeError)
    ['UnicodeError', 'ValueError']
    """
    derived = [base for base in kind.__mro__[1:] if issubclass(base, Exception) and base is not Exception]
    return [base.__name__ for base in derived if getattr(builtins, base.__name__, base) is base]


def keys_there(error: KeyError, trace: TracebackType, submission: Path) -> str:
    """What the dictionary holds instead of the key that it was asked for: "; values has 'a', 'b'".

    "" if the place in the source that raised names no dictionary without this key.
    """
    first, last, start, end = list(trace.tb_frame.f_code.co_positions())[trace.tb_lasti // 2]
    if None in (first, last, start, end) or first != last:
        return ""
    line = submission.read_bytes().splitlines()[trace.tb_lineno - 1][start:end].decode()
    names = [node.id for node in ast.walk(ast.parse(line.strip())) if isinstance(node, ast.Name)]
    seen = trace.tb_frame.f_globals | trace.tb_frame.f_locals
    for name in names:
        held = seen.get(name)
        if isinstance(held, dict) and error.args[0] not in held:
            keys = [repr(key)[:60] for key in list(held)[:KEYS]]
            more = [f"and {len(held) - KEYS} more"] * (len(held) > KEYS)
            return f"; {name} has {', '.join([*keys, *more])}" if held else f"; {name} is empty"
    return ""


def _callback(number: int, judge: Judge) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            judge.send({"callback": number, "args": args, "kwargs": kwargs})
        except codec.CodecError as error:
            raise TypeError(f"it was called with something that it cannot take: {error}") from None
        reply = judge.receive()
        if "raise" in reply:
            raise PASSED_ON.get(reply["raise"], ValueError)(reply["message"])
        return reply["return"]

    return call


class Neighbours:
    """Imports files beside the submission, after everything else, so that none can shadow numpy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of `folder/name.py`; packages and the tests are not found."""
        file = self.folder / f"{name}.py"
        if "." in name or name in NO_NEIGHBOURS or not file.is_file():
            return None
        return importlib.util.spec_from_file_location(name, file)


class Framework:
    """Imports `kuiper` from its folder, and nothing else from there.

    If some of its modules are forbidden, `kuiper` is an empty package, since its __init__ imports them all.
    """

    def __init__(self, folder: Path, empty: bool) -> None:
        self.folder, self.empty = folder, empty

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of `kuiper`."""
        folder = self.folder / name
        if name != "kuiper" or not folder.is_dir():
            return None
        if self.empty:
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(folder)]
            return spec
        return importlib.util.spec_from_file_location(name, folder / "__init__.py")


class Without:
    """Blocks the modules that this homework must not use, with their submodules."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Raise ImportError for them."""
        if any(name == refused or name.startswith(refused + ".") for refused in self.names):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def _prepare_imports(settings: dict[str, Any]) -> None:
    without = set(settings["without"])
    if (ROOT / "course.toml").is_file():  # a checkout, not site-packages
        sys.path[:] = [entry for entry in sys.path if entry and Path(entry).resolve() != ROOT]
    framework = Framework(Path(settings.get("framework", ROOT)), any(name.startswith("kuiper.") for name in without))
    sys.meta_path[:0] = [Without(without), framework]
    sys.meta_path.append(Neighbours(Path(settings["submission"]).parent))


def _limit_memory() -> None:
    """Limit memory where the system can, so that a submission that asks for too much gets a MemoryError."""
    if sys.platform == "win32":
        return
    import resource

    for limit, value in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))


def _take_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Take over the pipes to the judge; the submission's output goes to stderr, and its stdin is empty."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return requests, answers


if __name__ == "__main__":
    main()
