"""Functions of every element: one loop over the output in the order of its memory, whatever the formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import I32, Value, VectorBuilder, i64
from kuiper.compiled.kernels.registry import compiles, emits
from kuiper.compiled.parts import Location, Module
from kuiper.compiled.ufuncs import apply_with, known
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.elementwise.activation import ActivationKernel
from kuiper.fast.kernels.elementwise.formula import FormulaKernel
from kuiper.fast.kernels.elementwise.program import ProgramValue

UNIT = 8192
"""Elements of a unit of work."""
Strided = tuple[Location, Sequence[int]]
"""Where an array begins, and bytes along its axes."""


def emit_pointwise(
    module: Module, target: Strided, sources: Sequence[Strided], shape: Sequence[int],
    formula: Callable[..., Value], name: str,
) -> None:  # fmt: skip
    """target[i] = formula(builder, sources[0][i], ...) as a part; all have `shape`, and broadcast by strides of 0."""
    extents, steps = merged(shape, [target[1], *(strides for _, strides in sources)])
    *outer, inner = extents
    if inner > UNIT:  # cut a long row
        count = -(-inner // UNIT)
        pieces = count, UNIT
    else:
        pieces = 1, inner
    rows = prod(outer) * pieces[0]
    per_unit = max(1, UNIT // pieces[1])
    units = -(-rows // per_unit)
    key = "pointwise", name, tuple(extents), tuple(map(tuple, steps))

    def build(b: VectorBuilder, *arguments: Value) -> None:
        """One row, or piece of one: pointers to the target and the sources, then its length."""
        *pointers, length = arguments
        lanes = b.target.lanes
        inner_steps = [step[-1] for step in steps]

        def some(offset: Value, count: int | None) -> None:
            at = [b.at(p, b.times(offset, step)) for p, step in zip(pointers, inner_steps)]
            values = [read_apart(b, p, step, count) for p, step in zip(at[1:], inner_steps[1:])]
            write_apart(b, formula(b, *values), at[0], inner_steps[0], count)

        if pieces[0] == 1:
            whole = inner // lanes * lanes
            b.each(whole, lambda i: some(i, None), lanes)
            if inner - whole:
                some(whole, inner - whole)
        else:
            whole = b.and_(length, i64(-lanes))
            with b.if_then(b.icmp_signed(">", whole, i64(0))):
                b.loop(i64(0), whole, lanes, lambda i, _: some(i, None))
            rest = inner % lanes  # only the last piece has any: UNIT is a multiple of every number of lanes
            if rest:
                with b.if_then(b.icmp_signed("<", whole, length)):
                    some(whole, rest)

    count = 1 + len(sources)

    def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value) -> None:
        function = module.shared_function(key, count, 1, build)

        def row(number: Value) -> None:
            rest = number
            offsets: list[list[Value]] = [[] for _ in range(count)]
            length = i64(inner)
            if pieces[0] > 1:
                piece, rest = b.urem(rest, i64(pieces[0])), b.udiv(rest, i64(pieces[0]))
                start = b.mul(piece, i64(UNIT))
                length = b.smaller(i64(UNIT), b.sub(i64(inner), start))
                for which, step in enumerate(steps):
                    offsets[which].append(b.times(start, step[-1]))
            for axis in reversed(range(len(outer))):
                index = b.urem(rest, i64(outer[axis])) if axis else rest
                rest = b.udiv(rest, i64(outer[axis])) if axis else rest
                for which, step in enumerate(steps):
                    if step[axis]:
                        offsets[which].append(b.mul(index, i64(step[axis])))
            b.call(function, [*(b.at(p, *more) for p, more in zip(pointers, offsets)), length])

        first = b.mul(begin, i64(per_unit))
        b.between(first, b.smaller(b.mul(end, i64(per_unit)), i64(rows)), row)

    module.part(units, [target[0], *(place for place, _ in sources)], body, (*key, rows, pieces))


def merged(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """(extents, each array's steps) of the axes in the order of the first array's memory, joined where all allow it."""
    axes = sorted((a for a, n in enumerate(shape) if n != 1), key=lambda axis: -abs(strides[0][axis]))
    extents: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis in axes:
        mine = [each[axis] for each in strides]
        if extents and all(step[-1] == one * shape[axis] for step, one in zip(steps, mine)):
            extents[-1] *= shape[axis]
            for step, one in zip(steps, mine):
                step[-1] = one
        else:
            extents.append(shape[axis])
            for step, one in zip(steps, mine):
                step.append(one)
    return (extents, steps) if extents else ([1], [[4] for _ in strides])


def read_apart(b: VectorBuilder, pointer: Value, step: int, count: int | None) -> Value:
    """Numbers `step` bytes apart as a vector: a load, one number for all, or one load for each."""
    if step == 4:
        return b.read(pointer, count)
    if step == 0:
        return b.broadcast(pointer)
    result = b.splat(0)
    for i in range(count or b.target.lanes):
        result = b.insert_element(result, b.number(pointer, i * step), _index(i))
    return result


def write_apart(b: VectorBuilder, value: Value, pointer: Value, step: int, count: int | None) -> None:
    """Store the first `count` numbers of a vector `step` bytes apart."""
    if step == 4:
        b.write(value, pointer, count)
        return
    for i in range(count or b.target.lanes):
        b.store(b.extract_element(value, _index(i)), b.at(pointer, i * step), align=4)


def _index(i: int) -> Value:
    return ir.Constant(I32, i)


@emits(ActivationKernel)
def activation(module: Module, kernel: ActivationKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """f(x)."""
    steps = kernel.activation
    if not compiles(steps):
        return False
    y, x = outputs[0].array, inputs[0].array
    emit_pointwise(module, (module.place(y), y.strides), [(module.place(x), x.strides)], y.shape,
                   lambda b, value: steps(apply_with(b), value), steps.identity)  # fmt: skip
    return True


@emits(FormulaKernel)
def formula(module: Module, kernel: FormulaKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """A program's operations, all of them for every element of the output."""
    program = kernel.program
    if not all(known(operation.function) for operation in program.operations):
        return False
    y = outputs[0].array
    arrays = [*(inputs[slot].array for slot in kernel.slots), *map(np.ascontiguousarray, kernel.constants)]
    sources = [(module.place(x), np.broadcast_to(x, y.shape).strides) for x in arrays]

    def compute(b: VectorBuilder, *values: Value) -> Value:
        apply, found = apply_with(b), dict(enumerate(values))
        for call in program.operations:
            operands = [found[x.number] if isinstance(x, ProgramValue) else float(x) for x in call.operands]
            found[call.result.number] = apply(call.function, *operands)
        return found[program.operations[-1].result.number]

    emit_pointwise(
        module, (module.place(y), y.strides), sources, y.shape, compute, " ".join(map(str, program.operations))
    )
    return True
