"""Activations: worked numbers, extremes, options, element types."""

import warnings

import numpy as np
import pytest

from kuiper.errors import ParameterError
from kuiper.layers import registry
from kuiper.layers.elementwise import activation
from kuiper.layers.elementwise.activation import (
    GELU,
    Hardsigmoid,
    Hardswish,
    LeakyReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Tanh,
)
from kuiper.layers.elementwise.identity import Dropout, Identity
from kuiper.layers.elementwise.softmax import LogSoftmax, Softmax

ELEMENTWISE = [ReLU, ReLU6, LeakyReLU, Sigmoid, Tanh, SiLU, Hardsigmoid, Hardswish, GELU, Identity, Dropout]


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_relu_keeps_the_positive_and_zeroes_the_rest():
    x = np.array([[-2.0, -0.5, 0.0, 3.0]], np.float32)
    assert ReLU().forward(x).tolist() == [[0.0, 0.0, 0.0, 3.0]]


def test_relu_of_integers_stays_integer():
    y = ReLU().forward(np.array([-3, 4], np.int32))
    assert y.dtype == np.int32
    assert y.tolist() == [0, 4]


def test_relu6_stops_at_six():
    assert ReLU6().forward(np.array([-1.0, 5.5, 7.0])).tolist() == [0.0, 5.5, 6.0]


def test_sigmoid_of_extremes_is_0_and_1_without_a_warning():
    y = Sigmoid().forward(np.array([-np.inf, -1000, -20, 0, 20, 1000, np.inf], np.float32))
    assert y[[0, 1, 3, 5, 6]].tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert y[2] == pytest.approx(2.0611537e-09, rel=1e-5)


def test_sigmoid_is_one_minus_the_sigmoid_of_minus_x():
    x = np.linspace(-8, 8, 33)
    np.testing.assert_allclose(Sigmoid().forward(x), 1 - Sigmoid().forward(-x), atol=1e-15)


def test_sigmoid_of_integers_and_booleans_is_float32():
    for x in (np.array([0, 1], np.int64), np.array([0, 200], np.uint8), np.array([False, True])):
        assert Sigmoid().forward(x).dtype == np.float32


def test_sigmoid_of_nan_is_nan():
    assert np.isnan(Sigmoid().forward(np.array([np.nan]))).all()


@pytest.mark.parametrize("layer", ELEMENTWISE)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_shape_and_type_stay_and_the_input_is_not_written_to(layer, shape, dtype):
    x = np.linspace(-300, 300, max(int(np.prod(shape)), 1)).astype(dtype)[: int(np.prod(shape))].reshape(shape)
    x.flags.writeable = False
    y = layer().forward(x)
    assert (y.shape, y.dtype) == (shape, dtype)
    assert np.isfinite(y).all()


def test_silu_is_x_times_sigmoid():
    x = np.linspace(-20, 20, 101)
    np.testing.assert_allclose(SiLU().forward(x), x * Sigmoid().forward(x), atol=1e-13)


def test_hardswish_is_x_times_hardsigmoid_and_bends_at_3():
    x = np.array([-4.0, -3.0, 0.0, 3.0, 4.0])
    assert Hardsigmoid().forward(x).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert Hardswish().forward(x).tolist() == [0.0, 0.0, 0.0, 3.0, 4.0]


def test_gelu_of_one_in_both_forms():
    one = np.array([1.0])
    assert GELU().forward(one)[0] == pytest.approx(0.8413447460685429, abs=1e-12)
    assert GELU(approximate="tanh").forward(one)[0] == pytest.approx(0.8411919906082768, abs=1e-12)


def test_gelu_names_the_approximation_that_it_does_not_know():
    with pytest.raises(ParameterError, match="approximate: expected 'none' or 'tanh', found 'sigmoid'"):
        GELU(approximate="sigmoid")


def test_leaky_relu_multiplies_what_is_negative():
    assert LeakyReLU(negative_slope=0.5).forward(np.array([-2.0, 2.0])).tolist() == [-1.0, 2.0]


def test_softmax_sums_to_one_along_dim_and_survives_large_numbers():
    x = np.array([[1000.0, 1000.0], [-1000.0, 1000.0]], np.float32)
    assert Softmax(dim=1).forward(x).tolist() == [[0.5, 0.5], [0.0, 1.0]]
    np.testing.assert_allclose(Softmax(dim=0).forward(x).sum(0), [1, 1])


@pytest.mark.parametrize(("rank", "dim"), [(1, 0), (2, 1), (3, 0), (4, 1)])
def test_softmax_without_dim_chooses_it_by_rank(rank, dim):
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 5)[:rank])
    np.testing.assert_array_equal(Softmax().forward(x), Softmax(dim=dim).forward(x))


def test_softmax_of_a_masked_row_is_nan_without_a_warning():
    assert np.isnan(Softmax(dim=0).forward(np.full(3, -np.inf))).all()


def test_log_softmax_does_not_take_the_logarithm_of_zero():
    assert LogSoftmax(dim=-1).forward(np.array([0.0, 1000.0])).tolist() == [-1000.0, 0.0]


def test_dropout_in_training_is_refused():
    with pytest.raises(ParameterError, match="training"):
        Dropout(training=True)


def test_every_spelling_is_registered():
    for name in ("nn.ReLU", "F.relu", "nn.Sigmoid", "F.sigmoid", "nn.SiLU", "F.silu", "F.softmax", "F.log_softmax"):
        assert name in registry
    assert registry.find("nn.Sigmoid") == activation.Sigmoid.from_operator
