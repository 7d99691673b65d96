"""What a submission prints reaches whoever listens, in part, and stops nobody."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classroom.judge import Failure, Session, Student, SubmissionError, Test, expect
from classroom.judge import printed as module
from classroom.judge.printed import KEPT_BYTES, Listener, Printed

Load = Callable[[str], Student]


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as one:
        yield one


@pytest.fixture
def load(tmp_path: Path, listener: Listener) -> Iterator[Load]:
    loaded: list[Student] = []

    def start(source: str) -> Student:
        path = tmp_path / "hw.py"
        path.write_text(source, encoding="utf-8")
        loaded.append(Student(path, 5, listener=listener))
        return loaded[-1]

    yield start
    for student in loaded:
        student.close()


def test_each_call_has_its_own_prints(load: Load, listener: Listener) -> None:
    student = load("print('imported', end='')\ndef f(x):\n    print('x is', x)\n    return x\ndef g(): pass\n")
    student.f(1), student.g(), student.f(2)
    assert [printed.first for printed in listener.heard] == ["imported", "x is 1\n", "", "x is 2\n"]


def test_standard_error_and_the_descriptors_are_heard_too(load: Load, listener: Listener) -> None:
    source = "import os, sys\ndef f():\n    sys.stderr.write('a\\n')\n    os.write(1, b'b')\n    os.write(2, b'c')\n"
    load(source).f()
    assert listener.heard[-1] == Printed("a\nbc")


ENDS = {
    "an exception": "1 / 0",
    "the process's end": "os._exit(3)",
    "an endless loop": "while True: pass",
}


@pytest.mark.parametrize("kind", ENDS)
def test_what_was_printed_before_the_end_is_heard(load: Load, listener: Listener, kind: str) -> None:
    student = load(f"import os\ndef f():\n    print('here')\n    {ENDS[kind]}\n")
    student._seconds = 1.0
    with pytest.raises(SubmissionError):
        student.f()
    assert listener.heard[-1] == Printed("here\n")


def test_of_much_the_beginning_and_the_end_are_kept_in_whole_lines(load: Load, listener: Listener) -> None:
    load("def f():\n    for i in range(100_000): print('line', i)\n").f()
    said = listener.heard[-1]
    first, last = said.first.split("\n"), said.last.splitlines()
    assert len(said.first) + len(said.last) <= 2 * KEPT_BYTES
    assert (first[0], last[-1]) == ("line 0", "line 99999")
    assert all(line.startswith("line ") for line in [*first, *last])
    assert len(first) + said.lost + len(last) == 100_000


def test_one_long_line_is_kept_in_part(load: Load, listener: Listener) -> None:
    load("def f(): print('x' * 10_000_000)\n").f()
    assert listener.heard[-1].first == "x" * KEPT_BYTES


def test_prints_cannot_drive_the_terminal(load: Load, listener: Listener) -> None:
    load("def f(): print('\\x1b[2J', '\\x07', b'\\xff'.decode('latin-1'), 'ü→')\n").f()
    assert listener.heard[-1].first == "?[2J ? ÿ ü→\n"


def test_bytes_that_are_no_text_are_heard_as_what_they_are_not(load: Load, listener: Listener) -> None:
    load("import os\ndef f(): os.write(1, b'a\\xffb')\n").f()
    assert listener.heard[-1].first == "a\ufffdb"


THREAD = "import threading\n    threading.Thread(target={}, daemon=True).start()"
MEDDLING = {
    "closes its streams": "os.closerange(1, 3)",
    "does not wait for the pipe": (
        "os.set_blocking(2, False)\n    try: os.write(2, b'x' * 10**6)\n    except OSError: pass"
    ),
    "reads the pipe": THREAD.format("open('/proc/self/fd/2', 'rb').read"),
    "prints for ever beside its work": THREAD.format("lambda: [print('y') for _ in iter(int, 1)]"),
    "leaves a process that prints for ever": "subprocess.Popen(['timeout', '20', 'yes'], start_new_session=True)",
    "leaves a process that sleeps": "subprocess.Popen(['sleep', '20'], start_new_session=True)",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="tricks of Linux")
@pytest.mark.parametrize("kind", MEDDLING)
def test_who_meddles_with_the_pipe_changes_no_answer_and_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(module, "MARK_SECONDS", 0.3)
    path = tmp_path / "hw.py"
    path.write_text(f"import os, subprocess\ndef f(x):\n    {MEDDLING[kind]}\n    return x\n")
    with Listener() as listener, Student(path, 5, listener=listener) as student:
        for x in range(5):
            assert student.f(x) == x


@pytest.mark.skipif(sys.platform == "win32", reason="counts in /dev/fd")
def test_nothing_is_left_open(tmp_path: Path) -> None:
    path = tmp_path / "hw.py"
    path.write_text("def f(): print('x')\n")

    def descriptors() -> int:
        return len(os.listdir("/dev/fd"))

    before = descriptors()
    for _ in range(3):
        with Listener() as listener, Student(path, 5, listener=listener) as student:
            student.f()
    assert descriptors() <= before


def test_a_test_has_the_prints_of_its_own_calls(tmp_path: Path, listener: Listener) -> None:
    path = tmp_path / "hw.py"
    path.write_text("print('imported')\ndef f(x):\n    print(x)\n    return x\n")

    def judged(student: Any, rng: np.random.Generator) -> None:
        for x in range(2):
            student.f(x)

    test = Test("f", "judged", "It holds.", judged, True)
    with Session(path, listener=listener) as session:
        first, second = session.run(test, 0), session.run(test, 0)
    assert [one.first for one in first.printed] == ["imported\n", "0\n", "1\n"]
    assert [one.first for one in second.printed] == ["0\n", "1\n"]
    with Session(path) as session:
        assert session.run(test, 0).printed == ()


@pytest.mark.parametrize("kind", ["wrong", "raises"])
def test_the_call_that_failed_is_told_and_not_those_that_looked_for_its_cause(
    tmp_path: Path, listener: Listener, kind: str
) -> None:
    path = tmp_path / "hw.py"
    raises = "    if x == 1: raise KeyError(x)\n    if x == 3: raise IndexError(x)\n" * (kind == "raises")
    path.write_text(f"def f(x):\n    print(x)\n{raises}    return x\n")

    def judged(student: Any) -> None:
        for x in (0, 1):
            try:
                expect(student.f(x), 0)
            except (Failure, SubmissionError):
                student.f(2)
                with contextlib.suppress(Failure, SubmissionError):
                    expect(student.f(3), 0)
                raise

    with Session(path, listener=listener) as session:
        outcome = session.run(Test("f", "judged", "It holds.", judged, True), 0)
    assert outcome.call == ("f", (1,), {})
    assert [one.first for one in outcome.printed] == ["", "0\n", "1\n"]
    assert (outcome.error.got if isinstance(outcome.error, Failure) else outcome.error.type) == (
        "KeyError" if kind == "raises" else 1
    )


def test_another_error_that_is_raised_instead_is_told_with_its_own_call(tmp_path: Path) -> None:
    path = tmp_path / "hw.py"
    path.write_text("def f(x): return x\ndef part(x): return x\n")

    def judged(student: Any) -> None:
        try:
            expect(student.f(1), 0)
        except Failure:
            expect(student.part(2), 0)
            raise

    with Session(path) as session:
        outcome = session.run(Test("f", "judged", "It holds.", judged, True), 0)
    assert outcome.call == ("part", (2,), {})


def test_calls_aside_are_not_heard_unless_they_raise(load: Load, listener: Listener) -> None:
    student = load("def f(x): print(x); return 1 // x")
    student.f(1)
    with student.aside():
        student.f(2)
    assert student._last == ("f", (1,), {})
    assert [printed.first for printed in listener.heard] == ["", "1\n"]
    with pytest.raises(SubmissionError), student.aside():
        student.f(0)
    assert student._last == ("f", (0,), {})
    assert listener.heard[-1].first == "0\n"
