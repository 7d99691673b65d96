"""Fourier transforms: worked spectra, inverses, errors."""

import numpy as np
import pytest

from kuiper.errors import InferError, ParameterError, ShapeError
from kuiper.graph import Operator, Parameter
from kuiper.layers import registry
from kuiper.layers.signal.fourier import TRANSFORMS, FFTFreq, FFTShift, IFFTShift, RFFTFreq


def transform(kind, **options):
    """The layer that the registry has for torch.fft.<kind>."""
    params = {name: Parameter(None, value) for name, value in options.items()}
    return registry.create(Operator(name="op", type=f"torch.fft.{kind}", params=params))


def test_a_constant_has_the_frequency_zero_only():
    assert transform("fft").forward(np.ones(4)).tolist() == [4, 0, 0, 0]


def test_a_wave_has_its_own_frequency_and_the_mirrored_one():
    wave = np.cos(2 * np.pi * np.arange(8) / 8)
    np.testing.assert_allclose(np.abs(transform("fft").forward(wave)), [0, 4, 0, 0, 0, 0, 0, 4], atol=1e-12)
    np.testing.assert_allclose(np.abs(transform("rfft").forward(wave)), [0, 4, 0, 0, 0], atol=1e-12)


def test_the_transform_is_the_sum_of_the_definition():
    x, n = np.random.default_rng(0).normal(size=5), np.arange(5)
    expected = [sum(x[j] * np.exp(-2j * np.pi * j * k / 5) for j in n) for k in n]
    np.testing.assert_allclose(transform("fft").forward(x), expected)


@pytest.mark.parametrize(("there", "back"), [("fft", "ifft"), ("rfft", "irfft"), ("ihfft", "hfft")])
@pytest.mark.parametrize("suffix", ["", "2", "n"])
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_each_transform_has_its_inverse(there, back, suffix, norm):
    x = np.random.default_rng(0).normal(size=(3, 4, 6))
    y = transform(back + suffix, norm=norm).forward(transform(there + suffix, norm=norm).forward(x))
    np.testing.assert_allclose(y, x, atol=1e-12)


def test_ortho_keeps_the_energy():
    x = np.random.default_rng(0).normal(size=(4, 6))
    y = transform("fftn", norm="ortho").forward(x)
    np.testing.assert_allclose(np.square(np.abs(y)).sum(), np.square(x).sum())


@pytest.mark.parametrize("kind", TRANSFORMS)
@pytest.mark.parametrize(("dtype", "real", "complex_"), [("f4", "f4", "c8"), ("f8", "f8", "c16"), ("i8", "f4", "c8")])
def test_precision_stays_and_integers_count_as_single(kind, dtype, real, complex_):
    y = transform(kind).forward(np.ones((2, 4), dtype))
    assert y.dtype == (real if kind in ("irfft", "hfft") else complex_)


def test_sizes_cut_or_fill_up_with_zeros_and_belong_to_the_last_dimensions():
    x = np.arange(12.0).reshape(2, 2, 3)
    filled = np.pad(x[:, :1], ((0, 0), (0, 0), (0, 2)))
    np.testing.assert_allclose(transform("fftn", s=[1, 5]).forward(x), np.fft.fft2(filled))


def test_real_transforms_refuse_complex_numbers():
    with pytest.raises(InferError, match="expected real numbers"):
        transform("rfft").forward(np.ones(4, complex))


@pytest.mark.parametrize(
    ("kind", "options"), [("fft", {"norm": "x"}), ("fft", {"n": 0}), ("fft2", {"s": [2, 2], "dim": [0, 1, 2]})]
)
def test_impossible_options_are_refused(kind, options):
    with pytest.raises(ParameterError):
        transform(kind, **options)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("fft", {"dim": 2}, r"dim: expected different dimensions of the input \(2, 3\), found \[2\]"),
        ("fftn", {"dim": [0, -2]}, "dim: expected different dimensions"),
        ("fftn", {"s": [2, 2, 2]}, "dim: expected different dimensions"),
        ("fftn", {"s": [0, 2]}, "n: expected sizes of 1 at least"),
    ],
)
def test_dimensions_and_sizes_that_the_input_cannot_have_are_refused(kind, options, message):
    with pytest.raises(ShapeError, match=message):
        transform(kind, **options).forward(np.ones((2, 3)))


def test_a_single_half_frequency_gives_no_real_signal():
    with pytest.raises(ShapeError, match="n: expected sizes of 1 at least"):
        transform("irfft").forward(np.ones((2, 1)))


def test_shifting_there_and_back_changes_nothing():
    x = np.arange(30).reshape(5, 6)
    np.testing.assert_array_equal(IFFTShift(1).forward(FFTShift(1).forward(x)), x)
    np.testing.assert_array_equal(IFFTShift().forward(FFTShift().forward(x)), x)
    assert FFTShift(-1).forward(x)[0].tolist() == [3, 4, 5, 0, 1, 2]


def test_frequencies_count_from_zero_up_and_then_from_below():
    assert FFTFreq(5, 0.2).forward().tolist() == [0, 1, 2, -2, -1]
    assert RFFTFreq(4).forward().tolist() == [0, 0.25, 0.5]
    assert (FFTFreq(4).forward().dtype, FFTFreq(4, 1.0, 7).forward().dtype) == (np.float32, np.float64)
