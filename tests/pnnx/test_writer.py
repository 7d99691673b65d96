"""Writer: what is written reads back the same, and a file is either the old one or the new one."""

from __future__ import annotations

import os
import string
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import KuiperError, dtypes, pnnx
from kuiper.pnnx import Attribute, Graph, Operand, Operator, Parameter, ParameterKind


def facts(graph):
    """Everything a graph says, as plain values that can be compared."""
    operators = [
        (
            op.type,
            op.name,
            [operand.name for operand in op.inputs],
            op.input_names,
            [operand.name for operand in op.outputs],
            {key: (p.kind, repr(p.value)) for key, p in op.params.items()},
            {key: (a.dtype.code, a.shape, a.raw.tobytes()) for key, a in op.attributes.items()},
        )
        for op in graph
    ]
    operands = {
        name: (o.shape, o.dtype, o.producer and o.producer.name, [op.name for op in o.consumers])
        for name, o in graph.operands.items()
    }
    return operators, operands


def small_graph():
    """in -> add(x, x) with a weight -> out."""
    x = Operand("0", shape=(1, -1), dtype=dtypes.DTYPES["f32"])
    y = Operand("1", shape=(2, 3))
    weight = Attribute.from_array(np.arange(6, dtype=np.float32).reshape(2, 3))
    add = Operator("torch.add", "add", [x, x], [y], ["input", "other"])
    add.params["alpha"] = Parameter(ParameterKind.FLOAT, 0.1)
    add.attributes["weight"] = weight
    source, sink = Operator("pnnx.Input", "in", outputs=[x]), Operator("pnnx.Output", "out", [y], [], [None])
    x.producer, x.consumers, y.producer, y.consumers = source, [add, add], add, [sink]
    return Graph([source, add, sink], {"0": x, "1": y})


def test_the_text_is_laid_out_as_pnnx_does_it(tmp_path):
    pnnx.write(small_graph(), tmp_path / "net.pnnx.param")
    assert (tmp_path / "net.pnnx.param").read_text().splitlines() == [
        "7767517",
        "3 2",
        "pnnx.Input               in                       0 1 0 #0=(1,?)f32",
        "torch.add                add                      2 1 0 0 1 alpha=0.1 @weight=(2,3)f32 "
        "$input=0 $other=0 #0=(1,?)f32 #0=(1,?)f32 #1=(2,3)null",
        "pnnx.Output              out                      1 0 1 #1=(2,3)null",
    ]
    assert (tmp_path / "net.pnnx.bin").exists()


def test_lines_end_alike_on_every_system(tmp_path):
    pnnx.write(small_graph(), tmp_path / "net.pnnx.param")
    assert b"\r" not in (tmp_path / "net.pnnx.param").read_bytes()


def test_load_save_load_gives_the_same_graph_and_the_same_bytes(tmp_path):
    pnnx.write(small_graph(), tmp_path / "a.param", tmp_path / "weights")
    first = pnnx.read(tmp_path / "a.param", tmp_path / "weights")
    pnnx.write(first, tmp_path / "b.param")
    assert facts(pnnx.read(tmp_path / "b.param")) == facts(first) == facts(small_graph())
    assert (tmp_path / "b.bin").read_bytes() == (tmp_path / "weights").read_bytes()
    assert (tmp_path / "b.param").read_bytes() == (tmp_path / "a.param").read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="Windows does not replace a file that is mapped")
def test_a_graph_can_be_written_over_the_files_it_was_read_from(tmp_path):
    path = tmp_path / "net.pnnx.param"
    pnnx.write(small_graph(), path)
    graph = pnnx.read(path)
    graph.operator("add").params["alpha"].value = 2.0
    pnnx.write(graph, path)
    assert facts(pnnx.read(path)) == facts(graph)


def test_a_0_d_weight_becomes_one_of_shape_1(tmp_path):
    assert Attribute.from_array(np.array(3, np.int64)).shape == (1,)


