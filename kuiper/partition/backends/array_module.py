"""A back end for any module that has numpy's functions, such as cupy: operators made of those functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kuiper import pnnx
from kuiper.errors import KuiperError
from kuiper.expression.parser import parse
from kuiper.expression.polish import reverse_polish
from kuiper.expression.source import source_text
from kuiper.expression.tokens import TokenType
from kuiper.partition.backends.protocol import Backend, Network, Program
from kuiper.partition.operator import CannotExpressError, Operator

Call = Callable[..., Any]
"""An operator made ready: its inputs -> its output."""


class ArrayModule(Backend):
    """Operators computed with the functions of a module; `name` is how messages call it."""

    def __init__(self, module: Any, name: str) -> None:
        self.module, self.name = module, name

    def refusal(self, operator: pnnx.Operator) -> str | None:
        """There is no such operator here, or an option is none that it has."""
        try:
            self._make(operator)
        except KuiperError as error:
            return f"{self.name}: {error.message}"
        return None

    def compile(self, network: Network) -> Program:
        """A program that makes the calls in order; a value goes after its last reader."""
        operators = [op for op in network.graph if op.type not in ("pnnx.Input", "pnnx.Output")]
        outputs = [operand.name for operand in network.outputs]
        last = {operand.name: i for i, op in enumerate(operators) for operand in (*op.outputs, *op.inputs)}
        dead = [[name for name, at in last.items() if at == i and name not in outputs] for i in range(len(operators))]
        calls = [self._make(op) for op in operators]

        def run(inputs: Sequence[Any]) -> list[Any]:
            values = {operand.name: x for operand, x in zip(network.inputs, inputs, strict=True)}
            for op, call, gone in zip(operators, calls, dead, strict=True):
                values[op.outputs[0].name] = call(*[values[operand.name] for operand in op.inputs])
                for name in gone:
                    del values[name]
            return [values[name] for name in outputs]

        return run

    def _make(self, operator: pnnx.Operator) -> Call:
        if operator.type not in MAKERS or len(operator.outputs) != 1:
            raise CannotExpressError(f"no way to compute {operator.type}")
        return MAKERS[operator.type](self.module, Operator(operator))


def constant(xp: Any, op: Operator) -> Call:
    """A stored array."""
    (attribute,) = op.source.attributes.values()
    array = xp.asarray(attribute.data)
    return lambda: array


def convolution(xp: Any, op: Operator) -> Call:
    """nn.Conv2d: for each place of the kernel, a matrix product with the input shifted that far."""
    op.expect(padding_mode="zeros")
    weight, bias = op.weight("weight"), op.weight("bias")
    assert weight is not None
    (up, left), (down, right) = op.sizes("padding", 2, 0), op.sizes("stride", 2)
    rows, columns = op.sizes("dilation", 2)
    groups, (channels, _, height, width) = op.get("groups", 1), weight.shape
    kernels = xp.asarray(weight).reshape(groups, channels // groups, -1, height, width)
    shift = 0 if bias is None else xp.asarray(bias)[:, None, None]

    def call(x: Any) -> Any:
        x = xp.pad(x, ((0, 0), (0, 0), (up, up), (left, left)))
        tall = (x.shape[2] - rows * (height - 1) - 1) // down + 1
        wide = (x.shape[3] - columns * (width - 1) - 1) // right + 1
        total = xp.zeros((x.shape[0], groups, channels // groups, tall * wide), x.dtype)
        for i in range(height):
            for j in range(width):
                seen = window(x, i * rows, j * columns, tall, wide, down, right)
                total += kernels[..., i, j] @ seen.reshape(x.shape[0], groups, -1, tall * wide)
        return total.reshape(x.shape[0], channels, tall, wide) + shift

    return call


def window(x: Any, row: int, column: int, tall: int, wide: int, down: int, right: int) -> Any:
    """Every `down`-th row and `right`-th column from (row, column) on: (N,C,H,W) -> (N,C,tall,wide)."""
    return x[:, :, row : row + down * (tall - 1) + 1 : down, column : column + right * (wide - 1) + 1 : right]


def max_pool(xp: Any, op: Operator) -> Call:
    """MaxPool2d, rounded down, without indices."""
    op.expect(ceil_mode=False, return_indices=False)
    height, width = op.sizes("kernel_size", 2)
    down, right = op.sizes("stride", 2) if op.get("stride") else (height, width)
    (up, left), (rows, columns) = op.sizes("padding", 2, 0), op.sizes("dilation", 2)

    def call(x: Any) -> Any:
        x = xp.pad(x, ((0, 0), (0, 0), (up, up), (left, left)), constant_values=-xp.inf)
        tall = (x.shape[2] - rows * (height - 1) - 1) // down + 1
        wide = (x.shape[3] - columns * (width - 1) - 1) // right + 1
        best = window(x, 0, 0, tall, wide, down, right)
        for i in range(height):
            for j in range(width):
                best = xp.maximum(best, window(x, i * rows, j * columns, tall, wide, down, right))
        return best

    return call


def mean_of_channels(xp: Any, op: Operator) -> Call:
    """AdaptiveAvgPool2d to one number a channel."""
    if op.sizes("output_size", 2) != [1, 1]:
        raise CannotExpressError(f"{op.source.type}: output_size={op.get('output_size')}")
    return lambda x: x.mean(axis=(2, 3), keepdims=True)


def linear(xp: Any, op: Operator) -> Call:
    """x W^T + b over the last axis."""
    weight, bias = op.weight("weight"), op.weight("bias")
    assert weight is not None
    matrix, shift = xp.asarray(weight).T, 0 if bias is None else xp.asarray(bias)
    return lambda x: x @ matrix + shift


def flatten(xp: Any, op: Operator) -> Call:
    """(N, ...) -> (N, product)."""
    op.expect(start_dim=1, end_dim=-1)
    return lambda x: x.reshape(x.shape[0], -1)


def joining(xp: Any, op: Operator) -> Call:
    """torch.cat."""
    axis = op.get("dim", 0)
    return lambda *xs: xp.concatenate(xs, axis)


def sigmoid(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)), which overflows nowhere."""
    return (1 + xp.tanh(x / 2)) / 2


