"""Linear: products with weights that are known when the plan is made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage, copies
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import all_but_last
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.matrices import NANOSECONDS_PER_MULTIPLY, UNIT, blas_takes, fit, rows_of, unit_spans
from kuiper.layers.linear.linear import Linear
from kuiper.quantize import PIECE, QuantizedWeight, integer_product, quantized_rows

NANOSECONDS_PER_WEIGHT = 0.05
"""Of reading the weights, which bounds a product with few rows."""
NANOSECONDS_TO_WIDEN = 0.3
"""Of making one number of a weight in fewer bits float32."""
LARGE = 1 << 20
"""Bytes of a weight that no cache keeps from one pass to the next."""
CACHED = 1 << 15
"""Elements of a tile of rows: it stays in the cache for the epilogue."""


class LinearKernel(Kernel):
    """x (..., I) -> activation(x @ weight.T + bias + residual), (..., O).

    Parameters: weight (O, I), bias (O,) or None, packs as Step's, slot, which input is x. The weight is used
    transposed, (I, O): BLAS is 10 % faster with rows that lie so, and several times where x has few of them. A large
    one that meets a single row is read from memory as it lies; a copy of it would gain little, and take as much again.
    """

    label = "Linear"
    by_sample = all_but_last(1)

    def __init__(
        self, weight: np.ndarray, bias: np.ndarray | None, packs: dict[str, np.ndarray] | None = None, slot: int = 0
    ) -> None:
        self.weight, self.packs, self.slot = weight, {} if packs is None else packs, slot
        self.epilogue: Epilogue = Epilogue(bias)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Copies of arrays that are not rows, the product, and a copy back."""
        residual = inputs[-1].array if self.epilogue.residual else None
        x = inputs[self.slot].array
        alone = x.size == x.shape[-1] and self.weight.nbytes >= LARGE
        weight, epilogue = (self.weight.T, self.epilogue) if alone else self.scaled()
        return product(x, weight, epilogue, outputs[0].array, residual, space)

    def scaled(self) -> tuple[np.ndarray, Epilogue]:
        """The weight (I, O) and the epilogue; a factor with which the activation starts goes into weight and bias."""
        epilogue, factor = self.epilogue, 1.0
        if epilogue.activation is not None and not epilogue.residual:
            factor = epilogue.activation.factor
            bias = None if epilogue.bias is None else epilogue.bias * np.float32(factor)
            epilogue = Epilogue(bias, False, epilogue.activation.without_factor)
        name = f"transposed times {factor}"
        if name not in self.packs:
            self.packs[name] = transposed(self.weight)
            if factor != 1:
                self.packs[name] *= np.float32(factor)
        return self.packs[name], epilogue


