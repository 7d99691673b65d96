"""Reader: what a text file and its weights mean."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from kuiper import GraphError, pnnx
from kuiper.pnnx import Attribute, Graph, Operator, ParameterKind

CONV = """\
7767517
4 3
pnnx.Input               pnnx_input_0             0 1 0 #0=(1,1,3,3)f32
nn.Conv2d                conv1                    1 1 0 1 kernel_size=(2,2) padding_mode=zeros @bias=(1)f32 \
@weight=(1,1,2,2)f32 $input=0 #0=(1,1,3,3)f32 #1=(1,1,2,2)f32
nn.Softmax               softmax                  1 1 1 2 dim=1 #1=(1,1,2,2)f32 #2=(1,1,2,2)f32
pnnx.Output              pnnx_output_0            1 0 2 #2=(1,1,2,2)f32
"""


def save_weights(path, **arrays):
    """A .bin file; a double underscore in an argument's name stands for the dot."""
    pnnx_graph = Graph()
    for name, array in arrays.items():
        operator, _, key = name.replace("__", ".").rpartition(".")
        pnnx_graph.operators.append(Operator("any", operator, attributes={key: Attribute.from_array(array)}))
    merged = {}
    for op in pnnx_graph.operators:
        merged.setdefault(op.name, op).attributes.update(op.attributes)
    pnnx.write(Graph(list(merged.values())), path.with_suffix(".scratch"), path)


@pytest.fixture
def read(tmp_path):
    """read(lines...) -> Graph; the header is counted from the lines, unless the text begins with one."""

    def read(*lines, **weights):
        text = "\n".join(lines)
        if not text.startswith("7767517"):
            words = [line.encode().split() for line in lines]
            operands = {name for w in words for name in w[4 : 4 + int(w[2]) + int(w[3])]}
            text = f"7767517\n{len(lines)} {len(operands)}\n{text}\n"
        path = tmp_path / "net.pnnx.param"
        path.write_bytes(text.encode())
        if weights:
            save_weights(tmp_path / "net.pnnx.bin", **weights)
        return pnnx.read(path)

    return read


def test_a_file_becomes_operators_joined_by_operands(read):
    graph = read(CONV, conv1__bias=np.float32([0.5]), conv1__weight=np.ones((1, 1, 2, 2), np.float32))
    assert [op.name for op in graph] == ["pnnx_input_0", "conv1", "softmax", "pnnx_output_0"]
    conv = graph.operator("conv1")
    assert conv.type == "nn.Conv2d"
    assert conv.inputs == [graph.operands["0"]]
    assert conv.outputs == [graph.operands["1"]]
    assert conv.params["kernel_size"] == pnnx.Parameter(ParameterKind.INTS, [2, 2])
    assert conv.params["padding_mode"] == pnnx.Parameter(ParameterKind.STRING, "zeros")
    assert graph.operands["1"].producer is conv
    assert graph.operands["1"].consumers == [graph.operator("softmax")]
    assert graph.operands["1"].shape == (1, 1, 2, 2)
    assert conv.attributes["bias"].data.tolist() == [0.5]
    assert conv.attributes["weight"].shape == (1, 1, 2, 2)
    assert graph.warnings == []


def test_an_unknown_operator_name_is_an_error_that_suggests_a_similar_one(read):
    graph = read("pnnx.Input in 0 1 0", "nn.ReLU relu1 1 1 0 1", "pnnx.Output out 1 0 1")
    with pytest.raises(GraphError, match="no operator is called 'relu2'; similar: relu1"):
        graph.operator("relu2")
    with pytest.raises(GraphError, match=r"no operator is called 'conv9'$"):
        graph.operator("conv9")


@pytest.mark.parametrize(("param", "weights"), [("net.pnnx.param", "net.pnnx.bin"), ("x.param", "x.bin")])
def test_the_weights_are_sought_in_the_twin_of_the_text_file(tmp_path, param, weights):
    (tmp_path / param).write_text("7767517\n1 1\npnnx.Attribute a 0 1 0 @data=(2)f32\n")
    save_weights(tmp_path / weights, a__data=np.float32([1, 2]))
    for path in (tmp_path / param, str(tmp_path / param)):
        assert pnnx.read(path).operator("a").attributes["data"].data.tolist() == [1, 2]


