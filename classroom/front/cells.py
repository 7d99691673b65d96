"""nbval runs a worksheet as handed out: each cell that asks for an exercise is one of pytest's items.

Sources, tags and outputs are those handed out, so nothing in a student's copy decides a result. The kernel is trusted,
see stand_in.py. Cells of the student's own are not run: what they define would decide the cells below them.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, RunningKernel
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from classroom import explain
from classroom.front.sheets import EXERCISE, QuestionState, StudentsSheet, question_text, settings
from classroom.front.stand_in import Given, NoVerdict
from classroom.judge import fair
from classroom.tasks import HomeworkTask

CELL_SECONDS = 60.0
"""Time limit of a cell, with what the framework computes in it."""
TO_START = 60.0
STYLE = re.compile(r"\x1b\[[0-9;]*m")
NOTE = re.compile(r"^(\S+\.py, line \d+)$", re.M)
"""What the stand-in adds to an exception: its line in the submission."""
PNG = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")
PICTURE = re.compile(r"<Svg of \d+ characters>")
WIDEST = 100
"""Characters of a line in a diagnosis."""


class KernelFault(Exception):
    """The kernel failed, through no fault of the submission: never a grade."""


class Differs(Exception):
    """A cell does not give what a right answer gives; the message is the diagnosis."""


@dataclass(frozen=True)
class CellDifference:
    """How the outputs of a cell differ: what happened, and both as text."""

    happened: str
    expected: str = ""
    got: str = ""


@dataclass(frozen=True)
class Sheet:
    """A worksheet to run.

    notebook : as handed out. folder : where its kernel works. given : what the kernel must know.
    tasks : exercises by name. mine : the student's copy, if its state matters.
    """

    notebook: Any
    folder: Path
    given: Callable[[], Given]
    tasks: dict[str, HomeworkTask]
    mine: StudentsSheet | None = None
    not_written: Callable[[HomeworkTask, str], str] = field(default=lambda task, message: message)


class SheetKernel(RunningKernel):
    """nbval's kernel, in the environment that makes outputs the same everywhere; its death is no timeout."""

    def __init__(self, folder: Path, code: str) -> None:
        try:
            with settings():
                super().__init__(CURRENT_ENV_KERNEL_NAME, cwd=str(folder), startup_timeout=TO_START)
        except Exception as error:
            raise KernelFault(f"the kernel does not start: {type(error).__name__}: {error}") from error
        self.run_quietly(code, TO_START, must=True)

    def run_quietly(self, code: str, seconds: float, must: bool = False) -> None:
        """Run code and wait for its end, whatever it shows. Raises KernelFault, also if what `must` work does not."""
        try:
            reply = self.kc.execute(code, store_history=False, stop_on_error=False, reply=True, timeout=seconds)
        except Exception as error:
            raise KernelFault(f"the kernel does not answer: {type(error).__name__}") from error
        if must and reply["content"]["status"] != "ok":
            raise KernelFault(f"the kernel is not ready: {reply['content'].get('evalue', '')}")

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """As nbval's; raises KernelFault as soon as the kernel is gone."""
        until = time.monotonic() + (timeout or TO_START)
        while True:
            try:
                super().await_reply(msg_id, timeout=min(1.0, max(0.01, until - time.monotonic())))
                return
            except Empty:
                if not self.is_alive():
                    raise KernelFault("the kernel died") from None
                if time.monotonic() > until:
                    raise


class SheetFile(IPyNbFile):
    """A worksheet; yields its questions."""

    def __init__(self, *, sheet: Sheet, **of_pytest: Any) -> None:
        super().__init__(**of_pytest)
        self.sheet, self.nb = sheet, sheet.notebook
        self.ran: set[str] = set()
        self.fault: KernelFault | None = None

    def setup(self) -> None:
        """Start the kernel."""
        try:
            self.kernel = SheetKernel(self.sheet.folder, self.sheet.given().code)
        except KernelFault as fault:  # each cell raises it
            self.fault = fault
        self.setup_sanitize_files()

    def collect(self) -> Iterator[pytest.Item]:
        """The questions as handed out, then the cells of the student's own."""
        code = [cell for cell in self.nb.cells if cell.cell_type == "code"]
        for number, cell in enumerate(code):
            if EXERCISE in cell.metadata:
                if cell.execution_count is None or not cell.outputs:  # nbval would compare nothing
                    raise self.CollectError(f"{self.path.name} was handed out without the output of {cell.id}")
                yield SheetCell.from_parent(
                    self, name=cell.id, cell_num=number, cell=cell, options={"check": True, "skip": False}
                )
        if self.sheet.mine is not None:
            for name in self.sheet.mine.own({cell.id: cell.source for cell in code}):
                yield OwnCell.from_parent(self, name=name)

    def run_before(self, name: str) -> None:
        """Run the cells above a question that have not run: other items may not be selected."""
        for cell in self.nb.cells:
            if cell.id == name:
                return
            if cell.cell_type == "code" and cell.id not in self.ran:
                self.kernel.run_quietly(cell.source, CELL_SECONDS)
                self.ran.add(cell.id)


