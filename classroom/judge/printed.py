"""Capture what a submission prints, for debugging: partly kept, never trusted, never blocking.

The submission writes into a pipe that a thread of the judge reads continuously. To assign output to calls, the judge
writes a random mark into the same pipe after each call: when the mark arrives, all earlier output has. A submission
cannot know the mark in advance; if it steals the mark, or the pipe's bytes, nothing more is captured.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import threading
from collections import deque
from dataclasses import dataclass

KEPT_BYTES = 8192
"""Bytes kept of the beginning and of the end of the output of one call."""
KEPT_CALLS = 100
"""Number of calls whose output is kept."""
MARK_SECONDS = 2.0
"""Seconds to wait for a mark."""


@dataclass(frozen=True)
class Printed:
    """Output of one call, safe for a terminal: its first lines and, if some were dropped, its last."""

    first: str = ""
    lost: int = 0
    last: str = ""

    def __bool__(self) -> bool:
        return bool(self.first)


class Listener:
    """Captures the output of processes that have `stream` as stderr. Raises OSError if pipes are unavailable.

    heard : output of each of the latest calls.
    """

    def __init__(self) -> None:
        self.heard: deque[Printed] = deque(maxlen=KEPT_CALLS)
        self._source, self.stream = os.pipe()
        self._mark = secrets.token_bytes(24)
        self._parts: queue.SimpleQueue[Printed] = queue.SimpleQueue()
        self._deaf = self._closing = False
        self._thread = threading.Thread(target=self._read, name="judge-listener", daemon=True)
        self._thread.start()

    def hear(self) -> None:
        """Append the output since the last call of `hear`; nothing if the submission tampers with the pipe."""
        if self._deaf:
            return
        try:
            os.write(self.stream, self._mark)
            self.heard.append(self._parts.get(timeout=MARK_SECONDS))
        except (OSError, queue.Empty):
            self._deaf = True

    def close(self) -> None:
        """Stop capturing, even if a process is still printing."""
        self._closing = True
        with contextlib.suppress(OSError):
            os.write(self.stream, self._mark)
        os.close(self.stream)
        self._thread.join(MARK_SECONDS)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        pending, part = b"", _Part()
        while not self._closing or self._mark not in pending:
            try:
                data = os.read(self._source, 1 << 16)
            except OSError:
                break
            if not data:
                break
            pending += data
            while self._mark in pending and not self._closing:
                before, _, pending = pending.partition(self._mark)
                part.add(before)
                self._parts.put(part.printed())
                part = _Part()
            at = max(0, len(pending) - len(self._mark) + 1)
            if self._mark not in pending:
                part.add(pending[:at])
                pending = pending[at:]
        os.close(self._source)


class _Part:
    """A buffer that keeps the beginning and the end of what is added."""

    def __init__(self) -> None:
        self._first, self._last, self._lost, self._cut = b"", b"", 0, False

    def add(self, data: bytes) -> None:
        """Append bytes."""
        room = KEPT_BYTES - len(self._first)
        self._first += data[:room]
        self._last += data[room:] if room < len(data) else b""
        if len(self._last) > KEPT_BYTES:
            self._lost += self._last[:-KEPT_BYTES].count(b"\n")
            self._last, self._cut = self._last[-KEPT_BYTES:], True

    def printed(self) -> Printed:
        """The bytes as text; if some were dropped, in whole lines unless the first line alone is too long."""
        if not self._cut:
            return Printed(_text(self._first + self._last))
        first, newline, _ = self._first.rpartition(b"\n")
        _, _, last = self._last.partition(b"\n")
        return Printed(_text(first if newline else self._first), self._lost + bool(newline), _text(last))


def printable(text: str) -> str:
    """Text of the submission without control codes.

    >>> printable("\\x1b[31mred")
    '?[31mred'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


def _text(data: bytes) -> str:
    return printable(data.decode("utf-8", "replace").replace("\r\n", "\n"))
