from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
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


def test_what_is_saved_before_the_first_change_is_asked_for_is_noticed(files: list[Path]) -> None:
    found = changes(files, 0, Clock(None, None))
    files[0].write_text("saved during the first check")
    assert next(found) == [files[0]]


def test_the_time_alone_is_a_change(files: list[Path]) -> None:
    before = signature(files[0])
    os.utime(files[0], ns=(1, 1))
    assert signature(files[0]) != before


class Watching:
    """`watch` at work in a process of its own."""

    def __init__(self, mini: Any, *arguments: str) -> None:
        self.process = mini.start("watch", *arguments, "--poll", "0.05", "--seconds", "5")
        self.lines: list[str] = []
        self._seen = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        self.lines.extend(self.process.stdout)

    def page(self) -> str:
        """What it prints up to the line that says that it waits again."""
        until = time.monotonic() + HANGS
        while time.monotonic() < until and (self.process.poll() is None or self._reader.is_alive()):
            lines = self.lines[self._seen :]
            ends = [number for number, line in enumerate(lines) if "Ctrl-C ends" in line]
            if ends:
                self._seen += ends[0] + 1
                return "".join(lines[: ends[0] + 1])
            time.sleep(0.05)
        raise AssertionError(f"no page ends in {''.join(self.lines)!r}")

    def end(self) -> int:
        """The exit code after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(HANGS)


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """As under `nohup ... &`: Ctrl-C is ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def watching(mini: Any) -> Iterator[Callable[..., Watching]]:
    if sys.platform == "win32":
        pytest.skip("Ctrl-C is another thing there")
    started: list[Watching] = []

    def start(*arguments: str) -> Watching:
        started.append(Watching(mini, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


@pytest.mark.slow
def test_watch_checks_when_the_file_is_saved_and_ends_quietly(
    mini: Any, in_the_background: None, watching: Callable[..., Watching]
) -> None:
    watch = watching()
    assert "double (task 1.1): not started" in watch.page()
    mini.write(double="return 2 * x")
    assert "double (task 1.1): public tests passed" in watch.page()
    assert watch.end() == 0
    assert watch.process.stderr.read() == ""
    assert not any("\x1b" in line for line in watch.lines)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("double",)])
def test_watch_goes_on_with_the_next_exercise_when_one_passes(
    mini: Any, watching: Callable[..., Watching], arguments: tuple[str, ...]
) -> None:
    watch = watching(*arguments)
    assert "watching double" in watch.page()
    mini.write(double="return x")
    page = watch.page()
    assert "watching double" in page
    assert "Next" not in page
    mini.write(double="return 2 * x")
    page = watch.page()
    assert "Next: turn" in page
    assert "watching turn" in page
    mini.write(double="return 2 * x", turn="return x")
    assert "turn (task 1.2): not right yet" in watch.page()


@pytest.mark.slow
def test_watch_goes_on_into_the_next_lesson_s_file(mini: Any, watching: Callable[..., Watching]) -> None:
    mini.add_lesson("triple", "return x")
    watch = watching("double", "turn")
    watch.page()
    mini.write(double="return 2 * x", turn="return x[::-1]")
    page = watch.page()
    assert "Next: triple" in page
    assert "watching triple" in page
    other = mini.root / "homework" / "03_more" / "hw03.py"
    other.write_text("def triple(x):\n    return x + 1\n")
    assert "triple (task 3.1): not right yet" in watch.page()
    other.write_text("def triple(x):\n    return 3 * x\n")
    assert "triple (task 3.1): public tests passed" in watch.page()


@pytest.mark.slow
def test_watch_follows_to_the_file_that_is_edited_unless_one_was_named(
    mini: Any, watching: Callable[..., Watching]
) -> None:
    mini.add_lesson("triple", "return x")
    free, bound = watching(), watching("double")
    free.page(), bound.page()
    other = mini.root / "homework" / "03_more" / "hw03.py"
    other.write_text("def triple(x):\n    return x + 1\n")
    page = free.page()
    assert "triple (task 3.1): not right yet" in page
    assert "watching triple" in page
    mini.write(double="return x")
    page = bound.page()
    assert "triple" not in page
    assert "double (task 1.1): not right yet" in page


@pytest.mark.slow
def test_watch_tells_a_syntax_error_once(mini: Any, watching: Callable[..., Watching]) -> None:
    watch = watching()
    watch.page()
    mini.write(double="return (x")
    page = watch.page()
    assert page.count("was never closed") == 1
    assert page.count("cannot be checked") == 1


def test_without_homework_there_is_nothing_to_watch(mini: Any) -> None:
    mini.file.with_name("public.py").unlink()
    result = mini.run("watch")
    assert result.exit_code == 2
    assert "no homework to watch" in result.output
