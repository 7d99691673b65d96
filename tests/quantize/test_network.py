"""Networks in fewer bits: the same in the file as in memory, and every engine computes what the rounded weights say."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper import KuiperError, pnnx
from kuiper.compiled import llvm
from kuiper.errors import ParameterError
from kuiper.graph import Attribute, Graph, Operand, Operator
from kuiper.layers import registry
from kuiper.layers.layer import Layer
from kuiper.profile import network_cost
from kuiper.quantize import (
    QuantizedWeight,
    dequantized,
    dequantized_operator,
    quantize_network,
    small_weights,
    to_int8,
    weights_of,
)

ENGINES = ["simple", "fast", *(["compiled"] if llvm.installed() else [])]


def numbers(seed: int, *shape: int) -> np.ndarray:
    """Standard normal ones, of float32."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


class Net:
    """Operators one after the other, each reading what the one before wrote."""

    def __init__(self, shape: tuple[int, ...], dtype: str = "f32") -> None:
        self.last = Operand("0", shape, dtype)
        self.operators = [Operator("pnnx.Input", "in", [], [self.last])]

    def add(
        self, kind: str, shape: tuple[int, ...] | None, inputs: Sequence[Operand] = (), slots: str = "",
        dtype: str = "f32", **rest: Any,
    ) -> Net:  # fmt: skip
        """An operator whose name is its number; `inputs` come after what was written last."""
        name = str(len(self.operators))
        made = Operand(name, shape, None if shape is None else dtype)
        reads = [self.last, *inputs]
        self.operators.append(Operator(kind, name, reads, [made], slots.split() or [None] * len(reads), **rest))
        self.last = made
        return self

    def table(self, array: np.ndarray, dtype: str = "f32") -> Operand:
        """A pnnx.Attribute."""
        made = Operand(f"t{len(self.operators)}", array.shape, dtype)
        self.operators.append(Operator("pnnx.Attribute", made.name, [], [made], attributes={"data": array}))
        return made

    def graph(self) -> Graph:
        """All of them, and an output."""
        return Graph([*self.operators, Operator("pnnx.Output", "out", [self.last], [])]).connect()


def dense(features: int = 20, hidden: int = 33, out: int = 7, seed: int = 0) -> Graph:
    """(?, features) -> (?, out) by two products with a bias and a ReLU between them."""
    net = Net((-1, features))
    weights = {"weight": numbers(seed, hidden, features), "bias": numbers(1, hidden)}
    sizes = {"bias": True, "in_features": features, "out_features": hidden}
    net.add("nn.Linear", (-1, hidden), attributes=weights, params=sizes)
    net.add("nn.ReLU", (-1, hidden))
    sizes = {"bias": False, "in_features": hidden, "out_features": out}
    net.add("nn.Linear", (-1, out), attributes={"weight": numbers(seed + 2, out, hidden)}, params=sizes)
    return net.graph()


def tied(words: int = 30, width: int = 16) -> Graph:
    """(?, ?) words -> (?, ?, words): one table is looked up in, and multiplied by."""
    net = Net((-1, -1), "i64")
    table = net.table(numbers(3, words, width))
    net.add("F.embedding", (-1, -1, width), [table], "input weight")
    net.add("F.tanh", (-1, -1, width), slots="input")
    net.add("F.linear", (-1, -1, words), [table], "input weight", params={"bias": None})
    return net.graph()


@pytest.fixture
def run() -> Callable[..., np.ndarray]:
    """run(graph or path, engine, *inputs) -> the first output, of the second pass, in which plans compute."""

    def compute(source: Any, engine: str, *inputs: np.ndarray) -> np.ndarray:
        network = kuiper.load(source, engine=engine, threads=2)
        network(*inputs)
        return network(*inputs)[0]

    return compute


WAYS = [(8, None), (8, 4), (16, None)]


def whole(graph: Graph) -> Graph:
    """The network with the rounded weights as float32."""
    return quantize_network(graph, 32).graph


def close(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.dtype == expected.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-6 * max(1, np.abs(expected).max(initial=0)))