class SheetCell(IPyNbCell):
    """A question of a worksheet."""

    def __init__(self, name: str, parent: SheetFile, cell_num: int, cell: Any, options: dict[str, Any]) -> None:
        super().__init__(name, parent, cell_num, cell, {"check_exception": False, **options})
        self.exercise: str = cell.metadata[EXERCISE]
        self.difference: CellDifference | None = None
        self.extra_keyword_matches.add(self.exercise)

    @property
    def sentence(self) -> str:
        """What the cell asks."""
        return question_text(self.cell)

    def setup(self) -> None:
        """Nothing; nbval would let what follows a timeout fail as expected."""

    def runtest(self) -> None:
        """Run it. Raises Differs, KernelFault."""
        if self.parent.fault is not None:
            raise self.parent.fault
        if self.parent.timed_out:
            self._differs(CellDifference("it was not run: a cell above took too long"))
        self.parent.run_before(self.name)
        self.parent.ran.add(self.name)
        self._began = fair.mark()
        try:
            super().runtest()
        except NbCellError as error:
            if "waiting for output" in str(error) or "Failed to interrupt" in str(error):
                raise KernelFault(str(error)) from None
            self._differs(self._compared(str(error)))
        except (RuntimeError, Empty) as error:
            raise KernelFault(str(error)) from error
        state = self._state
        if not state.same:
            self._differs(
                CellDifference(
                    f"as handed out, this cell gives what it should; in your sheet it was {state.what}. Put it back, "
                    "and try things out in cells of your own"
                )
            )

    @property
    def _state(self) -> QuestionState:
        mine = self.parent.sheet.mine
        return QuestionState() if mine is None else mine.state(self.name, self.cell.source)

    def _differs(self, difference: CellDifference) -> None:
        self.difference = difference
        raise Differs(self._diagnosis(difference))

    def _compared(self, trouble: str) -> CellDifference:
        """What happened instead of the output handed out."""
        outputs = self.test_outputs or []
        expected = as_text(self.cell.outputs)
        error = next((one for one in outputs if one.output_type == "error"), None)
        if error is not None and error.ename == NoVerdict.__name__:  # no submission can raise one
            raise KernelFault(error.evalue)
        if error is not None and error.ename == "NotImplementedError":
            return CellDifference(self._not_written(error.evalue))
        if error is not None and "Timeout" in trouble:
            if why := fair.too_busy(self._began):
                raise KernelFault(why)
            return CellDifference(
                "no output in time. Is there a loop that never ends, or one that is very slow?", expected
            )
        if error is not None:
            where = NOTE.findall(STYLE.sub("", "\n".join(error.traceback)))
            place = f" ({where[-1]})" if where else ""
            return CellDifference(f"{error.ename}{place}: {error.evalue}".removesuffix(": "), expected)
        got = as_text(outputs)
        if f"{self.exercise}: TODO" in got:
            return CellDifference(self._not_written(got))
        if PICTURE.sub("", expected) == PICTURE.sub("", got):
            return CellDifference("the picture is another one than a right answer gives")
        return CellDifference("the output differs from that of a right answer", expected, got)

    def sanitize(self, s: Any) -> Any:
        """nbval's; of a bitmap in a picture its pixels, since compressed bytes differ between versions of zlib."""
        text = super().sanitize(s)
        return PNG.sub(lambda found: f"pixels:{pixels(found[1])}", text) if isinstance(text, str) else text

    def _not_written(self, message: str) -> str:
        return self.parent.sheet.not_written(self.parent.sheet.tasks[self.exercise], message)

    def _diagnosis(self, difference: CellDifference) -> str:
        task = self.parent.sheet.tasks[self.exercise]
        parts = [explain.labelled("task", f"{task.number}: {task.id}"), explain.block("cell", _few(self.cell.source))]
        state = self._state
        if not state.same and difference.expected:
            parts.append(explain.labelled("note", f"your sheet has it {state.what}; it was run as handed out"))
        parts.append(explain.labelled("happened", difference.happened))
        for label, text in (("expected", difference.expected), ("got", difference.got)):
            if text:
                parts.append(explain.block(label, _few(text)))
        return "\n".join(parts)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The diagnosis; of the kernel's own faults a sentence."""
        error = excinfo.value
        if isinstance(error, KernelFault):
            return explain.labelled("why", f"the worksheet could not be run: {error}. Try again")
        return str(error) if isinstance(error, Differs) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The sheet, the exercise and the cell."""
        return self.path, 0, f"{self.exercise}: {self.name}"


class OwnCell(pytest.Item):
    """A cell that the student added."""

    def runtest(self) -> None:
        """Skip it."""
        pytest.skip("a cell of your own: there is nothing to compare it with, so it is not run")

    def reportinfo(self) -> tuple[Path, int, str]:
        """The sheet and the cell."""
        return self.path, 0, self.name


def as_text(outputs: list[Any]) -> str:
    """Outputs as text: what was printed, and the plain form of what was shown."""
    parts = []
    for output in outputs:
        if output.output_type == "stream":
            parts.append(output.text)
        elif output.output_type == "error":
            parts.append(f"{output.ename}: {output.evalue}")
        else:
            parts.append(output.data.get("text/plain", ""))
    return "\n".join("".join(part).rstrip("\n") for part in parts)


def pixels(packed: str) -> str:
    """A digest of a PNG's pixels, from its base64 text; the text itself if it is no PNG."""
    try:
        data, at, body = base64.b64decode(packed), 8, b""
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at : at + 8])
            body += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
            at += 12 + length
        return hashlib.sha256(data[16:29] + zlib.decompress(body)).hexdigest()
    except (ValueError, struct.error, zlib.error):
        return packed


def _few(text: str) -> str:
    """At most MAX_VALUE_LINES lines, none wider than WIDEST."""
    lines = text.strip("\n").split("\n")
    most = explain.MAX_VALUE_LINES
    lines = lines if len(lines) <= most else [*lines[: most - 1], "..."]
    return "\n".join(explain.shortened(line, WIDEST) for line in lines)
