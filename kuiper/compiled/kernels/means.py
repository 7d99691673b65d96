"""Means over any axes, and the norms of groups of channels, which are made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from kuiper.compiled.builder import Value, VectorBuilder
from kuiper.compiled.kernels.copies import crossed, emit_copy
from kuiper.compiled.kernels.folds import Combine, fold_lanes, fold_row, fold_rows
from kuiper.compiled.kernels.lines import each_vector, emit_lines, emit_strips
from kuiper.compiled.kernels.pointwise import Strided, emit_pointwise, merged, write_apart
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.norm.group_norm import GroupNormKernel
from kuiper.fast.kernels.pooling.adaptive import ImageMean, MeanOf

Fold = Callable[[Combine, Callable[[Value], Value]], Value]
"""fold(combine, of): `combine`, from 0 on, of of(x) for all vectors x that are folded."""


@dataclass(frozen=True)
class Folds:
    """How an array is folded over some of its axes.

    axes : the folded ones, (extent, bytes), outermost first.
    kept : the others.
    shape, strides : the whole array's.
    lanes : the kept axis along which numbers lie side by side, and vectors hold results; None: the last folded axis is
        the one, and a result is made of all lanes of a vector.
    """

    axes: tuple[tuple[int, int], ...]
    kept: tuple[int, ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    lanes: int | None

    @classmethod
    def of(cls, x: np.ndarray, axes: Sequence[int]) -> Folds | None:
        """None where no axis of more than one element has its numbers side by side."""
        kept = tuple(axis for axis in range(x.ndim) if axis not in axes)
        lanes = next((axis for axis in kept if x.strides[axis] == 4 and x.shape[axis] > 1), None)
        if lanes is not None:  # axes that are not joined have sums of their own, which round less
            folded = sorted(((x.shape[axis], x.strides[axis]) for axis in axes), key=lambda axis: -abs(axis[1]))
            return cls(tuple(folded) or ((1, 4),), kept, x.shape, x.strides, lanes)
        extents, (steps,) = merged([x.shape[axis] for axis in axes], [[x.strides[axis] for axis in axes]])
        return None if steps[-1] != 4 else cls(tuple(zip(extents, steps)), kept, x.shape, x.strides, None)

    def emit(
        self, module: Module, x: np.ndarray, results: Sequence[Strided], key: object,
        compute: Callable[[VectorBuilder, Fold], Sequence[Value]],
    ) -> None:  # fmt: skip
        """A part for all results: what compute(builder, fold) gives, each stored with its strides along `kept`."""
        others = [axis for axis in self.kept if axis != self.lanes]
        extent = 1 if self.lanes is None else self.shape[self.lanes]
        steps = [0 if self.lanes is None else strides[self.kept.index(self.lanes)] for _, strides in results]

        def build(count: int) -> Callable[..., None]:
            def one(b: VectorBuilder, x_at: Value, *at: Value) -> None:
                def fold(combine: Combine, of: Callable[[Value], Value]) -> Value:
                    if self.lanes is None:
                        return fold_rows(b, self.axes, 0, combine, lambda start, n: of(b.read(b.at(x_at, start), n)))
                    return fold_lanes(b, self.axes, 0, combine, lambda start: of(b.read(b.at(x_at, start), count)))

                for value, there, step in zip(compute(b, fold), at, steps):
                    write_apart(b, value, there, step or 4, count)

            return one

        def strip(b: VectorBuilder, at: list[Value], count: int) -> None:
            *results_at, x_at = at
            b.call(
                module.shared_function((key, self, steps, count), 1 + len(steps), 0, build(count)), [x_at, *results_at]
            )

        along = [[strides[self.kept.index(axis)] for axis in others] for _, strides in results]
        emit_strips(
            module, [*(place for place, _ in results), module.place(x)], [self.shape[axis] for axis in others],
            [*along, [self.strides[axis] for axis in others]], extent, [*steps, 4], strip,
        )  # fmt: skip


@emits(ImageMean)
def image_mean(module: Module, kernel: ImageMean, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """The mean of each channel."""
    y = outputs[0].array
    return _emit_mean(module, inputs[0].array, (2, 3), y if kernel.flat else y[:, :, 0, 0])


@emits(MeanOf)
def mean_of(module: Module, kernel: MeanOf, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """The mean over some axes."""
    y = outputs[0].array
    if kernel.keepdim:
        y = y[(*(0 if axis in kernel.axes else slice(None) for axis in range(y.ndim)), ...)]
    return _emit_mean(module, inputs[0].array, kernel.axes, y)


def _emit_mean(module: Module, x: np.ndarray, axes: Sequence[int], y: np.ndarray) -> bool:
    """y[kept axes] = the mean over the other ones; False where no numbers lie side by side."""
    folds = Folds.of(x, axes)
    if folds is None:
        return False
    share = 1 / prod(x.shape[axis] for axis in axes)

    def mean(b: VectorBuilder, fold: Fold) -> list[Value]:
        return [b.fmul(fold(b.fadd, lambda value: value), b.splat(share))]

    folds.emit(module, x, [(module.place(y), y.strides)], "mean", mean)
    return True


@emits(GroupNormKernel)
def group_norm(module: Module, kernel: GroupNormKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Mean and variance of each channel, from these the scale and shift of each, then x * scale + shift.

    The variance of a group is the mean of its channels' variances and of the squares of their means' distances.
    """
    x, y = inputs[0].array, outputs[0].array
    pixels = tuple(range(2, x.ndim))
    folds = Folds.of(x, pixels)
    turned = folds is None or crossed(y.shape, y.strides, x.strides) is not None
    if turned:
        folds = Folds.of(y, pixels)
    if folds is None:
        return False
    if turned:
        emit_copy(module, x, y)
        x = y
    samples, channels = x.shape[:2]
    by_channel = 4 * channels, 4
    scale, shift = (module.shared(samples * channels) for _ in range(2))
    share = 1 / prod(x.shape[2:])

    def moments(b: VectorBuilder, fold: Fold) -> list[Value]:
        mean = b.fmul(fold(b.fadd, lambda value: value), b.splat(share))

        def square(value: Value) -> Value:
            away = b.fsub(value, mean)
            return b.fmul(away, away)

        return [mean, b.fmul(fold(b.fadd, square), b.splat(share))]

    folds.emit(module, x, [(scale, by_channel), (shift, by_channel)], "moments", moments)
    size = channels // kernel.groups
    weight, bias = kernel.weight, kernel.bias
    eps = float(kernel.eps)

    def combine(b: VectorBuilder, scale_at: Value, shift_at: Value, weight_at: Value, bias_at: Value) -> None:
        """Means and variances of the channels of a group, or of groups of one channel, become their scale and shift."""

        def number(pointer: Value, at: Value, count: int) -> Value:
            return b.read(b.at(pointer, at), count)

        def spread(at: Value, count: int) -> Value:
            away = b.fsub(number(scale_at, at, count), centre)
            return b.fmadd(away, away, number(shift_at, at, count))

        def factor_of(variance: Value) -> Value:
            return b.fdiv(b.splat(1), b.intrinsic("sqrt", b.fadd(variance, b.splat(eps))))

        if size > 1:
            of_group = b.splat(1 / size)
            centre = b.fmul(fold_row(b, size, 0, b.fadd, lambda at, n: number(scale_at, at, n)), of_group)
            factor = factor_of(b.fmul(fold_row(b, size, 0, b.fadd, spread), of_group))

        def finish(at: Value, count: int) -> None:
            mean = centre if size > 1 else number(scale_at, at, count)
            result = factor if size > 1 else factor_of(number(shift_at, at, count))
            if weight is not None:
                result = b.fmul(result, number(weight_at, at, count))
            away = b.fneg(b.fmul(mean, result))
            if bias is not None:
                away = b.fadd(away, number(bias_at, at, count))
            b.write(result, b.at(scale_at, at), count)
            b.write(away, b.at(shift_at, at), count)

        each_vector(b, size if size > 1 else channels, finish)

    key = "group norm", size, channels, eps, weight is None, bias is None
    places = [scale, shift, *(scale if each is None else module.weight(each) for each in (weight, bias))]
    shape = (samples, kernel.groups) if size > 1 else (samples, 1)
    sample, group = (4 * channels, 4 * size), (0, 4 * size)
    emit_lines(module, places, shape, [sample, sample, group, group], lambda b, at: b.call(
        module.shared_function(key, 4, 0, combine), at[:4]))  # fmt: skip
    beside = (*by_channel, *(0,) * len(pixels))
    emit_pointwise(
        module, (module.place(y), y.strides), [(module.place(x), x.strides), (scale, beside), (shift, beside)], y.shape,
        lambda b, value, scale, shift: b.fmadd(value, scale, shift), "scale and shift",
    )  # fmt: skip
    return True