def refused(graph, tmp_path, match):
    """The graph cannot be written, and the files that stood there are untouched."""
    path = tmp_path / "net.pnnx.param"
    path.write_text("old")
    with pytest.raises(KuiperError, match=match):
        pnnx.write(graph, path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["net.pnnx.param"]


@pytest.mark.parametrize("name", ["b c", "b\tc", "b\nc", "", "b\0c", "\ud800"])
def test_a_name_that_is_not_one_word_is_refused(tmp_path, name):
    graph = small_graph()
    graph.operators[1].name = name
    refused(graph, tmp_path, "cannot be written")


@pytest.mark.parametrize("key", ["a b", "a=b", "@a", "$a", "#a", ""])
def test_a_key_that_would_read_as_something_else_is_refused(tmp_path, key):
    graph = small_graph()
    graph.operators[1].params[key] = Parameter(ParameterKind.INT, 1)
    refused(graph, tmp_path, "cannot be written")


def test_a_parameter_that_would_read_as_something_else_is_refused_with_its_operator(tmp_path):
    graph = small_graph()
    graph.operators[1].params["mode"] = Parameter(ParameterKind.STRING, "5")
    refused(graph, tmp_path, "^add: ")


def test_a_string_with_white_space_is_refused(tmp_path):
    graph = small_graph()
    graph.operators[1].params["mode"] = Parameter(ParameterKind.STRING, "a b")
    refused(graph, tmp_path, "white space")


def test_an_expression_that_is_no_text_is_refused(tmp_path):
    graph = small_graph()
    graph.operators[1].type = "pnnx.Expression"
    graph.operators[1].params["expr"] = Parameter(ParameterKind.INT, 5)
    refused(graph, tmp_path, "expr: expected a string")


def test_two_operators_of_one_name_are_refused(tmp_path):
    graph = small_graph()
    graph.operators[1].name = "in"
    refused(graph, tmp_path, "two operators called 'in'")


def test_an_operand_that_nothing_produces_is_refused(tmp_path):
    graph = small_graph()
    del graph.operators[0]
    refused(graph, tmp_path, "operand 0: expected an operator that writes it; add reads it")


def test_two_weights_of_one_name_are_refused(tmp_path):
    graph = small_graph()
    weight = graph.operators[1].attributes["weight"]
    graph.operators[0].name = "a.b"
    graph.operators[0].attributes["c"] = weight
    graph.operators[1].name = "a"
    graph.operators[1].attributes["b.c"] = weight
    refused(graph, tmp_path, "same name")


def test_a_weight_whose_array_has_another_shape_is_refused(tmp_path):
    graph = small_graph()
    graph.operators[1].attributes["weight"].shape = (3, 2)
    refused(graph, tmp_path, r"shape \(3, 2\)")


def test_a_name_for_the_second_slot_only_of_one_operand_is_refused(tmp_path):
    graph = small_graph()
    graph.operators[1].input_names = [None, "other"]
    refused(graph, tmp_path, "earlier slot")


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    (tmp_path / "net.pnnx.bin").mkdir()
    with pytest.raises(KuiperError, match="cannot be written"):
        pnnx.write(small_graph(), tmp_path / "net.pnnx.param")
    assert os.listdir(tmp_path) == ["net.pnnx.bin"]


def test_a_folder_that_is_not_there_is_a_clean_error(tmp_path):
    with pytest.raises(KuiperError, match="nowhere"):
        pnnx.write(small_graph(), tmp_path / "nowhere" / "net.pnnx.param")


WORDS = st.text(string.ascii_letters + string.digits + "._:/-层é\u00a0", min_size=1, max_size=8)
SHAPES = st.lists(st.integers(-1, 5), max_size=4).map(tuple)
PARAMETERS = st.one_of(
    st.builds(Parameter, st.just(ParameterKind.NULL)),
    st.builds(Parameter, st.just(ParameterKind.BOOL), st.booleans()),
    st.builds(Parameter, st.just(ParameterKind.INT), st.integers()),
    st.builds(Parameter, st.just(ParameterKind.FLOAT), st.floats(allow_nan=False)),
    st.builds(Parameter, st.just(ParameterKind.STRING), st.sampled_from(["zeros", "torch.float", "-inf", "", "a=b"])),
    st.builds(Parameter, st.just(ParameterKind.INTS), st.lists(st.integers(), min_size=1, max_size=3)),
    st.builds(Parameter, st.just(ParameterKind.FLOATS), st.lists(st.floats(allow_nan=False), min_size=1, max_size=3)),
    st.builds(Parameter, st.just(ParameterKind.COMPLEX), st.complex_numbers(allow_nan=False)),
)


@st.composite
def attributes(draw):
    dtype = draw(st.sampled_from(list(dtypes.DTYPES.values())))
    shape = tuple(draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)))
    n_bytes = int(np.prod(shape)) * dtype.itemsize
    data = draw(st.binary(min_size=n_bytes, max_size=n_bytes))
    return Attribute(dtype, shape, np.frombuffer(bytearray(data), dtype.storage).reshape(shape))


