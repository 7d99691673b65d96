"""What a page asks the course for: cells, checks of exercises, networks with the reader's answers or inputs."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom import check, explain
from classroom.gallery.piece import DemoOptions
from classroom.live import display, in_process, missing
from classroom.live.notebook import Notebook
from classroom.progress import Progress
from classroom.register import ROOT, load
from classroom.tasks import find_one
from kuiper.errors import KuiperError

Tell = Callable[[str], None]


class PageKernel:
    """The course in a page. `tell` gets what a cell prints while it runs."""

    def __init__(self, tell: Tell = lambda text: None) -> None:
        in_process.install()
        display.install()
        missing.install()
        self._course, self._tell = load(ROOT), tell
        self._notebook: Notebook | None = None

    def answer(self, request: str) -> str:
        """A request as JSON, {"do": name, and its arguments} -> the answer as JSON."""
        asked = json.loads(request)
        return json.dumps(getattr(self, f"do_{asked.pop('do')}")(**asked))

    def do_open(self, lesson: str) -> dict[str, Any]:
        """Begin a lesson anew."""
        self._notebook = Notebook(ROOT / "lessons" / lesson, self._tell)
        return {}

    def do_cell(self, source: str, number: int) -> dict[str, Any]:
        """Run a cell of the lesson that is open; `number` is what errors call it."""
        if self._notebook is None:
            raise ValueError("a cell without a lesson: expected `open` before")
        return {"outputs": self._notebook.run(source, number)}

    def do_check(self, exercise: str, files: Mapping[str, str], columns: int) -> dict[str, Any]:
        """Run the public tests of an exercise on the reader's files -> the report of `check`, so many columns wide.

        others : why each failed test but the first failed, which the report leaves out.
        """
        os.environ["COLUMNS"] = str(columns)
        self._write(files)
        (result,) = check.check([find_one(self._course, exercise)])
        others = [explain.diagnosis(result.task, failure, result.printed) for failure in result.failures[1:]]
        solved = result.state is check.State.SOLVED
        return {"solved": solved, "report": explain.report(result), "others": others}

    def do_demo(self, piece: str, files: Mapping[str, str], columns: int) -> dict[str, Any]:
        """`demo PIECE --mine` -> what it prints, so many columns wide."""
        from classroom.gallery.mine import show_mine, work_of

        os.environ["COLUMNS"] = str(columns)
        self._write(files)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            work = work_of(self._course, Progress(ROOT))
            code = show_mine(piece, DemoOptions(), Path("demo"), work, [])
        return {"good": code == 0, "report": said.getvalue().rstrip()}

    def do_values(self, model: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Run a network of the course on the reader's input -> {"of": what values_of tells} or {"failed": why}."""
        from classroom.live import values

        def given() -> tuple[kuiper.RuntimeGraph, list[np.ndarray]]:
            graph = kuiper.load(ROOT / "models" / model / f"{model}.pnnx.param", engine="simple")
            return graph, values.network_inputs(graph, model, asked)

        return _values(given)

    def do_own_values(self, param: str, bin: str, asked: list[dict[str, Any]]) -> dict[str, Any]:
        """The same for a network of the reader's own: the text of its .param, its .bin in base64 ("": none)."""
        from classroom.live import values

        def given() -> tuple[kuiper.RuntimeGraph, list[np.ndarray]]:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "yours.pnnx.param")
                path.write_text(param, encoding="utf-8", newline="\n")
                if bin:
                    Path(folder, "yours.pnnx.bin").write_bytes(base64.b64decode(bin))
                graph = kuiper.load(path, engine="simple")
            return graph, values.filled_inputs(graph, asked)

        return _values(given)

    def _write(self, files: Mapping[str, str]) -> None:
        """Write the reader's homework files, by name. Raises ValueError for a name that is none of a homework file."""
        places = {lesson.homework_file: lesson for lesson in self._course.lessons if lesson.homework_file}
        for name, text in files.items():
            if name not in places:
                raise ValueError(f"{name}: expected the name of a homework file, such as {min(places)}")
            (ROOT / "homework" / places[name].folder / name).write_text(text, encoding="utf-8", newline="\n")


def _values(given: Callable[[], tuple[kuiper.RuntimeGraph, list[np.ndarray]]]) -> dict[str, Any]:
    from classroom.live import values

    try:
        return {"of": values.values_of(*given())}
    except KuiperError as error:
        return {"failed": str(error)}
