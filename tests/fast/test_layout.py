"""MemoryLayout: values inside others, views, halos; nothing is read that was not written, and nothing written twice."""

from __future__ import annotations

import numpy as np
import pytest

import kuiper
from kuiper.fast.kernels.base.buffer import Halo, Spec
from kuiper.fast.kernels.base.kernel import Join, View
from kuiper.fast.plan.layout import keeps_planes
from kuiper.graph import Graph, Operand, Operator
from kuiper.layers.arrays import joining, shape, slicing

RNG = np.random.default_rng(0)


def numbers(*size):
    return RNG.standard_normal(size).astype(np.float32)


@pytest.fixture
def planned(load, near, untimed, poison, monkeypatch):
    """planned(network, *inputs): its plan, once two passes in spoilt memory gave what the layers give."""
    untimed(monkeypatch)
    spoil = poison(monkeypatch)

    def run(network, *inputs):
        graph, simple = (load(network, engine=engine, threads=1) for engine in ("fast", "simple"))
        for _ in range(2):
            near(graph(*inputs), simple(*inputs))
            spoil()
        return graph.executor.plan_for({o.name: x for o, x in zip(graph.inputs, inputs)})

    return run


def calls_of(plan, kind):
    """How many calls the operators of a type take."""
    steps = zip(plan.steps, plan.stages)
    return sum(len(thread) for step, stages in steps if kind in step.operators[0].type for s in stages for thread in s)


def test_what_is_concatenated_is_computed_in_its_place(net, planned):
    network = net()
    x = network.input(1, 6, 5, 4)
    one, two = network.op("F.relu", x), network.conv(x, 6, 3, padding=1)
    inner = network.op("torch.cat", two, one, dim=1)
    outer = network.op("torch.cat", inner, network.op("nn.SiLU", x), dim=1)
    network.returns(outer)
    plan = planned(network, numbers(1, 6, 5, 4))
    assert [type(step.kernel) for step in plan.steps].count(Join) == 2
    assert calls_of(plan, "cat") == 0
    assert {plan.layout.root(name).name for name in (one, two, inner)} == {outer}


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
def test_a_value_that_stands_twice_in_a_concatenation_is_copied(net, planned, axis):
    network = net()
    x = network.input(2, 6, 5, 4)
    y = network.op("F.relu", x)
    network.returns(network.op("torch.cat", y, x, y, dim=axis), y)
    plan = planned(network, numbers(2, 6, 5, 4))
    assert calls_of(plan, "cat") == 3


def test_a_value_in_two_concatenations_lies_in_one_and_is_copied_to_the_other(net, planned):
    network = net()
    x = network.input(1, 6, 5, 4)
    y = network.op("F.relu", x)
    other = network.op("nn.SiLU", x)
    network.returns(network.op("torch.cat", y, other, dim=1), network.op("torch.cat", other, y, dim=2))
    assert calls_of(planned(network, numbers(1, 6, 5, 4)), "cat") == 2


def test_inputs_constants_and_parts_are_copied_into_a_concatenation(net, planned):
    network = net()
    x = network.input(1, 6, 5, 4)
    data = network.op("pnnx.Attribute", weights={"data": numbers(1, 2, 5, 4)})
    half, rest = network.many("torch.chunk", 2, network.op("F.relu", x), chunks=2, dim=1)
    network.returns(network.op("torch.cat", x, data, rest, half, dim=1))
    assert calls_of(planned(network, numbers(1, 6, 5, 4)), "cat") == 4


def test_parts_of_a_concatenation_feed_convolutions_within_its_halo(net, planned):
    network = net()
    x = network.input(1, 8, 6, 5)
    y = network.op("torch.cat", network.op("F.relu", x), network.conv(x, 8, 8, padding=1), dim=1)
    parts = network.many("torch.chunk", 2, y, chunks=2, dim=1)
    network.returns(network.conv(parts[0], 8, 5, padding=2), network.conv(parts[1], 8, 8, padding=1))
    plan = planned(network, numbers(1, 8, 6, 5))
    assert plan.layout.root(y).halo | Halo(2, 2, 2, 2) == plan.layout.root(y).halo


