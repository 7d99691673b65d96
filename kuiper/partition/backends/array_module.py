"""Back end "cupy", and one for any other module with numpy's functions: operators made of those functions."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from kuiper.dtypes import finite_or_not
from kuiper.errors import KuiperError
from kuiper.expression import TokenNode, TokenType, fold, parse, reverse_polish
from kuiper.fast.kernels.elementwise.activation import ACTIVATIONS, activation_of
from kuiper.graph import Operand, Operator
from kuiper.layers.arrays.joining import Cat
from kuiper.layers.arrays.shape import Flatten
from kuiper.layers.arrays.structure import StoredArray
from kuiper.layers.elementwise.elementwise import LAYERS, Elementwise
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d
from kuiper.layers.image.convolution import Conv2d
from kuiper.layers.image.pooling import MaxPool2d
from kuiper.layers.layer import FunctionLayer
from kuiper.layers.linear.linear import Linear
from kuiper.partition.backends.protocol import Backend, Program, program_of
from kuiper.partition.backends.writers import CannotExpressError, Writers, expect
from kuiper.quantize import dequantized
from kuiper.runtime import RuntimeGraph
from kuiper.scalars import EXPRESSION
from kuiper.scalars.steps import Apply

Call = Callable[..., Any]
"""An operator made ready: its inputs -> its output."""
makes: Writers[Callable[[Any, Operator, Any], Call]] = Writers("no way to compute {}")
"""Layer class -> what makes the call of an operator with such a layer, given the module."""


class ArrayModule(Backend):
    """Operators computed with the functions of a module; `name` is how messages call it."""

    def __init__(self, module: Any, name: str) -> None:
        self.module, self.name = module, name

    def refusal(self, operator: Operator) -> str | None:
        """There is no such operator here, or an option is none that it has."""
        try:
            self._made(operator)
        except KuiperError as error:
            return f"{self.name}: {error.message}"
        return None

    def compile(self, graph: RuntimeGraph) -> Program:
        """A program that makes the calls in order."""
        for op in graph.operators:
            if op.layer is not None:
                op.layer, op.inputs = self._made(op)
        return program_of(graph)

    def _made(self, op: Operator) -> tuple[FunctionLayer, list[Operand]]:
        """What computes an operator, and the inputs that it takes."""
        make, op = makes.find(op)
        return FunctionLayer(make(self.module, op, op.layer)), op.inputs


class CuPy(ArrayModule):
    """Arrays in the memory of an NVIDIA GPU. Raises ModuleNotFoundError where there is no cupy."""

    def __init__(self) -> None:
        self.cupy: Any = importlib.import_module("cupy")
        super().__init__(self.cupy, "cupy")

    def put(self, x: np.ndarray) -> Any:
        """A copy in the GPU's memory."""
        return self.cupy.array(x)

    def get(self, x: Any) -> np.ndarray:
        """A copy as a numpy array."""
        array: np.ndarray = self.cupy.asnumpy(x)
        return array


@makes(StoredArray)
def constant(xp: Any, op: Operator, layer: StoredArray) -> Call:
    """A stored array."""
    array = xp.asarray(dequantized(layer.data))
    return lambda: array


