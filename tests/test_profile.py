from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from kuiper import dtypes
from kuiper.graph import Attribute, Operand, Operator, Parameter, ParameterKind
from kuiper.profile import Times, UnknownShapeError, Work, flops, network_cost
from kuiper.profile.flops import plain_name

Shape = tuple[int, ...]
F32 = dtypes.DTYPES["f32"]


class Network:
    """Operators one after the other, with weights that take no memory."""

    def __init__(self, *shape: int) -> None:
        self.operators: list[Operator] = []
        self.shape = self.add("pnnx.Input", shape, [])

    def add(self, kind: str, output: Shape, inputs: list[Operand] | None = None, **weights: Shape) -> Operand:
        name = f"op{len(self.operators)}"
        if inputs is None:
            inputs = [self.operators[-1].outputs[0]]
        operand = Operand(name, output, F32)
        attributes = {k: Attribute(F32, s, np.broadcast_to(np.float32(0), s)) for k, s in weights.items()}
        self.operators.append(Operator(kind, name, inputs, [operand], attributes=attributes))
        return operand

    def conv(self, out: int, kernel: int, stride: int = 1, groups: int = 1) -> Operand:
        previous = self.operators[-1].outputs[0].shape
        assert previous is not None
        batch, channels, height, width = previous
        size = (batch, out, math.ceil(height / stride), math.ceil(width / stride))
        weight = (out, channels // groups, kernel, kernel)
        return self.add("nn.Conv2d", size, weight=weight, bias=(out,))


def resnet18() -> list[Operator]:
    net = Network(1, 3, 224, 224)
    net.conv(64, 7, 2)
    net.add("nn.MaxPool2d", (1, 64, 56, 56))
    net.operators[-1].params["kernel_size"] = Parameter(ParameterKind.INTS, [3, 3])
    for channels, first in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for stride in (first, 1):
            entry = net.operators[-1].outputs[0]
            net.conv(channels, 3, stride)
            last = net.conv(channels, 3)
            shape = last.shape
            assert shape is not None
            if stride == 2:
                assert entry.shape is not None
                weight = (channels, entry.shape[1], 1, 1)
                entry = net.add("nn.Conv2d", shape, [entry], weight=weight, bias=(channels,))
            net.add("pnnx.Expression", shape, [last, entry])
            net.operators[-1].params["expr"] = Parameter(ParameterKind.STRING, "add(@0,@1)")
            net.add("nn.ReLU", shape)
    net.add("nn.AdaptiveAvgPool2d", (1, 512, 1, 1))
    net.add("torch.flatten", (1, 512))
    net.add("nn.Linear", (1, 1000), weight=(1000, 512), bias=(1000,))
    return net.operators


def mobilenet_v2() -> list[Operator]:
    net = Network(1, 3, 224, 224)
    net.conv(32, 3, 2)
    channels = 32
    for widen, out, repeats, first in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ):  # fmt: skip
        for stride in (first, *[1] * (repeats - 1)):
            hidden = channels * widen
            if widen > 1:
                net.conv(hidden, 1)
            net.conv(hidden, 3, stride, groups=hidden)
            net.conv(out, 1)
            channels = out
    net.conv(1280, 1)
    net.add("torch.mean", (1, 1280))
    net.add("nn.Linear", (1, 1000), weight=(1000, 1280), bias=(1000,))
    return net.operators


def test_resnet18_takes_two_times_1_814_billion_multiply_adds() -> None:
    cost = network_cost(resnet18())
    assert cost.flops == pytest.approx(2 * 1.814e9, rel=3e-3)
    assert not cost.not_counted
    # PyTorch's 11,689,512 with the batch norms (9,600 numbers, running ones not counted) folded into 4,800 biases
    assert cost.parameters == 11_689_512 - 9_600 + 4_800
    assert cost.weight_bytes == {"f32": 4 * cost.parameters}


def test_mobilenet_v2_takes_two_times_0_30_billion_multiply_adds() -> None:
    cost = network_cost(mobilenet_v2())
    assert cost.flops == pytest.approx(2 * 0.3008e9, rel=2e-2)


def test_activation_memory_is_what_is_written_and_the_plan_lies_between_the_bounds() -> None:
    plan = network_cost(resnet18()).plan
    assert plan is not None
    assert plan.total_bytes == sum(math.prod(op.outputs[0].shape or ()) * 4 for op in resnet18())
    assert plan.lower_bound_bytes <= plan.planned_bytes < plan.total_bytes


def conv_loop(out: Shape, weight: Shape) -> int:
    """Multiplications and additions of a convolution without bias, counted one by one."""
    total = 0
    for _ in np.ndindex(*out):
        for _ in np.ndindex(*weight[1:]):
            total += 2
    return total


