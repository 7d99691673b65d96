"""Run a piece in a separate process with a time limit, so that a student's code cannot stop this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from classroom.gallery.piece import DemoOptions, Piece
from classroom.gallery.show import bar
from classroom.tasks import HomeworkTask

WORKER = Path(__file__).with_name("piece_worker.py")


@dataclass(frozen=True)
class PieceResult:
    """Result of a piece with some exercises plugged in; see piece_worker.answer.

    tile : how the student's tile does in the compiled network, in a sentence, if there is one.
    bits : what the network takes and how good it is with its weights in 8 bits by the student, if it was tried.
    """

    error: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    answer: dict[str, Any] | None = None
    departure: dict[str, Any] | None = None
    calls: dict[str, int] = field(default_factory=dict)
    tile: str = ""
    bits: str = ""

    @property
    def good(self) -> bool:
        """Whether everything was plugged in and every step agreed with the reference."""
        return not self.error and not self.errors and self.departure is None


def request_of(piece: Piece, options: DemoOptions, tasks: Sequence[HomeworkTask], check_only: bool) -> dict[str, Any]:
    """What the worker is asked, as JSON holds it."""
    return {
        "piece": piece.name,
        "options": asdict(options),
        "plugs": [[task.id, str(task.file)] for task in tasks],
        "check_only": check_only,
    }


def too_late(limit: float) -> PieceResult:
    """The result of code that had `limit` seconds and needed more."""
    return PieceResult(
        error=f"no result within {limit:g} s: is there a loop that never ends, or one that is very slow?"
    )


def run(
    piece: Piece,
    options: DemoOptions,
    tasks: Sequence[HomeworkTask],
    *,
    seconds: float | None = None,
    check_only: bool = False,
) -> PieceResult:
    """Run the piece with the code of these tasks in a separate process.

    seconds : time limit; default: the piece's.
    check_only : only compare with the reference.
    """
    limit = piece.seconds if seconds is None else seconds
    request = request_of(piece, options, tasks, check_only)
    worker = subprocess.Popen(
        [sys.executable, "-P", str(WORKER), json.dumps(request)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    items = piece.sample(options, mine=True)
    total = piece.work(items[: piece.checked]) + (0 if check_only else piece.work(items))
    try:
        with bar(f"demo {piece.name}", total) as advance:
            return PieceResult(**json.loads(output_of(worker, limit, advance)))
    except subprocess.TimeoutExpired:
        return too_late(limit)
    except (ValueError, TypeError):
        return PieceResult(
            error=f"the process ended by itself (exit code {worker.returncode}): does the code call exit?"
        )


def output_of(worker: subprocess.Popen[bytes], limit: float, advance: Callable[[], None]) -> bytes:
    """The last line that the process writes; each line "." before it calls `advance`.

    Raises TimeoutExpired. The process has ended in any case.
    """
    lines = [b""]

    def listen() -> None:
        for line in worker.stdout or ():
            if line.rstrip(b"\r\n") == b".":  # Windows writes \r\n
                advance()
            else:
                lines.append(line)

    listener = Thread(target=listen, daemon=True)
    listener.start()
    listener.join(limit)
    late = listener.is_alive()
    if late:
        worker.kill()
        listener.join(1.0)
    worker.wait()
    if late:
        raise subprocess.TimeoutExpired(worker.args, limit)
    return lines[-1]
