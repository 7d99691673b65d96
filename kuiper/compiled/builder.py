"""The builder: LLVM's intermediate representation (IR), with the idioms that the kernels here are made of.

Pointers are bare addresses, offsets are bytes, numbers are float32, a vector has as many of them as a register.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from kuiper.compiled.target import Target

F32, I1, I32, I64, POINTER, VOID = (
    ir.FloatType(), ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.PointerType(), ir.VoidType(),
)  # fmt: skip
BYTE, HALF = ir.IntType(8), ir.HalfType()
SIZES = {F32: 4, HALF: 2, BYTE: 1}
"""Bytes of the elements that vectors are read of."""
Value = Any
"""What IR computes: llvmlite's values, whose stubs say less than they are."""


def i64(number: int) -> Value:
    """A constant."""
    return ir.Constant(I64, int(number))


class VectorBuilder(ir.IRBuilder):
    """An IRBuilder that knows its target's vectors.

    Parameters: the block where it begins to write, and the target.
    """

    def __init__(self, block: Any, target: Target) -> None:
        super().__init__(block)
        self.target = target
        self.vector = ir.VectorType(F32, target.lanes)

    # numbers and vectors

    def splat(self, number: float) -> Value:
        """A vector of one constant."""
        return ir.Constant(self.vector, [float(number)] * self.target.lanes)

    def at(self, pointer: Value, *offsets: Any) -> Value:
        """pointer + offsets bytes, each an int or an i64."""
        constant = sum(offset for offset in offsets if isinstance(offset, int))
        for offset in offsets:
            if not isinstance(offset, int):
                pointer = self.gep(pointer, [offset], source_etype=BYTE)
        return self.gep(pointer, [i64(constant)], source_etype=BYTE) if constant else pointer

    def times(self, index: Any, size: int) -> Any:
        """index * size, of an int or an i64."""
        if isinstance(index, int):
            return index * size
        return index if size == 1 else self.mul(index, i64(size))

    def number(self, pointer: Value, *offsets: Any) -> Value:
        """The float32 that lies there."""
        return self.load(self.at(pointer, *offsets), typ=F32, align=4)

    def spread(self, number: Value) -> Value:
        """A vector of one float32 that is known when the code runs."""
        empty = ir.Constant(self.vector, ir.Undefined)
        first = self.insert_element(empty, number, ir.Constant(I32, 0))
        return self.shuffle_vector(first, empty, ir.Constant(ir.VectorType(I32, self.target.lanes), None))

    def broadcast(self, pointer: Value, *offsets: Any) -> Value:
        """A vector of the float32 that lies there."""
        return self.spread(self.number(pointer, *offsets))

    def read(self, pointer: Value, count: int | None = None, element: Any = F32, align: int | None = None) -> Value:
        """A vector, of which the first `count` numbers lie at the pointer, and the others are 0.

        Nothing beyond them is touched. element : one of SIZES. align : of the pointer, in bytes; None: an element's.
        """
        lanes, bytes_each = self.target.lanes, SIZES[element]
        align = align or bytes_each
        whole = ir.VectorType(element, lanes)
        if count is None or count == lanes:
            return self.load(pointer, typ=whole, align=align)
        result: Value = ir.Constant(whole, None)
        start = 0
        for size in pieces(count):
            kind = ir.VectorType(element, size) if size > 1 else element
            piece = self.load(self.at(pointer, bytes_each * start), typ=kind, align=align)
            result = self._placed(result, piece, start, size)
            start += size
        return result

    def prefetch(self, pointer: Value, *offsets: Any) -> None:
        """Ask for the cache line there, into the second-level cache: it will be read soon. Any address will do."""
        name = "llvm.prefetch.p0"
        known = self.module.globals.get(name)
        kind = ir.FunctionType(VOID, [POINTER, I32, I32, I32])
        read, keep, data = (ir.Constant(I32, number) for number in (0, 2, 1))
        self.call(known or ir.Function(self.module, kind, name), [self.at(pointer, *offsets), read, keep, data])

    def read_wide(self, pointer: Value, count: int | None = None, element: Any = F32) -> Value:
        """The same at any byte, as float32: signed integers of 8 bits and float16 are converted in registers."""
        numbers = self.read(pointer, count, element, align=1)
        if element is BYTE:
            return self.sitofp(self.sext(numbers, ir.VectorType(I32, self.target.lanes)), self.vector)
        return self.fpext(numbers, self.vector) if element is HALF else numbers

    def _placed(self, whole: Value, piece: Value, start: int, size: int) -> Value:
        """`whole` with the numbers start ... start + size - 1 from `piece`."""
        lanes = self.target.lanes
        if size == 1:
            return self.insert_element(whole, piece, ir.Constant(I32, start))
        empty = ir.Constant(piece.type, ir.Undefined)
        widened = [min(i, size) if i < size else size for i in range(lanes)]
        wide = self.shuffle_vector(piece, empty, ir.Constant(ir.VectorType(I32, lanes), widened))
        chosen = [lanes + i - start if start <= i < start + size else i for i in range(lanes)]
        return self.shuffle_vector(whole, wide, ir.Constant(ir.VectorType(I32, lanes), chosen))

    def write(self, value: Value, pointer: Value, count: int | None = None) -> None:
        """Store the first `count` numbers of a vector; all of them when None."""
        if count is None or count == self.target.lanes:
            self.store(value, pointer, align=4)
            return
        start = 0
        for size in pieces(count):
            if size == 1:
                piece = self.extract_element(value, ir.Constant(I32, start))
            else:
                chosen = ir.Constant(ir.VectorType(I32, size), list(range(start, start + size)))
                piece = self.shuffle_vector(value, ir.Constant(self.vector, ir.Undefined), chosen)
            self.store(piece, self.at(pointer, 4 * start), align=4)
            start += size

    def counting(self) -> Value:
        """0, 1, 2 and so on."""
        return ir.Constant(self.vector, [float(i) for i in range(self.target.lanes)])

    def intrinsic(self, name: str, *operands: Value) -> Value:
        """A function of LLVM's on vectors: intrinsic("fma", a, b, c) is @llvm.fma.v16f32."""
        whole = f"llvm.{name}.v{self.target.lanes}f32"
        known = self.module.globals.get(whole)
        kind = ir.FunctionType(self.vector, [self.vector] * len(operands))
        return self.call(known or ir.Function(self.module, kind, whole), operands)

    def fmadd(self, a: Value, b: Value, c: Value) -> Value:
        """a b + c, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def least(self, x: Value, bound: Value) -> Value:
        """The smaller of x and a bound that is no NaN; NaN where x is."""
        return self.select(self.fcmp_ordered(">", x, bound), bound, x)

    def most(self, x: Value, bound: Value) -> Value:
        """The larger of x and a bound that is no NaN; NaN where x is."""
        return self.select(self.fcmp_ordered("<", x, bound), bound, x)

    def kept(self, value: Value, count: int, rest: float = 0.0) -> Value:
        """The first `count` numbers of a vector; the others are `rest`."""
        lanes = self.target.lanes
        if count == lanes:
            return value
        chosen = [i if i < count else lanes + i for i in range(lanes)]
        return self.shuffle_vector(value, self.splat(rest), ir.Constant(ir.VectorType(I32, lanes), chosen))

    def combined(self, value: Value, combine: Callable[[Value, Value], Value]) -> Value:
        """A vector of what `combine`, on vectors, makes of all numbers of one."""
        lanes = self.target.lanes
        distance = lanes // 2
        while distance:
            turned = ir.Constant(ir.VectorType(I32, lanes), [(i + distance) % lanes for i in range(lanes)])
            value = combine(value, self.shuffle_vector(value, value, turned))
            distance //= 2
        return value

    def totals(self, vectors: Sequence[Value]) -> Value:
        """A vector whose number i is the sum of all numbers of vector i; 0 where there are fewer vectors than lanes.

        They are of float32, or of int32. Two vectors at a time become one with sums of both in turns, until each number
        is a whole sum.
        """
        lanes = self.target.lanes
        kind = vectors[0].type
        add = self.fadd if kind == self.vector else self.add
        found = [*vectors, *[ir.Constant(kind, None)] * (lanes - len(vectors))]
        size = 1  # of the runs in which a vector's sums lie: number j belongs to sum j % size
        while size < lanes:
            at = [
                (j // (2 * size) * 2 * size + j % size) + (lanes if j % (2 * size) >= size else 0) for j in range(lanes)
            ]
            low, high = (ir.Constant(ir.VectorType(I32, lanes), [i + more for i in at]) for more in (0, size))
            found = [
                add(self.shuffle_vector(a, b, low), self.shuffle_vector(a, b, high))
                for a, b in zip(found[::2], found[1::2])
            ]
            size *= 2
        return found[0]

    def transposed(self, rows: Sequence[Value]) -> list[Value]:
        """As many vectors as a vector has lanes: element j of vector i becomes element i of vector j."""
        lanes, result = self.target.lanes, list(rows)
        distance = 1
        while distance < lanes:
            first = [j if not j & distance else lanes + j - distance for j in range(lanes)]
            second = [j + distance if not j & distance else lanes + j for j in range(lanes)]
            low, high = (ir.Constant(ir.VectorType(I32, lanes), chosen) for chosen in (first, second))
            for i in range(lanes):
                if not i & distance:
                    one, other = result[i], result[i + distance]
                    result[i] = self.shuffle_vector(one, other, low)
                    result[i + distance] = self.shuffle_vector(one, other, high)
            distance *= 2
        return result

    # loops

    def loop(
        self,
        start: Value,
        stop: Value,
        step: int,
        body: Callable[[Value, list[Value]], Sequence[Value] | None],
        carried: Sequence[Value] = (),
    ) -> list[Value]:
        """for i in range(start, stop, step): carried = body(i, carried); entered at least once -> the last carried."""
        before = self.block
        inside, after = self.append_basic_block("loop"), self.append_basic_block("after")
        self.branch(inside)
        self.position_at_end(inside)
        i = self.phi(I64)
        i.add_incoming(start, before)
        phis = [self.phi(value.type) for value in carried]
        for phi, value in zip(phis, carried):
            phi.add_incoming(value, before)
        new = list(body(i, phis) or [])
        following = self.add(i, i64(step))
        i.add_incoming(following, self.block)
        for phi, value in zip(phis, new):
            phi.add_incoming(value, self.block)
        self.cbranch(self.icmp_signed("<", following, stop), inside, after)
        self.position_at_end(after)
        return new

    def each(self, count: int, body: Callable[[Any], None], step: int = 1) -> None:
        """for i in range(0, count, step): body(i), where `count` is known; once is no loop."""
        if count <= 0:
            return
        if count <= step:
            body(0)
        else:
            self.loop(i64(0), i64(count), step, lambda i, _: body(i))

    def between(self, start: Value, stop: Value, body: Callable[[Value], None]) -> None:
        """for i in range(start, stop): body(i), which may be never."""
        with self.if_then(self.icmp_signed("<", start, stop)):
            self.loop(start, stop, 1, lambda i, _: body(i))

    def either(self, condition: Value, first: Callable[[], None], second: Callable[[], None]) -> None:
        """first() where an i1 holds, else second(); a condition that is Python's False is known not to hold."""
        if condition is False:
            second()
            return
        with self.if_else(condition) as (then, otherwise):
            with then:
                first()
            with otherwise:
                second()

    def where(
        self, condition: Value, compute: Callable[[], Sequence[Value]], otherwise: Sequence[Value]
    ) -> list[Value]:
        """compute() where an i1 holds, else `otherwise`; what is not needed is not computed."""
        before = self.block
        work, after = self.append_basic_block("work"), self.append_basic_block("after")
        self.cbranch(condition, work, after)
        self.position_at_end(work)
        found, end = compute(), self.block
        self.branch(after)
        self.position_at_end(after)
        result = []
        for value, other in zip(found, otherwise):
            phi = self.phi(value.type)
            phi.add_incoming(value, end)
            phi.add_incoming(other, before)
            result.append(phi)
        return result

    def smaller(self, a: Value, b: Value) -> Value:
        """min(a, b) of two i64."""
        return self.select(self.icmp_signed("<", a, b), a, b)


def pieces(count: int) -> list[int]:
    """Powers of two that sum to `count`, the largest first.

    >>> pieces(11)
    [8, 2, 1]
    """
    return [1 << bit for bit in reversed(range(count.bit_length())) if count >> bit & 1]


def function(module: Any, name: str, kinds: Sequence[Any], internal: bool = True) -> Any:
    """A function without a result, with arguments of these types. Nothing in it raises: it needs no unwind tables."""
    made = ir.Function(module, ir.FunctionType(VOID, list(kinds)), name)
    made.attributes.add("nounwind")
    if internal:
        made.linkage = "internal"
    return made
