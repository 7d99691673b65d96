"""Run an installer and show its progress."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time

from classroom.launcher.environment import clean_variables
from classroom.launcher.paths import Paths
from classroom.launcher.trouble import failure_of

ONE_PACKAGE = ("Collecting ", "Processing ", "Requirement already satisfied")


def say(text: str, end: str = "\n") -> None:
    """Print with flush. If the reader is gone (such as head), the installation goes on."""
    with contextlib.suppress(BrokenPipeError):
        print(text, end=end, flush=True)


def run_tool(name: str, command: list[str], paths: Paths, total: int = 0) -> None:
    """Run the command with a live progress line for `total` packages. Raises Stop if it fails."""
    lines: list[str] = []
    with subprocess.Popen(
        command,
        cwd=paths.root,
        env=clean_variables(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        close_fds=os.name == "nt",
    ) as process:
        assert process.stdout is not None
        try:
            with Ticker(total) as ticker:
                for line in filter(None, map(str.strip, process.stdout)):
                    lines.append(line)
                    ticker.saw(line)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise failure_of(name, lines, paths)


class Ticker:
    """On a terminal, one line rewritten twice a second; elsewhere a line for every tenth package."""

    def __init__(self, total: int) -> None:
        self.total, self.count, self.text, self.started = total, 0, "", time.monotonic()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._tick, daemon=True) if sys.stdout.isatty() else None

    def __enter__(self) -> Ticker:
        if self.thread:
            self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        if self.thread:
            self.thread.join()
            self._write("")

    def saw(self, line: str) -> None:
        """Process a line of the installer's output; pip writes one starting with one of ONE_PACKAGE per package."""
        if line.startswith("WARNING") or not re.match("[A-Za-z+]", line):
            return
        self.text = re.sub(r" \(from .*", "", line)
        if not self.total:
            return
        package = line.startswith(ONE_PACKAGE)
        self.count += package
        large = line.startswith("Downloading ") and line.endswith("MB)")
        if not self.thread and (large or (package and self.count % 10 == 0)):
            say(f"      {self._counter()}{self.text}")

    def _counter(self) -> str:
        return f"{min(self.count, self.total)}/{self.total}  " if self.count else ""

    def _tick(self) -> None:
        while not self.done.wait(0.5):
            self._write(f"      {time.monotonic() - self.started:2.0f} s  {self._counter()}{self.text}")

    def _write(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        shown = text.encode("ascii", "replace").decode("ascii")[:width]
        say("\r" + shown.ljust(width) + ("" if shown else "\r"), end="")
