"""Fourier transforms: a signal as a sum of waves.

X[k] = sum over j of x[j] e^(-2 pi i jk/n), along one dimension after the other. All keep the precision of the input:
float32 <-> complex64, float64 <-> complex128; integers count as float32.
Source: https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.errors import DTypeError, OutputSizeError, ParameterError, RankError
from kuiper.layers.arrays.creation import NEW
from kuiper.layers.arrays.shape import Movement, integers
from kuiper.layers.cost import Shapes, known, per_output
from kuiper.layers.elementwise.conversion import numpy_type
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

Transform = Callable[..., np.ndarray]
"""(x, sizes, dims, norm) -> the transform along dims, after x is cut or filled up with zeros to sizes."""

SWAPPED: dict[str, Any] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def hfftn(x: np.ndarray, sizes: list[int], dims: list[int], norm: str) -> np.ndarray:
    """Half of a Hermitian signal -> its real spectrum: the inverse transform of the conjugate, scaled the other way."""
    return np.fft.irfftn(np.conj(x), sizes, dims, SWAPPED[norm])


def ihfftn(x: np.ndarray, sizes: list[int], dims: list[int], norm: str) -> np.ndarray:
    """A real spectrum -> half of its Hermitian signal; the inverse of hfftn."""
    return np.conj(np.fft.rfftn(x, sizes, dims, SWAPPED[norm]))


def fast_transform(n: int, real: bool) -> int:
    """Operations of a fast Fourier transform of n numbers: 5 n log2(n), and half of that if they are real.

    The count by which such transforms are compared, whatever their algorithm: http://www.fftw.org/speed

    >>> fast_transform(8, real=False)
    120
    """
    return round((2.5 if real else 5) * n * math.log2(n))


class Fourier(Layer):
    """(..., n, ...) -> (..., n', ...): `transform` along one dimension or several.

    Parameters
    ----------
    n, s : the sizes to which the dimensions are cut or filled up with zeros first; -1 and None leave a size as it is.
        For irfft and hfft the last one is the size of the output; None is 2 (n - 1).
    dim : one dimension, or several; None means the last len(s), or all.
    norm : backward (None) divides the inverse by n, forward the transform itself, ortho both by sqrt(n).
    """

    family = ARITHMETIC
    transform: Transform
    half: tuple[bool, bool] = False, False
    """Whether only half of the input, and of the output, is there: the rest of the last dimension mirrors it."""

    def __init__(self, n: Any = None, s: Any = None, dim: Any = None, norm: str | None = None) -> None:
        self.sizes, self.dims = integers(s if n is None else n), integers(dim)
        self.norm = "backward" if norm is None else norm
        if self.norm not in SWAPPED:
            raise ParameterError("norm", f"one of {', '.join(SWAPPED)}", repr(norm))
        if self.sizes and self.dims and len(self.sizes) != len(self.dims):
            raise ParameterError("s", f"one size for each of dim={self.dims}", repr(self.sizes))

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Those of a fast transform of each dimension, on the side where all elements are there."""
        whole = list(known((inputs if self.half[1] else outputs)[0]))
        dims = self.dims or range(-(len(self.sizes) or len(whole)), 0)
        for dim, size in zip(dims, self.sizes):
            whole[dim] = whole[dim] if size == -1 else size
        real = any(self.half)
        return sum(math.prod(whole) // whole[dim] * fast_transform(whole[dim], real) for dim in dims)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Transform x. Raises ShapeError for dimensions or sizes that it cannot have."""
        if x.dtype.kind == "c" and self.half[1]:
            raise DTypeError(f"input: expected real numbers, whose spectrum is symmetric, found {x.dtype}")
        dims = self._dims(x)
        x = dtypes.as_float(x)
        return type(self).transform(x, self._sizes(x, dims), dims, self.norm)

    def _dims(self, x: np.ndarray) -> list[int]:
        dims = list(self.dims or range(-(len(self.sizes) or x.ndim), 0))
        allowed = range(-x.ndim, x.ndim)
        if not dims or any(dim not in allowed for dim in dims) or len({dim % x.ndim for dim in dims}) < len(dims):
            raise RankError("dim", f"different dimensions of the input {x.shape}", dims)
        return dims

    def _sizes(self, x: np.ndarray, dims: list[int]) -> list[int]:
        old = [x.shape[dim] for dim in dims]
        if self.half[0]:
            old[-1] = 2 * (old[-1] - 1)
        sizes = [b if a == -1 else a for a, b in zip(self.sizes, old)] if self.sizes else old
        if min(sizes) < 1:
            raise OutputSizeError("n", f"sizes of 1 at least along dim={dims} of the input {x.shape}", sizes)
        return sizes


class OneDimension(Fourier):
    """Along the last dimension, unless `dim` says another."""

    def __init__(self, n: Any = None, dim: Any = -1, norm: str | None = None) -> None:
        if n is not None and int(n) < 1:
            raise ParameterError("n", "1 or more", repr(n))
        super().__init__(n=n, dim=dim, norm=norm)


class TwoDimensions(Fourier):
    """Along the last two dimensions, unless `dim` says others."""

    def __init__(self, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> None:
        super().__init__(s=s, dim=dim, norm=norm)


class ManyDimensions(Fourier):
    """Along all dimensions, unless `dim` or `s` says which."""

    def __init__(self, s: Any = None, dim: Any = None, norm: str | None = None) -> None:
        super().__init__(s=s, dim=dim, norm=norm)


TRANSFORMS: dict[str, tuple[Transform, tuple[bool, bool]]] = {
    "fft": (np.fft.fftn, (False, False)),
    "ifft": (np.fft.ifftn, (False, False)),
    "rfft": (np.fft.rfftn, (False, True)),
    "irfft": (np.fft.irfftn, (True, False)),
    "hfft": (hfftn, (True, False)),
    "ihfft": (ihfftn, (False, True)),
}
"""name -> the transform along any dimensions, and which side of it is half."""

for _name, (_transform, _half) in TRANSFORMS.items():
    for _suffix, _shape in (("", OneDimension), ("2", TwoDimensions), ("n", ManyDimensions)):
        _parts = {"transform": staticmethod(_transform), "half": _half, "__doc__": f"{_name}. {_shape.__doc__}"}
        _layer = type(_name + _suffix, (_shape,), _parts)
        registry.add(f"torch.fft.{_name}{_suffix}", _layer)


@registry.register("torch.fft.fftshift")
@registry.register("aten::fft_fftshift", inputs=("x", "x dim"))
class FFTShift(Movement):
    """(..., n, ...) -> (..., n, ...): rotated by n // 2, so that frequency 0 comes to the middle.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fft.fftshift.html

    >>> FFTShift().forward(np.array([0, 1, 2, -2, -1]))
    array([-2, -1,  0,  1,  2])
    """

    def __init__(self, dim: Any = None) -> None:
        self.dims = integers(dim) or None

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Rotate the dimensions `dim` of x; None is all."""
        return np.fft.fftshift(x, self.dims)


@registry.register("torch.fft.ifftshift")
@registry.register("aten::fft_ifftshift", inputs=("x", "x dim"))
class IFFTShift(FFTShift):
    """(..., n, ...) -> (..., n, ...): FFTShift undone.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fft.ifftshift.html
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Rotate the dimensions `dim` of x back; None is all."""
        return np.fft.ifftshift(x, self.dims)


@registry.register("aten::fft_fftfreq", inputs=("n", "n d", f"n d {NEW}"))
class FFTFreq(Layer):
    """-> (n,): the frequencies of the elements of a transform, k / (n d) for k = 0, 1, ..., -2, -1, in float32.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fft.fftfreq.html

    >>> FFTFreq(4, 0.5).forward().tolist()
    [0.0, 0.5, -1.0, -0.5]
    """

    family = ARITHMETIC
    flops = per_output(1)

    def __init__(self, n: Any, d: Any = 1.0, dtype: Any = None) -> None:
        self.n, self.d, self.dtype = int(n), float(d), numpy_type(dtype)

    def forward(self) -> np.ndarray:
        """Compute the frequencies."""
        return np.fft.fftfreq(self.n, self.d).astype(self.dtype)


@registry.register("aten::fft_rfftfreq", inputs=("n", "n d", f"n d {NEW}"))
class RFFTFreq(FFTFreq):
    """-> (n // 2 + 1,): the frequencies from 0 up, for half of a transform.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fft.rfftfreq.html
    """

    def forward(self) -> np.ndarray:
        """Compute the frequencies."""
        return np.fft.rfftfreq(self.n, self.d).astype(self.dtype)
