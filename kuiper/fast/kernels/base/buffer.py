"""Buffers: an array for each of a plan's values, images mostly channel-last, some with a border of zeros.

What lesson 4 calls one buffer, the memory that all of them share, is the arena (kuiper/fast/plan/arena.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class Halo(NamedTuple):
    """Rows and columns of zeros around an image, which a convolution with padding reads; in the course's order of pads.

    >>> Halo(1, 1, 0, 0) | Halo(0, 2, 1, 0)
    Halo(up=1, bottom=2, left=1, right=0)
    """

    up: int = 0
    bottom: int = 0
    left: int = 0
    right: int = 0

    def __or__(self, other: object) -> Halo:
        """The border that is enough for both."""
        assert isinstance(other, Halo)
        return Halo(*map(max, self, other))


NO_HALO = Halo()


@dataclass(frozen=True, slots=True)
class Spec:
    """What a plan knows of a value: shape and dtype of an array, and the value itself where it never changes.

    `shape` is None for anything but an array (an integer, a list); `constant` is for one set of input shapes.
    """

    shape: tuple[int, ...] | None
    dtype: np.dtype | None
    constant: bool = False
    value: Any = None

    @property
    def is_float(self) -> bool:
        """Whether it is an array of float32."""
        return self.shape is not None and self.dtype == np.float32

    @property
    def bytes(self) -> int:
        """Of the array; 0 for anything else."""
        return 0 if self.shape is None or self.dtype is None else math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True, slots=True)
class Buffer:
    """The array of one value: a part of the arena of its own, a view of another value's, or a constant.

    array : in the network's order of axes, (N, C, H, W) for images, with any strides.
    padded : an image that is stored channel-last, (N, up+H+bottom, left+W+right, C), its halo (maybe empty) included;
        None for other values, and for views that do not keep planes whole.
    halo : the border of `padded`, which holds zeros.
    """

    array: np.ndarray
    padded: np.ndarray | None = None
    halo: Halo = NO_HALO

    @property
    def nhwc(self) -> np.ndarray:
        """An image channel-last, (N, H, W, C), without its halo; a view."""
        return self.array.transpose(0, 2, 3, 1)

    def around(self, halo: Halo) -> np.ndarray | None:
        """The image channel-last with exactly this border of zeros, a view; None where there is no such border.

        The channels of a pixel lie side by side in it.
        """
        if self.padded is None:
            image = self.nhwc
            return image if not any(halo) and image.strides[-1] == image.itemsize else None
        if any(have < need for have, need in zip(self.halo, halo)) or self.padded.strides[-1] != self.padded.itemsize:
            return None
        up, left = self.halo.up - halo.up, self.halo.left - halo.left
        _, _, height, width = self.array.shape
        rows = slice(up, up + height + halo.up + halo.bottom)
        return self.padded[:, rows, left : left + width + halo.left + halo.right]


def image_buffer(padded: np.ndarray, halo: Halo) -> Buffer:
    """The buffer of an image whose channel-last array with halo is `padded`."""
    _, height, width, _ = padded.shape
    inside = padded[:, halo.up : height - halo.bottom, halo.left : width - halo.right]
    return Buffer(inside.transpose(0, 3, 1, 2), padded, halo)
