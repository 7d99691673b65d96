"""Attention of one query, such as a language model's next token: keys and values pass by once, a block at a time.

Scores need no memory. The largest score so far, the sum of their powers and the mean of the values are carried from
block to block, and are scaled down where a block has a larger score. Blocks whose keys are all hidden, such as the
places of a cache that are not in use, cost a look at their mask.
Source: M. Milakov, N. Gimelshein, Online normalizer calculation for softmax, https://arxiv.org/abs/1805.02867.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import BYTE, I32, Value, VectorBuilder, i64
from kuiper.compiled.kernels.lines import emit_lines
from kuiper.compiled.kernels.masks import Mask, mask_of, masked
from kuiper.compiled.kernels.rows import larger
from kuiper.compiled.parts import Module
from kuiper.compiled.ufuncs import exp
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Stage, copies
from kuiper.fast.kernels.base.kernel import Join, Kernel, Step, View
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.attention import LOWEST, SMALLEST, Attention
from kuiper.fast.plan.plan import Draft

MOST_VECTORS = 16
"""Of a query, and of a mean of values: heads of 128 numbers where a vector has eight. What registers do not hold while
keys and values pass by lies on the stack, in the first-level cache."""
State = list[Value]
"""The largest score so far in every lane; sums of powers, a vector; the values times powers, some vectors."""


class CachedAttention(Kernel):
    """Attention whose keys and values are each two arrays: those of earlier tokens, and those of this one.

    inputs : query, earlier keys, keys, earlier values, values, and the mask if the attention has one among its inputs.
    """

    label = "Attention"

    def __init__(self, attention: Attention) -> None:
        self.attention = attention

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Copies that join them, and the attention."""
        stages, joined = [], []
        for earlier, new in ([x.array for x in pair] for pair in (inputs[1:3], inputs[3:5])):
            *lead, count, width = earlier.shape
            whole = space.shared((*lead, count + new.shape[-2], width))
            stages += [copies(earlier, whole[..., :count, :], space), copies(new, whole[..., count:, :], space)]
            joined.append(Buffer(whole))
        return [*stages, *self.attention.bind([inputs[0], *joined, *inputs[5:]], outputs, space)]


def without_joins(draft: Draft) -> Draft:
    """The draft, with each attention taking the two halves of its keys and values as they lie.

    The keys and values of a cache are thus never copied behind one another.
    """
    draft = _reading_parts(draft)
    used = Counter(name for step in draft.steps for name in step.reads) + Counter(draft.returned)
    joins = {step.writes[0]: step for step in draft.steps if _joins_two(step) and used[step.writes[0]] == 1}
    gone: set[int] = set()
    steps = []
    for step in draft.steps:
        found = [joins[name] for name in step.reads[1:3] if name in joins]
        if len(found) == 2 and type(step.kernel) is Attention and not step.kernel.causal:
            gone |= set(map(id, found))
            step = _taking_halves(step, found)
        steps.append(step)
    return replace(draft, steps=[step for step in steps if id(step) not in gone])


def _reading_parts(draft: Draft) -> Draft:
    """The draft, with views of a join that are just one of its parts, such as the new keys, reading that part."""
    joins = {step.writes[0]: step for step in draft.steps if _joins_two(step)}
    return replace(
        draft, steps=[_of_part(step, joins.get(step.reads[0])) if step.reads else step for step in draft.steps]
    )


def _of_part(step: Step, join: Step | None) -> Step:
    if join is None or not isinstance(step.kernel, View) or len(step.writes) != 1:
        return step
    assert isinstance(join.kernel, Join)
    whole = np.empty(join.outputs[0].shape or (), join.outputs[0].dtype)  # never touched
    seen = step.kernel.views[0](whole)
    shapes = [spec.shape or () for spec in join.inputs]
    for name, spec, index in zip(join.reads, join.inputs, join.kernel.parts(shapes)):
        part = whole[index]
        if (seen.shape, seen.strides, seen.ctypes.data) == (part.shape, part.strides, part.ctypes.data):
            made = Step(step.operators, [spec], step.outputs, [name], step.writes, step.packs)
            made.kernel = View(lambda array: array)
            return made
    return step


