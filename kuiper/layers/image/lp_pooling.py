"""Power-average pooling: the p-norm of every window, between the sum (p = 1) and the maximum (p = inf)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from kuiper import dtypes
from kuiper.errors import ParameterError
from kuiper.layers.image.pooling import AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@registry.register("nn.LPPool2d", "F.lp_pool2d")
class LPPool2d(Layer):
    """(N, C, H, W) -> (N, C, H', W'): (sum of x**p over the window) ** (1/p), with p = norm_type.

    PyTorch takes the sum as the window's average times kh*kw, so a last window that sticks out with `ceil_mode` counts
    as much as a whole one. x**p has no absolute value in it: a negative x with an odd p can give NaN.

    Parameters
    ----------
    norm_type : p, a number other than 0; inf means the maximum of |x|, -inf the minimum.
    kernel_size, stride, ceil_mode : as in AvgPool2d.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool2d.html

    >>> LPPool2d(2, (1, 2)).forward(np.array([[[3.0, 4, 5, 12]]]))
    array([[[ 5., 13.]]])
    """

    average: ClassVar[type[AvgPool2d]] = AvgPool2d
    maximum: ClassVar[type[MaxPool2d]] = MaxPool2d

    def __init__(self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        self.norm_type = _exponent(norm_type)
        self.mean = self.average(kernel_size, stride, ceil_mode=ceil_mode)
        self.largest = self.maximum(kernel_size, stride, ceil_mode=ceil_mode)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The norms of the windows of `x`. Raises ShapeError for an image smaller than a window."""
        if math.isinf(self.norm_type):
            sign = x.dtype.type(math.copysign(1, self.norm_type))
            return np.asarray(sign * self.largest.forward(sign * np.abs(x)))
        with np.errstate(all="ignore"):
            mean = self.mean.forward(_power(x, self.norm_type))
            return _power(mean * math.prod(self.mean.kernel_size), 1.0 / self.norm_type)


def _exponent(norm_type: Any) -> float:
    try:
        p = norm_type if isinstance(norm_type, int) else float(norm_type)  # "inf" comes as a word
    except (TypeError, ValueError):
        p = 0
    if not p:
        raise ParameterError("norm_type", "a number other than 0", repr(norm_type))
    return p


def _power(x: np.ndarray, exponent: float) -> np.ndarray:
    """x ** exponent in the type that PyTorch gives it: an integer to a float is float32."""
    return np.power(x.astype(dtypes.result_type(x, exponent), copy=False), exponent)


@registry.register("nn.LPPool1d", "F.lp_pool1d")
class LPPool1d(LPPool2d):
    """LPPool2d with one spatial axis: (N, C, L) -> (N, C, L')."""

    average, maximum = AvgPool1d, MaxPool1d


@registry.register("nn.LPPool3d", "F.lp_pool3d")
class LPPool3d(LPPool2d):
    """LPPool2d with three spatial axes: (N, C, D, H, W) -> (N, C, D', H', W')."""

    average, maximum = AvgPool3d, MaxPool3d