@pytest.mark.parametrize(("out", "weight"), [((1, 4, 3, 3), (4, 2, 3, 3)), ((2, 3, 5), (3, 1, 2))])
def test_a_convolution_counts_what_its_loops_do(out: Shape, weight: Shape) -> None:
    kind = "nn.Conv2d" if len(out) == 4 else "F.conv1d"
    assert flops(Work(kind, ((1,),), (out,), named={"weight": weight})) == conv_loop(out, weight)
    biased = Work(kind, ((1,),), (out,), named={"weight": weight, "bias": (weight[0],)})
    assert flops(biased) == conv_loop(out, weight) + math.prod(out)


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (Work("nn.ReLU", ((2, 3),), ((2, 3),)), 6),
        (Work("F.sigmoid", ((2, 3),), ((2, 3),)), 24),
        (Work("nn.MaxPool2d", ((1, 1, 4, 4),), ((1, 1, 2, 2),), {"kernel_size": [2, 2]}), 16),
        (Work("F.avg_pool2d", ((1, 1, 4, 4),), ((1, 1, 2, 2),), {"kernel_size": 2}), 16),
        (Work("F.max_pool3d", ((1, 1, 4, 4, 4),), ((1, 1, 2, 2, 2),), {"kernel_size": 2}), 64),
        (Work("nn.AdaptiveAvgPool2d", ((1, 2, 4, 4),), ((1, 2, 1, 1),)), 32),
        (Work("torch.mean", ((5, 7),), ((5,),)), 35),
        (Work("torch.matmul", ((2, 3, 4), (2, 4, 5)), ((2, 3, 5),)), 2 * 2 * 3 * 4 * 5),
        (Work("torch.addmm", ((3, 5), (3, 4), (4, 5)), ((3, 5),)), 2 * 3 * 4 * 5 + 15),
        (Work("torch.einsum", ((2, 3, 4), (4, 5)), ((2, 3, 5),), {"equation": "bij,jk->bik"}), 2 * 2 * 3 * 4 * 5),
        (Work("torch.einsum", ((2, 3, 4), (4, 5)), ((2, 3, 5),), {"equation": "...j,jk->...k"}), 2 * 2 * 3 * 4 * 5),
        (Work("nn.Upsample", ((1, 1, 2, 2),), ((1, 1, 4, 4),), {"mode": "nearest"}), 0),
        (Work("F.upsample_bilinear", ((1, 1, 2, 2),), ((1, 1, 4, 4),)), 7 * 16),
        (Work("pnnx.Expression", ((6,), (6,)), ((6,),), {"expr": "add(@0,mul(@1,neg(@0)))"}), 18),
        (Work("pnnx.Expression", ((6,), (6,)), ((6,),), {"expr": "add(@0,sqrt(floor_divide(@1,2)))"}), 18),
        (Work("pnnx.Expression", ((6,),), (None,), {"expr": "[size(@0,0),mul(size(@0,1),3)]"}), 0),
        (Work("Tensor.reshape", ((6,),), (None,)), 0),
        (Work("prim::TupleConstruct", ((6,),), (None,)), 0),
        (Work("nn.ConvTranspose2d", ((1, 2, 3, 3),), ((1, 4, 6, 6),), named={"weight": (2, 4, 2, 2)}), 2 * 18 * 16),
        (Work("nn.RNN", ((7, 1, 3),), ((7, 1, 2),), named={"weight_ih_l0": (2, 3), "weight_hh_l0": (2, 2)}), 7 * 20),
    ],
)
def test_operations_are_counted_from_shapes(work: Work, expected: int) -> None:
    assert flops(work) == expected


def test_multihead_attention_is_four_projections_and_the_attention() -> None:
    size, length, heads = 8, 5, 2
    work = Work("nn.MultiheadAttention", ((1, length, size),), (None,), {"num_heads": heads, "batch_first": True})
    projections = 4 * length * size * (2 * size + 1)
    products = 2 * (2 * length * length * size)
    softmax_and_scale = 6 * heads * length * length
    assert flops(work) == projections + products + softmax_and_scale


def test_an_unknown_type_is_reported_and_an_unknown_shape_is_not_guessed() -> None:
    assert flops(Work("my.Operator", ((1,),), ((1,),))) is None
    with pytest.raises(UnknownShapeError):
        flops(Work("nn.ReLU", ((-1, 3),), ((-1, 3),)))
    net = Network(1, 3)
    net.add("my.Operator", (1, 3))
    net.add("nn.ReLU", (-1, 3))
    cost = network_cost(net.operators)
    assert cost.not_counted == {"my.Operator": ["op1"]}
    assert cost.open_shapes == {"nn.ReLU": ["op2"]}
    assert cost.plan is None


@pytest.mark.parametrize(
    "spellings",
    [
        ("nn.Conv2d", "F.conv2d", "nn.Conv1d", "F.conv3d"),
        ("nn.ConvTranspose2d", "F.conv_transpose3d"),
        ("nn.LayerNorm", "F.layer_norm"),
        ("nn.PReLU", "F.prelu"),
        ("nn.Softmax2d", "F.softmax"),
    ],
)
def test_one_operation_has_one_plain_name(spellings: Sequence[str]) -> None:
    assert len({plain_name(kind) for kind in spellings}) == 1


def test_a_weight_that_modules_share_counts_once() -> None:
    values = np.arange(6, dtype=np.float32).reshape(2, 3)

    def holder(kind: str, key: str) -> Operator:
        return Operator(kind, kind, attributes={key: Attribute(F32, (2, 3), values.copy())})

    table, embedding, linear = (
        holder("pnnx.Attribute", "data"),
        holder("nn.Embedding", "weight"),
        holder("nn.Linear", "weight"),
    )
    assert network_cost([table, embedding, linear]).parameters == 6
    assert network_cost([embedding, linear]).parameters == 12


def test_the_median_and_spread_shrug_off_one_disturbed_measurement() -> None:
    times = Times([1.0, 1.1, 0.9, 1.0, 50.0])
    assert times.median == 1.0
    assert times.spread == pytest.approx(0.1)
    assert (times.fastest, times.slowest) == (0.9, 50.0)
    assert Times([2.0]).spread == 0.0
