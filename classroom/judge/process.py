"""A worker process seen from the judge: frames to it and from it, each within a time, whatever the process does.

One thread of the judge's writes and reads the pipes; the judge waits for that thread, never for a pipe. So a worker
that does not read, writes half a frame, or has handed its pipes to a child costs its time limit and nothing more.
Threads rather than select, which knows no pipes on Windows.
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
"""Seconds to wait for the end of a process that has been killed."""

QUIETLY: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Died(Exception):
    """The process is gone; `code` is its exit code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class TooLate(Exception):
    """No frame came in time; the process has been killed."""


class Child(Protocol):
    """A process that can be spoken to, killed and waited for."""

    requests: IO[bytes]
    answers: IO[bytes]

    @property
    def code(self) -> int | None:
        """With what it ended, a signal as a negative number; None as long as that is not known."""

    def wait(self, seconds: float) -> None:
        """Wait so long for its end."""

    def kill(self) -> None:
        """End it and what it has started."""

    def release(self) -> None:
        """Let go of what is kept of a process that is gone, but for its pipes."""


class Started:
    """A program that was started for one submission alone."""

    def __init__(self, command: Command, output: int | None) -> None:
        self.process = launch(command, output, subprocess.PIPE)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.requests, self.answers = self.process.stdin, self.process.stdout

    @property
    def code(self) -> int | None:
        """With what it ended."""
        return self.process.returncode

    def wait(self, seconds: float) -> None:
        """Wait so long for its end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def kill(self) -> None:
        """End it and its group."""
        kill_group(self.process)

    def release(self) -> None:
        """Nothing else is kept."""


def launch(command: Command, output: int | None, stream: Any) -> subprocess.Popen[bytes]:
    """Start the command with `stream` as its stdin and stdout; its prints go to `output`. Raises OSError.

    It has a session of its own, so that a Ctrl-C at the keyboard is the judge's, and the whole group can be killed at
    once.
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
        # There are no groups to kill: what the process has started is found from it while it is there.
        if process.poll() is None:
            with contextlib.suppress(OSError):
                subprocess.call(["taskkill", "/T", "/F", "/PID", str(process.pid)], **QUIETLY)
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class Process:
    """A child that speaks frames."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._in: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._carry, name="judge-carrier", daemon=True)
        self._thread.start()
        self._closed = False

    def exchange(self, frame: bytes, deadline: float) -> Any:
        """Send a frame (b"": nothing) and receive the next value, until `deadline` on time.monotonic().

        Raises TooLate, Died, or CodecError for bytes that are no frame; after each of them the process is gone.
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
            except Exception as error:  # the judge's thread waits for something: whatever it is
                self._in.put(error)
                return

    def _exit_code(self) -> int | None:
        """The code with which the process ended; None when it closed its pipe and lived on."""
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
            # a descendant outside the group holds the pipe: closing it here would wait for the thread's lock
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
    if 128 < code <= 192:  # as shells, and bubblewrap, tell of a signal
        code = 128 - code
    if code >= 0:
        return f"the process ended by itself (exit code {code}): does the code call exit?"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"the process was ended by the system (signal {name})"
