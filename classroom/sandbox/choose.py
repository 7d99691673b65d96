"""Choose the best sandbox that works on this machine, and explain how to get a better one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from classroom.grading.records import Isolation
from classroom.sandbox.base import Bare, Command, Sandbox, SandboxError
from classroom.sandbox.bubblewrap import Bubblewrap
from classroom.sandbox.landlock import Landlock

INSTALL = {
    "apt-get": "sudo apt-get install bubblewrap",
    "dnf": "sudo dnf install bubblewrap",
    "pacman": "sudo pacman -S bubblewrap",
}
"""Package manager -> command that installs bubblewrap."""

ASKS_FOR_ITS_LIMIT = """
def limit():
    import resource

    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return 0 if soft == resource.RLIM_INFINITY else soft
"""


def best_sandbox() -> Sandbox:
    """Bubblewrap, else Landlock, else a bare process: the first in which a worker starts.

    Its `explanation` says why it is not a stronger one, and what to do. `canary` verifies its isolation.
    """
    if sys.platform != "linux":
        memory = "" if memory_limit(Bare()) else ", and a submission's memory is not limited"
        advice = "grade on Linux, or in a virtual machine or container with it"
        return Bare(f"there is no sandbox on {_system()}{memory}: {advice}")
    reasons = []
    for kind in (Bubblewrap, Landlock):
        try:
            sandbox: Sandbox = kind()
            starts(sandbox)
        except SandboxError as error:
            reasons.append(_advice(kind, str(error)))
            continue
        if sandbox.isolation is not Isolation.STRONG:
            sandbox.explanation = ". ".join([sandbox.explanation, *reasons])
        return sandbox
    return Bare(". ".join(["no sandbox: a submission can do whatever you can", *reasons]))


def memory_limit(sandbox: Sandbox) -> int | None:
    """The limit of a worker's address space in bytes; None if the system sets none.

    Windows has none, and macOS may refuse to set one.
    """
    from classroom.judge.student import JudgeError, Student, SubmissionError

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "submission.py"
        file.write_text(ASKS_FOR_ITS_LIMIT, encoding="utf-8")
        try:
            with Student(file, sandbox=sandbox) as student:
                return student.limit() or None
        except (JudgeError, SubmissionError):
            return None


def starts(sandbox: Sandbox) -> None:
    """Start one worker in the sandbox. Raises SandboxError if that fails."""
    from classroom.judge.student import JudgeError, Student, SubmissionError  # which needs sandboxes itself

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "submission.py"
        file.write_text("def f(): return 1\n", encoding="utf-8")
        try:
            with Student(file, sandbox=sandbox) as student:
                student.f()
        except (JudgeError, SubmissionError) as error:
            raise SandboxError(_complaint(sandbox.command(file, frozenset())) or str(error)) from error


def _complaint(command: Command) -> str:
    """The last line that the command writes to stderr when started without input."""
    try:
        done = subprocess.run(
            command.argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=dict(command.environment),
            cwd=command.folder,
            timeout=20,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1][:300] if done.returncode and lines else ""


def _advice(kind: type[Sandbox], reason: str) -> str:
    if kind is not Bubblewrap:
        return f"Landlock cannot be used: {reason}"
    if shutil.which("bwrap"):
        return (
            f"bubblewrap is installed but cannot be used ({reason}): "
            "this system or container does not let it make namespaces (on Ubuntu see AppArmor's "
            "kernel.apparmor_restrict_unprivileged_userns; in Docker, --security-opt seccomp=unconfined)"
        )
    install = next((command for program, command in INSTALL.items() if shutil.which(program)), None)
    return f"bubblewrap is not installed: {install or ' or '.join(INSTALL.values())}"


def _system() -> str:
    return {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
