"""A submission asked by its worksheet: nbval runs the sheet in this process's own pytest session, and tells what came.

Every session is apart from this process's others: no configuration, no conftest.py, no plugin but nbval.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classroom.front.sheets import questions
from classroom.stubs import WORKSHEET

if TYPE_CHECKING:
    from classroom.front.cells import CellDifference, Sheet


class SheetFault(Exception):
    """The worksheet could not be run, through no fault of the submission: never a grade."""


@dataclass(frozen=True)
class Answer:
    """A question of a worksheet, and whether the submission gives what a right answer gives.

    name : the cell's id. sentence : what it asks. difference : what came instead, if not passed.
    """

    exercise: str
    name: str
    sentence: str
    passed: bool
    difference: CellDifference | None = None
    seconds: float = 0.0


def answers(sheet: Sheet, cell_seconds: float) -> list[Answer]:
    """Run a worksheet -> an answer for each question.

    Raises SheetFault unless every question was asked to its end.
    """
    import nbformat
    import pytest

    asking = Asking(sheet)
    said = io.StringIO()
    with tempfile.TemporaryDirectory(prefix="sheet-") as folder, _environment():
        empty, path = Path(folder) / "pytest.ini", Path(folder) / WORKSHEET
        empty.write_text("[pytest]\n", encoding="utf-8")
        path.write_text(nbformat.writes(sheet.notebook), encoding="utf-8")
        options = ["-c", str(empty), "--rootdir", folder, "--noconftest", "-q", "--capture=no", "--color=no"]
        without = [f"-pno:{name}" for name in ("cacheprovider", "faulthandler", "logging", "threadexception")]
        nbval = ["-p", "nbval.plugin", "--nbval", f"--nbval-cell-timeout={cell_seconds}"]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = pytest.main([*options, *without, *nbval, str(path)], plugins=[asking])
    if asking.fault:
        raise SheetFault(asking.fault)
    if code not in (0, 1) or len(asking.answers) != len(questions(sheet.notebook)):
        raise SheetFault(f"the worksheet was not run to its end: {said.getvalue().strip()[-300:]}")
    return asking.answers


class Asking:
    """A pytest plugin that collects one worksheet and keeps its answers."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self.answers: list[Answer] = []
        self.fault = ""

    def pytest_collect_file(self, file_path: Path, parent: Any) -> Any:
        """The worksheet."""
        from classroom.front.cells import SheetFile

        return SheetFile.from_parent(parent, path=file_path, sheet=self._sheet)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out what nbval's own collector has made of the file."""
        from classroom.front.cells import SheetCell

        items[:] = [item for item in items if isinstance(item, SheetCell)]

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Keep what came. Anything but an answer or a difference is a fault of this machine."""
        from classroom.front.cells import Differs

        raised = None if call.excinfo is None else call.excinfo.value
        if raised is not None and not isinstance(raised, Differs):
            self.fault = self.fault or f"{type(raised).__name__}: {raised}"
        elif call.when == "call":
            seconds = round(call.duration, 4)
            self.answers.append(
                Answer(item.exercise, item.name, item.sentence, raised is None, item.difference, seconds)
            )


@contextmanager
def _environment() -> Iterator[None]:
    """No plugins that merely happen to be installed; pytest's own variables afterwards as before."""
    before = {name: value for name, value in os.environ.items() if name.startswith("PYTEST_")}
    for name in before:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        for name in [name for name in os.environ if name.startswith("PYTEST_")]:
            del os.environ[name]
        os.environ.update(before)
