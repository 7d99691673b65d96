"""Steps of a plan: which operators are computed together, and which must not be."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.fast.kernels.conv.convolution import Convolution
from kuiper.fast.kernels.conv.subpixel import Subpixel
from kuiper.fast.kernels.conv.transposed import Overlapping
from kuiper.fast.plan.steps import fused, steps_of
from kuiper.fast.plan.trace import SpecTrace

RNG = np.random.default_rng(0)
IMAGE = (1, 8, 6, 5)


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.fixture
def check(load, near, untimed, monkeypatch):
    """check(network): the operators of each step, once plans for two sizes gave what the layers give."""
    untimed(monkeypatch)

    def run(network, shapes=(IMAGE, (2, 8, 4, 7), IMAGE)):
        graph, simple = (load(network, engine=engine) for engine in ("fast", "simple"))
        for shape in shapes:
            x = numbers(*shape)
            near(graph(x), simple(x))
        trace = SpecTrace(simple, {"0": x})
        returned = {operand.name for operand in simple.outputs}
        steps = fused(steps_of(simple, trace, {}, {}), returned)
        return [[op.type.split(".")[-1] for op in step.operators] for step in steps]

    return run


@pytest.fixture
def start(net):
    """A network with an input of any size, and a convolution of it."""
    network = net()
    x = network.input(-1, 8, -1, -1)
    return network, x, network.conv(x, 8, 8, padding=1)


def test_norm_addition_and_activation_join_a_convolution(start, check):
    network, x, y = start
    y = network.norm(network.norm(y, 8), 8)
    network.returns(network.op("F.relu", network.expression("add(@0,@1)", y, x)))
    assert check(network) == [["Conv2d", "BatchNorm2d", "BatchNorm2d", "Expression", "relu"]]


def test_the_convolution_that_comes_last_takes_the_addition_of_two_or_the_first_waits(start, check):
    network, x, one = start
    other = network.conv(network.op("nn.SiLU", x), 8, 8, 1)
    network.returns(network.op("F.relu", network.expression("add(@0,@1)", one, other)))
    assert sorted(map(len, check(network))) == [1, 1, 3]


def test_what_else_is_read_or_returned_is_computed_apart(start, check):
    network, _, y = start
    z = network.op("F.relu", y)
    network.returns(y, z)
    assert check(network) == [["Conv2d"], ["relu"]]


def test_what_is_read_twice_is_computed_apart(start, check):
    network, _, y = start
    network.returns(network.expression("mul(@0,@1)", network.op("nn.SiLU", y), y))
    assert ["Conv2d"] in check(network)


def test_a_value_added_to_itself_is_computed_apart(start, check):
    network, _, y = start
    network.returns(network.expression("add(@0,@0)", y))
    assert check(network) == [["Conv2d"], ["Expression"]]


def test_who_asks_for_the_size_alone_does_not_read_a_value(start, check):
    network, _, y = start
    rows = network.expression("size(@0,2)", y)
    network.returns(network.op("F.relu", y), rows)
    assert check(network) == [["Conv2d", "relu"]]


def test_nothing_follows_an_activation(start, check):
    network, x, y = start
    y = network.op("F.relu", y)
    network.returns(network.expression("add(@0,@1)", y, x))
    assert check(network) == [["Conv2d", "relu"], ["Expression"]]


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (Overlapping, {"kernel_size": [3, 3], "stride": [2, 2], "padding": [1, 1], "output_padding": [1, 1]}),
        (Overlapping, {"kernel_size": [3, 3], "stride": [2, 2], "out": 16}),
        (Subpixel, {"kernel_size": [4, 4], "stride": [2, 2], "padding": [1, 1]}),
        (Subpixel, {"kernel_size": [2, 2], "stride": [2, 2], "bias": False}),
        (Convolution, {"kernel_size": [3, 3], "stride": [1, 1], "padding": [1, 1]}),
    ],
)
def test_norm_and_activation_join_every_transposed_convolution(net, load, check, kernel, options):
    network = net()
    options = dict(options)
    out, bias = options.pop("out", 8), options.pop("bias", True)
    weights = {"weight": numbers(8, out, *options["kernel_size"]) / 8} | ({"bias": numbers(out)} if bias else {})
    defaults = {"padding": [0, 0], "output_padding": [0, 0], "dilation": [1, 1], "groups": 1, "bias": bias}
    channels = {"in_channels": 8, "out_channels": out}
    x = network.input(-1, 8, -1, -1)
    y = network.op("nn.ConvTranspose2d", x, weights=weights, **defaults | channels | options)
    network.returns(network.op("nn.SiLU", network.norm(network.norm(y, out), out)))
    assert check(network) == [["ConvTranspose2d", "BatchNorm2d", "BatchNorm2d", "SiLU"]]
    plan = load(network, engine="fast", threads=1).executor.plan_for({"0": numbers(1, 8, 5, 6)})
    assert isinstance(plan.steps[0].kernel, kernel)


def test_a_norm_behind_an_addition_is_not_put_into_the_weights(start, check):
    network, x, y = start
    network.returns(network.norm(network.expression("add(@0,@1)", y, x), 8))
    assert check(network) == [["Conv2d", "Expression"], ["BatchNorm2d"]]


def test_an_addition_that_broadcasts_stays_apart(net, check):
    network = net()
    x = network.input(-1, 8, -1, -1)
    y = network.conv(x, 8, 8, padding=1)
    mean = network.op("torch.mean", x, dim=[2, 3], keepdim=True)
    network.returns(network.expression("add(@0,@1)", y, mean))
    assert ["Conv2d"] in check(network)


def test_a_subtraction_and_a_scaled_sum_stay_apart(start, check):
    network, x, y = start
    z = network.expression("sub(@0,@1)", y, x)
    network.returns(z, network.expression("add(@0,mul(@1,2))", network.conv(x, 8, 8, 1), x))
    assert sorted(check(network)) == [["Conv2d"], ["Conv2d"], ["Expression"], ["Expression"]]


def test_a_step_that_waits_for_an_operand_comes_after_it(start, check):
    network, x, y = start
    z = network.op("nn.Softmax", network.expression("mul(@0,@0)", x), dim=1)
    network.returns(network.expression("add(@0,@1)", z, y))
    steps = check(network)
    assert steps[-1] == ["Conv2d", "Expression"]


def test_weights_that_depend_on_the_size_are_packed_for_each_size(net, check):
    """F.conv2d with weights that the network fills with the image's own height."""
    network = net()
    x = network.input(-1, 8, -1, -1)
    height = network.expression("torch.float(size(@0,2))", x)
    weight = network.op("torch.full", size=[8, 8, 1, 1], fill_value=f"${height}")
    network.returns(network.op("F.conv2d", x, weight=f"${weight}", bias=None, stride=[1, 1], padding=[0, 0]))
    check(network)


