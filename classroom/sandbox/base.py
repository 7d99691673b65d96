"""The interface of sandboxes: how to start a worker, and how well it is isolated."""

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
"""The complete environment of a sandboxed worker."""
KEPT_VARIABLES = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)
"""Variables that a bare worker needs to start; the rest of the judge's environment is withheld."""


class SandboxError(Exception):
    """The sandbox cannot be used here; the message says why, and what to do."""


@dataclass(frozen=True)
class Limits:
    """Resource limits of one worker.

    A worker is a single process that cannot start others, so `memory` bounds everything. It writes no files.

    memory : bytes of address space.
    cpu : seconds of CPU time over the worker's whole life; each call also has a wall-time limit.
    files : open descriptors.
    """

    memory: int = 2 << 30
    cpu: int = 300
    files: int = 64


@dataclass(frozen=True)
class Command:
    """How to start a worker.

    argv, environment, folder : arguments, variables and working directory of the process.
    settings : the first frame sent to the worker; see worker.py.
    tied : whether the process dies with the thread that starts it (PR_SET_PDEATHSIG).
    forks : whether the process forks workers instead of being one; see forker.py.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    tied: bool = False
    forks: bool = False


class Sandbox(ABC):
    """Starts workers in isolation.

    isolation : its claimed level; `canary` verifies it.
    explanation : what it is and, if below strong, how to get a stronger one.
    """

    isolation: Isolation
    explanation: str

    @abstractmethod
    def command(self, submission: Path, without: frozenset[str]) -> Command:
        """How to start a worker for the submission, which cannot import the modules `without`.

        Raises SandboxError if that is not possible.
        """


class Bare(Sandbox):
    """No sandbox: a process with all rights of the judge's user."""

    isolation = Isolation.NONE

    def __init__(self, explanation: str = "no sandbox: a submission can do whatever you can") -> None:
        self.explanation = explanation

    def command(self, submission: Path, without: frozenset[str]) -> Command:
        """Start the worker in the submission's folder, where it finds the files beside it."""
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return Command(
            (sys.executable, "-P", "-X", "utf8", str(WORKER)),
            environment | FIXED,
            submission.parent,
            {"submission": str(submission), "without": sorted(without)},
        )