def test_the_weights_may_have_a_name_of_their_own(tmp_path):
    (tmp_path / "net.pnnx.param").write_text("7767517\n1 1\npnnx.Attribute a 0 1 0 @data=(2)f32\n")
    save_weights(tmp_path / "other.bin", a__data=np.float32([1, 2]))
    graph = pnnx.read(tmp_path / "net.pnnx.param", tmp_path / "other.bin")
    assert graph.operator("a").attributes["data"].data.tolist() == [1, 2]


def test_a_model_without_weights_needs_no_bin(read, tmp_path):
    read("pnnx.Input in 0 1 0", "pnnx.Output out 1 0 0")
    assert not (tmp_path / "net.pnnx.bin").exists()


def test_operators_may_stand_in_any_order(read):
    graph = read("pnnx.Output out 1 0 1", "nn.ReLU relu 1 1 0 1", "pnnx.Input in 0 1 0")
    assert [op.name for op in graph] == ["out", "relu", "in"]
    assert graph.operands["1"].producer is graph.operator("relu")
    assert graph.operands["1"].consumers == [graph.operator("out")]


@pytest.mark.parametrize("space", ["\t", "  ", "\r", "\v", "\f", " \t "])
def test_any_white_space_separates(read, space):
    graph = read(*(line.replace(" ", space) for line in ("pnnx.Input in 0 1 0", "nn.ReLU r 1 1 0 1 inplace=True")))
    assert graph.operator("r").params["inplace"].value is True


def test_windows_line_ends_and_blank_lines_change_nothing(read):
    graph = read("7767517\r\n2 1\r\npnnx.Input in 0 1 0\r\n\r\n\npnnx.Output out 1 0 0\r\n\n\n")
    assert [op.name for op in graph] == ["in", "out"]


def test_names_are_any_text_without_ascii_white_space(read):
    graph = read("pnnx.Input 层.1\u00a0é 0 1 x.3", "pnnx.Output out 1 0 x.3")
    assert graph.operands["x.3"].producer.name == "层.1\u00a0é"


def test_the_first_equals_sign_splits_key_and_value(read):
    graph = read("pnnx.Input in 0 1 0", "torch.einsum e 1 1 0 1 equation=a=b empty=")
    assert graph.operator("e").params["equation"].value == "a=b"
    assert graph.operator("e").params["empty"].value == ""


def test_attribute_keys_and_operator_names_may_hold_dots(read):
    weights = {"layer.0.attn.out_proj.bias": np.float32([1, 2, 3])}
    graph = read("nn.MultiheadAttention layer.0.attn 0 1 0 @out_proj.bias=(3)f32", **weights)
    assert graph.operator("layer.0.attn").attributes["out_proj.bias"].data.tolist() == [1, 2, 3]


def test_a_question_mark_is_a_dimension_known_only_at_run_time(read):
    graph = read("pnnx.Input in 0 1 0 #0=(1,?,16)i64")
    assert graph.operands["0"].shape == (1, -1, 16)
    assert graph.operands["0"].dtype.code == "i64"


def test_an_operand_without_a_shape_has_no_type_either(read):
    operand = read("pnnx.Input in 0 1 0").operands["0"]
    assert (operand.shape, operand.dtype) == (None, None)


def test_a_shape_may_stand_only_on_the_producers_line_or_only_on_a_readers(read):
    graph = read("pnnx.Input in 0 1 0 #0=(3)f32", "nn.ReLU r 1 1 0 1", "pnnx.Output out 1 0 1 #1=(3)f32")
    assert [graph.operands[name].shape for name in "01"] == [(3,), (3,)]


def test_an_operand_of_a_type_that_pnnx_did_not_know_keeps_its_shape(read):
    operand = read("pnnx.Input in 0 1 0 #0=(1,4)null").operands["0"]
    assert (operand.shape, operand.dtype) == ((1, 4), None)


def test_named_inputs_are_keyed_by_slot(read):
    graph = read("pnnx.Input a 0 1 0", "pnnx.Input b 0 1 1", "F.linear f 2 1 0 1 2 $weight=1")
    assert graph.operator("f").input_names == [None, "weight"]


def test_names_of_an_operand_read_twice_go_to_its_slots_in_order(read):
    graph = read("pnnx.Input in 0 1 0", "torch.matmul m 2 1 0 0 1 $input=0 $other=0")
    matmul = graph.operator("m")
    assert matmul.input_names == ["input", "other"]
    assert matmul.inputs == [graph.operands["0"]] * 2
    assert graph.operands["0"].consumers == [matmul, matmul]


