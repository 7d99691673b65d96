"""Formulas of every element: expressions, elementwise functions, and normalization by constant numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kuiper.errors import InferError
from kuiper.fast.kernel import Call, Kernel, Layout, Node, Stage, lowers
from kuiper.fast.kernels.formulas import apply, evaluate, operand
from kuiper.fast.kernels.program import Operand, Operation, Program, Value, registers
from kuiper.fast.kernels.walk import lane_tiles, walk
from kuiper.fast.place import Place
from kuiper.fast.rows import lengthened
from kuiper.fast.workspace import Workspace
from kuiper.layers.elementwise.activation import PReLU
from kuiper.layers.elementwise.elementwise import LAYERS
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.layers.normalization.normalization import BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d
from kuiper.scalars.steps import NotCompiled, clip

_FAST = {np.add, np.subtract, np.multiply, np.divide, np.negative, np.abs, np.maximum, np.minimum, clip}


class Pointwise(Kernel):
    """(...), (...), ... -> the broadcast shape: a program, tile by tile.

    Parts of the formula that are smaller than the result, such as a gate of one number per channel, are computed
    first, and whole.

    Parameters
    ----------
    program : its last operation gives the output.
    slots : which of the operator's inputs the program's first inputs are.
    constants : the program's other inputs.
    """

    layout: Layout = "like input"

    def __init__(self, program: Program, slots: Sequence[int], constants: Sequence[np.ndarray] = ()) -> None:
        self.program, self.slots, self.constants = program, slots, constants
        self.small, self.full = program.split()
        self.registers = registers(self.full)
        self.nanoseconds = sum(0.1 if operation.function in _FAST else 0.5 for operation in self.full)

    def bind(self, inputs: Sequence[Place], outputs: Sequence[Place], space: Workspace) -> list[Stage]:
        """The program's calls: first on the small arrays, then on every tile of the large ones."""
        arrays = dict(enumerate([*(inputs[slot].array for slot in self.slots), *self.constants]))
        first: list[Call] = []
        for operation in self.small:
            arrays[operation.result.number] = space.shared(operation.result.shape)
            first.append(_call(operation, arrays))
        read = sorted({value.number for operation in self.full for value in operation.reads()} & arrays.keys())
        walked = walk(outputs[0].array, *(arrays[number] for number in read))
        inputs_end = len(self.slots) + len(self.constants)
        fixed = [False, *(len(self.slots) <= number < inputs_end for number in read)]
        regions, repeat = lengthened(walked, fixed, space.shared)
        stage: Stage = [[] for _ in range(space.lanes)]
        for target, *sources in regions:
            for lane, parts in enumerate(lane_tiles(target.shape, space, self.nanoseconds)):
                for part in parts:
                    with space.tile(lane):
                        tile = dict(zip(read, (x[part] for x in sources)))
                        stage[lane] += self._tile(target[part], tile, space, lane)
        stages = [[first], [repeat], [calls for calls in stage if calls]]
        return [each for each in stages if any(each)]

    def _tile(self, target: np.ndarray, arrays: dict[int, np.ndarray], space: Workspace, lane: int) -> list[Call]:
        """The calls for one tile; `arrays` are the tile's parts of what the operations read."""
        held = [target, *(space.own(lane, target.shape) for _ in range(max(self.registers.values())))]
        arrays |= {index: held[register] for index, register in self.registers.items()}
        return [_call(operation, arrays) for operation in self.full]


def _call(operation: Operation, arrays: dict[int, np.ndarray]) -> Call:
    operands = [arrays[x.number] if isinstance(x, Value) else x for x in operation.operands]
    return partial(operation.function, *operands, out=arrays[operation.result.number])


def _start(node: Node) -> tuple[Program, list[int], dict[int, Value]]:
    """A program whose inputs are the node's arrays of float32: with their slots, and each slot's value."""
    shapes = {slot: spec.shape for slot, spec in enumerate(node.inputs) if spec.is_float and spec.shape is not None}
    program = Program(shapes.values())
    return program, list(shapes), dict(zip(shapes, program.inputs))


