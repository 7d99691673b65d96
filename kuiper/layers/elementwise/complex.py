"""Complex numbers: made of two parts, and taken apart.

complex64 consists of two float32, complex128 of two float64. Results may share x's memory. numpy lacks the complex32
that PyTorch makes of float16; it becomes complex64.
Source: https://docs.pytorch.org/docs/stable/complex_numbers.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ShapeError
from kuiper.layers.arrays.shape import Movement
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import moves
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.scalars.formulas import of_parts


@registry.register("torch.complex", "aten::complex")
class Complex(Layer):
    """Real and imaginary parts (...), (...) -> the broadcast shape, complex: real + imag j.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.complex.html

    >>> Complex().forward(np.array([1.0]), np.array([2.0])).tolist()
    [(1+2j)]
    """

    family = ARITHMETIC
    flops = moves

    def forward(self, real: np.ndarray, imag: np.ndarray) -> np.ndarray:
        """Join the parts. Raises InferError unless both are floats of one type."""
        check_dtype(type(self).__name__, real, "f")
        if real.dtype != imag.dtype:
            raise ShapeError("imag", f"elements of type {real.dtype}, as real has", imag.dtype)
        return of_parts(single(real), single(imag))


@registry.register("torch.real", "Tensor.real", "aten::real")
class Real(Layer):
    """(...) complex -> (...) real: the real part; x itself where it is real.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.real.html
    """

    family = ARITHMETIC
    flops = moves

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the real part."""
        return x.real


@registry.register("torch.imag", "Tensor.imag", "aten::imag")
class Imag(Layer):
    """(...) complex -> (...) real: the imaginary part.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.imag.html
    """

    family = ARITHMETIC
    flops = moves

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the imaginary part."""
        check_dtype(type(self).__name__, x, "c")
        return x.imag


@registry.register("torch.view_as_real", "aten::view_as_real")
class ViewAsReal(Movement):
    """(...) complex -> (..., 2) real: real and imaginary part side by side.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.view_as_real.html
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the numbers apart."""
        check_dtype(type(self).__name__, x, "c")
        return np.stack([x.real, x.imag], -1)


@registry.register("torch.view_as_complex", "aten::view_as_complex")
class ViewAsComplex(Movement):
    """(..., 2) real -> (...) complex: the last dimension holds real and imaginary part.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.view_as_complex.html
    """

    def forward(self, x: np.ndarray) -> Any:
        """Join the parts."""
        check_dtype(type(self).__name__, x, "f")
        if x.ndim == 0 or x.shape[-1] != 2:
            raise ShapeError("input", "shape (..., 2), real and imaginary part", x.shape)
        x = single(x)
        return of_parts(x[..., 0], x[..., 1])
