"""Copies, and images with the halo that a convolution reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.compiled.kernels.pointwise import emit_pointwise
from kuiper.compiled.parts import Module, Place
from kuiper.fast.kernels.base.buffer import Buffer, Halo


@dataclass(frozen=True)
class Image:
    """An image in one of the memories, (N, H, W, C): where it begins, its shape, and bytes along its axes."""

    place: Place
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def halo_image(module: Module, buffer: Buffer, halo: Halo) -> Image:
    """The image channel-last with exactly this border of zeros: where it lies, or a copy in scratch memory."""
    lying = buffer.around(halo)
    if lying is not None and lying.strides[-1] == 4:
        return Image(module.place(lying), lying.shape, lying.strides)
    n, c, h, w = buffer.array.shape
    shape = n, halo.up + h + halo.bottom, halo.left + w + halo.right, c
    strides = tuple(4 * int(np.prod(shape[axis + 1 :])) for axis in range(4))
    place = module.shared(int(np.prod(shape)))
    for offset, part in _borders(shape, strides, halo):
        module.fill_at(place.after(offset), part, strides)
    inside = halo.up * strides[1] + halo.left * strides[2]
    emit_pointwise(module, (place.after(inside), strides), [(module.place(buffer.array), buffer.nhwc.strides)],
                   buffer.nhwc.shape, lambda b, x: x, "copy")  # fmt: skip
    return Image(place, shape, strides)


def _borders(shape: Sequence[int], strides: Sequence[int], halo: Halo) -> list[tuple[int, tuple[int, ...]]]:
    """(offset, shape) of the parts of an image with halo that are halo."""
    n, height, width, channels = shape
    middle = height - halo.up - halo.bottom
    parts = [
        (0, (n, halo.up, width, channels)),
        ((height - halo.bottom) * strides[1], (n, halo.bottom, width, channels)),
        (halo.up * strides[1], (n, middle, halo.left, channels)),
        (halo.up * strides[1] + (width - halo.right) * strides[2], (n, middle, halo.right, channels)),
    ]
    return [(offset, part) for offset, part in parts if 0 not in part]
