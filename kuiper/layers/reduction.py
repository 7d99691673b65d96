"""Reductions (lesson 8): one number in place of a whole dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.layers.shape import integers


class Reduction(Layer):
    """(..., n, ...) -> (..., ...), or (..., 1, ...) with keepdim: `dim` reduced by the subclass' `reduce`.

    Parameters
    ----------
    dim : an int or several, negative ones from the end; none at all means every dimension.
    keepdim : leave the reduced dimensions with size 1.
    """

    def __init__(self, dim: Any = None, keepdim: bool = False) -> None:
        self.dims, self.keepdim = integers(dim), keepdim

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Reduce the dimensions."""
        axes = () if x.ndim == 0 else self.dims or tuple(range(x.ndim))
        return np.asarray(self.reduce(x, axes))

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the reduction of x over axes, with self.keepdim."""
        raise NotImplementedError(f"{type(self).__name__}.reduce")


@registry.register("torch.mean", "Tensor.mean")
class Mean(Reduction):
    """(..., n, ...) -> (..., ...): the sum over `dim`, divided by n; float32 for integers, NaN where n = 0.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.mean.html

    >>> Mean(dim=[1]).forward(np.array([[1, 2], [3, 5]])).tolist()
    [1.5, 4.0]
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute sum / count."""
        kind = dtypes.as_float(x.dtype)
        total = x.sum(axes, dtype=np.promote_types(kind, np.float32), keepdims=self.keepdim)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (total / np.float32(math.prod(x.shape[axis] for axis in axes))).astype(kind)


@registry.register("torch.sum", "Tensor.sum")
class Sum(Reduction):
    """(..., n, ...) -> (..., ...): the sum over `dim`; int64 for integers and booleans.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sum.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the sum; float16 is added up in float32."""
        kind = np.dtype(np.int64) if x.dtype.kind in "biu" else x.dtype
        wide = np.dtype(np.float32) if kind == np.float16 else kind
        return x.sum(axes, dtype=wide, keepdims=self.keepdim).astype(kind)


@registry.register("torch.amax", "Tensor.amax")
class Amax(Reduction):
    """(..., n, ...) -> (..., ...): the largest over `dim`; NaN wins.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.amax.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the maximum."""
        return x.max(axes, keepdims=self.keepdim)


@registry.register("torch.amin", "Tensor.amin")
class Amin(Reduction):
    """(..., n, ...) -> (..., ...): the smallest over `dim`; NaN wins.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.amin.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the minimum."""
        return x.min(axes, keepdims=self.keepdim)
