from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kuiper import dtypes
from kuiper.graph import Attribute, Operand, Operator, Parameter, ParameterKind
from kuiper.layers import Layer, registry
from kuiper.profile import Times, network_cost

Shape = tuple[int, ...]
F32 = dtypes.DTYPES["f32"]


class Network:
    """Operators one after the other, with weights that take no memory."""

    def __init__(self, *shape: int) -> None:
        self.operators: list[Operator] = []
        self.shape = self.add("pnnx.Input", shape, [])

    def add(self, kind: str, output: Shape, inputs: list[Operand] | None = None, **options: Any) -> Operand:
        """An operator; options that are tuples are the shapes of weights."""
        name = f"op{len(self.operators)}"
        if inputs is None:
            inputs = [self.operators[-1].outputs[0]]
        weights = {k: v for k, v in options.items() if isinstance(v, tuple)}
        attributes = {k: Attribute(F32, s, np.broadcast_to(np.float32(0), s)) for k, s in weights.items()}
        params = {k: Parameter(ParameterKind.NULL, v) for k, v in options.items() if k not in weights}
        op = Operator(kind, name, inputs, [Operand(name, output, F32)], [], params, attributes)
        op.layer = registry.create(op) if kind in registry else None
        self.operators.append(op)
        return op.outputs[0]

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
    net.add("nn.MaxPool2d", (1, 64, 56, 56), kernel_size=[3, 3])
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
            net.add("pnnx.Expression", shape, [last, entry], expr="add(@0,@1)")
            net.add("nn.ReLU", shape)
    net.add("nn.AdaptiveAvgPool2d", (1, 512, 1, 1), output_size=[1, 1])
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
    plan = network_cost(resnet18()).memory_plan
    assert plan is not None
    assert plan.total_bytes == sum(math.prod(op.outputs[0].shape or ()) * 4 for op in resnet18())
    assert plan.lower_bound_bytes <= plan.planned_bytes < plan.total_bytes


def test_an_unknown_type_is_reported_and_an_unknown_shape_is_not_guessed() -> None:
    net = Network(1, 3)
    net.add("my.Operator", (1, 3))
    net.add("nn.ReLU", (-1, 3))
    cost = network_cost(net.operators)
    assert cost.not_counted == {"my.Operator": ["op1"]}
    assert cost.open_shapes == {"nn.ReLU": ["op2"]}
    assert cost.memory_plan is None


def test_a_students_layer_that_does_not_count_is_reported() -> None:
    class Cube(Layer):
        def forward(self, x: np.ndarray) -> np.ndarray:
            return x**3

    net = Network(1, 3)
    net.add("my.Cube", (1, 3))
    net.operators[-1].layer = Cube()
    assert network_cost(net.operators).not_counted == {"my.Cube": ["op1"]}


def test_an_operator_that_lacks_its_inputs_is_not_counted_wrongly() -> None:
    net = Network(1, 3)
    net.add("torch.trace", (), [])
    assert network_cost(net.operators).flops == 0


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


@pytest.mark.parametrize(("rows", "read"), [(3, 3 * 8 * 4), (50, 20 * 8 * 4)])
def test_an_embedding_reads_no_more_of_its_table_than_it_looks_up(rows, read):
    numbers, vectors = Operand("0", (rows,), dtypes.find("i64")), Operand("1", (rows, 8), dtypes.find("f32"))
    op = Operator("nn.Embedding", "table", [numbers], [vectors])
    op.attributes["weight"] = Attribute.from_array(np.zeros((20, 8), np.float32))
    op.layer = registry.create(op)
    _, cost = network_cost([Operator("pnnx.Input", "in", [], [numbers]), op]).operators
    assert cost.weight_bytes == {"f32": 20 * 8 * 4}
    assert cost.bytes_touched == rows * 8 + read + rows * 8 * 4
