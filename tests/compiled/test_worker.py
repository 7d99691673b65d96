"""Machine code made by another process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

import kuiper
from kuiper.compiled.code import CodeSource
from kuiper.compiled.plan import CompiledPlan
from kuiper.compiled.target import host
from kuiper.compiled.worker import WorkerError, made_elsewhere
from kuiper.fast.plan.planner import Planner

TARGET = host()
pytestmark = pytest.mark.skipif(TARGET is None, reason="this processor's vectors are not known to the compiler")
DIGITS = Path(kuiper.__file__).parents[1] / "models" / "digits" / "digits.pnnx.param"
X = np.random.default_rng(0).random((2, 1, 8, 8), np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_it_makes_what_would_be_made_here_under_the_same_name(threads: int) -> None:
    assert TARGET is not None
    graph = kuiper.load(DIGITS, engine="simple")
    inputs = {graph.inputs[0].name: X}
    name, object_file = made_elsewhere(graph, inputs, threads, TARGET)
    source = CodeSource(TARGET, None, make=None)
    source.keep(name, object_file)
    planner = Planner(graph, threads)
    plan = CompiledPlan.of(planner, planner.draft(inputs), source)
    np.testing.assert_allclose(plan.run([X])[0], graph(X)[0], rtol=1e-4, atol=1e-5)


def test_what_goes_wrong_there_is_said_here(tmp_path: Path) -> None:
    assert TARGET is not None
    graph = kuiper.load(DIGITS, engine="simple")
    graph.param = tmp_path / "gone.pnnx.param"
    with pytest.raises(WorkerError, match="gone"):
        made_elsewhere(graph, {graph.inputs[0].name: X}, 1, TARGET)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C goes to groups of processes on Linux and macOS")
def test_ctrl_c_in_the_programs_terminal_does_not_end_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert TARGET is not None
    groups = []

    class Watched(subprocess.Popen):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[call-overload]
            groups.append(os.getpgid(self.pid))

    monkeypatch.setattr(subprocess, "Popen", Watched)
    graph = kuiper.load(DIGITS, engine="simple")
    graph.param = tmp_path / "gone.pnnx.param"
    with pytest.raises(WorkerError):
        made_elsewhere(graph, {graph.inputs[0].name: X}, 1, TARGET)
    assert len(groups) == 1
    assert groups[0] != os.getpgrp()


PROGRAM = """
import sys, threading, time
import numpy as np
import kuiper
from kuiper.compiled import worker
graph = kuiper.load(sys.argv[1])
x = np.zeros((1, 1, 8, 8), np.float32)
graph(x), graph(x)
while not worker._running:
    time.sleep(0.001)
print(next(iter(worker._running)).pid)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="asks Linux and macOS about a process")
def test_a_program_that_ends_takes_the_process_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUIPER_CACHE", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(DIGITS)], capture_output=True, text=True, timeout=120, check=True
    )
    number = done.stdout.split()[-1]
    assert done.stderr == ""
    state = subprocess.run(["ps", "-p", number, "-o", "stat="], capture_output=True, text=True).stdout.strip()
    assert state[:1] in ("", "Z")  # gone, or waiting to be counted
