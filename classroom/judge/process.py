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
from typing import Any

from classroom.judge import codec
from classroom.sandbox import starter
from classroom.sandbox.base import Command

PATIENCE = 5.0
"""Seconds to wait for the end of a process that has been killed."""


class Died(Exception):
    """The process is gone; `code` is its exit code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class TooLate(Exception):
    """No frame came in time; the process has been killed."""


class Process:
    """A program that speaks frames on its stdin and stdout."""

    def __init__(self, command: Command, show_output: bool = False) -> None:
        launch: Callable[..., subprocess.Popen[bytes]] = starter.start if command.tied else subprocess.Popen
        self._process = launch(
            list(command.argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if show_output else subprocess.DEVNULL,
            cwd=command.folder,
            env=dict(command.environment),
            # a session of its own: a Ctrl-C at the keyboard is the judge's, and the whole group can be killed at once
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._in: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._carry, name=f"judge-{self._process.pid}", daemon=True)
        self._thread.start()
        self._closed = False

    def exchange(self, frame: bytes, deadline: float) -> Any:
        """Send a frame (b"": nothing) and receive the next value, until `deadline` on time.monotonic().

        Raises TooLate, Died, or CodecError for bytes that are no frame; after each of them the process is gone.
        """
        if self._closed:
            raise Died(self._process.returncode)
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
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        while (frame := self._out.get()) is not None:
            try:
                if frame:
                    self._process.stdin.write(frame)
                    self._process.stdin.flush()
                self._in.put(codec.read(self._process.stdout))
            except Exception as error:  # the judge's thread waits for something: whatever it is
                self._in.put(error)
                return

    def _exit_code(self) -> int | None:
        """The code with which the process ended; None when it closed its pipe and lived on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.returncode
        self.close()
        return code

    def close(self) -> None:
        """Kill the process and what it has started, and close the pipes."""
        if self._closed:
            return
        self._closed = True
        self._kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        self._out.put(None)
        self._thread.join(1.0)
        if self._thread.is_alive():
            # a descendant outside the group holds the pipe: closing it here would wait for the thread's lock
            return
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()

    def _kill(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


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
