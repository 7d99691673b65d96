"""Normalization within one sample: over groups of channels, single channels, or neighbouring ones."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ChannelError, ParameterError, RankError, ShapeError
from kuiper.layers.checks import check_floats
from kuiper.layers.cost import Shapes, per_output
from kuiper.layers.families import NORMALIZATION
from kuiper.layers.layer import Layer
from kuiper.layers.normalization.normalization import BatchNorm, scaled, standardized
from kuiper.layers.registry import registry


@registry.register("nn.GroupNorm", "F.group_norm")
class GroupNorm(Layer):
    """(N, C, ...) -> (N, C, ...): y = (x - mean) / sqrt(variance + eps) * weight + bias.

    The channels of each sample form num_groups groups; mean and variance are those of a group, all its channels and
    places together. Weight and bias are per channel.

    Parameters
    ----------
    num_groups : a divisor of C.
    weight, bias : (C,); without weight 1, without bias 0.
    eps : keeps the root away from 0.
    num_channels, affine : what the model file says of C and of the weights.

    Source: Wu, He, "Group Normalization" (2018), https://arxiv.org/abs/1803.08494;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html

    >>> GroupNorm(num_groups=1, eps=0.0).forward(np.array([[1.0, 3.0], [10.0, 30.0]])).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """

    family = NORMALIZATION
    flops = per_output(7)
    weights: ClassVar[tuple[str, ...]] = ("weight", "bias")

    def __init__(
        self,
        num_groups: int,
        weight: np.ndarray | None = None,
        bias: np.ndarray | None = None,
        eps: float = 1e-5,
        num_channels: int | None = None,
        affine: bool | None = None,
    ) -> None:
        if num_groups < 1 or (num_channels or 0) % num_groups:
            expected = "a number of groups >= 1 that divides the channels"
            raise ParameterError("num_groups", expected, f"{num_groups} for {num_channels} channels")
        if affine and weight is None:
            raise ParameterError("weight", "one number per channel", "none")
        self.num_groups, self.weight, self.bias, self.eps = num_groups, weight, bias, eps
        self.channels = num_channels

    def forward(self, x: np.ndarray) -> np.ndarray:
        """`x` normalized. Raises ShapeError when the groups do not divide its channels, or a group is one number."""
        check_floats("GroupNorm", x, self.weight, self.bias)
        _check_channels("GroupNorm", x, self.channels, self.weight, self.bias)
        channels, places = x.shape[1], math.prod(x.shape[2:])
        if channels % self.num_groups:
            expected = f"a multiple of num_groups = {self.num_groups} channels in axis 1"
            raise ChannelError("GroupNorm input", expected, x.shape)
        if len(x) * channels // self.num_groups * places == 1:
            raise ShapeError("GroupNorm input", "more than one number per group", x.shape)
        if x.size == 0:
            return x.copy()
        groups = single(x).reshape(len(x), self.num_groups, -1)
        y = _scaled_by_channel(standardized(groups, self.eps).reshape(x.shape), self.weight, self.bias)
        return y.astype(x.dtype, copy=False)


@registry.register("aten::instance_norm", inputs=("x weight bias running_mean running_var use_input_stats _ eps _",))
@registry.register("F.instance_norm")
class InstanceNorm(Layer):
    """(N, C, ...) -> (N, C, ...): y = (x - mean) / sqrt(variance + eps) * weight + bias.

    Mean and variance are those of each channel of each sample by itself; or, where training collected them
    (track_running_stats) and the input's own are not asked for (use_input_stats), as in BatchNorm.

    Parameters
    ----------
    running_mean, running_var, weight, bias : (C,), or None.
    eps : keeps the root away from 0.
    use_input_stats : whether the input's own statistics are used although running ones are given.
    track_running_stats : the module's word for the opposite.
    num_features, affine : what the model file says of C and of the weights.

    Source: Ulyanov, Vedaldi, Lempitsky, "Instance Normalization" (2016), https://arxiv.org/abs/1607.08022;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html
    """

    family = NORMALIZATION
    flops = per_output(7)
    weights: ClassVar[tuple[str, ...]] = ("running_mean", "running_var", "weight", "bias")
    rank: ClassVar[int | None] = None
    """Axes of a batch (a single sample has one less); None means any number from 3."""

    def __init__(
        self,
        running_mean: np.ndarray | None = None,
        running_var: np.ndarray | None = None,
        weight: np.ndarray | None = None,
        bias: np.ndarray | None = None,
        eps: float = 1e-5,
        use_input_stats: bool = True,
        track_running_stats: bool = False,
        affine: bool | None = None,
        num_features: int | None = None,
    ) -> None:
        self.by_running_stats: BatchNorm | None = None
        if track_running_stats or not use_input_stats:
            for name, array in (("running_mean", running_mean), ("running_var", running_var)):
                if array is None:
                    raise ParameterError(name, "an array, when the input's own statistics are not used", "none")
            self.by_running_stats = BatchNorm(running_mean, running_var, weight, bias, eps, affine, num_features)
        elif affine and weight is None:
            raise ParameterError("weight", "one number per channel", "none")
        self.channels = num_features if affine else None
        self.weight, self.bias, self.eps = weight, bias, eps

    def forward(self, x: np.ndarray) -> np.ndarray:
        """`x` normalized. Raises ShapeError for other axes or channels, and where a channel is one number."""
        layer = type(self).__name__
        check_floats(layer, x, self.weight, self.bias)
        if x.ndim not in ((self.rank, self.rank - 1) if self.rank else range(3, 65)):
            raise RankError(f"{layer} input", f"{self.rank or 'at least 3'} axes", x.shape)
        batch = x[None] if x.ndim + 1 == self.rank else x
        if self.by_running_stats is not None:
            return self.by_running_stats.forward(batch).reshape(x.shape)
        _check_channels(layer, batch, self.channels, self.weight, self.bias)
        if math.prod(batch.shape[2:]) == 1:
            raise ShapeError(f"{layer} input", "more than one number per channel", x.shape)
        if x.size == 0:
            return x.copy()
        y = standardized(single(batch).reshape(*batch.shape[:2], -1), self.eps).reshape(batch.shape)
        return _scaled_by_channel(y, self.weight, self.bias).reshape(x.shape).astype(x.dtype, copy=False)


@registry.register("nn.InstanceNorm1d")
class InstanceNorm1d(InstanceNorm):
    """InstanceNorm of (N, C, L) or (C, L)."""

    rank: ClassVar[int | None] = 3


@registry.register("nn.InstanceNorm2d")
class InstanceNorm2d(InstanceNorm):
    """InstanceNorm of (N, C, H, W) or (C, H, W)."""

    rank: ClassVar[int | None] = 4


@registry.register("nn.InstanceNorm3d")
class InstanceNorm3d(InstanceNorm):
    """InstanceNorm of (N, C, D, H, W) or (C, D, H, W)."""

    rank: ClassVar[int | None] = 5


@registry.register("nn.LocalResponseNorm", "F.local_response_norm")
class LocalResponseNorm(Layer):
    """(N, C, ...) -> (N, C, ...): y = x / (k + alpha * mean of x^2 over `size` neighbouring channels) ** beta.

    The window of channel c starts at c - size // 2; beyond the first and last channel lie zeros, which count.

    Source: Krizhevsky, Sutskever, Hinton, "ImageNet Classification with Deep Convolutional Neural Networks" (2012);
    https://docs.pytorch.org/docs/stable/generated/torch.nn.LocalResponseNorm.html

    >>> LocalResponseNorm(size=1, alpha=3.0, beta=0.5).forward(np.ones((1, 2, 1))).reshape(-1).tolist()
    [0.5, 0.5]
    """

    family = NORMALIZATION

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        if size < 1:
            raise ParameterError("size", "a number of channels >= 1", str(size))
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """A square, the sum of `size` squares, and the division, three steps of arithmetic and power of the formula."""
        return per_output(1 + (self.size - 1) + 5)(self, inputs, outputs)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """`x` normalized. Raises ShapeError for fewer than 3 axes."""
        check_floats("LocalResponseNorm", x)
        if x.ndim < 3:
            raise RankError("LocalResponseNorm input", "at least 3 axes", x.shape)
        wide, channels = single(x), x.shape[1]
        squares = np.zeros((len(x), channels + self.size - 1, *x.shape[2:]), wide.dtype)
        squares[:, self.size // 2 : self.size // 2 + channels] = np.square(wide)
        total = sum(squares[:, i : i + channels] for i in range(self.size))
        return (wide / (self.k + self.alpha * (total / self.size)) ** self.beta).astype(x.dtype, copy=False)


def _check_channels(layer: str, x: np.ndarray, channels: int | None, *weights: np.ndarray | None) -> None:
    """Raise ShapeError unless x is (N, C, ...) with `channels` channels, one for each number of the weights."""
    sizes = [channels, *(None if w is None else w.size for w in weights)]
    wanted = next((size for size in sizes if size is not None), None)
    if x.ndim < 2:
        raise RankError(f"{layer} input", "at least 2 axes", x.shape)
    if any(size not in (None, x.shape[1]) for size in sizes):
        raise ChannelError(f"{layer} input", f"{wanted} channels in axis 1", x.shape)


def _scaled_by_channel(x: np.ndarray, weight: np.ndarray | None, bias: np.ndarray | None) -> np.ndarray:
    """x * weight + bias, per channel (axis 1); x is written to."""
    per_channel = (-1,) + (1,) * (x.ndim - 2)
    return scaled(x, *(None if w is None else w.reshape(per_channel) for w in (weight, bias)))
