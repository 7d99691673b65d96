"""A plan: the calls of a forward pass for inputs of known shapes, bound to one arena."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Halo, Spec
from kuiper.fast.kernels.base.calls import Call, Stage
from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.plan.arena import plan_arena
from kuiper.fast.plan.branches import ParallelStretch
from kuiper.fast.plan.fallback import Fallback
from kuiper.fast.plan.layout import MemoryLayout, StoredValue
from kuiper.fast.threads import parallel
from kuiper.graph import Lifetime, MemoryPlan, Operator
from kuiper.graph.alignment import ALIGNMENT, aligned
from kuiper.layers.arrays.structure import TupleConstruct
from kuiper.runtime.executor import NO_PLACES, OnOperator, Places
from kuiper.runtime.values import copied, overlaps


@dataclass(frozen=True)
class Draft:
    """What a plan is made from.

    steps : what is computed, in order.
    specs : the Spec of every operand.
    inputs, returned : names, not arrays: the operands that are the network's inputs and outputs.
    dynamic : operand name -> value of those without a shape, which the Fallbacks among the steps share (see Fallback).
    """

    steps: Sequence[Step]
    specs: Mapping[str, Spec]
    inputs: Sequence[str]
    returned: Sequence[str]
    dynamic: dict[str, Any]


class Plan:
    """A network for inputs of certain shapes.

    Parameters
    ----------
    draft : what is computed, its algorithms chosen.
    threads : how many run a pass.
    stretches : stretches of steps whose branches are shared out among the threads.

    Attributes
    ----------
    steps, specs, returned, dynamic : as in the draft.
    memory : the offset of each root, a value with memory of its own; `memory.planned_bytes` is the size of the arena.
    scratch_bytes : the memory that kernels need while they run.
    stages : the calls of every step; those of a parallel stretch stand at its first step.
    """

    def __init__(self, draft: Draft, threads: int, stretches: Sequence[ParallelStretch] = ()) -> None:
        self.draft, self.threads = draft, threads
        self.stretches = list(stretches)
        self.steps, self.specs, self.dynamic, self.returned = draft.steps, draft.specs, draft.dynamic, draft.returned
        self._lock = threading.Lock()
        self._tuples = self._returned_tuples()
        self._arrays = [each for name in self.returned for each in self._tuples.get(name, [name])]
        self.layout = MemoryLayout(self.steps, self.specs, draft.inputs, self._arrays)
        for stretch in self.stretches:  # before the memory is planned: it lengthens lives
            self.layout.hold(stretch.start, stretch.stop)
        roots = self.layout.roots
        self._own = self._roots_apart(roots)
        roots = [root for root in roots if root.name not in self._own]
        self.memory = _memory(roots)
        arena = aligned(self.memory.planned_bytes)
        self._arena = arena
        within = {root.name: _cut(arena, self.memory, root) for root in roots}
        self._buffers = self.layout.buffers({**within, **self._own})
        self._inputs = [self._buffers[name] for name in draft.inputs]
        self._input_borders = [call for buffer in self._inputs for call in zeros(buffer)]
        space = Workspace(threads)
        self._bind(space)  # once to learn the sizes of the scratch arrays, once more to bind to them
        self.scratch_bytes = space.bytes
        self.stages = self._merged(self._bind(space.settled()))

    def run(
        self,
        inputs: Sequence[np.ndarray],
        on_operator: OnOperator | None = None,
        places: Places = NO_PLACES,
    ) -> list[Any]:
        """One pass -> the values of the returned operands, none of which shares memory with the plan.

        `on_operator` is called with the first operator of each of `groups` and the seconds that the group took. A
        result that has one of `places` (operand name -> array) may be made there, and is that array then. Calls from
        several threads take turns. Raises PlanMismatchError, and what a layer raises.
        """
        with self._lock:
            try:
                self._take(inputs, places)
                for fill in self._input_borders:
                    fill()
                self._compute(on_operator)
                return [self._result(name) for name in self.returned]
            finally:
                self.dynamic.clear()

    def _returned_tuples(self) -> dict[str, list[str]]:
        """The operands that are tuples of arrays and only returned -> the arrays' names: no step need make them."""
        read = {name for step in self.steps for name in step.reads}
        return {
            step.writes[0]: step.reads
            for step in self.steps
            if type(step.layer) is TupleConstruct and step.writes[0] in self.returned and step.writes[0] not in read
            if all(spec.shape is not None and not spec.constant for spec in step.inputs)
        }

    def _roots_apart(self, roots: Sequence[StoredValue]) -> Mapping[str, np.ndarray]:
        """The roots that do not lie in the arena, and where they lie instead."""
        return {}

    def _take(self, inputs: Sequence[np.ndarray], places: Places) -> None:
        """Copy the inputs to their places."""
        for buffer, array in zip(self._inputs, inputs):
            store(buffer.array, array)

    def _compute(self, on_operator: OnOperator | None) -> None:
        """Run all steps, or each by itself and its time told."""
        with parallel(self.threads) as run_stages:
            if on_operator is None:
                for stages in self.stages:
                    run_stages(stages)
                return
            for start, _ in self._together:
                started = time.perf_counter()
                run_stages(self.stages[start])
                on_operator(self.steps[start].operators[0], time.perf_counter() - started)

    def kernel_name(self, number: int) -> str:
        """What computes a step: the algorithm, or the layer where there is no kernel."""
        step = self.steps[number]
        if isinstance(step.kernel, Fallback):
            return f"layer of {step.operators[0].type}"
        return step.kernel.name.removesuffix("()")

    @property
    def groups(self) -> list[list[Operator]]:
        """The operators that are computed and timed together: fused into one step, or run in parallel."""
        return [[op for step in self.steps[start:stop] for op in step.operators] for start, stop in self._together]

    @cached_property
    def _together(self) -> list[tuple[int, int]]:
        """(start, stop) of the steps that are run together: a ParallelStretch, or one step."""
        ends = {stretch.start: stretch.stop for stretch in self.stretches}
        found, start = [], 0
        while start < len(self.steps):
            found.append((start, ends.get(start, start + 1)))
            start = found[-1][1]
        return found

    def _result(self, name: str) -> Any:
        if name in self._tuples:
            return tuple(self._result(each) for each in self._tuples[name])
        spec = self.specs[name]
        if spec.constant:
            return copied(spec.value)
        if spec.shape is None:
            return copied(self.dynamic[name], lambda array: overlaps(array, [self._arena]))
        return self._buffers[name].array.copy(order="C")

    def _bind(self, space: Workspace) -> list[list[Stage]]:
        """The stages of every step. The first step to write into a halo's buffer zeroes the halo."""
        bound: list[list[Stage]] = []
        surrounded = set(self.layout.inputs)
        thread_of = {each.start + i: thread for each in self.stretches for i, thread in enumerate(each.assigned)}
        for number, step in enumerate(self.steps):
            if number not in thread_of:
                space.next_kernel()
            room = space.of_thread(thread_of[number]) if number in thread_of else space
            roots = {name: self.layout.root(name) for name in step.writes if name in self.layout.values}
            first = {root.name for root in roots.values() if any(root.halo)} - surrounded
            surrounded |= first
            halos = [self._buffers[name] for name in sorted(first)]
            stages = [] if step.writes[0] in self._tuples else self._stages_of(number, step, halos, room)
            bound.append([stage for stage in stages if stage])
        return bound

    def _stages_of(self, number: int, step: Step, halos: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The stages of one step, which zeroes these halos first."""
        stages: list[Stage] = [[zeros(buffer)] for buffer in halos]
        if not is_view(step, self.layout):
            stages += step.kernel.bind(*self._buffers_of(step), space)
        return stages

    def _buffers_of(self, step: Step) -> tuple[list[Buffer], list[Buffer]]:
        """What a step reads and what it writes."""
        reads = [self._buffers.get(name, NOWHERE) for name in step.reads]
        return reads, [self._buffers.get(name, NOWHERE) for name in step.writes]

    def _merged(self, bound: list[list[Stage]]) -> list[list[Stage]]:
        """The stages, with those of each stretch merged into one stage of its first step."""
        for stretch in self.stretches:
            together: Stage = [[] for _ in range(max(stretch.assigned) + 1)]
            for number, thread in enumerate(stretch.assigned, stretch.start):
                together[thread] += [call for stage in bound[number] for calls in stage for call in calls]
                bound[number] = []
            bound[stretch.start] = [busy] if (busy := [calls for calls in together if calls]) else []
        return bound


NOWHERE = Buffer(np.empty(0))
FEW = 8
"""Channels that are copied one after the other: numpy would loop over the pixels, and go along so few in each."""


def store(target: np.ndarray, source: np.ndarray) -> None:
    """Copy an input to its place, where an image's channels may lie side by side."""
    if target.ndim == 4 and target.strides[1] < target.strides[3] and target.shape[1] <= FEW:
        target, source = target.swapaxes(0, 1), source.swapaxes(0, 1)
        for one, other in zip(target, source):
            np.copyto(one, other)
    else:
        np.copyto(target, source)


def is_view(step: Step, layout: MemoryLayout) -> bool:
    """Whether all outputs of a step are views of its first input."""
    bases = [layout.values[name].base for name in step.writes if name in layout.values]
    return bool(bases) and all(base is not None and base == step.reads[0] for base in bases)


def zeros(buffer: Buffer) -> list[Call]:
    """The calls that zero the halo of an image."""
    return [] if buffer.padded is None else [partial(part.fill, 0) for part in borders(buffer.padded, buffer.halo)]


def borders(padded: np.ndarray, halo: Halo) -> list[np.ndarray]:
    """The parts of (N, H, W, C) that are halo, without empty ones."""
    _, height, width, _ = padded.shape
    middle = slice(halo.up, height - halo.bottom)
    parts = [
        padded[:, : halo.up],
        padded[:, height - halo.bottom :],
        padded[:, middle, : halo.left],
        padded[:, middle, width - halo.right :],
    ]
    return [part for part in parts if part.size]


def _memory(roots: Sequence[StoredValue]) -> MemoryPlan:
    """An offset in the arena for every root, aligned to cache lines.

    A root is a value with memory of its own, and lives as long as the views that lie in it (layout.py).
    """
    sizes = {}
    for root in roots:
        assert root.spec.dtype is not None
        size = int(np.prod(root.physical)) * root.spec.dtype.itemsize
        sizes[root.name] = -(-size // ALIGNMENT) * ALIGNMENT
    lives = {root.name: Lifetime(root.first + 1, root.last + 1) for root in roots}  # inputs exist from step -1 on
    return plan_arena(lives, sizes)


def _cut(arena: np.ndarray, memory: MemoryPlan, root: StoredValue) -> np.ndarray:
    dtype = root.spec.dtype
    assert dtype is not None
    start = memory.offsets[root.name]
    size = int(np.prod(root.physical)) * dtype.itemsize
    return arena[start : start + size].view(dtype).reshape(root.physical)