def test_an_input_with_a_halo_that_is_looked_at_later_has_its_halo_first(net, planned):
    network = net()
    x = network.input(1, 8, 6, 5)
    y = network.conv(x, 8, 8, padding=2)
    half, _ = network.many("torch.chunk", 2, x, chunks=2, dim=1)
    network.returns(y, half, network.op("nn.Identity", x))
    planned(network, numbers(1, 8, 6, 5))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Tensor.slice", {"dim": 2, "start": 0, "end": 6, "step": 1}),
        ("Tensor.slice", {"dim": 3, "start": 0, "end": 5, "step": 1}),
        ("Tensor.expand", {"shape": [2, 8, 6, 5]}),
        ("Tensor.expand", {"shape": [2, -1, -1, -1]}),
        ("torch.narrow", {"dim": 2, "start": 0, "length": 6}),
        ("torch.split", {"split_size_or_sections": [6], "dim": 2}),
        ("torch.chunk", {"chunks": 1, "dim": 2}),
        ("torch.cat", {"dim": 2}),
        ("torch.cat", {"dim": 3}),
        ("Tensor.unflatten", {"dim": 0, "sizes": [2, 1]}),
    ],
)
def test_a_view_that_names_all_rows_does_not_cut_the_halo_off(net, planned, kind, options):
    network = net()
    x = network.input(2, 8, 6, 5)
    y = network.op(kind, network.op("F.relu", x), **options)
    if kind == "Tensor.unflatten":
        y = network.op("Tensor.reshape", y, shape=[2, 8, 6, 5])
    network.returns(network.conv(y, 8, 8, padding=1), network.conv(y, 8, 8, 5, groups=8, padding=2))
    planned(network, numbers(2, 8, 6, 5))


