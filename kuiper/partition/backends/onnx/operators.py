"""PNNX operators -> ONNX nodes, one function for each kind of layer.

Source: https://onnx.ai/onnx/operators (opset 17)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kuiper.expression import TokenNode, TokenType, fold, parse, reverse_polish
from kuiper.graph import Operator
from kuiper.layers.arrays.joining import Cat, Split
from kuiper.layers.arrays.shape import Flatten, Permute, Reshape, Transpose
from kuiper.layers.arrays.structure import StoredArray
from kuiper.layers.elementwise import activation
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.layers.elementwise.identity import Dropout, Identity
from kuiper.layers.elementwise.softmax import Softmax
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d
from kuiper.layers.image.convolution import Conv1d, Conv2d, Conv3d
from kuiper.layers.image.pooling import AvgPool2d, MaxPool2d
from kuiper.layers.image.resize import Upsample
from kuiper.layers.linear.linear import Linear
from kuiper.layers.normalization.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d
from kuiper.layers.reduction.reduction import Mean
from kuiper.partition.backends.onnx.builder import Builder, Value
from kuiper.partition.backends.writers import CannotExpressError, Writers, expect
from kuiper.quantize import dequantized

writes: Writers[Callable[[Builder, Operator, Any], None]] = Writers("no way to write {} as ONNX")
"""Layer class -> what adds an operator with such a layer to a model."""


def float_type(op: Operator) -> np.dtype:
    """The floating-point type in which an operator computes."""
    dtype = op.outputs[0].dtype
    assert dtype is not None, "operands without a type are refused"
    return dtype.compute


def rank(op: Operator) -> int:
    """How many axes an operator's input has. Raises CannotExpressError where the file does not say."""
    shape = op.inputs[0].shape
    if shape is None:
        raise CannotExpressError(f"{op.type}: the file does not say how many axes its input has")
    return len(shape)


ONE_NODE: dict[type, tuple[str, dict[str, float]]] = {
    activation.ReLU: ("Relu", {}),
    activation.Sigmoid: ("Sigmoid", {}),
    activation.Tanh: ("Tanh", {}),
    activation.Hardswish: ("HardSwish", {}),
    activation.Hardsigmoid: ("HardSigmoid", {"alpha": 1 / 6, "beta": 0.5}),
    Identity: ("Identity", {}),
    Dropout: ("Identity", {}),
}
"""Layers that are one ONNX node, with attributes that are always the same."""


@writes(*ONE_NODE)
def write_one_node(model: Builder, op: Operator, layer: Any) -> None:
    """A function of every element."""
    kind, attributes = ONE_NODE[type(layer)]
    model.add(kind, *op.inputs, outputs=op.outputs, **attributes)


@writes(StoredArray)
def write_constant(model: Builder, op: Operator, layer: StoredArray) -> None:
    """A stored array."""
    model.constants[op.outputs[0].name] = dequantized(layer.data)


@writes(Conv1d, Conv2d, Conv3d)
def write_convolution(model: Builder, op: Operator, layer: Conv2d) -> None:
    """Convolution with zeros around."""
    expect(op, layer, padding_mode="zeros")
    arrays = [model.constant(a, float_type(op)) for a in (layer.weight, layer.bias) if a is not None]
    model.add(
        "Conv", *op.inputs, *arrays, outputs=op.outputs, kernel_shape=layer.kernel_size, strides=layer.stride,
        pads=layer.pads[::2] + layer.pads[1::2], dilations=layer.dilation, group=layer.groups,
    )  # fmt: skip


@writes(BatchNorm1d, BatchNorm2d, BatchNorm3d)
def write_batch_norm(model: Builder, op: Operator, layer: BatchNorm2d) -> None:
    """BatchNorm with the running statistics."""
    mean, variance, scale, bias = layer.running_mean, layer.running_var, layer.weight, layer.bias
    if mean is None or variance is None:
        raise CannotExpressError(f"{op.type}: without running statistics")
    scale, bias = np.ones_like(mean) if scale is None else scale, np.zeros_like(mean) if bias is None else bias
    arrays = [model.constant(a, float_type(op)) for a in (scale, bias, mean, variance)]
    model.add("BatchNormalization", *op.inputs, *arrays, outputs=op.outputs, epsilon=float(layer.eps))


