"""Spectrograms: which frequencies sound when, as torchaudio computes them from the STFT."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.errors import ParameterError
from kuiper.layers.cost import Shapes, size
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.image.padding import pad_array
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.layers.signal.stft import ISTFT, STFT


def norms(normalized: bool | str, window: np.ndarray) -> tuple[bool, Any]:
    """Whether the STFT is normalized, and by what else its result is divided: the window's length sqrt(sum of w^2).

    Raises ParameterError when normalized is not True or "window", "frame_length", or False.
    """
    if normalized not in (False, True, "window", "frame_length"):
        raise ParameterError("normalized", "a boolean, window or frame_length", repr(normalized))
    energy = np.sqrt(np.square(window).sum())
    return normalized == "frame_length", energy if normalized in (True, "window") else None


@registry.register("torchaudio.functional.spectrogram")
class Spectrogram(Layer):
    """(..., L) -> (..., F, T): |STFT|^power of each signal, or the complex STFT itself.

    Parameters
    ----------
    n_fft, hop_length, win_length, window, center, pad_mode, onesided : as for the STFT.
    pad : zeros to add to the signal at both ends before anything else.
    power : 1 gives amplitudes, 2 energies; None the complex numbers.
    normalized : "frame_length" divides by sqrt(n_fft), "window" or True by the window's length sqrt(sum of w^2).

    Source: https://docs.pytorch.org/audio/stable/generated/torchaudio.functional.spectrogram.html
    """

    family = ARITHMETIC

    def __init__(
        self,
        window: np.ndarray,
        n_fft: Any,
        hop_length: Any,
        win_length: Any,
        pad: Any = 0,
        power: float | None = None,
        normalized: bool | str = False,
        center: bool = True,
        pad_mode: str = "reflect",
        onesided: bool = True,
    ) -> None:
        by_length, self.energy = norms(normalized, window)
        self.stft = STFT(n_fft, hop_length, win_length, window, center, pad_mode, by_length, onesided)
        self.pad, self.power = int(pad), power

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """The STFT; then a division, |z| (4) and its power, each for every output element, as far as asked for."""
        per_element = (self.energy is not None) + (0 if self.power is None else 5)
        return self.stft.flops(inputs, outputs) + per_element * size(outputs[0])

    def forward(self, waveform: np.ndarray) -> np.ndarray:
        """Compute the spectrogram of each signal."""
        padded = pad_array(waveform, (self.pad, self.pad))
        spectrum = self.stft.forward(padded.reshape(-1, padded.shape[-1]))
        spectrum = spectrum.reshape(*waveform.shape[:-1], *spectrum.shape[1:])
        if self.energy is not None:
            spectrum = spectrum / self.energy
        return spectrum if self.power is None else np.abs(spectrum) ** self.power


@registry.register("torchaudio.functional.inverse_spectrogram")
class InverseSpectrogram(Layer):
    """(..., F, T) complex -> (..., L): the signal whose complex spectrogram is nearest to the given one.

    Parameters
    ----------
    n_fft, hop_length, win_length, window, center, onesided : as for the ISTFT.
    length, pad : L, and how many elements to take away at both ends, if L is given: what `pad` of spectrogram added.
    normalized : as for the spectrogram.
    pad_mode : not used; it is there since spectrogram has it.

    Source: https://docs.pytorch.org/audio/stable/generated/torchaudio.functional.inverse_spectrogram.html
    """

    family = ARITHMETIC

    def __init__(
        self,
        window: np.ndarray,
        n_fft: Any,
        hop_length: Any,
        win_length: Any,
        length: Any = None,
        pad: Any = 0,
        normalized: bool | str = False,
        center: bool = True,
        pad_mode: str = "reflect",
        onesided: bool = True,
    ) -> None:
        by_length, self.energy = norms(normalized, window)
        self.pad = 0 if length is None else int(pad)
        total = None if length is None else int(length) + 2 * self.pad
        self.istft = ISTFT(n_fft, hop_length, win_length, window, center, by_length, onesided, total)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """The inverse STFT, and a product for every input element where the result is normalized."""
        return self.istft.flops(inputs, outputs) + (self.energy is not None) * size(inputs[0])

    def forward(self, spectrogram: np.ndarray) -> np.ndarray:
        """Compute the signal of each spectrogram."""
        scaled = spectrogram if self.energy is None else spectrogram * self.energy
        signal = self.istft.forward(scaled.reshape(-1, *scaled.shape[-2:]))
        signal = signal[:, self.pad : signal.shape[1] - self.pad]
        return signal.reshape(*spectrogram.shape[:-2], -1)
