"""Layer: from an operator's parameters, weights and inputs to a computation."""

import numpy as np
import pytest

from kuiper.errors import InferError, InferStatus, KuiperError, ParameterError, ShapeError
from kuiper.graph import Attribute, Operand, Operator, Parameter, ParameterKind
from kuiper.layers import Layer, LayerRegisterer
from kuiper.layers.arrays.joining import Split
from kuiper.layers.arrays.shape import Reshape
from kuiper.layers.elementwise.activation import ReLU
from kuiper.toolbox import Toolbox


class Affine(Layer):
    """y = weight * x + bias + shift."""

    weights = ("weight", "bias")

    def __init__(self, weight, bias=None, shift=0.0):
        self.weight, self.bias, self.shift = weight, bias, shift

    def forward(self, x):
        return self.weight * x + (0 if self.bias is None else self.bias) + self.shift


W, B = np.array([2.0, 3.0], np.float32), np.array([10.0, 20.0], np.float32)


def operator(inputs=("x",), outputs=("y",), params=None, weights=None, names=None, producers=None, kind="nn.Affine"):
    sources = [Operator(p, p) for p in producers or ["pnnx.Input"] * len(inputs)]
    return Operator(
        kind,
        "affine",
        inputs=[Operand(name, producer=source) for name, source in zip(inputs, sources, strict=True)],
        outputs=[Operand(name) for name in outputs],
        input_names=list(names or []),
        params={k: Parameter(ParameterKind.NULL, v) for k, v in (params or {}).items()},
        attributes={k: Attribute.from_array(w) for k, w in (weights or {}).items()},
    )


def made(layer_class, op, toolbox=None):
    registry = LayerRegisterer()
    registry.add(op.type, layer_class)
    return registry.create(op, toolbox)


def compute(layer_class, op, **values):
    made(layer_class, op).forward_operator(op, values)
    return values


def test_parameters_and_weights_become_options():
    op = operator(params={"shift": 1.0}, weights={"weight": W, "bias": B})
    assert compute(Affine, op, x=1.0)["y"].tolist() == [13.0, 24.0]


def test_a_boolean_says_whether_the_weight_is_there():
    op = operator(params={"bias": False}, weights={"weight": W})
    assert compute(Affine, op, x=1.0)["y"].tolist() == [2.0, 3.0]
    op = operator(params={"bias": True}, weights={"weight": W, "bias": B})
    assert compute(Affine, op, x=1.0)["y"].tolist() == [12.0, 23.0]


def test_a_weight_that_is_promised_and_missing_is_an_error():
    with pytest.raises(ParameterError, match="parameter bias: expected the weights @bias, as bias=True says"):
        made(Affine, operator(params={"bias": True}, weights={"weight": W}))


def test_an_unknown_parameter_is_named_with_the_known_ones():
    op = operator(params={"inplace": True}, weights={"weight": W})
    with pytest.raises(ParameterError) as caught:
        made(Affine, op)
    message = str(caught.value)
    assert message.startswith("affine: parameter inplace")
    assert "weight, bias, shift" in message
    assert (caught.value.operator, caught.value.parameter) == ("affine", "inplace")


def test_a_layer_without_options_says_so():
    with pytest.raises(ParameterError, match=r"nn\.ReLU knows \(none\)"):
        made(ReLU, operator(kind="nn.ReLU", params={"slope": 1}))


def test_a_missing_parameter_is_named():
    with pytest.raises(ParameterError, match="parameter weight: expected a value"):
        made(Affine, operator())


def test_named_inputs_become_options_at_each_call():
    op = operator(inputs=("x", "w"), names=[None, "weight"], params={"shift": 0.5})
    layer = made(Affine, op)
    for w in (2.0, 5.0):
        values = {"x": 3.0, "w": w}
        layer.forward_operator(op, values)
        assert values["y"] == 3.0 * w + 0.5


def test_a_named_input_counts_whatever_its_slot():
    op = operator(inputs=("w", "x"), names=["weight", "input"])
    assert compute(Affine, op, w=2.0, x=3.0)["y"] == 6.0


