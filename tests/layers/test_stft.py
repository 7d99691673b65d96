"""Short-time Fourier transform: the definition as a loop, the way back, errors."""

import numpy as np
import pytest

from kuiper.errors import InferError, ParameterError, ShapeError
from kuiper.layers.signal.stft import ISTFT, STFT, overlap_add

HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(8) / 8)
SIGNAL = np.random.default_rng(0).normal(size=30)


def test_each_column_is_the_transform_of_a_piece_times_the_window():
    y = STFT(8, hop_length=3, window=HANN, center=False).forward(SIGNAL)
    assert y.shape == (5, 8)
    for t in range(8):
        np.testing.assert_allclose(y[:, t], np.fft.rfft(SIGNAL[3 * t : 3 * t + 8] * HANN))


def test_center_puts_the_middle_of_piece_t_at_t_hops():
    y = STFT(8, hop_length=4, pad_mode="constant").forward(SIGNAL)
    np.testing.assert_allclose(y, STFT(8, hop_length=4, center=False).forward(np.pad(SIGNAL, 4)))


def test_a_short_window_stands_between_zeros():
    wide = np.pad(HANN[1:6], (1, 2))
    short = STFT(8, win_length=5, window=HANN[1:6], center=False).forward(SIGNAL)
    np.testing.assert_allclose(short, STFT(8, window=wide, center=False).forward(SIGNAL))


def test_both_halves_are_given_where_asked_or_where_the_signal_is_complex():
    assert STFT(8, onesided=False).forward(SIGNAL).shape[0] == 8
    assert STFT(8).forward(SIGNAL + 0j).shape[0] == 8
    assert STFT(8).forward(SIGNAL).shape[0] == 5


def test_real_and_imaginary_part_may_be_a_last_dimension():
    y = STFT(8, return_complex=False).forward(np.stack([SIGNAL, SIGNAL]))
    np.testing.assert_array_equal(y[..., 0] + 1j * y[..., 1], STFT(8).forward(np.stack([SIGNAL, SIGNAL])))


@pytest.mark.parametrize("options", [{}, {"normalized": True}, {"onesided": False}, {"window": HANN}])
def test_the_inverse_gives_the_signal_back(options):
    spectrogram = STFT(8, hop_length=2, **options).forward(SIGNAL)
    np.testing.assert_allclose(ISTFT(8, hop_length=2, length=30, **options).forward(spectrogram), SIGNAL, atol=1e-12)


def test_a_complex_signal_comes_back_from_all_frequencies():
    signal = SIGNAL[:24] + 1j * SIGNAL[6:]
    spectrogram = STFT(8, hop_length=4).forward(signal)
    np.testing.assert_allclose(ISTFT(8, hop_length=4, return_complex=True).forward(spectrogram), signal, atol=1e-12)


def test_a_length_beyond_the_pieces_is_filled_with_zeros():
    spectrogram = STFT(8, center=False).forward(SIGNAL[:16])
    y = ISTFT(8, center=False, length=20).forward(spectrogram)
    np.testing.assert_allclose(y, np.pad(SIGNAL[:16], (0, 4)), atol=1e-12)


def test_overlapping_pieces_add_up():
    assert overlap_add(np.ones((1, 3, 4)), 2).tolist() == [[1, 1, 2, 2, 2, 2, 1, 1]]


@pytest.mark.parametrize("layer", [STFT, ISTFT])
@pytest.mark.parametrize(
    ("options", "name"),
    [({"win_length": 9}, "win_length"), ({"hop_length": 0}, "hop_length"), ({"window": HANN[:5]}, "window")],
)
def test_impossible_options_are_refused(layer, options, name):
    with pytest.raises(ParameterError, match=name):
        layer(8, **options)


def test_hops_beyond_the_window_cannot_be_inverted():
    with pytest.raises(ParameterError, match="hop_length: expected 1 to win_length=4"):
        ISTFT(8, hop_length=5, win_length=4)


def test_a_signal_shorter_than_a_piece_is_refused():
    with pytest.raises(ShapeError, match="n_fft=8 elements at least"):
        STFT(8, center=False).forward(SIGNAL[:7])


@pytest.mark.parametrize("x", [np.zeros((1, 1, 30)), np.zeros(30, int)])
def test_only_one_or_several_float_signals_are_taken(x):
    with pytest.raises(ShapeError, match="a float or complex signal"):
        STFT(8).forward(x)


def test_half_of_a_complex_spectrum_is_refused():
    with pytest.raises(ParameterError, match="onesided: expected False"):
        STFT(8, onesided=True).forward(SIGNAL + 0j)


@pytest.mark.parametrize(
    ("options", "shape", "error", "message"),
    [
        ({}, (4, 3), ShapeError, "5 frequencies for n_fft=8"),
        ({"onesided": False}, (5, 3), ShapeError, "8 frequencies for n_fft=8"),
        ({"return_complex": True}, (5, 3), ParameterError, "return_complex: expected False"),
        ({"return_complex": False, "window": HANN + 0j}, (5, 3), ParameterError, "True for a complex window"),
        ({"center": False, "window": HANN}, (5, 3), InferError, "found elements with weight 0"),
        ({}, (5, 0), ShapeError, "a complex spectrogram"),
    ],
)
def test_spectrograms_that_do_not_fit_are_refused(options, shape, error, message):
    with pytest.raises(error, match=message):
        ISTFT(8, **options).forward(np.zeros(shape, complex))
