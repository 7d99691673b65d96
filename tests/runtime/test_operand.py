"""Lesson 3: attributes and parameters, wrapped without loss."""

import numpy as np
import pytest

import kuiper
from kuiper import pnnx
from kuiper.pnnx import Attribute, Graph, Operand, Operator, Parameter, ParameterKind
from kuiper.toolbox import init_graph_params

KINDS = {
    "nothing": Parameter(ParameterKind.NULL),
    "flag": Parameter(ParameterKind.BOOL, True),
    "count": Parameter(ParameterKind.INT, 3),
    "rate": Parameter(ParameterKind.FLOAT, 0.5),
    "mode": Parameter(ParameterKind.STRING, "zeros"),
    "sizes": Parameter(ParameterKind.INTS, [1, 2]),
    "scales": Parameter(ParameterKind.FLOATS, [0.5, 2.0]),
    "names": Parameter(ParameterKind.STRINGS, ["a", "b"]),
}


def test_all_eight_kinds_of_parameter_are_wrapped():
    wrapped = init_graph_params(KINDS)
    assert list(wrapped) == list(KINDS)
    for name, parameter in KINDS.items():
        assert wrapped[name].value == parameter.value
        assert wrapped[name].type == int(parameter.kind)
    assert wrapped["sizes"].type is ParameterKind.INT_ARRAY


@pytest.fixture
def constant(tmp_path):
    """A model that returns one stored array; returns the path."""

    def write(array):
        value = Operand("0")
        weight = Operator("pnnx.Attribute", "w", [], [value], [], {}, {"data": Attribute.from_array(array)})
        output = Operator("pnnx.Output", "out", [value], [], [None])
        value.producer, value.consumers = weight, [output]
        path = tmp_path / "constant.pnnx.param"
        pnnx.write(Graph([weight, output], {"0": value}), path)
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