@pytest.mark.parametrize("axis", [1, 2, 3])
@pytest.mark.parametrize(("kernel", "groups"), [(1, 1), (3, 1), (3, 8), (1, 8), (3, 2)])
def test_a_value_that_is_spread_without_a_copy_feeds_every_convolution(net, planned, axis, kernel, groups):
    network = net()
    wide = [2, 8, 6, 8]
    narrow = [1 if i == axis else n for i, n in enumerate(wide)]
    y = network.conv(network.input(*narrow), narrow[1], narrow[1], 1)  # which lies channel-last
    y = network.op("Tensor.expand", y, shape=wide)
    network.returns(network.conv(y, 8, 8, kernel, groups=groups, padding=kernel // 2))
    planned(network, numbers(*narrow))


@pytest.mark.parametrize("dims", [[1, 0, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [3, 2, 1, 0]])
@pytest.mark.parametrize(("kernel", "groups"), [(1, 1), (3, 1), (3, 8), (3, 2)])
def test_exchanged_axes_feed_every_convolution(net, planned, dims, kernel, groups):
    network = net()
    y = network.op("Tensor.permute", network.conv(network.input(8, 8, 8, 8), 8, 8, 1), dims=dims)
    other = network.conv(y, 8, 8, 1)
    network.returns(network.conv(y, 8, 8, kernel, groups=groups, padding=kernel // 2), other)
    planned(network, numbers(8, 8, 8, 8))


def test_every_second_channel_feeds_convolutions(net, planned):
    network = net()
    y = network.op("Tensor.slice", network.op("F.relu", network.input(1, 8, 6, 5)), dim=1, start=1, end=8, step=2)
    network.returns(network.conv(y, 4, 4, groups=4, padding=1), network.conv(y, 4, 4, 1), network.conv(y, 4, 8))
    planned(network, numbers(1, 8, 6, 5))


def test_reshapes_of_memory_in_order_are_views_and_of_others_are_copies(net, planned):
    network = net()
    x = network.input(2, 3, 4)
    flat = network.op("Tensor.reshape", network.op("F.relu", x), shape=[2, 12])
    turned = network.op("Tensor.permute", flat, dims=[1, 0])
    other = network.op("Tensor.reshape", turned, shape=[3, 8])
    network.returns(flat, turned, other)
    plan = planned(network, numbers(2, 3, 4))
    assert plan.layout.values[flat].base is not None
    assert plan.layout.values[other].base is None


def test_views_of_views_of_a_part_live_as_long_as_they_are_read(net, planned):
    network = net()
    x = network.input(1, 8, 6, 6)
    y = network.conv(x, 8, 8, padding=1)
    half, _ = network.many("torch.chunk", 2, y, chunks=2, dim=1)
    turned = network.op("Tensor.permute", half, dims=[0, 1, 3, 2])
    z = network.op("F.relu", x)
    for _ in range(4):
        z = network.op("nn.SiLU", network.conv(z, 8, 8, padding=1))
    network.returns(z, network.expression("mul(@0,@0)", turned))
    planned(network, numbers(1, 8, 6, 6))


def test_arrays_without_elements_and_without_axes_have_a_place(net, planned):
    network = net()
    x = network.input(2, 3, 4)
    none = network.op("Tensor.slice", network.op("F.relu", x), dim=1, start=3, end=3, step=1)
    total = network.op("torch.sum", x, dim=[0, 1, 2], keepdim=False)
    network.returns(network.op("F.softsign", none), network.expression("add(@0,@0)", total))
    planned(network, numbers(2, 3, 4))


@pytest.mark.parametrize("dtype", ["i64", "bool", "u8"])
def test_integers_join_and_are_looked_at(net, planned, dtype):
    network = net()
    x = network.input(2, 6, 5, 4, dtype=dtype)
    half, rest = network.many("torch.chunk", 2, x, chunks=2, dim=1)
    turned = network.op("Tensor.permute", network.op("torch.cat", rest, half, dim=2), dims=[0, 2, 3, 1])
    network.returns(network.op("torch.flip", turned, dims=[1]), x)
    planned(network, RNG.integers(0, 2, (2, 6, 5, 4)).astype({"i64": "i8", "bool": "?", "u8": "u1"}[dtype]))


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        (lambda x: x, True),
        (lambda x: x[:, 1:3], True),
        (lambda x: x[::2, ::2], True),
        (shape.Transpose(0, 1).forward, True),
        (shape.Expand([2, 6, -1, -1]).forward, True),
        (shape.Transpose(2, 3).forward, False),
        (lambda x: x[:, :, :4], False),
        (lambda x: x[:, :, 1:], False),
        (slicing.Slice(dim=3, start=0, end=5, step=1).forward, False),
        (slicing.Slice(dim=3, start=0, end=2**63 - 1, step=1).forward, True),
        (shape.Expand([2, 6, 4, 5]).forward, False),
        (lambda x: joining.Split([4], 2).forward(x), False),
        (lambda x: x[:, 0], False),
    ],
)
def test_a_view_keeps_planes_if_it_takes_them_whole_whatever_their_size(look, expected):
    assert keeps_planes(look, Spec((2, 6, 4, 5), np.dtype(np.float32))) is expected


def test_a_view_costs_no_call(net, planned):
    network = net()
    x = network.input(2, 8, 4, 4)
    y = network.op("torch.transpose", network.op("F.relu", x), dim0=1, dim1=2)
    network.returns(network.op("nn.Identity", y))
    plan = planned(network, numbers(2, 8, 4, 4))
    views = [stages for step, stages in zip(plan.steps, plan.stages) if isinstance(step.kernel, View)]
    assert views == [[], []]


@pytest.mark.parametrize(("size", "joined"), [(6, True), (60, False)])
def test_a_small_part_that_outlives_the_whole_does_not_keep_it_alive(size: int, joined: bool) -> None:
    big, small, part, whole, mean, late, y = (
        Operand(name, shape, "f32")
        for name, shape in {
            "big": (1, size, 8), "small": (1, 4, 8), "part": (1, 4, 8), "whole": (1, size + 4, 8),
            "mean": (1, 1, 8), "late": (1, 1, 8), "y": (1, 4, 8),
        }.items()
    )  # fmt: skip
    graph = Graph(
        [
            Operator("pnnx.Input", "big", [], [big]),
            Operator("pnnx.Input", "small", [], [small]),
            Operator("nn.ReLU", "relu", [small], [part]),
            Operator("torch.cat", "cat", [big, part], [whole], params={"dim": 1}),
            Operator("torch.mean", "mean", [whole], [mean], params={"dim": [1], "keepdim": True}),
            Operator("nn.ReLU", "late", [mean], [late]),
            Operator("pnnx.Expression", "add", [part, late], [y], params={"expr": "add(@0,@1)"}),
            Operator("pnnx.Output", "out", [y]),
        ]
    )
    arrays = [np.random.default_rng(0).standard_normal((1, n, 8), np.float32) for n in (size, 4)]
    fast = kuiper.load(graph, engine="fast", threads=1)
    (expected,), (found,) = kuiper.load(graph, engine="simple")(*arrays), fast(*arrays)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    plan = fast.executor.plan_for(dict(zip(("big", "small"), arrays)))
    assert (plan.layout.root("part").name == "whole") is joined
