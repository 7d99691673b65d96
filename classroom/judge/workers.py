"""Start the workers of one submission: each as a separate program, or all forked from one that never loads it.

Forking is for sandboxes whose `Command` says `forks`; the program is forker.py. Its workers share nothing that a
submission can use: no writable memory, no descriptor, no file.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from classroom.judge.process import EXIT_SECONDS, Child, Started, kill_group, launch
from classroom.sandbox.base import Command, Sandbox

TO_START = 60.0
"""Seconds for starting Python and numpy, not counted as the submission's time."""


class Workers:
    """Starts workers for one submission, one after the other.

    Parameters
    ----------
    path : the submission.
    without : modules that it cannot import.
    sandbox : isolates each worker.
    output : where the submission's output goes, as for subprocess: a descriptor, DEVNULL, None for the judge's stderr.
    """

    def __init__(
        self, path: Path, without: Iterable[str], sandbox: Sandbox, output: int | None = subprocess.DEVNULL
    ) -> None:
        self.path, self.without = Path(path).resolve(), frozenset(without)
        self._sandbox, self._output = sandbox, output
        self._forker: Forker | None = None

    @cached_property
    def _command(self) -> Command:
        return self._sandbox.command(self.path, self.without)

    @property
    def settings(self) -> dict[str, Any]:
        """The first frame sent to a worker."""
        return dict(self._command.settings)

    def start(self) -> Child:
        """Start a fresh worker. Raises OSError, SandboxError."""
        if not self._command.forks:
            return Started(self._command, self._output)
        if self._forker is None:
            self._forker = Forker(self._command, self._output)
        return self._forker.fork()

    def close(self) -> None:
        """Stop all workers."""
        if self._forker is not None:
            self._forker.close()
            self._forker = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Forker:
    """The judge's side of forker.py. Raises OSError if the program cannot be started."""

    def __init__(self, command: Command, output: int | None) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.process: subprocess.Popen[bytes] = launch(command, output, theirs)
        except BaseException:
            self._control.close()
            raise
        finally:
            theirs.close()
        self._control.settimeout(TO_START)

    def fork(self) -> Forked:
        """Fork a new worker. Raises OSError if none starts."""
        theirs_in, requests = os.pipe()
        answers, theirs_out = os.pipe()
        try:
            socket.send_fds(self._control, [b"fork"], [theirs_in, theirs_out])
            number, descriptors, _, _ = socket.recv_fds(self._control, 32, 1)
            if not number.isdigit() or len(descriptors) != 1:
                raise OSError(f"expected a worker's number, found {number!r}")
        except BaseException:
            os.close(requests)
            os.close(answers)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        return Forked(self, int(number), descriptors[0], requests, answers)

    def code(self, number: int) -> int | None:
        """The exit code of a worker."""
        with contextlib.suppress(OSError, ValueError):
            self._control.send(b"%d" % number)
            return int(self._control.recv(32))
        return None

    def close(self) -> None:
        """Kill the program and with it its namespace."""
        kill_group(self.process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(EXIT_SECONDS)
        self._control.close()


class Forked:
    """A worker forked by the forker; `process` is its pidfd."""

    def __init__(self, forker: Forker, number: int, process: int, requests: int, answers: int) -> None:
        self._forker, self._number, self._process = forker, number, process
        self.requests: IO[bytes] = os.fdopen(requests, "wb")
        self.answers: IO[bytes] = os.fdopen(answers, "rb")
        self.code: int | None = None
        self._gone = False

    def wait(self, seconds: float) -> None:
        """Wait for its end, at most `seconds`."""
        if self._gone:
            return
        poll = select.poll()
        poll.register(self._process, select.POLLIN)
        if poll.poll(1000 * seconds):
            self._gone, self.code = True, self._forker.code(self._number)

    def kill(self) -> None:
        """Kill it; it cannot have started other processes."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self._process, signal.SIGKILL)

    def release(self) -> None:
        """Close the pidfd."""
        os.close(self._process)
