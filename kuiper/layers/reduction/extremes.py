"""Extremes: the largest and the smallest element of a dimension, and where they stand.

NaN counts as both the largest and the smallest; among equals the first is meant.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kuiper.errors import EmptyError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import per_input
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


class _Place(Layer):
    """Where an extreme stands along one dimension, or in the array read in row-major order."""

    family = ARITHMETIC
    flops = per_input(1)
    inputs = ("x", "x dim", "x dim keepdim")
    largest: ClassVar[bool]

    def __init__(self, dim: Any = None, keepdim: bool = False) -> None:
        self.dim, self.keepdim = None if dim is None else int(dim), bool(keepdim)

    def places(self, x: np.ndarray) -> np.ndarray:
        """(..., n, ...) -> (..., 1, ...) int64; without a dim, shape (1, 1, ...)."""
        find = np.argmax if self.largest else np.argmin
        if x.ndim == 0:
            return np.zeros((), np.int64)
        return np.asarray(find(x, self.dim, keepdims=True), np.int64)

    def kept(self, y: np.ndarray) -> np.ndarray:
        """Drop the reduced dimensions, unless they are to stay."""
        return y if self.keepdim or y.ndim == 0 else y.squeeze(self.dim)


class _Arg(_Place):
    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute the places."""
        check_dtype(type(self).__name__, x, "if")
        return self.kept(self.places(x))


@registry.register("torch.argmax", "Tensor.argmax", "aten::argmax")
class Argmax(_Arg):
    """(..., n, ...) -> (..., ...) int64: where the largest element over `dim` stands.

    Parameters
    ----------
    dim : the dimension; None means the whole array, read in row-major order.
    keepdim : leave the reduced dimensions with size 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.argmax.html

    >>> Argmax(dim=1).forward(np.array([[3, 7, 7], [9, 1, 2]])).tolist()
    [1, 0]
    """

    largest = True


@registry.register("torch.argmin", "Tensor.argmin", "aten::argmin")
class Argmin(_Arg):
    """(..., n, ...) -> (..., ...) int64: where the smallest element over `dim` stands, with the options of Argmax.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.argmin.html
    """

    largest = False


class _Extreme(_Place):
    drops_unread = True

    def forward(self, x: np.ndarray) -> Any:
        """Compute the value; with a dim, values and places."""
        check_dtype(type(self).__name__, x, "bif")
        if self.dim is None and x.size == 0:
            raise EmptyError("input", "one element at least", x.shape)
        places = self.places(x)
        if self.dim is None:
            return np.asarray(x.reshape(-1)[places.item()])
        values = x if x.ndim == 0 else np.take_along_axis(x, places, self.dim)
        return self.kept(values), self.kept(places)


@registry.register("torch.max", "Tensor.max", "aten::max")
class Max(_Extreme):
    """(..., n, ...) -> values (..., ...) and indices (..., ...): the largest over `dim`. Without a dim: the largest.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.max.html

    >>> Max().forward(np.array([[1, 5], [3, 2]])).item()
    5
    """

    largest = True


@registry.register("torch.min", "Tensor.min", "aten::min")
class Min(_Extreme):
    """(..., n, ...) -> values (..., ...) and indices (..., ...): the smallest over `dim`. Without a dim: the smallest.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.min.html
    """

    largest = False
