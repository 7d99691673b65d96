"""Machine code made by a process of its own: this one goes on meanwhile, and when it ends nothing waits.

Writing IR is Python's work, and would hold up every call of numpy that another thread makes.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from kuiper import pnnx
from kuiper.compiled.code import CodeSource, object_of
from kuiper.compiled.target import Target
from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.plan.planner import Planner
from kuiper.fast.plan.trace import Strides
from kuiper.graph import Graph
from kuiper.runtime import RuntimeGraph, load

START = "import sys; sys.path.insert(0, sys.argv[1]); import kuiper.compiled.worker; kuiper.compiled.worker.main()"
_running: set[subprocess.Popen[bytes]] = set()


class WorkerError(Exception):
    """The process ended without machine code; the message is what it said last."""


def made_elsewhere(
    graph: RuntimeGraph, inputs: Mapping[str, np.ndarray], threads: int, target: Target, strides: Strides = ()
) -> tuple[str, bytes]:
    """(name, object file) of the plan for inputs of these shapes. Raises WorkerError, and OSError without a process.

    strides : as for CompiledPlan.
    """
    with _files(graph) as (param, bin):
        revise = graph.revise if graph.has_files else None  # what is written in its place has been revised
        given = param, bin, revise, dict(inputs), threads, target, strides
        command = [sys.executable, "-c", START, str(Path(__file__).parents[2])]
        hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, creationflags=hidden,
            process_group=0 if os.name == "posix" else None,  # Ctrl-C is meant for the program, such as a chat
        )  # fmt: skip
        _running.add(process)
        try:
            made, said = _exchange(process, given)
        finally:
            _running.discard(process)
    if process.returncode:
        lines = said.decode(errors="replace").split("\n")
        raise WorkerError(next((line for line in reversed(lines) if line.strip()), f"exit {process.returncode}"))
    name, object_file = pickle.loads(made)
    return name, object_file


def _exchange(process: subprocess.Popen[bytes], given: object) -> tuple[bytes, bytes]:
    """Give the process an object, written as it is pickled, without a copy of large arrays -> output, errors."""
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin:  # one that has ended says why
        pickle.dump(given, process.stdin, protocol=5)
    process.stdin = None  # or `communicate` would flush what is closed
    return process.communicate()


@contextmanager
def _files(graph: RuntimeGraph) -> Iterator[tuple[str, str | None]]:
    """The graph's two files; those of a graph that was made in memory are written, and deleted afterwards."""
    if graph.has_files:
        yield str(Path(graph.param).resolve()), str(Path(graph.bin).resolve()) if graph.bin else None
        return
    with tempfile.TemporaryDirectory() as folder:
        param = Path(folder) / "graph.pnnx.param"
        pnnx.write(Graph(graph.operators), param)
        yield str(param), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)  # they are the parent's


@atexit.register
def _stop() -> None:
    for process in list(_running):
        with suppress(OSError):
            process.kill()


def main() -> None:
    """What `made_elsewhere` asks for on standard input goes to standard output."""
    from kuiper.compiled.plan import CompiledPlan  # imports llvmlite

    param, bin, revise, inputs, threads, target, strides = pickle.load(sys.stdin.buffer)
    found: list[tuple[str | None, bytes]] = []

    class Made(CodeSource):
        def __call__(self, name: str | None, write: Any) -> bytes:
            found.append((name, super().__call__(name, write)))
            raise _Finished  # the weights are not packed: nothing is going to run here

    with suppress(_Finished):
        draft = Planner(load(param, bin, engine="simple", revise=revise)).draft(inputs)
        CompiledPlan(draft, threads, _any, Made(target, None, object_of), strides)
    sys.stdout.buffer.write(pickle.dumps(found[0]))


class _Finished(Exception):
    """The machine code is there."""


def _any(step: Step) -> None:
    """Choose an algorithm for a step without machine code: which one makes no difference to the code of the others."""
    step.kernel = step.kernel.candidates()[0]
