from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom.watch import changes, signature

HANGS = 300.0
"""Seconds after which something is taken to hang: far more than it takes on a busy machine."""


class Clock:
    """Stands in for time.sleep: at each look the next thing happens to the files."""

    def __init__(self, *events: Any) -> None:
        self.events = list(events)

    def __call__(self, seconds: float) -> None:
        if not self.events:
            raise StopIteration
        event = self.events.pop(0)
        if event is not None:
            event()


def seen(files: list[Path], *events: Any) -> list[list[str]]:
    found: list[list[str]] = []
    try:
        for changed in changes(files, 0, Clock(*events)):
            found.append([path.name for path in changed])
    except RuntimeError:  # the clock has run out, inside a generator
        pass
    return found


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    for path in paths:
        path.write_text("x")
    return paths


def test_a_file_that_is_written_is_noticed_once(files: list[Path]) -> None:
    assert seen(files, None, lambda: files[0].write_text("xy"), None, None, None) == [["a.py"]]


def test_files_at_rest_are_not(files: list[Path]) -> None:
    assert seen(files, None, None, None) == []


def test_a_file_still_being_written_is_left_until_it_is_at_rest(files: list[Path]) -> None:
    writing = [lambda n=n: files[0].write_text("y" * n) for n in (2, 3, 4)]
    assert seen(files, *writing) == []
    assert seen(files, *writing, None) == [["a.py"]]


def test_an_editor_that_replaces_the_file_is_noticed_once(files: list[Path]) -> None:
    def away() -> None:
        files[0].unlink()

    def back() -> None:
        files[0].write_text("new")

    assert seen(files, away, back, None, None) == [["a.py"]]


def test_a_file_that_stays_away_is_noticed(files: list[Path]) -> None:
    assert seen(files, lambda: files[1].unlink(), None, None) == [["b.py"]]


def test_the_time_alone_is_a_change(files: list[Path]) -> None:
    before = signature(files[0])
    os.utime(files[0], ns=(1, 1))
    assert signature(files[0]) != before


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """As under `nohup ... &`: Ctrl-C is ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_watch_checks_when_the_file_is_saved_and_ends_quietly(mini: Any, in_the_background: None) -> None:
    process = mini.start("watch", "--poll", "0.05", "--seconds", "5")
    lines: list[str] = []

    def read() -> None:
        for line in process.stdout:
            lines.append(line)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()

    def wait_for(text: str) -> None:
        until = time.monotonic() + HANGS
        while not any(text in line for line in lines):
            if not reader.is_alive() or time.monotonic() > until:
                raise AssertionError(f"{text!r} is not in {''.join(lines)!r}")
            time.sleep(0.05)

    wait_for("Ctrl-C ends")
    assert any("double (task 1.1): not started" in line for line in lines)
    lines.clear()
    mini.write(double="return 2 * x")
    wait_for("double (task 1.1): public tests passed")
    wait_for("Ctrl-C ends")
    process.send_signal(signal.SIGINT)
    code = process.wait(HANGS)
    assert code == 0
    assert process.stderr.read() == ""
    assert not any("\x1b" in line for line in lines)


def test_without_homework_there_is_nothing_to_watch(mini: Any) -> None:
    mini.file.with_name("public.py").unlink()
    result = mini.run("watch")
    assert result.exit_code == 2
    assert "no homework to watch" in result.output
