"""Slices: PNNX's own conventions, and errors."""

import numpy as np
import pytest

from kuiper.errors import ShapeError
from kuiper.layers.arrays.slicing import TO_THE_END, Narrow, Select, Slice, SliceCopy, SliceIndexes, SliceScatter

X = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)


def test_slice_to_the_end_with_a_step():
    y = Slice(dim=2, start=1, end=TO_THE_END, step=2).forward(X)
    np.testing.assert_array_equal(y, X[:, :, 1::2])


def test_slice_without_start_end_or_step_takes_all():
    np.testing.assert_array_equal(Slice(dim=0).forward(X), X)


def test_joined_slices_and_an_index_count_the_dimensions_of_the_input():
    layer = Slice(
        dims=[0, 2, 3], starts=[0, 0, 1], ends=[0, 0, TO_THE_END], steps=[0, 0, 2], selects=[-1, 3, TO_THE_END]
    )
    np.testing.assert_array_equal(layer.forward(X), X[-1, :, 3, 1::2])


def test_a_short_list_of_indexes_belongs_to_the_dimensions_without_a_step():
    layer = Slice(dims=[2, 3], starts=[0, 0], ends=[0, 2], steps=[0, 1], selects=[3])
    np.testing.assert_array_equal(layer.forward(X), X[:, :, 3, 0:2])
    layer = Slice(dims=[1, 2], starts=[1, 0], ends=[3, 0], steps=[1, 0], selects=[3])
    np.testing.assert_array_equal(layer.forward(X), X[:, 1:3, 3])


@pytest.mark.parametrize("indexes", [["@1", 0, "@0"], ["@1", "0", "@0"]])
def test_slice_indexes_fill_in_what_is_known_at_run_time(indexes):
    assert SliceIndexes(indexes=indexes).forward(np.array(4), 9) == [9, 0, 4]


def test_select_takes_a_dimension_out():
    np.testing.assert_array_equal(Select(dim=1, index=-1).forward(X), X[:, -1])
    assert Select(dim=0, index=0).forward(np.array([3.0])).shape == ()


def test_select_refuses_an_index_that_is_not_there():
    with pytest.raises(ShapeError, match=r"index: expected an index of dimension 1 .* found 3"):
        Select(dim=1, index=3).forward(X)


def test_a_single_index_comes_as_select_with_step_zero():
    np.testing.assert_array_equal(Slice(dim=1, start=0, end=0, step=0, select=-1).forward(X), X[:, -1])


def test_slice_copy_broadcasts_and_keeps_the_element_type():
    y = SliceCopy(dims=[0, 3], starts=[0, 1], ends=[0, 3], steps=[0, 1], selects=[1, TO_THE_END]).forward(
        X, np.array(7)
    )
    expected = X.copy()
    expected[1, :, :, 1:3] = 7
    np.testing.assert_array_equal(y, expected, strict=True)


def test_narrow_refuses_a_range_that_is_not_there():
    with pytest.raises(ShapeError, match="start and length: expected a range of dimension 1"):
        Narrow(dim=1, start=2, length=2).forward(X)


def test_slice_scatter_refuses_a_source_of_another_shape():
    with pytest.raises(ShapeError, match=r"src: expected shape \(1, 3, 4, 5\)"):
        SliceScatter(dim=0, start=0, end=1).forward(X, X)
