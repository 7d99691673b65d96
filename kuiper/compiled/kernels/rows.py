"""Softmax and the norms of rows: some loops over a row that stays in the first-level cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder
from kuiper.compiled.kernels.folds import fold_lanes, fold_row
from kuiper.compiled.kernels.lines import each_vector, emit_lines, emit_strips
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.parts import Module
from kuiper.compiled.ufuncs import exp, log
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.matmul.matrices import rows_of
from kuiper.fast.kernels.norm.row_norm import RowNorm
from kuiper.fast.kernels.norm.softmax import SoftmaxKernel


def larger(b: VectorBuilder) -> Callable[[Value, Value], Value]:
    """The larger of two vectors' numbers; where one is NaN, either: what is done with the maximum gives NaN again."""
    return lambda one, other: b.select(b.fcmp_ordered(">", one, other), one, other)


@emits(SoftmaxKernel)
def softmax(module: Module, kernel: SoftmaxKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Along rows in which numbers lie side by side, or across them."""
    x, y, axis = inputs[0].array, outputs[0].array, kernel.axis % outputs[0].array.ndim
    size = y.shape[axis]
    if size > 1 and (x.strides[axis] != 4 or y.strides[axis] != 4):
        return _softmax_across(module, x, y, axis, kernel.logarithm)

    def build(b: VectorBuilder, x_at: Value, y_at: Value) -> None:
        def number(at: Value, count: int) -> Value:
            return b.read(b.at(x_at, at), count)

        highest = fold_row(b, size, -np.inf, larger(b), number)

        def power(at: Value, count: int) -> Value:
            result = exp(b, b.fsub(number(at, count), highest))
            if not kernel.logarithm:
                b.write(result, b.at(y_at, at), count)
            return result

        total = fold_row(b, size, 0, b.fadd, power)
        shift = log(b, total)

        def finish(at: Value, count: int) -> None:
            if kernel.logarithm:
                result = b.fsub(b.fsub(number(at, count), highest), shift)
            else:
                result = b.fdiv(b.read(b.at(y_at, at), count), total)
            b.write(result, b.at(y_at, at), count)

        each_vector(b, size, finish)

    key = "softmax", size, kernel.logarithm
    others = [i for i in range(y.ndim) if i != axis]
    shape = [y.shape[i] for i in others]
    strides = [[array.strides[i] for i in others] for array in (y, x)]
    emit_lines(module, [module.place(y), module.place(x)], shape, strides, lambda b, at: b.call(
        module.shared_function(key, 2, 0, build), [at[1], at[0]]), key=key)  # fmt: skip
    return True


def _softmax_across(module: Module, x: np.ndarray, y: np.ndarray, axis: int, logarithm: bool) -> bool:
    """The same of rows that lie side by side, a row in each lane of a vector."""
    lanes = next((i for i in range(y.ndim) if i != axis and x.strides[i] == y.strides[i] == 4 and y.shape[i] > 1), None)
    if lanes is None:
        return False
    size, of, to = y.shape[axis], x.strides[axis], y.strides[axis]
    key = "softmax across", size, of, to, logarithm
    axes = [(size, 1)]

    def build(count: int) -> Callable[..., None]:
        def columns(b: VectorBuilder, y_at: Value, x_at: Value) -> None:
            def number(i: Value) -> Value:
                return b.read(b.at(x_at, b.times(i, of)), count)

            highest = fold_lanes(b, axes, -np.inf, larger(b), number)

            def power(i: Value) -> Value:
                result = exp(b, b.fsub(number(i), highest))
                if not logarithm:
                    b.write(result, b.at(y_at, b.times(i, to)), count)
                return result

            total = fold_lanes(b, axes, 0, b.fadd, power)
            shift = log(b, total)

            def finish(i: Value) -> None:
                there = b.at(y_at, b.times(i, to))
                value = b.fsub(b.fsub(number(i), highest), shift) if logarithm else b.fdiv(b.read(there, count), total)
                b.write(value, there, count)

            b.each(size, finish)

        return columns

    def strip(b: VectorBuilder, at: list[Value], count: int) -> None:
        b.call(module.shared_function((*key, count), 2, 0, build(count)), at)

    others = [i for i in range(y.ndim) if i not in (axis, lanes)]
    strides = [[array.strides[i] for i in others] for array in (y, x)]
    shape = [y.shape[i] for i in others]
    emit_strips(module, [module.place(y), module.place(x)], shape, strides, y.shape[lanes], [4, 4], strip, key)
    return True


@emits(RowNorm)
def row_norm(module: Module, kernel: RowNorm, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """The mean, then the variance around it, then the result: three loops."""
    size = len(kernel.one_over_n)
    x, y = rows_of(inputs[0].array, size), rows_of(outputs[0].array, size)
    if x is None or y is None or x.strides[1] != 4 or y.strides[1] != 4:
        return False
    weight, bias = kernel.weight, kernel.bias

    def build(b: VectorBuilder, x_at: Value, y_at: Value, weight_at: Value, bias_at: Value) -> None:
        def number(at: Value, count: int) -> Value:
            return b.read(b.at(x_at, at), count)

        share = b.splat(1 / size)
        mean = b.fmul(fold_row(b, size, 0, b.fadd, number), share) if kernel.centred else b.splat(0)

        def square(at: Value, count: int) -> Value:
            away = b.fsub(number(at, count), mean)
            return b.fmul(away, away)

        variance = b.fmul(fold_row(b, size, 0, b.fadd, square), share)
        root = b.intrinsic("sqrt", b.fadd(variance, b.splat(float(kernel.eps))))
        factor = b.fdiv(b.splat(1), root)

        def finish(at: Value, count: int) -> None:
            result = b.fmul(b.fsub(number(at, count), mean), factor)
            if weight is not None:
                result = b.fmul(result, b.read(b.at(weight_at, at), count))
            if bias is not None:
                result = b.fadd(result, b.read(b.at(bias_at, at), count))
            b.write(result, b.at(y_at, at), count)

        each_vector(b, size, finish)

    key = "row norm", size, kernel.centred, float(kernel.eps), weight is None, bias is None
    there = module.place(y)
    places = [there, module.place(x), *(there if each is None else module.weight(each) for each in (weight, bias))]
    nowhere = [0]
    strides = [[y.strides[0]], [x.strides[0]], nowhere, nowhere]

    def line(b: VectorBuilder, at: list[Value]) -> None:
        b.call(module.shared_function(key, 4, 0, build), [at[1], at[0], at[2], at[3]])

    emit_lines(module, places, [len(y)], strides, line, key=key)
    return True
