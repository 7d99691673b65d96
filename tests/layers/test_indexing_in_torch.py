"""Indexing against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.arrays.indexing import Gather, Index, IndexSelect, MaskedSelect, Nonzero, Take, TakeAlongDim, Where

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DTYPES = [np.float16, np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_, np.complex64]
SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4)
QUICK = settings(max_examples=50, deadline=None)


def filled(shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def same(got, expected):
    np.testing.assert_array_equal(got, expected.numpy(), strict=True)


def tensor(value):
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


INDICES = [
    [[0, 2]],
    [None, [1, 1, 0]],
    [None, None, [3]],
    [[0, 1], [1, 2]],
    [[0, 1], None, [1, -2]],
    [None, [0, 1], [1, 3]],
    [[[0], [1]], [1, 2, 0]],
    [1],
    [1, None, [0, 1]],
    [[True, False]],
    [None, [True, False, True]],
    [[True, True], [0, 1]],
    [[[True, False, True], [False, True, False]]],
    [[[True, False, True], [False, True, False]], [0, 1, 2]],
    [[False, False]],
]


@pytest.mark.parametrize("indices", INDICES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_index(indices, dtype):
    x = filled([2, 3, 4], dtype)
    mine = [None if i is None else np.array(i) for i in indices]
    mine = [i % 2 if i is not None and i.dtype == int and d == 0 else i for d, i in enumerate(mine)]
    theirs = [None if i is None else torch.tensor(i) for i in mine]
    same(Index(mine).forward(x), torch.ops.aten.index(torch.from_numpy(x), theirs))


@given(shape=SHAPES, data=st.data(), dtype=st.sampled_from(DTYPES))
@QUICK
def test_index_select_gather_take(shape, data, dtype):
    x = filled(shape, dtype)
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    row = data.draw(hnp.arrays(np.int64, st.integers(0, 5), elements=st.integers(0, shape[dim] - 1)))
    same(IndexSelect(dim, row).forward(x), torch.index_select(tensor(x), dim, tensor(row)))
    sizes = [data.draw(st.integers(0, n)) for n in shape]
    sizes[dim] = data.draw(st.integers(0, 5))
    index = data.draw(hnp.arrays(np.int64, sizes, elements=st.integers(0, shape[dim] - 1)))
    same(Gather(dim, index).forward(x), torch.gather(tensor(x), dim, tensor(index)))
    anywhere = data.draw(hnp.arrays(np.int64, (2, 3), elements=st.integers(-x.size, x.size - 1)))
    same(Take(anywhere).forward(x), torch.take(tensor(x), tensor(anywhere)))
    broadcast = [data.draw(st.sampled_from([1, n])) for n in shape]
    broadcast[dim] = 2
    along = data.draw(hnp.arrays(np.int64, broadcast, elements=st.integers(0, shape[dim] - 1)))
    same(TakeAlongDim(along, dim).forward(x), torch.take_along_dim(tensor(x), tensor(along), dim))
    same(TakeAlongDim(along).forward(x), torch.take_along_dim(tensor(x), tensor(along)))


def test_inputs_without_dimensions():
    x, zero = np.array(3.0, np.float32), np.array(0)
    same(IndexSelect(0, np.array([0])).forward(x), torch.index_select(tensor(x), 0, torch.tensor([0])))
    same(Gather(0, zero).forward(x), torch.gather(tensor(x), 0, tensor(zero)))
    same(Gather(0, np.array([0, 0])).forward(x), torch.gather(tensor(x), 0, torch.tensor([0, 0])))
    same(MaskedSelect().forward(x, np.array(True)), torch.masked_select(tensor(x), torch.tensor(True)))
    same(Nonzero().forward(x), torch.nonzero(tensor(x)))


@given(shape=SHAPES, data=st.data(), dtype=st.sampled_from(DTYPES))
@QUICK
def test_masked_select_and_nonzero(shape, data, dtype):
    x = filled(shape, dtype)
    mask = data.draw(hnp.arrays(np.bool_, [data.draw(st.sampled_from([1, n])) for n in shape]))
    same(MaskedSelect().forward(x, mask), torch.masked_select(tensor(x), tensor(mask)))
    same(Nonzero().forward(x), torch.nonzero(tensor(x)))


VALUES = [1, 0.1, True, -3, float("-inf"), *(filled([2, 1], d) for d in DTYPES), *(filled([3], d) for d in DTYPES)]
VALUES += [np.array(2, d) for d in DTYPES]


@given(a=st.sampled_from(VALUES), b=st.sampled_from(VALUES))
@QUICK
def test_where_of_arrays_and_numbers_of_any_type(a, b):
    condition = np.array([[True, False, True], [False, False, True]])
    expected = torch.where(tensor(condition), tensor(a), tensor(b))
    if expected.dtype == torch.complex32:  # of float16 and a complex number; numpy has no such type
        expected = expected.to(torch.complex64)
    same(Where(condition, a, b).forward(), expected)


X = filled([2, 3])


@pytest.mark.parametrize(
    "refused",
    [
        lambda: IndexSelect(0, np.array([2])).forward(X),
        lambda: IndexSelect(0, np.array([-1])).forward(X),
        lambda: IndexSelect(0, np.array([[1]])).forward(X),
        lambda: IndexSelect(0, np.array([1.0])).forward(X),
        lambda: Gather(1, np.array([[3]])).forward(X),
        lambda: Gather(1, np.array([[-1]])).forward(X),
        lambda: Gather(1, np.zeros((3, 1), int)).forward(X),
        lambda: Gather(1, np.zeros(1, int)).forward(X),
        lambda: MaskedSelect().forward(X, np.ones((2, 3))),
        lambda: Where(np.array([1]), X, X).forward(),
        lambda: Index([np.array([0.5])]),
        lambda: Index("[0,"),
    ],
)
def test_what_pytorch_refuses_is_refused(refused):
    with pytest.raises(KuiperError):
        refused()


class Indexing(torch.nn.Module):
    def forward(self, x, i, j):
        mask = x > 0.5
        return (
            *(x[i], x[i, :, j], x[:, i], x[:, None, i], x[mask], x[[0, 2]], x[:, [True, False, True]]),
            *(torch.index_select(x, 1, i), torch.gather(x, 0, i.view(1, 3, 1)), torch.masked_select(x, mask)),
            *(torch.where(mask, x, 0.0), torch.where(mask, 1, x.long()), torch.where(mask, -x, x[0])),
            torch.take_along_dim(x, i.view(3, 1, 1), 1),
        )


def test_exported_indexing(export):
    model, x = Indexing().eval(), torch.linspace(0, 1, 36).view(3, 3, 4)
    inputs = x, torch.tensor([2, 0, 1]), torch.tensor([0, 3, 3])
    graph = kuiper.load(export(model, *inputs))
    for got, expected in zip(graph(*(value.numpy() for value in inputs)), model(*inputs), strict=True):
        same(got, expected)
