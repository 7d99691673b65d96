"""A plan: the calls of a forward pass for inputs of known shapes, on arrays that were laid out once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from kuiper.fast.arena import plan_arena
from kuiper.fast.branches import Run
from kuiper.fast.kernel import Call, Stage
from kuiper.fast.layout import Layout, Value
from kuiper.fast.nodes import Step
from kuiper.fast.place import Halo, Place, Spec
from kuiper.fast.pool import parallel
from kuiper.fast.simple import copied, detached
from kuiper.fast.workspace import ALIGNMENT, Workspace, aligned
from kuiper.graph import Lifetime, MemoryPlan, Operator


class Plan:
    """A network for inputs of certain shapes.

    Parameters
    ----------
    steps : what is computed, in order.
    specs : what every operand is.
    inputs, returned : operand names of the network's inputs and outputs.
    passing : see Simple; the same dictionary that the steps have.
    lanes : how many threads.
    runs : steps of which some run beside others.

    Attributes
    ----------
    memory : where each value lies; `memory.planned_bytes` is the size of the arena.
    scratch_bytes : what the kernels need besides, while they run.
    stages : the calls of every step.
    runs : see above.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        specs: Mapping[str, Spec],
        inputs: Sequence[str],
        returned: Sequence[str],
        passing: dict[str, Any],
        lanes: int,
        runs: Sequence[Run] = (),
    ) -> None:
        self.steps, self.lanes = list(steps), lanes
        self.runs = list(runs)
        self.specs, self.passing, self._returned = specs, passing, returned
        self._lock = threading.Lock()
        self.layout = Layout(self.steps, specs, inputs, returned)
        for run in runs:
            self.layout.hold(run.start, run.stop)
        roots = self.layout.roots
        self.memory = _memory(roots)
        arena = aligned(self.memory.planned_bytes)
        self._arena = arena
        self._places = self.layout.places({root.name: _cut(arena, self.memory, root) for root in roots})
        self._inputs = [self._places[name] for name in inputs]
        self._input_borders = [call for place in self._inputs for call in zeros(place)]
        space = Workspace(lanes)
        self._bind(space)
        self.scratch_bytes = space.bytes
        self.stages = self._beside(self._bind(space.settled()))

    def run(
        self, inputs: Sequence[np.ndarray], on_operator: Callable[[Operator, float], None] | None = None
    ) -> list[Any]:
        """One pass -> the values of the returned operands, none of which shares memory with the plan.

        `on_operator` is called with the first operator of each of `groups` and the seconds that the group took. Callers
        on several threads take turns. Raises PlanMismatchError, and what a simple layer raises.
        """
        with self._lock, parallel(self.lanes) as run:
            try:
                for place, array in zip(self._inputs, inputs):
                    np.copyto(place.array, array)
                for fill in self._input_borders:
                    fill()
                if on_operator is None:
                    for stages in self.stages:
                        run(stages)
                else:
                    for start, _ in self._together:
                        started = time.perf_counter()
                        run(self.stages[start])
                        on_operator(self.steps[start].operators[0], time.perf_counter() - started)
                return [self._result(name) for name in self._returned]
            finally:
                self.passing.clear()

    @property
    def groups(self) -> list[list[Operator]]:
        """The operators that are computed, and timed, together: those fused into one step, and those side by side."""
        return [[op for step in self.steps[start:stop] for op in step.operators] for start, stop in self._together]

    @cached_property
    def _together(self) -> list[tuple[int, int]]:
        """(first, behind the last) of steps whose calls are those of the first: a run, or one step."""
        ends = {run.start: run.stop for run in self.runs}
        found, start = [], 0
        while start < len(self.steps):
            found.append((start, ends.get(start, start + 1)))
            start = found[-1][1]
        return found

    def _result(self, name: str) -> Any:
        spec = self.specs[name]
        if spec.constant:
            return copied(spec.value)
        if spec.shape is None:
            return detached(self.passing[name], [self._arena.view(np.uint8)])
        return self._places[name].array.copy(order="C")

    def _bind(self, space: Workspace) -> list[list[Stage]]:
        """The stages of every step, each preceded by the zeros of the halos that it writes into first."""
        bound: list[list[Stage]] = []
        surrounded = set(self.layout.inputs)
        beside = {run.start + i: lane for run in self.runs for i, lane in enumerate(run.lanes)}
        for number, step in enumerate(self.steps):
            if number not in beside:
                space.next_kernel()
            room = space.of_lane(beside[number]) if number in beside else space
            stages: list[Stage] = []
            for name in step.outputs if step.outputs else []:
                if name in self.layout.values:
                    stages += self._zeros(self.layout.root(name), surrounded)
            if not _is_view(step, self.layout):
                places = [self._places.get(name, NOWHERE) for name in step.inputs]
                results = [self._places.get(name, NOWHERE) for name in step.outputs]
                stages += step.kernel.bind(places, results, room)
            bound.append([stage for stage in stages if stage])
        return bound

    def _beside(self, bound: list[list[Stage]]) -> list[list[Stage]]:
        """The stages, those of each run put together into one stage of its first step."""
        for run in self.runs:
            together: Stage = [[] for _ in range(max(run.lanes) + 1)]
            for number, lane in enumerate(run.lanes, run.start):
                together[lane] += [call for stage in bound[number] for calls in stage for call in calls]
                bound[number] = []
            bound[run.start] = [busy] if (busy := [lane for lane in together if lane]) else []
        return bound

    def _zeros(self, root: Value, done: set[str]) -> list[Stage]:
        if root.name in done or not any(root.halo):
            return []
        done.add(root.name)
        return [[zeros(self._places[root.name])]]


NOWHERE = Place(np.empty(0))


def _is_view(step: Step, layout: Layout) -> bool:
    """Whether all outputs of a step lie in its first input already."""
    homes = [layout.values[name].home for name in step.outputs if name in layout.values]
    return bool(homes) and all(home is not None and home == step.inputs[0] for home in homes)


def zeros(place: Place) -> list[Call]:
    """The calls that make the border of an image zero."""
    return [] if place.padded is None else [partial(part.fill, 0) for part in borders(place.padded, place.halo)]


def borders(padded: np.ndarray, halo: Halo) -> list[np.ndarray]:
    """The four parts of (N, H, W, C) that are halo; none of them empty."""
    _, height, width, _ = padded.shape
    middle = slice(halo.up, height - halo.bottom)
    parts = [
        padded[:, : halo.up],
        padded[:, height - halo.bottom :],
        padded[:, middle, : halo.left],
        padded[:, middle, width - halo.right :],
    ]
    return [part for part in parts if part.size]


def _memory(roots: Sequence[Value]) -> MemoryPlan:
    """A place in the arena for every root, each beginning at a line of the cache."""
    sizes = {}
    for root in roots:
        assert root.spec.dtype is not None
        size = int(np.prod(root.physical)) * root.spec.dtype.itemsize
        sizes[root.name] = -(-size // ALIGNMENT) * ALIGNMENT
    return plan_arena({root.name: Lifetime(root.first + 1, root.last + 1) for root in roots}, sizes)


def _cut(arena: np.ndarray, memory: MemoryPlan, root: Value) -> np.ndarray:
    dtype = root.spec.dtype
    assert dtype is not None
    start = memory.offsets[root.name]
    size = int(np.prod(root.physical)) * dtype.itemsize
    return arena[start : start + size].view(dtype).reshape(root.physical)
