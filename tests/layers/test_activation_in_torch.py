"""Activations against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.layers.elementwise import activation, softmax

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

FUNCTIONS = {
    "ReLU": F.relu,
    "ReLU6": F.relu6,
    "LeakyReLU": F.leaky_relu,
    "Sigmoid": torch.sigmoid,
    "Tanh": torch.tanh,
    "SiLU": F.silu,
    "Hardsigmoid": F.hardsigmoid,
    "Hardswish": F.hardswish,
    "GELU": F.gelu,
}
TOLERANCE = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-14}


def check(got, expected, dtype):
    assert got.dtype == expected.numpy().dtype
    np.testing.assert_allclose(got, expected.numpy(), rtol=20 * TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("name", FUNCTIONS)
@given(
    values=st.lists(st.floats(-60, 60, width=16), min_size=1, max_size=40),
    dtype=st.sampled_from(list(TOLERANCE)),
)
@settings(max_examples=25, deadline=None)
def test_elementwise_functions_are_pytorchs(name, values, dtype):
    x = np.array(values, dtype)
    check(getattr(activation, name)().forward(x), FUNCTIONS[name](torch.from_numpy(x)), dtype)


@pytest.mark.parametrize("name", ["Sigmoid", "Tanh"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.bool_])
def test_integers_give_float32(name, dtype):
    x = np.arange(5).astype(dtype)
    check(getattr(activation, name)().forward(x), FUNCTIONS[name](torch.from_numpy(x)), np.float32)


@given(values=st.lists(st.floats(-60, 60, width=16), min_size=1), dtype=st.sampled_from(list(TOLERANCE)))
@settings(max_examples=25, deadline=None)
def test_gelu_by_tanh_is_pytorchs(values, dtype):
    x = np.array(values, dtype)
    check(activation.GELU("tanh").forward(x), F.gelu(torch.from_numpy(x), approximate="tanh"), dtype)


@given(slope=st.floats(-2, 2, width=16))
@settings(max_examples=15, deadline=None)
def test_leaky_relu_takes_any_slope(slope):
    x = np.linspace(-3, 3, 7, dtype=np.float32)
    check(activation.LeakyReLU(slope).forward(x), F.leaky_relu(torch.from_numpy(x), slope), np.float32)


@pytest.mark.parametrize(("layer", "function"), [("Softmax", F.softmax), ("LogSoftmax", F.log_softmax)])
@given(data=st.data(), dtype=st.sampled_from(list(TOLERANCE)))
@settings(max_examples=40, deadline=None)
def test_softmax_along_every_dimension_is_pytorchs(layer, function, data, dtype):
    shape = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(data.draw(st.integers(0, 99))).normal(0, 9, shape).astype(dtype)
    check(getattr(softmax, layer)(dim).forward(x), function(torch.from_numpy(x), dim), dtype)
