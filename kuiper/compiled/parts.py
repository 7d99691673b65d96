"""A module of machine code in the making: memory, functions that are shared, and the parts that a pass consists of.

A part is work of equal units, which threads may share in any order; parts run one after the other. CodePart number n is
the function part_n(arena, weights, scratch, thread, begin, end): the units begin ... end - 1, on that thread.

A module is first described, then written: kernels say where memory lies and what parts there are, which takes
milliseconds; the IR of parts is written only if their machine code is not at hand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import F32, I64, POINTER, Value, VectorBuilder, function, i64
from kuiper.compiled.target import Target
from kuiper.fast.kernels.base.workspace import ALIGNMENT, aligned

Memory = Literal["arena", "weights", "scratch", "held"]
MEMORIES: tuple[Memory, ...] = "arena", "weights", "scratch"
"""What the functions of a module are told the beginnings of; those of arrays that are held stand among the weights."""


class Location(NamedTuple):
    """Where an array begins: bytes from the start of one of the memories; in scratch, each thread may have its own.

    slot : of an array that is held: where among the weights its address stands.
    """

    memory: Memory
    offset: int
    by_thread: int = 0
    slot: int = 0

    def after(self, size: int) -> Location:
        """So many bytes further on."""
        return self._replace(offset=self.offset + size)


Body = Callable[[VectorBuilder, list[Value], Value, Value], None]
"""body(builder, pointers to a part's places, begin, end) writes the IR of its units."""


class Fill(NamedTuple):
    """An array of zeros: where it begins, its shape, and its strides in bytes."""

    place: Location
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class CodePart:
    """One function of the module: how many units of work it has, what memory it uses, and what else it zeroes."""

    name: str
    units: int
    places: tuple[Location, ...]
    fills: tuple[Fill, ...]
    body: Body = field(compare=False, repr=False)


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
        self._weights: list[tuple[int, Callable[[], np.ndarray]]] = []
        self._weight_bytes = 0
        self._placed: dict[int, tuple[np.ndarray, Location]] = {}
        self.held: list[np.ndarray] = []
        self._fills: list[Fill] = []
        self._scratch = 0
        self._scratch_arrays: list[tuple[np.ndarray, Location]] = []
        self.scratch_bytes = 0

    # memory

    def place(self, array: np.ndarray) -> Location:
        """Where an array of the plan lies; one that is no part of the arena is a constant, and becomes a weight."""
        if self.holds(array):
            return Location("arena", array.__array_interface__["data"][0] - self._start)
        for whole, place in self._scratch_arrays:
            away = array.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
            if 0 <= away < whole.nbytes:
                return place.after(away)
        assert array.flags.c_contiguous, "a weight's numbers are stored one after the other"
        return self.weight(array)

    def holds(self, array: np.ndarray) -> bool:
        """Whether it is a part of the arena."""
        start: int = array.__array_interface__["data"][0]
        return self._start <= start < self._start + self._arena.nbytes

    def weight(self, array: np.ndarray) -> Location:
        """A copy of the array's numbers, one after the other, among the weights; the same array is copied once."""
        if id(array) not in self._placed:
            self._placed[id(array)] = array, self.packed(array.size, lambda: array)
        return self._placed[id(array)][1]

    def hold(self, array: np.ndarray) -> Location:
        """The array itself, without a copy: contiguous, of any type, at any byte. Who runs the code keeps `held`."""
        assert array.flags.c_contiguous, "code knows no other strides"
        if id(array) not in self._placed:
            self.held.append(array)
            slot = self.packed(2, lambda: np.array([array.ctypes.data], np.int64).view(np.float32))
            self._placed[id(array)] = array, Location("held", 0, slot=slot.offset)
        return self._placed[id(array)][1]

    def packed(self, count: int, make: Callable[[], np.ndarray]) -> Location:
        """Room for so many numbers among the weights, which `make` gives when they are needed."""
        place = Location("weights", self._weight_bytes)
        self._weights.append((count, make))
        self._weight_bytes += _rounded(4 * count)
        return place

    def weights(self) -> np.ndarray:
        """All weights in one piece of memory."""
        memory = aligned(self._weight_bytes + ALIGNMENT)
        start = 0
        for count, make in self._weights:
            numbers = memory[start : start + 4 * count].view(np.float32)
            numbers[...] = make().reshape(-1)
            start += _rounded(4 * count)
        return memory

    def shared(self, numbers: int) -> Location:
        """Scratch memory for so many numbers, which all threads share, until `release`."""
        return self._take(4 * numbers, 1)

    def shared_array(self, *shape: int) -> np.ndarray:
        """The same as an array, to cut and turn until its parts are placed; its own numbers are never used."""
        array = np.empty(shape, np.float32)
        self._scratch_arrays.append((array, self.shared(array.size)))
        return array

    def own(self, numbers: int) -> Location:
        """Scratch memory for so many numbers for each thread, until `release`."""
        return self._take(4 * numbers, self.threads)

    def release(self) -> None:
        """Whatever scratch memory was taken may be given out again."""
        self._scratch = 0
        self._scratch_arrays = []

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

    def part(self, units: int, places: Sequence[Location], body: Body) -> None:
        """Add a part. What `fill` was asked for is a unit more."""
        fills, self._fills = self._fills, []
        name = f"part_{len(self.parts)}"
        self.parts.append(CodePart(name, units + bool(fills), tuple(places), tuple(fills), body))

    @property
    def description(self) -> str:
        """The parts and their memory: all that the IR depends on, besides the kernels and the processor."""
        sizes = f"{self._arena.nbytes} {self._weight_bytes} {self.scratch_bytes} bytes, {self.threads} threads"
        return "\n".join([sizes, *map(repr, self.parts)])

    def write(self) -> None:
        """Write the IR of all parts."""
        for part in self.parts:
            self._write(part)

    def _write(self, part: CodePart) -> None:
        made = function(self.ir, part.name, [POINTER] * 3 + [I64] * 3)
        b = VectorBuilder(made.append_basic_block("entry"), self.target)
        *memories, thread, begin, end = made.args

        def pointer(place: Location) -> Value:
            if place.memory == "held":
                address = b.at(memories[MEMORIES.index("weights")], place.slot)
                return b.at(b.load(address, typ=POINTER, align=8), place.offset)
            start = b.at(memories[MEMORIES.index(place.memory)], place.offset)
            return b.at(start, b.mul(thread, i64(place.by_thread))) if place.by_thread else start

        if part.fills:
            with b.if_then(b.icmp_signed("==", begin, i64(0))):
                for fill in part.fills:
                    _zeros(b, pointer(fill.place), fill.shape, fill.strides)
            begin = b.select(b.icmp_signed("==", begin, i64(0)), begin, b.sub(begin, i64(1)))
            end = b.sub(end, i64(1))
        part.body(b, [pointer(place) for place in part.places], begin, end)
        b.ret_void()

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
        self._fills.append(Fill(place, tuple(shape), tuple(strides)))


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
