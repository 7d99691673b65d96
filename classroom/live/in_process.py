"""The judge's worker in this process: what a page has instead of child processes, pipes and threads.

`install` is the one place where these take the places of the course's own. A submission is loaded and called by the
worker's own functions, and everything passes through the codec, so it sees and gives what it would in a process.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from classroom.gallery import piece_worker
from classroom.gallery.isolated import PieceResult, request_of, too_late
from classroom.gallery.piece import DemoOptions, Piece
from classroom.judge import codec, worker
from classroom.judge.printed import KEPT_CALLS, Printed, _Part
from classroom.judge.process import TooLate
from classroom.judge.student import Student, _called
from classroom.live.deadline import deadline
from classroom.live.page_advice import PageAdvice
from classroom.tasks import HomeworkTask

OURS = ("kuiper", "classroom")
"""Packages of which a submission gets copies of its own."""


class PageWorkers:
    """In the place of classroom.judge.workers.Workers: there is nothing to start."""

    def __init__(self, path: Path, without: Iterable[str], sandbox: object, output: Any = None) -> None:
        self.path, self.without, self.output = Path(path), frozenset(without), output
        self.settings = {"submission": str(path), "without": sorted(self.without)}

    def start(self) -> PageWorkers:
        """What Process is given."""
        return self

    def close(self) -> None:
        """Nothing to stop."""


class PageProcess:
    """In the place of classroom.judge.process.Process: the first frame settles, the second loads, the others call."""

    def __init__(self, workers: PageWorkers) -> None:
        self._path, self._imports = workers.path, Imports(workers.path, workers.settings)
        deadline.watch(str(workers.path.parent))
        self._output = workers.output if hasattr(workers.output, "write") else io.StringIO()
        self._ready = False
        self._module: ModuleType | None = None
        self.callbacks: list[Callable[..., Any]] = []

    def exchange(self, frame: bytes, until: float) -> Any:
        """Do what the frame asks for -> the worker's answer. Raises TooLate, CodecError."""
        if not self._ready:
            self._ready = True
            return {"ready": True}
        with (
            contextlib.redirect_stdout(self._output),
            contextlib.redirect_stderr(self._output),
            self._imports.theirs(),
            deadline.limit(until),
        ):
            reply = self._load() if self._module is None else self._call(self._module, frame)
        if deadline.late:
            raise TooLate
        return codec.read(io.BytesIO(reply))

    def _load(self) -> bytes:
        try:
            self._module = worker.load(self._path, self._path.read_bytes())
        except BaseException as error:
            return codec.encode(worker.described(error, self._path))
        return codec.encode({"return": None})

    def _call(self, module: ModuleType, frame: bytes) -> bytes:
        judge: Any = PageJudge(self.callbacks, self._imports)
        return worker.answer(module, codec.read(io.BytesIO(frame)), judge, self._path)

    def close(self) -> None:
        """Forget the submission."""
        self._module = None


class PageJudge:
    """What the worker sends a callback to: answered on the spot."""

    def __init__(self, callbacks: list[Callable[..., Any]], imports: Imports) -> None:
        self._callbacks, self._imports, self._reply = callbacks, imports, b""

    def send(self, value: Any) -> None:
        """Call what the submission asks for."""
        asked = codec.read(io.BytesIO(codec.encode(value)))
        with self._imports.ours(), deadline.suspended():
            self._reply = _called(self._callbacks, asked)

    def receive(self) -> Any:
        """What it returned."""
        return codec.read(io.BytesIO(self._reply))


@dataclass(frozen=True)
class ImportState:
    """What decides on imports: where they are looked for, by whom, and what is imported already."""

    paths: tuple[str, ...]
    finders: tuple[Any, ...]
    modules: dict[str, ModuleType]


