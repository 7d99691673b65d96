"""Tensor (lesson 2): worked numbers of the course, reading orders against slow loops, shared memory, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import InferError, InferStatus, KuiperError, ShapeError
from kuiper.tensor import Tensor, flatten, padding, reshape

shapes = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4))
pads = st.tuples(*[st.integers(0, 3)] * 4)
quick = settings(max_examples=60, deadline=None)


def counting(*shape: int, start: int = 0, dtype: type = np.float32) -> np.ndarray:
    return np.arange(start, start + int(np.prod(shape)), dtype=dtype).reshape(shape)


def slow_order(shape: tuple[int, ...], row_major: bool) -> list[tuple[int, int, int]]:
    channels, rows, cols = shape
    if row_major:
        return [(c, i, j) for c in range(channels) for i in range(rows) for j in range(cols)]
    return [(c, i, j) for c in range(channels) for j in range(cols) for i in range(rows)]


# worked numbers of the course


def test_two_by_five_becomes_five_by_two_row_by_row() -> None:
    x = Tensor(2, 5).fill(range(10))
    assert x.reshape((5, 2)).slice(0).tolist() == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]


def test_two_by_five_becomes_five_by_two_column_by_column() -> None:
    x = Tensor(2, 5).fill(range(10))
    assert x.values(row_major=False).tolist() == [0, 5, 1, 6, 2, 7, 3, 8, 4, 9]
    assert x.reshape((5, 2), row_major=False).slice(0).tolist() == [[0, 7], [5, 3], [1, 8], [6, 4], [2, 9]]


def test_column_major_runs_within_each_channel() -> None:
    x = Tensor.from_array(counting(2, 3, 4, start=1))
    expected = [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12, 13, 17, 21, 14, 18, 22, 15, 19, 23, 16, 20, 24]
    assert x.flatten(row_major=False).values().tolist() == expected
    assert expected != x.data.reshape(-1, order="F").tolist()


def test_column_major_reshape_of_three_axes() -> None:
    x = Tensor.from_array(counting(2, 3, 4, start=1)).reshape((4, 3, 2), row_major=False)
    assert x.slice(0).tolist() == [[1, 2], [5, 6], [9, 10]]
    assert x.shapes == (4, 3, 2)


def test_padding_one_two_three_four_makes_seven_by_twelve() -> None:
    x = Tensor(3, 4, 5).fill(1).padding((1, 2, 3, 4), 0)
    assert x.shapes == (3, 7, 12)
    assert x.data[:, 1:5, 3:8].tolist() == np.ones((3, 4, 5)).tolist()
    assert x.data.sum() == 60


def test_padding_two_on_each_side_with_pi_makes_eight_by_nine() -> None:
    x = Tensor(3, 4, 5).padding([2, 2, 2, 2], 3.14)
    assert x.shapes == (3, 8, 9)
    border = np.ones((8, 9), bool)
    border[2:6, 2:7] = False
    assert (x.data[:, border] == np.float32(3.14)).all()
    assert (x.data[:, ~border] == 0).all()


@pytest.mark.parametrize(
    ("shape", "raw"), [((1, 1, 5), (5,)), ((1, 3, 5), (3, 5)), ((2, 3, 5), (2, 3, 5)), ((2, 1, 5), (2, 1, 5))]
)
def test_raw_shapes_leaves_out_leading_ones_and_shapes_never_does(shape: tuple[int, ...], raw: tuple[int, ...]) -> None:
    assert Tensor(*shape).raw_shapes == raw
    assert Tensor(*shape).shapes == shape


# construction


@pytest.mark.parametrize(
    ("given_shape", "full"),
    [((4,), (1, 1, 4)), ((3, 4), (1, 3, 4)), ((2, 3, 4), (2, 3, 4)), (([2, 3],), (1, 2, 3)), (((5,),), (1, 1, 5))],
)
def test_a_shape_of_one_to_three_numbers_or_a_list_of_them_makes_zeros(given_shape: tuple, full: tuple) -> None:
    x = Tensor(*given_shape)
    assert x.shapes == full
    assert (x.channels, x.rows, x.cols) == full
    assert x.size == np.prod(full)
    assert x.data.dtype == np.float32
    assert not x.data.any()
    assert not x.empty


def test_a_tensor_without_elements_is_empty() -> None:
    assert Tensor().empty
    assert Tensor(3, 0, 2).empty
    assert Tensor().shapes == (0, 0, 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int64, np.uint8, np.bool_, np.complex64])
def test_from_array_keeps_the_element_type(dtype: type) -> None:
    assert Tensor.from_array(np.zeros((2, 3), dtype)).data.dtype == dtype


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
def test_from_array_shares_memory_both_ways(shape: tuple[int, ...]) -> None:
    array = np.zeros(shape, np.float32)
    x = Tensor.from_array(array)
    x.fill(3)
    assert (array == 3).all()
    array[...] = 4
    assert (x.data == 4).all()


def test_from_array_shares_memory_with_a_strided_view() -> None:
    array = counting(4, 6)
    x = Tensor.from_array(array[::2, ::3])
    x.fill([-1, -2, -3, -4])
    assert array[::2, ::3].tolist() == [[-1, -2], [-3, -4]]
    assert array[1].tolist() == [6, 7, 8, 9, 10, 11]


def test_a_copy_has_memory_of_its_own() -> None:
    x = Tensor(2, 2)
    x.copy().fill(1)
    assert not x.data.any()


def test_rand_is_standard_normal() -> None:
    values = Tensor.rand(4, 100, 100, seed=0).values()
    assert abs(values.mean()) < 0.02
    assert abs(values.std() - 1) < 0.02
    assert values.min() < -3


def test_rand_repeats_for_a_seed_and_differs_between_seeds() -> None:
    first, again, other = (Tensor.rand(2, 3, seed=seed).values().tolist() for seed in (7, 7, 8))
    assert first == again
    assert first != other


# elements


def test_an_element_is_read_and_written_at_channel_row_col() -> None:
    x = Tensor.from_array(counting(2, 3, 4))
    assert x.at(1, 2, 3) == x[1, 2, 3] == 23
    x[1, 2, 3] = -5
    assert x.at(1, 2, 3) == -5
    assert x.slice(1)[2, 3] == -5


def test_index_counts_row_by_row_even_in_a_strided_tensor() -> None:
    array = counting(2, 3, 4)
    assert [Tensor.from_array(array).index(i) for i in range(24)] == list(range(24))
    assert [Tensor.from_array(array.swapaxes(1, 2)).index(i) for i in range(4)] == [0, 4, 8, 1]


def test_slice_is_a_view_of_one_channel() -> None:
    x = Tensor(2, 2, 2)
    x.slice(1)[0, 1] = 9
    assert x.values().tolist() == [0, 0, 0, 0, 0, 9, 0, 0]


def test_raw_ptr_writes_through_to_the_tensor() -> None:
    x = Tensor(2, 2, 2)
    pointer = x.raw_ptr(3)
    pointer[0], pointer[1:][0] = 7, 8
    assert x.values().tolist() == [0, 0, 0, 7, 8, 0, 0, 0]
    assert pointer.ctypes.data == x.data.ctypes.data + 3 * x.data.itemsize


def test_raw_ptr_refuses_elements_that_are_not_one_after_another() -> None:
    with pytest.raises(InferError, match="copy"):
        Tensor.from_array(counting(2, 3).T).raw_ptr()


# values


@quick
@given(shapes, st.booleans())
def test_fill_then_values_gives_the_same_numbers_back(shape: tuple, row_major: bool) -> None:
    x = Tensor(*shape)
    numbers = list(range(x.size))
    assert x.fill(numbers, row_major) is x
    assert x.values(row_major).tolist() == numbers
    for number, place in zip(numbers, slow_order(shape, row_major), strict=True):
        assert x.at(*place) == number


def test_values_is_a_copy() -> None:
    x = Tensor(3)
    x.values()[0] = 5
    assert x.at(0, 0, 0) == 0


def test_transform_replaces_each_element_in_place() -> None:
    array = counting(2, 2, 3)
    seen: list[float] = []
    x = Tensor.from_array(array)
    assert x.transform(lambda value: seen.append(value) or 2 * value + 1) is x
    assert seen == list(range(12))
    assert array.reshape(-1).tolist() == [2 * i + 1 for i in range(12)]


def test_transform_of_an_empty_tensor_calls_nothing() -> None:
    assert Tensor(0, 2, 2).transform(lambda value: 1 / 0).empty


# shape


@quick
@given(shapes, st.booleans())
def test_flatten_agrees_with_the_loop(shape: tuple, row_major: bool) -> None:
    x = counting(*shape)
    assert flatten(x, row_major).tolist() == [x[place] for place in slow_order(shape, row_major)]
    assert Tensor.from_array(x).flatten(row_major).raw_shapes == (x.size,)


@quick
@given(st.permutations([1, 2, 3, 4]).map(lambda sizes: sizes[:3]), st.permutations([0, 1, 2]), st.booleans())
def test_reshape_agrees_with_the_loop(shape: list[int], axes: list[int], row_major: bool) -> None:
    x = counting(*shape)
    target = tuple(shape[axis] for axis in axes)
    expected = np.empty(target, np.float32)
    for to, source in zip(slow_order(target, row_major), slow_order(tuple(shape), row_major), strict=True):
        expected[to] = x[source]
    assert np.array_equal(reshape(x, target, row_major), expected)
    assert np.array_equal(Tensor.from_array(x).reshape(target, row_major).data, expected)


@quick
@given(shapes, pads, st.sampled_from([0.0, 3.14, -np.inf]))
def test_padding_agrees_with_the_loop(shape: tuple, sides: tuple, value: float) -> None:
    x = counting(*shape)
    up, bottom, left, right = sides
    channels, rows, cols = shape
    expected = np.empty((channels, up + rows + bottom, left + cols + right), np.float32)
    for c, i, j in np.ndindex(expected.shape):
        inside = up <= i < up + rows and left <= j < left + cols
        expected[c, i, j] = x[c, i - up, j - left] if inside else value
    assert np.array_equal(padding(x, sides, value), expected)


def test_padding_keeps_the_element_type() -> None:
    assert padding(counting(1, 2, 2, dtype=np.int64), (1, 1, 1, 1), 5).dtype == np.int64


def test_what_changes_the_shape_leaves_the_tensor_as_it_was() -> None:
    x = Tensor.from_array(counting(2, 3, 4))
    x.reshape((4, 3, 2), row_major=False)
    x.flatten()
    x.padding((1, 1, 1, 1), 9)
    assert x.shapes == (2, 3, 4)
    assert x.values().tolist() == list(range(24))


def test_a_row_major_reshape_shares_memory_and_a_column_major_one_does_not() -> None:
    x = Tensor(2, 3, 4)
    assert np.shares_memory(x.reshape((4, 6)).data, x.data)
    assert np.shares_memory(x.flatten().data, x.data)
    assert not np.shares_memory(x.reshape((4, 6), row_major=False).data, x.data)
    assert not np.shares_memory(x.padding((0, 0, 0, 0)).data, x.data)


# text


def test_show_prints_shape_type_and_every_channel(capsys: pytest.CaptureFixture[str]) -> None:
    Tensor.from_array(counting(2, 2, 2)).show()
    printed = capsys.readouterr().out
    assert printed == (
        "Tensor(2, 2, 2, dtype=float32)\nchannel 0:\n[[0. 1.]\n [2. 3.]]\nchannel 1:\n[[4. 5.]\n [6. 7.]]\n"
    )


def test_the_text_of_a_large_tensor_is_short_and_says_what_it_leaves_out() -> None:
    text = str(Tensor(64, 56, 56))
    assert len(text) < 4000
    assert text.endswith("... 56 more channels")


def test_numpy_reads_a_tensor_as_its_array() -> None:
    x = Tensor(2, 3)
    assert np.shares_memory(np.asarray(x), x.data)
    assert np.asarray(x, np.float64).dtype == np.float64


# errors


@pytest.mark.parametrize("shape", [(1, 2, 3, 4), (-1, 2), (2.5,), ("3",), (True,), ([2, -3],), (None, 2)])
def test_a_shape_that_is_not_one_to_three_sizes_is_refused(shape: tuple) -> None:
    with pytest.raises(ShapeError, match="one to three sizes"):
        Tensor(*shape)


@pytest.mark.parametrize("array", [np.zeros(()), np.zeros((1, 2, 3, 4)), 5, [[1, 2], [3]]])
def test_from_array_refuses_what_is_not_one_to_three_axes(array: object) -> None:
    with pytest.raises(ShapeError, match="expected"):
        Tensor.from_array(array)


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([object()])])
def test_from_array_refuses_what_is_no_number(array: np.ndarray) -> None:
    with pytest.raises(InferError) as caught:
        Tensor.from_array(array)
    assert caught.value.status is InferStatus.DTYPE


@pytest.mark.parametrize("sides", [(1, 2, 3), (1, 2, 3, -1), (1, 2, 3, 4, 5), (1, 1, 1, 0.5), 3, None, "1234"])
def test_padding_asks_for_four_numbers(sides: object) -> None:
    with pytest.raises(ShapeError, match="four numbers >= 0: up, bottom, left, right"):
        padding(np.zeros((1, 2, 2)), sides)  # type: ignore[arg-type]


@pytest.mark.parametrize("x", [np.zeros((2, 2)), np.zeros((1, 1, 2, 2)), [1, 2]])
def test_the_functions_ask_for_three_axes(x: np.ndarray) -> None:
    for call in (lambda: padding(x, (0, 0, 0, 0)), lambda: flatten(x), lambda: reshape(x, (4,))):
        with pytest.raises(ShapeError, match="channels, rows, cols"):
            call()


@pytest.mark.parametrize("value", [np.nan, np.inf, "a", None])
def test_a_value_that_the_element_type_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(InferError, match="int64"):
        padding(counting(1, 1, 1, dtype=np.int64), (1, 1, 1, 1), value)  # type: ignore[arg-type]


def test_reshape_to_another_size_says_both() -> None:
    with pytest.raises(ShapeError, match=r"24 elements.*\(5, 5\)"):
        Tensor(2, 3, 4).reshape((5, 5))


@pytest.mark.parametrize("values", [[1, 2, 3], [], np.zeros((3, 3)), [[1, 2], [3]]])
def test_fill_with_another_number_of_values_is_refused(values: object) -> None:
    x = Tensor(2, 2)
    with pytest.raises(ShapeError, match="expected"):
        x.fill(values)
    assert not x.data.any()


@pytest.mark.parametrize("place", [(2, 0, 0), (0, 3, 0), (0, 0, 4), (-1, 0, 0), (0, 0, 0.5)])
def test_an_index_outside_is_refused(place: tuple) -> None:
    x = Tensor(2, 3, 4)
    for call in (lambda: x.at(*place), lambda: x[place], lambda: x.__setitem__(place, 1)):
        with pytest.raises(ShapeError, match=r"whole number from 0 to"):
            call()


@pytest.mark.parametrize("call", [lambda x: x.slice(2), lambda x: x.index(24), lambda x: x.raw_ptr(25), lambda x: x[0]])
def test_slice_index_and_raw_ptr_check_their_bounds(call: object) -> None:
    with pytest.raises(ShapeError, match="expected"):
        call(Tensor(2, 3, 4))  # type: ignore[operator]


def test_an_empty_tensor_has_no_element_to_ask_for() -> None:
    with pytest.raises(ShapeError, match="no element"):
        Tensor().index(0)


def test_read_only_memory_is_not_written() -> None:
    array = counting(2, 3)
    array.flags.writeable = False
    x = Tensor.from_array(array)
    for call in (lambda: x.fill(1), lambda: x.transform(abs), lambda: x.__setitem__((0, 0, 0), 1)):
        with pytest.raises(KuiperError, match="read-only"):
            call()
    assert x.copy().fill(1).values().tolist() == [1] * 6


def test_rand_asks_for_a_floating_type_and_a_seed_that_is_a_number() -> None:
    with pytest.raises(InferError, match="floating"):
        Tensor.rand(2, seed=0, dtype=np.int32)
    with pytest.raises(ShapeError, match="seed"):
        Tensor.rand(2, seed=-1)
    with pytest.raises(InferError, match="dtype"):
        Tensor(2, dtype="nonsense")
