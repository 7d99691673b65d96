"""Normalization: shift and scale numbers to mean 0 and variance 1, then by learned weights."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ChannelError, ParameterError, RankError, ShapeError
from kuiper.layers.checks import check_floats
from kuiper.layers.cost import per_output
from kuiper.layers.families import NORMALIZATION
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@registry.register("F.batch_norm")
class BatchNorm(Layer):
    """(N, C, ...) -> (N, C, ...): y = (x - running_mean) / sqrt(running_var + eps) * weight + bias, per channel.

    Mean and variance are those that training collected; the batch at hand plays no part, unless there are none.

    Parameters
    ----------
    running_mean, running_var : (C,); None stands for the mean and variance of each batch itself.
    weight, bias : (C,); without weight 1, without bias 0.
    eps : keeps the root away from 0.
    affine, num_features : what the model file says of the weights; num_features is C.

    Source: Ioffe, Szegedy, "Batch Normalization" (2015), https://arxiv.org/abs/1502.03167;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html

    >>> layer = BatchNorm(np.array([1.0]), np.array([4.0]), eps=0.0)
    >>> layer.forward(np.array([[3.0], [5.0]]))
    array([[1.],
           [2.]])
    """

    family = NORMALIZATION
    flops = per_output(2)
    weights: ClassVar[tuple[str, ...]] = ("running_mean", "running_var", "weight", "bias")
    ranks: ClassVar[tuple[int, ...]] = ()
    """How many axes an input may have; () means any number from 2."""

    def __init__(
        self,
        running_mean: np.ndarray | None,
        running_var: np.ndarray | None,
        weight: np.ndarray | None = None,
        bias: np.ndarray | None = None,
        eps: float = 1e-5,
        affine: bool | None = None,
        num_features: int | None = None,
    ) -> None:
        arrays = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
        sizes = [array.size for array in arrays.values() if array is not None]
        self.channels = num_features if num_features is not None or not sizes else sizes[0]
        needed = ["weight", "bias"] if affine else []
        if running_mean is not None or running_var is not None:
            needed += ["running_mean", "running_var"]
        for name in needed:
            if arrays[name] is None:
                raise ParameterError(name, "an array, one number per channel", "none")
        for name, array in arrays.items():
            if array is not None and array.shape != (self.channels,):
                raise ParameterError(name, f"shape ({self.channels},)", str(array.shape))
        self.running_mean, self.running_var = running_mean, running_var
        self.weight, self.bias, self.eps = weight, bias, eps

    def forward(self, x: np.ndarray) -> np.ndarray:
        """`x` normalized. Raises ShapeError for another number of axes or channels than expected."""
        what = f"{type(self).__name__} input"
        check_floats(type(self).__name__, x, self.running_mean, self.running_var, self.weight, self.bias)
        if x.ndim < 2 or (self.ranks and x.ndim not in self.ranks):
            raise RankError(what, f"{' or '.join(map(str, self.ranks)) or 'at least 2'} axes", x.shape)
        if self.channels is not None and x.shape[1] != self.channels:
            raise ChannelError(what, f"num_features = {self.channels} channels in axis 1", x.shape)
        numbers = single(x)
        mean, variance = self._statistics(numbers)
        scale = 1 / np.sqrt(variance + np.asarray(self.eps, variance.dtype))
        if self.weight is not None:
            scale = scale * self.weight
        shift = -mean * scale
        if self.bias is not None:
            shift = shift + self.bias
        # two numbers per channel do it all: one pass to multiply, one to add
        per_channel = (-1,) + (1,) * (x.ndim - 2)
        y = numbers * scale.reshape(per_channel)
        y += shift.reshape(per_channel)
        return y.astype(x.dtype, copy=False)

    def _statistics(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of each channel."""
        if self.running_mean is not None and self.running_var is not None:
            return single(self.running_mean), single(self.running_var)
        others = (0, *range(2, x.ndim))
        return x.mean(axis=others), x.var(axis=others)


@registry.register("nn.BatchNorm1d")
class BatchNorm1d(BatchNorm):
    """BatchNorm of (N, C) or (N, C, L)."""

    ranks: ClassVar[tuple[int, ...]] = (2, 3)


@registry.register("nn.BatchNorm2d")
class BatchNorm2d(BatchNorm):
    """BatchNorm of (N, C, H, W)."""

    ranks: ClassVar[tuple[int, ...]] = (4,)


@registry.register("nn.BatchNorm3d")
class BatchNorm3d(BatchNorm):
    """BatchNorm of (N, C, D, H, W)."""

    ranks: ClassVar[tuple[int, ...]] = (5,)


