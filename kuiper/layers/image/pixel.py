"""Pixel shuffle: channels exchanged for resolution.

Source: https://arxiv.org/abs/1609.05158
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.errors import ChannelError, ParameterError, RankError, ShapeError
from kuiper.layers.arrays.shape import Movement
from kuiper.layers.registry import registry


def positive(name: str, value: Any) -> int:
    """`value` as an int of 1 at least. Raises ParameterError."""
    if int(value) < 1:
        raise ParameterError(name, "1 or more", repr(value))
    return int(value)


def at_least_three(x: np.ndarray) -> tuple[tuple[int, ...], int, int, int]:
    """The shape of x as (...), C, H, W. Raises ShapeError for fewer dimensions."""
    if x.ndim < 3:
        raise RankError("input", "(..., C, H, W)", f"shape {x.shape}")
    return x.shape[:-3], *x.shape[-3:]


@registry.register("nn.PixelShuffle", "F.pixel_shuffle")
class PixelShuffle(Movement):
    """(..., C*r*r, H, W) -> (..., C, H*r, W*r): channel c*r*r + i*r + j fills the pixels (h*r + i, w*r + j) of c.

    Parameters
    ----------
    upscale_factor : r.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelShuffle.html

    >>> PixelShuffle(2).forward(np.arange(4).reshape(1, 4, 1, 1)).tolist()
    [[[[0, 1], [2, 3]]]]
    """

    def __init__(self, upscale_factor: Any) -> None:
        self.r = positive("upscale_factor", upscale_factor)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Spread the channels. Raises ShapeError when they are no multiple of r*r."""
        batch, channels, height, width = at_least_three(x)
        r = self.r
        if channels % (r * r):
            expected = f"a multiple of upscale_factor*upscale_factor={r * r} channels"
            raise ChannelError("input", expected, f"{channels} in {x.shape}")
        blocks = x.reshape(math.prod(batch), channels // (r * r), r, r, height, width)
        pixels = blocks.transpose(0, 1, 4, 2, 5, 3)  # (batch, C, H, i, W, j)
        return pixels.reshape(*batch, channels // (r * r), height * r, width * r)


@registry.register("nn.PixelUnshuffle", "F.pixel_unshuffle")
class PixelUnshuffle(Movement):
    """(..., C, H*r, W*r) -> (..., C*r*r, H, W): the inverse of PixelShuffle.

    Parameters
    ----------
    downscale_factor : r.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelUnshuffle.html

    >>> PixelUnshuffle(2).forward(np.arange(4).reshape(1, 1, 2, 2)).ravel().tolist()
    [0, 1, 2, 3]
    """

    def __init__(self, downscale_factor: Any) -> None:
        self.r = positive("downscale_factor", downscale_factor)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Gather the pixels. Raises ShapeError when height or width is no multiple of r."""
        batch, channels, height, width = at_least_three(x)
        r = self.r
        if height % r or width % r:
            raise ShapeError("input", f"height and width that are multiples of downscale_factor={r}", x.shape)
        pixels = x.reshape(math.prod(batch), channels, height // r, r, width // r, r)
        blocks = pixels.transpose(0, 1, 3, 5, 2, 4)  # (batch, C, i, j, H, W)
        return blocks.reshape(*batch, channels * r * r, height // r, width // r)
