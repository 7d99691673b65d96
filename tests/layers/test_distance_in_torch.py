"""normalize, pairwise distance, cosine similarity and cdist against PyTorch."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import InferError, ParameterError
from kuiper.layers.linear.distance import Cdist, CosineSimilarity, Normalize, PairwiseDistance

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional
TOLERANCE = {np.float16: 4e-3, np.float32: 2e-6, np.float64: 1e-12, np.complex64: 2e-6}
POWERS = st.sampled_from([0, 1, 2, 3, 0.5, 2.0, float("inf"), float("-inf")])
SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def numbers(seed: int, *shape: int, dtype=np.float32) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype == np.complex64 else 0)
    return np.asarray(x, dtype)


def check(got, expected, dtype=np.float32):
    got, expected = np.asarray(got), expected.numpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.slow
@given(data=st.data(), shape=SHAPES, p=POWERS, eps=st.sampled_from([1e-12, 0.5]), dtype=st.sampled_from([*TOLERANCE]))
@settings(max_examples=80, deadline=None)
def test_normalize_is_pytorchs_along_any_dimensions(data, shape, p, eps, dtype):
    dims = data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1, max_size=2).map(sorted))
    dim = dims[0] if len(dims) == 1 else tuple(dims)
    x = numbers(0, *shape, dtype=dtype)
    check(Normalize(p, dim, eps).forward(x), F.normalize(torch.from_numpy(x), p, dim, eps), dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_vector_of_zeros_becomes_what_it_becomes_in_pytorch(dtype):
    x = np.zeros((2, 3), dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(Normalize().forward(x), F.normalize(torch.from_numpy(x)), dtype)


def test_normalize_refuses_integers_as_pytorch_does():
    with pytest.raises(RuntimeError):
        F.normalize(torch.ones(2, 3, dtype=torch.int64))
    with pytest.raises(InferError, match="expected float or complex elements, found int64"):
        Normalize().forward(np.ones((2, 3), np.int64))


@given(
    shape=SHAPES,
    one_vector=st.booleans(),
    p=POWERS,
    eps=st.sampled_from([1e-6, 0.5]),
    keepdim=st.booleans(),
    dtype=st.sampled_from([np.float16, np.float32, np.float64]),
)
@settings(max_examples=80, deadline=None)
def test_pairwise_distance_is_pytorchs(shape, one_vector, p, eps, keepdim, dtype):
    x, y = numbers(0, *shape, dtype=dtype), numbers(1, *shape[-1:] if one_vector else shape, dtype=dtype)
    expected = F.pairwise_distance(torch.from_numpy(x), torch.from_numpy(y), p, eps, keepdim)
    check(PairwiseDistance(p, eps, keepdim).forward(x, y), expected, dtype)


@pytest.mark.parametrize(("kind", "other"), [(np.int64, np.int32), (np.float32, np.float64), (np.int64, np.float32)])
def test_element_types_mix_as_in_pytorch(kind, other):
    x, y = np.arange(6).reshape(2, 3).astype(kind), np.arange(6)[::-1].copy().reshape(2, 3).astype(other)
    expected = F.pairwise_distance(torch.from_numpy(x), torch.from_numpy(y))
    check(PairwiseDistance().forward(x, y), expected)


def test_the_power_may_be_written_as_pnnx_writes_infinity_and_nothing_else():
    assert PairwiseDistance("inf", 0.0).forward(np.array([1.0, 5.0]), np.zeros(2)) == 5
    with pytest.raises(ParameterError, match="p: expected a number, inf or -inf, found 'nuc'"):
        Normalize(p="nuc")


@given(data=st.data(), shape=SHAPES, eps=st.sampled_from([1e-8, 2.0]))
@settings(max_examples=40, deadline=None)
def test_cosine_similarity_is_pytorchs(data, shape, eps):
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    x, y = numbers(0, *shape), numbers(1, *(1, *shape[1:]))
    expected = F.cosine_similarity(torch.from_numpy(x), torch.from_numpy(y), dim, eps)
    check(CosineSimilarity(dim, eps).forward(x, y), expected)


@given(
    lead=st.lists(st.integers(1, 3), max_size=2),
    rows=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    p=st.sampled_from([0, 1, 2, 1.5, float("inf")]),
)
@settings(max_examples=40, deadline=None)
def test_cdist_is_pytorchs(lead, rows, p):
    x, y = numbers(0, *lead, rows[0], 3), numbers(1, *lead, rows[1], 3)
    check(Cdist(p).forward(x, y), torch.cdist(torch.from_numpy(x), torch.from_numpy(y), p))


class Distances(torch.nn.Module):
    """The functions of this family, each with some of its options."""

    def forward(self, x, y):
        return [
            *(F.normalize(x), F.normalize(x, 1, -1), F.normalize(x, float("inf"), 2), F.normalize(x, 3, 1, 1e-3)),
            *(F.normalize(x, 0, 1), F.normalize(x[0, 0, 0], dim=0)),
            *(F.pairwise_distance(x, y), F.pairwise_distance(x, y, 1, 1e-3, True)),
            *(F.pairwise_distance(x, y, float("inf")), F.cosine_similarity(x, y), F.cosine_similarity(x, y, 2, 1e-3)),
            *(torch.cdist(x, y), torch.cdist(x, y, 1.0)),
        ]


def test_networks_exported_by_pnnx_give_pytorchs_numbers(export):
    model, x, y = Distances(), torch.randn(2, 6, 4, 4), torch.randn(2, 6, 4, 4)
    got, expected = kuiper.load(export(model, x, y))(x.numpy(), y.numpy()), model(x, y)
    assert len(got) == len(expected)
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-5)
