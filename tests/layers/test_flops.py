"""Every layer counts its floating-point operations from shapes alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kuiper import dtypes
from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter, ParameterKind
from kuiper.layers import Layer, registry
from kuiper.layers.cost import UnknownShapeError

Shape = tuple[int, ...]
F32 = dtypes.DTYPES["f32"]


def made(
    kind: str, inputs: Sequence[Shape | None], outputs: int = 1, named: Sequence[str | None] = (), **options: Any
) -> Layer:
    """The layer of an operator; options that are tuples are the shapes of weights."""
    weights = {
        name.replace("out_proj_", "out_proj."): Attribute(F32, value, np.broadcast_to(np.float32(0), value))
        for name, value in options.items()
        if isinstance(value, tuple)
    }
    params = {k: Parameter(ParameterKind.NULL, v) for k, v in options.items() if not isinstance(v, tuple)}
    given = [Operand(f"in{i}", shape) for i, shape in enumerate(inputs)]
    op = Operator(kind, "op", given, [Operand(f"out{i}") for i in range(outputs)], list(named), params, weights)
    Graph([*(Operator("pnnx.Input", x.name, [], [x]) for x in given), op]).connect()
    return registry.create(op)


def flops(kind: str, inputs: Sequence[Shape | None], output: Shape | None, **options: Any) -> int:
    """What the layer of an operator counts."""
    return made(kind, inputs, **options).flops(inputs, [output])


def conv_loop(out: Shape, weight: Shape) -> int:
    """Multiplications and additions of a convolution without bias, counted one by one."""
    total = 0
    for _ in np.ndindex(*out):
        for _ in np.ndindex(*weight[1:]):
            total += 2
    return total


@pytest.mark.parametrize(("out", "weight"), [((1, 4, 3, 3), (4, 2, 3, 3)), ((2, 3, 5), (3, 1, 2))])
def test_a_convolution_counts_what_its_loops_do(out: Shape, weight: Shape) -> None:
    kind = "F.conv2d" if len(out) == 4 else "F.conv1d"
    x = (out[0], weight[1], *(9,) * (len(out) - 2))
    assert flops(kind, [x], out, weight=weight) == conv_loop(out, weight)
    assert flops(kind, [x], out, weight=weight, bias=(weight[0],)) == conv_loop(out, weight) + math.prod(out)


@pytest.mark.parametrize(
    ("kind", "inputs", "output", "options", "expected"),
    [
        ("nn.ReLU", [(2, 3)], (2, 3), {}, 6),
        ("F.sigmoid", [(2, 3)], (2, 3), {}, 24),
        ("nn.MaxPool2d", [(1, 1, 4, 4)], (1, 1, 2, 2), {"kernel_size": [2, 2]}, 16),
        ("F.avg_pool2d", [(1, 1, 4, 4)], (1, 1, 2, 2), {"kernel_size": 2}, 16),
        ("F.max_pool3d", [(1, 1, 4, 4, 4)], (1, 1, 2, 2, 2), {"kernel_size": 2}, 64),
        ("nn.AdaptiveAvgPool2d", [(1, 2, 4, 4)], (1, 2, 1, 1), {"output_size": [1, 1]}, 32),
        ("torch.mean", [(5, 7)], (5,), {"dim": [1]}, 35),
        ("torch.matmul", [(2, 3, 4), (2, 4, 5)], (2, 3, 5), {}, 2 * 2 * 3 * 4 * 5),
        ("torch.inner", [(3, 4), (5, 4)], (3, 5), {}, 2 * 3 * 4 * 5),
        ("torch.addmm", [(3, 5), (3, 4), (4, 5)], (3, 5), {}, 2 * 3 * 4 * 5 + 15),
        ("torch.einsum", [(2, 3, 4), (4, 5)], (2, 3, 5), {"equation": "bij,jk->bik"}, 2 * 2 * 3 * 4 * 5),
        ("torch.einsum", [(2, 3, 4), (4, 5)], (2, 3, 5), {"equation": "...j,jk->...k"}, 2 * 2 * 3 * 4 * 5),
        ("torch.einsum", [(2, 3, 4), (2, 4, 5)], (2, 3, 5), {"equation": "ij,jk->ik"}, 2 * 2 * 3 * 4 * 5),
        ("torch.cdist", [(2, 3, 4), (2, 5, 4)], (2, 3, 5), {}, 3 * 2 * 3 * 4 * 5),
        ("torch.argsort", [(3, 8)], (3, 8), {"dim": 1}, 3 * 8 * 3),
        ("nn.Upsample", [(1, 1, 2, 2)], (1, 1, 4, 4), {"mode": "nearest", "size": [4, 4]}, 0),
        ("F.upsample_bilinear", [(1, 1, 2, 2)], (1, 1, 4, 4), {"size": [4, 4]}, 7 * 16),
        ("pnnx.Expression", [(6,), (6,)], (6,), {"expr": "add(@0,mul(@1,neg(@0)))"}, 18),
        ("pnnx.Expression", [(6,), (6,)], (6,), {"expr": "add(@0,sqrt(floor_divide(@1,2)))"}, 18),
        ("pnnx.Expression", [(6,)], None, {"expr": "[size(@0,0),mul(size(@0,1),3)]"}, 0),
        ("Tensor.reshape", [(6,)], None, {"shape": [6]}, 0),
        ("prim::TupleConstruct", [(6,)], None, {}, 0),
        ("nn.ConvTranspose2d", [(1, 2, 3, 3)], (1, 4, 6, 6), {"weight": (2, 4, 2, 2)}, 2 * 18 * 16),
        (
            "nn.RNN", [(7, 1, 3)], (7, 1, 2),
            {"weight_ih_l0": (2, 3), "weight_hh_l0": (2, 2), "input_size": 3, "hidden_size": 2, "bias": False}, 7 * 20,
        ),
    ],
)  # fmt: skip
def test_operations_are_counted_from_shapes(
    kind: str, inputs: list[Shape], output: Shape | None, options: dict[str, Any], expected: int
) -> None:
    assert flops(kind, inputs, output, **options) == expected


def test_multihead_attention_is_four_projections_and_the_attention() -> None:
    size, length, heads = 8, 5, 2
    weights = {"in_proj_weight": (3 * size, size), "in_proj_bias": (3 * size,), "out_proj_weight": (size, size)}
    options = {"embed_dim": size, "num_heads": heads, "batch_first": True, "out_proj_bias": (size,), **weights}
    projections = 4 * length * size * (2 * size + 1)
    products = 2 * (2 * length * length * size)
    softmax_and_scale = 6 * heads * length * length
    assert flops("nn.MultiheadAttention", [(1, length, size)], None, **options) == (
        projections + products + softmax_and_scale
    )


def test_weights_that_arrive_as_inputs_count_by_their_shape() -> None:
    layer = made("F.linear", [(2, 3), (4, 3), (4,)], named=["input", "weight", "bias"])
    assert layer.flops([(2, 3), (4, 3), (4,)], [(2, 4)]) == 8 * 7
    with pytest.raises(UnknownShapeError):
        layer.flops([(2, 3), None, (4,)], [(2, 4)])


def test_options_that_are_known_only_when_the_network_runs_matter_where_the_count_needs_them() -> None:
    assert flops("aten::sum", [(5, 7), None, None, None], (5,)) == 35
    assert flops("Tensor.reshape", [(6,), None], None, named=["input", "shape"]) == 0
    resized = {"named": ["input", "size"], "mode": "bilinear"}
    assert flops("F.interpolate", [(1, 1, 2, 2), None], (1, 1, 4, 4), **resized) == 7 * 16
    with pytest.raises(UnknownShapeError):
        flops("aten::sort", [(3, 8), None, None], (3, 8), outputs=2)
    with pytest.raises(UnknownShapeError):
        flops("aten::max_pool2d", [(1, 1, 4, 4), None, None, None, None, None], (1, 1, 2, 2))


def test_a_shape_that_is_not_known_is_not_guessed() -> None:
    with pytest.raises(UnknownShapeError):
        flops("nn.ReLU", [(-1, 3)], (-1, 3))


@pytest.mark.parametrize(
    ("kind", "options", "shape"),
    [
        ("Conv2d", {"in_channels": 4, "out_channels": 6, "kernel_size": 3, "groups": 2, "stride": 2}, (2, 4, 9, 7)),
        ("Conv1d", {"in_channels": 4, "out_channels": 6, "kernel_size": 3, "dilation": 2}, (2, 4, 9)),
        ("Conv3d", {"in_channels": 2, "out_channels": 3, "kernel_size": 2}, (1, 2, 4, 4, 3)),
        ("ConvTranspose2d", {"in_channels": 4, "out_channels": 6, "kernel_size": 3, "groups": 2}, (2, 4, 5, 6)),
        ("Linear", {"in_features": 5, "out_features": 7}, (2, 3, 5)),
    ],
)
def test_products_with_weights_are_counted_as_pytorch_counts_them(
    kind: str, options: dict[str, Any], shape: Shape
) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    from torch.utils.flop_counter import FlopCounterMode

    module = getattr(torch.nn, kind)(**options, bias=False)
    with FlopCounterMode(display=False) as counter:
        y = module(torch.randn(shape))
    weight = tuple(module.weight.shape)
    assert flops(f"nn.{kind}", [shape], tuple(y.shape), weight=weight, **options) == counter.get_total_flops()


@pytest.mark.parametrize("shapes", [((2, 3, 4), (2, 4, 5)), ((3, 4), (4, 5))])
def test_matrix_products_are_counted_as_pytorch_counts_them(shapes: tuple[Shape, ...]) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        y = torch.matmul(*(torch.randn(shape) for shape in shapes))
    assert flops("torch.matmul", shapes, tuple(y.shape)) == counter.get_total_flops()
