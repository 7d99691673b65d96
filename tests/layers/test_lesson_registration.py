"""Operators as PNNX writes them become layers of lesson 6: options, weights and named inputs find their place."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.errors import ParameterError
from kuiper.graph import Attribute, Operand, Operator, Parameter, ParameterKind
from kuiper.layers.image import convolution, pooling
from kuiper.layers.linear import linear
from kuiper.layers.normalization import normalization
from kuiper.layers.registry import registry


def run(kind: str, params: dict, weights: dict[str, np.ndarray], inputs: dict[str, np.ndarray], outputs: int = 1):
    """The outputs of one operator, made and run as the graph does it."""
    operator = Operator(
        kind,
        "it",
        inputs=[Operand(name) for name in inputs],
        input_names=[name.lstrip("$") if name.startswith("$") else None for name in inputs],
        outputs=[Operand(f"out{i}") for i in range(outputs)],
        params={name: Parameter(ParameterKind.NULL, value) for name, value in params.items()},
        attributes={name: Attribute.from_array(w) for name, w in weights.items()},
    )
    values: dict = dict(inputs)
    registry.create(operator).forward_operator(operator, values)
    return [values[f"out{i}"] for i in range(outputs)]


X = np.arange(32.0).reshape(1, 2, 4, 4)
W = np.arange(36.0).reshape(2, 2, 3, 3)
B = np.array([1.0, -1.0])
CONV = {"dilation": (1, 1), "groups": 1, "padding": (1, 1), "stride": (2, 2)}
MODULE = {"in_channels": 2, "out_channels": 2, "kernel_size": (3, 3)}
POOL = {"ceil_mode": False, "kernel_size": (2, 2), "padding": (0, 0), "stride": None}


@pytest.mark.parametrize(("kind", "extra"), [("conv2d", {}), ("conv_transpose2d", {"output_padding": (1, 1)})])
def test_a_convolutions_weights_are_attributes_or_named_inputs(kind, extra):
    layer = {"conv2d": convolution.Conv2d, "conv_transpose2d": convolution.ConvTranspose2d}[kind]
    expected = layer(W, B, **CONV, **extra).forward(X)
    without = layer(W, **CONV, **extra).forward(X)
    module = {"conv2d": "nn.Conv2d", "conv_transpose2d": "nn.ConvTranspose2d"}[kind]
    stored, named = {"weight": W, "bias": B}, {"$input": X, "$weight": W, "$bias": B}
    [y] = run(module, {**CONV, **MODULE, **extra, "bias": True}, stored, {"x": X})
    np.testing.assert_array_equal(y, expected)
    [y] = run(f"F.{kind}", {**CONV, **extra}, {}, named)
    np.testing.assert_array_equal(y, expected)
    [y] = run(module, {**CONV, **MODULE, **extra, "bias": False}, {"weight": W}, {"x": X})
    np.testing.assert_array_equal(y, without)
    [y] = run(f"F.{kind}", {**CONV, **extra, "bias": None}, {}, {"$input": X, "$weight": W})
    np.testing.assert_array_equal(y, without)


def test_a_convolution_without_its_weights_says_so():
    with pytest.raises(ParameterError, match="it: parameter weight: expected a value"):
        run("nn.Conv2d", {**CONV, **MODULE, "bias": False}, {}, {"x": X})
    with pytest.raises(ParameterError, match="it: parameter bias: expected the weights @bias"):
        run("nn.Conv2d", {**CONV, **MODULE, "bias": True}, {"weight": W}, {"x": X})


@pytest.mark.parametrize("kind", ["nn.MaxPool2d", "F.max_pool2d"])
def test_max_pool_has_one_output_or_two(kind):
    expected = pooling.MaxPool2d(2, return_indices=True).forward(X)
    [y] = run(kind, {**POOL, "dilation": (1, 1), "return_indices": False}, {}, {"x": X})
    np.testing.assert_array_equal(y, expected[0])
    y, indices = run(kind, {**POOL, "dilation": (1, 1), "return_indices": True}, {}, {"x": X}, outputs=2)
    np.testing.assert_array_equal(y, expected[0])
    np.testing.assert_array_equal(indices, expected[1])


@pytest.mark.parametrize("kind", ["nn.AvgPool2d", "F.avg_pool2d"])
def test_avg_pool_takes_pnnxs_parameters(kind):
    [y] = run(kind, {**POOL, "count_include_pad": True, "divisor_override": None}, {}, {"x": X})
    np.testing.assert_array_equal(y, pooling.AvgPool2d(2).forward(X))


@pytest.mark.parametrize("name", ["adaptive_avg_pool2d", "AdaptiveAvgPool2d"])
def test_an_adaptive_pools_output_size_may_be_computed_by_the_graph(name):
    kind = f"F.{name}" if name.islower() else f"nn.{name}"
    [y] = run(kind, {"output_size": (0, 3)}, {}, {"x": X})
    assert y.shape == (1, 2, 4, 3)
    [y] = run(kind, {}, {}, {"$input": X, "$output_size": [1, 2]})
    assert y.shape == (1, 2, 1, 2)


@pytest.mark.parametrize("kind", ["nn.AdaptiveMaxPool2d", "F.adaptive_max_pool2d"])
def test_adaptive_max_pool_gives_its_indices_too(kind):
    y, indices = run(kind, {"output_size": (1, 1), "return_indices": True}, {}, {"x": X}, outputs=2)
    assert (y.ravel().tolist(), indices.ravel().tolist()) == ([15, 31], [15, 15])


def test_linears_weights_are_attributes_or_named_inputs():
    weight = W[0, 0][:2, :2].copy()
    x = X[0, 0, :, :2]
    expected = linear.Linear(weight, B).forward(x)
    sizes = {"in_features": 2, "out_features": 2}
    [y] = run("nn.Linear", {"bias": True, **sizes}, {"weight": weight, "bias": B}, {"x": x})
    np.testing.assert_array_equal(y, expected)
    [y] = run("F.linear", {}, {}, {"$input": x, "$weight": weight, "$bias": B})
    np.testing.assert_array_equal(y, expected)
    [y] = run("F.linear", {"bias": None}, {}, {"$input": x, "$weight": weight})
    np.testing.assert_array_equal(y, expected - B)


def test_batch_norms_statistics_are_attributes_or_named_inputs():
    stats = {"running_mean": B, "running_var": B + 2, "weight": 2 * B, "bias": 3 * B}
    expected = normalization.BatchNorm(**stats).forward(X)
    [y] = run("nn.BatchNorm2d", {"affine": True, "eps": 1e-5, "num_features": 2}, stats, {"x": X})
    np.testing.assert_array_equal(y, expected)
    [y] = run("F.batch_norm", {"eps": 1e-5}, {}, {"$input": X, **{f"${k}": v for k, v in stats.items()}})
    np.testing.assert_array_equal(y, expected)
    none = dict.fromkeys(stats)
    [y] = run("F.batch_norm", {"eps": 1e-5, **none}, {}, {"$input": X})
    np.testing.assert_allclose(y.mean(axis=(0, 2, 3)), 0, atol=1e-12)


def test_layer_norms_weights_are_attributes_or_named_inputs():
    weights = {"weight": np.arange(4.0), "bias": -np.arange(4.0)}
    expected = normalization.LayerNorm(4, **weights).forward(X)
    params = {"eps": 1e-5, "normalized_shape": [4]}
    [y] = run("nn.LayerNorm", {**params, "elementwise_affine": True}, weights, {"x": X})
    np.testing.assert_array_equal(y, expected)
    [y] = run("F.layer_norm", params, {}, {"$input": X, **{f"${k}": v for k, v in weights.items()}})
    np.testing.assert_array_equal(y, expected)
    [y] = run("F.layer_norm", {**params, "weight": None, "bias": None}, {}, {"$input": X})
    np.testing.assert_allclose(y.mean(axis=-1), 0, atol=1e-12)
