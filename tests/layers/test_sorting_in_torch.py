"""Extremes, sorting and cumulative operations against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import ParameterError
from kuiper.layers.reduction.cumulative import Cummax, Cummin, Cumprod, Cumsum, LogCumsumExp
from kuiper.layers.reduction.extremes import Argmax, Argmin, Max, Min
from kuiper.layers.reduction.sorting import Argsort, Kthvalue, Median, Mode, Msort, NanMedian, Sort, Topk

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

FLOATS = ["f2", "f4", "f8"]
INTEGERS = ["u1", "i4", "i8"]


def agree(got, expected):
    if not isinstance(expected, torch.Tensor):
        assert isinstance(got, tuple)
        for one, other in zip(got, expected, strict=True):
            agree(one, other)
        return
    expected = expected.numpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    tolerance = 2e-3 if expected.dtype == np.float16 else 1e-6
    np.testing.assert_allclose(got, expected, rtol=tolerance)


@st.composite
def samples(draw, dtypes, nan=0.1):
    """An array of few different numbers, so that equals are frequent, and one of its dimensions."""
    shape = draw(st.lists(st.integers(1, 6), max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    dtype = draw(st.sampled_from(dtypes))
    x = np.asarray(rng.integers(0, 4, shape)).astype(dtype)
    if dtype in FLOATS:
        x = np.where(rng.random(shape) < nan, dtype_nan(dtype), x)
    return x, draw(st.integers(-max(len(shape), 1), max(len(shape), 1) - 1))


def dtype_nan(dtype):
    return np.dtype(dtype).type(np.nan)


@given(samples([*FLOATS, *INTEGERS, "?"]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_max_and_min_are_pytorchs_the_first_of_equals_and_nan_before_all(sample, keepdim):
    x, dim = sample
    tx = torch.from_numpy(x)
    agree(Max(dim=dim, keepdim=keepdim).forward(x), torch.max(tx, dim, keepdim))
    agree(Min(dim=dim, keepdim=keepdim).forward(x), torch.min(tx, dim, keepdim))
    agree(Max().forward(x), torch.max(tx))
    agree(Min().forward(x), torch.min(tx))


@pytest.mark.slow
@given(samples([*FLOATS, *INTEGERS]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_argmax_and_argmin_are_pytorchs(sample, keepdim):
    x, dim = sample
    tx = torch.from_numpy(x)
    for place in (dim, None):
        agree(Argmax(dim=place, keepdim=keepdim).forward(x), torch.argmax(tx, place, keepdim))
        agree(Argmin(dim=place, keepdim=keepdim).forward(x), torch.argmin(tx, place, keepdim))


@given(samples([*FLOATS, *INTEGERS, "?"]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_sorting_is_pytorchs_stable_one(sample, descending):
    x, dim = sample
    expected = torch.sort(torch.from_numpy(x), dim=dim, descending=descending, stable=True)
    agree(Sort(dim=dim, descending=descending).forward(x), expected)
    agree(Argsort(dim=dim, descending=descending).forward(x), expected.indices)
    if x.ndim:
        agree(Msort().forward(x), torch.msort(torch.from_numpy(x)))


@pytest.mark.slow
@given(samples([*FLOATS, *INTEGERS]), st.booleans(), st.data())
@settings(max_examples=80, deadline=None)
def test_topk_has_pytorchs_values_and_its_indices_lead_to_them(sample, largest, data):
    x, dim = sample
    k = data.draw(st.integers(0, x.shape[dim] if x.ndim else 1))
    values, indices = Topk(k=k, dim=dim, largest=largest).forward(x)
    expected = torch.topk(torch.from_numpy(x), k, dim, largest)
    agree(values, expected.values)
    assert (indices.dtype, indices.shape) == (np.int64, values.shape)
    if x.ndim:
        np.testing.assert_array_equal(np.take_along_axis(x, indices, dim), values)


@given(st.permutations(range(7)), st.integers(0, 7), st.booleans())
@settings(max_examples=30, deadline=None)
def test_topk_of_different_numbers_has_pytorchs_indices(numbers, k, largest):
    x = np.array(numbers, np.float32)
    agree(Topk(k=k, largest=largest).forward(x), torch.topk(torch.from_numpy(x), k, largest=largest))


@pytest.mark.slow
@given(samples([*FLOATS, *INTEGERS]), st.booleans(), st.data())
@settings(max_examples=80, deadline=None)
def test_medians_and_kthvalue_have_pytorchs_values(sample, keepdim, data):
    x, dim = sample
    tx = torch.from_numpy(x)
    k = data.draw(st.integers(1, x.shape[dim] if x.ndim else 1))
    for got, expected in (
        (Median(dim, keepdim).forward(x), torch.median(tx, dim, keepdim)),
        (NanMedian(dim, keepdim).forward(x), torch.nanmedian(tx, dim, keepdim)),
        (Kthvalue(k, dim, keepdim).forward(x), torch.kthvalue(tx, k, dim, keepdim)),
    ):
        agree(got[0], expected.values)
        assert (got[1].dtype, got[1].shape) == (np.int64, tuple(expected.indices.shape))
    agree(Median().forward(x), torch.median(tx))
    agree(NanMedian().forward(x), torch.nanmedian(tx))


@given(samples(FLOATS + INTEGERS, nan=0.0), st.booleans())
@settings(max_examples=80, deadline=None)
def test_mode_is_pytorchs(sample, keepdim):
    x, dim = sample
    agree(Mode(dim=dim, keepdim=keepdim).forward(x), torch.mode(torch.from_numpy(x), dim, keepdim))


@given(samples([*FLOATS, *INTEGERS, "?"]))
@settings(max_examples=80, deadline=None)
def test_cumulative_operations_are_pytorchs(sample):
    x, dim = sample
    tx = torch.from_numpy(x)
    for layer, function in (
        (Cumsum, torch.cumsum),
        (Cumprod, torch.cumprod),
        (Cummax, torch.cummax),
        (Cummin, torch.cummin),
    ):
        agree(layer(dim=dim).forward(x), function(tx, dim))
    if x.dtype.kind == "f" and x.dtype != np.float16:
        agree(LogCumsumExp(dim=dim).forward(x), torch.logcumsumexp(tx, dim))


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_cumulative_sums_convert_to_the_dtype_first(dtype):
    x = np.array([[1.5, 2.5], [0.5, 3]], np.float32)
    expected = torch.cumsum(torch.from_numpy(x), 1, dtype=getattr(torch, dtype))
    agree(Cumsum(dim=1, dtype=f"torch.{dtype}").forward(x), expected)


@pytest.mark.parametrize("layer", [Topk, Kthvalue])
def test_more_elements_than_there_are_is_refused(layer):
    with pytest.raises(ParameterError, match="to 3, the size of dimension -1, found 4"):
        layer(k=4).forward(np.zeros((2, 3), np.float32))
