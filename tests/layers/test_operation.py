"""Binding: options that arrive as inputs, outputs left out, and a dtype that only the output's declaration tells."""

import numpy as np
import pytest

import kuiper
from kuiper import dtypes
from kuiper.errors import InferError
from kuiper.graph import Operand, Operator
from kuiper.layers import LayerRegisterer, registry
from kuiper.layers.arrays.slicing import Slice
from kuiper.layers.reduction.statistics import Var

X = np.array([[1.0, 5.0], [3.0, 2.0]], np.float32)


@pytest.fixture
def run(tmp_path):
    def run(text, *inputs):
        lines = text.strip().splitlines()
        operands = {word for line in lines for word in line.split()[4:] if word.isdigit()}
        path = tmp_path / "net.pnnx.param"
        path.write_text("\n".join(["7767517", f"{len(lines)} {len(operands)}", *lines]) + "\n")
        return kuiper.load(path)(*inputs)

    return run


def made(kind, count, outputs=1, registry=registry):
    """The layer of an operator with `count` inputs that have no names."""
    inputs, results = ([Operand(f"{side}{i}") for i in range(n)] for side, n in (("in", count), ("out", outputs)))
    return registry.create(Operator(kind, "op", inputs, results))


def test_options_that_arrive_as_inputs_are_read_in_the_order_that_the_class_says():
    assert made("aten::sum", 4).forward(X, [1], False, None).tolist() == [6, 5]
    assert made("aten::var", 2).forward(X, False).item() == Var(unbiased=False).forward(X).item()
    assert made("aten::sort", 4, 2).forward(X, True, 0, True)[0].tolist() == [[3, 5], [1, 2]]


def test_inputs_are_sorted_by_name_and_none_means_the_default():
    mine = LayerRegisterer()
    mine.register("aten::slice", inputs=("x dim start end step", "x start _"))(type("Mine", (Slice,), {}))
    x = np.arange(6)
    assert made("aten::slice", 5, registry=mine).forward(x, 0, 1, None, 2).tolist() == [1, 3, 5]
    assert made("aten::slice", 3, registry=mine).forward(x, 4, "cpu").tolist() == [4, 5]
    with pytest.raises(InferError, match="expected 3 or 5 inputs, found 2"):
        made("aten::slice", 2, registry=mine)


def test_a_number_of_inputs_that_the_class_does_not_know_is_refused_with_the_numbers_that_are_known():
    with pytest.raises(InferError, match="expected 1 or 3 or 4 inputs, found 6"):
        made("aten::sort", 6, 2)


def test_an_output_that_nobody_reads_may_be_left_out(run):
    text = """
    pnnx.Input in 0 1 0 #0=(2,2)f32
    torch.max max 1 {0} dim=1 keepdim=False $input=0 #1=(2)f32
    pnnx.Output out {1}
    """
    assert [y.tolist() for y in run(text.format("1 0 1", "1 0 1"), X)] == [[5, 3]]
    values, indices = run(
        """
    pnnx.Input in 0 1 0 #0=(2,2)f32
    torch.max max 1 2 0 1 2 dim=1 keepdim=False $input=0 #1=(2)f32
    prim::TupleConstruct pair 2 1 1 2 3
    pnnx.Output out 1 0 3
    """,
        X,
    )
    assert (values.tolist(), indices.tolist()) == ([5, 3], [1, 0])


@pytest.mark.parametrize("operator", ["torch.sum", "torch.mean", "torch.prod", "torch.norm"])
def test_the_declared_type_of_the_output_is_the_dtype_that_was_asked_for(run, operator):
    text = f"""
    pnnx.Input in 0 1 0 #0=(2,2)f32
    {operator} op 1 1 0 1 dim=(1) keepdim=False $input=0 #1=(2)f64
    pnnx.Output out 1 0 1
    """
    (y,) = run(text, X)
    assert y.dtype == np.float64


def test_a_sum_converted_to_float64_first_does_not_lose_digits(run):
    text = """
    pnnx.Input in 0 1 0 #0=(3)f32
    torch.sum op 1 1 0 1 dim=(0) keepdim=True $input=0 #1=(1)f64
    pnnx.Output out 1 0 1
    """
    (y,) = run(text, np.array([1e8, 1, -1e8], np.float32))
    assert y.tolist() == [1.0]


@pytest.mark.parametrize(("given", "declared"), [("f32", "f32"), ("i32", "i64"), ("bool", "i64")])
def test_a_type_that_follows_from_the_input_was_not_asked_for(given, declared):
    x, y = (Operand(code, dtype=dtypes.find(code)) for code in (given, declared))
    layer = registry.create(Operator("torch.sum", "op", [x], [y]))
    assert layer.forward(X.astype(np.float64)).dtype == np.float64