@pytest.mark.parametrize(("bits", "block"), WAYS)
def test_files_give_back_what_was_written(tmp_path, bits, block):
    made = quantize_network(dense(), bits, block)
    pnnx.write(made.graph, tmp_path / "net.pnnx.param")
    read = pnnx.read(tmp_path / "net.pnnx.param")
    words = (tmp_path / "net.pnnx.param").read_text().splitlines()[3].split()
    assert f"@weight=(33,20){'f16' if bits == 16 else 'i8'}" in words
    assert [word for word in words if "scale" in word] == {
        (8, None): ["@weight_scale=(33)f32"], (8, 4): ["@weight_scale=(33,5)f32"], (16, None): []
    }[bits, block]  # fmt: skip
    weight = numbers(0, 33, 20)
    expected = to_int8(weight, block)[:] if bits == 8 else weight.astype(np.float16).astype(np.float32)
    (found,) = weights_of(read.operator("1")).values()
    np.testing.assert_array_equal(dequantized(found), expected)
    np.testing.assert_array_equal(read.operator("1").attributes["bias"].data, numbers(1, 33))
    pnnx.write(read, tmp_path / "again.pnnx.param")
    assert (tmp_path / "again.pnnx.bin").read_bytes() == (tmp_path / "net.pnnx.bin").read_bytes()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("bits", "block"), WAYS)
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_products_are_those_of_the_rounded_weights(run, engine, bits, block, rows):
    small = quantize_network(dense(), bits, block).graph
    x = numbers(9, rows, 20)
    close(run(small, engine, x), run(whole(small), "simple", x))
    assert np.abs(run(small, engine, x) - run(dense(), "simple", x)).max() > 1e-5  # it is not computed in float32


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.tuples(st.integers(1, 70), st.integers(1, 50), st.integers(1, 9)),
    rows=st.integers(1, 12),
    way=st.sampled_from([(8, None), (8, 8), (8, 16), (16, None)]),
    engine=st.sampled_from(ENGINES),
    seed=st.integers(0, 99),
)
def test_products_of_any_sizes(run, sizes, rows, way, engine, seed):
    small = quantize_network(dense(*sizes, seed=seed), *way).graph
    x = numbers(seed, rows, sizes[0])
    close(run(small, engine, x), run(whole(small), "simple", x))


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_zeros_give_the_bias(run, engine):
    graph = dense()
    graph.operator("1").attributes["weight"] = Attribute.from_array(np.zeros((33, 20), np.float32))
    small = quantize_network(graph, 8).graph
    x = numbers(9, 2, 20)
    close(run(small, engine, x), run(whole(small), "simple", x))
    assert not dequantized(weights_of(small.operator("1"))["weight"]).any()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("bits", "block"), WAYS)
def test_a_table_is_stored_once_and_read_by_both(run, tmp_path, engine, bits, block):
    made = quantize_network(tied(), bits, block)
    (stored,) = made.weights
    assert (stored.operator, stored.name, stored.bytes_before) == ("t1", "data", 4 * 30 * 16)
    assert stored.bytes_after == 30 * 16 * bits // 8 + (4 * 30 * (1 if block is None else 4) if bits == 8 else 0)
    pnnx.write(made.graph, tmp_path / "net.pnnx.param")
    words = np.array([[3, 0, 29, 3]])
    close(run(tmp_path / "net.pnnx.param", engine, words), run(whole(made.graph), "simple", words))
    network = kuiper.load(tmp_path / "net.pnnx.param", engine="simple")
    assert isinstance(network(words, keep=["t1"]).kept["t1"], QuantizedWeight)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_index_out_of_a_small_table_is_an_error_in_words(run, engine):
    with pytest.raises(KuiperError, match="expected numbers from 0 to 29, found 3 to 30"):
        run(quantize_network(tied(), 8).graph, engine, np.array([[3, 30]]))