@pytest.mark.parametrize("kind", ["F.linear", "torch.matmul"])
def test_matrices_that_depend_on_the_size_are_packed_for_each_size(net, check, kind):
    network = net()
    x = network.input(-1, 8, -1, -1)
    rows = network.op("Tensor.permute", x, dims=[0, 2, 3, 1])
    height = network.expression("torch.float(size(@0,2))", x)
    weight = network.op("torch.full", size=[8, 8], fill_value=f"${height}")
    if kind == "F.linear":
        network.returns(network.op(kind, rows, weight=f"${weight}", bias=None))
    else:
        network.returns(network.op(kind, rows, weight))
    check(network)


def test_a_students_activation_is_not_taken_over(net, load, near, untimed, monkeypatch):
    """Neither by its own class nor where it is another layer of the framework's under this name."""
    import kuiper

    class Mine(kuiper.Layer):
        calls = 0

        def forward(self, x):
            Mine.calls += 1
            return np.maximum(x, -7)

    untimed(monkeypatch)
    network = net()
    network.returns(network.op("F.relu", network.conv(network.input(1, 8, 6, 5), 8, 8, padding=1)))
    for creator in (Mine, kuiper.registry.find("nn.Sigmoid")):
        mine = kuiper.registry.copy()
        mine.override("F.relu", creator)
        x = numbers(*IMAGE)
        fast, simple = (load(network, registry=mine, engine=engine) for engine in ("fast", "simple"))
        near(fast(x), simple(x))
        calls = Mine.calls
        near(fast(x), simple(x))
        assert Mine.calls == calls + 2 * (creator is Mine)


def test_a_students_norm_is_not_put_into_the_weights(net, load, near, untimed, monkeypatch):
    import kuiper

    class Mine(kuiper.Layer):
        weights = ("running_mean", "running_var", "weight", "bias")

        def __init__(self, running_mean, running_var, weight, bias, **options):
            self.mean = running_mean.reshape(-1, 1, 1)

        def forward(self, x):
            return x - self.mean

        @classmethod
        def from_operator(cls, operator):
            return cls(**{key: attribute.data for key, attribute in operator.attributes.items()})

    untimed(monkeypatch)
    mine = kuiper.registry.copy()
    mine.override("nn.BatchNorm2d", Mine)
    network = net()
    network.returns(network.norm(network.conv(network.input(1, 8, 6, 5), 8, 8, padding=1), 8))
    x = numbers(*IMAGE)
    near(*(load(network, registry=mine, engine=engine)(x) for engine in ("fast", "simple")))
