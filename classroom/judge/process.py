"""A worker process seen from the judge: exchange frames with a time limit, whatever the process does.

A thread of the judge writes and reads the pipes; the judge waits for that thread with a timeout, never for a pipe. So a
worker that does not read, writes half a frame, or passed its pipes to a child costs its time limit and nothing more.
Threads rather than select, which does not support pipes on Windows.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any, Protocol

from classroom.judge import codec
from classroom.sandbox import starter
from classroom.sandbox.base import Command

EXIT_SECONDS = 5.0
"""Seconds to wait for a killed process to end."""

QUIETLY: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Died(Exception):
    """The process died; `code` is its exit code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class TooLate(Exception):
    """No frame arrived in time; the process has been killed."""


class Child(Protocol):
    """A child process: stdin, stdout, kill, wait."""

    requests: IO[bytes]
    answers: IO[bytes]

    @property
    def code(self) -> int | None:
        """The exit code, a signal as a negative number; None while unknown."""

    def wait(self, seconds: float) -> None:
        """Wait for its end, at most `seconds`."""

    def kill(self) -> None:
        """Kill it and its descendants."""

    def release(self) -> None:
        """Release resources of an ended process, except its pipes."""


class Started:
    """A program started for one submission only."""

    def __init__(self, command: Command, output: int | None) -> None:
        self.process = launch(command, output, subprocess.PIPE)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.requests, self.answers = self.process.stdin, self.process.stdout

    @property
    def code(self) -> int | None:
        """The exit code, or None."""
        return self.process.returncode

    def wait(self, seconds: float) -> None:
        """Wait for its end, at most `seconds`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def kill(self) -> None:
        """Kill its process group."""
        kill_group(self.process)

    def release(self) -> None:
        """Nothing to release."""


def launch(command: Command, output: int | None, stream: Any) -> subprocess.Popen[bytes]:
    """Start the command with `stream` as stdin and stdout; stderr goes to `output`. Raises OSError.

    It gets its own session, so that Ctrl-C reaches only the judge, and the whole group can be killed at once.
    """
    start: Callable[..., subprocess.Popen[bytes]] = starter.start if command.tied else subprocess.Popen
    return start(
        list(command.argv),
        stdin=stream,
        stdout=stream,
        stderr=output,
        cwd=command.folder,
        env=dict(command.environment),
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and what it has started."""
    if sys.platform == "win32":
        # Windows has no process groups to kill: descendants are found through the process while it is alive.
        if process.poll() is None:
            with contextlib.suppress(OSError):
                subprocess.call(["taskkill", "/T", "/F", "/PID", str(process.pid)], **QUIETLY)
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class Process:
    """A child process that exchanges frames."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._in: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._carry, name="judge-carrier", daemon=True)
        self._thread.start()
        self._closed = False

    def exchange(self, frame: bytes, deadline: float) -> Any:
        """Send a frame (b"": nothing) and receive the next value before `deadline` on time.monotonic().

        Raises TooLate, Died, or CodecError for an invalid frame; after any of them the process is gone.
        """
        if self._closed:
            raise Died(self._child.code)
        self._out.put(frame)
        try:
            value = self._in.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            self.close()
            raise TooLate from None
        if isinstance(value, codec.CodecError):
            self.close()
            raise value
        if isinstance(value, Exception):
            raise Died(self._exit_code())
        return value

    def _carry(self) -> None:
        while (frame := self._out.get()) is not None:
            try:
                if frame:
                    self._child.requests.write(frame)
                    self._child.requests.flush()
                self._in.put(codec.read(self._child.answers))
            except Exception as error:  # the judge's thread is waiting, so every error must be passed on
                self._in.put(error)
                return

    def _exit_code(self) -> int | None:
        """The exit code; None if the process closed its pipe but is still running."""
        self._child.wait(1.0)
        code = self._child.code
        self.close()
        return code

    def close(self) -> None:
        """Kill the process and what it has started, and close the pipes."""
        if self._closed:
            return
        self._closed = True
        self._child.kill()
        self._child.wait(EXIT_SECONDS)
        self._child.release()
        self._out.put(None)
        self._thread.join(1.0)
        if self._thread.is_alive():
            # a descendant outside the group holds the pipe open: closing it here would block on the thread's lock
            return
        for stream in (self._child.requests, self._child.answers):
            with contextlib.suppress(OSError):
                stream.close()


def ended(code: int | None) -> str:
    """How a process with that exit code ended, in words.

    >>> ended(3)
    'the process ended by itself (exit code 3): does the code call exit?'
    """
    if code is None:
        return "the process closed its connection"
    if 128 < code <= 192:  # how shells and bubblewrap report a signal
        code = 128 - code
    if code >= 0:
        return f"the process ended by itself (exit code {code}): does the code call exit?"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"the process was ended by the system (signal {name})"
