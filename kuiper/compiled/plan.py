"""A compiled plan: the steps of a plan as machine code where there is code for them, and as its calls elsewhere."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache, partial
from statistics import median
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kuiper.compiled import crew as crews
from kuiper.compiled.code import CodeSource, MachineCode
from kuiper.compiled.identity import identity_of
from kuiper.compiled.kernels import emit
from kuiper.compiled.kernels.chains import in_chains
from kuiper.compiled.kernels.copies import joined_early
from kuiper.compiled.kernels.decoding import without_joins
from kuiper.compiled.llvm import binding
from kuiper.compiled.parts import LARGE, AddressTable, Module, are_nested, extent
from kuiper.compiled.passes import INSIDE, LINE, state_bytes, text_of
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Stage
from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.linear import LinearKernel
from kuiper.fast.plan.layout import StoredValue
from kuiper.fast.plan.plan import Draft, Plan, borders, is_view, store
from kuiper.fast.plan.planner import Planner
from kuiper.fast.plan.trace import Strides
from kuiper.fast.threads import parallel, run_serially
from kuiper.graph.alignment import aligned, reserved
from kuiper.runtime.executor import OnOperator, Places

TRIES = 7
"""How often a stretch is run alone, and how often with help, before the faster way is taken."""
LONG = 1e-3
"""Seconds: what takes longer alone is shared without further tries; to wake a thread takes some 30 microseconds."""
MOST_PACKED = 256 << 20
"""Bytes of the weights of Linear in a network for which a second copy of them may be kept."""


class Stretch:
    """Steps that follow one another, as one function.

    Parameters
    ----------
    code : the machine code.
    first, last : the numbers of its parts, as range takes them.
    arena, outside, scratch : the memories that its parts name.
    threads : how many may share it.
    """

    def __init__(
        self, code: MachineCode, first: int, last: int, arena: np.ndarray, outside: AddressTable, scratch: np.ndarray,
        threads: int,
    ) -> None:  # fmt: skip
        self._memories, self._threads, self._number = (arena, outside, scratch), threads, 0
        addresses = [memory.ctypes.data for memory in (arena, outside.addresses, scratch)]
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        here = *addresses, first, last
        self._alone = partial(code.function("alone", *[pointer] * 3, number, number), *here)
        self._state = aligned(state_bytes(last - first, threads)).view(np.int64)
        self._state.fill(0)
        shared = code.function("shared", *[pointer] * 3, number, number, pointer, number, number)
        self._shared = partial(shared, *here, self._state.ctypes.data)

    def run(self, ask: crews.Ask | None) -> None:
        """Once, with the help of those whom `ask` wakes."""
        if ask is None:
            self._alone()
            return
        state = self._state
        while state[0] & INSIDE:  # a helper is on its way out of the pass before
            time.sleep(0)
        state[LINE // 8 :] = 0
        self._number += 1
        state[0] = self._number * (INSIDE + 1)  # opens the gate
        ask([partial(self._shared, self._number, thread) for thread in range(1, self._threads)])
        self._shared(self._number, 0)


class TriedStretch(Stretch):
    """A stretch that is shared only if that makes it faster, which its first runs with help find out.

    A few small steps do not gain from a second thread, which has to be woken and waited for. So these runs are made
    alone and with help, in turns.
    """

    def __init__(self, *made_of: Any) -> None:
        super().__init__(*made_of)
        self._seconds: tuple[list[float], list[float]] = [], []  # alone, with help
        self._gains: bool | None = None

    @property
    def may_gain(self) -> bool:
        """Whether help makes it faster, as far as is known by now."""
        return self._gains is not False

    def run(self, ask: crews.Ask | None) -> None:
        """Once, with the help of those whom `ask` wakes if that makes it faster."""
        if ask is None or self._gains is not None:
            super().run(ask if self._gains else None)
            return
        alone, helped = self._seconds
        turn, help = (alone, None) if len(alone) == len(helped) else (helped, ask)
        started = time.perf_counter()
        super().run(help)
        turn.append(time.perf_counter() - started)
        if len(alone) > 1 and min(alone) > LONG:  # not after the first run, which finds no weights in the caches
            self._gains = True
        elif len(helped) == TRIES:
            self._gains = median(helped) < median(alone)


def _form(array: np.ndarray) -> tuple[tuple[int, ...], tuple[int, ...], np.dtype]:
    return array.shape, array.strides, array.dtype


def _strided(
    shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype, memory: Callable[[int], np.ndarray] = aligned
) -> np.ndarray:
    """An array of these strides, in so many bytes of memory; what lies in between is its memory, too."""
    return as_strided(memory(extent(shape, strides, dtype.itemsize)).view(dtype), shape, strides)


def scratch_memory(size: int) -> np.ndarray:
    """Bytes for what parts leave for one another, and for what threads need while they run."""
    return aligned(size)


class CompiledPlan(Plan):
    """A plan whose steps are machine code where there is code for them.

    Parameters
    ----------
    draft : what is computed; kernels with machine code need no choice of an algorithm.
    threads : how many run a pass.
    choose : gives a step that has no machine code the fastest of its algorithms.
    source : where the code for a processor comes from; what it raises, this does.
    strides : of the arrays in which a pass may be asked to make large results.

    Attributes
    ----------
    code : the machine code.
    code_bytes : of its object file.
    compiled : for each step whether there is code for it; views need none.
    """

    def __init__(
        self, draft: Draft, threads: int, choose: Callable[[Step], None], source: CodeSource, strides: Strides = ()
    ) -> None:
        self._module: Module | None = None
        self._strides = dict(strides)
        self._target, self._choose = source.target, choose
        self._parts_of: dict[int, tuple[int, int]] = {}
        self._algorithms: dict[int, str] = {}
        self._called: set[int] = set()
        super().__init__(in_chains(joined_early(without_joins(draft)), source.target, threads), threads)
        module = self._module or self._new_module()
        self._module = None
        order = self._spans_and_calls()
        object_file = source(self._name(module), partial(text_of, module))
        self.code, self.code_bytes = MachineCode(object_file, self._target), len(object_file)
        scratch = scratch_memory(module.scratch_bytes)
        self.scratch_bytes += module.scratch_bytes
        outside = self._outside = module.outside()
        module.close()

        def stretch(span: tuple[int, int]) -> TriedStretch:
            return TriedStretch(self.code, *span, self._arena, outside, scratch, self.threads)

        self._in_place = self._own.keys() - self._in_calls()
        self._results: dict[str, np.ndarray] = {}
        self._stretch = cache(stretch)
        self._schedule = [self._stretch(each) if isinstance(each, tuple) else each for each in order]
        calls = [stage for work in self._schedule if isinstance(work, list) for stage in work]
        self._python_threads = max(map(len, calls), default=0)

    @classmethod
    def of(cls, planner: Planner, draft: Draft, source: CodeSource, strides: Strides = ()) -> CompiledPlan:
        """The plan for a draft of this planner, with as many threads as that uses. Raises what `source` does."""
        threads = planner.most_threads
        return cls(draft, threads, partial(planner.choose, threads=threads), source, strides)

    def _roots_apart(self, roots: Sequence[StoredValue]) -> Mapping[str, np.ndarray]:
        """Large inputs and results, which are read and made where they lie unless a step's calls use them.

        The arrays are places to tell them by; only calls ever touch their memory.
        """
        whole = self._returned_whole()
        found = [
            root
            for root in roots
            if root.name in (*self.draft.inputs, *whole) and not root.nhwc and root.spec.dtype is not None
            if int(np.prod(root.physical)) * root.spec.dtype.itemsize >= LARGE
        ]
        return {root.name: self._apart(root) for root in found}

    def _apart(self, root: StoredValue) -> np.ndarray:
        """Stands for a value's memory: with the strides of the place where it is wanted, if it can be made there."""
        assert root.spec.dtype is not None
        strides = self._strides.get(root.name)
        if strides and are_nested(root.physical, strides, root.spec.dtype.itemsize):
            array = _strided(root.physical, strides, root.spec.dtype, reserved)
            if self.layout.allows(root.name, array):
                return array
        size = int(np.prod(root.physical)) * root.spec.dtype.itemsize
        return reserved(size).view(root.spec.dtype).reshape(root.physical)

    def _returned_whole(self) -> set[str]:
        """The values that a pass makes and returns once, and of which it returns no views."""
        named = [self.layout.root(name).name for name in self._arrays if name in self.layout.values]
        return {name for name in self._arrays if named.count(name) == 1} - set(self.draft.inputs)

    def _take(self, inputs: Sequence[np.ndarray], places: Places) -> None:
        """Copy the inputs, but for those that can be read where they lie; make room for the results."""
        numbers = {name: number for number, name in enumerate(self._own)}
        for name, buffer, array in zip(self.draft.inputs, self._inputs, inputs):
            read_there = name in self._in_place and array.flags.c_contiguous and array.flags.aligned
            if name in numbers:
                self._outside.addresses[numbers[name]] = (array if read_there else buffer.array).ctypes.data
            if not read_there:
                store(buffer.array, array)
        for name in self._in_place.difference(self.draft.inputs):
            array = self._own[name]
            place = places.get(name)
            if place is None or _form(place) != _form(array) or not (place.flags.aligned and place.flags.writeable):
                place = _strided(array.shape, array.strides, array.dtype)
            self._results[name] = place
            self._outside.addresses[numbers[name]] = place.ctypes.data

    def _result(self, name: str) -> Any:
        made = self._results.pop(name, None)
        return super()._result(name) if made is None else made

    def _in_calls(self) -> set[str]:
        """The values outside of the arena that calls read or write, and the inputs that a pass returns."""
        found = {name for name in self._arrays if name in self.layout.values} - self._returned_whole()
        for number, stages in enumerate(self.stages):
            if stages:
                step = self.steps[number]
                found |= {name for name in (*step.reads, *step.writes) if name in self.layout.values}
        return {self.layout.root(name).name for name in found} & self._own.keys()

    @property
    def compiled(self) -> list[bool]:
        """For each step whether it is machine code."""
        return [number in self._parts_of for number in range(len(self.steps))]

    def _compute(self, on_operator: OnOperator | None) -> None:
        by_step = {} if on_operator is None else {step: self._stretch(span) for step, span in self._parts_of.items()}
        works = by_step.values() or self._schedule
        threads = self.threads if any(isinstance(work, TriedStretch) and work.may_gain for work in works) else 1
        cores = sorted(os.sched_getaffinity(0)) if threads > 1 and hasattr(os, "sched_getaffinity") else []
        calls = parallel(self._python_threads) if self._python_threads else nullcontext(run_serially)
        with crews.crew.session(threads, cores) as ask, calls as run_stages:

            def run(work: Stretch | list[Stage]) -> None:
                if isinstance(work, Stretch):
                    work.run(ask)
                else:
                    run_stages(work)

            if on_operator is None:
                for work in self._schedule:
                    run(work)
                return
            for number, step in enumerate(self.steps):
                started = time.perf_counter()
                run(by_step.get(number, self.stages[number]))
                on_operator(step.operators[0], time.perf_counter() - started)

    def kernel_name(self, number: int) -> str:
        """What computes a step: an algorithm as machine code, nothing, or as in the planned engine."""
        if number in self._algorithms:
            return f"{self._algorithms[number]}, compiled"
        return super().kernel_name(number) if self.stages[number] else "View"

    def _stages_of(self, number: int, step: Step, halos: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The calls of a step for which there is no code. Steps are bound twice; the code is written the first time."""
        if number not in self._parts_of and number not in self._called:
            module = self._module
            if module is None:
                module = self._module = self._new_module()
            start = len(module.parts)
            for buffer in halos:
                assert buffer.padded is not None
                module.fill(borders(buffer.padded, buffer.halo))
            algorithm = "" if is_view(step, self.layout) else emit(module, step.kernel, *self._buffers_of(step))
            if algorithm:
                self._algorithms[number] = algorithm
                module.settle()
                self._parts_of[number] = start, len(module.parts)
            else:
                module.unfill()
                self._called.add(number)
                self._choose(step)
        return [] if number in self._parts_of else super()._stages_of(number, step, halos, space)

    def _new_module(self) -> Module:
        weights = (step.kernel.weight.nbytes for step in self.steps if isinstance(step.kernel, LinearKernel))
        return Module(self._target, self._arena, self.threads, list(self._own.values()), sum(weights) <= MOST_PACKED)

    def _name(self, module: Module) -> str | None:
        """The name of this plan's code in the cache."""
        written = [number in self._parts_of for number in range(len(self.steps))]
        shapes = [(name, self.specs[name].shape, str(self.specs[name].dtype)) for name in self.draft.inputs]
        shapes += [(name, array.strides, "") for name, array in self._own.items()]
        constants = [spec.value for step in self.steps for spec in step.inputs if spec.constant]
        made_for = str(self._target), str(binding().llvm_version_info)
        operators = [op for step in self.steps for op in step.operators]
        return identity_of(operators, made_for, module.description, written, shapes, self._arrays, constants)

    def _spans_and_calls(self) -> list[tuple[int, int] | list[Stage]]:
        """What a pass runs: the parts of steps in machine code that follow one another, and the calls between them."""
        found: list[tuple[int, int] | list[Stage]] = []
        for number, stages in enumerate(self.stages):
            if number in self._parts_of:
                start, stop = self._parts_of[number]
                last = found[-1] if found else None
                if isinstance(last, tuple):
                    start = last[0]
                    found.pop()
                found.append((start, stop))
            elif stages:
                found.append(stages)
        return found
