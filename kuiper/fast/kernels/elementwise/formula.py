"""Formulas of every element: expressions, elementwise functions, and normalization by constant numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kuiper.errors import InputCountError, KuiperError
from kuiper.expression import FUNCTIONS, TokenNode, TokenType
from kuiper.expression import fold as fold_polish
from kuiper.expression.functions import call
from kuiper.fast.kernels.base.buffer import Buffer, Spec
from kuiper.fast.kernels.base.calls import Call, Stage
from kuiper.fast.kernels.base.kernel import ImageLayout, Kernel, Step, lowers
from kuiper.fast.kernels.base.rows import lengthened
from kuiper.fast.kernels.base.samples import by_element
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.elementwise.program import Argument, Program, ProgramValue, calls_on, registers
from kuiper.fast.kernels.elementwise.ufunc import lower_ufunc
from kuiper.fast.kernels.elementwise.walk import thread_tiles, walk
from kuiper.layers.elementwise.activation import PReLU
from kuiper.layers.elementwise.elementwise import LAYERS
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.layers.normalization.normalization import BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d
from kuiper.scalars import Function
from kuiper.scalars.steps import NotCompiled, clip

_FAST = {np.add, np.subtract, np.multiply, np.divide, np.negative, np.abs, np.maximum, np.minimum, clip}


class FormulaKernel(Kernel):
    """(...), (...), ... -> the broadcast shape: a program, tile by tile.

    Parts of the formula that are smaller than the result, such as a gate of one number per channel, are computed
    first, and whole.

    Parameters
    ----------
    program : its last operation gives the output.
    slots : which of the operator's inputs the program's first inputs are.
    constants : the program's other inputs.
    """

    label = "Elementwise"
    output_layout: ImageLayout = "like input"
    by_sample = by_element

    def __init__(self, program: Program, slots: Sequence[int], constants: Sequence[np.ndarray] = ()) -> None:
        self.program, self.slots, self.constants = program, slots, constants
        self.small, self.full = program.split()
        self.registers = registers(self.full)
        self.nanoseconds = sum(0.1 if operation.function in _FAST else 0.5 for operation in self.full)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The program's calls: first on the small arrays, then on every tile of the large ones."""
        arrays = dict(enumerate([*(inputs[slot].array for slot in self.slots), *self.constants]))
        arrays |= {operation.result.number: space.shared(operation.result.shape) for operation in self.small}
        first = calls_on(self.small, arrays)
        read = sorted({value.number for operation in self.full for value in operation.reads()} & arrays.keys())
        walked = walk(outputs[0].array, *(arrays[number] for number in read))
        inputs_end = len(self.slots) + len(self.constants)
        fixed = [False, *(len(self.slots) <= number < inputs_end for number in read)]
        regions, repeat = lengthened(walked, fixed, space.shared)
        stage: Stage = [[] for _ in range(space.threads)]
        for target, *sources in regions:
            for thread, parts in enumerate(thread_tiles(target.shape, space, self.nanoseconds)):
                for part in parts:
                    with space.reused(thread):
                        tile = dict(zip(read, (x[part] for x in sources)))
                        stage[thread] += self._tile(target[part], tile, space, thread)
        stages = [[first], [repeat], [work for work in stage if work]]
        return [each for each in stages if any(each)]

    def _tile(self, target: np.ndarray, arrays: dict[int, np.ndarray], space: Workspace, thread: int) -> list[Call]:
        """The calls for one tile; `arrays` are the tile's parts of what the operations read."""
        held = [target, *(space.own(thread, target.shape) for _ in range(max(self.registers.values())))]
        arrays |= {index: held[register] for index, register in self.registers.items()}
        return calls_on(self.full, arrays)


def _start(step: Step) -> tuple[Program, list[int], dict[int, ProgramValue]]:
    """A program whose inputs are the step's arrays of float32: with their slots, and each slot's value."""
    shapes = {slot: spec.shape for slot, spec in enumerate(step.inputs) if spec.is_float and spec.shape is not None}
    program = Program(shapes.values())
    return program, list(shapes), dict(zip(shapes, program.inputs))


def _finish(step: Step, program: Program, slots: list[int], result: Argument, *constants: np.ndarray) -> Kernel | None:
    """The kernel, if `result` is the last operation and what the step is known to give."""
    if not program.operations or result is not program.operations[-1].result:
        return None
    known = [spec.shape for spec in step.outputs if spec.is_float] == [program.operations[-1].result.shape]
    return FormulaKernel(program, slots, constants) if known else None


@lowers(ExpressionLayer)
def lower_expression(step: Step) -> Kernel | None:
    """A formula of arrays of float32 and numbers."""
    program, slots, values = _start(step)

    def leaf(node: TokenNode) -> Argument:
        if node.token.type is TokenType.OPERAND:
            return _operand(step.inputs[node.num_index], values, node.num_index)
        if node.token.type in (TokenType.INTEGER, TokenType.FLOAT):
            return node.token.value
        raise NotCompiled(node.text)

    def function(node: TokenNode, operands: list[Argument]) -> Argument:
        if node.token.type is not TokenType.FUNCTION:
            raise NotCompiled(node.text)
        return _apply(program, FUNCTIONS[node.text], operands)

    try:
        return _finish(step, program, slots, fold_polish(step.layer.order, leaf, function))
    except NotCompiled:
        *operands, last = step.layer.order
        one_function = last.token.type is TokenType.FUNCTION and len(last.children) == len(operands)
        if not one_function or any(node.token.type is not TokenType.OPERAND for node in operands):
            return None
        return lower_ufunc(step, FUNCTIONS[last.text], [node.num_index for node in operands])


