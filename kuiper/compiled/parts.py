"""A module of machine code in the making: memory, functions that are shared, and the parts that a pass consists of.

A part is work of equal units, which threads may share in any order; parts run one after the other. CodePart number n is
the function part_n(arena, outside, scratch, thread, begin, end): the units begin ... end - 1, on that thread.

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
from kuiper.graph.alignment import ALIGNMENT, aligned

Memory = Literal["arena", "outside", "scratch"]
MEMORIES: tuple[Memory, ...] = "arena", "outside", "scratch"
"""What a pass is given: the arena, a table of the addresses of arrays outside of it, and scratch memory."""


LARGE = 1 << 20
"""Bytes of an array that is read from memory rather than from a cache, wherever it begins."""


class Location(NamedTuple):
    """Where an array begins: bytes from the start of one of the memories; in scratch, each thread may have its own.

    Outside of the arena lie the weights, and inputs that are not copied: `number` says which of these arrays it is.
    """

    memory: Memory
    offset: int
    by_thread: int = 0
    number: int = 0

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


class AddressTable:
    """Where some arrays lie, for machine code; it keeps them in memory.

    Attributes
    ----------
    addresses : of each array; another one's may take its place, which then has to be kept in memory by others.
    """

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        self.arrays = list(arrays)
        self.addresses = np.array([array.ctypes.data for array in arrays], np.int64)


@dataclass(frozen=True, slots=True)
class CodePart:
    """One function of the module: how many units of work it has, what memory it uses, and what else it zeroes.

    key : parts with the same key have the same body, which is written once; None: no other part has it.
    """

    name: str
    units: int
    places: tuple[Location, ...]
    fills: tuple[Fill, ...]
    body: Body = field(compare=False, repr=False)
    key: object = field(default=None, compare=False, repr=False)


class Module:
    """What kernels write into.

    Parameters
    ----------
    target : the processor.
    arena : the memory of a plan's values; all arrays that are written lie in it.
    threads : how many may share a part.
    given : inputs that lie outside of it, the first in the table of what does.
    keeps_packs : whether weights that can be used as they lie are packed nevertheless, where that is faster.
    """

    def __init__(
        self, target: Target, arena: np.ndarray, threads: int, given: Sequence[np.ndarray] = (),
        keeps_packs: bool = True,
    ) -> None:  # fmt: skip
        self.target, self.threads, self.keeps_packs = target, threads, keeps_packs
        self.ir = ir.Module("kuiper")
        self.parts: list[CodePart] = []
        self._arena = arena
        self._given = list(given)
        self._weights: list[Callable[[], np.ndarray]] = []
        self._placed: dict[int, tuple[np.ndarray, Location]] = {}
        self._fills: list[Fill] = []
        self._scratch = 0
        self._scratch_arrays: list[tuple[np.ndarray, Location]] = []
        self.scratch_bytes = 0

    # memory

    def place(self, array: np.ndarray) -> Location:
        """Where an array of the plan lies; one that is no part of the arena is a constant, and becomes a weight."""
        if (away := _offset(array, self._arena)) is not None:
            return Location("arena", away)
        for number, whole in enumerate(self._given):
            if (away := _offset(array, whole)) is not None:
                return Location("outside", away, number=number)
        for whole, place in self._scratch_arrays:
            if (away := _offset(array, whole)) is not None:
                return place.after(away)
        assert array.flags.c_contiguous, "a weight's numbers are stored one after the other"
        return self.weight(array)

    def holds(self, array: np.ndarray) -> bool:
        """Whether its numbers are known only when the code runs: it is a part of the arena, or of an input."""
        return any(_offset(array, whole) is not None for whole in (self._arena, *self._given))

    def weight(self, array: np.ndarray) -> Location:
        """The array among the weights; a large one is not copied if its numbers lie one after the other already."""
        if id(array) not in self._placed:
            self._placed[id(array)] = array, self.packed(lambda: array)
        return self._placed[id(array)][1]

    def hold(self, array: np.ndarray) -> Location:
        """The array itself, without a copy: contiguous, of any type, at any byte."""
        assert array.flags.c_contiguous, "code knows no other strides"
        if id(array) not in self._placed:
            self._placed[id(array)] = array, self._add(lambda: array)
        return self._placed[id(array)][1]

    def packed(self, make: Callable[[], np.ndarray]) -> Location:
        """A place among the weights for the array that `make` gives when it is needed."""
        return self._add(lambda: _settled(make()))

    def _add(self, make: Callable[[], np.ndarray]) -> Location:
        self._weights.append(make)
        return Location("outside", 0, number=len(self._given) + len(self._weights) - 1)

    def outside(self) -> AddressTable:
        """The arrays outside of the arena, in the order of their numbers: inputs, then weights."""
        return AddressTable([*self._given, *(make() for make in self._weights)])

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

    def part(self, units: int, places: Sequence[Location], body: Body, key: object = None) -> None:
        """Add a part. What `fill` was asked for is a unit more.

        key : all that the body depends on besides its pointers, by which parts that are alike share one function: many
            networks repeat a layer. Its repr must tell them apart, and name no address.
        """
        fills, self._fills = self._fills, []
        name = f"part_{len(self.parts)}"
        self.parts.append(CodePart(name, units + bool(fills), tuple(places), tuple(fills), body, key))

    @property
    def description(self) -> str:
        """The parts and their memory: all that the IR depends on, besides the kernels and the processor."""
        outside = f"{len(self._given)} inputs and {len(self._weights)} weights outside"
        sizes = f"{self._arena.nbytes} {self.scratch_bytes} bytes, {outside}, {self.threads} threads"
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
            start = memories[MEMORIES.index(place.memory)]
            if place.memory == "outside":
                start = b.load(b.at(start, 8 * place.number), typ=POINTER, align=8)
            start = b.at(start, place.offset)
            return b.at(start, b.mul(thread, i64(place.by_thread))) if place.by_thread else start

        if part.fills:
            with b.if_then(b.icmp_signed("==", begin, i64(0))):
                for fill in part.fills:
                    write_zeros(b, pointer(fill.place), fill.shape, fill.strides)
            begin = b.select(b.icmp_signed("==", begin, i64(0)), begin, b.sub(begin, i64(1)))
            end = b.sub(end, i64(1))
        pointers = [pointer(place) for place in part.places]
        if part.key is None:
            part.body(b, pointers, begin, end)
        else:
            count = len(pointers)

            def build(inner: VectorBuilder, *given: Value) -> None:
                part.body(inner, list(given[:count]), *given[count:])

            b.call(self.shared_function(("part", part.key), count, 2, build), [*pointers, begin, end])
        b.ret_void()

    def close(self) -> None:
        """Let go of the parts and weights: they hold what made them, and so the module, in cycles."""
        self.parts, self._weights, self._placed, self._scratch_arrays = [], [], {}, []

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


def write_zeros(b: VectorBuilder, start: Value, shape: Sequence[int], strides: Sequence[int]) -> None:
    """Zero an array whose last axis is contiguous, or has few elements."""
    *outer, count = shape
    *steps, step = strides
    if outer and steps[-1] == count * step and step == 4:  # one long row
        shape = (*outer[:-1], outer[-1] * count)
        write_zeros(b, start, shape, (*steps[:-1], step))
        return
    if outer:
        b.each(outer[0], lambda i: write_zeros(b, b.at(start, b.times(i, steps[0])), shape[1:], strides[1:]))
        return
    if step != 4:
        b.each(count, lambda i: b.store(ir.Constant(F32, 0.0), b.at(start, b.times(i, step)), align=4))
        return
    lanes = b.target.lanes
    whole = count // lanes * lanes
    b.each(whole // lanes, lambda i: b.write(b.splat(0), b.at(start, b.times(i, 4 * lanes))))
    if count - whole:
        b.write(b.splat(0), b.at(start, 4 * whole), count - whole)


def _offset(array: np.ndarray, whole: np.ndarray) -> int | None:
    """Bytes from the start of `whole` to where the array begins; None where it lies elsewhere."""
    away: int = array.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return away if 0 <= away < extent(whole.shape, whole.strides, whole.itemsize) else None


def extent(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """Bytes from the first of an array's numbers to the end of the last; its strides are not negative.

    >>> extent((2, 3), (100, 4), 4)
    112
    """
    return 0 if 0 in shape else sum(step * (size - 1) for size, step in zip(shape, strides)) + itemsize


def are_nested(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether each row of an array lies whole behind the one before, and so on for rows of rows: nothing overlaps.

    >>> are_nested((2, 3), (100, 4), 4), are_nested((2, 3), (4, 8), 4), are_nested((2, 3), (0, 4), 4)
    (True, False, False)
    """
    inner = itemsize
    for size, step in zip(reversed(shape), reversed(strides)):
        if size > 1:
            if step < inner or step % itemsize:
                return False
            inner += step * (size - 1)
    return True


def _settled(array: np.ndarray) -> np.ndarray:
    """The array, its numbers one after the other: a copy where they are not, and of a small one that begins anywhere
    but at a line of the cache."""
    begins_well = array.nbytes >= LARGE or array.__array_interface__["data"][0] % ALIGNMENT == 0
    if array.flags.c_contiguous and array.flags.aligned and begins_well:
        return array
    copy = aligned(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
