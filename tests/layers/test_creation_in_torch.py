"""Created arrays against PyTorch; of random ones, shape, type and range."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.arrays.creation import (
    Arange,
    Eye,
    Full,
    FullLike,
    Linspace,
    Logspace,
    Ones,
    OnesLike,
    Zeros,
    ZerosLike,
)
from kuiper.layers.arrays.random import Bernoulli, Normal, Rand, Randint, Randn, Randperm

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

NAMES = ["float", "double", "half", "int", "long", "short", "int8", "uint8", "bool", "complex64", "complex128"]
QUICK = settings(max_examples=100, deadline=None)


def same(got, expected):
    np.testing.assert_array_equal(got, expected.numpy(), strict=True)


def torch_type(name):
    return None if name is None else getattr(torch, name)


def kuiper_type(name):
    return None if name is None else f"torch.{name}"


@pytest.mark.parametrize("name", [None, *NAMES])
@pytest.mark.parametrize("size", [[], [3], [2, 0], [1, 2, 3]])
def test_constants(size, name):
    theirs, mine = torch_type(name), kuiper_type(name)
    x = np.arange(6).reshape(2, 3)
    same(Zeros(size, mine).forward(), torch.zeros(size, dtype=theirs))
    same(Ones(size, mine).forward(), torch.ones(size, dtype=theirs))
    same(ZerosLike(mine).forward(x), torch.zeros_like(torch.from_numpy(x), dtype=theirs))
    same(OnesLike(mine, size).forward(x), torch.from_numpy(x).new_ones(size, dtype=theirs))
    for value in (3, 2.7, True):
        same(Full(size, value, mine).forward(), torch.full(size, value, dtype=theirs))
        same(FullLike(value, mine).forward(x), torch.full_like(torch.from_numpy(x), value, dtype=theirs))
        same(FullLike(value, mine, size).forward(x), torch.from_numpy(x).new_full(size, value, dtype=theirs))


def test_fill_takes_a_number_an_array_without_dimensions_or_infinity():
    x = np.zeros((2, 2), np.float32)
    for mine, theirs in ((7, 7), (np.array(0.5), torch.tensor(0.5)), ("-inf", float("-inf"))):
        same(FullLike(value=mine).forward(x), torch.zeros(2, 2).fill_(theirs))
    same(Full(2, "inf").forward(), torch.full((2,), float("inf")))
    same(Full(2, 1 + 2j).forward(), torch.full((2,), 1 + 2j))


LIMITS = st.one_of(st.integers(-9, 9), st.floats(-9, 9).map(lambda n: round(n, 2)))


@given(start=LIMITS, end=LIMITS, step=LIMITS.filter(lambda n: abs(n) > 0.1), name=st.sampled_from([None, *NAMES[:5]]))
@QUICK
def test_arange(start, end, step, name):
    try:
        expected = torch.arange(start, end, step, dtype=torch_type(name))
    except (RuntimeError, ValueError):
        with pytest.raises(KuiperError):
            Arange(end, start, step, kuiper_type(name)).forward()
        return
    got = Arange(np.asarray(end) if isinstance(end, int) else end, start, step, kuiper_type(name)).forward()
    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-6, atol=1e-6, strict=True)


@given(start=LIMITS, end=LIMITS, steps=st.integers(0, 20), name=st.sampled_from([None, "float", "double"]))
@QUICK
def test_linspace_and_logspace(start, end, steps, name):
    theirs, mine = torch_type(name), kuiper_type(name)
    expected = torch.linspace(start, end, steps, dtype=theirs)
    np.testing.assert_allclose(
        Linspace(start, end, steps, mine).forward(), expected.numpy(), rtol=1e-5, atol=1e-5, strict=True
    )
    expected = torch.logspace(start, end, steps, 2, dtype=theirs)
    np.testing.assert_allclose(Logspace(start, end, steps, 2, mine).forward(), expected.numpy(), 1e-5, strict=True)


@given(start=LIMITS, end=LIMITS, steps=st.sampled_from([1, 2, 3, 5, 9, 17]), name=st.sampled_from(["long", "int"]))
@QUICK
def test_linspace_of_integers_at_distances_that_floats_hold_exactly(start, end, steps, name):
    same(
        Linspace(start, end, steps, f"torch.{name}").forward(),
        torch.linspace(start, end, steps, dtype=torch_type(name)),
    )


@pytest.mark.parametrize(("end", "step"), [(7, 0.7), (1, 0.1), (2.1, 0.3), (6.3, 0.9)])
def test_the_limits_of_arange_have_64_bits(end, step):
    assert Arange(end, 0, step).forward().shape == torch.arange(0, end, step).shape
    same(Arange(end, 0, step, "torch.double").forward(), torch.arange(0, end, step, dtype=torch.double))


def test_eye():
    same(Eye(3).forward(), torch.eye(3))
    same(Eye(2, 4, "torch.long").forward(), torch.eye(2, 4, dtype=torch.long))


def test_random_numbers_have_the_shape_type_and_range_that_was_asked_for():
    x = np.zeros((50, 3), np.float64)
    assert (Rand([2, 3]).forward().shape, Rand([2, 3]).forward().dtype) == ((2, 3), np.float32)
    assert (Randn().forward(x).shape, Randn().forward(x).dtype) == (x.shape, np.float64)
    assert 0 <= Rand([99]).forward().min() <= Rand([99]).forward().max() < 1
    assert set(Randint(3, 1, size=[99]).forward().tolist()) == {1, 2}
    assert (Randint(3).forward(x).dtype, Randint(3, size=[1]).forward().dtype) == (np.float64, np.int64)
    assert sorted(Randperm(9).forward().tolist()) == list(range(9))
    assert np.abs(Normal(100.0, 0.1, [99]).forward() - 100).max() < 2
    assert (Bernoulli().forward(x) == 0).all()
    assert (Bernoulli().forward(x + 1) == 1).all()


class Created(torch.nn.Module):
    def forward(self, x):
        n = x.size(0)
        return (
            *(torch.zeros(n, 2, dtype=torch.long), torch.ones(x.shape), torch.full((n, 2), 1.5), torch.full((n,), n)),
            *(torch.zeros_like(x), torch.ones_like(x, dtype=torch.int32), torch.full_like(x, 2), x.new_zeros(n, 2)),
            *(x.new_full((2,), 3.0), torch.arange(n), torch.arange(n, 0, -1), torch.arange(n, dtype=torch.float)),
            *(torch.linspace(0, 1, n), torch.eye(n, 4), x.clone().zero_(), x.clone().fill_(0.5)),
            *(torch.arange(n).view(-1, 1) + torch.arange(4), torch.meshgrid(torch.arange(n), torch.arange(2))[1]),
        )


@pytest.mark.filterwarnings("ignore")
def test_exported_creation_at_another_size(export):
    model, x, y = Created().eval(), torch.rand(3, 4), torch.rand(6, 4)
    graph = kuiper.load(export(model, x, dynamic=(y,)))
    for sample in (x, y):
        for got, expected in zip(graph(sample.numpy()), model(sample), strict=True):
            np.testing.assert_allclose(got, expected.numpy(), 1e-6, strict=True)
