"""BatchNorm and LayerNorm compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError
from kuiper.layers.normalization.normalization import (
    BatchNorm,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    LayerNorm,
    RMSNorm,
)

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional
SIZES = st.integers(1, 4)
EPS = st.sampled_from([1e-5, 1e-3, 0.5])


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def tensors(*arrays):
    return [None if a is None else torch.from_numpy(a) for a in arrays]


@settings(max_examples=80, deadline=None)
@given(
    batch=SIZES,
    channels=SIZES,
    rest=st.lists(SIZES, max_size=3),
    weighted=st.booleans(),
    biased=st.booleans(),
    eps=EPS,
)
def test_batch_norm_is_pytorchs_for_any_rank(batch, channels, rest, weighted, biased, eps):
    x, mean, variance = numbers(0, batch, channels, *rest), numbers(1, channels), numbers(2, channels) ** 2
    weight, bias = numbers(3, channels) if weighted else None, numbers(4, channels) if biased else None
    expected = F.batch_norm(*tensors(x, mean, variance, weight, bias), eps=eps).numpy()
    np.testing.assert_allclose(BatchNorm(mean, variance, weight, bias, eps).forward(x), expected, rtol=1e-9, atol=1e-10)


def test_without_running_statistics_the_batch_gives_its_own():
    x, weight = numbers(0, 3, 4, 5, 5), numbers(1, 4)
    expected = F.batch_norm(*tensors(x, None, None, weight), training=True).numpy()
    np.testing.assert_allclose(BatchNorm(None, None, weight).forward(x), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("layer", "module", "shapes"),
    [
        (BatchNorm1d, "BatchNorm1d", [(3, 2), (3, 2, 5)]),
        (BatchNorm2d, "BatchNorm2d", [(3, 2, 4, 4)]),
        (BatchNorm3d, "BatchNorm3d", [(3, 2, 4, 4, 4)]),
    ],
)
def test_each_batch_norm_takes_the_ranks_of_pytorchs_module(layer, module, shapes):
    theirs = getattr(torch.nn, module)(2, dtype=torch.float64).eval()
    ours = layer(np.zeros(2), np.ones(2), np.ones(2), np.zeros(2), affine=True, num_features=2)
    for rank in range(1, 7):
        shape = (3, 2, 4, 4, 4, 4)[:rank]
        if rank in [len(s) for s in shapes]:
            expected = theirs(torch.from_numpy(numbers(0, *shape))).detach().numpy()
            np.testing.assert_allclose(ours.forward(numbers(0, *shape)), expected, rtol=1e-9, atol=1e-10)
        else:
            with pytest.raises((ValueError, RuntimeError)):
                theirs(torch.ones(shape, dtype=torch.float64))
            with pytest.raises(KuiperError, match=rf"{module} input: expected .* axes, found"):
                ours.forward(np.ones(shape))


@settings(max_examples=80, deadline=None)
@given(
    lead=st.lists(st.integers(0, 3), max_size=3),
    shape=st.lists(SIZES, min_size=1, max_size=3),
    weighted=st.booleans(),
    biased=st.booleans(),
    eps=EPS,
)
def test_layer_norm_is_pytorchs_for_any_shape(lead, shape, weighted, biased, eps):
    x = numbers(0, *lead, *shape)
    weight, bias = numbers(1, *shape) if weighted else None, numbers(2, *shape) if biased else None
    expected = F.layer_norm(torch.from_numpy(x), shape, *tensors(weight, bias), eps).numpy()
    found = LayerNorm(shape, weight, bias, eps).forward(x)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("weights", [np.float16, np.float32])
def test_half_precision_goes_with_weights_in_half_or_single_precision(weights):
    x, weight, bias = numbers(0, 3, 4, 5).astype(np.float16), *(numbers(s, 5).astype(weights) for s in (1, 2))
    found = LayerNorm(5, weight, bias).forward(x)
    expected = F.layer_norm(torch.from_numpy(x), (5,), *tensors(weight, bias)).numpy()
    assert found.dtype == expected.dtype == np.float16
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-2)
    mean, variance = np.zeros(4, weights), np.ones(4, weights)
    expected = F.batch_norm(*tensors(x, mean, variance)).numpy()
    np.testing.assert_allclose(BatchNorm(mean, variance).forward(x), expected, rtol=1e-2, atol=1e-2)


def test_a_large_mean_does_not_drown_the_variance():
    x = (1000 + numbers(0, 4, 64)).astype(np.float32)
    exact = F.layer_norm(torch.from_numpy(x).double(), (64,)).numpy()
    np.testing.assert_allclose(LayerNorm(64).forward(x), exact, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_element_types_that_pytorch_refuses_are_refused(dtype):
    x, mean, variance = np.ones((2, 3), dtype), np.zeros(3), np.ones(3)
    with pytest.raises((RuntimeError, NotImplementedError)):
        F.batch_norm(*tensors(x, mean, variance))
    with pytest.raises(KuiperError, match=f"expected float.*found {np.dtype(dtype)}|expected {np.dtype(dtype)}"):
        BatchNorm(mean, variance).forward(x)
    with pytest.raises((RuntimeError, NotImplementedError)):
        F.layer_norm(torch.from_numpy(x), (3,), torch.ones(3, dtype=torch.float64))
    with pytest.raises(KuiperError, match="LayerNorm"):
        LayerNorm(3, np.ones(3)).forward(x)


@settings(max_examples=60, deadline=None)
@given(
    lead=st.lists(st.integers(0, 3), max_size=3),
    shape=st.lists(SIZES, min_size=1, max_size=3),
    weighted=st.booleans(),
    eps=st.sampled_from([None, 1e-5, 0.5]),
    dtype=st.sampled_from([np.float16, np.float32, np.float64]),
)
def test_rms_norm_is_pytorchs_for_any_shape(lead, shape, weighted, eps, dtype):
    x, weight = (0.01 * numbers(0, *lead, *shape)).astype(dtype), numbers(1, *shape).astype(dtype)
    arguments = tensors(x, weight if weighted else None)
    expected = F.rms_norm(arguments[0], shape, arguments[1], eps).numpy()
    found = RMSNorm(shape, weight if weighted else None, eps).forward(x)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    tolerance = {np.float16: 4e-3, np.float32: 1e-5, np.float64: 1e-9}[dtype]
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_rms_norm_refuses_other_axes_and_weights():
    with pytest.raises(KuiperError, match=r"RMSNorm input: expected last axes \(3,\)"):
        RMSNorm(3).forward(np.ones((3, 2)))
    with pytest.raises(KuiperError, match=r"weight: expected shape \(3,\), found \(2,\)"):
        RMSNorm([3], np.ones(2))
    with pytest.raises(KuiperError, match=r"weight: expected shape \(3,\), found none"):
        RMSNorm(3, elementwise_affine=True)
