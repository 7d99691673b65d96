"""What a caller of a graph relies on, whichever engine computes: results of its own, and the same errors."""

from __future__ import annotations

import numpy as np
import pytest

import kuiper
from kuiper.fast import Plan
from kuiper.fast.kernels.conv.convolution import Convolution
from kuiper.graph import topological_order

RNG = np.random.default_rng(0)
SHAPE = (1, 8, 9, 7)


def numbers(*shape):
    return RNG.standard_normal(shape or SHAPE).astype(np.float32)


@pytest.fixture(autouse=True)
def _no_timing(untimed, monkeypatch):
    untimed(monkeypatch)


@pytest.fixture
def network(net):
    """Convolutions, a residual addition, a concatenation and a layer that has no kernel."""
    network = net()
    x = network.input(-1, 8, -1, -1)
    y = network.op("F.relu", network.norm(network.conv(x, 8, 8, padding=1), 8))
    y = network.expression("add(@0,@1)", network.conv(y, 8, 8, groups=8, padding=1), x)
    y = network.op("torch.cat", y, network.op("F.softsign", y), dim=1)
    network.returns(network.op("nn.SiLU", network.conv(y, 16, 4, 1)))
    return network


@pytest.fixture(params=[1, 2])
def graph(request, load, network):
    return load(network, engine="fast", threads=request.param)


@pytest.fixture
def simple(load, network):
    return load(network, engine="simple")


class TestResults:
    def test_a_result_once_returned_never_changes(self, graph):
        first = graph(numbers())[0]
        copy = first.copy()
        graph(numbers())
        np.testing.assert_array_equal(first, copy)

    def test_what_the_caller_does_to_a_result_or_an_input_does_not_matter(self, graph):
        x = numbers()
        expected = graph(x)[0].copy()
        for _ in range(2):
            result = graph(x)[0]
            np.testing.assert_array_equal(result, expected)
            result.fill(np.nan)
        changed = x.copy()
        graph(changed)
        changed.fill(np.nan)
        np.testing.assert_array_equal(graph(x)[0], expected)

    def test_inputs_may_be_read_only_and_have_any_strides(self, graph, simple, near):
        x = np.ascontiguousarray(numbers().transpose(3, 1, 0, 2)).transpose(2, 1, 3, 0)[..., ::-1]
        x.flags.writeable = False
        near(graph(x), simple(x))

    def test_several_sizes_and_batches_alternate(self, graph, simple, near):
        for shape in [(1, 8, 6, 6), (2, 8, 5, 9), (1, 8, 6, 6), (4, 8, 3, 3), (2, 8, 5, 9), (3, 8, 1, 2)]:
            x = numbers(*shape)
            near(graph(x), simple(x))

    def test_more_sizes_than_plans_are_kept(self, graph, simple, near):
        for width in (*range(3, 14), 3):
            x = numbers(1, 8, 3, width)
            near(graph(x), simple(x))

    def test_the_same_choices_give_the_same_bits(self, load, network):
        x = numbers(2, 8, 9, 7)
        first = load(network, engine="fast", threads=2)
        expected = first(x)[0]
        again = load(network, engine="fast", threads=2, choices=first.choices)
        np.testing.assert_array_equal(again(x)[0], expected)
        assert again.choices.items() <= first.choices.items()

    def test_every_algorithm_can_be_chosen_by_name(self, load, network, simple, near):
        x = numbers()
        tried = set()
        first = load(network, engine="fast", threads=1)
        steps = first.executor.plan_for({"0": x}).steps
        for step in steps:
            kernel = step.kernel
            if not isinstance(kernel, Convolution):
                continue
            key = next(k for k in first.choices if kernel.problem.key in k)
            for candidate in Convolution(kernel.problem, kernel.epilogue).candidates():
                if candidate.name.startswith("Compiled"):  # takes seconds, and has tests of its own
                    continue
                graph = load(network, engine="fast", threads=1, choices={key: candidate.name})
                near(graph(x), simple(x))
                assert graph.choices[key] == candidate.name
                tried.add(candidate.name)
        assert {"Winograd(m=2)", "Im2col(split=rows)"} <= tried
        assert any(name.startswith("Pointwise") for name in tried)
        assert any(name.startswith("Depthwise") for name in tried)

    @pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
    def test_not_finite_numbers_stay_where_the_layers_have_them(self, net, load):
        network = net()
        x = network.input(*SHAPE)
        y = network.conv(x, 8, 4, (3, 2), padding=1)
        y = network.op("nn.SiLU", network.conv(network.op("F.relu", y), 4, 8, 1))
        network.returns(network.op("nn.MaxPool2d", y, kernel_size=[2, 2], stride=[2, 2]))
        x = numbers()
        x[0, 0, 0, 0], x[0, 3, 4, 4], x[0, 5, 8, 6] = np.nan, np.inf, -np.inf
        fast, simple = (load(network, engine=engine, threads=1)(x)[0] for engine in ("fast", "simple"))
        np.testing.assert_allclose(fast, simple, rtol=1e-4, atol=1e-5)
        assert 0 < np.isfinite(fast).sum() < fast.size


