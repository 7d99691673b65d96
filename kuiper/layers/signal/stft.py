"""Short-time Fourier transform: the frequencies in each short piece of a signal, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.errors import InferError, ParameterError, RankError, ShapeError
from kuiper.graph import Shape
from kuiper.layers.cost import Shapes, known, size
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.image.padding import pad_array
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.layers.signal.fourier import fast_transform


class _ShortTime(Layer):
    """The options that both directions share.

    Parameters
    ----------
    n_fft : the size of the transform, and of a piece.
    hop_length : from the start of one piece to that of the next; None is n_fft // 4.
    win_length, window : (win_length,) factors for the elements of a piece, with zeros on both sides up to n_fft. No
        window is ones; no win_length is n_fft.
    center : piece t has its middle at t * hop_length; otherwise it starts there.
    normalized : divide by sqrt(n_fft), which makes the transform orthogonal.
    onesided : only the n_fft // 2 + 1 frequencies from 0 up, since those of a real signal are symmetric.
    """

    family = ARITHMETIC

    def __init__(
        self,
        n_fft: Any,
        hop_length: Any,
        win_length: Any,
        window: np.ndarray | None,
        center: bool,
        normalized: bool,
        onesided: bool | None,
    ) -> None:
        self.n_fft = int(n_fft)
        self.hop = self.n_fft // 4 if hop_length is None else int(hop_length)
        length = self.n_fft if win_length is None else int(win_length)
        if not 0 < length <= self.n_fft:
            raise ParameterError("win_length", f"1 to n_fft={self.n_fft}", repr(win_length))
        if self.hop < 1:
            raise ParameterError("hop_length", "1 or more", repr(hop_length))
        if window is not None and window.shape != (length,):
            raise ParameterError("window", f"({length},), as win_length says", str(window.shape))
        self.win_length, self.window, self.center = length, window, center
        self.norm: Any = "ortho" if normalized else "backward"
        self.onesided = onesided

    def pieces_flops(self, spectrum: Shape | None, real: bool) -> int:
        """Operations of the transforms of all pieces of a spectrum (..., F, T), each times the window."""
        *batch, _, count = known(spectrum)
        return math.prod(batch) * count * (fast_transform(self.n_fft, real) + self.n_fft)

    def full_window(self, dtype: np.dtype) -> np.ndarray:
        """(n_fft,): the window between zeros."""
        window = np.ones(self.win_length, dtype) if self.window is None else self.window
        left = (self.n_fft - self.win_length) // 2
        return np.pad(window, (left, self.n_fft - self.win_length - left))


@registry.register("torch.stft")
class STFT(_ShortTime):
    """(L,) -> (F, T), or (B, L) -> (B, F, T): the Fourier transform of T pieces of each signal, F frequencies of each.

    T = 1 + L // hop_length with center, 1 + (L - n_fft) // hop_length without.

    Parameters
    ----------
    n_fft, hop_length, win_length, window, center, normalized, onesided : see above. onesided None means whether signal
        and window are real.
    pad_mode : what stands in the n_fft // 2 elements that center adds at both ends: a mode of F.pad.
    return_complex : otherwise real and imaginary part are a last dimension of size 2.
    align_to_window : without center, the first window, and not the zeros around it, starts at the signal's start.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.stft.html

    >>> STFT(4, hop_length=4, center=False).forward(np.array([1.0, 1, 1, 1, 2, 0, 2, 0])).real
    array([[4., 4.],
           [0., 0.],
           [0., 4.]])
    """

    def __init__(
        self,
        n_fft: Any,
        hop_length: Any = None,
        win_length: Any = None,
        window: np.ndarray | None = None,
        center: bool = True,
        pad_mode: str = "reflect",
        normalized: bool = False,
        onesided: bool | None = None,
        return_complex: bool | None = True,
        align_to_window: bool | None = None,
    ) -> None:
        super().__init__(n_fft, hop_length, win_length, window, center, normalized, onesided)
        self.pad_mode, self.return_complex, self.align = pad_mode, return_complex is not False, bool(align_to_window)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """A fast transform of each piece, and its product with the window."""
        spectrum = known(outputs[0]) if self.return_complex else known(outputs[0])[:-1]
        return self.pieces_flops(spectrum, self.onesided is not False)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Transform the pieces of x. Raises ShapeError when it is shorter than one."""
        if x.ndim not in (1, 2) or x.dtype.kind not in "fc":
            raise RankError("input", "a float or complex signal (L,) or several (B, L)", f"{x.dtype} {x.shape}")
        signal = self._padded(np.atleast_2d(x))
        if signal.shape[1] < self.n_fft:
            raise ShapeError("input", f"n_fft={self.n_fft} elements at least, padding included", signal.shape)
        pieces = np.lib.stride_tricks.sliding_window_view(signal, self.n_fft, axis=1)[:, :: self.hop]
        if self.window is not None or self.win_length < self.n_fft:
            pieces = pieces * self.full_window(x.dtype)
        spectrum = self._transform(pieces).swapaxes(1, 2)
        if x.ndim == 1:
            spectrum = spectrum[0]
        return spectrum if self.return_complex else np.stack([spectrum.real, spectrum.imag], axis=-1)

    def _padded(self, signal: np.ndarray) -> np.ndarray:
        if not self.center and not self.align:
            return signal
        border = self.n_fft // 2 if self.center else (self.n_fft - self.win_length) // 2
        return pad_array(signal[None], (border, border), self.pad_mode)[0]

    def _transform(self, pieces: np.ndarray) -> np.ndarray:
        real = pieces.dtype.kind == "f"
        if self.onesided and not real:
            raise ParameterError("onesided", "False for a complex signal or window", "True")
        half = real if self.onesided is None else self.onesided
        return np.fft.rfft(pieces, norm=self.norm) if half else np.fft.fft(pieces, norm=self.norm)


