"""Sampling: pixels read at places that a grid names.

A place is a number on each axis, counted in pixels from the middle of the first one; between pixels it is interpolated.
The modes differ in the neighbours, "taps", that they read on each axis and in the weight of each: the sample is the
sum over all combinations of taps of the product of their weights * pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import DTypeError, EmptyError, ParameterError, RankError, ShapeError
from kuiper.layers.arrays.shape import integers
from kuiper.layers.cost import Shapes, known, size
from kuiper.layers.families import ARITHMETIC, SHAPE
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

Taps = list[tuple[np.ndarray, np.ndarray | None]]
"""Of one axis, for each tap: whole numbers kept as floats, and weights; no weights means 1."""


def nearest(places: np.ndarray) -> Taps:
    """The pixel nearest to each place; a half goes to the even one."""
    return [(np.rint(places), None)]


def linear(places: np.ndarray) -> Taps:
    """The pixels a and a + 1 around a place a + t, with weights 1 - t and t."""
    left = np.floor(places)
    t = places - left
    return [(left, 1 - t), (left + 1, t)]


def keys_near(d: np.ndarray, a: float = -0.75) -> np.ndarray:
    """Keys' weight of cubic interpolation at a distance d from 0 to 1.

    Source: https://doi.org/10.1109/TASSP.1981.1163711
    """
    return ((a + 2) * d - (a + 3)) * d * d + 1


def keys_far(d: np.ndarray, a: float = -0.75) -> np.ndarray:
    """Keys' weight of cubic interpolation at a distance d from 1 to 2."""
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a


def cubic_weights(t: np.ndarray) -> list[np.ndarray]:
    """The weights of the four neighbours a - 1 ... a + 2 of a place a + t."""
    return [keys_far(t + 1), keys_near(t), keys_near(1 - t), keys_far(2 - t)]


def cubic(places: np.ndarray) -> Taps:
    """The pixels a - 1 ... a + 2 around a place, with Keys' weights."""
    left = np.floor(places)
    return list(zip((left - 1, left, left + 1, left + 2), cubic_weights(places - left)))


def sample(x: np.ndarray, taps: Sequence[Taps]) -> np.ndarray:
    """(N, C, sizes...) at P places for each n, `taps` having an array (N, P) per tap and axis -> (N, C, P).

    Pixels outside of the image are 0.

    >>> sample(np.array([[[1.0, 2.0, 4.0]]]), [linear(np.array([[0.5, 2.0, 2.5]]))])
    array([[[1.5, 4. , 2. ]]])
    """
    batch, channels, *sizes = x.shape
    pixels = x.reshape(batch, channels, -1).swapaxes(1, 2)
    rows = np.arange(batch)[:, None]
    total: Any = 0
    for combination in product(*taps):
        inside: Any = True
        index: Any = 0
        weight = None
        for extent, (place, share) in zip(sizes, combination):
            inside = inside & (place >= 0) & (place <= extent - 1)
            index = index * extent + np.where(inside, place, 0).astype(np.intp)
            weight = share if weight is None else weight * share
        values = np.where(inside[..., None], pixels[rows, index], 0)
        total = total + (values if weight is None else values * weight[..., None])
    return total.swapaxes(1, 2)


def fold_back(places: np.ndarray, low: float, high: float) -> np.ndarray:
    """Places mirrored at `low` and `high` until they lie between them."""
    span = high - low
    if span == 0:
        return np.zeros_like(places)
    distance = np.abs(places - low)
    times, rest = np.floor(distance / span), np.fmod(distance, span)
    return np.where(times % 2 == 0, rest + low, span - rest + low)


def keep_inside(places: np.ndarray, size: int, padding_mode: str, align_corners: bool) -> np.ndarray:
    """Places on an axis of `size` pixels, those beyond it moved to where `padding_mode` reads instead."""
    if padding_mode == "zeros":
        return places
    if padding_mode == "reflection":
        low, high = (0, size - 1) if align_corners else (-0.5, size - 0.5)
        places = fold_back(places, low, high)
    return np.clip(places, 0, size - 1)


MODES: dict[str, Callable[[np.ndarray], Taps]] = {"nearest": nearest, "bilinear": linear, "bicubic": cubic}
PADDING_MODES = ("zeros", "border", "reflection")