class Imports:
    """What a submission can import: not the modules that its homework forbids, and kuiper as copies of its own."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._apart = (*OURS, path.stem, *(file.stem for file in path.parent.glob("*.py")))
        """Both sides have modules that begin so: the course's packages, and files beside the submission."""
        self._theirs: ImportState | None = None
        self._ours: ImportState | None = None

    @contextlib.contextmanager
    def theirs(self) -> Iterator[None]:
        """Within the context, imports are the submission's."""
        if self._theirs is None:
            self._ours = self._exchanged(ImportState(tuple(sys.path), tuple(sys.meta_path), {}))
            worker._prepare_imports(self._settings)
        else:
            self._ours = self._exchanged(self._theirs)
        try:
            yield
        finally:
            self._theirs = self._exchanged(self._ours)

    @contextlib.contextmanager
    def ours(self) -> Iterator[None]:
        """Within the context, which is inside of `theirs`, imports are the judge's again."""
        assert self._ours is not None
        self._theirs = self._exchanged(self._ours)
        try:
            yield
        finally:
            self._ours = self._exchanged(self._theirs)

    def _exchanged(self, other: ImportState) -> ImportState:
        """Let the other state hold -> the one that held."""
        mine = {name: one for name, one in sys.modules.items() if name.startswith(self._apart)}
        before = ImportState(tuple(sys.path), tuple(sys.meta_path), mine)
        for name in mine:
            del sys.modules[name]
        sys.path[:], sys.meta_path[:] = other.paths, other.finders
        sys.modules.update(other.modules)
        return before


class PageStudent(Student):
    """As Student; the functions of the judge that a submission calls are called directly."""

    def _exchange(self, frame: bytes, callbacks: list[Callable[..., Any]]) -> dict[str, Any]:
        process: Any = self._process
        process.callbacks = callbacks
        return super()._exchange(frame, callbacks)


class PageListener:
    """In the place of classroom.judge.printed.Listener: what was written to `stream`, call by call."""

    def __init__(self) -> None:
        self.heard: deque[Printed] = deque(maxlen=KEPT_CALLS)
        self.stream = io.StringIO()

    def hear(self) -> None:
        """Append the output since the last call of `hear`."""
        part = _Part()
        part.add(self.stream.getvalue().encode("utf-8", "replace"))
        self.stream.seek(0)
        self.stream.truncate()
        self.heard.append(part.printed())

    def __enter__(self) -> PageListener:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()


def run(
    piece: Piece,
    options: DemoOptions,
    tasks: Sequence[HomeworkTask],
    *,
    seconds: float | None = None,
    check_only: bool = False,
) -> PieceResult:
    """In the place of classroom.gallery.isolated.run: the worker's answer, without the worker."""
    allowed = piece.seconds if seconds is None else seconds
    quiet = io.StringIO()
    with (
        contextlib.redirect_stdout(quiet),
        contextlib.redirect_stderr(quiet),
        deadline.limit(time.monotonic() + allowed),
    ):
        answer = piece_worker.answer(request_of(piece, options, tasks, check_only))
    if deadline.late:
        return too_late(allowed)
    return PieceResult(**json.loads(json.dumps(answer)))


@contextlib.contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """In the place of classroom.gallery.show.bar: the page has a bar of its own."""
    yield lambda: None


PLACES: tuple[tuple[str, str, Any], ...] = (
    ("classroom.judge.student", "Workers", PageWorkers),
    ("classroom.judge.student", "Process", PageProcess),
    ("classroom.judge.tests", "Student", PageStudent),
    ("classroom.check", "Listener", PageListener),
    ("classroom.advice", "here", PageAdvice()),
    ("classroom.gallery.mine", "run", run),
    ("classroom.gallery.mine", "bar", bar),
    ("classroom.gallery.show", "bar", bar),
)
"""Module, name there, and what takes its place."""


def install() -> None:
    """Put everything of PLACES into its place. Raises AttributeError if a place is not there."""
    for module, name, thing in PLACES:
        found = importlib.import_module(module)
        getattr(found, name)
        setattr(found, name, thing)
