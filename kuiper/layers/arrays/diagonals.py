"""Diagonals: taken out of matrices, made into matrices, and the triangles on their two sides.

Source: https://docs.pytorch.org/docs/stable/torch.html#other-operations
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.errors import RankError
from kuiper.layers.arrays.shape import Movement
from kuiper.layers.cost import Shapes, known
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@registry.register("torch.diag", "Tensor.diag")
class Diag(Movement):
    """(n) -> (n + |d|, n + |d|): a matrix with x on diagonal d, 0 elsewhere; or (a, b) -> (k): diagonal d of a matrix.

    Parameters
    ----------
    diagonal : 0 is the main one, positive ones are above it, negative ones below.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diag.html

    >>> Diag(diagonal=1).forward(np.array([[1, 2], [3, 4]])).tolist()
    [2]
    """

    def __init__(self, diagonal: Any = 0) -> None:
        self.diagonal = int(diagonal)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Make or take the diagonal. Raises ShapeError for an input with neither one nor two dimensions."""
        if x.ndim not in (1, 2):
            raise RankError("input", "one or two dimensions", f"shape {x.shape}")
        return np.diag(x, self.diagonal)


@registry.register("torch.diagonal", "Tensor.diagonal")
@registry.register("aten::diagonal", inputs=("x offset dim1 dim2",))
class Diagonal(Movement):
    """(..., a, b) -> (..., k): the diagonal of the plane of two dimensions, which go; it becomes the last one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diagonal.html
    """

    def __init__(self, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> None:
        self.offset, self.dim1, self.dim2 = int(offset), int(dim1), int(dim2)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the diagonal."""
        return np.diagonal(x, self.offset, self.dim1, self.dim2)


@registry.register("torch.diag_embed", "Tensor.diag_embed")
@registry.register("aten::diag_embed", inputs=("x offset dim1 dim2",))
class DiagEmbed(Movement):
    """(..., n) -> (..., n + |offset|, n + |offset|): matrices with the last dimension of x on a diagonal, 0 elsewhere.

    Parameters
    ----------
    offset : which diagonal.
    dim1, dim2 : which dimensions of the result the matrices lie in.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diag_embed.html
    """

    def __init__(self, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> None:
        self.offset, self.dim1, self.dim2 = int(offset), int(dim1), int(dim2)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Make the matrices."""
        length, shift = x.shape[-1], abs(self.offset)
        y = np.zeros((*x.shape[:-1], length + shift, length + shift), x.dtype)
        rows = np.arange(length) + max(-self.offset, 0)
        y[..., rows, rows + self.offset] = x
        return np.moveaxis(y, (-2, -1), (self.dim1, self.dim2))


class _Triangle(Movement):
    side: Callable[[np.ndarray, int], np.ndarray]

    def __init__(self, diagonal: Any = 0) -> None:
        self.diagonal = int(diagonal)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Keep the triangle. Raises ShapeError for an input with fewer than two dimensions."""
        if x.ndim < 2:
            raise RankError("input", "two dimensions at least", f"shape {x.shape}")
        return type(self).side(x, self.diagonal)


@registry.register("torch.tril", "Tensor.tril")
@registry.register("aten::tril", inputs=("x diagonal",))
class Tril(_Triangle):
    """(..., a, b) -> (..., a, b): matrices with 0 above the given diagonal.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tril.html
    """

    side = staticmethod(np.tril)


@registry.register("torch.triu", "Tensor.triu")
@registry.register("aten::triu", inputs=("x diagonal",))
class Triu(_Triangle):
    """(..., a, b) -> (..., a, b): matrices with 0 below the given diagonal.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.triu.html
    """

    side = staticmethod(np.triu)


@registry.register("torch.trace", "Tensor.trace", "aten::trace")
class Trace(Layer):
    """(a, b) -> (): the sum of the main diagonal; int64 for integers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.trace.html
    """

    family = ARITHMETIC

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """One addition per element of the diagonal."""
        return min(known(inputs[0]))

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Add up the diagonal."""
        if x.ndim != 2:
            raise RankError("input", "two dimensions", f"shape {x.shape}")
        return np.asarray(np.trace(x, dtype=np.int64 if x.dtype.kind in "biu" else x.dtype))
