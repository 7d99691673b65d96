"""The small models of lesson 3: what the file says is what the graph holds."""

import numpy as np
import pytest

import kuiper
from kuiper import pnnx
from kuiper.graph import Attribute, Graph, Operand, Operator, ParameterKind, reverse_post_order, topological_order

CONVOLUTIONS = """7767517
6 5
pnnx.Input       input 0 1 0
nn.Conv2d        conv1 1 1 0 1 @weight=(1,1,1,1)f32
nn.Conv2d        conv2 1 1 0 2 @weight=(1,1,1,1)f32
pnnx.Expression  pnnx_expr_0 2 1 1 2 3 expr=add(@0,@1)
nn.MaxPool2d     max 1 1 3 4 kernel_size=(2,2)
pnnx.Output      output 1 0 4
"""


@pytest.fixture
def linear_model(tmp_path):
    """nn.Linear 32 -> 128 with a bias, then a sigmoid; returns the path and the weights."""
    rng = np.random.default_rng(0)
    weights = {"weight": rng.standard_normal((128, 32)).astype("f4"), "bias": rng.standard_normal(128).astype("f4")}
    f32 = kuiper.dtypes.find("f32")
    x, hidden, y = Operand("0", shape=(1, 32), dtype=f32), Operand("1", shape=(1, 128), dtype=f32), Operand("2")
    linear = Operator("nn.Linear", "linear", [x], [hidden], params=pnnx_params(bias="True", in_features="32"))
    linear.attributes = {name: Attribute.from_array(array) for name, array in weights.items()}
    operators = [
        Operator("pnnx.Input", "pnnx_input_0", [], [x]),
        linear,
        Operator("F.sigmoid", "F.sigmoid_0", [hidden], [y], ["input"]),
        Operator("pnnx.Output", "pnnx_output_0", [y]),
    ]
    pnnx.write(Graph(operators).connect(), tmp_path / "test_linear.pnnx.param")
    return tmp_path / "test_linear.pnnx.param", weights


def pnnx_params(**texts):
    return {key: pnnx.parse(text) for key, text in texts.items()}


def test_test_linear_holds_four_operators_two_attributes_and_its_shapes(linear_model):
    graph = kuiper.load(linear_model[0])
    assert [op.name for op in graph.operators] == ["pnnx_input_0", "linear", "F.sigmoid_0", "pnnx_output_0"]
    linear = graph.operator("linear")
    assert linear.attributes["weight"].shape == (128, 32)
    assert linear.attributes["bias"].shape == (128,)
    assert linear.inputs[0].shape == (1, 32)
    assert linear.outputs[0].shape == (1, 128)
    assert linear.params["in_features"].value == 32
    assert linear.params["bias"].kind is ParameterKind.BOOL


@pytest.mark.parametrize("batch", [1, 4])
def test_test_linear_computes_sigmoid_of_wx_plus_b(linear_model, batch):
    path, weights = linear_model
    x = np.random.default_rng(1).standard_normal((batch, 32)).astype("f4")
    expected = 1 / (1 + np.exp(-(x @ weights["weight"].T + weights["bias"])))
    np.testing.assert_allclose(kuiper.load(path)(x)[0], expected, rtol=1e-5)


def test_two_convolutions_an_add_and_a_pool_come_in_the_lessons_order():
    lines = [line.split() for line in CONVOLUTIONS.splitlines()[2:]]
    reads = {name: words[: int(n_in)] for _, name, n_in, _, *words in lines}
    makes = {name: words[int(n_in) : int(n_in) + int(n_out)] for _, name, n_in, n_out, *words in lines}
    successors = {name: [other for other in reads if set(makes[name]) & set(reads[other])] for name in makes}
    order = topological_order(successors)
    assert order == ["input", "conv1", "conv2", "pnnx_expr_0", "max", "output"]
    assert set(reverse_post_order(successors)) == set(order)


def test_two_convolutions_an_add_and_a_pool_run(tmp_path):
    path = tmp_path / "net.pnnx.param"
    path.write_text(CONVOLUTIONS)
    with open(tmp_path / "net.pnnx.bin", "wb") as file:
        kernels = {"conv1.weight": np.full((1, 1, 1, 1), 2, "f4"), "conv2.weight": np.full((1, 1, 1, 1), 3, "f4")}
        pnnx.archive.write_archive(file, kernels)
    image = np.arange(16, dtype="f4").reshape(1, 1, 4, 4)
    np.testing.assert_array_equal(kuiper.load(path)(image)[0], [[[[25, 35], [65, 75]]]])