def test_pnnx_may_name_only_the_first_slot_of_an_operand_read_twice(read):
    graph = read("pnnx.Input in 0 1 0", "torch.cat c 3 1 0 0 0 1 $input=0")
    assert graph.operator("c").input_names == ["input", None, None]


def test_an_expression_stays_text(read):
    texts = {"a": "[@0,size(@0,1)]", "b": "2", "c": "None", "d": "(1,2)"}
    graph = read(*(f"pnnx.Expression {name} 0 1 {name} expr={text}" for name, text in texts.items()))
    for name, text in texts.items():
        assert graph.operator(name).params["expr"] == pnnx.Parameter(ParameterKind.STRING, text)


TYPES = {
    "f32": np.float32([0.5, -1, 2]),
    "f64": np.float64([0.5, -1, 2]),
    "f16": np.float16([0.5, -1, 2]),
    "i32": np.int32([1, -2, 3]),
    "i64": np.int64([1, -2, 1 << 40]),
    "i16": np.int16([1, -2, 3]),
    "i8": np.int8([1, -2, 3]),
    "u8": np.uint8([1, 2, 255]),
    "bool": np.array([True, False, True]),
    "c64": np.complex64([1 + 2j, 3, -4j]),
    "c128": np.complex128([1 + 2j, 3, -4j]),
}


@pytest.mark.parametrize("code", TYPES)
def test_weights_of_every_type_are_read(read, code):
    got = read(f"pnnx.Attribute a 0 1 0 @data=(3){code}", a__data=TYPES[code]).operator("a").attributes["data"]
    assert got.data.dtype == TYPES[code].dtype
    np.testing.assert_array_equal(got.data, TYPES[code])


@pytest.mark.parametrize(("old", "new"), [("cp64", "c64"), ("cp128", "c128")])
def test_the_codes_of_older_files_are_read(read, old, new):
    got = read(f"pnnx.Attribute a 0 1 0 @data=(3){old} #0=(3){old}", a__data=TYPES[new])
    assert got.operator("a").attributes["data"].dtype.code == got.operands["0"].dtype.code == new


@pytest.mark.parametrize(
    ("code", "bits", "value"),
    [("bf16", np.uint16([0x3FC0, 0xC000]), [1.5, -2.0]), ("cp32", np.uint32([0x40003C00, 0]), [1 + 2j, 0])],
)
def test_types_that_numpy_lacks_are_widened(tmp_path, code, bits, value):
    raw = {np.uint16: np.int16, np.uint32: np.int32}[bits.dtype.type]
    save_weights(tmp_path / "net.pnnx.bin", a__data=bits.view(raw))
    (tmp_path / "net.pnnx.param").write_text(f"7767517\n1 1\npnnx.Attribute a 0 1 0 @data=(2){code}\n")
    got = pnnx.read(tmp_path / "net.pnnx.param").operator("a").attributes["data"]
    assert got.data.tolist() == value


def test_a_single_number_is_stored_with_shape_1(read):
    got = read("pnnx.Attribute a 0 1 0 @data=(1)f32", a__data=np.float32(3)).operator("a").attributes["data"]
    assert (got.shape, got.data.tolist()) == ((1,), [3.0])


def test_an_array_may_have_no_elements(read):
    got = read("pnnx.Attribute a 0 1 0 @data=(0,3)f32", a__data=np.empty((0, 3), np.float32)).operator("a")
    assert got.attributes["data"].data.shape == (0, 3)
    assert not got.attributes["data"].data.flags.writeable


def test_unused_inputs_leftovers_and_mixed_lists_are_warnings(read):
    graph = read(
        "pnnx.Input in 0 1 0",
        "pnnx.Input idle 0 1 1",
        "aten::clamp_min c 1 1 0 2 sizes=(1,0.5)",
        "prim::TupleConstruct t 1 1 2 3",
        "pnnx.Output out 1 0 3",
    )
    mixed, idle, leftover = graph.warnings
    assert mixed.startswith("c: sizes=(1,0.5)")
    assert idle.startswith("idle: ")
    assert "aten::clamp_min" in leftover


def test_a_chain_longer_than_the_recursion_limit_is_read(read):
    n = 10 * sys.getrecursionlimit()
    lines = [f"nn.ReLU r{i} 1 1 {i} {i + 1}" for i in range(n)]
    assert len(read("pnnx.Input in 0 1 0", *lines).operators) == n + 1
