"""Lesson 4: the one loop that runs layers, and the executors that a graph may have."""

import numpy as np
import pytest

import kuiper
from kuiper.graph import Operand, Operator, lifetimes
from kuiper.layers import Layer
from kuiper.runtime import EXECUTORS, LayerExecutor, run_layers

DIGITS = "models/digits/digits.pnnx.param"


class Note(Layer):
    """x -> x + 1; notes which values exist while it runs."""

    def __init__(self, seen):
        self.seen = seen

    def forward_operator(self, operator, values):
        self.seen.append((operator.name, sorted(values)))
        super().forward_operator(operator, values)

    def forward(self, *inputs):
        return sum(inputs) + 1


@pytest.fixture
def network():
    """in -> 0; a(0) -> 1; b(1, 0) -> 2; c(2, 2) -> 3; out(3): operators in order, what each releases, what was seen."""
    zero, one, two, three = (Operand(str(i)) for i in range(4))
    seen = []
    operators = [
        Operator("pnnx.Input", "in", [], [zero]),
        Operator("note", "a", [zero], [one], layer=Note(seen)),
        Operator("note", "b", [one, zero], [two], layer=Note(seen)),
        Operator("note", "c", [two, two], [three], layer=Note(seen)),
        Operator("pnnx.Output", "out", [three]),
    ]
    return operators, [[], [], ["0", "1"], ["2"], []], seen


def test_operators_are_computed_in_order_and_values_released_after_their_last_reader(network):
    operators, released_after, seen = network
    values = {"0": 10}
    run_layers(operators, released_after, values)
    assert values == {"3": 45}
    assert seen == [("a", ["0"]), ("b", ["0", "1"]), ("c", ["2"])]


def test_what_is_kept_is_not_released(network):
    operators, released_after, seen = network
    values = {"0": 10}
    run_layers(operators, released_after, values, keep={"1", "2"})
    assert values == {"1": 11, "2": 22, "3": 45}
    assert seen[-1] == ("c", ["1", "2"])


def test_the_callback_comes_after_each_layer_and_before_its_inputs_are_released(network):
    operators, released_after, _ = network
    values, told = {"0": 10}, []
    run_layers(operators, released_after, values, lambda op, seconds: told.append((op.name, seconds >= 0, [*values])))
    assert told == [("a", True, ["0", "1"]), ("b", True, ["0", "1", "2"]), ("c", True, ["2", "3"])]


def test_one_list_of_releases_for_each_operator_is_needed(network):
    operators, released_after, _ = network
    with pytest.raises(ValueError, match="shorter"):
        run_layers(operators, released_after[:-1], {"0": 10})


def test_an_error_leaves_what_was_computed_before(network):
    operators, released_after, _ = network
    operators[2].layer = type("Broken", (Layer,), {"forward": lambda self, *inputs: 1 / 0})()
    values = {"0": 10}
    with pytest.raises(kuiper.InferError, match=r"b: .*division by zero"):
        run_layers(operators, released_after, values)
    assert values == {"0": 10, "1": 11}


def test_a_built_graph_releases_each_value_once_at_the_end_of_its_life():
    graph = kuiper.load(DIGITS, engine="simple")
    released = [name for names in graph.released_after for name in names]
    assert len(released) == len(set(released))
    for step, names in enumerate(graph.released_after):
        assert all(graph.lifetimes[name].last == step for name in names)
    assert graph.lifetimes == lifetimes(graph.operators)
    left = LayerExecutor(graph).compute({graph.inputs[0].name: np.zeros((1, 1, 8, 8), np.float32)})
    assert set(left) == {operand.name for operand in graph.outputs}


class Seven:
    """An executor that computes nothing: each output is 7."""

    def __init__(self, graph, **options):
        self.graph, self.options, self.choices = graph, options, {"seven": "always"}

    def run(self, inputs, on_operator=None):
        self.inputs = inputs
        return [np.full((1, 10), 7.0) for _ in self.graph.outputs]

    def plan_for(self, inputs):
        return "seven"


def test_an_engine_offered_from_outside_is_used(monkeypatch):
    monkeypatch.setitem(EXECUTORS, "seven", Seven)
    graph = kuiper.load(DIGITS, engine="seven", threads=3, choices={"a": "b"})
    assert isinstance(graph.executor, Seven)
    assert graph.executor.graph is graph
    assert graph.executor.options == {"threads": 3, "choices": {"a": "b"}}
    x = np.zeros((1, 1, 8, 8), np.float32)
    np.testing.assert_array_equal(graph(x)[0], np.full((1, 10), 7.0))
    assert list(graph.executor.inputs) == [operand.name for operand in graph.inputs]
    np.testing.assert_array_equal(graph.outputs[0].data, np.full((1, 10), 7.0))
    assert graph.choices == {"seven": "always"}


def test_what_is_kept_is_computed_by_the_layers_whatever_the_engine(monkeypatch):
    monkeypatch.setitem(EXECUTORS, "seven", Seven)
    x = np.random.default_rng(0).standard_normal((1, 1, 8, 8)).astype(np.float32)
    expected = kuiper.load(DIGITS, engine="simple")(x)
    outputs = kuiper.load(DIGITS, engine="seven").forward(x, keep=True)
    np.testing.assert_array_equal(outputs[0], expected[0])
    assert outputs.kept


def test_an_executor_is_a_field_that_may_be_changed():
    graph = kuiper.load(DIGITS, engine="simple")
    graph.executor = Seven(graph)
    assert graph(np.zeros((1, 1, 8, 8), np.float32))[0][0, 0] == 7


def test_a_students_function_makes_the_layers_compute(monkeypatch):
    monkeypatch.setitem(EXECUTORS, "seven", Seven)
    toolbox = kuiper.Toolbox(topological_order=lambda successors: kuiper.graph.topological_order(successors))
    graph = kuiper.load(DIGITS, engine="seven", toolbox=toolbox)
    assert isinstance(graph.executor, LayerExecutor)


def test_a_pass_that_shall_not_be_planned_is_computed_by_the_layers(monkeypatch):
    monkeypatch.setitem(EXECUTORS, "seven", Seven)
    x = np.random.default_rng(0).standard_normal((1, 1, 8, 8)).astype(np.float32)
    outputs = kuiper.load(DIGITS, engine="seven").forward(x, planned=False)
    np.testing.assert_array_equal(outputs[0], kuiper.load(DIGITS, engine="simple")(x)[0])
    assert outputs.kept == {}


def test_an_unknown_engine_is_refused_with_the_known_ones(monkeypatch):
    with pytest.raises(kuiper.KuiperError, match="engine: expected one of simple, fast, compiled, auto, found 'warp'"):
        kuiper.load(DIGITS, engine="warp")
    monkeypatch.setitem(EXECUTORS, "seven", Seven)
    with pytest.raises(kuiper.KuiperError, match="simple, fast, compiled, auto, seven, found ''"):
        kuiper.RuntimeGraph(DIGITS, engine="")
