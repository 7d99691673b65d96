"""Joining and splitting: worked numbers, numbers of parts, errors."""

import numpy as np
import pytest

from kuiper.errors import InferError, ParameterError, ShapeError
from kuiper.layers.arrays.joining import Cat, Chunk, Split, Stack, TensorSplit, Unbind

A = np.array([[1, 2], [3, 4]])


def shapes(parts):
    return [part.shape for part in parts]


def test_cat_joins_along_channels_not_along_the_batch():
    x, y = np.zeros((2, 3, 4, 4)), np.ones((2, 1, 4, 4))
    z = Cat(dim=1).forward(x, y)
    assert z.shape == (2, 4, 4, 4)
    assert z[:, :3].max() == 0
    assert z[:, 3].min() == 1


def test_cat_of_one_input_and_of_one_input_twice():
    assert Cat(dim=1).forward(A).tolist() == A.tolist()
    assert Cat(dim=-1).forward(A, A).tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]


def test_cat_takes_a_list_that_arrives_as_one_value():
    assert Cat().forward([A, A]).shape == (4, 2)


def test_cat_names_the_input_that_does_not_fit():
    with pytest.raises(ShapeError, match=r"input 2: expected shape \(1, any, 8, 8\), .* found \(1, 3, 8, 7\)"):
        Cat(dim=1).forward(np.zeros((1, 3, 8, 8)), np.zeros((1, 5, 8, 8)), np.zeros((1, 3, 8, 7)))


@pytest.mark.parametrize("shape", [(2, 2, 1), (2,), ()])
def test_cat_refuses_inputs_of_different_rank(shape):
    with pytest.raises(ShapeError, match="input 1"):
        Cat(dim=0).forward(A, np.zeros(shape))


def test_cat_refuses_a_dimension_that_is_not_there():
    with pytest.raises(ShapeError, match="a dimension 2"):
        Cat(dim=2).forward(A, A)


def test_cat_of_nothing_is_an_error():
    with pytest.raises(InferError, match="one array at least"):
        Cat().forward([])


def test_cat_skips_an_input_of_shape_0_but_counts_its_type():
    y = Cat(dim=1).forward(np.zeros(0, np.float32), A)
    assert y.tolist() == A.tolist()
    assert y.dtype == np.float32


def test_stack_makes_a_new_dimension():
    assert Stack(dim=-1).forward(A, A + 4).tolist() == [[[1, 5], [2, 6]], [[3, 7], [4, 8]]]


def test_stack_refuses_shapes_that_differ():
    with pytest.raises(ShapeError, match=r"input 1: expected shape \(2, 2\)"):
        Stack().forward(A, A[:1])


def test_split_by_size_leaves_the_rest_to_the_last():
    assert shapes(Split(2, dim=1).forward(np.zeros((3, 5)))) == [(3, 2), (3, 2), (3, 1)]


@pytest.mark.parametrize("sections", [[1, 0, 4], np.array([1, 0, 4])])
def test_split_by_sections(sections):
    assert shapes(Split(sections, dim=-1).forward(np.zeros((3, 5)))) == [(3, 1), (3, 0), (3, 4)]


def test_split_names_sections_that_do_not_add_up():
    with pytest.raises(ShapeError, match=r"sizes that add up to 5, found \(2, 2\)"):
        Split([2, 2], dim=1).forward(np.zeros((3, 5)))


def test_split_refuses_parts_of_size_0():
    with pytest.raises(ParameterError, match="split_size_or_sections"):
        Split(0).forward(A)


def test_chunk_gives_fewer_parts_than_asked_where_they_do_not_fill():
    assert [part.tolist() for part in Chunk(4).forward(np.arange(6))] == [[0, 1], [2, 3], [4, 5]]
    assert shapes(Chunk(3, dim=1).forward(np.zeros((2, 0)))) == [(2, 0)] * 3


def test_chunk_needs_a_positive_number():
    with pytest.raises(ParameterError, match="chunks"):
        Chunk(0)


def test_tensor_split_makes_the_first_parts_longer():
    assert shapes(TensorSplit(sections=3).forward(np.zeros(5))) == [(2,), (2,), (1,)]


def test_tensor_split_cuts_at_indices():
    assert [part.tolist() for part in TensorSplit(indices=[1, 3]).forward(np.arange(4))] == [[0], [1, 2], [3]]


def test_unbind_takes_a_dimension_apart():
    assert [part.tolist() for part in Unbind(dim=1).forward(A)] == [[1, 3], [2, 4]]
    assert all(isinstance(part, np.ndarray) for part in Unbind().forward(np.arange(3)))


@pytest.mark.parametrize("layer", [Split(2), Split([2]), Chunk(1), TensorSplit(sections=1), Unbind(dim=2)])
def test_a_single_part_is_the_array_itself(layer):
    part = layer.forward(np.zeros((2, 3, 1)))
    assert isinstance(part, np.ndarray)