@st.composite
def graphs(draw):
    """Any graph without a cycle: each operator reads operands of those before it, some of them twice."""
    graph = Graph()
    names = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    operand_names = iter(draw(st.lists(WORDS, min_size=10, max_size=10, unique=True)))
    for name in names:
        inputs = draw(st.lists(st.sampled_from(list(graph.operands.values())), max_size=3)) if graph.operands else []
        op = Operator(draw(WORDS), name, inputs)
        named = draw(st.sets(st.sampled_from([o.name for o in inputs]))) if inputs else set()
        op.input_names = [draw(WORDS) if operand.name in named else None for operand in inputs]
        for operand in inputs:
            operand.consumers.append(op)
        for _ in range(draw(st.integers(0, 2))):
            operand = Operand(next(operand_names), draw(st.none() | SHAPES), producer=op)
            if operand.shape is not None:
                operand.dtype = draw(st.none() | st.sampled_from(list(dtypes.DTYPES.values())))
            op.outputs.append(operand)
            graph.operands[operand.name] = operand
        op.params = draw(st.dictionaries(WORDS, PARAMETERS, max_size=3))
        graph.operators.append(op)
    key = draw(WORDS)
    for op in draw(st.lists(st.sampled_from(graph.operators), max_size=2, unique_by=id)):
        op.attributes[key] = draw(attributes())
    return graph


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_every_graph_reads_back_as_it_was_written(graph):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "net.pnnx.param")
        pnnx.write(graph, path)
        assert facts(pnnx.read(path)) == facts(graph)


def test_a_dimension_below_minus_one_is_refused_before_anything_is_written(tmp_path):
    x = Operand("0", shape=(1, -2))
    graph = Graph([Operator("pnnx.Input", "in", [], [x]), Operator("pnnx.Output", "out", [x])])
    with pytest.raises(KuiperError, match=r"operand 0: expected dimensions of 0 or more, or -1 .*, found \(1, -2\)"):
        pnnx.write(graph, tmp_path / "net.pnnx.param")
    assert not list(tmp_path.iterdir())


def test_a_type_without_a_shape_is_refused(tmp_path):
    graph = small_graph()
    graph.operands["1"].shape, graph.operands["1"].dtype = None, dtypes.DTYPES["f32"]
    refused(graph, tmp_path, r"add: operand 1: expected a shape beside the type f32.*found none: set `shape`")


def test_weights_of_16_bits_are_written_as_float32_when_asked_for(tmp_path):
    numbers = np.array([[1.5, -2.0], [0.0078125, -0.0], [np.inf, 3e-5]], np.float32)
    bits = (numbers.view(np.uint32) >> 16).astype("<u2")
    arrays = {
        "bf16": Attribute(dtypes.DTYPES["bf16"], bits.shape, bits),
        "f16": Attribute.from_array(numbers.astype(np.float16)),
        "f32": Attribute.from_array(numbers),
        "i16": Attribute.from_array(np.array([1, -2], np.int16)),
    }
    graph = Graph([Operator("any", "op", attributes=arrays)])
    pnnx.write(graph, tmp_path / "wide.param", widen=True)
    found = pnnx.read(tmp_path / "wide.param").operator("op").attributes
    assert {key: a.dtype.code for key, a in found.items()} == {"bf16": "f32", "f16": "f32", "f32": "f32", "i16": "i16"}
    for key, attribute in arrays.items():
        np.testing.assert_array_equal(found[key].raw, attribute.data)
    pnnx.write(graph, tmp_path / "narrow.param")
    assert pnnx.read(tmp_path / "narrow.param").operator("op").attributes["bf16"].dtype.code == "bf16"
