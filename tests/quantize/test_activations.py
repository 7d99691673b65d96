"""Products of 8-bit integers: the reference is what its definition says, and networks say in their file who rounds."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import kuiper
from kuiper import KuiperError, pnnx
from kuiper.compiled import llvm
from kuiper.convert import convert_network
from kuiper.errors import ParameterError
from kuiper.graph import Graph, Operand, Operator
from kuiper.layers.linear.linear import Linear
from kuiper.quantize import (
    QuantizedWeight,
    dequantized_operator,
    integer_product,
    quantize_network,
    quantized_rows,
    to_float16,
    to_int8,
)
from kuiper.quantize.activations import EXACT, SMALLEST

DIGITS = Path(__file__).resolve().parents[2] / "models/digits/digits.pnnx.param"
ENGINES = ["simple", "fast", *(["compiled"] if llvm.installed() else [])]


def numbers(seed: int, *shape: int) -> np.ndarray:
    """Standard normal ones, of float32."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def network(weight: QuantizedWeight, bias: np.ndarray | None = None) -> Graph:
    """(?, I) -> (?, O): one product that rounds its input."""
    outputs, depth = weight.shape
    x, y = Operand("0", (-1, depth), "f32"), Operand("1", (-1, outputs), "f32")
    held = {"weight": weight.values, "weight_scale": weight.scale} | ({} if bias is None else {"bias": bias})
    params = {"bias": bias is not None, "activation_bits": 8}
    linear = Operator("nn.Linear", "fc", [x], [y], attributes=held, params=params)
    return Graph([Operator("pnnx.Input", "in", [], [x]), linear, Operator("pnnx.Output", "out", [y])])


