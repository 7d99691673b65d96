"""Resizing: images with more or fewer rows and columns.

Every mode works on one dimension at a time and is a small table: output element i is the sum over k of
weights[k, i] * input[sources[k, i]]. The modes differ in how they fill it.
Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kuiper.errors import DTypeError, OutputSizeError, ParameterError, RankError
from kuiper.layers import cost
from kuiper.layers.arrays.shape import integers
from kuiper.layers.families import SHAPE
from kuiper.layers.image.sampling import cubic_weights, keys_far, keys_near
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@dataclass(frozen=True)
class Axis:
    """One dimension to resize: `inputs` elements become `outputs`.

    `step` is the distance, in input elements, between two neighbours of the output.
    """

    inputs: int
    outputs: int
    step: np.floating
    align_corners: bool = False

    def positions(self, shift: float) -> np.ndarray:
        """(outputs,): where each output element's sample lies in the input: (i + shift) * step - shift."""
        kind = type(self.step)
        if self.align_corners:
            return np.arange(self.outputs, dtype=kind) * self.step
        return (np.arange(self.outputs, dtype=kind) + kind(shift)) * self.step - kind(shift)


Taps = tuple[np.ndarray, np.ndarray | None]
"""sources (K, outputs) and weights (K, outputs); no weights means K = 1 and a plain choice."""


def nearest(axis: Axis) -> Taps:
    """sources[0, i] = floor(i * step)."""
    sources = np.floor(axis.positions(0)).astype(np.intp)
    return np.minimum(sources, axis.inputs - 1)[None], None


def nearest_exact(axis: Axis) -> Taps:
    """sources[0, i] = floor((i + 1/2) * step), the element whose middle is nearest."""
    sources = np.floor(axis.positions(0.5) + type(axis.step)(0.5)).astype(np.intp)
    return np.clip(sources, 0, axis.inputs - 1)[None], None


def linear(axis: Axis) -> Taps:
    """The two neighbours a and a + 1 of a position a + t, with weights 1 - t and t."""
    if axis.inputs == axis.outputs:
        return np.arange(axis.inputs)[None], None
    positions = np.maximum(axis.positions(0.5), 0)
    left = np.minimum(np.floor(positions).astype(np.intp), axis.inputs - 1)
    t = np.clip(positions - left, 0, 1).astype(positions.dtype)
    return np.stack([left, np.minimum(left + 1, axis.inputs - 1)]), np.stack([1 - t, t])


def cubic(axis: Axis) -> Taps:
    """The four neighbours a - 1 ... a + 2 of a position a + t, with Keys' weights (A = -3/4); the border repeats."""
    positions = axis.positions(0.5)
    left = np.minimum(np.floor(positions).astype(np.intp), axis.inputs - 1)
    t = np.clip(positions - left, 0, 1).astype(positions.dtype)
    sources = np.clip(left + np.arange(-1, 3)[:, None], 0, axis.inputs - 1)
    return sources, np.stack(cubic_weights(t))


def triangle(d: np.ndarray) -> np.ndarray:
    """The weight 1 - |d| of linear interpolation at the distance d, 0 from 1 on."""
    return np.maximum(1 - np.abs(d), 0)


def keys(d: np.ndarray) -> np.ndarray:
    """Keys' weight (A = -1/2) of cubic interpolation at the distance d, 0 from 2 on."""
    d = np.abs(d)
    return np.where(d < 1, keys_near(d, -0.5), np.where(d < 2, keys_far(d, -0.5), 0))


def smooth(axis: Axis, weight: Callable[[np.ndarray], np.ndarray], reach: float) -> Taps:
    """All elements nearer than `reach`, weighted by distance; when shrinking, distances count in output elements.

    Thus every element of the input has a part in the output, and fine patterns turn grey and not into coarse ones.
    """
    if axis.inputs == axis.outputs:
        return np.arange(axis.inputs)[None], None
    kind = type(axis.step)
    width = max(axis.step, kind(1))
    middles = axis.step * (np.arange(axis.outputs, dtype=kind) + kind(0.5))
    first = np.maximum((middles - width * kind(reach) + kind(0.5)).astype(np.intp), 0)
    count = np.minimum((middles + width * kind(reach) + kind(0.5)).astype(np.intp), axis.inputs) - first
    offset = np.arange(count.max(initial=1))[:, None]
    weights = np.where(offset < count, weight((first + offset - middles + kind(0.5)) / width), 0).astype(kind)
    return np.minimum(first + offset, axis.inputs - 1), weights / weights.sum(0)