@writes(Linear)
def write_linear(model: Builder, op: Operator, layer: Linear) -> None:
    """x W^T + b over the last axis."""
    expect(op, layer, activation_bits=32)
    matrix = model.constant(dequantized(layer.weight).T, float_type(op))
    if layer.bias is None:
        model.add("MatMul", *op.inputs, matrix, outputs=op.outputs)
    else:
        product = model.add("MatMul", *op.inputs, matrix)
        model.add("Add", product, model.constant(layer.bias, float_type(op)), outputs=op.outputs)


@writes(activation.ReLU6)
def write_clip(model: Builder, op: Operator, layer: activation.ReLU6) -> None:
    """Between 0 and 6."""
    low, high = (model.constant(x, float_type(op)) for x in (0, 6))
    model.add("Clip", *op.inputs, low, high, outputs=op.outputs)


@writes(activation.SiLU)
def write_silu(model: Builder, op: Operator, layer: activation.SiLU) -> None:
    """x sigmoid(x)."""
    model.add("Mul", *op.inputs, model.add("Sigmoid", *op.inputs), outputs=op.outputs)


@writes(activation.GELU)
def write_gelu(model: Builder, op: Operator, layer: activation.GELU) -> None:
    """x (1 + erf(x / sqrt(2))) / 2."""
    expect(op, layer, approximate="none")
    root, one, half = (model.constant(x, float_type(op)) for x in (math.sqrt(2), 1, 0.5))
    erf = model.add("Erf", model.add("Div", *op.inputs, root))
    model.add("Mul", model.add("Mul", *op.inputs, model.add("Add", erf, one)), half, outputs=op.outputs)


@writes(activation.LeakyReLU)
def write_leaky_relu(model: Builder, op: Operator, layer: activation.LeakyReLU) -> None:
    """max(x, 0) + slope min(x, 0)."""
    model.add("LeakyRelu", *op.inputs, outputs=op.outputs, alpha=float(layer.negative_slope))


@writes(Softmax)
def write_softmax(model: Builder, op: Operator, layer: Softmax) -> None:
    """Softmax along one axis."""
    if layer.dim is None:
        raise CannotExpressError(f"{op.type}: without dim")
    model.add("Softmax", *op.inputs, outputs=op.outputs, axis=layer.dim)


@writes(MaxPool2d)
def write_max_pool(model: Builder, op: Operator, layer: MaxPool2d) -> None:
    """MaxPool2d without indices, rounded down."""
    expect(op, layer, ceil_mode=False, return_indices=False)
    model.add("MaxPool", *op.inputs, outputs=op.outputs, kernel_shape=layer.kernel_size, strides=layer.stride,
              pads=layer.padding * 2, dilations=layer.dilation)  # fmt: skip


@writes(AvgPool2d)
def write_average_pool(model: Builder, op: Operator, layer: AvgPool2d) -> None:
    """AvgPool2d, rounded down."""
    expect(op, layer, ceil_mode=False, divisor_override=None)
    model.add("AveragePool", *op.inputs, outputs=op.outputs, kernel_shape=layer.kernel_size, strides=layer.stride,
              pads=layer.padding * 2, count_include_pad=int(layer.count_include_pad))  # fmt: skip


@writes(AdaptiveAvgPool2d)
def write_adaptive_average(model: Builder, op: Operator, layer: AdaptiveAvgPool2d) -> None:
    """AdaptiveAvgPool2d to one number a channel."""
    expect(op, layer, output_size=(1, 1))
    model.add("GlobalAveragePool", *op.inputs, outputs=op.outputs)