def each_element(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Operator], Call]:
    """A maker for a function of the module and of one array."""
    return lambda xp, op: lambda x: compute(xp, x)


BINARY: dict[str, str] = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "true_divide", "pow": "power"}
UNARY: dict[str, str] = {"neg": "negative", "abs": "abs", "sqrt": "sqrt", "exp": "exp", "log": "log", "tanh": "tanh"}


def expression(xp: Any, op: Operator) -> Call:
    """pnnx.Expression on arrays of floating-point numbers."""
    nodes = reverse_polish(parse(source_text(op.source.params["expr"].value)))
    functions = {name: getattr(xp, own) for name, own in (BINARY | UNARY).items()}
    for node in nodes:
        number = isinstance(node.token.value, (int, float)) if node.token.type is not TokenType.FUNCTION else False
        if not number and node.text not in functions:
            raise CannotExpressError(f"pnnx.Expression: {node.text}")
    if any(operand.dtype is None or operand.dtype.compute.kind != "f" for operand in op.source.inputs):
        raise CannotExpressError("pnnx.Expression: an operand that is no array of floats")

    def call(*xs: Any) -> Any:
        stack: list[Any] = []
        for node in nodes:
            count = len(node.children)
            values, stack = stack[len(stack) - count :], stack[: len(stack) - count]
            if node.token.type is TokenType.FUNCTION:
                stack.append(functions[node.text](*values))
            else:
                stack.append(xs[node.num_index] if node.token.type is TokenType.OPERAND else node.token.value)
        return stack[0]

    return call


_FAMILIES: list[tuple[str, Callable[[Any, Operator], Call]]] = [
    ("pnnx.Attribute", constant),
    ("pnnx.Expression", expression),
    ("nn.Conv2d", convolution),
    ("nn.MaxPool2d F.max_pool2d", max_pool),
    ("nn.AdaptiveAvgPool2d F.adaptive_avg_pool2d", mean_of_channels),
    ("nn.Linear", linear),
    ("torch.flatten", flatten),
    ("torch.cat", joining),
    ("nn.ReLU F.relu", each_element(lambda xp, x: xp.maximum(x, 0))),
    ("nn.ReLU6 F.relu6", each_element(lambda xp, x: xp.clip(x, 0, 6))),
    ("nn.Sigmoid F.sigmoid torch.sigmoid", each_element(sigmoid)),
    ("nn.SiLU F.silu", each_element(lambda xp, x: x * sigmoid(xp, x))),
    ("nn.Hardsigmoid F.hardsigmoid", each_element(lambda xp, x: xp.clip(x + 3, 0, 6) / 6)),
    ("nn.Hardswish F.hardswish", each_element(lambda xp, x: x * xp.clip(x + 3, 0, 6) / 6)),
]
MAKERS: dict[str, Callable[[Any, Operator], Call]] = {kind: make for kinds, make in _FAMILIES for kind in kinds.split()}
"""Operator type of PNNX -> what makes its call, given the module."""
