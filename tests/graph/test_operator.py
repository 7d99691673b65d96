"""Lesson 3: operators, operands, attributes and parameters, and how a graph joins them."""

import numpy as np
import pytest

import kuiper
from kuiper import GraphError, pnnx
from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter, ParameterKind


def diamond():
    """0 -> one -> 1, 0 -> two -> 2, (1, 2, 1) -> sum -> 3; not connected yet."""
    x, a, b, y = (Operand(str(i)) for i in range(4))
    return [
        Operator("pnnx.Output", "out", [y]),
        Operator("torch.cat", "sum", [a, b, a], [y]),
        Operator("nn.ReLU", "two", [x], [b]),
        Operator("nn.ReLU", "one", [x], [a]),
        Operator("pnnx.Input", "in", [], [x]),
    ]


def test_connect_tells_every_operand_who_writes_and_who_reads_it():
    graph = Graph(diamond()).connect()
    found = {
        name: (operand.producer.name, [reader.name for reader in operand.consumers])
        for name, operand in graph.operands.items()
    }
    assert found == {
        "0": ("in", ["two", "one"]),
        "1": ("one", ["sum", "sum"]),
        "2": ("two", ["sum"]),
        "3": ("sum", ["out"]),
    }
    assert list(graph.operator("in").output_operators) == ["two", "one"]
    assert [producer.name for producer in graph.operator("sum").producers] == ["one", "two", "one"]
    assert graph.operator("sum").input_names == [None, None, None]


def test_connect_forgets_what_no_longer_holds():
    graph = Graph(diamond()).connect()
    a = graph.operands["1"]
    graph.operators = [op for op in graph if op.name not in ("sum", "out")]
    graph.connect()
    assert list(graph.operands) == ["0", "2", "1"]
    assert a.consumers == []
    assert [len(operand.consumers) for operand in graph.connect().operands.values()] == [2, 0, 0]


def test_connect_returns_the_graph_whose_ends_come_in_the_order_of_the_file():
    operators = diamond()
    extra = [
        Operator("pnnx.Input", "late", [], [Operand("7")]),
        Operator("pnnx.Output", "last", [operators[3].outputs[0]]),
    ]
    graph = Graph([*operators, *extra])
    assert graph.connect() is graph
    assert [operand.name for operand in graph.inputs] == ["0", "7"]
    assert [operand.name for operand in graph.outputs] == ["3", "1"]


def test_what_cannot_be_connected_says_what_is_wrong():
    x, y = Operand("0"), Operand("1")
    source, relu = Operator("pnnx.Input", "in", [], [x]), Operator("nn.ReLU", "relu", [x], [y])
    for operators, message in (
        ([source, relu, Operator("nn.ReLU", "relu", [y], [Operand("2")])], "two operators called 'relu'"),
        ([source, relu, Operator("nn.ReLU", "last", [y], [Operand("1")])], "two operands called '1'"),
        ([source, relu, Operator("nn.ReLU", "last", [x], [y])], "operand 1: .* found relu and last"),
        ([relu], "operand 0: expected an operator that writes it; relu reads it"),
    ):
        with pytest.raises(GraphError, match=message):
            Graph(operators).connect()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((None, "None"), (True, "True"), (3, "3"), (2.0, "2.0"), ("zeros", "zeros"), (3 + 4j, "3+4j")),
        *(((3, 3), "(3,3)"), ([0.5], "(0.5)"), ([], "()"), ([1, 0.5], "(1,0.5)"), ([1, 0.5, 2j], "(1,0.5,2j)")),
        *((["a", 1, 2.5], "(a,1,2.5)"), ([None, 3], "(None,3)"), ([True, False], "(True,False)")),
        *((np.float32(0.5), "0.5"), (np.int64(7), "7"), (np.bool_(True), "True"), (ParameterKind.INTS, "5")),
    ],
)
def test_a_plain_value_is_the_parameter_that_its_text_is(value, text):
    found = Operator("nn.ReLU", "relu", params={"option": value}).params["option"]
    assert found == pnnx.parse(text) == Parameter.of(value)
    assert repr(found.value) == repr(pnnx.parse(text).value), "the types too"


def test_plain_values_stand_for_parameters_weights_shapes_and_element_types():
    x = Operand("0", shape=[1, np.int64(3)], dtype=np.float32)
    assert (x.shape, x.dtype) == ((1, 3), Operand("0", dtype="f32").dtype)
    assert Operand("0", dtype="bf16").dtype.torch == "bfloat16"
    kept = Parameter(ParameterKind.NULL, "kept as it is")
    linear = Operator("nn.Linear", "linear", params={"a": kept}, attributes={"weight": np.ones((2, 3), np.float32)})
    assert linear.params["a"] is kept
    assert linear.attributes["weight"].data.shape == (2, 3)
    source = Operator("pnnx.Input", "in", [], [x])
    source.params["late"] = 5
    Graph([source]).connect()
    assert source.params["late"] == Parameter(ParameterKind.INT, 5)