@given(
    arrays.arrays(np.float32, (2, 12), elements=st.floats(allow_nan=False, allow_infinity=False, width=32)),
    st.sampled_from([1, 3, 4, 12]),
)
def test_a_number_is_off_by_half_a_scale_at_most_and_the_largest_of_a_block_becomes_127(x, block):
    values, scale = quantized_rows(x, block)
    assert values.dtype == np.int8
    assert scale.shape == (2, 12 // block)
    for row, numbers_of, scales in zip(x, values, scale):
        for n, of_block in enumerate(scales):
            part = slice(n * block, (n + 1) * block)
            most = np.abs(row[part]).max()
            if most < SMALLEST:
                assert of_block == 0
                assert not numbers_of[part].any()
                continue
            assert np.abs(numbers_of[part].astype(int)).max() == 127
            off = np.abs(row[part].astype(np.float64) - np.float64(of_block) * numbers_of[part])
            assert off.max() <= np.float64(of_block) * (0.5 + 1e-4)


def test_numbers_are_rounded_to_the_nearest_and_ties_to_even():
    values, scale = quantized_rows(np.array([[127, 0.5, 1.5, -2.5, 0.51, -0.49]], np.float32), 6)
    assert values.tolist() == [[127, 0, 2, -2, 1, 0]]
    assert scale.tolist() == [[1]]


@pytest.mark.parametrize(("depth", "block"), [(7, None), (96, 32), (2 * EXACT + 3, None), (64, 64)])
def test_sums_are_those_of_whole_numbers(depth, block):
    weight = to_int8(numbers(1, 5, depth), block)
    values, scale = quantized_rows(numbers(2, 3, depth), weight.block)
    found = integer_product(values, scale, weight)
    of_weight = weight.scale.reshape(5, -1)
    for m in range(3):
        for o in range(5):
            expected = Fraction(0)
            for n in range(depth // weight.block):
                part = slice(n * weight.block, (n + 1) * weight.block)
                whole = sum(int(a) * int(b) for a, b in zip(values[m, part], weight.values[o, part]))
                expected += whole * Fraction(float(scale[m, n])) * Fraction(float(of_weight[o, n]))
            assert found[m, o] == pytest.approx(float(expected), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("block", [EXACT, EXACT + 1, 40_000])
def test_the_largest_sums_are_exact(block):
    weight = QuantizedWeight(np.full((1, block), 127, np.int8), np.ones(1, np.float32))
    values = np.full((1, block), 127, np.int8)
    values[0, 0] = 126
    found = integer_product(values, np.ones((1, 1), np.float32), weight)
    assert found[0, 0] == np.float32(127 * 127 * block - 127)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("block", [None, 32, 8, 12, 96])
@pytest.mark.parametrize("rows", [1, 5, 40])
def test_every_engine_computes_what_the_reference_says(engine, block, rows):
    weight, bias = to_int8(numbers(1, 37, 96), block), numbers(2, 37)
    x = numbers(3, rows, 96)
    x[0, 40:80] = 0
    expected = integer_product(*quantized_rows(x, weight.block), weight) + bias
    assert np.abs(expected - Linear(weight, bias).forward(x)).max() > 1e-4
    (found,) = kuiper.load(network(weight, bias), engine=engine)(x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("block", [None, 16, 32])
@pytest.mark.parametrize("rows", [3, 30])
def test_what_is_not_finite_makes_all_outputs_of_its_row_nan(engine, value, block, rows):
    weight = to_int8(numbers(1, 19, 64), block)
    x = numbers(3, rows, 64)
    x[1, 5] = value
    (found,) = kuiper.load(network(weight), engine=engine)(x)
    assert np.isnan(found[1]).all()
    expected = integer_product(*quantized_rows(x, weight.block), weight)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)
    assert np.isfinite(np.delete(found, 1, 0)).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [3e38, 1e30, 2.0**-100, 2.0**-101, 1e-42])
def test_very_large_and_very_small_numbers(engine, size):
    weight = to_int8(numbers(1, 19, 64) / 100, 32)
    x = np.clip(numbers(3, 4, 64), -1, 1) * np.float32(size)
    (found,) = kuiper.load(network(weight), engine=engine)(x)
    expected = integer_product(*quantized_rows(x, weight.block), weight)
    assert expected.any() == (size >= SMALLEST)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * size)


def test_what_does_not_go_together_is_refused():
    small = to_int8(numbers(1, 4, 8))
    with pytest.raises(ParameterError, match="activation_bits: expected 8 or 32, found 4"):
        Linear(small, activation_bits=4)
    for weight, words in ((numbers(1, 4, 8), "8 beside float32"), (to_float16(numbers(1, 4, 8)), "8 beside float16")):
        with pytest.raises(ParameterError, match=words):
            Linear(weight, activation_bits=8)
    graph = network(small)
    for options, words in (
        ({"bits": 16, "activations": 8}, "only beside weights of 8 bits, found weights of 16"),
        ({"bits": 32, "activations": 8}, "only beside weights of 8 bits, found weights of 32"),
        ({"bits": 8, "activations": 16}, "activations: expected 8 or 32 bits, found 16"),
    ):
        with pytest.raises(KuiperError, match=words):
            quantize_network(graph, **options)
    x, y = Operand("0", (1, 4), "f32"), Operand("1", (1, 4), "f32")
    relu = Graph([Operator("pnnx.Input", "in", [], [x]), Operator("nn.ReLU", "r", [x], [y])])
    with pytest.raises(KuiperError, match=r"expected nn\.Linear or F\.linear with a weight of 8 bits, found none"):
        quantize_network(relu, 8, activations=8)
    relu.operators[1].params["activation_bits"] = pnnx.Parameter.of(8)
    with pytest.raises(KuiperError, match="activation_bits"):
        kuiper.load(relu)


def test_only_linear_layers_round_and_the_file_says_so(tmp_path):
    made = convert_network(DIGITS, tmp_path / "out", bits=8, activations=8)
    assert made.quantized.rounding == ("classifier",)
    lines = made.param.read_text().splitlines()
    assert [line.split()[:2] for line in lines if "activation_bits=8" in line] == [["nn.Linear", "classifier"]]
    again = quantize_network(pnnx.read(made.param), 8).graph
    assert "activation_bits" not in again.operator("classifier").params
    whole = quantize_network(pnnx.read(made.param), 32).graph
    assert "activation_bits" not in whole.operator("classifier").params
    np.testing.assert_array_equal(
        dequantized_operator(pnnx.read(made.param).operator("classifier")).attributes["weight"].data,
        whole.operator("classifier").attributes["weight"].data,
    )