def _joins_two(step: Step) -> bool:
    kernel, shape = step.kernel, step.outputs[0].shape
    if not isinstance(kernel, Join) or kernel.new or len(step.reads) != 2 or shape is None:
        return False
    return kernel.axis == len(shape) - 2 and all(spec.shape and 0 not in spec.shape for spec in step.inputs)


def _taking_halves(step: Step, joins: Sequence[Step]) -> Step:
    assert isinstance(step.kernel, Attention)
    operators = [*step.operators, *(op for join in joins for op in join.operators)]
    inputs = [step.inputs[0], *(spec for join in joins for spec in join.inputs), *step.inputs[3:]]
    reads = [step.reads[0], *(name for join in joins for name in join.reads), *step.reads[3:]]
    made = Step(operators, inputs, step.outputs, reads, step.writes, step.packs)
    made.kernel = CachedAttention(step.kernel)
    return made


def emit_one_query(
    module: Module, kernel: Attention, q: np.ndarray, pairs: Sequence[tuple[np.ndarray, np.ndarray]],
    given: np.ndarray | None, y: np.ndarray,
) -> bool:  # fmt: skip
    """y = attention of q (..., 1, E) over the keys (..., S, E) and values (..., S, Ev) of all pairs; False: no code.

    given : the mask (..., 1, all keys), where it is an input.
    """
    lead, group, target = y.shape[:-2] or (1,), kernel.group, module.target
    size, width = q.shape[-1], y.shape[-1]
    keys = sum(k.shape[-2] for k, _ in pairs)
    rows = [q, y, *(x for pair in pairs for x in pair)]
    if kernel.causal or any(x.strides[-1] != 4 for x in rows) or max(size, width) > target.lanes * MOST_VECTORS:
        return False
    mask = mask_of(module, kernel, given, (*lead, 1, keys))
    if mask is None and (given is not None or kernel.mask is not None):
        return False
    shared = (*lead[:-1], lead[-1] // group)
    q, y = matrices(q, lead), matrices(y, lead)
    pairs = [(matrices(k, shared), matrices(v, shared)) for k, v in pairs]
    runs = [(k.shape[-2], k.strides[-2], v.strides[-2]) for k, v in pairs]
    key = "one query", size, width, kernel.scale, tuple(runs), mask and (mask.flags, mask.strides[-1])

    def line(b: VectorBuilder, at: list[Value]) -> None:
        def build(inner: VectorBuilder, *pointers: Value) -> None:
            _one_query(inner, kernel.scale, size, width, runs, mask, list(pointers))

        b.call(module.shared_function(key, 3 + 2 * len(runs), 0, build), at[:-1])

    def by_group(strides: Sequence[int]) -> list[int]:
        """Strides of (*shared, matrices) along (*shared, group)."""
        return [*strides[: len(lead)], 0]

    def of_query(strides: Sequence[int]) -> list[int]:
        return [*strides[: len(lead) - 1], strides[len(lead) - 1] * group, strides[len(lead) - 1]]

    places, strides = [module.place(y), module.place(q)], [of_query(y.strides), of_query(q.strides)]
    for pair in pairs:
        for x in pair:
            places.append(module.place(x))
            strides.append(by_group(x.strides))
    places.append(mask.place if mask else module.place(y))
    strides.append(of_query(mask.strides) if mask else [0] * (len(lead) + 1))
    emit_lines(module, places, (*shared, group), strides, line, key=key)
    return True


def matrices(x: np.ndarray, lead: tuple[int, ...]) -> np.ndarray:
    """A matrix for each index of `lead`; (n, m) counts as the only one of its kind."""
    shape = x.shape[-2:]
    return np.broadcast_to(x.reshape(lead + shape) if x.ndim == 2 else x, lead + shape)


def _one_query(
    b: VectorBuilder, scale: float, size: int, width: int, runs: Sequence[tuple[int, int, int]], mask: Mask | None,
    pointers: Sequence[Value],
) -> None:  # fmt: skip
    """y from pointers to y, the query, keys and values of each run, and the mask."""
    y, query, *arrays, hidden = pointers
    lanes = b.target.lanes
    sizes, widths = _counts(size, lanes), _counts(width, lanes)
    parts = [b.read(b.at(query, 4 * lanes * n), count) for n, count in enumerate(sizes)]
    state = [b.splat(float(LOWEST)), b.splat(0), *[b.splat(0)] * len(widths)]
    before = 0
    for number, (count, key_step, value_step) in enumerate(runs):
        keys, values = arrays[2 * number : 2 * number + 2]
        seen = hidden if mask is None else b.at(hidden, before * mask.strides[-1])
        before += count
        step = 0 if mask is None else mask.strides[-1]

        def block(
            first: Value | int, some: int, carried: Sequence[Value], keys: Value = keys, values: Value = values,
            seen: Value = seen, key_step: int = key_step, value_step: int = value_step, step: int = step,
        ) -> State:  # fmt: skip
            there = b.at(seen, b.times(first, step))
            k, v = b.at(keys, b.times(first, key_step)), b.at(values, b.times(first, value_step))

            def read() -> State:
                scores = b.fmul(dots(b, parts, sizes, k, key_step, some), b.splat(scale))
                if mask is not None:
                    scores = masked(b, mask, scores, there, i64(0), some)
                return _with_block(b, b.kept(scores, some, -np.inf), v, value_step, some, widths, carried)

            if mask is None or not mask.flags or not step:
                return read()
            flags = b.bitcast(b.read(there, some, BYTE), ir.IntType(8 * lanes))
            return b.where(b.icmp_unsigned("!=", flags, ir.Constant(flags.type, 0)), read, carried)

        whole = count // lanes * lanes
        if whole:
            state = b.loop(i64(0), i64(whole), lanes, partial(_whole, block, lanes), state)
        if count - whole:
            state = block(whole, count - whole, state)
    total = b.combined(state[1], b.fadd)
    if mask is not None:  # a query that sees no key gets 0 / SMALLEST
        total = b.most(total, b.splat(float(SMALLEST)))
    for n, count in enumerate(widths):
        b.write(b.fdiv(state[2 + n], total), b.at(y, 4 * lanes * n), count)


def _whole(block: Callable[..., State], lanes: int, first: Value, carried: Sequence[Value]) -> State:
    return block(first, lanes, carried)


def _counts(size: int, lanes: int) -> list[int]:
    """How many numbers each vector of a row has."""
    return [min(lanes, size - first) for first in range(0, size, lanes)]


def _with_block(
    b: VectorBuilder, scores: Value, values: Value, step: int, count: int, widths: Sequence[int], state: Sequence[Value]
) -> State:
    """The state after a block of so many scores, whose values are `step` bytes apart."""
    lanes = b.target.lanes
    old, total, *sums = state
    highest = larger(b)(old, b.combined(scores, larger(b)))
    powers = exp(b, b.fsub(scores, highest))
    less = exp(b, b.fsub(old, highest))
    firsts = [b.fmul(each, less) for each in sums]
    seconds = [b.splat(0)] * len(sums)  # two chains of additions, neither of which waits for the other
    for j in range(count):
        power = b.shuffle_vector(powers, powers, ir.Constant(ir.VectorType(I32, lanes), [j] * lanes))
        chain = seconds if j % 2 else firsts
        for n, some in enumerate(widths):
            chain[n] = b.fmadd(power, b.read(b.at(values, j * step + 4 * lanes * n), some), chain[n])
    return [highest, b.fmadd(total, less, powers), *(b.fadd(one, other) for one, other in zip(firsts, seconds))]


def dots(b: VectorBuilder, parts: Sequence[Value], counts: Sequence[int], keys: Value, step: int, count: int) -> Value:
    """A vector of the products of a query with keys `step` bytes apart, as many as a vector has lanes, or fewer.

    parts : the query's vectors, of which each has that many numbers (counts).
    """
    lanes = b.target.lanes

    def product(at: Value) -> Value:
        """A vector whose sum is the score."""
        total = b.splat(0)
        for n, (part, some) in enumerate(zip(parts, counts)):
            total = b.fmadd(part, b.read(b.at(at, 4 * lanes * n), some), total)
        return total

    return b.totals([product(b.at(keys, step * i)) for i in range(count)])