def _finish(node: Node, program: Program, slots: list[int], result: Operand, *constants: np.ndarray) -> Kernel | None:
    """The kernel, if `result` is the last operation and what the node is known to give."""
    if not program.operations or result is not program.operations[-1].result:
        return None
    known = [spec.shape for spec in node.outputs if spec.is_float] == [program.operations[-1].result.shape]
    return Pointwise(program, slots, constants) if known else None


@lowers(ExpressionLayer)
def lower_expression(node: Node) -> Kernel | None:
    """A formula of arrays of float32 and numbers."""
    program, slots, values = _start(node)
    try:
        return _finish(node, program, slots, evaluate(node.layer.order, node.inputs, program, values))
    except NotCompiled:
        return None


@lowers(*(layer for layer in LAYERS.values() if layer.function.steps))
def lower_elementwise(node: Node) -> Kernel | None:
    """A function that stands alone."""
    program, slots, values = _start(node)
    try:
        operands = node.layer.values(*(operand(spec, values, slot) for slot, spec in enumerate(node.inputs)))
        return _finish(node, program, slots, apply(program, node.layer.function, operands))
    except (InferError, NotCompiled):
        return None


def is_addition(node: Node) -> bool:
    """Whether the node is x + y of two different arrays of float32 of the same shape, and nothing else."""
    if not isinstance(node.layer, ExpressionLayer) or len(node.inputs) != 2:
        return False
    x, y = node.inputs
    known = x.is_float and y.is_float and x.shape == y.shape
    return known and [token.text for token in node.layer.order] in (["@0", "@1", "add"], ["@1", "@0", "add"])


def channel_affine(node: Node) -> tuple[np.ndarray, np.ndarray] | None:
    """(scale, shift), each (C,), for a BatchNorm that is x scale + shift per channel (axis 1); None for other nodes.

    A BatchNorm without running statistics, or of an input that it refuses, is none.
    """
    layer = node.layer
    if type(layer) not in (BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d) or len(node.inputs) != 1:
        return None
    mean, variance, shape = layer.running_mean, layer.running_var, node.inputs[0].shape
    arrays = [x for x in (mean, variance, layer.weight, layer.bias) if x is not None]
    if mean is None or variance is None or any(x.dtype != np.float32 for x in arrays):
        return None
    if not node.inputs[0].is_float or shape is None or len(shape) < 2 or shape[1] != mean.size:
        return None
    if layer.ranks and len(shape) not in layer.ranks:
        return None
    scale = 1 / np.sqrt(variance + np.float32(layer.eps))
    if layer.weight is not None:
        scale = scale * layer.weight
    shift = -mean * scale
    return scale, shift if layer.bias is None else shift + layer.bias


@lowers(BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d)
def lower_batch_norm(node: Node) -> Kernel | None:
    """x scale + shift, with two numbers per channel."""
    affine = channel_affine(node)
    if affine is None:
        return None
    constants = [_per_channel(numbers, node.inputs[0].shape) for numbers in affine]
    program = Program([node.inputs[0].shape or (), *(numbers.shape for numbers in constants)])
    x, scale, shift = program.inputs
    return _finish(node, program, [0], program.apply(np.add, program.apply(np.multiply, x, scale), shift), *constants)


@lowers(PReLU)
def lower_prelu(node: Node) -> Kernel | None:
    """The larger of x and weight x where no weight is above 1; max(x, 0) + weight min(x, 0) otherwise."""
    weight, shape = node.layer.weight.reshape(-1), node.inputs[0].shape
    if len(node.inputs) != 1 or not node.inputs[0].is_float or shape is None or weight.dtype != np.float32:
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
    return _finish(node, program, [0], result, weight)


def _per_channel(numbers: np.ndarray, shape: Sequence[int] | None) -> np.ndarray:
    """(C,) -> (C, 1, ...), which broadcasts with an array of `shape`, (N, C, ...)."""
    assert shape is not None
    return numbers.reshape(-1, *(1,) * (len(shape) - 2))