def test_a_table_that_others_read_becomes_float32(run):
    net = Net((-1, 5))
    table = net.table(numbers(3, 4, 5))
    net.add("F.linear", (-1, 4), [table], "input weight", params={"bias": None})
    net.add("pnnx.Expression", (4, 5), params={"expr": "add(@1,size(@0,1))"}, inputs=[table])
    graph = net.graph()
    assert small_weights(graph) == []
    by_hand = to_int8(numbers(3, 4, 5))
    assert by_hand.scale is not None
    graph.operator("t1").attributes = {
        "data": Attribute.from_array(by_hand.values), "data_scale": Attribute.from_array(by_hand.scale)
    }  # fmt: skip
    for engine in ENGINES:
        np.testing.assert_allclose(run(graph, engine, numbers(1, 2, 5)), by_hand[:] + 4, rtol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("bits", "block"), [(8, None), (8, 9), (16, None)])
@pytest.mark.parametrize(("kind", "shape"), [
    ("nn.Conv2d", (6, 3, 3, 3)), ("nn.ConvTranspose2d", (3, 6, 3, 3)), ("F.conv2d", (6, 3, 1, 2)),
])  # fmt: skip
def test_kernels_of_convolutions_are_rounded_by_rows(run, engine, bits, block, kind, shape):
    net = Net((-1, 3, 9, 8))
    net.add(kind, (-1, 6, -1, -1), attributes={"weight": numbers(4, *shape), "bias": numbers(5, 6)})
    made = quantize_network(net.graph(), bits, block)
    assert [weight.block for weight in made.weights] == [
        9 if block and shape[1:] != (3, 1, 2) else shape[1] * shape[2] * shape[3]
    ]
    x = numbers(6, 2, 3, 9, 8)
    close(run(made.graph, engine, x), run(whole(made.graph), "simple", x))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_network_of_half_precision_stays_one(run, engine):
    net = Net((-1, 5), "f16")
    net.add("nn.Linear", (-1, 4), dtype="f16", attributes={"weight": numbers(0, 4, 5).astype(np.float16)})
    graph = net.graph()
    assert weights_of(graph.operator("1")) == {}
    assert quantize_network(graph, 8).weights == []
    found = run(graph, engine, numbers(1, 2, 5).astype(np.float16))
    assert found.dtype == np.float16


def test_integers_with_no_scales_stay_integers(run):
    net = Net((-1, 2), "i8")
    net.add("nn.Linear", (-1, 2), dtype="i8", attributes={"weight": np.array([[1, 2], [3, 4]], np.int8)})
    assert run(net.graph(), "simple", np.array([[1, 1]], np.int8)).tolist() == [[3, 7]]


def with_scale(scale: np.ndarray, values: np.ndarray | None = None) -> Graph:
    graph = quantize_network(dense(), 8).graph
    op = graph.operator("1")
    op.attributes["weight_scale"] = Attribute.from_array(scale)
    if values is not None:
        op.attributes["weight"] = Attribute.from_array(values)
    return graph


@pytest.mark.parametrize(("scale", "found"), [
    (np.ones(32, np.float32), r"float32 \(32,\)"),
    (np.ones(33), r"float64 \(33,\)"),
    (np.ones((33, 3), np.float32), r"float32 \(33, 3\)"),
    (np.full(33, np.nan, np.float32), "others among them"),
])  # fmt: skip
def test_wrong_scales_name_the_operator(tmp_path, scale, found):
    pnnx.write(with_scale(scale), tmp_path / "net.pnnx.param")
    with pytest.raises(ParameterError, match=rf"^1: parameter weight_scale: expected .*, found {found}"):
        kuiper.load(tmp_path / "net.pnnx.param")


def test_scales_beside_a_weight_that_is_not_of_8_bits_are_refused():
    graph = with_scale(np.ones(33, np.float32), numbers(0, 33, 20))
    with pytest.raises(ParameterError, match=r"weight_scale: expected one of the parameters that nn\.Linear knows"):
        kuiper.load(graph)


def test_other_activations_than_float32_are_refused(run):
    net = Net((-1, 20), "f64")
    small = to_int8(numbers(0, 3, 20))
    net.add("nn.Linear", None, attributes={"weight": small.values, "weight_scale": small.scale})
    with pytest.raises(KuiperError, match="Linear weights: expected float64 like the input, found float32"):
        run(net.graph(), "simple", np.ones((1, 20)))


