"""lgamma: known numbers, poles and extremes."""

import math

import numpy as np
import pytest

from kuiper.scalars import lgamma


def test_whole_numbers_give_the_logarithms_of_factorials():
    expected = [math.log(math.factorial(n - 1)) for n in range(3, 60)]
    np.testing.assert_allclose(lgamma(np.arange(3.0, 60.0)), expected, rtol=1e-14)


@pytest.mark.parametrize("step", [0.01, 0.37, 7.1])
def test_every_other_number_gives_what_the_c_library_gives(step):
    x = np.arange(-150, 150) * step + 0.00312
    np.testing.assert_allclose(lgamma(x), [math.lgamma(v) for v in x], rtol=1e-12, atol=1e-13)


def test_float32_has_a_relative_error_below_a_millionth_even_beside_the_zeros_at_1_and_2():
    x = np.concatenate([1 + np.linspace(-1e-3, 1e-3, 100), 2 + np.linspace(-1e-3, 1e-3, 100)]).astype(np.float32)
    np.testing.assert_allclose(lgamma(x), [math.lgamma(float(v)) for v in x], rtol=1e-6)
    assert lgamma(x).dtype == np.float32


def test_poles_and_infinities_give_inf_and_nan_stays():
    assert lgamma(np.array([0.0, -1, -2, -1e10, np.inf, -np.inf])).tolist() == [math.inf] * 6
    assert np.isnan(lgamma(np.array([np.nan]))).all()
    assert lgamma(np.array([1e38], np.float32)).tolist() == [math.inf]
