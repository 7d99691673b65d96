"""What a sandbox is to the judge: it says how a worker is started, and how well that shuts it in."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classroom.grading.records import Isolation

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT / "classroom" / "judge" / "worker.py"
FORKER = WORKER.with_name("forker.py")
FIXED = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
"""The whole environment of a worker that is shut in."""
KEPT_VARIABLES = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)
"""What a bare worker needs of the judge's environment to start at all; the rest is not the submission's to read."""


class SandboxError(Exception):
    """This sandbox cannot be used here; the message says why, and what to do."""


@dataclass(frozen=True)
class Limits:
    """What one worker may use.

    It is one process that cannot start another, so `memory` bounds all that a submission takes. It writes no file.

    memory : bytes of address space.
    cpu : seconds of processor time over the worker's whole life; each call has its wall time besides.
    files : descriptors open at a time.
    """

    memory: int = 2 << 30
    cpu: int = 300
    files: int = 64


@dataclass(frozen=True)
class Command:
    """How one worker is started.

    argv, environment, folder : of the process.
    settings : the first frame that the worker gets; see worker.py.
    tied : whether the process dies with the thread that starts it (PR_SET_PDEATHSIG).
    forks : whether the process is no worker but makes them; see forker.py.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    tied: bool = False
    forks: bool = False


class Sandbox(ABC):
    """A way to start workers.

    isolation : how well it shuts them in, as far as it can know; `canary` finds out.
    explanation : what it is and, below strong, how to get a stronger one.
    """

    isolation: Isolation
    explanation: str

    @abstractmethod
    def command(self, submission: Path, without: frozenset[str]) -> Command:
        """How to start a worker on the submission, which cannot import the modules `without`.

        Raises SandboxError where that is not possible.
        """


class Bare(Sandbox):
    """A process of the judge's user: it may read, write and send whatever that user may."""

    isolation = Isolation.NONE

    def __init__(self, explanation: str = "no sandbox: a submission can do whatever you can") -> None:
        self.explanation = explanation

    def command(self, submission: Path, without: frozenset[str]) -> Command:
        """The worker in the submission's folder, where it finds the files beside it."""
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return Command(
            (sys.executable, "-P", "-X", "utf8", str(WORKER)),
            environment | FIXED,
            submission.parent,
            {"submission": str(submission), "without": sorted(without)},
        )
