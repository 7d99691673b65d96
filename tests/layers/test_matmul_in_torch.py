"""Matrix products compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.linear.linear import Bilinear, Linear
from kuiper.layers.linear.matmul import BMM, MM, MV, AddMM, BAddBMM, Dot, Inner, MatMul, Outer

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DTYPES = [np.float16, np.float32, np.float64, np.int32, np.int64, np.complex64]
SIZES = st.integers(0, 4)
QUICK = settings(max_examples=50, deadline=None)


def numbers(seed, shape, dtype=np.float32):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def same(found, function, *arrays, **options):
    expected = function(*(torch.from_numpy(a) for a in arrays), **options).numpy()
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-3 if found.dtype == np.float16 else 1e-5, atol=1e-6)


@QUICK
@given(lead=st.lists(st.tuples(st.integers(1, 3), st.sampled_from("abx")), max_size=3), n=SIZES, k=SIZES, m=SIZES)
def test_matmul_broadcasts_the_leading_axes(lead, n, k, m):
    a = [1 if which == "a" else size for size, which in lead]
    b = [1 if which == "b" else size for size, which in lead]
    x, y = numbers(0, (*a, n, k)), numbers(1, (*b[len(b) // 2 :], k, m))
    same(MatMul().forward(x, y), torch.matmul, x, y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((3,), (3, 2)), ((4, 3), (3,)), ((2, 4, 3), (3,)), ((3,), (5, 2, 3, 4)), ((2, 3), (3, 4))],
)
def test_matmul_of_vectors_and_matrices_of_any_type(a, b, dtype):
    x, y = numbers(0, a, dtype), numbers(1, b, dtype)
    same(MatMul().forward(x, y), torch.matmul, x, y)


@pytest.mark.parametrize(
    ("layer", "function", "a", "b"),
    [
        (MM(), torch.mm, (2, 3), (3, 4)),
        (BMM(), torch.bmm, (5, 2, 3), (5, 3, 4)),
        (MV(), torch.mv, (2, 3), (3,)),
        (Dot(), torch.dot, (3,), (3,)),
        (Outer(), torch.outer, (3,), (4,)),
        (Inner(), torch.inner, (2, 5, 3), (4, 3)),
        (Inner(), torch.inner, (), (4, 3)),
        (Inner(), torch.inner, (3,), (3,)),
    ],
)
def test_products_of_fixed_rank(layer, function, a, b):
    for dtype in (np.float32, np.int64):
        x, y = numbers(0, a, dtype), numbers(1, b, dtype)
        same(layer.forward(x, y), function, x, y)


@pytest.mark.parametrize(
    ("layer", "function", "a", "b"),
    [
        (MatMul(), torch.matmul, (2, 3), (2, 3)),
        (MatMul(), torch.matmul, (), (3,)),
        (MatMul(), torch.matmul, (2, 4, 3), (3, 3, 4)),
        (MM(), torch.mm, (1, 2, 3), (3, 4)),
        (BMM(), torch.bmm, (1, 2, 3), (5, 3, 4)),
        (MV(), torch.mv, (2, 3), (3, 1)),
        (Dot(), torch.dot, (3,), (2,)),
        (Outer(), torch.outer, (3, 1), (4,)),
    ],
)
def test_shapes_that_pytorch_refuses_are_refused(layer, function, a, b):
    x, y = np.ones(a, np.float32), np.ones(b, np.float32)
    with pytest.raises(RuntimeError):
        function(torch.from_numpy(x), torch.from_numpy(y))
    with pytest.raises((KuiperError, ValueError)):
        layer.forward(x, y)


def test_mixed_element_types_and_booleans_are_refused():
    for x, y in [(np.float32, np.float64), (np.int64, np.float32), (np.bool_, np.bool_)]:
        with pytest.raises(RuntimeError):
            torch.mm(
                torch.ones(2, 2, dtype=torch.from_numpy(np.ones(1, x)).dtype), torch.from_numpy(np.ones((2, 2), y))
            )
        with pytest.raises(KuiperError, match="expected"):
            MM().forward(np.ones((2, 2), x), np.ones((2, 2), y))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
@pytest.mark.parametrize("options", [{}, {"alpha": 2}, {"beta": 3, "alpha": -1}, {"beta": 0}])
@pytest.mark.parametrize("shape", [(2, 4), (4,), (2, 1), ()])
def test_addmm_and_baddbmm_with_factors(shape, options, dtype):
    x, a, b = numbers(0, shape, dtype), numbers(1, (2, 3), dtype), numbers(2, (3, 4), dtype)
    same(AddMM(**options).forward(x, a, b), torch.addmm, x, a, b, **options)
    a, b = numbers(1, (5, 2, 3), dtype), numbers(2, (5, 3, 4), dtype)
    same(BAddBMM(**options).forward(x, a, b), torch.baddbmm, x, a, b, **options)


def test_addmm_with_beta_zero_ignores_even_nan():
    a = np.eye(2, dtype=np.float32)
    assert AddMM(beta=0).forward(np.full((2, 2), np.nan, np.float32), a, a).tolist() == a.tolist()


def test_addmm_refuses_an_input_larger_than_the_product_and_a_fraction_of_integers():
    a = np.ones((2, 2), np.int64)
    with pytest.raises(KuiperError, match="broadcasts"):
        AddMM().forward(np.ones((3, 2, 2), np.int64), a, a)
    with pytest.raises(KuiperError, match=r"alpha.*whole"):
        AddMM(alpha=0.5).forward(a, a, a)


@pytest.mark.parametrize("lead", [(), (2,), (2, 5)])
@pytest.mark.parametrize("bias", [False, True])
def test_bilinear(lead, bias):
    arrays = [numbers(0, (*lead, 3)), numbers(1, (*lead, 4)), numbers(2, (6, 3, 4))] + [numbers(3, (6,))] * bias
    same(Bilinear().forward(*arrays), torch.nn.functional.bilinear, *arrays)


def test_linear_of_a_single_vector():
    x, weight, bias = numbers(0, (3,)), numbers(1, (4, 3)), numbers(2, (4,))
    same(Linear(weight, bias).forward(x), torch.nn.functional.linear, x, weight, bias)


class Products(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bilinear = torch.nn.Bilinear(4, 4, 3)

    def forward(self, x, y, v):
        products = x @ y, torch.mm(x[0], y[0]), torch.bmm(x, y), torch.mv(y[0], v), y @ v, torch.dot(v, v)
        sums = torch.addmm(v, x[0], y[0], beta=0.5, alpha=2), torch.baddbmm(x, x, y, beta=0.5), self.bilinear(x, y)
        return products + sums + (torch.outer(v, v), torch.inner(x, y))


def test_exported_products_agree(export):
    model, arrays = Products(), [numbers(0, (2, 4, 4)), numbers(1, (2, 4, 4)), numbers(2, (4,))]
    tensors = [torch.from_numpy(a) for a in arrays]
    found = kuiper.load(export(model, *tensors))(*arrays)
    with torch.no_grad():
        expected = model(*tensors)
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-5, atol=1e-5, strict=True)
