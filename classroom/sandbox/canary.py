"""The canary: a submission that tries to escape from the sandbox, run before any real one.

A sandbox's claims are not trusted: `examine` starts a worker in it, which tries everything that must be impossible, and
returns the isolation level that was found.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from classroom.grading.records import Isolation
from classroom.sandbox.base import FIXED, ROOT, Bare, Sandbox, SandboxError

PROBE = Path(__file__).with_name("probe.py")
SECONDS = 20.0
NEEDED = {
    "read_files": "reads files of the judge's",
    "list_folders": "lists folders of the judge's",
    "write_files": "writes files",
    "change_modes": "changes files of the judge's",
    "open_connections": "opens connections",
    "read_environments": "reads the judge's environment",
    "signal_the_judge": "signals the judge",
    "import_packages": "imports the framework or other packages",
}
"""What any sandbox must prevent: function of probe.py -> description."""
STRONG = {
    "open_sockets": "opens sockets",
    "see_processes": "sees other processes",
    "start_processes": "starts processes",
    "start_threads": "starts threads",
    "take_memory": "takes more memory than the limit",
    "raise_limits": "raises its limits",
    "find_descriptors": "finds open files",
    "call_the_kernel": "makes system calls that reach around the sandbox",
}
"""What a strong sandbox must prevent in addition."""
WALLS = {"OSError", "PermissionError", "BlockingIOError", "ProcessLookupError", "RuntimeError", "MemoryError"}
"""Exceptions that mean a probe was blocked."""


@dataclass(frozen=True)
class Examination:
    """Result of running the canary.

    isolation : the actual level.
    leaks : what a submission could do, with proofs.
    message : a summary, with what to do.
    """

    isolation: Isolation
    leaks: tuple[str, ...]
    message: str


def canary(sandbox: Sandbox) -> Isolation:
    """The actual isolation of the sandbox. Raises SandboxError if no worker starts in it.

    Afterwards `sandbox.explanation` lists what it lets through, as does `examine`.
    """
    found = examine(sandbox)
    if found.leaks:
        sandbox.explanation = "; ".join([sandbox.explanation, *found.leaks])
    return found.isolation


def examine(sandbox: Sandbox) -> Examination:
    """Run all probes in the sandbox. Raises SandboxError if no worker starts in it."""
    if isinstance(sandbox, Bare) or sys.platform != "linux":
        return Examination(Isolation.NONE, (), f"isolation: none. {sandbox.explanation}")
    words = NEEDED | STRONG
    found = proofs(sandbox, list(words))
    leaks = tuple(f"a submission {words[name]} ({proof})" for name, proof in found.items() if proof)
    isolation = sandbox.isolation
    if any(found[name] for name in NEEDED):
        isolation = Isolation.NONE
    elif leaks:
        isolation = Isolation.WEAK
    said = [f"isolation: {isolation}. {sandbox.explanation}", *leaks]
    return Examination(isolation, leaks, "; ".join(said))


def proofs(sandbox: Sandbox, probes: Sequence[str]) -> dict[str, str]:
    """Probe -> the proof that it got through, "" if it did not. Raises SandboxError if no worker starts."""
    from classroom.judge.student import JudgeError, Student, SubmissionError  # which needs sandboxes itself

    try:
        with _facts(sandbox) as facts, Student(PROBE, SECONDS, without=["kuiper"], sandbox=sandbox) as student:
            return {name: _proof(partial(getattr(student, name), facts), SubmissionError) for name in probes}
    except JudgeError as error:
        raise SandboxError(str(error)) from error
    except SubmissionError as error:
        raise SandboxError(f"the canary fell ill: {error.kind} {error.type} {error}") from error


def _proof(attempt: Callable[[], Any], refusal: type[Any]) -> str:
    try:
        return str(attempt())[:200]
    except refusal as error:
        if error.kind == "raise" and error.type in WALLS:
            return ""
        raise


@contextmanager
def _facts(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """What the canary looks for: a secret file, an open port, the judge's process and environment."""
    token = secrets.token_hex(8)
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket() as listener,
        socket.socket(socket.AF_UNIX) as local,
    ):
        secret = Path(folder) / "secret.txt"
        secret.write_text(token, encoding="utf-8")
        secret.chmod(0o644)
        Path(folder).chmod(0o755)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        local.bind("\0" + token)
        local.listen()
        yield {
            "token": token,
            "files": [str(secret), str(ROOT / "course.toml"), "/etc/passwd", "/proc/1/environ"],
            # a parent of a folder that is visible inside also exists, with nothing else in it
            "folders": {folder: "secret.txt", str(ROOT): "course.toml", str(ROOT / "classroom"): "main.py"},
            "port": listener.getsockname()[1],
            "pid": os.getpid(),
            "variables": sorted(set(os.environ) - FIXED.keys() - {"PWD", "LC_CTYPE"}),
            "memory": _limit(sandbox),
        }


def _limit(sandbox: Sandbox) -> int:
    limits = getattr(sandbox, "limits", None)
    return limits.memory if limits is not None else 8 << 30
