"""Scatter, index_put and masked_fill against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.arrays.scatter import (
    IndexAdd,
    IndexCopy,
    IndexFill,
    IndexPut,
    MaskedFill,
    MaskedScatter,
    Scatter,
    ScatterAdd,
)

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DTYPES = [np.float32, np.float64, np.int32, np.int64, np.uint8]
SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3)
QUICK = settings(max_examples=50, deadline=None)


def filled(shape, dtype=np.float32, start=0):
    return (start + np.arange(np.prod(shape, dtype=int))).reshape(shape).astype(dtype)


def same(got, expected):
    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-12 if got.dtype == np.float64 else 1e-6, strict=True)


def tensor(value):
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


@given(shape=SHAPES, data=st.data(), dtype=st.sampled_from(DTYPES), include_self=st.booleans())
@QUICK
def test_scatter_in_all_its_forms(shape, data, dtype, include_self):
    x = filled(shape, dtype)
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = [data.draw(st.integers(0, n)) for n in shape]
    sizes[dim] = data.draw(st.integers(0, 5))
    index = data.draw(hnp.arrays(np.int64, sizes, elements=st.integers(0, shape[dim] - 1)))
    src = filled([n + 1 for n in sizes], dtype, 50)
    before = x.copy()
    same(ScatterAdd(dim, index, src).forward(x), torch.scatter_add(tensor(x), dim, tensor(index), tensor(src)))
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        expected = torch.scatter_reduce(tensor(x), dim, tensor(index), tensor(src), reduce, include_self=include_self)
        same(Scatter(dim, index, src, reduce=reduce, include_self=include_self).forward(x), expected)
    same(Scatter(dim, index, value=7).forward(x), torch.scatter(tensor(x), dim, tensor(index), 7))
    once = filled(x.shape, np.int64) * 0 + np.arange(shape[dim]).reshape(
        [-1 if d == dim % x.ndim else 1 for d in range(x.ndim)]
    )
    same(Scatter(dim, once, x + 1).forward(x), torch.scatter(tensor(x), dim, tensor(once), tensor(x + 1)))
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_index_add_copy_and_fill(dtype, dim):
    x, index = filled([3, 4, 3], dtype), np.array([2, 0, 2])
    shape = list(x.shape)
    shape[dim] = 3
    source = filled(shape, dtype, 40)
    t, i, s = tensor(x), tensor(index), tensor(source)
    same(IndexAdd(dim, index, source).forward(x), torch.index_add(t, dim, i, s))
    same(IndexAdd(dim, index, source, alpha=2).forward(x), torch.index_add(t, dim, i, s, alpha=2))
    two = source.take([0, 1], dim)
    same(IndexCopy(dim, index[:2], two).forward(x), torch.index_copy(t, dim, i[:2], tensor(two)))
    same(IndexFill(dim, np.array([-1, 0]), 9).forward(x), torch.index_fill(t, dim, torch.tensor([-1, 0]), 9))


INDICES = [
    [[0, 1]],
    [None, [2, 0]],
    [[0, 1, 0], [1, 2, 1]],
    [[1, 0], None, [0, 3]],
    [[[0], [1]], [1, 2]],
    [[True, False]],
]


@pytest.mark.parametrize("indices", INDICES, ids=str)
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_index_put(indices, accumulate, dtype):
    x = filled([2, 3, 4], dtype)
    mine = [None if i is None else np.array(i) for i in indices]
    theirs = [None if i is None else torch.tensor(i) for i in indices]
    value = np.array(1, dtype)
    expected = torch.ops.aten.index_put(tensor(x), theirs, tensor(value), accumulate)
    same(IndexPut(mine, value, accumulate).forward(x), expected)
    same(IndexPut(mine, 1, accumulate).forward(x), expected)


@given(shape=SHAPES, data=st.data(), dtype=st.sampled_from([*DTYPES, np.bool_]))
@QUICK
def test_masked_fill_and_masked_scatter(shape, data, dtype):
    x = filled(shape, dtype)
    mask = data.draw(hnp.arrays(np.bool_, [data.draw(st.sampled_from([1, n])) for n in shape]))
    same(MaskedFill(mask, 3.3).forward(x), tensor(x).masked_fill(tensor(mask), 3.3))
    same(MaskedFill(mask, np.array(1.5)).forward(x), tensor(x).masked_fill(tensor(mask), torch.tensor(1.5)))
    source = filled([x.size], dtype, 70)
    same(MaskedScatter().forward(x, mask, source), tensor(x).masked_scatter(tensor(mask), tensor(source)))


def test_masked_fill_broadcasts_x_too():
    x, mask = filled([3]), np.array([[True], [False]])
    same(MaskedFill(mask, "-inf").forward(x), tensor(x).masked_fill(tensor(mask), float("-inf")))


X = filled([2, 3])


@pytest.mark.parametrize(
    "refused",
    [
        lambda: ScatterAdd(0, np.array([[2]]), X).forward(X),
        lambda: ScatterAdd(0, np.array([[-1]]), X).forward(X),
        lambda: ScatterAdd(0, np.array([[0]]), X.astype(float)).forward(X),
        lambda: ScatterAdd(0, np.zeros((1, 4), int), filled([2, 4])).forward(X),
        lambda: ScatterAdd(0, np.zeros((3, 3), int), X).forward(X),
        lambda: Scatter(0, np.array([[0]]), X, reduce="median"),
        lambda: Scatter(0, np.array([[0]])).forward(X),
        lambda: IndexPut([np.array([0])], np.array(1)).forward(X),
        lambda: MaskedFill(np.ones((2, 3)), 1),
        lambda: MaskedFill(X > 1, np.ones(1)),
        lambda: MaskedFill(X > 1, "a"),
        lambda: MaskedScatter().forward(X, X > 1, filled([3])),
        lambda: IndexAdd(0, np.array([2]), X[:1]).forward(X),
        lambda: IndexCopy(0, np.array([-1]), X[:1]).forward(X),
    ],
)
def test_what_pytorch_refuses_is_refused(refused):
    with pytest.raises(KuiperError):
        refused()


class Scatters(torch.nn.Module):
    def forward(self, x, i):
        put, added, masked = x.clone(), x.clone(), x.clone()
        put[i, :, 0] = x[:, 0, :3]
        added.index_put_((i, i), torch.tensor(10.0), accumulate=True)
        masked[x > 0.5] = 0.0
        index = i.view(3, 1, 1).expand(3, 2, 2)
        return (
            *(put, added, masked, x.masked_fill(x > 0.5, float("-inf"))),
            *(torch.scatter_add(x, 1, index, x), torch.scatter(x, 2, index, 2.0), torch.scatter(x, 0, index, x)),
            *(torch.index_add(x, 0, i, x), torch.scatter_reduce(x, 1, index, x, "mean"), x.clone().fill_(7)),
        )


def test_exported_scatter(export):
    model, inputs = Scatters().eval(), (torch.linspace(0, 1, 36).view(3, 3, 4), torch.tensor([2, 0, 1]))
    graph = kuiper.load(export(model, *inputs))
    for got, expected in zip(graph(*(value.numpy() for value in inputs)), model(*inputs), strict=True):
        same(got, expected)