def area(axis: Axis) -> Taps:
    """The mean of the elements floor(i * inputs / outputs) up to ceil((i + 1) * inputs / outputs)."""
    i = np.arange(axis.outputs)
    first = i * axis.inputs // axis.outputs
    count = -(-(i + 1) * axis.inputs // axis.outputs) - first
    offset = np.arange(count.max(initial=1))[:, None]
    weights = np.where(offset < count, 1 / count, 0).astype(type(axis.step))
    return np.minimum(first + offset, axis.inputs - 1), weights


MODES: dict[str, tuple[Callable[[Axis], Taps], tuple[int, ...]]] = {
    "nearest": (nearest, (3, 4, 5)),
    "nearest-exact": (nearest_exact, (3, 4, 5)),
    "linear": (linear, (3,)),
    "bilinear": (linear, (4,)),
    "trilinear": (linear, (5,)),
    "bicubic": (cubic, (4,)),
    "area": (area, (3, 4, 5)),
}
"""mode -> its table, and the ranks of the inputs that it takes."""

ANTIALIASED: dict[str, Callable[[Axis], Taps]] = {
    "bilinear": lambda axis: smooth(axis, triangle, 1),
    "bicubic": lambda axis: smooth(axis, keys, 2),
}
"""mode -> its table with antialias=True."""

NEIGHBOURS = {"linear": 2, "bilinear": 4, "trilinear": 8, "bicubic": 16}
"""How many elements an output is the weighted sum of; the other modes choose."""


@registry.register("nn.Upsample", "nn.UpsamplingNearest2d", "F.upsample", "F.interpolate", "F.upsample_nearest")
class Upsample(Layer):
    """(N, C, ...) -> (N, C, ...'): every dimension after the channels resized.

    Parameters
    ----------
    size : the new sizes, one per dimension, or one int for all.
    scale_factor : instead of size; the new sizes are floor(old * scale_factor), and the step is 1 / scale_factor.
    mode : nearest, nearest-exact, linear (rank 3), bilinear (4), trilinear (5), bicubic (4) or area.
    align_corners : the first and last elements of input and output lie upon one another (step (in-1) / (out-1)).
    recompute_scale_factor : take the step from the sizes (in / out) even where scale_factor is given.
    antialias : bilinear and bicubic smooth the image where it shrinks.

    Bytes (uint8) are rounded after each dimension; PyTorch, which computes those with integers, may differ by 1 or 2.

    >>> Upsample(scale_factor=1.5).forward(np.array([[[0.0, 1.0]]]))
    array([[[0., 0., 1.]]])
    """

    family = SHAPE
    mode: str = "nearest"

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
        antialias: bool = False,
    ) -> None:
        if mode not in MODES:
            raise ParameterError("mode", f"one of {', '.join(MODES)}", repr(mode))
        if (size is None) == (scale_factor is None):
            raise ParameterError("scale_factor", "either scale_factor or size", f"{scale_factor}, {size}")
        if antialias and mode not in ANTIALIASED:
            raise ParameterError("antialias", f"False, or mode {' or '.join(ANTIALIASED)}", f"True with mode {mode}")
        self.size = integers(size)
        self.scales = tuple(float(s) for s in np.ravel(scale_factor)) if size is None else ()
        self.table, self.ranks = MODES[mode]
        if antialias:
            self.table = ANTIALIASED[mode]
        self.mode, self.align_corners, self.recompute = mode, bool(align_corners), bool(recompute_scale_factor)

    def flops(self, inputs: cost.Shapes, outputs: cost.Shapes) -> int:
        """A weighted sum of neighbours for every output element; choosing one is free."""
        return cost.size(outputs[0]) * max(2 * NEIGHBOURS.get(self.mode, 0) - 1, 0)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Resize one dimension after the other. Raises ShapeError when the rank does not fit the mode."""
        if x.ndim not in self.ranks:
            expected = f"rank {' or '.join(map(str, self.ranks))} for mode {self.mode}"
            raise RankError("input", expected, f"shape {x.shape}")
        bytes_too = self.mode in ANTIALIASED and x.dtype == np.uint8
        if x.dtype.kind != "f" and not self.mode.startswith("nearest") and not bytes_too:
            raise DTypeError(f"input: expected float elements for mode {self.mode}, found {x.dtype}")
        for dim, axis in reversed(list(enumerate(self.axes(x), start=2))):
            x = resample(x, dim, *self.table(axis))
        return x

    def axes(self, x: np.ndarray) -> list[Axis]:
        """What happens to each dimension of x after the channels. Raises ShapeError for impossible sizes."""
        old = x.shape[2:]
        scales = per_dimension("scale_factor", self.scales, len(old))
        sizes = per_dimension("size", self.size, len(old))
        new = tuple(math.floor(n * scale) for n, scale in zip(old, scales)) if scales else sizes
        if min(*old, *new) < 1:
            raise OutputSizeError("output", "sizes of 1 at least", new)
        given = scales if scales and not self.recompute else (None,) * len(old)
        kind = np.float64 if x.dtype == np.float64 else np.float32
        return [Axis(a, b, kind(self.step(a, b, s)), self.align_corners) for a, b, s in zip(old, new, given)]

    def step(self, inputs: int, outputs: int, scale: float | None) -> float:
        """The distance between neighbours of the output, in input elements."""
        if self.align_corners:
            return (inputs - 1) / (outputs - 1) if outputs > 1 else 0.0
        return 1 / scale if scale else inputs / outputs


@registry.register("nn.UpsamplingBilinear2d", "F.upsample_bilinear")
class UpsamplingBilinear2d(Upsample):
    """(N, C, H, W) -> (N, C, H', W'): bilinear, with corners aligned."""

    mode = "bilinear"

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, self.mode, align_corners=True)


class AtenUpsample(Upsample):
    """Upsample under a name that PNNX leaves, its options inputs: a size, scale factors, or both.

    The scale factors are one list, or a number for each dimension.
    """

    mode: str
    antialias: ClassVar[bool] = False

    def __init__(
        self,
        size: Any = None,
        align_corners: bool = False,
        scale_factor: Any = None,
        depth: float | None = None,
        rows: float | None = None,
        cols: float | None = None,
    ) -> None:
        scales = np.ravel([scale for scale in (scale_factor, depth, rows, cols) if scale is not None])
        super().__init__(size, scales if size is None else None, self.mode, align_corners, antialias=self.antialias)
        if len(scales) == len(self.size):
            self.scales = tuple(map(float, scales))


@registry.register("aten::_upsample_nearest_exact1d", inputs=("x size scale_factor",))
@registry.register("aten::_upsample_nearest_exact2d", inputs=("x size scale_factor", "x size rows cols"))
@registry.register("aten::_upsample_nearest_exact3d", inputs=("x size scale_factor", "x size depth rows cols"))
class NearestExact(AtenUpsample):
    """(N, C, ...) -> (N, C, ...'): mode nearest-exact."""

    mode = "nearest-exact"


ANTIALIASED_INPUTS = "x size align_corners scale_factor", "x size align_corners rows cols"


@registry.register("aten::_upsample_bilinear2d_aa", inputs=ANTIALIASED_INPUTS)
class BilinearAntialiased(AtenUpsample):
    """(N, C, H, W) -> (N, C, H', W'): mode bilinear with antialias."""

    mode, antialias = "bilinear", True


@registry.register("aten::_upsample_bicubic2d_aa", inputs=ANTIALIASED_INPUTS)
class BicubicAntialiased(AtenUpsample):
    """(N, C, H, W) -> (N, C, H', W'): mode bicubic with antialias."""

    mode, antialias = "bicubic", True


def per_dimension(what: str, values: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """`count` values: those given, or the single one for every dimension. Raises ShapeError for another number."""
    if len(values) not in (0, 1, count):
        raise OutputSizeError(what, f"one number, or {count}: one for each dimension after the channels", values)
    return values * count if len(values) == 1 else values


def resample(x: np.ndarray, dim: int, sources: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """(..., inputs, ...) -> (..., outputs, ...): the sum over k of weights[k] * x[sources[k]] along `dim`."""
    if weights is None:
        return x.take(sources[0], dim)
    along = (-1, *[1] * (x.ndim - dim - 1))
    total = x.take(sources[0], dim) * weights[0].reshape(along)
    for source, weight in zip(sources[1:], weights[1:]):
        total += x.take(source, dim) * weight.reshape(along)
    if x.dtype == np.uint8:
        total = np.clip(np.rint(total), 0, 255)
    return total.astype(x.dtype, copy=False)