@registry.register(
    "aten::istft", inputs=("x n_fft hop_length win_length window center normalized onesided length return_complex",)
)
@registry.register("torch.istft")
class ISTFT(_ShortTime):
    """(F, T) -> (L,), or (B, F, T) -> (B, L): the signal whose STFT is nearest to the given one, by least squares.

    The pieces go back to their places, each times the window once more; where they overlap they add up, and the sum
    is divided by that of the squared windows.

    Parameters
    ----------
    n_fft, hop_length, win_length, window, center, normalized, onesided : as for the STFT; onesided None means whether
        F differs from n_fft.
    length : L; None is all that the pieces cover, without what center had added.
    return_complex : the signal was complex, and so is the result; needs all n_fft frequencies.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.istft.html

    >>> ISTFT(4, hop_length=4, center=False).forward(np.array([[4, 4], [0, 0], [0, 4]], complex))
    array([1., 1., 1., 1., 2., 0., 2., 0.])
    """

    def __init__(
        self,
        n_fft: Any,
        hop_length: Any = None,
        win_length: Any = None,
        window: np.ndarray | None = None,
        center: bool = True,
        normalized: bool = False,
        onesided: bool | None = None,
        length: Any = None,
        return_complex: bool = False,
    ) -> None:
        super().__init__(n_fft, hop_length, win_length, window, center, normalized, onesided)
        self.length, self.return_complex = None if length is None else int(length), return_complex
        if self.hop > self.win_length:
            raise ParameterError("hop_length", f"1 to win_length={self.win_length}", repr(hop_length))

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """A fast transform of each piece, its product with the window, its sum, and a division for each output."""
        *batch, _, count = known(inputs[0])
        transforms = self.pieces_flops(inputs[0], not self.return_complex)
        return transforms + math.prod(batch) * count * self.n_fft + size(outputs[0])

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Put the signal together. Raises InferError where the windows leave a part of it unknown."""
        self._check(x)
        pieces = self._pieces(np.swapaxes(x if x.ndim == 3 else x[None], 1, 2))
        window = self.full_window(pieces.real.dtype)
        signal = self._cut(overlap_add(pieces * window, self.hop))
        weight = self._cut(overlap_add(np.broadcast_to(window * window, (1, *pieces.shape[1:])), self.hop))
        if weight.size == 0 or np.abs(weight).min() < 1e-11:
            raise InferError("window: expected its pieces to cover the whole signal, found elements with weight 0")
        signal = signal / weight
        if self.length is not None:
            signal = np.pad(signal, ((0, 0), (0, self.length - signal.shape[1])))
        return signal if x.ndim == 3 else signal[0]

    def _check(self, x: np.ndarray) -> None:
        half = self.n_fft // 2 + 1
        if x.ndim not in (2, 3) or x.size == 0 or x.dtype.kind != "c":
            raise RankError("input", "a complex spectrogram (F, T) or several (B, F, T)", f"{x.dtype} {x.shape}")
        onesided = x.shape[-2] != self.n_fft if self.onesided is None else self.onesided
        count = half if onesided else self.n_fft
        if x.shape[-2] != count:
            raise ShapeError("input", f"{count} frequencies for n_fft={self.n_fft}, onesided={onesided}", x.shape)
        if self.return_complex and onesided:
            raise ParameterError("return_complex", "False where only half of the frequencies is given", "True")
        if not self.return_complex and self.window is not None and self.window.dtype.kind == "c":
            raise ParameterError("return_complex", "True for a complex window", "False")

    def _pieces(self, spectrum: np.ndarray) -> np.ndarray:
        """(B, T, F) -> (B, T, n_fft)."""
        if self.return_complex:
            return np.fft.ifft(spectrum, norm=self.norm)
        return np.fft.irfft(spectrum[..., : self.n_fft // 2 + 1], self.n_fft, norm=self.norm)

    def _cut(self, signal: np.ndarray) -> np.ndarray:
        start = self.n_fft // 2 if self.center else 0
        if self.length is not None:
            return signal[:, start : start + self.length]
        return signal[:, start : signal.shape[1] - start]


def overlap_add(pieces: np.ndarray, hop: int) -> np.ndarray:
    """(B, T, n) -> (B, n + (T-1)*hop): piece t added to the elements from t * hop on.

    >>> overlap_add(np.array([[[1, 2], [10, 20], [100, 200]]]), 1)
    array([[  1,  12, 120, 200]])
    """
    batch, count, size = pieces.shape
    total = np.zeros((batch, size + (count - 1) * hop), pieces.dtype)
    for t in range(count):
        total[:, t * hop : t * hop + size] += pieces[:, t]
    return total