class TestOutputs:
    def test_inputs_constants_views_and_inner_values_are_returned_as_arrays_of_their_own(self, net, load, near):
        network = net()
        x = network.input(*SHAPE)
        data = network.op("pnnx.Attribute", weights={"data": numbers(2, 3)})
        y = network.op("F.relu", x)
        part, _ = network.many("torch.chunk", 2, y, chunks=2, dim=1)
        index = network.op("torch.argmax", y, dim=1, keepdim=False)
        pair = network.op("prim::TupleConstruct", data, network.op("torch.zeros", size=[2]), y)
        network.returns(x, data, part, y, y, index, network.op("nn.SiLU", y), pair, network.expression("size(@0,2)", x))
        x = numbers()
        graph, simple = (load(network, engine=engine) for engine in ("fast", "simple"))
        expected = [np.array(each) for each in simple(x)]
        for _ in range(2):
            results = graph(x)
            near(results, expected)
            for one in results:
                assert not np.shares_memory(one, x)
                if one.ndim:
                    one.fill(5)
        near(graph(x), expected)

    def test_networks_that_compute_nothing(self, net, load):
        network = net()
        network.returns(network.input(2, 3))
        x = numbers(2, 3)
        result = load(network, engine="fast")(x)[0]
        np.testing.assert_array_equal(result, x)
        assert not np.shares_memory(result, x)

    def test_networks_without_inputs(self, net, load):
        network = net()
        data = network.op("pnnx.Attribute", weights={"data": np.ones((2, 3), np.float32)})
        network.returns(network.expression("add(@0,1)", data))
        graph = load(network, engine="fast")
        graph()[0].fill(9)
        assert (graph()[0] == 2).all()

    def test_an_input_that_nobody_reads(self, net, load, near):
        network = net()
        _, x = network.input(4), network.input(2, 3)
        network.returns(network.op("F.relu", x))
        near(*(load(network, engine=engine)(numbers(4), np.ones((2, 3))) for engine in ("fast", "simple")))

    def test_the_operands_hold_what_the_last_pass_gave(self, graph):
        result = graph(numbers())[0]
        np.testing.assert_array_equal(graph.outputs[0].data, result)


