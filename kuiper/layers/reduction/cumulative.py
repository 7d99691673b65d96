"""Cumulative operations: at every place along a dimension, the reduction of all elements up to there."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import converted, single
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import per_input
from kuiper.layers.elementwise.conversion import element_type
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.reduction.reduction import total_type
from kuiper.layers.registry import registry


class Cumulative(Layer):
    """(..., n, ...) -> (..., n, ...): the subclass' `accumulate` along `dim`.

    Parameters
    ----------
    dim : the dimension, negative ones from the end.
    dtype : convert to this element type first.
    """

    family = ARITHMETIC
    flops = per_input(1)
    inputs = ("x", "x dim", "x dim dtype")

    def __init__(self, dim: Any = 0, dtype: Any = None) -> None:
        self.dim, self.dtype = int(dim), element_type(dtype)

    def forward(self, x: np.ndarray) -> Any:
        """Accumulate; a single number counts as one element."""
        x = x if self.dtype is None else converted(x, self.dtype.compute)
        result = self.accumulate(np.atleast_1d(x))
        return tuple(y.reshape(x.shape) for y in result) if isinstance(result, tuple) else result.reshape(x.shape)

    def accumulate(self, x: np.ndarray) -> Any:
        """Compute the accumulation of x along self.dim."""
        raise NotImplementedError(f"{type(self).__name__}.accumulate")


class _Running(Cumulative):
    ufunc: ClassVar[np.ufunc]

    @classmethod
    def natural_type(cls, dtype: np.dtype) -> np.dtype:
        """Integers become int64."""
        return total_type(dtype)

    def accumulate(self, x: np.ndarray) -> np.ndarray:
        """Floats are accumulated in float64 and rounded once, as PyTorch does."""
        kind = total_type(x.dtype) if self.dtype is None else x.dtype
        precise = np.promote_types(kind, np.float64) if kind.kind in "fc" else np.dtype(np.int64)
        return self.ufunc.accumulate(x, self.dim, dtype=precise).astype(kind)


@registry.register("torch.cumsum", "Tensor.cumsum", "aten::cumsum")
class Cumsum(_Running):
    """(..., n, ...) -> (..., n, ...): y[i] = x[0] + ... + x[i] along `dim`; int64 for integers and booleans.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cumsum.html

    >>> Cumsum(dim=0).forward(np.array([1, 2, 3])).tolist()
    [1, 3, 6]
    """

    ufunc = np.add


@registry.register("torch.cumprod", "Tensor.cumprod", "aten::cumprod")
class Cumprod(_Running):
    """(..., n, ...) -> (..., n, ...): y[i] = x[0] * ... * x[i] along `dim`; int64 for integers and booleans.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cumprod.html
    """

    ufunc = np.multiply


@registry.register("torch.logcumsumexp", "Tensor.logcumsumexp", "aten::logcumsumexp")
class LogCumsumExp(Cumulative):
    """(..., n, ...) -> (..., n, ...): y[i] = log(e^x[0] + ... + e^x[i]) along `dim`, without overflow.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.logcumsumexp.html
    """

    flops = per_input(3)

    def accumulate(self, x: np.ndarray) -> np.ndarray:
        """Compute the logarithms of the sums."""
        check_dtype(type(self).__name__, x, "f")
        with np.errstate(invalid="ignore"):  # NaN stays NaN
            return np.logaddexp.accumulate(single(x), self.dim).astype(x.dtype)


class _Record(Cumulative):
    """Where the best element so far stands: the last of equals, and NaN beats all."""

    drops_unread = True
    ufunc: ClassVar[np.ufunc]

    def __init__(self, dim: Any = 0) -> None:
        super().__init__(dim)

    def accumulate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., n, ...) -> values and int64 indices, both (..., n, ...)."""
        check_dtype(type(self).__name__, x, "bif")
        best = self.ufunc.accumulate(x, self.dim)
        place = np.arange(x.shape[self.dim]).reshape([-1] + [1] * (x.ndim - 1 - self.dim % x.ndim))
        equal = (x == best) | ((x != x) & (best != best))
        return best, np.maximum.accumulate(np.where(equal, place, 0), self.dim)


@registry.register("torch.cummax", "Tensor.cummax", "aten::cummax")
class Cummax(_Record):
    """(..., n, ...) -> values and indices, both (..., n, ...): the largest so far along `dim`, and where it stands.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cummax.html
    """

    ufunc = np.maximum


@registry.register("torch.cummin", "Tensor.cummin", "aten::cummin")
class Cummin(_Record):
    """(..., n, ...) -> values and indices, both (..., n, ...): the smallest so far along `dim`, and where it stands.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cummin.html
    """

    ufunc = np.minimum
