"""PNNX operators -> ONNX nodes, one function for each type.

Source: https://onnx.ai/onnx/operators (opset 17)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.partition.onnx.builder import Builder
from kuiper.partition.onnx.expression import write_expression
from kuiper.partition.operator import CannotExpressError, Operator

Writer = Callable[[Builder, Operator], None]


def one_node(kind: str, **attributes: Any) -> Writer:
    """A writer for what is one ONNX node, with attributes that are always the same."""

    def write(model: Builder, op: Operator) -> None:
        op.expect_one_input()
        model.add(kind, op.inputs[0], outputs=op.outputs, **attributes)

    return write


def write_constant(model: Builder, op: Operator) -> None:
    """pnnx.Attribute: a stored array."""
    (attribute,) = op.source.attributes.values()
    model.constants[op.outputs[0]] = attribute.data


def write_convolution(model: Builder, op: Operator) -> None:
    """nn.Conv1d, nn.Conv2d, nn.Conv3d with zeros around."""
    op.expect(padding_mode="zeros")
    weight, bias = op.weight("weight"), op.weight("bias")
    assert weight is not None
    axes = weight.ndim - 2
    padding = op.sizes("padding", axes, 0)
    arrays = [model.constant(a, op.dtype) for a in (weight, bias) if a is not None]
    model.add(
        "Conv", op.inputs[0], *arrays, outputs=op.outputs, kernel_shape=list(weight.shape[2:]), pads=padding * 2,
        strides=op.sizes("stride", axes), dilations=op.sizes("dilation", axes), group=op.get("groups", 1),
    )  # fmt: skip


def write_batch_norm(model: Builder, op: Operator) -> None:
    """nn.BatchNorm1d, 2d and 3d with the running statistics."""
    mean, variance = op.weight("running_mean"), op.weight("running_var")
    if mean is None or variance is None:
        raise CannotExpressError(f"{op.source.type}: without running statistics")
    scale, bias = op.weight("weight"), op.weight("bias")
    scale, bias = np.ones_like(mean) if scale is None else scale, np.zeros_like(mean) if bias is None else bias
    arrays = [model.constant(a, op.dtype) for a in (scale, bias, mean, variance)]
    model.add("BatchNormalization", op.inputs[0], *arrays, outputs=op.outputs, epsilon=float(op.get("eps", 1e-5)))


def write_linear(model: Builder, op: Operator) -> None:
    """nn.Linear: x W^T + b over the last axis."""
    weight, bias = op.weight("weight"), op.weight("bias")
    assert weight is not None
    matrix = model.constant(weight.T, op.dtype)
    if bias is None:
        model.add("MatMul", op.inputs[0], matrix, outputs=op.outputs)
    else:
        product = model.add("MatMul", op.inputs[0], matrix)
        model.add("Add", product, model.constant(bias, op.dtype), outputs=op.outputs)


def write_clip(model: Builder, op: Operator) -> None:
    """ReLU6: between 0 and 6."""
    low, high = (model.constant(x, op.dtype) for x in (0, 6))
    model.add("Clip", op.inputs[0], low, high, outputs=op.outputs)


def write_silu(model: Builder, op: Operator) -> None:
    """x sigmoid(x)."""
    model.add("Mul", op.inputs[0], model.add("Sigmoid", op.inputs[0]), outputs=op.outputs)


def write_gelu(model: Builder, op: Operator) -> None:
    """x (1 + erf(x / sqrt(2))) / 2."""
    op.expect(approximate="none")
    root, one, half = (model.constant(x, op.dtype) for x in (math.sqrt(2), 1, 0.5))
    erf = model.add("Erf", model.add("Div", op.inputs[0], root))
    model.add("Mul", model.add("Mul", op.inputs[0], model.add("Add", erf, one)), half, outputs=op.outputs)


def write_leaky_relu(model: Builder, op: Operator) -> None:
    """max(x, 0) + slope min(x, 0)."""
    model.add("LeakyRelu", op.inputs[0], outputs=op.outputs, alpha=float(op.get("negative_slope", 0.01)))


def write_max_pool(model: Builder, op: Operator) -> None:
    """MaxPool2d without indices, rounded down."""
    op.expect(ceil_mode=False, return_indices=False)
    kernel = op.sizes("kernel_size", 2)
    stride = op.sizes("stride", 2) if op.get("stride") else kernel
    padding, dilation = op.sizes("padding", 2, 0), op.sizes("dilation", 2)
    model.add("MaxPool", op.inputs[0], outputs=op.outputs, kernel_shape=kernel, strides=stride, pads=padding * 2,
              dilations=dilation)  # fmt: skip


def write_average_pool(model: Builder, op: Operator) -> None:
    """AvgPool2d, rounded down."""
    op.expect(ceil_mode=False, divisor_override=None)
    kernel = op.sizes("kernel_size", 2)
    stride = op.sizes("stride", 2) if op.get("stride") else kernel
    counts = int(op.get("count_include_pad", True))
    model.add("AveragePool", op.inputs[0], outputs=op.outputs, kernel_shape=kernel, strides=stride,
              pads=op.sizes("padding", 2, 0) * 2, count_include_pad=counts)  # fmt: skip


def write_adaptive_average(model: Builder, op: Operator) -> None:
    """AdaptiveAvgPool2d to one number a channel."""
    if op.sizes("output_size", 2) != [1, 1]:
        raise CannotExpressError(f"{op.source.type}: output_size={op.get('output_size')}")
    model.add("GlobalAveragePool", op.inputs[0], outputs=op.outputs)


def write_upsample(model: Builder, op: Operator) -> None:
    """Nearest neighbours, enlarged by whole factors."""
    op.expect_one_input()
    op.expect(mode="nearest")
    if op.get("size") or not op.get("scale_factor"):
        raise CannotExpressError(f"{op.source.type}: size={op.get('size')}")
    factors = op.sizes("scale_factor", op.rank - 2)
    if any(factor != int(factor) for factor in factors):
        raise CannotExpressError(f"{op.source.type}: scale_factor={factors}")
    scales = model.constant([1, 1, *factors], np.float32)
    model.add("Resize", op.inputs[0], "", scales, outputs=op.outputs, mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip


def write_flatten(model: Builder, op: Operator) -> None:
    """(N, ...) -> (N, product)."""
    if op.get("start_dim", 0) != 1 or op.get("end_dim", -1) not in (-1, op.rank - 1):
        raise CannotExpressError(f"{op.source.type}: start_dim={op.get('start_dim', 0)}, end_dim={op.get('end_dim')}")
    model.add("Flatten", op.inputs[0], outputs=op.outputs, axis=1)


def write_concatenation(model: Builder, op: Operator) -> None:
    """torch.cat."""
    model.add("Concat", *op.inputs, outputs=op.outputs, axis=op.get("dim", 0))


def write_reshape(model: Builder, op: Operator) -> None:
    """reshape and view to sizes that the file gives."""
    op.expect_one_input()
    shape = op.get("shape", op.get("size"))
    if not isinstance(shape, (list, tuple)) or 0 in shape:
        raise CannotExpressError(f"{op.source.type}: shape={shape}")
    model.add("Reshape", op.inputs[0], model.constant(shape, np.int64), outputs=op.outputs)


def write_permutation(model: Builder, op: Operator) -> None:
    """permute and transpose."""
    op.expect_one_input()
    axes = list(range(op.rank))
    if op.get("dims") is not None:
        axes = [axis % op.rank for axis in op.get("dims")]
    else:
        a, b = (op.get(name) % op.rank for name in ("dim0", "dim1"))
        axes[a], axes[b] = b, a
    model.add("Transpose", op.inputs[0], outputs=op.outputs, perm=axes)


def write_split(model: Builder, op: Operator) -> None:
    """torch.split into parts of given sizes."""
    sizes = op.get("split_size_or_sections", op.get("split_sizes"))
    if not isinstance(sizes, (list, tuple)):
        raise CannotExpressError(f"{op.source.type}: parts of {sizes}")
    model.add("Split", op.inputs[0], model.constant(sizes, np.int64), outputs=op.outputs, axis=op.get("dim", 0))


def write_softmax(model: Builder, op: Operator) -> None:
    """Softmax along one axis."""
    op.expect(dtype=None)
    if op.get("dim") is None:
        raise CannotExpressError(f"{op.source.type}: without dim")
    model.add("Softmax", op.inputs[0], outputs=op.outputs, axis=op.get("dim"))


def write_mean(model: Builder, op: Operator) -> None:
    """Mean over some axes."""
    op.expect(dtype=None)
    dims = op.get("dim")
    if dims is None:
        raise CannotExpressError(f"{op.source.type}: without dim")
    model.add("ReduceMean", op.inputs[0], outputs=op.outputs, axes=dims if isinstance(dims, list) else [dims],
              keepdims=int(op.get("keepdim", False)))  # fmt: skip


_FAMILIES: list[tuple[str, Writer]] = [
    ("pnnx.Attribute", write_constant),
    ("pnnx.Expression", write_expression),
    ("nn.Conv1d nn.Conv2d nn.Conv3d", write_convolution),
    ("nn.BatchNorm1d nn.BatchNorm2d nn.BatchNorm3d", write_batch_norm),
    ("nn.Linear", write_linear),
    ("nn.ReLU F.relu torch.relu Tensor.relu", one_node("Relu")),
    ("nn.ReLU6 F.relu6", write_clip),
    ("nn.Sigmoid F.sigmoid torch.sigmoid Tensor.sigmoid", one_node("Sigmoid")),
    ("nn.Tanh F.tanh torch.tanh Tensor.tanh", one_node("Tanh")),
    ("nn.SiLU F.silu", write_silu),
    ("nn.Hardswish F.hardswish", one_node("HardSwish")),
    ("nn.Hardsigmoid F.hardsigmoid", one_node("HardSigmoid", alpha=1 / 6, beta=0.5)),
    ("nn.LeakyReLU F.leaky_relu", write_leaky_relu),
    ("nn.GELU F.gelu", write_gelu),
    ("nn.Dropout nn.Dropout2d nn.Identity", one_node("Identity")),
    ("nn.MaxPool2d F.max_pool2d", write_max_pool),
    ("nn.AvgPool2d F.avg_pool2d", write_average_pool),
    ("nn.AdaptiveAvgPool2d F.adaptive_avg_pool2d", write_adaptive_average),
    ("nn.Upsample nn.UpsamplingNearest2d F.upsample F.interpolate F.upsample_nearest", write_upsample),
    ("torch.flatten nn.Flatten Tensor.flatten", write_flatten),
    ("torch.cat", write_concatenation),
    ("Tensor.view Tensor.reshape torch.reshape", write_reshape),
    ("Tensor.permute torch.permute torch.transpose Tensor.transpose", write_permutation),
    ("torch.split Tensor.split", write_split),
    ("nn.Softmax F.softmax torch.softmax Tensor.softmax", write_softmax),
    ("torch.mean Tensor.mean", write_mean),
]
WRITERS: dict[str, Writer] = {kind: write for kinds, write in _FAMILIES for kind in kinds.split()}
"""Operator type of PNNX -> what writes it."""