class TestEngines:
    def test_auto_leaves_the_first_pass_of_a_size_to_the_layers(self, load, network):
        graph = load(network, engine="auto")
        counts = []
        for shape in [SHAPE, SHAPE, SHAPE, (2, 8, 5, 5), (2, 8, 5, 5)]:
            seen = []
            graph.forward(numbers(*shape), on_operator=lambda op, _, seen=seen: seen.append(op.name))
            counts.append(len(seen))
        layers, plan = counts[0], counts[1]
        assert plan < layers
        assert counts == [layers, plan, plan, layers, plan]

    def test_what_is_kept_comes_from_the_layers(self, graph, simple):
        x = numbers()
        for keep in (True, ["#1", "op3"]):
            got, expected = graph.forward(x, keep=keep), simple.forward(x, keep=keep)
            assert got.kept.keys() == expected.kept.keys()
            for name, value in expected.kept.items():
                np.testing.assert_array_equal(got.kept[name], value)
        with pytest.raises(kuiper.GraphError, match="no operator is called"):
            graph.forward(x, keep=["nobody"])

    def test_on_operator_gets_times_of_operators_of_the_graph(self, graph):
        seen = []
        graph.forward(numbers(), on_operator=lambda op, seconds: seen.append((op, seconds)))
        assert all(op in graph.operators and seconds >= 0 for op, seconds in seen)

    def test_an_error_in_on_operator_reaches_the_caller_and_the_graph_works_on(self, graph, simple, near):
        def complain(*_):
            raise LookupError("enough")

        x = numbers()
        with pytest.raises(LookupError):
            graph.forward(x, on_operator=complain)
        near(graph(x), simple(x))

    @pytest.mark.parametrize(
        "inputs",
        [
            (),
            (np.zeros(SHAPE), np.zeros(SHAPE)),
            (np.zeros((8, 9, 7)),),
            (np.zeros((1, 7, 9, 7)),),
            (np.zeros((1, 8, 0, 7)),),
            (np.zeros(SHAPE, complex),),
            ("text",),
            ([[1, 2], [3]],),
        ],
    )
    def test_wrong_inputs_give_the_layers_errors(self, graph, simple, inputs):
        graph(numbers())
        with pytest.raises(kuiper.KuiperError) as expected:
            simple(*inputs)
        with pytest.raises(type(expected.value)) as caught:
            graph(*inputs)
        assert str(caught.value) == str(expected.value)

    def test_a_graph_that_is_not_built_says_so(self, load, network, tmp_path):
        graph = kuiper.RuntimeGraph(network.write(tmp_path), engine="fast")
        with pytest.raises(kuiper.GraphError, match="NEED_INIT"):
            graph(numbers())

    def test_a_graph_that_is_read_anew_forgets_its_plans(self, net, tmp_path):
        x = np.ones((1, 2), np.float32)
        for number in (2, 3):
            network = net()
            network.returns(network.expression(f"mul(@0,{number})", network.input(1, 2)))
            path = network.write(tmp_path)
            if number == 2:
                first, graph = path, kuiper.load(path, engine="fast")
            else:
                first.write_text(path.read_text())
                graph.init()
                graph.build()
            np.testing.assert_array_equal(graph(x)[0], number * x)

    @pytest.mark.parametrize("engine", ["fast", "auto"])
    def test_a_students_layer_computes(self, load, network, engine):
        class Mine(kuiper.Layer):
            calls = 0

            def forward(self, x):
                Mine.calls += 1
                return np.full_like(x, Mine.calls)

        mine = kuiper.registry.copy()
        mine.override("nn.SiLU", Mine)
        graph = load(network, registry=mine, engine=engine, threads=1)
        for _ in range(4):
            before = Mine.calls
            assert (graph(numbers())[0] == Mine.calls).all()
            assert Mine.calls > before

    @pytest.mark.parametrize("engine", ["fast", "auto"])
    def test_a_students_toolbox_computes(self, load, network, engine):
        calls = []

        def padding(x, pads, value):
            calls.append(pads)
            return np.pad(x, [(0, 0), pads[:2], pads[2:]], constant_values=value)

        toolbox = kuiper.Toolbox(padding=padding, topological_order=lambda names: topological_order(names))
        graph = load(network, toolbox=toolbox, engine=engine)
        counts = []
        for _ in range(3):
            graph(numbers())
            counts.append(len(calls))
        assert counts[0] > 0
        assert counts == [counts[0] * i for i in (1, 2, 3)]

    def test_a_students_error_names_the_operator_with_every_engine(self, load, network):
        class Mine(kuiper.Layer):
            def forward(self, x):
                if np.isnan(x).any():
                    raise ValueError("no numbers")
                return x

        mine = kuiper.registry.copy()
        mine.override("F.softsign", Mine)
        fast, simple = (load(network, registry=mine, engine=engine, threads=2) for engine in ("fast", "simple"))
        x = numbers()
        expected = fast(x)[0]
        messages = []
        for graph in (fast, simple):
            with pytest.raises(kuiper.KuiperError) as caught:
                graph(np.full(SHAPE, np.nan, np.float32))
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
        np.testing.assert_array_equal(fast(x)[0], expected)


def test_a_plan_says_what_it_needs(load, network):
    graph = load(network, engine="fast", threads=1)
    graph(numbers())
    plan = graph.executor.plan_for({"0": numbers()})
    assert isinstance(plan, Plan)
    assert plan.memory.planned_bytes >= plan.memory.lower_bound_bytes > 0
    assert plan.scratch_bytes > 0
    assert sum(len(step.operators) for step in plan.steps) == sum(op.layer is not None for op in graph.operators)
