"""Spectrograms follow from the short-time transform as torchaudio defines it."""

import numpy as np
import pytest

from kuiper.errors import ParameterError
from kuiper.layers.signal.spectrogram import InverseSpectrogram, Spectrogram
from kuiper.layers.signal.stft import STFT

HANN = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(8) / 8)).astype(np.float32)
SIGNAL = np.random.default_rng(0).normal(size=(2, 3, 40)).astype(np.float32)
OPTIONS = {"window": HANN, "n_fft": 8, "hop_length": 2, "win_length": 8}


def test_without_a_power_it_is_the_transform_for_any_leading_dimensions():
    y = Spectrogram(**OPTIONS).forward(SIGNAL)
    assert (y.shape, y.dtype) == ((2, 3, 5, 21), np.complex64)
    np.testing.assert_allclose(y[1, 2], STFT(8, 2, 8, HANN).forward(SIGNAL[1, 2]), atol=1e-6)
    np.testing.assert_allclose(Spectrogram(**OPTIONS).forward(SIGNAL[1, 2]), y[1, 2], atol=1e-6)


@pytest.mark.parametrize("power", [1, 2, 2.0, 0.5])
def test_a_power_gives_amplitudes_or_energies(power):
    y = Spectrogram(**OPTIONS, power=power).forward(SIGNAL)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, np.abs(Spectrogram(**OPTIONS).forward(SIGNAL)) ** power, rtol=1e-5)


@pytest.mark.parametrize(
    ("normalized", "divisor"),
    [(False, 1), ("frame_length", np.sqrt(8)), ("window", np.sqrt(3.0)), (True, np.sqrt(3.0))],
)
def test_normalizing_divides_by_the_length_of_the_frame_or_of_the_window(normalized, divisor):
    y = Spectrogram(**OPTIONS, normalized=normalized).forward(SIGNAL)
    np.testing.assert_allclose(y * divisor, Spectrogram(**OPTIONS).forward(SIGNAL), atol=1e-5)
    assert y.dtype == np.complex64


def test_pad_adds_zeros_to_the_signal_first():
    padded = np.pad(SIGNAL, ((0, 0), (0, 0), (5, 5)))
    y = Spectrogram(**OPTIONS, pad=5).forward(SIGNAL)
    np.testing.assert_array_equal(y, Spectrogram(**OPTIONS).forward(padded))


@pytest.mark.parametrize("normalized", [False, True, "window", "frame_length"])
@pytest.mark.parametrize("onesided", [True, False])
@pytest.mark.parametrize("pad", [0, 3])
def test_the_inverse_gives_the_signal_back(normalized, onesided, pad):
    options = OPTIONS | {"normalized": normalized, "onesided": onesided, "pad": pad}
    y = InverseSpectrogram(**options, length=40).forward(Spectrogram(**options).forward(SIGNAL))
    assert (y.shape, y.dtype) == (SIGNAL.shape, np.float32)
    np.testing.assert_allclose(y, SIGNAL, atol=1e-5)


def test_without_a_length_the_inverse_gives_all_that_the_pieces_cover():
    y = InverseSpectrogram(**OPTIONS, pad=3).forward(Spectrogram(**OPTIONS, pad=3).forward(SIGNAL[0, 0]))
    np.testing.assert_allclose(y, np.pad(SIGNAL[0, 0], 3), atol=1e-5)


@pytest.mark.parametrize("layer", [Spectrogram, InverseSpectrogram])
def test_an_unknown_normalization_is_refused(layer):
    with pytest.raises(ParameterError, match="normalized: expected a boolean, window or frame_length, found 'x'"):
        layer(**OPTIONS, normalized="x")