@writes(Upsample)
def write_upsample(model: Builder, op: Operator, layer: Upsample) -> None:
    """Nearest neighbours, enlarged by whole factors."""
    expect(op, layer, mode="nearest", size=())
    factors = layer.scales * (rank(op) - 2 if len(layer.scales) == 1 else 1)
    if any(factor != int(factor) for factor in factors):
        raise CannotExpressError(f"{op.type}: scale_factor={factors}")
    scales = model.constant([1, 1, *factors], np.float32)
    model.add("Resize", *op.inputs, "", scales, outputs=op.outputs, mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip


@writes(Flatten)
def write_flatten(model: Builder, op: Operator, layer: Flatten) -> None:
    """(N, ...) -> (N, product)."""
    if layer.start_dim != 1 or layer.end_dim not in (-1, rank(op) - 1):
        raise CannotExpressError(f"{op.type}: start_dim={layer.start_dim}, end_dim={layer.end_dim}")
    model.add("Flatten", *op.inputs, outputs=op.outputs, axis=1)


@writes(Cat)
def write_concatenation(model: Builder, op: Operator, layer: Cat) -> None:
    """The inputs one after the other."""
    model.add("Concat", *op.inputs, outputs=op.outputs, axis=layer.dim)


@writes(Reshape)
def write_reshape(model: Builder, op: Operator, layer: Reshape) -> None:
    """Other sizes, which the file gives."""
    if 0 in layer.shape:
        raise CannotExpressError(f"{op.type}: shape={layer.shape}")
    model.add("Reshape", *op.inputs, model.constant(layer.shape, np.int64), outputs=op.outputs)


@writes(Permute)
def write_permutation(model: Builder, op: Operator, layer: Permute) -> None:
    """The axes in another order."""
    model.add("Transpose", *op.inputs, outputs=op.outputs, perm=[axis % rank(op) for axis in layer.dims])


@writes(Transpose)
def write_transposition(model: Builder, op: Operator, layer: Transpose) -> None:
    """Two axes exchanged."""
    axes = list(range(rank(op)))
    axes[layer.dim0], axes[layer.dim1] = axes[layer.dim1], axes[layer.dim0]
    model.add("Transpose", *op.inputs, outputs=op.outputs, perm=axes)


@writes(Split)
def write_split(model: Builder, op: Operator, layer: Split) -> None:
    """Parts of given sizes."""
    if not isinstance(layer.sections, (list, tuple)):
        raise CannotExpressError(f"{op.type}: parts of {layer.sections}")
    model.add("Split", *op.inputs, model.constant(layer.sections, np.int64), outputs=op.outputs, axis=layer.dim)


@writes(Mean)
def write_mean(model: Builder, op: Operator, layer: Mean) -> None:
    """Mean over some axes."""
    expect(op, layer, dtype=None)
    if not layer.dims:
        raise CannotExpressError(f"{op.type}: without dim")
    model.add("ReduceMean", *op.inputs, outputs=op.outputs, axes=layer.dims, keepdims=int(layer.keepdim))


ONNX_NAMES: Mapping[str, str] = {
    **{"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "pow": "Pow", "minimum": "Min", "maximum": "Max"},
    **{"neg": "Neg", "abs": "Abs", "sqrt": "Sqrt", "exp": "Exp", "log": "Log", "reciprocal": "Reciprocal"},
    **{"sin": "Sin", "cos": "Cos", "tan": "Tan", "tanh": "Tanh", "erf": "Erf", "floor": "Floor", "ceil": "Ceil"},
}
"""Functions of one or two floating-point values that have an ONNX operator of the same meaning."""


@writes(ExpressionLayer)
def write_expression(model: Builder, op: Operator, layer: ExpressionLayer) -> None:
    """Every function of the tree as a node; numbers become constants of the expression's type."""

    def leaf(node: TokenNode) -> Value:
        if node.token.type is TokenType.OPERAND:
            return op.inputs[node.num_index]
        if isinstance(node.token.value, (int, float)) and not isinstance(node.token.value, bool):
            return model.constant(node.token.value, float_type(op))
        raise CannotExpressError(f"{op.type}: {node.text}")

    def apply(node: TokenNode, values: list[Value]) -> Value:
        if node.text == "square":
            return model.add("Mul", values[0], values[0])
        if node.text == "rsqrt":
            return model.add("Reciprocal", model.add("Sqrt", values[0]))
        if node.text in ONNX_NAMES:
            return model.add(ONNX_NAMES[node.text], *values)
        raise CannotExpressError(f"{op.type}: {node.text}")

    model.add("Identity", fold(reverse_polish(parse(layer.text)), leaf, apply), outputs=op.outputs)