class CompactLinearKernel(Kernel):
    """The same with a weight (O, I) in fewer bits, which stays so: numpy has no product with int8 or float16.

    Each thread makes some rows of the weight float32 in a scratch array, and multiplies by them, then by the next.
    With activations of 8 bits x is rounded first, and whole numbers are multiplied.
    """

    label = "Linear"
    by_sample = all_but_last(1)

    def __init__(self, weight: QuantizedWeight, bias: np.ndarray | None, activation_bits: int = 32) -> None:
        self.weight, self.activation_bits = weight, activation_bits
        self.epilogue: Epilogue = Epilogue(bias)

    @property
    def name(self) -> str:
        """With the type of the weight's numbers."""
        activations = " x int8" if self.activation_bits == 8 else ""
        return f"{super().name}({self.weight.values.dtype}{activations})"

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Copies of arrays that are not rows, then for each thread its columns of y, and a copy back."""
        y, stages = outputs[0].array, list[Stage]()
        x = in_rows(inputs[0].array, space, stages)
        residual = in_rows(inputs[-1].array, space, stages) if self.epilogue.residual else None
        target = rows_of(y)
        result = space.shared(y.shape).reshape(-1, y.shape[-1]) if target is None else target
        nanoseconds = NANOSECONDS_TO_WIDEN + NANOSECONDS_PER_MULTIPLY * len(x)
        threads = space.threads_for(nanoseconds * math.prod(self.weight.shape))
        integers = None
        if self.activation_bits == 8:
            blocks = self.weight.shape[1] // self.weight.block
            integers = space.shared(x.shape, np.int8), space.shared((len(x), blocks))
            stages.append([[partial(_round, x, self.weight.block, *integers)]])
        stages.append(
            [
                self._columns(x, integers, result, residual, columns, space, thread)
                for thread, columns in enumerate(unit_spans(len(self.weight), threads))
            ]
        )
        if target is None:
            stages.append(copies(result.reshape(y.shape), y, space))
        return stages

    def _columns(
        self, x: np.ndarray, integers: tuple[np.ndarray, np.ndarray] | None, y: np.ndarray,
        residual: np.ndarray | None, columns: slice, space: Workspace, thread: int,
    ) -> list[Call]:  # fmt: skip
        """The calls that compute some columns of y (M, O) from x, or from its integers and scales."""
        target = y[:, columns]
        source = target if blas_takes(target) else space.own(thread, target.shape)
        calls: list[Call] = []
        step = max(1, PIECE // self.weight.shape[1])
        for start in range(columns.start, columns.stop, step):
            rows = slice(start, min(start + step, columns.stop))
            part = source[:, start - columns.start : rows.stop - columns.start]
            if integers is not None:
                calls.append(partial(_multiply, *integers, self.weight, rows, part))
                continue
            with space.reused(thread):
                tile = space.own(thread, (rows.stop - start, self.weight.shape[1]))
                calls += _widened(self.weight, rows, tile)
                calls.append(partial(np.matmul, x, tile.T, part))
        last = self.epilogue.columns(columns)
        for rows in tiles_of(target.shape):
            with space.reused(thread):
                added = None if residual is None else residual[rows, columns]
                calls += last.calls(source[rows], target[rows], added, space, thread)
        return calls


def _round(x: np.ndarray, block: int, values: np.ndarray, scale: np.ndarray) -> None:
    values[...], scale[...] = quantized_rows(x, block)


def _multiply(values: np.ndarray, scale: np.ndarray, weight: QuantizedWeight, rows: slice, y: np.ndarray) -> None:
    y[...] = integer_product(values, scale, weight, rows)


def _widened(weight: QuantizedWeight, rows: slice, tile: np.ndarray) -> list[Call]:
    """tile = weight[rows], without further memory."""
    calls: list[Call] = [partial(np.copyto, tile, weight.values[rows])]
    if weight.scale is not None:
        scale = weight.scale[rows].reshape(len(tile), -1, 1)
        parts = tile.reshape(len(tile), -1, weight.block)
        calls.append(partial(np.multiply, parts, scale, parts))
    return calls


def transposed(weight: np.ndarray) -> np.ndarray:
    """(O, I) -> (I, O): what x is multiplied by, an array of its own.

    Copied a cache line's worth of rows at a time, which is several times faster than all at once.
    """
    packed = np.empty(weight.shape[::-1], np.float32)
    for start in range(0, len(weight), UNIT):
        packed[:, start : start + UNIT] = weight[start : start + UNIT].T
    return packed


def product(
    x: np.ndarray,
    weight: np.ndarray,
    epilogue: Epilogue,
    y: np.ndarray,
    residual: np.ndarray | None,
    space: Workspace,
) -> list[Stage]:
    """The stages for y = epilogue(x @ weight): x (..., I), weight (I, O), y and residual (..., O), with any strides."""
    stages: list[Stage] = []
    rows = in_rows(x, space, stages)
    added = None if residual is None else in_rows(residual, space, stages)
    target = rows_of(y)
    scratch = space.shared(y.shape) if target is None else y
    result = scratch.reshape(-1, y.shape[-1]) if target is None else target
    stages.append(_product(rows, weight, epilogue, result, added, space))
    if target is None:
        stages.append(copies(scratch, y, space))
    return stages


def in_rows(x: np.ndarray, space: Workspace, before: list[Stage], size: int | None = None) -> np.ndarray:
    """(...) -> (M, size), rows that BLAS takes: a view, or a scratch copy that a stage added to `before` makes.

    size : elements of a row; the last axis when None.
    """
    rows = rows_of(x, size)
    if rows is not None and blas_takes(rows):
        return rows
    copy = space.shared(x.shape)
    before.append(copies(x, copy, space))
    return copy.reshape(-1, size or x.shape[-1])


def _product(
    x: np.ndarray, weight: np.ndarray, epilogue: Epilogue, y: np.ndarray, residual: np.ndarray | None, space: Workspace
) -> Stage:
    """One product per thread, then the epilogue on tiles of rows."""
    work = max(NANOSECONDS_PER_WEIGHT, NANOSECONDS_PER_MULTIPLY * len(x)) * weight.size
    stage: Stage = []
    for thread, (rows, columns) in enumerate(cuts(y.shape, space.threads_for(work))):
        target = y[rows, columns]
        source = target if blas_takes(target) else space.own(thread, target.shape)
        last = epilogue.columns(columns)
        calls: list[Call] = [partial(np.matmul, x[rows], weight[:, columns], source)]
        for part in tiles_of(target.shape):
            with space.reused(thread):
                to = target[part]
                tile = to if source is target else source[part]
                added = None if residual is None else residual[rows, columns][part]
                calls += last.calls(tile, to, added, space, thread)
        stage.append(calls)
    return stage


def cuts(shape: tuple[int, ...], threads: int) -> Iterator[tuple[slice, slice]]:
    """Rows and columns of a product (M, O) for each thread.

    Threads share columns and all read x, or share rows and all read the weight: whichever is smaller.
    """
    rows, columns = shape
    if rows < columns and columns >= UNIT * threads:
        for part in unit_spans(columns, threads):
            yield slice(0, rows), part
    else:
        for part in unit_spans(rows, threads, min(UNIT, max(rows // threads, 1))):
            yield part, slice(0, columns)


def tiles_of(shape: tuple[int, ...], size: int | None = None) -> Iterator[slice]:
    """Tiles of rows of an array (M, O) with at most `size` elements, but at least a row; CACHED when None."""
    step = max((size or CACHED) // shape[1], 1)
    for start in range(0, shape[0], step):
        yield slice(start, min(start + step, shape[0]))


@lowers(Linear)
def linear(step: Step) -> Kernel | None:
    """float32, weight (O, I) or one in fewer bits, bias (O,) or None."""
    layer = step.layer
    weight, bias = layer.weight, layer.bias
    if len(step.inputs) != 1 or not fit(*step.inputs, *step.outputs) or weight.ndim != 2 or 0 in weight.shape:
        return None
    if step.inputs[0].shape[-1:] != weight.shape[1:]:  # type: ignore[index]
        return None
    if bias is not None and (bias.dtype != np.float32 or bias.shape != weight.shape[:1]):
        return None
    if isinstance(weight, QuantizedWeight):
        return CompactLinearKernel(weight, bias, layer.activation_bits)
    if weight.dtype != np.float32:
        return None
    return LinearKernel(weight, bias, step.packs)