@registry.register("nn.LayerNorm", "F.layer_norm")
class LayerNorm(Layer):
    """(..., *normalized_shape), same shape out: y = (x - mean) / sqrt(variance + eps) * weight + bias.

    Mean and variance (divided by the number of elements) are taken over the last axes, of each sample by itself.

    Parameters
    ----------
    normalized_shape : shape of the last axes, or the size of the last one.
    weight, bias : of that shape; without weight 1, without bias 0.
    eps : keeps the root away from 0.
    elementwise_affine : what the model file says of the weights.

    Source: Ba, Kiros, Hinton, "Layer Normalization" (2016), https://arxiv.org/abs/1607.06450;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html

    >>> LayerNorm(2, eps=0.0).forward(np.array([[1.0, 3.0], [10.0, 30.0]]))
    array([[-1.,  1.],
           [-1.,  1.]])
    """

    family = NORMALIZATION
    flops = per_output(7)
    weights: ClassVar[tuple[str, ...]] = ("weight", "bias")

    def __init__(
        self,
        normalized_shape: Any,
        weight: np.ndarray | None = None,
        bias: np.ndarray | None = None,
        eps: float = 1e-5,
        elementwise_affine: bool | None = None,
    ) -> None:
        self.shape = _normalized_shape(normalized_shape, elementwise_affine, weight=weight, bias=bias)
        self.weight, self.bias, self.eps = weight, bias, eps

    def forward(self, x: np.ndarray) -> np.ndarray:
        """`x` normalized. Raises ShapeError when its last axes are not `normalized_shape`."""
        check_floats("LayerNorm", x, self.weight, self.bias)
        _check_last_axes("LayerNorm", x, self.shape)
        if x.size == 0:
            return x.copy()
        y = standardized(single(x).reshape(-1, math.prod(self.shape)), self.eps).reshape(x.shape)
        return scaled(y, self.weight, self.bias).astype(x.dtype, copy=False)


@registry.register("nn.RMSNorm", "F.rms_norm")
class RMSNorm(Layer):
    """(..., *normalized_shape), same shape out: y = x / sqrt(mean(x^2) + eps) * weight, the mean over the last axes.

    LayerNorm without its shift: the root of the mean square (RMS) becomes 1.

    Parameters
    ----------
    normalized_shape : shape of the last axes, or the size of the last one.
    weight : of that shape; without weight 1.
    eps : keeps the root away from 0; None means the step of the floating type at 1, in float32 at least.
    elementwise_affine : what the model file says of the weight.

    Source: Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019), https://arxiv.org/abs/1910.07467;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.RMSNorm.html

    >>> RMSNorm(2, eps=0.0).forward(np.array([[1.0, 7.0], [-3.0, 3.0]])).tolist()
    [[0.2, 1.4], [-1.0, 1.0]]
    """

    family = NORMALIZATION
    flops = per_output(4)
    weights: ClassVar[tuple[str, ...]] = ("weight",)

    def __init__(
        self,
        normalized_shape: Any,
        weight: np.ndarray | None = None,
        eps: float | None = None,
        elementwise_affine: bool | None = None,
    ) -> None:
        self.shape = _normalized_shape(normalized_shape, elementwise_affine, weight=weight)
        self.weight, self.eps = weight, eps

    def forward(self, x: np.ndarray) -> np.ndarray:
        """`x` normalized. Raises ShapeError when its last axes are not `normalized_shape`."""
        check_floats("RMSNorm", x, self.weight)
        _check_last_axes("RMSNorm", x, self.shape)
        if x.size == 0:
            return x.copy()
        rows = single(x).reshape(-1, math.prod(self.shape))
        eps = np.finfo(rows.dtype).eps if self.eps is None else self.eps
        y = (rows / np.sqrt(np.square(rows).mean(axis=1, keepdims=True) + rows.dtype.type(eps))).reshape(x.shape)
        return scaled(y, self.weight).astype(x.dtype, copy=False)


def standardized(rows: np.ndarray, eps: float) -> np.ndarray:
    """(..., n) -> (..., n): (x - mean) / sqrt(variance + eps) of every row; the variance is divided by n.

    >>> standardized(np.array([[1.0, 3.0], [10.0, 30.0]]), eps=0.0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    # the mean is taken away first: mean(x^2) - mean(x)^2 would lose the variance beside a large mean
    centred = rows - rows.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    centred /= np.sqrt(variance + np.asarray(eps, variance.dtype))
    return centred


def scaled(x: np.ndarray, weight: np.ndarray | None, bias: np.ndarray | None = None) -> np.ndarray:
    """x * weight + bias, as far as they are given; x is written to."""
    if weight is not None:
        x *= weight
    if bias is not None:
        x += bias
    return x


def _normalized_shape(value: Any, affine: bool | None, **arrays: np.ndarray | None) -> tuple[int, ...]:
    """The sizes of the last axes. Raises ParameterError when there are none, or when weights have another shape."""
    shape = tuple(value) if np.iterable(value) else (value,)
    if not shape:
        raise ParameterError("normalized_shape", "at least one size", "()")
    if affine and arrays["weight"] is None:
        raise ParameterError("weight", f"shape {shape}", "none")
    for name, array in arrays.items():
        if array is not None and array.shape != shape:
            raise ParameterError(name, f"shape {shape}", str(array.shape))
    return shape


def _check_last_axes(layer: str, x: np.ndarray, shape: tuple[int, ...]) -> None:
    if x.shape[-len(shape) :] != shape:
        raise ShapeError(f"{layer} input", f"last axes {shape}, as normalized_shape says", x.shape)