class Scaled(Layer):
    """A layer that knows what to do with scales of its own."""

    def __init__(self, weight: np.ndarray, weight_scale: np.ndarray) -> None:
        self.weight, self.weight_scale = weight, weight_scale

    def forward(self, x: np.ndarray) -> np.ndarray:
        """x + the sum of the scales."""
        assert self.weight.dtype == np.int8
        return x + self.weight_scale.sum()


def test_a_layer_with_scales_of_its_own_gets_both():
    mine = registry.copy()
    mine.add("my.Scaled", Scaled)
    net = Net((-1, 2))
    net.add(
        "my.Scaled", (-1, 2), attributes={"weight": np.ones((2, 3), np.int8), "weight_scale": np.ones(5, np.float32)}
    )
    assert kuiper.load(net.graph(), registry=mine)(np.zeros((1, 2), np.float32))[0].tolist() == [[5, 5]]


@pytest.mark.parametrize(("bits", "bad", "fault"), [
    (8, np.nan, "finite numbers, found nan at"), (16, np.inf, "finite numbers, found inf at"), (16, 7e4, "found 70000"),
])  # fmt: skip
def test_what_cannot_be_rounded_names_the_operator(bits, bad, fault):
    graph = dense()
    weight = numbers(0, 7, 33)
    weight[6, 1] = bad
    graph.operator("3").attributes["weight"] = Attribute.from_array(weight)
    with pytest.raises(KuiperError, match=f"^3: weight: expected .*{fault}"):
        quantize_network(graph, bits)


def test_a_network_goes_back_to_float32_and_to_other_bits(run):
    x = numbers(9, 3, 20)
    half = quantize_network(dense(), 16).graph
    both = quantize_network(half, 8).graph
    assert both.operator("1").attributes["weight"].dtype.code == "i8"
    back = quantize_network(both, 32).graph
    assert {a.dtype.code for op in back for a in op.attributes.values()} == {"f32"}
    assert not any("scale" in key for op in back for key in op.attributes)
    close(run(both, "simple", x), run(back, "simple", x))
    assert half.operator("1").attributes["weight"].dtype.code == "f16"  # unchanged


def test_weights_stay_small_in_memory():
    network = kuiper.load(quantize_network(dense(), 8).graph, engine="simple")
    held = [op.layer.weight for op in network.operators if op.type == "nn.Linear"]
    assert [type(weight) for weight in held] == [QuantizedWeight] * 2
    assert [weight.values.dtype for weight in held] == [np.int8] * 2


def test_scales_are_no_parameters():
    before, after = (
        network_cost(kuiper.load(graph).operators) for graph in (dense(), quantize_network(dense(), 8, 4).graph)
    )
    assert after.parameters == before.parameters
    assert after.flops == before.flops
    assert after.weight_bytes["i8"] == 33 * 20 + 7 * 33


@pytest.mark.parametrize("bits", [8, 16])
def test_memory_is_needed_for_a_piece_not_for_the_weights(tmp_path, bits):
    graph = dense(2048, 2048, 2048)
    tracemalloc.start()
    try:
        pnnx.write(quantize_network(graph, bits).graph, tmp_path / "net.pnnx.param")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2048 * 2048 * 8


def test_an_operator_with_float32_weights_is_given_to_those_who_know_no_other():
    op = quantize_network(dense(), 8).graph.operator("1")
    plain = dequantized_operator(op)
    assert set(plain.attributes) == {"weight", "bias"}
    np.testing.assert_array_equal(plain.attributes["weight"].data, to_int8(numbers(0, 33, 20))[:])
    assert set(op.attributes) == {"weight", "bias", "weight_scale"}
    assert dequantized_operator(plain) is plain


@pytest.mark.parametrize("graph", [dense, tied])
@pytest.mark.parametrize("bits", [8, 16])
def test_torch_computes_the_rounded_weights(run, graph, bits):
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    from kuiper.peers.torch_network import torch_network

    small: Any = quantize_network(graph(), bits).graph
    x = numbers(9, 3, 20) if graph is dense else np.array([[4, 1]])
    with torch.inference_mode():
        expected = torch_network(small)(torch.from_numpy(x)).numpy()
    close(run(small, "simple", x), expected)
