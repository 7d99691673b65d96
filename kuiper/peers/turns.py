"""Frameworks measured in turns: kuiper, a peer, kuiper, the next peer, ... each in a process of its own.

What disturbs the machine disturbs them all alike, and a process of its own keeps one framework's threads, thread
limits and memory from another. Only one process computes at any time; the others wait for their turn.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from kuiper.errors import KuiperError
from kuiper.peers.agreement import Difference, largest_difference
from kuiper.peers.runners import PeerError, Workload, open_runner
from kuiper.profile import Times

TURN_SECONDS, MOST_PASSES = 0.05, 10
"""A turn lasts about that long, and has at most so many measured passes."""
SPINNING_SECONDS, LOOK_SECONDS = 1.0, 0.005
"""How long a process may go on computing after its turn, and how often we look. ONNX Runtime's threads spin for some
60 ms after a pass, which would slow whoever has the next turn."""
QUIET_LOOKS = 3
"""So many looks in a row find nothing computing: on a busy machine a thread that computes may wait during one."""
PATIENCE = 600.0
"""Seconds after which a process that does not answer is given up."""


@dataclass
class Measured:
    """One framework's times, one per turn (the median of that turn's passes); `fault` says why there are none.

    `ratios` are kuiper's time divided by this one's, turn by turn: below 1, kuiper is faster.
    """

    name: str
    about: str = ""
    seconds: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    difference: Difference | None = None
    fault: str = ""

    @property
    def times(self) -> Times:
        """The rounds' times with their median and quartiles."""
        return Times(self.seconds)


def measure(
    workload: Workload,
    peers: Sequence[str] = (),
    *,
    rounds: int = 20,
    tolerance: float = 1e-3,
    on_turn: Callable[[], None] = lambda: None,
) -> list[Measured]:
    """Times of kuiper and then of each peer, measured in turns; kuiper has one before each turn of a peer.

    Everyone first computes the outputs once. A peer whose outputs differ from kuiper's by more than `tolerance` (as a
    share of the largest value), that is not installed, or that cannot take the network, has a `fault` and no times.
    `on_turn` is called after each turn. Raises PeerError where kuiper itself fails.
    """
    with _environment(workload.threads):
        ours = _Process("kuiper", workload)
        processes = [ours]
        try:
            if ours.result.fault:
                raise PeerError(ours.result.fault)
            for name in peers:
                processes.append(_Process(name, workload))
                processes[-1].compare(ours.outputs, tolerance)
            rivals = [process for process in processes[1:] if not process.result.fault]
            for _ in range(rounds):
                for rival in rivals or [ours]:
                    mine = ours.turn()
                    on_turn()
                    if rival is not ours:
                        rival.turn_after(mine)
                        on_turn()
            return [process.result for process in processes]
        finally:
            for process in processes:
                process.close()


class _Process:
    """One framework in a process of its own."""

    def __init__(self, name: str, workload: Workload) -> None:
        context = multiprocessing.get_context("spawn")
        self.result = Measured(name)
        self.outputs: list[np.ndarray] = []
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, name, workload), daemon=True)
        self.process.start()
        theirs.close()
        answer = self._answer()
        self.result.about, self.outputs = answer.get("about", ""), answer.get("outputs", [])

    def _answer(self) -> dict[str, Any]:
        try:
            if not self.connection.poll(PATIENCE):
                raise PeerError(f"no answer for {PATIENCE:.0f} seconds")
            answer: dict[str, Any] = self.connection.recv()
        except (EOFError, OSError):
            self.process.join(5)
            answer = {"fault": f"its process ended (exit code {self.process.exitcode})"}
        except PeerError as error:
            answer = {"fault": str(error)}
        self.result.fault = answer.get("fault", "")
        return answer

    def compare(self, outputs: Sequence[np.ndarray], tolerance: float) -> None:
        """Note the difference from kuiper's outputs, as a fault where it is too large."""
        if self.result.fault:
            return
        self.result.difference = largest_difference(outputs, self.outputs)
        self.result.fault = self.result.difference.complaint(tolerance)
        self.outputs = []

    def turn(self) -> float:
        """One pass that does not count, then a few that do: the median of those, in seconds. Raises PeerError."""
        with suppress(OSError):  # a process that has ended is told of by its answer
            self.connection.send(True)
        answer = self._answer()
        if self.result.fault:
            raise PeerError(self.result.fault)
        self.result.seconds.append(Times(answer["seconds"]).median)
        return self.result.seconds[-1]

    def turn_after(self, mine: float) -> None:
        """A turn, compared with kuiper's just before it; none where an earlier one has failed."""
        if not self.result.fault:
            with suppress(PeerError):
                self.result.ratios.append(mine / self.turn())

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(connection: Connection, name: str, workload: Workload) -> None:
    """What the process does: make the framework ready, compute once, then a turn for each message until none comes."""
    try:
        runner = open_runner(name, workload)
        for _ in range(2):  # kuiper makes its plan at the second pass; others warm up, too
            runner.run()
        outputs = [np.array(y) for y in runner.arrays(runner.run())]
        until_idle()
        connection.send({"about": runner.about, "outputs": outputs})
        while True:
            connection.recv()
            started = time.perf_counter()
            runner.run()
            passes = math.ceil(TURN_SECONDS / max(time.perf_counter() - started, 1e-6))
            seconds = [_timed(runner.run) for _ in range(min(passes, MOST_PASSES))]
            until_idle()
            connection.send({"seconds": seconds})
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return
    except KuiperError as error:
        connection.send({"fault": str(error)})
    except Exception as error:
        connection.send({"fault": f"fails: {error}"})


def until_idle(most: float = SPINNING_SECONDS) -> bool:
    """Wait until no thread of this process computes any more -> whether that came about within so many seconds."""
    end = time.monotonic() + most
    quiet = 0
    while time.monotonic() < end:
        used = time.process_time()
        time.sleep(LOOK_SECONDS)
        quiet = quiet + 1 if time.process_time() - used < LOOK_SECONDS / 10 else 0
        if quiet == QUIET_LOOKS:
            return True
    return False


def _timed(run: Callable[[], Any]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


@contextmanager
def _environment(threads: int) -> Iterator[None]:
    """The variables by which numerical libraries learn of their threads, for processes started meanwhile."""
    wanted: Mapping[str, str] = {
        f"{library}_NUM_THREADS": str(threads) for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB")
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
