"""Tracing: what a plan may take as given for inputs of these shapes, and what it must compute anew in every pass."""

from __future__ import annotations

import numpy as np
import pytest

import kuiper
from kuiper.fast.plan.trace import SpecTrace, plan_key
from kuiper.layers.elementwise.expression import ExpressionLayer

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def is_constant(load, network, name, x):
    return SpecTrace(load(network), {"0": x}).specs[name].constant


@pytest.mark.parametrize(
    ("text", "constant", "expected"),
    [
        ("size(@0,1)", [False], True),
        ("[size(@0,0),-1,mul(size(@0,1),2)]", [False], True),
        ("size(add(@0,@1),0)", [False, False], True),
        ("add(@0,@1)", [True, True], True),
        ("int(@0)", [False], False),
        ("add(size(@0,0),int(@0))", [False], False),
        ("size(@0,int(@1))", [False, False], False),
        ("[size(@0,0),@1]", [False, False], False),
        ("2", [], True),
    ],
)
def test_an_expression_is_fixed_if_it_reads_no_more_than_sizes(text, constant, expected):
    assert ExpressionLayer(text).follows_shapes(constant) is expected


def test_weights_and_what_is_computed_from_them_are_constant(net, load):
    network = net()
    x, data = network.input(2, 3), network.op("pnnx.Attribute", weights={"data": numbers(2, 3)})
    double = network.expression("mul(@0,2)", data)
    network.returns(network.expression("add(@0,@1)", x, double))
    assert is_constant(load, network, double, numbers(2, 3))
    assert not is_constant(load, network, "3", numbers(2, 3))


@pytest.mark.parametrize("engine", ["fast", "auto"])
def test_a_number_that_is_read_out_of_the_data_is_not_frozen(net, load, engine):
    network = net()
    x = network.input(1)
    network.returns(network.expression("add(@0,@1)", x, network.expression("int(@0)", x)))
    graph = load(network, engine=engine)
    for value in (1.5, 4.5, 9.5, 2.5):
        assert graph(np.array([value], np.float32))[0] == 2 * value - 0.5


def test_random_numbers_are_drawn_anew_in_every_pass(net, load):
    network = net()
    x = network.input(2, 3)
    noise = network.op("torch.rand", size=[2, 3])
    network.returns(network.expression("add(@0,@1)", x, noise), noise)
    graph = load(network, engine="fast")
    x = np.zeros((2, 3), np.float32)
    (first, _), (second, drawn) = graph(x), graph(x)
    assert (first != second).all()
    np.testing.assert_array_equal(second, drawn)


def test_integers_computed_from_random_numbers_are_not_frozen(net, load):
    network = net()
    x = network.input(1)
    drawn = network.op("torch.randint", low=0, high=2**40, size=[1])
    network.returns(network.expression("add(int(@0),size(@1,0))", drawn, x))
    graph = load(network, engine="fast")
    assert len({int(graph(numbers(1))[0]) for _ in range(4)}) > 1


@pytest.mark.parametrize("engine", ["fast", "auto"])
@pytest.mark.parametrize("threads", [1, 2])
def test_shapes_that_depend_on_the_data_are_left_to_the_layers(net, load, engine, threads):
    network = net()
    x = network.input(4, 4)
    where = network.op("torch.nonzero", network.op("F.relu", x))
    many = network.expression("size(@0,0)", where)
    network.returns(where, many, network.op("F.softsign", where))
    graph, simple = load(network, engine=engine, threads=threads), load(network, engine="simple")
    for _ in range(6):
        x = numbers(4, 4)
        for got, expected in zip(graph(x), simple(x), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_plans_that_do_not_fit_are_given_up_and_every_operator_is_told_once(net, load):
    network = net()
    x = network.input(4, 4)
    network.returns(network.op("F.softsign", network.op("torch.nonzero", network.op("F.relu", x))))
    graph = load(network, engine="fast", threads=1)

    def plan_after(*counts):
        for count in counts:
            told = []
            graph.forward(np.arange(16).reshape(4, 4) < count, on_operator=lambda op, _, to=told: to.append(op.name))
            assert sorted(told) == sorted({op.name for op in graph.operators if op.layer is not None})
        return graph.executor.plan_for({graph.inputs[0].name: np.zeros((4, 4), np.float32)})

    assert plan_after(5, 3, 4) is not None
    assert plan_after(5, 3, 4) is not None  # a plan that fits once in a while is kept
    assert plan_after(7) is None
    assert plan_after(5) is None


@pytest.mark.parametrize("threads", [1, 2])
def test_shapes_that_are_random_are_left_to_the_layers(net, load, threads):
    network = net()
    x = network.input(50, 50)
    noise = network.op("torch.rand", size=[50, 50])
    where = network.op("torch.nonzero", network.op("F.relu", network.expression("sub(@0,@1)", x, noise)))
    network.returns(where)
    graph = load(network, engine="fast", threads=threads)
    x = np.full((50, 50), 0.5, np.float32)
    assert len({len(graph(x)[0]) for _ in range(8)}) > 1


def test_a_shape_made_of_a_number_in_the_data_is_left_to_the_layers(net, load):
    network = net()
    x, rows = network.input(12), network.input(1, dtype="i64")
    sizes = network.op("prim::ListConstruct", network.expression("int(@0)", rows), network.expression("neg(1)"))
    network.returns(network.op("Tensor.reshape", x, shape=f"${sizes}"))
    graph, x = load(network, engine="fast"), numbers(12)
    for rows in (3, 4, 2, 3):
        np.testing.assert_array_equal(graph(x, np.array([rows]))[0], x.reshape(rows, -1))


def test_a_slice_at_a_place_in_the_data_is_left_to_the_layers(net, load):
    network = net()
    x, start = network.input(12), network.input(1, dtype="i64")
    begin, end = network.expression("int(@0)", start), network.expression("add(int(@0),3)", start)
    network.returns(network.op("Tensor.slice", x, dim=0, start=f"${begin}", end=f"${end}", step=1))
    graph, x = load(network, engine="fast"), numbers(12)
    for start in (3, 4, 2, 3):
        np.testing.assert_array_equal(graph(x, np.array([start]))[0], x[start : start + 3])


def test_sizes_follow_the_shape_of_each_input(net, load):
    network = net()
    x = network.input(-1, -1, -1)
    count = network.expression("mul(size(@0,1),size(@0,2))", x)
    sizes = network.op("prim::ListConstruct", network.expression("size(@0,0)", x), count)
    flat = network.op("Tensor.reshape", network.op("F.relu", x), shape=f"${sizes}")
    network.returns(flat, count)
    graph = load(network, engine="fast")
    for shape in [(2, 3, 4), (1, 5, 2), (2, 3, 4), (3, 1, 1)]:
        x = numbers(*shape)
        got, many = graph(x)
        np.testing.assert_array_equal(got, np.maximum(x, 0).reshape(shape[0], -1))
        assert many == shape[1] * shape[2]


def test_plans_hold_for_shapes_and_element_types():
    one, other = np.zeros((1, 3), np.float32), np.zeros((1, 3), np.int64)
    assert plan_key([one, other]) != plan_key([other, one])
    assert plan_key([one]) == plan_key([one + 1])


def test_a_fault_while_tracing_is_the_layers_own(net, load):
    network = net()
    network.returns(network.conv(network.input(1, -1, 4, 4), 3, 4))
    graph, simple = (load(network, engine=engine) for engine in ("fast", "simple"))
    messages = []
    for each in (graph, simple):
        with pytest.raises(kuiper.KuiperError) as caught:
            each(numbers(1, 2, 4, 4))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