@lowers(*(one for one in LAYERS.values() if one.function.steps or isinstance(one.function.compute, np.ufunc)))
def lower_elementwise(step: Step) -> Kernel | None:
    """A function that stands alone."""
    if step.layer.input is None and step.layer.other is None and not all(spec.is_float for spec in step.inputs):
        return lower_ufunc(step, step.layer.function, range(len(step.inputs)))
    if step.layer.function.steps is None:
        return None
    program, slots, values = _start(step)
    try:
        operands = step.layer.values(*(_operand(spec, values, slot) for slot, spec in enumerate(step.inputs)))
        return _finish(step, program, slots, _apply(program, step.layer.function, operands))
    except (InputCountError, NotCompiled):
        return None


def _operand(spec: Spec, values: dict[int, ProgramValue], slot: int) -> Argument:
    """What an operator's input is in a program. Raises NotCompiled for what is no array of float32 and no number."""
    if spec.is_float:
        return values[slot]
    if spec.constant and spec.shape is None and _is_real(spec.value):
        return spec.value
    raise NotCompiled(f"input {slot}")


def _apply(program: Program, function: Function, operands: Sequence[Argument]) -> Argument:
    """The result of one function; numbers among themselves stay Python's, as in kuiper.expression.

    Raises NotCompiled for a function without steps, or without a number as its result.
    """
    if any(isinstance(x, ProgramValue) for x in operands):
        if function.steps is None:
            raise NotCompiled(function.name)
        result = function.steps(program.apply, *operands)
        if not isinstance(result, (ProgramValue, int, float)):
            raise KuiperError(f"steps of {function.name}: expected the result of an apply returned, found {result!r}")
        return result
    try:
        result = call(function.name, *operands)
    except KuiperError:
        raise NotCompiled(function.name) from None
    if not _is_real(result):
        raise NotCompiled(function.name)
    return result


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, (bool, np.generic))


def is_addition(step: Step) -> bool:
    """Whether the step is x + y of two different arrays of float32 of the same shape, and nothing else."""
    if not isinstance(step.layer, ExpressionLayer) or len(step.inputs) != 2:
        return False
    x, y = step.inputs
    known = x.is_float and y.is_float and x.shape == y.shape
    return known and [token.text for token in step.layer.order] in (["@0", "@1", "add"], ["@1", "@0", "add"])


def channel_affine(step: Step) -> tuple[np.ndarray, np.ndarray] | None:
    """(scale, shift), each (C,), for a BatchNorm that is x scale + shift per channel (axis 1); None for other nodes.

    A BatchNorm without running statistics, or of an input that it refuses, is none.
    """
    layer = step.layer
    if type(layer) not in (BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d) or len(step.inputs) != 1:
        return None
    mean, variance, shape = layer.running_mean, layer.running_var, step.inputs[0].shape
    arrays = [x for x in (mean, variance, layer.weight, layer.bias) if x is not None]
    if mean is None or variance is None or any(x.dtype != np.float32 for x in arrays):
        return None
    if not step.inputs[0].is_float or shape is None or len(shape) < 2 or shape[1] != mean.size:
        return None
    if layer.ranks and len(shape) not in layer.ranks:
        return None
    scale = 1 / np.sqrt(variance + np.float32(layer.eps))
    if layer.weight is not None:
        scale = scale * layer.weight
    shift = -mean * scale
    return scale, shift if layer.bias is None else shift + layer.bias


@lowers(BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d)
def lower_batch_norm(step: Step) -> Kernel | None:
    """x scale + shift, with two numbers per channel."""
    affine = channel_affine(step)
    if affine is None:
        return None
    constants = [_per_channel(numbers, step.inputs[0].shape) for numbers in affine]
    program = Program([step.inputs[0].shape or (), *(numbers.shape for numbers in constants)])
    x, scale, shift = program.inputs
    return _finish(step, program, [0], program.apply(np.add, program.apply(np.multiply, x, scale), shift), *constants)


@lowers(PReLU)
def lower_prelu(step: Step) -> Kernel | None:
    """The larger of x and weight x where no weight is above 1; max(x, 0) + weight min(x, 0) otherwise."""
    weight, shape = step.layer.weight.reshape(-1), step.inputs[0].shape
    if len(step.inputs) != 1 or not step.inputs[0].is_float or shape is None or weight.dtype != np.float32:
        return None
    if weight.size != 1 and (len(shape) < 2 or shape[1] != weight.size):
        return None
    weight = _per_channel(weight, shape) if len(shape) > 1 else weight.reshape(())
    program = Program([shape, weight.shape])
    x, slope = program.inputs
    if (weight <= 1).all() and weight.all():  # 0 times infinity is NaN
        result = program.apply(np.maximum, x, program.apply(np.multiply, x, slope))
    else:
        below = program.apply(np.multiply, program.apply(clip, x, -np.inf, 0), slope)
        result = program.apply(np.add, program.apply(clip, x, 0, np.inf), below)
    return _finish(step, program, [0], result, weight)


def _per_channel(numbers: np.ndarray, shape: Sequence[int] | None) -> np.ndarray:
    """(C,) -> (C, 1, ...), which broadcasts with an array of `shape`, (N, C, ...)."""
    assert shape is not None
    return numbers.reshape(-1, *(1,) * (len(shape) - 2))
