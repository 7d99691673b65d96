"""Slices against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.layers.arrays.slicing import AsStrided, Narrow, Select, SelectScatter, Slice, SliceCopy, SliceScatter

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4)
QUICK = settings(max_examples=50, deadline=None)
BOUND = st.integers(-6, 6)


def filled(shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def check(layer, inputs, expected):
    before = [x.copy() for x in inputs]
    np.testing.assert_array_equal(layer.forward(*inputs), expected.numpy(), strict=True)
    for x, old in zip(inputs, before):
        np.testing.assert_array_equal(x, old)


@given(shape=SHAPES, data=st.data(), start=BOUND, end=BOUND, step=st.integers(1, 3))
@QUICK
def test_slice_and_its_replacement(shape, data, start, end, step):
    x = filled(shape)
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    expected = torch.ops.aten.slice(torch.from_numpy(x), dim, start, end, step)
    check(Slice(dim=dim, start=start, end=end, step=step), [x], expected)
    src = -filled(expected.shape) - 1
    replaced = torch.slice_scatter(torch.from_numpy(x), torch.from_numpy(src), dim, start, end, step)
    check(SliceScatter(dim, start, end, step), [x, src], replaced)
    check(SliceCopy(dim, start, end, step), [x, src], replaced)


@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=4), data=st.data())
@QUICK
def test_select_narrow_and_select_scatter(shape, data):
    x = filled(shape)
    theirs = torch.from_numpy(x)
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    index = data.draw(st.integers(-shape[dim], shape[dim] - 1))
    check(Select(dim, index), [x], torch.select(theirs, dim, index))
    src = np.full(Select(dim, index).forward(x).shape, -1, np.float32)
    check(SelectScatter(dim, index), [x, src], torch.select_scatter(theirs, torch.from_numpy(src), dim, index))
    start = data.draw(st.integers(-shape[dim], shape[dim]))
    length = data.draw(st.integers(0, shape[dim] - (start + shape[dim] if start < 0 else start)))
    check(Narrow(dim, start, length), [x], torch.narrow(theirs, dim, start, length))


@pytest.mark.parametrize(
    ("size", "stride", "offset"), [([2, 3], [1, 2], None), ([3], [4], 3), ([2, 2, 2], [0, 3, 1], 1), ([], [], 5)]
)
def test_as_strided(size, stride, offset):
    x = filled([3, 4])
    check(AsStrided(size, stride, offset), [x], torch.as_strided(torch.from_numpy(x), size, stride, offset).clone())


class Taken(torch.nn.Module):
    def forward(self, x):
        n = x.size(0)
        return x[n - 1], x[n - 2 :, 1:, -1], x[..., ::2], torch.narrow(x, 0, n - 2, 2)


class Replaced(torch.nn.Module):
    def forward(self, x):
        filled, copied = x.clone(), x.clone()
        filled[:, 1:3] = 5
        copied[..., 0] = x[:, :, 1]
        return filled, copied, torch.slice_scatter(x, x[:, :1], 1, 2, 3), torch.select_scatter(x, x[:, 0], 1, -1)


@pytest.mark.parametrize("model", [Taken().eval(), Replaced().eval()], ids=["taken", "replaced"])
def test_exported_slices_at_another_size(model, export):
    x, y = torch.rand(3, 4, 4), torch.rand(5, 4, 4)
    graph = kuiper.load(export(model, x, dynamic=(y,)))
    for sample in (x, y):
        for got, expected in zip(graph(sample.numpy()), model(sample), strict=True):
            np.testing.assert_array_equal(got, expected.numpy(), strict=True)
