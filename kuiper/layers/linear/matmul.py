"""Products of matrices and vectors.

Source: https://docs.pytorch.org/docs/stable/torch.html#blas-and-lapack-operations
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ParameterError, RankError, ShapeError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known, per_output, size
from kuiper.layers.families import LINEAR
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(..., n, k), (..., k, m) -> (..., n, m), leading axes broadcast; an operand of one axis is a vector.

    A vector on the left is one row, on the right one column, and the result lacks that axis. Sums of float16 are
    formed in float32. Raises ShapeError when the sizes k differ, InferError when the element types do.

    >>> product(np.array([[1, 2], [3, 4]]), np.array([10, 1])).tolist()
    [12, 34]
    """
    check_dtype("matmul", a, "fic", b)
    inner = b.shape[-2:][0] if b.ndim else None
    if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != inner:
        raise ShapeError("matmul", "(..., n, k) and (..., k, m)", f"{a.shape} and {b.shape}")
    return np.asarray(single(a) @ single(b)).astype(a.dtype, copy=False)


class Product(Layer):
    """An operation whose every result is a sum of products of two numbers."""

    family = LINEAR

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every output element sums k products; k is the last axis of the last operand but one."""
        *more, first, _ = map(known, inputs)
        return size(outputs[0]) * (2 * (first[-1] if first else 1) + len(more))


@registry.register("torch.matmul", "Tensor.matmul")
class MatMul(Product):
    """(..., n, k), (..., k, m) -> (..., n, m): y[i, j] = sum over k of a[i, k] * b[k, j]; vectors are welcome.

    >>> MatMul().forward(np.ones((5, 1, 2, 3)), np.ones((4, 3, 6))).shape
    (5, 4, 2, 6)
    """

    ranks: ClassVar[tuple[int, int] | None] = None
    """How many axes the two operands must have; None means any number from 1."""

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Compute a @ b. Raises ShapeError when the ranks or sizes do not fit."""
        if self.ranks is not None:
            check_ranks(type(self).__name__, self.ranks, a, b)
        return product(a, b)


@registry.register("torch.mm", "Tensor.mm")
class MM(MatMul):
    """(n, k), (k, m) -> (n, m): the matrix product."""

    ranks: ClassVar[tuple[int, int] | None] = (2, 2)


@registry.register("torch.bmm", "Tensor.bmm")
class BMM(MatMul):
    """(b, n, k), (b, k, m) -> (b, n, m): one matrix product for each of b pairs."""

    ranks: ClassVar[tuple[int, int] | None] = (3, 3)


@registry.register("torch.mv", "Tensor.mv")
class MV(MatMul):
    """(n, k), (k) -> (n): matrix times vector."""

    ranks: ClassVar[tuple[int, int] | None] = (2, 1)


@registry.register("torch.dot", "aten::dot")
class Dot(MatMul):
    """(k), (k) -> (): the sum of the products."""

    ranks: ClassVar[tuple[int, int] | None] = (1, 1)


@registry.register("torch.outer", "aten::outer")
class Outer(Layer):
    """(n), (m) -> (n, m): y[i, j] = a[i] * b[j]."""

    family = LINEAR
    flops = per_output(1)

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Compute the outer product."""
        check_ranks("Outer", (1, 1), a, b)
        return a[:, None] * b[None, :]


@registry.register("torch.inner", "aten::inner")
class Inner(Product):
    """(..., k), (..., k) -> (axes of a but the last, axes of b but the last): sums of products over the last axes."""

    def forward(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Compute the inner product; a 0-d operand multiplies the other."""
        if a.ndim == 0 or b.ndim == 0:
            return np.asarray(a * b)
        flat = product(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]).T)
        return flat.reshape(a.shape[:-1] + b.shape[:-1])


class AddedProduct(Product):
    """beta * x + alpha * (a @ b), where x broadcasts to the shape of the product.

    Parameters
    ----------
    alpha, beta : numbers; with beta = 0, x plays no part, whatever is in it. Whole ones where the arrays hold integers.
    """

    ranks: ClassVar[tuple[int, int]]

    def __init__(self, alpha: Any = 1, beta: Any = 1) -> None:
        self.alpha, self.beta = alpha, beta

    def forward(self, x: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Compute the product, scale, add. Raises ShapeError when the ranks or sizes do not fit."""
        check_ranks(type(self).__name__, self.ranks, a, b)
        check_dtype(type(self).__name__, a, "fic", x)
        for name, factor in (("alpha", self.alpha), ("beta", self.beta)):
            if a.dtype.kind in "iu" and factor != int(factor):
                raise ParameterError(name, f"a whole number for {a.dtype} arrays", repr(factor))
        y = single(product(a, b))
        if np.broadcast_shapes(x.shape, y.shape) != y.shape:
            raise ShapeError(type(self).__name__, f"an input that broadcasts to the product's {y.shape}", x.shape)
        y = y * y.dtype.type(self.alpha)
        if self.beta != 0:
            y += single(x) * y.dtype.type(self.beta)
        return y.astype(a.dtype, copy=False)


@registry.register("torch.addmm", "Tensor.addmm")
class AddMM(AddedProduct):
    """(n, m), (n, k), (k, m) -> (n, m): beta * x + alpha * (a @ b).

    >>> AddMM(beta=10).forward(np.array([1.0]), np.eye(2), np.eye(2)).tolist()
    [[11.0, 10.0], [10.0, 11.0]]
    """

    ranks: ClassVar[tuple[int, int]] = (2, 2)


@registry.register("torch.baddbmm", "Tensor.baddbmm")
class BAddBMM(AddedProduct):
    """(b, n, m), (b, n, k), (b, k, m) -> (b, n, m): beta * x + alpha * (a @ b), for each of b matrices."""

    ranks: ClassVar[tuple[int, int]] = (3, 3)


def check_ranks(name: str, ranks: tuple[int, int], a: np.ndarray, b: np.ndarray) -> None:
    """Raise ShapeError unless a and b have these numbers of axes and, of three each, as many matrices."""
    found = f"{a.shape} and {b.shape}"
    if (a.ndim, b.ndim) != ranks:
        raise RankError(name, f"operands of {ranks[0]} and {ranks[1]} axes", found)
    if ranks == (3, 3) and len(a) != len(b):
        raise ShapeError(name, "as many matrices in both operands", found)
