"""A lesson's cells, run one by one in one namespace: what each prints, shows and gives, as plain data."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import linecache
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from classroom.live import display
from classroom.live.missing import NotInPageError

Output = dict[str, str]
"""{"kind": stdout | stderr | error | missing | value, and for it "text"; of a value also "svg", "png" or "jpeg"}."""
MOST = 200_000
"""Characters that a cell may print; what is beyond is left out."""

NO_THREAD = "can't start new thread"
"""What Python says where there is one thread only."""


class Notebook:
    """The namespace of a lesson. `tell` gets what a cell prints while it runs."""

    def __init__(self, folder: Path, tell: Callable[[str], None] = lambda text: None) -> None:
        self._folder, self._tell = folder, tell
        self._module = ModuleType("__main__")
        self._module.__dict__["display"] = display.display

    def run(self, source: str, number: int = 1) -> list[Output]:
        """Run one cell, which errors call `number` -> its outputs, in order."""
        outputs: list[Output] = []
        name = f"<cell {number}>"
        vars(self._module).pop("__warningregistry__", None)  # so that a cell warns each time it is run
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        with self._here(outputs):
            try:
                self._execute(source, name, outputs)
            except NotInPageError as error:
                outputs.append({"kind": "missing", "text": str(error)})
            except RuntimeError as error:
                kind = "missing" if str(error) == NO_THREAD else "error"
                text = "This starts a thread, and a page has one only." if kind == "missing" else error_text(error)
                outputs.append({"kind": kind, "text": text})
            except BaseException as error:
                outputs.append({"kind": "error", "text": error_text(error)})
        return outputs

    @contextlib.contextmanager
    def _here(self, outputs: list[Output]) -> Any:
        """In the lesson's folder, with its modules, its namespace as __main__, and prints among the outputs."""
        main, folder = sys.modules["__main__"], os.getcwd()
        sys.modules["__main__"] = self._module
        sys.path.insert(0, str(self._folder))
        os.chdir(self._folder)
        display.show_with(lambda value: outputs.append(shown(value)))
        out, err = (Stream(kind, outputs, self._tell) for kind in ("stdout", "stderr"))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                yield
        finally:
            sys.modules["__main__"] = main
            sys.path.remove(str(self._folder))
            os.chdir(folder)

    def _execute(self, source: str, name: str, outputs: list[Output]) -> None:
        tree = ast.parse(source, name)
        last = tree.body[-1] if tree.body else None
        quiet = source.rstrip().endswith(";")
        if isinstance(last, ast.Expr) and not quiet:
            exec(compile(ast.Module(tree.body[:-1], []), name, "exec"), vars(self._module))
            value = eval(compile(ast.Expression(last.value), name, "eval"), vars(self._module))
            if value is not None:
                outputs.append(shown(value))
        else:
            exec(compile(tree, name, "exec"), vars(self._module))


class Stream(io.TextIOBase):
    """Appends what is written to the outputs: to the last one, if it is of the same kind."""

    def __init__(self, kind: str, outputs: list[Output], tell: Callable[[str], None]) -> None:
        self._kind, self._outputs, self._tell, self._count = kind, outputs, tell, 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The page shows every character."""
        return "utf-8"

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, text: str) -> int:
        """Append; beyond MOST characters, only say so."""
        if self._count > MOST:
            return len(text)
        self._count += len(text)
        said = text if self._count <= MOST else "\n... and so on: more than a page can show\n"
        if not self._outputs or self._outputs[-1]["kind"] != self._kind:
            self._outputs.append({"kind": self._kind, "text": ""})
        self._outputs[-1]["text"] += said
        self._tell(said)
        return len(text)


def shown(value: Any) -> Output:
    """A value as a notebook shows it: a picture if it has one, and text."""
    output = {"kind": "value", "text": plain(value)}
    for kind in ("svg", "png", "jpeg"):
        method = getattr(type(value), f"_repr_{kind}_", None)
        found = method(value) if method else None
        if found:
            output[kind] = base64.b64encode(found).decode() if isinstance(found, bytes) else str(found)
            return output
    return output


def plain(value: Any) -> str:
    """A value as IPython writes it, in lines of 79 characters; as Python does where IPython's printer is not there."""
    try:
        from IPython.lib.pretty import pretty
    except ImportError:
        return repr(value)
    return str(pretty(value))


def error_text(error: BaseException) -> str:
    """The exception, and the lines that led to it from the cell on."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((place for place, frame in enumerate(frames) if frame.filename.startswith("<cell ")), len(frames))
    lines = traceback.format_list(frames[first:])
    return "".join([*lines, *traceback.format_exception_only(error)]).rstrip()
