"""Reductions: worked numbers and their dimensions."""

import warnings

import numpy as np
import pytest

from kuiper.layers.reduction.reduction import Amax, Amin, Mean, Sum

X = np.array([[1.0, 2.0], [3.0, 6.0]], np.float32)


def test_mean_over_one_dimension_over_all_and_with_the_dimension_kept():
    assert Mean(dim=1).forward(X).tolist() == [1.5, 4.5]
    assert Mean().forward(X).tolist() == 3.0
    assert Mean(dim=[-2], keepdim=True).forward(X).tolist() == [[2.0, 4.0]]
    assert Mean(dim=None, keepdim=True).forward(X).shape == (1, 1)


def test_mean_of_integers_is_float32():
    assert Mean().forward(np.array([1, 2])).dtype == np.float32


def test_mean_of_nothing_is_nan_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(Mean(dim=1).forward(np.zeros((2, 0), np.float32))).all()


def test_mean_of_float16_does_not_overflow():
    assert Mean().forward(np.full(100, 60000, np.float16)).tolist() == pytest.approx(60000)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32])
def test_sum_of_integers_is_int64(dtype):
    y = Sum().forward(np.ones((20, 20), dtype))
    assert (y.dtype, y.item()) == (np.int64, 400)


@pytest.mark.parametrize(("layer", "value"), [(Mean, 4.0), (Sum, 4.0), (Amax, 4.0), (Amin, 4.0)])
@pytest.mark.parametrize("dim", [None, 0, -1])
def test_a_single_number_stays(layer, value, dim):
    y = layer(dim=dim).forward(np.array(4.0, np.float32))
    assert isinstance(y, np.ndarray)
    assert (y.shape, y.item()) == ((), value)


def test_amax_and_amin_keep_the_type_and_pass_nan_on():
    assert Amax(dim=0).forward(np.array([[1, 5], [3, 2]], np.int8)).tolist() == [3, 5]
    assert Amin().forward(np.array([1, 2], np.int8)).dtype == np.int8
    assert np.isnan(Amax().forward(np.array([1.0, np.nan])))
