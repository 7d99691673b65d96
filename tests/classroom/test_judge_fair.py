"""A time limit counts only where the machine let processes run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from classroom.judge import fair
from classroom.judge.student import JudgeError, check_fair

STOPPED = """
from classroom.judge import fair
since = fair.mark()
print("ready", flush=True)
input()
print(since.seconds)
print(fair.too_busy(since))
"""


def test_the_share_of_a_core_is_what_a_loop_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < fair.share_of_a_core(0.02) <= 1
    wall = iter([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    used = iter([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    monkeypatch.setattr(fair.time, "monotonic", lambda: next(wall))
    monkeypatch.setattr(fair.time, "thread_time", lambda: next(used))
    share = fair.share_of_a_core(10.0, 2.0)
    monkeypatch.undo()
    assert share == pytest.approx(0.1, abs=0.05)


def test_less_than_the_least_share_is_too_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    since = fair.mark()
    monkeypatch.setattr(fair, "share_of_a_core", lambda: 0.14)
    assert "a process gets 14% of a core, expected 15% or more" in fair.too_busy(since)
    with pytest.raises(JudgeError, match="Try again when less runs beside it"):
        check_fair(since)
    monkeypatch.setattr(fair, "share_of_a_core", lambda: 0.15)
    assert fair.too_busy(since) == ""
    check_fair(since)


def test_a_machine_at_rest_loses_no_time() -> None:
    since = fair.mark()
    time.sleep(0.3)
    assert since.seconds == pytest.approx(0.3, abs=0.2)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system stops no processes")
def test_while_the_judge_was_stopped_nobodys_time_ran() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as judge:
        assert judge.stdin is not None
        assert judge.stdout is not None
        assert judge.stdout.readline() == "ready\n"
        os.kill(judge.pid, signal.SIGSTOP)
        time.sleep(2.0)
        os.kill(judge.pid, signal.SIGCONT)
        said, _ = judge.communicate("\n", timeout=60)
    seconds, why = said.splitlines()
    assert float(seconds) < 1.0
    assert "the judge itself stood still for" in why


def test_without_threads_and_their_clocks_no_time_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)  # as in a browser
    monkeypatch.setattr(fair, "_pulse", None)
    monkeypatch.setattr(fair, "GAP", 0.0)
    since = fair.mark()
    time.sleep(2 * fair.TICK)
    assert fair.lost() == since.lost == 0.0
    monkeypatch.delattr(time, "thread_time")
    assert fair.too_busy(since) == ""