@pytest.mark.parametrize("shape", [[6], np.array([6]), (np.int64(6),), 6])
def test_a_shape_that_is_known_at_run_time(shape):
    op = operator(inputs=("x", "s"), names=["input", "shape"], kind="Tensor.reshape")
    assert compute(Reshape, op, x=np.zeros((2, 3)), s=shape)["y"].shape == (6,)


def test_an_option_that_arrives_late_and_is_wrong_names_the_operator():
    op = operator(inputs=("x", "s"), names=["tensor", "split_size_or_sections"], kind="torch.split")
    with pytest.raises(ShapeError, match=r"^affine: split_size_or_sections"):
        compute(Split, op, x=np.zeros(5), s=[2, 2])


def test_a_tied_weight_is_not_an_input():
    op = operator(inputs=("x", "w"), weights={"weight": W}, producers=["nn.ReLU", "pnnx.Attribute"])
    assert compute(Affine, op, x=1.0, w=W)["y"].tolist() == [2.0, 3.0]


def test_a_constant_that_is_the_only_input_stays_one():
    op = operator(inputs=("c",), weights={"weight": W}, producers=["pnnx.Attribute"])
    assert compute(Affine, op, c=np.float32(2))["y"].tolist() == [4.0, 6.0]


def test_one_operand_may_fill_two_slots():
    class Add(Layer):
        def forward(self, a, b):
            return a + b

    assert compute(Add, operator(inputs=("x", "x")), x=4.0)["y"] == 8.0


class Pair(Layer):
    def forward(self, x):
        return x, -x


def test_several_outputs_fill_the_operands_in_order():
    values = compute(Pair, operator(outputs=("a", "b")), x=3)
    assert (values["a"], values["b"]) == (3, -3)


def test_one_operand_takes_a_tuple_as_it_is():
    assert compute(Pair, operator(), x=3)["y"] == (3, -3)


@pytest.mark.parametrize(("layer", "number"), [(Pair, 2), (ReLU, 1)])
def test_a_wrong_number_of_outputs_is_an_error(layer, number):
    with pytest.raises(InferError, match=f"expected 3 outputs, the layer gave {number}") as caught:
        compute(layer, operator(outputs=("a", "b", "c")), x=np.zeros(3))
    assert caught.value.status is InferStatus.OUTPUT_SIZE


@pytest.mark.parametrize(
    "x", [np.zeros((3, 5)), "text", None], ids=["shapes do not broadcast", "wrong type", "no value at all"]
)
def test_whatever_numpy_raises_becomes_an_error_that_names_the_operator(x):
    op = operator(weights={"weight": W})
    with pytest.raises(InferError, match=r"^affine: nn\.Affine cannot compute on inputs") as caught:
        compute(Affine, op, x=x)
    assert isinstance(caught.value.__cause__, Exception)


def test_too_many_inputs_are_an_error():
    op = operator(inputs=("x", "z"), weights={"weight": W})
    with pytest.raises(KuiperError, match="affine"):
        compute(Affine, op, x=1.0, z=2.0)


def test_a_layer_uses_the_toolbox_that_is_given_with_the_operator():
    toolbox = Toolbox(flatten=lambda x, row_major: x)
    op = operator(weights={"weight": W})
    assert made(Affine, op, toolbox).toolbox is toolbox
    assert made(Affine, op).toolbox == Toolbox()


def test_a_layer_whose_options_come_as_inputs_uses_the_same_toolbox():
    class Flatten(Affine):
        def forward(self, x):
            return self.toolbox.flatten(x, False)

    toolbox = Toolbox(flatten=lambda x, row_major: [x, row_major])
    op = operator(inputs=("x", "w"), names=[None, "weight"])
    values = {"x": 1.0, "w": 2.0}
    made(Flatten, op, toolbox).forward_operator(op, values)
    assert values["y"] == [1.0, False]


def test_a_layer_without_forward_says_which():
    with pytest.raises(NotImplementedError, match=r"Layer\.forward"):
        Layer().forward(1)
