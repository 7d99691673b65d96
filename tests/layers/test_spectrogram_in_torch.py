"""Spectrograms that pnnx recognizes in an exported model."""

import numpy as np
import pytest

import kuiper
import kuiper.layers.signal.spectrogram

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")


def spectrogram(waveform, window, power=None, normalized=False, **options):
    """What torchaudio.functional.spectrogram does, in the steps by which pnnx knows it."""
    signals = waveform.reshape(-1, waveform.size(-1))
    by_length = normalized == "frame_length"
    y = torch.stft(signals, 64, 16, len(window), window, normalized=by_length, return_complex=True, **options)
    y = y.reshape(waveform.shape[:-1] + y.shape[-2:])
    if normalized == "window":
        y /= window.pow(2.0).sum().sqrt()
    return y if power is None else y.abs() if power == 1 else y.abs().pow(power)


def inverse_spectrogram(y, window, normalized):
    """What torchaudio.functional.inverse_spectrogram does."""
    if normalized == "window":
        y = y * window.pow(2.0).sum().sqrt()
    packed = y.reshape(-1, *y.shape[-2:])
    by_length = normalized == "frame_length"
    signals = torch.istft(packed, 64, 16, len(window), window, normalized=by_length, onesided=True)
    return signals.reshape(y.shape[:-2] + signals.shape[-1:])


class Spectrograms(torch.nn.Module):
    def forward(self, one, several, complexes):
        short, full = torch.hann_window(44), torch.hann_window(64)
        return (
            spectrogram(several, short, normalized="window"),
            spectrogram(several, full, power=1, center=False),
            spectrogram(several, full, power=2, normalized="frame_length", pad_mode="constant"),
            spectrogram(one, full, power=2, normalized="window", onesided=False),
            inverse_spectrogram(complexes, short, "window"),
            inverse_spectrogram(complexes, full, "frame_length"),
        )


def test_an_exported_model_with_spectrograms_and_their_inverses(export):
    model = Spectrograms().eval()
    inputs = torch.randn(500), torch.randn(3, 640), torch.randn(2, 33, 20, dtype=torch.complex64)
    param = export(model, *inputs)
    names = param.read_text()
    assert "torchaudio.functional.spectrogram" in names
    assert "torchaudio.functional.inverse_spectrogram" in names
    for got, expected in zip(kuiper.load(param)(*(x.numpy() for x in inputs)), model(*inputs), strict=True):
        assert got.dtype == expected.numpy().dtype
        np.testing.assert_allclose(got, expected.numpy(), rtol=1e-4, atol=1e-4)