@registry.register("F.grid_sample")
class GridSample(Layer):
    """(N, C, H, W), grid (N, H', W', 2) -> (N, C, H', W'): y[n,c,i,j] = x[n,c] at the place grid[n,i,j] = (x, y).

    The same with (N, C, D, H, W) and a grid (N, D', H', W', 3) of (x, y, z). The numbers of a place run from -1 to 1.

    Parameters
    ----------
    mode : nearest, bilinear (trilinear for five dimensions), or bicubic (four dimensions only).
    padding_mode : what is read beyond the border: zeros, border (the last pixel) or reflection.
    align_corners : whether -1 and 1 are the middles of the outermost pixels; otherwise they are their outer edges.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html

    >>> GridSample(align_corners=True).forward(np.array([[[[1.0, 3.0]]]]), np.array([[[[0.0, 0.0]]]]))
    array([[[[2.]]]])
    """

    family = SHAPE

    def __init__(self, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> None:
        for name, value, allowed in (("mode", mode, tuple(MODES)), ("padding_mode", padding_mode, PADDING_MODES)):
            if value not in allowed:
                raise ParameterError(name, f"one of {', '.join(allowed)}", repr(value))
        self.mode, self.padding_mode, self.align_corners = mode, padding_mode, bool(align_corners)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """The weighted sum of 2, 4 or 1 neighbours on each axis, for every output element."""
        neighbours = {"bilinear": 2, "bicubic": 4}.get(self.mode, 1) ** known(inputs[1])[-1]
        return size(outputs[0]) * (2 * neighbours - 1 if neighbours > 1 else 0)

    def forward(self, x: np.ndarray, grid: np.ndarray) -> np.ndarray:
        """Sample x at the places of the grid. Raises ShapeError when their shapes do not fit."""
        self._check(x, grid)
        wide = single(x)
        places = grid.astype(wide.dtype, copy=False).reshape(len(x), -1, grid.shape[-1])
        taps = [self._taps(places[..., -1 - axis], size) for axis, size in enumerate(x.shape[2:])]
        return sample(wide, taps).reshape(*x.shape[:2], *grid.shape[1:-1]).astype(x.dtype, copy=False)

    def _taps(self, numbers: np.ndarray, size: int) -> Taps:
        """From the numbers -1 ... 1 of one axis to its taps."""
        places = (numbers + 1) / 2 * (size - 1) if self.align_corners else ((numbers + 1) * size - 1) / 2
        if self.mode != "bicubic":
            return MODES[self.mode](keep_inside(places, size, self.padding_mode, self.align_corners))
        # each of the four pixels is looked for where the mode reads instead, not the place as a whole
        return [(keep_inside(tap, size, self.padding_mode, self.align_corners), w) for tap, w in cubic(places)]

    def _check(self, x: np.ndarray, grid: np.ndarray) -> None:
        ranks = (4,) if self.mode == "bicubic" else (4, 5)
        if x.ndim not in ranks:
            raise RankError("input", f"rank {' or '.join(map(str, ranks))} for mode {self.mode}", f"shape {x.shape}")
        if 0 in x.shape[2:]:
            raise EmptyError("input", "at least one pixel", f"shape {x.shape}")
        if grid.ndim != x.ndim or len(grid) != len(x) or grid.shape[-1] != x.ndim - 2:
            expected = f"({len(x)}, {'..., ' * (x.ndim > 4)}H', W', {x.ndim - 2}) for an input {x.shape}"
            raise ShapeError("grid", expected, grid.shape)
        if x.dtype.kind != "f" or grid.dtype != x.dtype:
            raise DTypeError(f"input and grid: expected the same float type, found {x.dtype} and {grid.dtype}")


@registry.register("F.affine_grid")
class AffineGrid(Layer):
    """theta (N, 2, 3) -> grid (N, H, W, 2): grid[n,i,j] = theta[n] @ (x[j], y[i], 1), the places for F.grid_sample.

    theta (N, 3, 4) gives a grid (N, D, H, W, 3). The numbers x, y (and z) run from -1 to 1.

    Parameters
    ----------
    size : the shape of the images to come, (N, C, H, W) or (N, C, D, H, W).
    align_corners : whether -1 and 1 are the middles of the outermost pixels; otherwise they are their outer edges.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html

    >>> AffineGrid([1, 1, 1, 2]).forward(np.array([[[1.0, 0, 0], [0, 1, 0]]]))
    array([[[[-0.5,  0. ],
             [ 0.5,  0. ]]]])
    """

    family = ARITHMETIC

    def __init__(self, size: Any, align_corners: bool | None = None) -> None:
        self.size, self.align_corners = integers(size), bool(align_corners)
        if len(self.size) not in (4, 5) or min(self.size) < 1:
            raise ParameterError("size", "(N, C, H, W) or (N, C, D, H, W), each 1 at least", repr(size))

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """A matrix product: every number of the grid is a row of theta times a place."""
        return size(outputs[0]) * 2 * known(inputs[0])[-1]

    def forward(self, theta: np.ndarray) -> np.ndarray:
        """Compute the grid. Raises ShapeError for a theta that is not (N, 2, 3), or (N, 3, 4) in space."""
        batch, _, *sizes = self.size
        count = len(sizes)
        if theta.shape != (batch, count, count + 1):
            raise ShapeError("theta", f"{(batch, count, count + 1)} for size={self.size}", theta.shape)
        axes = np.meshgrid(*(self._numbers(size, theta.dtype) for size in sizes), indexing="ij")
        places = np.stack([*reversed(axes), np.ones_like(axes[0])], axis=-1).reshape(-1, count + 1)
        return (places @ theta.swapaxes(1, 2)).reshape(batch, *sizes, count)

    def _numbers(self, size: int, dtype: np.dtype) -> np.ndarray:
        """The places of `size` pixels between -1 and 1."""
        if size == 1:
            return np.zeros(1, dtype)
        numbers = np.linspace(-1, 1, size, dtype=dtype)
        return numbers if self.align_corners else numbers * ((size - 1) / size)
