"""Reductions, statistics and norms against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import InferError
from kuiper.layers.normalization.norms import Cross, Dist, LinalgNorm, MatrixNorm, Norm
from kuiper.layers.reduction.reduction import (
    AllTrue,
    Amax,
    Amin,
    Aminmax,
    AnyTrue,
    CountNonzero,
    LogSumExp,
    Mean,
    NanMean,
    NanSum,
    Prod,
    Sum,
)
from kuiper.layers.reduction.statistics import Std, StdMean, Var, VarMean

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom")  # PyTorch's own

FLOATS = ["f2", "f4", "f8"]
INTEGERS = ["?", "u1", "i4", "i8"]
COMPLEX = ["c8", "c16"]


def agree(got, expected):
    if isinstance(expected, tuple):
        assert isinstance(got, tuple)
        for one, other in zip(got, expected, strict=True):
            agree(one, other)
        return
    expected = expected.numpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    tolerance = 4e-3 if expected.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def sample(dtype, shape, seed, nan=0.0):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(shape) < nan, np.nan, rng.normal(1, 2, shape).round(2))
    if dtype in COMPLEX:
        x = x + 1j * rng.normal(0, 2, shape)
    return np.asarray(np.abs(x) if dtype == "u1" else x).astype(dtype)


SEVERAL = {
    "mean": (Mean, FLOATS + COMPLEX),
    "sum": (Sum, FLOATS + INTEGERS + COMPLEX),
    "nansum": (NanSum, FLOATS + INTEGERS),
    "nanmean": (NanMean, FLOATS),
    "amax": (Amax, FLOATS + INTEGERS),
    "amin": (Amin, FLOATS + INTEGERS),
    "all": (AllTrue, FLOATS + INTEGERS),
    "any": (AnyTrue, FLOATS + INTEGERS),
    "logsumexp": (LogSumExp, FLOATS + INTEGERS + COMPLEX),
    "var": (Var, FLOATS + COMPLEX),
    "std": (Std, FLOATS + COMPLEX),
    "var_mean": (VarMean, FLOATS + COMPLEX),
    "std_mean": (StdMean, FLOATS + COMPLEX),
    "norm": (Norm, FLOATS + COMPLEX),
}


def in_torch(name):
    return torch.linalg.vector_norm if name == "norm" else getattr(torch, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVERAL)
@given(
    data=st.data(),
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    keepdim=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=20, deadline=None)
def test_reductions_over_any_dimensions_are_pytorchs(name, data, shape, keepdim, seed):
    layer, dtypes = SEVERAL[name]
    dims = sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    dims = [dim - len(shape) * data.draw(st.booleans()) for dim in dims]
    dtype = data.draw(st.sampled_from(dtypes))
    x = sample(dtype, shape, seed, nan=0.1 if name.startswith("nan") and dtype in FLOATS else 0.0)
    expected = in_torch(name)(torch.from_numpy(x), dim=tuple(dims), keepdim=keepdim)
    agree(layer(dim=dims, keepdim=keepdim).forward(x), expected)


@pytest.mark.parametrize("shape", [(), (3, 4)])
@pytest.mark.parametrize("name", [name for name in SEVERAL if name != "logsumexp"])
def test_reductions_of_everything_are_pytorchs(name, shape):
    layer, dtypes = SEVERAL[name]
    for dtype in dtypes:
        x = sample(dtype, shape, 1)
        agree(layer().forward(x), in_torch(name)(torch.from_numpy(x)))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + COMPLEX)
@pytest.mark.parametrize("shape", [(), (4,), (3, 5), (2, 0, 3)])
def test_prod_is_pytorchs(dtype, shape):
    x = sample(dtype, shape, 2)
    tx = torch.from_numpy(x)
    agree(Prod().forward(x), torch.prod(tx))
    for dim in range(-len(shape), len(shape)):
        agree(Prod(dim=dim).forward(x), torch.prod(tx, dim))
        agree(Prod(dim=dim, keepdim=True).forward(x), torch.prod(tx, dim, True))


@pytest.mark.parametrize(
    ("layer", "name", "dtype"),
    [(Mean, "mean", "float64")]
    + [
        (layer, name, dtype)
        for layer, name in [(Sum, "sum"), (Prod, "prod"), (NanSum, "nansum")]
        for dtype in ["float32", "float64", "int32"]
    ],
)
def test_a_dtype_is_converted_to_before_reducing(layer, name, dtype):
    x = sample("f4", (3, 4), 0)
    expected = getattr(torch, name)(torch.from_numpy(x), dim=1, dtype=getattr(torch, dtype))
    agree(layer(dim=1, dtype=f"torch.{dtype}").forward(x), expected)


def test_count_nonzero_and_aminmax_are_pytorchs():
    x = np.array([[0, 1, np.nan], [2, 0, 0]], np.float32)
    tx = torch.from_numpy(x)
    for dim in (None, 0, (0, 1)):
        agree(CountNonzero(dim=dim).forward(x), torch.count_nonzero(tx, dim=dim))
    agree(Aminmax(dim=0, keepdim=True).forward(x), tuple(torch.aminmax(tx, dim=0, keepdim=True)))
    agree(Aminmax().forward(x), tuple(torch.aminmax(tx)))


@pytest.mark.parametrize("row", [[np.inf, np.inf], [-np.inf, -np.inf], [np.inf, -np.inf], [np.nan, 1], [1e4, 1e4], []])
def test_logsumexp_neither_overflows_nor_trips_over_infinities(row):
    x = np.array([row], np.float32)
    agree(LogSumExp(dim=1).forward(x), torch.logsumexp(torch.from_numpy(x), 1))


@pytest.mark.parametrize("correction", [0, 1, 2, 5, 0.5])
@pytest.mark.parametrize("shape", [(1,), (2,), (6,), (3, 0)])
@pytest.mark.parametrize(("layer", "name"), [(Var, "var"), (Std, "std"), (VarMean, "var_mean"), (StdMean, "std_mean")])
def test_every_correction_gives_what_pytorch_gives(layer, name, correction, shape):
    x = sample("f4", shape, 5)
    expected = getattr(torch, name)(torch.from_numpy(x), dim=-1, correction=correction)
    agree(layer(dim=[-1], correction=correction).forward(x), expected)
    agree(layer(dim=[-1], unbiased=correction).forward(x), expected)


@pytest.mark.parametrize("p", [2, 1, 0, 3, 0.5, -1, -2.5, float("inf"), float("-inf"), "fro"])
@pytest.mark.parametrize("dtype", [*FLOATS, "c8"])
def test_every_p_gives_the_norm_that_pytorch_gives(p, dtype):
    x = np.abs(sample(dtype, (3, 4, 2), 6)).astype(dtype) + np.array(0.25, dtype)
    tx = torch.from_numpy(x)
    agree(Norm(p=str(p) if p in (np.inf, -np.inf) else p).forward(x), torch.norm(tx, p))
    for dim in (0, -1, (0, 2)):
        agree(Norm(p=p, dim=dim, keepdim=True).forward(x), torch.norm(tx, p, dim, True))


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")])
def test_matrix_norms_are_pytorchs(ord):
    x = sample("f4", (2, 3, 4), 7)
    tx = torch.from_numpy(x)
    agree(MatrixNorm(ord=ord).forward(x), torch.linalg.matrix_norm(tx, ord))
    agree(LinalgNorm(ord=ord, dim=[0, 2], keepdim=True).forward(x), torch.linalg.norm(tx, ord, (0, 2), True))


def test_linalg_norm_without_an_order_reads_all_elements_as_one_vector():
    x = sample("f8", (2, 3, 4), 8)
    agree(LinalgNorm().forward(x), torch.linalg.norm(torch.from_numpy(x)))
    agree(LinalgNorm(ord=3, dim=1).forward(x), torch.linalg.norm(torch.from_numpy(x), 3, 1))


def test_dist_is_pytorchs():
    x, y = sample("f4", (3, 4), 0), sample("f4", (4,), 1)
    for p in (2, 1, 3, float("inf")):
        agree(Dist(p=p).forward(x, y), torch.dist(torch.from_numpy(x), torch.from_numpy(y), p))


@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "c8"])
def test_cross_is_pytorchs(dtype):
    x, y = sample(dtype, (3, 4, 3), 0), sample(dtype, (3, 1, 3), 1)
    for dim in (0, 2, -1):
        agree(Cross(dim=dim).forward(x, y), torch.cross(torch.from_numpy(x), torch.from_numpy(y), dim=dim))


def test_cross_without_a_dim_takes_the_first_dimension_of_size_3():
    x, y = sample("f4", (2, 3, 3), 0), sample("f4", (2, 3, 3), 1)
    agree(Cross().forward(x, y), torch.cross(torch.from_numpy(x), torch.from_numpy(y), dim=1))


@pytest.mark.parametrize("layer", [Std, VarMean, Norm, NanMean])
def test_what_asks_for_floats_refuses_integers(layer):
    with pytest.raises(InferError, match="expected float or complex elements, found int64"):
        layer().forward(np.arange(3))
