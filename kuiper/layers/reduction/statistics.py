"""Statistics: how far the elements of a dimension spread."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.layers.arrays.shape import integers
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import per_input
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.reduction.reduction import Mean, every_axis
from kuiper.layers.registry import registry


@registry.register("torch.var", "Tensor.var", "aten::var")
class Var(Layer):
    """(..., n, ...) -> (..., ...): sum of |x - mean|^2 over `dim`, divided by n - correction.

    Computed in float64. 0 / 0 is NaN, as is the variance of a single number.

    Parameters
    ----------
    dim : an int or several; none at all means every dimension.
    unbiased : True means a correction of 1, False of 0; PNNX also writes the correction itself under this name.
    correction : takes precedence.
    keepdim : leave the reduced dimensions with size 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.var.html

    >>> Var(unbiased=False).forward(np.array([1.0, 3.0])).item()
    1.0
    """

    family = ARITHMETIC
    flops = per_input(4)
    inputs = ("x", "x unbiased", "x dim unbiased keepdim")

    def __init__(self, dim: Any = None, unbiased: Any = True, keepdim: bool = False, correction: Any = None) -> None:
        self.dims, self.keepdim = integers(dim), bool(keepdim)
        given = unbiased if correction is None else correction
        self.correction = 1.0 if given is None else float(given)

    def forward(self, x: np.ndarray) -> Any:
        """Compute the variance."""
        return self.variance(x).astype(x.real.dtype)

    def variance(self, x: np.ndarray) -> np.ndarray:
        """(..., n, ...) -> (..., ...) float64."""
        check_dtype(type(self).__name__, x, "fc")
        axes = every_axis(x, self.dims)
        x = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
        count = math.prod(x.shape[axis] for axis in axes)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = x - x.sum(axes, keepdims=True) / np.float64(count)
            squares = (away * away.conj()).real.sum(axes, keepdims=self.keepdim)
            return np.asarray(squares / np.float64(max(count - self.correction, 0)))


@registry.register("torch.std", "Tensor.std", "aten::std")
class Std(Var):
    """(..., n, ...) -> (..., ...): the square root of the variance over `dim`, with the options of Var.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.std.html
    """

    def forward(self, x: np.ndarray) -> Any:
        """Compute sqrt(variance)."""
        return np.sqrt(self.variance(x)).astype(x.real.dtype)


class _WithMean(Var):
    """The mean beside what a Var computes."""

    drops_unread = True

    def forward(self, x: np.ndarray) -> Any:
        """Compute both."""
        return super().forward(x), Mean(self.dims, self.keepdim).forward(x)


@registry.register("torch.var_mean", "aten::var_mean")
class VarMean(_WithMean, Var):
    """(..., n, ...) -> (..., ...) and (..., ...): variance and mean over `dim`, with the options of Var.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.var_mean.html
    """


@registry.register("torch.std_mean", "aten::std_mean")
class StdMean(_WithMean, Std):
    """(..., n, ...) -> (..., ...) and (..., ...): standard deviation and mean over `dim`, with the options of Var.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.std_mean.html
    """
