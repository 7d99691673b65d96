"""The registry: a value from operator types to layers."""

import numpy as np
import pytest

from kuiper.errors import InferError, KuiperError, ParameterError, UnsupportedOperatorError
from kuiper.graph import Graph, Operand, Operator, Parameter, ParameterKind
from kuiper.layers import Layer, LayerRegisterer, registry
from kuiper.runtime import EXECUTORS, RuntimeGraph


class Double(Layer):
    def forward(self, x):
        return 2 * x


class Scale(Layer):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return self.factor * x


@pytest.fixture
def mine():
    registerer = LayerRegisterer()
    registerer.register("nn.Double", "F.double")(Double)
    return registerer


def operator(kind, **params):
    values = {name: Parameter(ParameterKind.NULL, value) for name, value in params.items()}
    return Operator(kind, "op", params=values)


def test_the_decorator_registers_every_type_and_gives_the_class_back():
    registerer = LayerRegisterer()

    @registerer.register("nn.Twice", "F.twice")
    class Twice(Double):
        pass

    assert Twice.__name__ == "Twice"
    assert list(registerer) == ["F.twice", "nn.Twice"]
    assert isinstance(registerer.create(operator("F.twice")), Twice)


def test_a_type_is_found_and_creates_its_layer(mine):
    assert "nn.Double" in mine
    assert len(mine) == 2
    assert mine.find("nn.Double")(operator("nn.Double")).forward(4) == 8


def test_a_type_that_is_taken_is_refused(mine):
    with pytest.raises(KuiperError, match=r"nn\.Double is registered already; use override"):
        mine.register("nn.Double")(Scale)
    assert isinstance(mine.create(operator("nn.Double")), Double)


def test_override_replaces_a_layer(mine):
    mine.override("nn.Double", Scale)
    assert mine.create(operator("nn.Double", factor=5)).forward(4) == 20


def test_override_needs_a_type_that_is_there(mine):
    with pytest.raises(UnsupportedOperatorError, match=r"nn\.Triple"):
        mine.override("nn.Triple", Scale)


def test_a_creator_may_be_a_function_of_the_operator(mine):
    mine.add("nn.Scale", lambda op: Scale(op.params["factor"].value + 1))
    assert mine.create(operator("nn.Scale", factor=2)).forward(10) == 30


def test_an_unknown_type_is_named_with_what_to_do(mine):
    with pytest.raises(UnsupportedOperatorError, match=r"nn\.Triple") as caught:
        mine.find("nn.Triple")
    assert caught.value.types == {"nn.Triple": []}
    assert "registry.copy()" in str(caught.value)


def test_an_error_of_the_layer_names_the_operator(mine):
    mine.add("nn.Scale", Scale)
    with pytest.raises(ParameterError, match=r"^op: parameter factor") as caught:
        mine.create(operator("nn.Scale"))
    assert caught.value.operator == "op"


def test_a_copy_and_its_original_do_not_change_one_another(mine):
    twin = mine.copy()
    twin.override("nn.Double", Scale)
    twin.add("nn.Scale", Scale)
    mine.add("nn.Half", Double)
    assert "nn.Scale" not in mine
    assert "nn.Half" not in twin
    assert isinstance(mine.create(operator("nn.Double")), Double)


def test_a_students_sigmoid_takes_the_place_of_the_courses_own():
    mine = registry.copy()
    mine.override("nn.Sigmoid", Double)
    assert isinstance(mine.create(operator("nn.Sigmoid")), Double)
    assert not isinstance(registry.create(operator("nn.Sigmoid")), Double)


def test_a_layer_of_a_class_that_is_not_kuipers_runs_in_a_graph():
    class Halves:
        def forward_operator(self, operator, values):
            values[operator.outputs[0].name] = values[operator.inputs[0].name] / 2

    mine = registry.copy()
    mine.override("nn.ReLU", lambda operator: Halves())
    x, y = Operand("0", shape=(1, 2)), Operand("1")
    steps = [("pnnx.Input", "in", [], [x]), ("nn.ReLU", "relu", [x], [y]), ("pnnx.Output", "out", [y], [])]
    for engine in EXECUTORS:
        graph = RuntimeGraph.from_graph(Graph([Operator(*step) for step in steps]), registry=mine, engine=engine)
        graph.build()
        for _ in range(3):  # engine "auto" makes a plan at the second pass
            assert graph(np.float32([[4, 6]]))[0].tolist() == [[2, 3]]


def test_a_class_that_makes_no_layer_of_an_operator_is_refused():
    class Mine:
        def forward_operator(self, operator, values):
            pass

    with pytest.raises(KuiperError, match="Mine: expected a class with from_operator"):
        registry.copy().override("nn.ReLU", Mine)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"family": "activations"}, "Cube.family: expected one of input, output, .*, found 'activations'"),
        ({"flops": 5}, r"Cube.flops: expected a rule such as per_output\(1\), or a method, found 5"),
    ],
)
def test_a_record_that_is_not_one_is_refused_when_it_is_registered(wrong, message):
    with pytest.raises(KuiperError, match=message):
        registry.copy().register("my.Cube")(type("Cube", (Layer,), wrong))


def test_inputs_are_a_tuple_of_texts_of_words_that_the_layer_knows():
    class Cube(Layer):
        def __init__(self, scale=1.0):
            self.scale = scale

    mine = registry.copy()
    with pytest.raises(KuiperError, match=r"inputs: expected a tuple of texts, found 'x scale'; write \('x scale',\)"):
        mine.register("aten::cube", inputs="x scale")(Cube)
    mine.register("aten::cube", inputs=("x scal",))(Cube)
    x, scale, y = Operand("0"), Operand("1"), Operand("2")
    with pytest.raises(KuiperError, match=r"expected x, _ or an option .scale., found scal"):
        mine.create(Operator("aten::cube", "cube", [x, scale], [y]))


def test_what_the_inputs_are_means_the_same_for_a_class_and_for_one_type():
    def scale(**fields):
        def init(self, scale=1.0):
            self.scale = scale

        return type("Scale", (Layer,), {"__init__": init, "forward": lambda self, x: self.scale * x, **fields})

    mine = registry.copy()
    mine.register("my.Scale", "my.Other")(scale(inputs=("x", "x scale")))
    mine.register("aten::scale", inputs=("x", "x scale"))(scale())
    mine.register("my.Strict", inputs=("x scale",))(scale(inputs=("x",)))
    x, factor, y = Operand("0"), Operand("1"), Operand("2")
    for kind in ("my.Scale", "my.Other", "aten::scale"):
        assert mine.create(Operator(kind, "op", [x], [y])).forward(3) == 3
        assert mine.create(Operator(kind, "op", [x, factor], [y])).forward(3, 5) == 15
    with pytest.raises(KuiperError, match="op: expected 2 inputs, found 1: x scale"):
        mine.create(Operator("my.Strict", "op", [x], [y]))


def test_types_that_look_like_an_unknown_one_are_named():
    with pytest.raises(UnsupportedOperatorError, match=r"nn\.HardSwish; similar: nn\.Hardswish"):
        registry.find("nn.HardSwish")


def test_what_goes_wrong_in_an_object_that_is_no_layer_names_the_operator(mine):
    class Own:
        def forward_operator(self, operator, values):
            raise ValueError("no such corner")

    mine.override("nn.Double", lambda operator: Own())
    layer = mine.create(operator("nn.Double"))
    with pytest.raises(InferError, match=r"op: nn\.Double cannot compute on inputs : no such corner"):
        layer.forward_operator(operator("nn.Double"), {})
