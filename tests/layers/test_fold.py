"""Unfold and Fold compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.image.fold import Fold, Unfold

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

SMALL = st.integers(1, 3)
PAIRS = st.one_of(SMALL, st.tuples(SMALL, SMALL))
PADS = st.one_of(st.integers(0, 2), st.tuples(st.integers(0, 2), st.integers(0, 2)))
OPTIONS = st.fixed_dictionaries({"kernel_size": PAIRS, "dilation": PAIRS, "padding": PADS, "stride": PAIRS})
BATCHES = st.sampled_from([(), (1,), (2,)])


def same_or_both_refuse(ours, theirs, **tolerance: float) -> None:
    """Either PyTorch computes and we compute the same, or it raises and we raise a KuiperError."""
    try:
        expected = theirs().numpy()
    except (RuntimeError, ValueError):
        with pytest.raises(KuiperError):
            ours()
        return
    found = ours()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, **{"rtol": 1e-12, "atol": 1e-12, **tolerance})


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(batch=BATCHES, size=st.tuples(st.integers(1, 7), st.integers(1, 7)), options=OPTIONS)
def test_unfold_is_pytorchs_for_every_option(batch, size, options):
    x = np.random.default_rng(0).standard_normal((*batch, 2, *size))
    same_or_both_refuse(lambda: Unfold(**options).forward(x), lambda: F.unfold(torch.from_numpy(x), **options))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    batch=BATCHES, size=PAIRS.map(lambda n: np.add(n, 4).tolist()), options=OPTIONS, off=st.sampled_from([0] * 9 + [1])
)
def test_fold_is_pytorchs_for_every_option(batch, size, options, off):
    height, width = size if isinstance(size, list) else (size, size)
    try:
        rows, count = Unfold(**options).forward(np.zeros((3, height, width))).shape
    except KuiperError:
        rows, count = 9, 4
    x = np.random.default_rng(0).standard_normal((*batch, rows + off, count))
    same_or_both_refuse(lambda: Fold(size, **options).forward(x), lambda: F.fold(torch.from_numpy(x), size, **options))


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "bool", "int64"])
def test_both_take_the_types_that_pytorch_takes(dtype):
    x = np.random.default_rng(0).integers(0, 9, (1, 2, 6, 6)).astype(dtype)
    same_or_both_refuse(lambda: Unfold(3).forward(x), lambda: F.unfold(torch.from_numpy(x), 3))
    columns = np.random.default_rng(0).integers(0, 3, (1, 18, 16)).astype(dtype)
    same_or_both_refuse(lambda: Fold(6, 3).forward(columns), lambda: F.fold(torch.from_numpy(columns), 6, 3))


@pytest.mark.parametrize("shape", [(18,), (1, 1, 18, 16), (1, 17, 16), (1, 18, 15), (1, 18, 0)])
def test_fold_says_which_shape_it_expects(shape):
    with pytest.raises(KuiperError, match=r"Fold input: expected \(.*found \("):
        Fold(6, 3).forward(np.zeros(shape))


def test_unfold_then_fold_counts_the_windows_over_each_pixel():
    x = np.arange(16.0).reshape(1, 1, 4, 4)
    counted = Fold(4, 3).forward(Unfold(3).forward(np.ones_like(x)))
    np.testing.assert_array_equal(Fold(4, 3).forward(Unfold(3).forward(x)), counted * x)
    assert counted.sum() == math.prod((2, 2, 3, 3))


class Network(torch.nn.Module):
    """Image to columns and back, to a size that another input decides."""

    def __init__(self) -> None:
        super().__init__()
        self.unfold, self.fold = torch.nn.Unfold((2, 3), padding=(1, 2)), torch.nn.Fold(5, 2, stride=3)

    def forward(self, x, columns):
        back = F.fold(F.unfold(x, 3, dilation=2, padding=2), (x.shape[2], x.shape[3]), 3, dilation=2, padding=2)
        return self.unfold(x), back, self.fold(columns)


def test_both_run_as_pnnx_exports_them(export):
    model = Network().eval()
    small, large = ((torch.rand(n, 2, 6, size), torch.rand(n, 8, 4)) for n, size in ((1, 7), (2, 9)))
    graph = kuiper.load(export(model, *small, dynamic=large))
    for inputs in (small, large):
        for found, expected in zip(graph(*(i.numpy() for i in inputs)), model(*inputs), strict=True):
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)
