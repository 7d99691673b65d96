"""One run: sub-graphs start, on threads, once all their inputs are there; values are released after their last reader.

The caller's thread keeps track of what is ready, what lies where, and who still reads it. A worker, which is the caller
itself where only one sub-graph can run, computes one sub-graph and copies its outputs to where they are read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from kuiper.partition.errors import BackendError, SubGraphError
from kuiper.partition.execution.memory import DeviceArray, Memory, bytes_of
from kuiper.partition.execution.tasks import Task, Tasks, title
from kuiper.partition.scheduler import Countdown
from kuiper.partition.subgraph import Partition

Place = tuple[int, str]
"""A tensor, and the name of the device in whose memory it lies."""


@dataclass(frozen=True)
class Transfer:
    """A tensor (by id) copied from one device's memory to another's, by names, and its bytes as they cross."""

    tensor: int
    source: str
    target: str
    bytes: int


@dataclass(frozen=True)
class Stats:
    """One run.

    Parameters
    ----------
    order : sub-graphs in the order in which they were started.
    times : sub-graph -> seconds from the start of the run at which it started and ended, its copies included.
    copies : every transfer from device to device. The network's inputs and constants are at hand on all devices.
    casts : how many tensors changed their type on the way into or out of a device that casts.
    peak_bytes : most bytes in all memories at a time, as far as the executor holds them.
    left_bytes : bytes that it still held at the end: 0, unless something is wrong.
    """

    order: Sequence[int] = ()
    times: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    copies: Sequence[Transfer] = ()
    casts: int = 0
    peak_bytes: int = 0
    left_bytes: int = 0

    @property
    def transfers(self) -> int:
        """How many copies from device to device."""
        return len(self.copies)

    @property
    def bytes(self) -> int:
        """Bytes of these copies."""
        return sum(copy.bytes for copy in self.copies)

    @property
    def concurrency(self) -> int:
        """Most sub-graphs at work at the same time.

        >>> Stats(times={0: (0.0, 2.0), 1: (1.0, 3.0), 2: (3.0, 4.0)}).concurrency
        2
        """
        starts = [(start, 1) for start, _ in self.times.values()]
        events = sorted(starts + [(end, -1) for _, end in self.times.values()])
        most = now = 0
        for _, step in events:
            now += step
            most = max(most, now)
        return most

    @property
    def seconds(self) -> float:
        """How long the sub-graphs took, from the first start to the last end."""
        return max((end for _, end in self.times.values()), default=0.0) - min(
            (start for start, _ in self.times.values()), default=0.0
        )


@dataclass
class Finished:
    """What a worker returns for one sub-graph: the arrays by place, results for the caller, and what it did."""

    arrays: dict[Place, DeviceArray] = field(default_factory=dict)
    results: dict[int, Any] = field(default_factory=dict)
    copies: list[Transfer] = field(default_factory=list)
    casts: int = 0
    times: tuple[float, float] = (0.0, 0.0)


class Pass:
    """One pass of a partition through its tasks.

    Parameters
    ----------
    partition, tasks : what runs.
    given : tensor -> the caller's array, for the network's inputs.
    wanted : tensors that the caller gets.
    """

    def __init__(self, partition: Partition, tasks: Tasks, given: Mapping[int, Any], wanted: frozenset[int]) -> None:
        self.partition, self.tasks, self.wanted = partition, tasks, wanted
        self.results: dict[int, Any] = {}
        self._store: dict[Place, DeviceArray] = {}
        self._sizes: dict[Place, int] = {}
        self._bytes = self._peak = 0
        self._countdown = Countdown(tasks.readers, (task.waits for task in tasks.tasks))
        self._readers_left: dict[Place, int] = {}
        for tensor, readers in tasks.readers.items():
            for i in readers:
                place = tensor, tasks.tasks[i].memory.device.name
                self._readers_left[place] = self._readers_left.get(place, 0) + 1
        self._order: list[int] = []
        self._times: dict[int, tuple[float, float]] = {}
        self._copies: list[Transfer] = []
        self._casts = 0
        for tensor, value in given.items():
            for memory in tasks.memories_of(tensor):
                self._keep((tensor, memory.device.name), memory.put(value))
                self._casts += _is_cast(memory, tasks, tensor)
        self._begin = time.perf_counter()

    def through(self, pool: ThreadPoolExecutor) -> None:
        """Run everything, each sub-graph as soon as it is ready.

        Raises SubGraphError for the first sub-graph that fails, after those still running have ended.
        """
        running: dict[Future[Finished], int] = {}
        ready = self._countdown.ready
        try:
            while ready or running:
                if len(ready) == 1 and not running:  # nothing else runs: another thread would only cost time
                    ready = self._finish(ready[0], self._job(ready[0]))
                    continue
                for i in ready:
                    running[pool.submit(self._job(i))] = i
                done = [(running[future], future) for future in wait(running, return_when=FIRST_COMPLETED).done]
                ready = []
                for i, future in sorted(done, key=lambda pair: pair[0]):
                    del running[future]
                    ready += self._finish(i, future.result)
        except BaseException:
            for future in running:
                future.cancel()
            wait(running)
            raise

    @property
    def stats(self) -> Stats:
        """What has happened so far."""
        return Stats(self._order, self._times, self._copies, self._casts, self._peak, self._bytes)

    def _job(self, i: int) -> Callable[[], Finished]:
        """What a worker does for a sub-graph, with the arrays that it reads."""
        task = self.tasks.tasks[i]
        self._order.append(i)
        arrays = [self._store[tensor, task.memory.device.name] for tensor in task.inputs]
        return partial(self._work, task, arrays)

    def _finish(self, i: int, result: Callable[[], Finished]) -> list[int]:
        """Store what a sub-graph made, release what it was the last to read -> the sub-graphs that can run now."""
        task = self.tasks.tasks[i]
        try:
            found = result()
        except Exception as error:
            text = str(error) or type(error).__name__
            raise SubGraphError(f"{title(task.part, self.partition)} failed: {text}", i) from error
        for place, array in found.arrays.items():
            self._keep(place, array)
        for tensor in task.inputs:
            self._release((tensor, task.memory.device.name))
        self.results |= found.results
        self._copies += found.copies
        self._casts += found.casts
        start, end = found.times
        self._times[i] = start - self._begin, end - self._begin
        return self._countdown.handed_over(task.outputs)

    def _keep(self, place: Place, array: DeviceArray) -> None:
        self._store[place] = array
        self._sizes[place] = array.nbytes
        self._bytes += self._sizes[place]
        self._peak = max(self._peak, self._bytes)

    def _release(self, place: Place) -> None:
        self._readers_left[place] -= 1
        if self._readers_left[place] == 0:
            del self._store[place]
            self._bytes -= self._sizes.pop(place)

    def _work(self, task: Task, arrays: Sequence[DeviceArray]) -> Finished:
        """On a worker: compute one sub-graph, and copy what it made to where it is read."""
        found = Finished()
        started = time.perf_counter()
        if task.program is not None:
            made = task.program([task.memory.open(array) for array in arrays])
            if len(made) != len(task.outputs):
                raise BackendError(f"expected {len(task.outputs)} output(s) of its back end, found {len(made)}")
            for tensor, value in zip(task.outputs, made):
                self._hand_over(task, tensor, task.memory.hold(value), found)
        found.times = started, time.perf_counter()
        return found

    def _hand_over(self, task: Task, tensor: int, array: DeviceArray, found: Finished) -> None:
        targets = self.tasks.memories_of(tensor)
        own = task.memory.device.name
        if task.memory in targets:
            found.arrays[tensor, own] = array
        elsewhere = [memory for memory in targets if memory is not task.memory]
        if not elsewhere and tensor not in self.wanted:
            return
        value = task.memory.get(array, self.tasks.dtypes.get(tensor))
        found.casts += _is_cast(task.memory, self.tasks, tensor)
        for memory in elsewhere:
            found.arrays[tensor, memory.device.name] = memory.put(value)
            found.casts += _is_cast(memory, self.tasks, tensor)
            found.copies.append(Transfer(tensor, own, memory.device.name, bytes_of(value)))
        if tensor in self.wanted:
            found.results[tensor] = value


def _is_cast(memory: Memory, tasks: Tasks, tensor: int) -> bool:
    """Whether a tensor changes its type on the way into or out of a memory."""
    own, dtype = memory.device.casts_to, tasks.dtypes.get(tensor)
    return own is not None and dtype is not None and dtype.kind == "f" and dtype != own
