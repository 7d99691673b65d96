"""Landlock and seccomp: path rules in the kernel, for systems without user namespaces."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from classroom.grading.records import Isolation
from classroom.sandbox import inside, lockdown, seccomp
from classroom.sandbox.base import FIXED, ROOT, WORKER, Command, Limits, Sandbox, SandboxError
from classroom.sandbox.bubblewrap import WORKER_FILES, policy

OLDEST = 3
"""The first Landlock version that can forbid truncating files (Linux 6.2)."""
KUIPER = ROOT / "kuiper"


class Landlock(Sandbox):
    """A worker that can only read Python, numpy and its own files, and make few system calls."""

    isolation = Isolation.WEAK
    explanation = "Landlock: rules for paths and an allow-list of system calls, but the same user beside your processes"

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        if sys.platform != "linux":
            raise SandboxError("Landlock is part of Linux")
        version = lockdown.landlock_version()
        if version < OLDEST:
            raise SandboxError(f"Landlock {OLDEST} (Linux 6.2) is needed, this kernel has {version or 'none'}")
        program = seccomp.program(platform.machine())
        if program is None:
            raise SandboxError(f"Landlock needs a list of system calls, which is not known for {platform.machine()}")
        self._filter = program

    def command(self, submission: Path, without: frozenset[str]) -> Command:
        """Start Python, which locks itself down before it loads the submission."""
        argv = [str(inside.interpreter()), *inside.FLAGS, str(WORKER), str(inside.packages())]
        places = [place.resolve() for place in inside.runtime()]
        parts = [part for place in places for part in inside.carved(place, inside.foreign())]
        parts += inside.framework(without)
        listed = {
            part.parent for part in parts if any(part.parent.is_relative_to(whole) for whole in (*places, KUIPER))
        }
        readable = [*parts, *inside.numpy(), *WORKER_FILES, submission, Path("/dev/urandom")]
        settings = {
            "submission": str(submission),
            "without": sorted(without),
            "framework": str(ROOT),
            "lockdown": policy(self.limits, self._filter)
            | {"parent": os.getpid(), "paths": list(map(str, readable)), "listed": sorted(map(str, listed))},
            "lockdown_file": str(Path(lockdown.__file__)),
        }
        return Command(tuple(argv), FIXED, Path("/"), settings, tied=True)
