"""Norms and vectors: the length of a vector, the distance of two, and what is perpendicular to both.

Source: https://docs.pytorch.org/docs/stable/linalg.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.dtypes import common, converted, finite_or_not, single
from kuiper.errors import ShapeError
from kuiper.layers.arrays.shape import integers
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known, per_broadcast, per_input, per_output, size
from kuiper.layers.elementwise.conversion import element_type
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.reduction.reduction import every_axis
from kuiper.layers.registry import registry


def norm(x: np.ndarray, p: float, axes: tuple[int, ...], keepdim: bool) -> np.ndarray:
    """(..., n, ...) -> (..., ...): (sum of |x|^p)^(1/p) over `axes`; for p = 0 the count of elements that are not 0.

    Its limits for p = inf and -inf are the largest and the smallest |x|. Complex elements give real norms.

    >>> norm(np.array([3.0, -4.0]), 2, (0,), False).item()
    5.0
    """
    check_dtype("norm", x, "fc")
    lengths = np.abs(single(x))
    with np.errstate(all="ignore"):
        if math.isinf(p):
            result = (lengths.max if p > 0 else lengths.min)(axes, keepdims=keepdim)
        elif p == 0:
            result = (lengths != 0).sum(axes, keepdims=keepdim)
        elif p == 1:
            result = lengths.sum(axes, keepdims=keepdim)
        elif p == 2:
            result = np.sqrt((lengths * lengths).sum(axes, keepdims=keepdim))
        else:
            result = (lengths**p).sum(axes, keepdims=keepdim) ** (1 / p)
        return np.asarray(result).astype(x.real.dtype)


@registry.register("torch.norm", "Tensor.norm", "aten::linalg_vector_norm")
class Norm(Layer):
    """(..., n, ...) -> (..., ...): the p-norm over `dim`, all its elements read as one vector.

    Parameters
    ----------
    p : a number, inf or -inf; "fro" means 2.
    dim : an int or several; none at all means every dimension.
    keepdim : leave the reduced dimensions with size 1.
    dtype : convert to this element type first.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.norm.html
    """

    family = ARITHMETIC
    flops = per_input(2)
    inputs = ("x", "x p dim keepdim dtype")

    def __init__(self, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> None:
        self.p = 2.0 if p in ("fro", None) else float(p)
        self.dims, self.keepdim, self.dtype = integers(dim), bool(keepdim), element_type(dtype)

    @classmethod
    def natural_type(cls, dtype: np.dtype) -> np.dtype:
        """The norm of complex numbers is real."""
        return np.zeros((), dtype).real.dtype

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute the norm."""
        x = x if self.dtype is None else converted(x, self.dtype.compute)
        return norm(x, self.p, every_axis(x, self.dims), self.keepdim)


@registry.register("aten::linalg_norm", "torch.linalg.norm")
class LinalgNorm(Layer):
    """(..., n, ...) -> (..., ...): the norm of vectors, or of matrices when `dim` names two dimensions.

    Parameters
    ----------
    ord : None is the 2-norm of all elements read as one vector; for vectors a number, inf or -inf; for matrices
        "fro", "nuc", 1, -1, 2, -2, inf or -inf.
    dim : one dimension or two; none at all means every dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.norm.html
    """

    family = ARITHMETIC
    inputs = ("x", "x ord dim keepdim dtype")

    def __init__(self, ord: Any = None, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> None:
        self.ord, self.dims, self.keepdim = finite_or_not(ord), integers(dim), bool(keepdim)
        self.dtype = element_type(dtype)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """2 for each element, as Norm; 4 m n^2 for the singular values of a matrix (m, n), n the smaller side.

        Source: Golub, Van Loan, "Matrix Computations", section 8.6
        """
        if self.ord not in ("nuc", 2, -2) or len(self.dims) != 2:
            return 2 * size(inputs[0])
        return 4 * size(inputs[0]) * min(known(inputs[0])[dim] for dim in self.dims)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute the norm."""
        x = x if self.dtype is None else converted(x, self.dtype.compute)
        axes = every_axis(x, self.dims)
        if self.ord is None or len(axes) < 2:
            return norm(x, 2.0 if self.ord is None else float(self.ord), axes, self.keepdim)
        check_dtype(type(self).__name__, x, "fc")
        return np.asarray(np.linalg.norm(single(x), self.ord, axes, self.keepdim)).astype(x.real.dtype)


@registry.register("aten::linalg_matrix_norm", "torch.linalg.matrix_norm")
class MatrixNorm(LinalgNorm):
    """(..., n, m) -> (...): the norm of the matrices in the two dimensions `dim`, with the options of LinalgNorm.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.matrix_norm.html
    """

    def __init__(self, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, dtype: Any = None) -> None:
        super().__init__(ord, dim, keepdim, dtype)


@registry.register("torch.dist")
@registry.register("aten::dist", inputs=("x x p",))
class Dist(Layer):
    """(...), (...) -> (): the p-norm of all elements of x - y.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.dist.html
    """

    family = ARITHMETIC
    flops = per_broadcast(3)  # a difference for each pair of elements, and 2 for its part of the norm

    def __init__(self, p: Any = 2) -> None:
        self.p = p

    def forward(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Compute the distance."""
        a, b = common(x, y)
        return Norm(self.p).forward(np.asarray(a - b))


@registry.register("torch.cross", "Tensor.cross", "torch.linalg.cross")
@registry.register("aten::linalg_cross", inputs=("x x dim",))
class Cross(Layer):
    """(..., 3, ...), (..., 3, ...) -> the broadcast shape: the vector product along `dim`.

    Parameters
    ----------
    dim : where the three coordinates lie; None means the first dimension of size 3.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cross.html

    >>> Cross(dim=0).forward(np.array([1, 0, 0]), np.array([0, 1, 0])).tolist()
    [0, 0, 1]
    """

    family = ARITHMETIC
    flops = per_output(3)

    def __init__(self, dim: Any = None) -> None:
        self.dim = None if dim is None else int(dim)

    def forward(self, x: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Compute the product. Raises ShapeError without three coordinates."""
        if x.ndim != other.ndim:
            raise ShapeError("inputs", "the same number of dimensions", f"{x.shape} and {other.shape}")
        dim = self.dim
        if dim is None and 3 in x.shape:
            dim = x.shape.index(3)
        if dim is None or not x.shape[dim] == other.shape[dim] == 3:
            raise ShapeError("inputs", "a dimension of size 3", f"{x.shape} and {other.shape}")
        check_dtype(type(self).__name__, x, "ifc")
        if x.dtype != other.dtype:
            raise ShapeError("other", f"elements of type {x.dtype}, as the first input has", other.dtype)
        a, b = (np.moveaxis(y, dim, 0) for y in np.broadcast_arrays(x, other))
        product = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
        return np.stack(product, dim % x.ndim)
