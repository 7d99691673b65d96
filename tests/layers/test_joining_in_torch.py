"""Joining and splitting against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.layers.arrays.joining import (
    BroadcastTensors,
    Cat,
    Chunk,
    ColumnStack,
    Dstack,
    Hstack,
    Meshgrid,
    Split,
    Stack,
    TensorSplit,
    Unbind,
    Vstack,
)

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DTYPES = [np.float16, np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_, np.complex64]
QUICK = settings(max_examples=50, deadline=None)
SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4)


def filled(shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def same(got, expected):
    assert got.dtype == expected.numpy().dtype
    np.testing.assert_array_equal(got, expected.numpy(), strict=True)


def same_parts(got, expected):
    got = (got,) if isinstance(got, np.ndarray) else got
    assert len(got) == len(expected)
    for mine, theirs in zip(got, expected):
        same(mine, theirs)


@given(shape=SHAPES, data=st.data())
@QUICK
def test_cat_of_any_sizes_and_types(shape, data):
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    arrays = []
    for size in sizes:
        one = list(shape)
        one[dim] = size
        arrays.append(filled(one, data.draw(st.sampled_from(DTYPES))))
    if data.draw(st.booleans()):
        arrays.insert(data.draw(st.integers(0, len(arrays))), np.zeros(0, data.draw(st.sampled_from(DTYPES))))
    same(Cat(dim).forward(*arrays), torch.cat([torch.from_numpy(x) for x in arrays], dim))


@given(shape=SHAPES, dtypes=st.lists(st.sampled_from(DTYPES), min_size=1, max_size=3), data=st.data())
@QUICK
def test_stack_of_any_types(shape, dtypes, data):
    dim = data.draw(st.integers(-len(shape) - 1, len(shape)))
    arrays = [filled(shape, dtype) for dtype in dtypes]
    same(Stack(dim).forward(*arrays), torch.stack([torch.from_numpy(x) for x in arrays], dim))


@given(shape=SHAPES, data=st.data(), number=st.integers(1, 6))
@QUICK
def test_split_chunk_tensor_split_and_unbind(shape, data, number):
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = filled(shape)
    theirs = torch.from_numpy(x)
    same_parts(Split(number, dim).forward(x), torch.split(theirs, number, dim))
    same_parts(Chunk(number, dim).forward(x), torch.chunk(theirs, number, dim))
    same_parts(TensorSplit(sections=number, dim=dim).forward(x), torch.tensor_split(theirs, number, dim))
    same_parts(Unbind(dim).forward(x), torch.unbind(theirs, dim))


@given(sections=st.lists(st.integers(0, 3), min_size=1, max_size=4), dim=st.sampled_from([0, 1, -1]))
@QUICK
def test_split_by_sections(sections, dim):
    shape = [2, 2]
    shape[dim] = sum(sections)
    x = filled(shape)
    same_parts(Split(sections, dim).forward(x), torch.split(torch.from_numpy(x), sections, dim))


@given(indices=st.lists(st.integers(-6, 6), min_size=1, max_size=4))
@QUICK
def test_tensor_split_at_any_indices(indices):
    x = filled([5, 2])
    same_parts(TensorSplit(indices=indices).forward(x), torch.tensor_split(torch.from_numpy(x), indices, 0))


@given(shape=st.lists(st.integers(1, 3), max_size=4), dtypes=st.lists(st.sampled_from(DTYPES), min_size=1, max_size=3))
@QUICK
def test_the_stacks_that_choose_their_dimension(shape, dtypes):
    arrays = [filled(shape, dtype) for dtype in dtypes]
    theirs = [torch.from_numpy(x) for x in arrays]
    for mine, reference in (
        (Hstack(), torch.hstack),
        (Vstack(), torch.vstack),
        (Dstack(), torch.dstack),
        (ColumnStack(), torch.column_stack),
    ):
        same(mine.forward(arrays), reference(theirs))


@pytest.mark.parametrize("indexing", ["ij", "xy"])
@pytest.mark.parametrize("sizes", [[3], [2, 3], [2, 3, 4]])
def test_meshgrid(sizes, indexing):
    arrays = [filled([n]) for n in sizes]
    expected = torch.meshgrid(*map(torch.from_numpy, arrays), indexing=indexing)
    same_parts(Meshgrid(indexing).forward(arrays), expected)


def test_broadcast_tensors():
    arrays = [filled([2, 1]), filled([3], np.int64)]
    same_parts(BroadcastTensors().forward(arrays), torch.broadcast_tensors(*map(torch.from_numpy, arrays)))


def test_numbers_are_joined_like_arrays_without_dimensions():
    same(Stack().forward([2, 3]), torch.stack([torch.tensor(2), torch.tensor(3)]))