X = Operand("0")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Operand(0), r"an operand: expected its name, as in Operand\('0'\), found 0"),
        (lambda: Operand("0", shape=3), "shape of operand 0: expected whole numbers, -1 for an open dim.*, found 3"),
        (lambda: Operand("0", shape=(1, None)), r"shape of operand 0: expected whole .* found \(1, None\)"),
        (lambda: Operand("0", dtype="real"), "^operand 0: element type: expected one of f32"),
        (lambda: Operand("0", dtype="uint32"), "^operand 0: element type: expected one of f32.*, found uint32"),
        (lambda: Operand("0", dtype=3), "^operand 0: element type: expected one of f32.*, found 3"),
        (
            lambda: Operator(int, "relu"),
            r"an operator: expected its type and its name, as in Operator\('nn.ReLU', 'relu'",
        ),
        (lambda: Operator("nn.ReLU", "relu", X), "^relu: inputs: expected a list of Operands, found Operand"),
        (lambda: Operator("nn.ReLU", "relu", ["0"]), "^relu: inputs: expected a list of Operands, found str 0"),
        (lambda: Operator("nn.ReLU", "relu", [X], "1"), "^relu: outputs: expected a list of Operands, found str 1"),
        (lambda: Operator("nn.ReLU", "relu", [X], input_names=["a", "b"]), "^relu: input_names: expected one for each"),
        (lambda: Operator("nn.ReLU", "relu", params={"a": [[1]]}), "^relu: parameter a: expected None, a bool.* list"),
        (lambda: Operator("nn.ReLU", "relu", params={"a": np.ones(2)}), "^relu: parameter a: .* an array is a weight"),
        (
            lambda: Operator("nn.ReLU", "relu", params={"a": [10**400, 0.5]}),
            "^relu: parameter a: .* that float can hold",
        ),
        (lambda: Operator("nn.ReLU", "relu", attributes={"w": [1]}), "^relu: attribute w: expected a numpy array"),
        (lambda: Operator("nn.ReLU", "relu", attributes={"w": np.array("a")}), "^relu: attribute w: element type"),
        (lambda: Graph([("nn.ReLU", "relu")]).connect(), "a graph: expected Operators, .* found tuple"),
        (lambda: kuiper.load(Graph(["nn.ReLU"])), "a graph: expected Operators, .* found str nn.ReLU"),
        (lambda: kuiper.load([X]), r"model file: expected a path, as 'net.pnnx.param', found list"),
        (lambda: kuiper.load(Graph(), "net.pnnx.bin"), "load: expected no second file beside a Graph"),
        (
            lambda: kuiper.RuntimeGraph(Graph()),
            r"expected a path, found a Graph; write RuntimeGraph.from_graph\(graph\)",
        ),
        (lambda: kuiper.RuntimeGraph.from_graph([X]), r"from_graph: expected a Graph, as Graph\(\[...\]\), found list"),
        (lambda: pnnx.write(Graph(), 3), "model file: expected a path, as 'net.pnnx.param', found int 3"),
    ],
)
def test_what_cannot_stand_in_a_graph_is_refused_with_what_was_expected(make, message):
    with pytest.raises(kuiper.KuiperError, match=message):
        make()


def test_an_operator_that_was_spoilt_later_is_refused_when_the_graph_is_used(tmp_path):
    relu = Operator("nn.ReLU", "relu", [Operand("0")], [Operand("1")])
    relu.inputs.append("2")
    for use in (Graph.connect, kuiper.load, lambda graph: pnnx.write(graph, tmp_path / "net.pnnx.param")):
        with pytest.raises(GraphError, match="relu: inputs: expected a list of Operands, found str 2"):
            use(Graph([relu]))


def test_the_courses_words_are_the_graphs_own_classes():
    assert kuiper.RuntimeOperator is Operator
    assert kuiper.RuntimeOperand is Operand
    assert kuiper.RuntimeAttribute is Attribute
    assert kuiper.RuntimeParameter is Parameter


@pytest.fixture
def constant(tmp_path):
    """A model that returns one stored array; returns the path."""

    def write(array):
        value = Operand("0")
        weight = Operator("pnnx.Attribute", "w", [], [value], attributes={"data": Attribute.from_array(array)})
        output = Operator("pnnx.Output", "out", [value])
        path = tmp_path / "constant.pnnx.param"
        pnnx.write(Graph([weight, output]).connect(), path)
        return path

    return write


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i8", "i4", "i2", "i1", "u1", "?", "c8", "c16"])
def test_attributes_of_every_type_are_read(constant, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    got = kuiper.load(constant(array))()[0]
    assert got.dtype == array.dtype
    np.testing.assert_array_equal(got, array)


def test_reading_an_attribute_twice_gives_the_same_weights(constant):
    graph = kuiper.load(constant(np.arange(6.0)))
    attribute = graph.operator("w").attributes["data"]
    np.testing.assert_array_equal(attribute.data, attribute.data)
    assert attribute.data.size == 6


def test_weights_cannot_be_written_to(constant):
    graph = kuiper.load(constant(np.arange(6.0)))
    with pytest.raises(ValueError, match="read-only"):
        graph.operator("w").attributes["data"].data[0] = 1


def test_a_result_that_is_a_weight_can_be_written_to_and_leaves_the_weight(constant):
    graph = kuiper.load(constant(np.arange(6.0)))
    graph()[0][:] = -1
    np.testing.assert_array_equal(graph()[0], np.arange(6.0))


def test_a_single_number_without_axes_is_read(tmp_path):
    """PNNX writes a folded constant such as torch.zeros(()) with the shape ()."""
    path = tmp_path / "net.pnnx.param"
    path.write_text("7767517\n2 1\npnnx.Attribute w 0 1 0 @data=()f32\npnnx.Output out 1 0 0\n")
    with open(tmp_path / "net.pnnx.bin", "wb") as file:
        pnnx.archive.write_archive(file, {"w.data": np.array([2.5], np.float32)})
    got = kuiper.load(path)()[0]
    assert (got.shape, got.item()) == ((), 2.5)
