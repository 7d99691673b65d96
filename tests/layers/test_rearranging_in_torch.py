"""Flips, rolls, repetitions and diagonals against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.arrays.diagonals import Diag, DiagEmbed, Diagonal, Trace, Tril, Triu
from kuiper.layers.arrays.rearranging import (
    Flip,
    Repeat,
    RepeatIndices,
    RepeatInterleave,
    Roll,
    Rot90,
    SlidingWindows,
    Tile,
)

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DTYPES = [np.float16, np.float32, np.int64, np.uint8, np.bool_, np.complex64]
SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4)
QUICK = settings(max_examples=50, deadline=None)


def filled(shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def check(layer, x, expected):
    before = x.copy()
    np.testing.assert_array_equal(layer.forward(x), expected.numpy(), strict=True)
    np.testing.assert_array_equal(x, before)


@given(shape=SHAPES, data=st.data(), dtype=st.sampled_from(DTYPES))
@QUICK
def test_flip_roll_and_rot90(shape, data, dtype):
    x = filled(shape, dtype)
    theirs = torch.from_numpy(x)
    dims = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, max_size=4, unique=True))
    check(Flip(dims), x, torch.flip(theirs, dims))
    check(Flip(None), x, torch.flip(theirs, ()))
    shifts = data.draw(st.lists(st.integers(-6, 6), min_size=len(dims), max_size=len(dims)))
    check(Roll(shifts, dims), x, torch.roll(theirs, shifts, dims))
    check(Roll(shifts[0]), x, torch.roll(theirs, shifts[0]))
    if len(dims) > 1:
        check(Rot90(shifts[0], dims[:2]), x, torch.rot90(theirs, shifts[0], dims[:2]))


@given(shape=st.lists(st.integers(0, 3), max_size=3), sizes=st.lists(st.integers(0, 3), max_size=4))
@QUICK
def test_repeat_and_tile(shape, sizes):
    x = filled(shape)
    check(Tile(sizes), x, torch.tile(torch.from_numpy(x), sizes))
    if len(sizes) >= len(shape):
        check(Repeat(sizes), x, torch.from_numpy(x).repeat(sizes))


@given(shape=st.lists(st.integers(1, 4), max_size=3), data=st.data(), times=st.integers(0, 3))
@QUICK
def test_repeat_interleave(shape, data, times):
    x = filled(shape)
    theirs = torch.from_numpy(x)
    check(RepeatInterleave(times), x, torch.repeat_interleave(theirs, times))
    if shape:
        dim = data.draw(st.integers(-len(shape), len(shape) - 1))
        each = data.draw(st.lists(st.integers(0, 3), min_size=shape[dim], max_size=shape[dim]))
        check(RepeatInterleave(times, dim), x, torch.repeat_interleave(theirs, times, dim))
        expected = torch.repeat_interleave(theirs, torch.tensor(each), dim)
        check(RepeatInterleave(np.array(each), dim, sum(each)), x, expected)
        check(RepeatIndices(), np.array(each), torch.repeat_interleave(torch.tensor(each)))


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonals(offset, dtype):
    x = filled([2, 3, 4], dtype)
    theirs = torch.from_numpy(x)
    check(Diag(offset), x[0], torch.diag(theirs[0], offset))
    check(Diag(offset), x[0, 0], torch.diag(theirs[0, 0], offset))
    check(Diagonal(min(max(offset, -1), 2), 0, -1), x, torch.diagonal(theirs, min(max(offset, -1), 2), 0, -1))
    check(DiagEmbed(offset), x, torch.diag_embed(theirs, offset))
    check(DiagEmbed(offset, 0, 2), x[0], torch.diag_embed(theirs[0], offset, 0, 2))
    check(Tril(offset), x, torch.tril(theirs, offset))
    check(Triu(offset), x, torch.triu(theirs, offset))
    if dtype not in (np.bool_, np.float16):
        check(Trace(), x[1], torch.trace(theirs[1]))


@pytest.mark.parametrize(("dim", "size", "step"), [(0, 2, 1), (-1, 3, 2), (1, 1, 3)])
def test_unfold(dim, size, step):
    check(
        SlidingWindows(dim, size, step), filled([3, 4, 5]), torch.from_numpy(filled([3, 4, 5])).unfold(dim, size, step)
    )


@pytest.mark.parametrize(
    "refused",
    [
        lambda: Roll([1, 2]),
        lambda: Roll([1], [0, 1]),
        lambda: Repeat([2]).forward(filled([2, 2])),
        lambda: RepeatInterleave([1, 2], 0).forward(filled([3])),
        lambda: Diag().forward(filled([])),
        lambda: Tril().forward(filled([3])),
        lambda: Trace().forward(filled([3])),
    ],
)
def test_what_pytorch_refuses_is_refused(refused):
    with pytest.raises(KuiperError):
        refused()


class Rearranged(torch.nn.Module):
    def forward(self, x):
        n = x.size(0)
        return (
            *(x.flip(0), torch.roll(x, (n // 2, 1), (0, 1)), torch.roll(x, 1), torch.rot90(x, -1, (1, 2))),
            *(x.repeat(2, n, 1), x.tile((2, n)), x.repeat_interleave(2, 0), x.repeat_interleave(n)),
            *(x[0].diag(), x.diagonal(0, 1, 2), torch.triu(torch.ones(n, n), 1), torch.fliplr(x), x.unfold(1, 2, 1)),
        )


def test_exported_rearrangements_at_another_size(export):
    model, x, y = Rearranged().eval(), torch.rand(3, 4, 4), torch.rand(5, 4, 4)
    graph = kuiper.load(export(model, x, dynamic=(y,)))
    for sample in (x, y):
        for got, expected in zip(graph(sample.numpy()), model(sample), strict=True):
            np.testing.assert_array_equal(got, expected.numpy(), strict=True)
