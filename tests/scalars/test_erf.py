from __future__ import annotations

import math

import numpy as np
import pytest

from kuiper.scalars import erf

POINTS = np.concatenate([np.linspace(-7, 7, 4001), -np.logspace(-300, 2, 500), np.logspace(-300, 2, 500)])


def expected(x: np.ndarray) -> np.ndarray:
    return np.array([math.erf(value) for value in x])


def test_erf_in_float64_is_right_to_fourteen_digits() -> None:
    np.testing.assert_allclose(erf(POINTS), expected(POINTS), rtol=1e-14, atol=0)


def test_erf_in_float32_is_right_to_half_a_unit_and_a_little() -> None:
    x = POINTS[np.abs(POINTS) > 1e-30].astype(np.float32)
    result = erf(x)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, expected(x.astype(np.float64)), rtol=1e-7, atol=0)


def test_erf_in_float32_is_exactly_one_where_one_is_nearest_and_never_more() -> None:
    x = np.linspace(3, 12, 100_001, dtype=np.float32)
    result = erf(x)
    assert result.max() == 1
    assert (result[x > 3.93] == 1).all()
    np.testing.assert_array_equal(erf(-x), -result)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_erf_keeps_the_sign_of_zero_the_infinities_and_nan(dtype: type) -> None:
    result = erf(np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype))
    assert result.tolist()[:4] == [0.0, 0.0, 1.0, -1.0]
    assert np.signbit(result[1])
    assert np.isnan(result[4])


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3, 4), (40_000,)])
def test_erf_keeps_shape_and_type(shape: tuple[int, ...]) -> None:
    x = np.full(shape, 0.3, np.float16)
    assert erf(x).shape == shape
    assert erf(x).dtype == np.float16


def test_erf_reads_an_array_in_any_memory_order_and_leaves_it_alone() -> None:
    x = np.linspace(-2, 2, 12).reshape(3, 4).T[::2]
    before = x.copy()
    np.testing.assert_allclose(erf(x), expected(x.reshape(-1)).reshape(x.shape), rtol=1e-14)
    np.testing.assert_array_equal(x, before)


def test_integers_count_as_float32() -> None:
    got = erf(np.array([0, 1]))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, [0, math.erf(1)], rtol=1e-6)


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="complex"):
        erf(np.array([1j]))
