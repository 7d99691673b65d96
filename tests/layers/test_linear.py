"""Linear computes what PyTorch computes, and refuses what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError
from kuiper.layers.linear.linear import Linear

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


@settings(max_examples=80, deadline=None)
@given(
    lead=st.lists(st.integers(0, 3), max_size=4),
    features=st.integers(0, 5),
    out=st.integers(1, 4),
    bias=st.booleans(),
)
def test_linear_is_pytorchs_for_any_leading_axes(lead, features, out, bias):
    x, weight, b = numbers(0, *lead, features), numbers(1, out, features), numbers(2, out) if bias else None
    expected = F.linear(*(None if a is None else torch.from_numpy(a) for a in (x, weight, b))).numpy()
    found = Linear(weight, b).forward(x)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_a_weight_of_one_axis_gives_one_number_per_row():
    x, weight = numbers(0, 2, 3, 4), numbers(1, 4)
    found = Linear(weight).forward(x)
    np.testing.assert_allclose(found, F.linear(torch.from_numpy(x), torch.from_numpy(weight)).numpy())
    assert found.shape == (2, 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_the_result_has_the_inputs_element_type(dtype):
    rng = np.random.default_rng(0)
    x, weight, bias = (rng.integers(-5, 5, shape).astype(dtype) for shape in ((2, 6), (3, 6), (3,)))
    found = Linear(weight, bias).forward(x)
    expected = F.linear(*map(torch.from_numpy, (x, weight, bias)))
    assert found.dtype == dtype
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("x", "weight", "bias"),
    [((2, 3), (4, 5), None), ((2, 3), (4, 3), (5,)), ((2, 3), (4, 3), (2, 2, 4)), ((), (4, 3), None)],
)
def test_shapes_that_pytorch_refuses_are_refused(x, weight, bias):
    arrays = [numbers(0, *x), numbers(1, *weight), None if bias is None else numbers(2, *bias)]
    with pytest.raises((RuntimeError, IndexError)):
        F.linear(*(None if a is None else torch.from_numpy(np.asarray(a)) for a in arrays))
    with pytest.raises(KuiperError, match="expected"):
        Linear(*arrays[1:]).forward(np.asarray(arrays[0]))


def test_mixed_element_types_are_refused_as_pytorch_refuses_them():
    x, weight = numbers(0, 2, 3), numbers(1, 4, 3).astype(np.float32)
    with pytest.raises(RuntimeError):
        F.linear(torch.from_numpy(x), torch.from_numpy(weight))
    with pytest.raises(KuiperError, match="expected float64 like the input, found float32"):
        Linear(weight).forward(x)
