"""A module of machine code in the making: functions that are shared, and the parts that a pass consists of.

A part is work of equal units, which threads may share in any order; parts run one after the other. CodePart number n is
the function part_n(arena, weights, scratch, thread, begin, end): the units begin ... end - 1, on that thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import F32, I64, POINTER, Value, VectorBuilder, function, i64
from kuiper.compiled.target import Target
from kuiper.fast.kernels.base.workspace import ALIGNMENT, aligned

Memory = Literal["arena", "weights", "scratch"]
MEMORIES: tuple[Memory, ...] = "arena", "weights", "scratch"


class Location(NamedTuple):
    """Where an array begins: bytes from the start of one of the memories; in scratch, each thread may have its own."""

    memory: Memory
    offset: int
    by_thread: int = 0

    def after(self, size: int) -> Location:
        """So many bytes further on."""
        return self._replace(offset=self.offset + size)


@dataclass(frozen=True)
class CodePart:
    """One function of the module, and how many units of work it has."""

    name: str
    units: int


class Module:
    """What kernels write into.

    Parameters
    ----------
    target : the processor.
    arena : the memory of a plan's values; all arrays that are written lie in it.
    threads : how many may share a part.
    """

    def __init__(self, target: Target, arena: np.ndarray, threads: int) -> None:
        self.target, self.threads = target, threads
        self.ir = ir.Module("kuiper")
        self.parts: list[CodePart] = []
        self._arena = arena
        self._start = arena.ctypes.data
        self._weights: list[np.ndarray] = []
        self._weight_bytes = 0
        self._placed: dict[int, tuple[np.ndarray, Location]] = {}
        self._fills: list[tuple[Location, tuple[int, ...], tuple[int, ...]]] = []
        self._scratch = 0
        self.scratch_bytes = 0

    # memory

    def place(self, array: np.ndarray) -> Location:
        """Where an array of the plan lies; one that is no part of the arena is a constant, and becomes a weight."""
        if self.holds(array):
            return Location("arena", array.__array_interface__["data"][0] - self._start)
        assert array.flags.c_contiguous, "a weight's numbers are stored one after the other"
        return self.weight(array)

    def holds(self, array: np.ndarray) -> bool:
        """Whether it is a part of the arena."""
        start: int = array.__array_interface__["data"][0]
        return self._start <= start < self._start + self._arena.nbytes

    def weight(self, array: np.ndarray) -> Location:
        """A copy of the array's numbers, one after the other, among the weights; the same array is copied once."""
        if id(array) not in self._placed:
            numbers = np.ascontiguousarray(array, np.float32).reshape(-1)
            self._placed[id(array)] = array, Location("weights", self._weight_bytes)
            self._weights.append(numbers)
            self._weight_bytes += _rounded(numbers.nbytes)
        return self._placed[id(array)][1]

    def weights(self) -> np.ndarray:
        """All weights in one piece of memory."""
        memory = aligned(self._weight_bytes + ALIGNMENT)
        start = 0
        for numbers in self._weights:
            memory[start : start + numbers.nbytes] = numbers.view(np.uint8)
            start += _rounded(numbers.nbytes)
        return memory

    def shared(self, numbers: int) -> Location:
        """Scratch memory for so many numbers, which all threads share, until `release`."""
        return self._take(4 * numbers, 1)

    def own(self, numbers: int) -> Location:
        """Scratch memory for so many numbers for each thread, until `release`."""
        return self._take(4 * numbers, self.threads)

    def release(self) -> None:
        """Whatever scratch memory was taken may be given out again."""
        self._scratch = 0

    def _take(self, size: int, count: int) -> Location:
        place = Location("scratch", self._scratch, _rounded(size) if count > 1 else 0)
        self._scratch += _rounded(size) * count
        self.scratch_bytes = max(self.scratch_bytes, self._scratch)
        return place

    # code

    def shared_function(self, key: object, pointers: int, numbers: int, build: Callable[..., None]) -> Any:
        """A function of so many pointers and then i64s, built once for each key: build(builder, *arguments)."""
        name = "kernel_" + hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        if name not in self.ir.globals:
            made = function(self.ir, name, [POINTER] * pointers + [I64] * numbers)
            made.attributes.add("noinline")
            b = VectorBuilder(made.append_basic_block("entry"), self.target)
            build(b, *made.args)
            b.ret_void()
        return self.ir.globals[name]

    def part(
        self, units: int, places: Sequence[Location], body: Callable[[VectorBuilder, list[Value], Value, Value], None]
    ) -> None:
        """Add a part: body(builder, pointers to the places, begin, end). What `fill` was asked for is a unit more."""
        fills, self._fills = self._fills, []
        name = f"part_{len(self.parts)}"
        made = function(self.ir, name, [POINTER] * 3 + [I64] * 3)
        b = VectorBuilder(made.append_basic_block("entry"), self.target)
        *memories, thread, begin, end = made.args

        def pointer(place: Location) -> Value:
            start = b.at(memories[MEMORIES.index(place.memory)], place.offset)
            return b.at(start, b.mul(thread, i64(place.by_thread))) if place.by_thread else start

        if fills:
            with b.if_then(b.icmp_signed("==", begin, i64(0))):
                for place, shape, strides in fills:
                    _zeros(b, pointer(place), shape, strides)
            begin = b.select(b.icmp_signed("==", begin, i64(0)), begin, b.sub(begin, i64(1)))
            end = b.sub(end, i64(1))
        body(b, [pointer(place) for place in places], begin, end)
        b.ret_void()
        self.parts.append(CodePart(name, units + bool(fills)))

    def fill(self, arrays: Sequence[np.ndarray]) -> None:
        """Zero these arrays, which nothing else of the next part writes, in the next part."""
        for array in arrays:
            self.fill_at(self.place(array), array.shape, array.strides)

    def settle(self) -> None:
        """A part for what `fill` was asked for, if there has been none since."""
        if self._fills:
            self.part(0, [], lambda b, pointers, begin, end: None)

    def unfill(self) -> None:
        """Forget what `fill` was asked for since the last part."""
        self._fills = []

    def fill_at(self, place: Location, shape: Sequence[int], strides: Sequence[int]) -> None:
        """The same for memory that is known by its place."""
        self._fills.append((place, tuple(shape), tuple(strides)))


def _zeros(b: VectorBuilder, start: Value, shape: Sequence[int], strides: Sequence[int]) -> None:
    """Zero an array whose last axis is contiguous, or has few elements."""
    *outer, count = shape
    *steps, step = strides
    if outer and steps[-1] == count * step and step == 4:  # one long row
        shape = (*outer[:-1], outer[-1] * count)
        _zeros(b, start, shape, (*steps[:-1], step))
        return
    if outer:
        b.each(outer[0], lambda i: _zeros(b, b.at(start, b.times(i, steps[0])), shape[1:], strides[1:]))
        return
    if step != 4:
        b.each(count, lambda i: b.store(ir.Constant(F32, 0.0), b.at(start, b.times(i, step)), align=4))
        return
    lanes = b.target.lanes
    whole = count // lanes * lanes
    b.each(whole // lanes, lambda i: b.write(b.splat(0), b.at(start, b.times(i, 4 * lanes))))
    if count - whole:
        b.write(b.splat(0), b.at(start, 4 * whole), count - whole)


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