@makes(Conv2d)
def convolution(xp: Any, op: Operator, layer: Conv2d) -> Call:
    """For each place of the kernel, a matrix product with the input shifted that far."""
    expect(op, layer, padding_mode="zeros")
    groups, channels = layer.groups, layer.out_channels
    pads = ((0, 0), (0, 0), layer.pads[:2], layer.pads[2:])
    kernels = xp.asarray(layer.weight).reshape(groups, channels // groups, -1, *layer.kernel_size)
    shift = 0 if layer.bias is None else xp.asarray(layer.bias)[:, None, None]

    def call(x: Any) -> Any:
        total: Any = 0
        for i, j, seen in shifted(xp.pad(x, pads), layer):
            n, _, height, width = seen.shape
            total = total + kernels[..., i, j] @ seen.reshape(n, groups, -1, height * width)
        return total.reshape(n, channels, height, width) + shift

    return call


def shifted(x: Any, layer: Conv2d | MaxPool2d) -> Iterator[tuple[int, int, Any]]:
    """For each place (i, j) of the kernel what it reads: (N,C,H,W) -> i, j, (N,C,H',W'), H' and W' rounded down."""
    slices = []
    for size, kernel, dilation, stride in zip(x.shape[2:], layer.kernel_size, layer.dilation, layer.stride):
        last = (size - dilation * (kernel - 1) - 1) // stride * stride
        slices.append([slice(i * dilation, i * dilation + last + 1, stride) for i in range(kernel)])
    for (i, rows), (j, columns) in product(*map(enumerate, slices)):
        yield i, j, x[:, :, rows, columns]


@makes(MaxPool2d)
def max_pool(xp: Any, op: Operator, layer: MaxPool2d) -> Call:
    """The largest number of each window, rounded down, without indices."""
    expect(op, layer, ceil_mode=False, return_indices=False)
    up, left = layer.padding

    def call(x: Any) -> Any:
        x = xp.pad(x, ((0, 0), (0, 0), (up, up), (left, left)), constant_values=-xp.inf)
        return reduce(xp.maximum, (seen for _, _, seen in shifted(x, layer)))

    return call


@makes(AdaptiveAvgPool2d)
def mean_of_channels(xp: Any, op: Operator, layer: AdaptiveAvgPool2d) -> Call:
    """One number a channel."""
    expect(op, layer, output_size=(1, 1))
    return lambda x: x.mean(axis=(2, 3), keepdims=True)


@makes(Linear)
def linear(xp: Any, op: Operator, layer: Linear) -> Call:
    """x W^T + b over the last axis."""
    expect(op, layer, activation_bits=32)
    matrix, shift = xp.asarray(dequantized(layer.weight)).T, 0 if layer.bias is None else xp.asarray(layer.bias)
    return lambda x: x @ matrix + shift


@makes(Flatten)
def flatten(xp: Any, op: Operator, layer: Flatten) -> Call:
    """(N, ...) -> (N, product)."""
    expect(op, layer, start_dim=1, end_dim=-1)
    return lambda x: x.reshape(x.shape[0], -1)


@makes(Cat)
def joining(xp: Any, op: Operator, layer: Cat) -> Call:
    """The inputs one after the other."""
    return lambda *xs: xp.concatenate(xs, layer.dim)


def by_steps(xp: Any, op: Operator, compute: Callable[..., Any]) -> Call:
    """compute(apply, *inputs), by the module's functions of the ufuncs' names; float16 in float32, rounded once.

    Raises CannotExpressError for inputs that are not all arrays of floats: steps are for these alone.
    """
    if any(operand.dtype is None or operand.dtype.compute.kind != "f" or operand.shape == () for operand in op.inputs):
        raise CannotExpressError(f"{op.type}: an operand that is no array of floats")

    def apply(ufunc: Callable[..., Any], *xs: Any) -> Any:
        return getattr(xp, ufunc.__name__)(*xs)

    def call(*xs: Any) -> Any:
        dtype = np.result_type(*(x.dtype for x in xs))
        with np.errstate(all="ignore"):
            result = compute(apply, *(x if dtype != np.float16 else x.astype(np.float32) for x in xs))
        if result is None:
            raise CannotExpressError(f"{op.type}: its steps return nothing")
        return result.astype(dtype) if dtype == np.float16 else result

    return call


@makes(*ACTIVATIONS)
def activation(xp: Any, op: Operator, layer: Any) -> Call:
    """A function of every element, by the steps in which the fast engine computes it."""
    steps = activation_of(layer)
    if steps is None:
        raise CannotExpressError(f"{op.type}: no steps for its options")
    return by_steps(xp, op, steps)


@makes(*(layer for layer in LAYERS.values() if layer.function.steps))
def elementwise(xp: Any, op: Operator, layer: Elementwise) -> Call:
    """A function that stands alone, by its steps."""
    steps = layer.function.steps
    assert steps is not None, "those without are not registered"
    values = map(finite_or_not, layer.values(*op.inputs))
    if not all(isinstance(value, (Operand, int, float)) for value in values):
        raise CannotExpressError(f"{op.type}: a value that is neither an array nor a number")
    return by_steps(xp, op, lambda apply, *xs: steps(apply, *map(finite_or_not, layer.values(*xs))))


@makes(ExpressionLayer)
def expression(xp: Any, op: Operator, layer: ExpressionLayer) -> Call:
    """An expression of arrays of floating-point numbers, by the steps in which the fast engine computes it."""
    order = reverse_polish(parse(layer.text))
    steps = {name: function.steps for name, function in EXPRESSION.items() if function.steps is not None}
    for node in order:
        function = node.token.type is TokenType.FUNCTION
        if node.text not in steps if function else not isinstance(node.token.value, (int, float)):
            raise CannotExpressError(f"{op.type}: {node.text}")

    def compute(apply: Apply, *xs: Any) -> Any:
        def function(node: TokenNode, values: list[Any]) -> Any:
            return steps[node.text](apply, *values)

        return fold(order, lambda node: xs[node.num_index] if node.num_index >= 0 else node.token.value, function)

    return by_steps(xp, op, compute)
