"""The homework's module inside a worksheet's kernel: its functions are asked of the judge's worker.

The kernel is trusted: it runs the sheet as handed out, and no line of a student. `import hw02_tensor` gives it the stub
as handed out, with each function replaced by a call into the worker, which takes and returns plain data alone. So there
is no object of a student in the kernel whose repr, operator or hook could say something false, and nothing that a
submission does to its own process reaches the sheet.
"""

from __future__ import annotations

import ast
import base64
import builtins
import contextlib
import importlib.util
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from classroom.judge import fair
from classroom.judge.codec import CodecError
from classroom.judge.student import JudgeError, Student, SubmissionError, check_fair
from classroom.sandbox.base import Sandbox

COURSE = Path(__file__).resolve().parents[2]
MAX_ITEMS = 1 << 21
"""Numbers, characters and list elements that a function may return to a sheet."""
MEMORY = 8 << 30
"""Bytes of address space of a kernel in grading."""


class NoAnswer(RuntimeError):
    """The homework gave no result: it hangs, died, cannot be imported, or returned what a sheet cannot take."""


class NoVerdict(BaseException):
    """A JudgeError in the kernel. The framework wraps what its layers raise, but no BaseException."""


@dataclass(frozen=True)
class Given:
    """What a kernel must know about a submission.

    name : of its module. stub : the homework file as handed out. path : the submission.
    call_seconds : time limit of the import and of a call. cell_seconds : of all calls of one cell together.
    all_seconds : of all calls of the whole sheet.
    without : modules that the submission cannot import.
    sandbox : isolates the worker; None: no sandbox.
    limited : whether the kernel's memory is limited.
    """

    name: str
    stub: str
    path: Path
    call_seconds: float
    cell_seconds: float
    without: Sequence[str]
    all_seconds: float = float("inf")
    sandbox: Sandbox | None = None
    limited: bool = False

    @property
    def code(self) -> str:
        """What a fresh kernel must run before the sheet's first cell."""
        packed = base64.b85encode(pickle.dumps(self)).decode()
        return (
            f"import sys; sys.path[:] = [{str(COURSE)!r}, *(folder for folder in sys.path if folder)]\n"
            f"from classroom.front import stand_in as _stand_in; _stand_in.install({packed!r})\n"
            "del sys, _stand_in"
        )


def install(packed: str) -> None:
    """Make `import` find the stand-in of a packed `Given`. Runs in the kernel."""
    given: Given = pickle.loads(base64.b85decode(packed))
    if given.limited and os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    worker = Worker(given)
    sys.meta_path.insert(0, Finder(given, worker))
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()
    if shell is not None:
        shell.events.register("pre_run_cell", lambda *_: worker.start_cell())


class Finder(MetaPathFinder, Loader):
    """Finds the stand-in, also for `importlib.reload`."""

    def __init__(self, given: Given, worker: Worker) -> None:
        self._given, self._worker = given, worker

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The stand-in's spec, None for any other module."""
        return importlib.util.spec_from_loader(name, self) if name == self._given.name else None

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """The stub as handed out, its functions replaced, but for those that lead into the framework."""
        exec(compile(self._given.stub, f"{module.__name__}.py", "exec", dont_inherit=True), vars(module))
        for node in ast.parse(self._given.stub).body:
            if isinstance(node, ast.FunctionDef) and not for_the_framework(node):
                setattr(module, node.name, self._asked(node.name, module))

    def _asked(self, name: str, module: ModuleType) -> Callable[..., Any]:
        def ask(*args: Any, **kwargs: Any) -> Any:
            try:
                return self._worker.call(name, args, kwargs)
            except CodecError as error:  # an argument that is no plain data
                raise NoAnswer(f"{name}: {error}") from None
            except SubmissionError as error:
                raise as_raised(error, module) from None
            except JudgeError as error:
                raise NoVerdict(str(error)) from None

        ask.__name__ = ask.__qualname__ = name
        ask.__doc__ = getattr(module, name).__doc__
        return ask


def for_the_framework(node: ast.FunctionDef) -> bool:
    """Whether a function that came with the homework imports kuiper: it converts plain data for the framework.

    It runs in the kernel, where it calls the functions beside it.
    """
    return any(
        (isinstance(one, ast.Constant) and one.value == "kuiper")
        or (isinstance(one, ast.Import) and any(alias.name.partition(".")[0] == "kuiper" for alias in one.names))
        or (isinstance(one, ast.ImportFrom) and (one.module or "").partition(".")[0] == "kuiper")
        for one in ast.walk(node)
    )


class Worker:
    """A submission's worker; a new one where the last has ended, all within the time of a cell and of the sheet."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self._student: Student | None = None
        self._spent = 0.0
        self._cell_spent = 0.0
        self._began = self._cell_began = fair.mark()

    def start_cell(self) -> None:
        """A cell begins."""
        self._cell_spent, self._cell_began = 0.0, fair.mark()

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function of the submission. Raises SubmissionError, CodecError, JudgeError."""
        started = fair.mark()
        try:
            return self._once(name, args, kwargs)
        except SubmissionError as error:
            if "died" not in (error.kind, error.type):
                raise
            return self._once(name, args, kwargs)  # a machine short of memory kills processes too
        finally:
            self._cell_spent += started.seconds
            self._spent += started.seconds

    def _once(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        given = self._given
        if self._cell_spent > given.cell_seconds or self._spent > given.all_seconds:
            check_fair(self._began if self._spent > given.all_seconds else self._cell_began)
            raise SubmissionError("timeout", "no answers in time: the calls took too long together")
        try:
            if self._student is None:
                self._student = Student(given.path, given.call_seconds, without=given.without, sandbox=given.sandbox)
            value = getattr(self._student, name)(*args, **kwargs)
        except SubmissionError as error:
            if error.ends_worker:
                self._end()
            raise
        except (JudgeError, KeyboardInterrupt):
            self._end()
            raise
        if count(value) > MAX_ITEMS:
            raise SubmissionError("data", f"{name} returned more than {MAX_ITEMS:,} numbers")
        return value

    def _end(self) -> None:
        if self._student is not None:
            self._student.close()
            self._student = None


def count(value: Any) -> int:
    """Numbers, characters and elements in plain data.

    >>> count([np.zeros((2, 3)), "abc", {"a": 1}])
    15
    """
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list | tuple):
        return len(value) + sum(map(count, value))
    if isinstance(value, dict):
        return len(value) + sum(count(key) + count(item) for key, item in value.items())
    return 1


def as_raised(error: SubmissionError, module: ModuleType) -> Exception:
    """What a submission raised as an exception of the stub or of Python; a NoAnswer if there is no such one.

    A type of the submission's own becomes the nearest of those that it is derived from.
    """
    raised: Exception = NoAnswer(f"{error.type}: {error.message}" if error.kind == "raise" else error.message)
    for name in (error.type, *error.bases) if error.kind == "raise" else ():
        kind = getattr(module, name, None) or getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            with contextlib.suppress(TypeError):  # UnicodeDecodeError and its like need more than a message
                raised = kind(error.message)
                break
    if error.line:
        raised.add_note(f"{module.__name__}.py, line {error.line}")
    return raised
