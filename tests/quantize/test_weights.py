"""Arrays in fewer bits: how far off they are, what they refuse, and that rows of them are what they should be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError, ParameterError
from kuiper.quantize import QuantizedWeight, dequantized, figures_of, quantize, to_float16, to_int8

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def weights(draw: st.DrawFn) -> np.ndarray:
    """(R, ...) of any magnitudes, subnormal ones and rows of zeros among them."""
    shape = draw(st.sampled_from([(0, 5), (1, 1), (3, 8), (2, 12), (4, 7), (2, 3, 2, 2), (5,), (3, 0)]))
    count = int(np.prod(shape))
    array = np.array(draw(st.lists(FLOATS, min_size=count, max_size=count)), np.float32).reshape(shape)
    if draw(st.booleans()):
        array[:1] = 0
    return array


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(weight=weights(), block=st.sampled_from([None, 1, 2, 4, 5]))
def test_every_number_is_off_by_half_a_scale_at_most(weight: np.ndarray, block: int | None) -> None:
    small = to_int8(weight, block)
    rows, size = len(weight), int(np.prod(weight.shape[1:]))
    blocks = size // block if block and size and size % block == 0 else None
    assert small.values.dtype == np.int8
    assert small.values.shape == small.shape == weight.shape
    assert small.scale is not None
    assert small.scale.dtype == np.float32
    assert small.scale.shape == ((rows,) if blocks is None else (rows, blocks))
    assert small.values.min(initial=0) >= -127
    scale = np.repeat(small.scale.reshape(rows, blocks or 1), size // (blocks or 1), axis=1).astype(np.float64)
    off = np.abs(small[:].reshape(rows, size).astype(np.float64) - weight.reshape(rows, size))
    assert (off <= 0.5001 * scale).all()


def test_the_largest_of_a_row_becomes_127_and_nothing_is_lost_of_it() -> None:
    weight = np.array([[2.0, -6.0, 1.0], [0.25, 0.0, 0.1]], np.float32)
    small = to_int8(weight)
    assert small.values.tolist() == [[42, -127, 21], [127, 0, 51]]
    np.testing.assert_allclose(small[:].max(1), weight.max(1), rtol=0.01)
    assert small[0][1] == pytest.approx(-6, rel=1e-6)


def test_a_row_of_zeros_stays_one() -> None:
    small = to_int8(np.array([[0, 0, 0, 0], [0, 0, 1, 2]], np.float32), 2)
    assert small.scale is not None
    assert small.scale[0].tolist() == [0, 0]
    assert small[:].tolist()[0] == [0, 0, 0, 0]
    assert small[1][:2].tolist() == [0, 0]


def test_a_block_that_does_not_divide_a_row_leaves_one_scale_for_it() -> None:
    assert to_int8(np.ones((3, 10), np.float32), 4).scale.shape == (3,)  # type: ignore[union-attr]
    assert to_int8(np.ones((3, 10), np.float32), 5).scale.shape == (3, 2)  # type: ignore[union-attr]


def test_blocks_follow_outliers_more_closely_than_rows() -> None:
    weight = np.random.default_rng(0).standard_normal((16, 256)).astype(np.float32)
    weight[:, 7] *= 40
    by_row, by_block = (figures_of([(weight, to_int8(weight, block)[:])]) for block in (None, 32))
    assert by_block.rms < by_row.rms / 2


@pytest.mark.parametrize("small", [to_int8, to_float16, lambda w: to_int8(w, 4)])
@pytest.mark.parametrize("index", [0, -1, slice(1, 3), slice(0, 0), np.array([2, 0, 2]), np.array([[1], [3]])])
def test_an_index_gives_those_rows_as_float32(small: object, index: object) -> None:
    weight = np.random.default_rng(1).standard_normal((4, 3, 4)).astype(np.float32)
    made = small(weight)  # type: ignore[operator]
    assert made[index].dtype == np.float32
    np.testing.assert_array_equal(made[index], dequantized(made)[index])
    np.testing.assert_allclose(made[index], weight[index], atol=0.02)


def test_rows_come_in_pieces_that_follow_one_another() -> None:
    small = to_int8(np.arange(35, dtype=np.float32).reshape(7, 5))
    pieces = list(small.pieces(size=11))
    assert [len(small.values[rows]) for rows in pieces] == [2, 2, 2, 1]
    np.testing.assert_array_equal(np.concatenate([small[rows] for rows in pieces]), small[:])


@settings(max_examples=100, deadline=None)
@given(weight=weights())
def test_16_bits_are_those_of_numpys_rounding_or_refused(weight: np.ndarray) -> None:
    if np.abs(weight).max(initial=0) >= 65520:  # half a unit beyond 65504
        with pytest.raises(KuiperError, match="65504, the largest float16, found"):
            to_float16(weight)
    else:
        np.testing.assert_array_equal(to_float16(weight)[:], weight.astype(np.float16).astype(np.float32))


def test_the_largest_float16_is_taken_and_what_rounds_to_it() -> None:
    assert to_float16(np.array([[65504, -65519]], np.float32))[:].tolist() == [[65504, -65504]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("bits", [8, 16])
def test_what_is_not_finite_is_refused(bad: float, bits: int) -> None:
    weight = np.ones((3, 4), np.float32)
    weight[2, 1] = bad
    with pytest.raises(KuiperError, match=rf"expected finite numbers, found {bad} at \(2, 1\)"):
        quantize(weight, bits)


def test_a_double_beyond_float32_is_refused() -> None:
    with pytest.raises(KuiperError, match="expected finite numbers, found 1e\\+300"):
        to_int8(np.array([[1e300]]))


@pytest.mark.parametrize("weight", [np.ones((2, 2), np.int32), np.float32(1), np.ones((2, 2), bool)])
def test_what_is_no_array_of_floats_is_refused(weight: np.ndarray) -> None:
    with pytest.raises(KuiperError, match="expected floats with an axis of rows"):
        to_int8(weight)


@pytest.mark.parametrize(("bits", "block", "fault"), [
    (4, None, "bits: expected one of 8, 16, 32, found 4"),
    (16, 32, "block: expected one only with 8 bits"),
    (8, 0, "block: expected at least 1 number, found 0"),
])  # fmt: skip
def test_other_bits_and_blocks_are_refused(bits: int, block: int | None, fault: str) -> None:
    with pytest.raises(KuiperError, match=fault):
        quantize(np.ones((2, 2), np.float32), bits, block)


def test_32_bits_change_nothing() -> None:
    weight = np.ones((2, 2), np.float32)
    assert quantize(weight, 32) is weight


VALUES = np.ones((4, 6), np.int8)


WRONG_SCALES = [
    *(np.ones(shape, np.float32) for shape in [(3,), (4, 4), (3, 2), (4, 0), (4, 6, 1), (), (1, 4)]),
    np.ones(4),
    np.ones(4, np.float16),
]


@pytest.mark.parametrize("scale", WRONG_SCALES, ids=lambda scale: f"{scale.dtype} {scale.shape}")
def test_scales_of_another_shape_or_type_are_refused(scale: np.ndarray) -> None:
    expected = r"weight_scale: expected float32 \(4,\), a scale for each row of the weight \(4, 6\), or \(4, a divisor"
    with pytest.raises(ParameterError, match=expected):
        QuantizedWeight(VALUES, scale)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_scales_that_are_negative_or_not_finite_are_refused(bad: float) -> None:
    scale = np.array([1, 1, bad, 1], np.float32)
    with pytest.raises(ParameterError, match="finite numbers of 0 or more"):
        QuantizedWeight(VALUES, scale)


WRONG_VALUES = [
    (VALUES, None),
    (VALUES.astype(np.float32), None),
    (np.array(1, np.float16), None),
    (VALUES.astype(np.float16), np.ones(4, np.float32)),
    (VALUES.astype(np.int16), np.ones(4, np.float32)),
]


@pytest.mark.parametrize(("values", "scale"), WRONG_VALUES)
def test_values_of_other_types_are_refused(values: np.ndarray, scale: np.ndarray | None) -> None:
    with pytest.raises(ParameterError, match="float16 without scales, or int8 with them"):
        QuantizedWeight(values, scale)


def test_figures_of_pieces_are_those_of_the_whole() -> None:
    rng = np.random.default_rng(2)
    before = rng.standard_normal((6, 9))
    after = before + 0.01 * rng.standard_normal((6, 9))
    found = figures_of(zip(np.split(before, 3), np.split(after, 3)))
    assert found.rms == pytest.approx(np.sqrt(((after - before) ** 2).sum() / (before**2).sum()))
    assert found.largest == pytest.approx(np.abs(after - before).max() / np.abs(before).max())
    double = found + found
    assert double.rms == pytest.approx(found.rms)
    assert double.largest == found.largest
    nothing = figures_of([(np.zeros(3), np.zeros(3))])
    assert (nothing.rms, nothing.largest) == (0, 0)


def test_memory_is_a_quarter_and_a_half() -> None:
    weight = np.ones((64, 256), np.float32)
    assert to_int8(weight).nbytes == weight.nbytes // 4 + 4 * 64
    assert to_int8(weight, 32).nbytes == weight.nbytes // 4 + 4 * 64 * 8
    assert to_float16(weight).nbytes == weight.nbytes // 2
