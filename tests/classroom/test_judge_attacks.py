"""Submissions that want marks for nothing, or to stop the judge: each gains nothing and costs its time limit."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classroom.judge import Failure, Session, Student, SubmissionError, Test, expect, expect_raises
from classroom.judge.printed import Listener

SECONDS = 1.0
EXPECTED = np.arange(6.0)

SKIPPED = {"win32": ("[posix]", "[limits]"), "darwin": ("[limits]",)}.get(sys.platform, ())


def scripts() -> dict[str, str]:
    """The submissions of attacks.txt, by name."""
    text = (Path(__file__).parents[1] / "data" / "attacks.txt").read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in text.split("\n=== ")[1:]]
    return {name: source for name, _, source in parts if not name.endswith(SKIPPED)}


SCRIPTS = scripts()
QUICK = ("os._exit", "sys.exit", "endless loop", "recursion", "exit at import", "None")


def judged(student: Any, rng: np.random.Generator) -> None:
    """The one test of this file."""
    expect(student.f(np.arange(6.0)), EXPECTED, rtol=1e-3)


def refused(student: Any, rng: np.random.Generator) -> None:
    """The test of an exception."""
    expect_raises(student.f, np.arange(6.0))


def scored(student: Student) -> str:
    """It says how good the answer is."""
    return f"{student.f(7.0):g} of 10"


def test_a_test_that_passes_may_say_how_good_the_answer_is(tmp_path: Path) -> None:
    test = Test("f", "scored", "It holds.", scored, True)
    with Session(write(tmp_path, "def f(x):\n    return x\n")) as session:
        assert session.run(test, 0).score == "7 of 10"


def write(folder: Path, source: str) -> Path:
    path = folder / "hw.py"
    path.write_text(source, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "heard", [pytest.param(False, id="unheard"), pytest.param(True, id="heard", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "script", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in SCRIPTS]
)
def test_it_gains_nothing_and_ends_in_time(tmp_path: Path, script: str, heard: bool) -> None:
    test = Test("f", "judged", "It holds.", judged, True)
    with (
        Listener() if heard else nullcontext() as listener,
        Session(write(tmp_path, SCRIPTS[script]), seconds=SECONDS, listener=listener) as session,
    ):
        started = time.monotonic()
        outcome = session.run(test, 0)
        elapsed = time.monotonic() - started
        assert not outcome.passed
        assert isinstance(outcome.error, (Failure, SubmissionError))
        assert outcome.error.message == "" or outcome.error.message.isprintable() or "\n" in outcome.error.message
        assert len(outcome.error.message) < 3000
        # starting Python and waiting for the end come on top of loading and one call
        assert elapsed < 2 * SECONDS + 120


@pytest.mark.slow
@pytest.mark.parametrize("script", QUICK)
def test_it_is_no_refusal_of_bad_input_either(tmp_path: Path, script: str) -> None:
    test = Test("f", "refused", "It raises.", refused, True)
    with Session(write(tmp_path, SCRIPTS[script]), seconds=SECONDS) as session:
        assert not session.run(test, 0).passed


def test_megabytes_of_output_stop_nobody(tmp_path: Path) -> None:
    source = """
import os, sys
print("x" * 10 ** 7)
def f(x):
    print("y" * 10 ** 7)
    sys.stderr.write("z" * 10 ** 7)
    os.write(1, b"v" * 10 ** 7)
    os.write(2, b"w" * 10 ** 7)
    return x
"""
    with Student(write(tmp_path, source), 10) as student:
        assert student.f(3) == 3


def test_answers_that_are_printed_are_no_answers(tmp_path: Path) -> None:
    """A frame that is right, on every way out but the judge's own."""
    source = (
        "import sys\n"
        "codec = sys.modules['__main__'].codec\n"
        "import numpy as np, os\n"
        "FRAME = codec.encode({'return': np.arange(6.0)})\n"
        "def f(x):\n"
        "    for descriptor in (1, 2): os.write(descriptor, FRAME)\n"
        "    print({'return': x}, flush=True)\n"
        "    return x * 2\n"
    )
    test = Test("f", "judged", "It holds.", judged, True)
    with Listener() as listener, Session(write(tmp_path, source), seconds=SECONDS, listener=listener) as session:
        outcome = session.run(test, 0)
    assert isinstance(outcome.error, Failure)
    assert "{'return': array(" in outcome.printed[-1].first


def test_reading_standard_input_finds_nothing(tmp_path: Path) -> None:
    with Student(write(tmp_path, "import sys\ndef f(): return sys.stdin.read()"), 5) as student:
        assert student.f() == ""


def test_a_large_argument_to_a_worker_that_does_not_listen_costs_the_time_limit(tmp_path: Path) -> None:
    source = (
        "import sys, time\nm = sys.modules['__main__']\nm.codec.read = lambda s: time.sleep(1000)\ndef f(x): return 0"
    )
    with Student(write(tmp_path, source), SECONDS) as student:
        x = np.zeros(4_000_000)
        student.f(1)  # this one was being waited for when the worker still listened
        with pytest.raises(SubmissionError) as caught:
            student.f(x)
        assert caught.value.kind == "timeout"


def test_a_callback_called_for_ever_costs_the_time_limit(tmp_path: Path) -> None:
    with (
        Student(write(tmp_path, "def f(g):\n    while True: g(1)"), SECONDS) as student,
        pytest.raises(SubmissionError) as caught,
    ):
        student.f(lambda x: x)
    assert caught.value.kind == "timeout"


def test_a_callback_called_with_nonsense_is_the_submission_s_own_trouble(tmp_path: Path) -> None:
    source = "def f(g):\n    try: g(object())\n    except Exception as e: return type(e).__name__"
    with Student(write(tmp_path, source), 5) as student:
        assert student.f(lambda x: x) == "TypeError"
    with Student(write(tmp_path, "def f(g): return g(1, 2, 3)"), 5) as student:
        with pytest.raises(SubmissionError, match="takes 1 positional") as caught:
            student.f(lambda x: x)
        assert caught.value.kind == "raise"


def test_messages_cannot_drive_the_terminal(tmp_path: Path) -> None:
    with (
        Student(
            write(tmp_path, "def f(): raise type('E\\x1b[2J', (Exception,), {})('\\x1b]0;passed\\x07')"), 5
        ) as student,
        pytest.raises(SubmissionError) as caught,
    ):
        student.f()
    assert "\x1b" not in caught.value.message + caught.value.type
    assert "\x07" not in caught.value.message


@pytest.mark.parametrize("bases", [{"ValueError": 1}, "ValueError", [["ValueError"], 1, None], ("ValueError",), 7])
def test_bases_of_an_exception_are_names_or_nothing(tmp_path: Path, bases: object) -> None:
    source = f"""
import sys
worker = sys.modules["__main__"]
worker.described = lambda *_: {{"raise": "E", "bases": {bases!r}, "message": "", "line": None, "name": ""}}
def f(): raise KeyError
"""
    with Student(write(tmp_path, source), 5) as student, pytest.raises(SubmissionError) as caught:
        student.f()
    assert caught.value.type == "E"
    assert not caught.value.is_a("ValueError")


def test_many_and_strange_bases_stay_few_and_printable(tmp_path: Path) -> None:
    source = """
kind = Exception
for i in range(300):
    kind = type(f'E{i}\x1b[2J' + 'x' * 1000, (kind,), {})
def f(): raise kind
"""
    with Student(write(tmp_path, source), 5) as student, pytest.raises(SubmissionError) as caught:
        student.f()
    assert 0 < len(caught.value.bases) <= 20
    assert all(len(name) <= 80 and "\x1b" not in name for name in caught.value.bases)


@pytest.mark.slow
def test_one_submission_s_end_leaves_the_next_one_s_result(tmp_path: Path) -> None:
    test = Test("f", "judged", "It holds.", judged, True)
    for script in ("os._exit", "garbage on every descriptor", "endless loop"):
        with Session(write(tmp_path, SCRIPTS[script]), seconds=SECONDS) as session:
            assert not session.run(test, 0).passed
        with Session(write(tmp_path, "def f(x): return x")) as session:
            assert session.run(test, 0).passed
