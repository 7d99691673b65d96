"""Copies, and images with the halo that a convolution reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.compiled.kernels.pointwise import emit_pointwise
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.parts import Location, Module
from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.kernel import Join
from kuiper.fast.kernels.move.reshape import ReshapeKernel, Shuffle, reshaped


@dataclass(frozen=True)
class StoredImage:
    """An image in one of the memories, (N, H, W, C): where it begins, its shape, and bytes along its axes."""

    place: Location
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def halo_image(module: Module, buffer: Buffer, halo: Halo) -> StoredImage:
    """The image channel-last with exactly this border of zeros: where it lies, or a copy in scratch memory."""
    lying = buffer.around(halo)
    if lying is not None and lying.strides[-1] == 4:
        return StoredImage(module.place(lying), lying.shape, lying.strides)
    n, c, h, w = buffer.array.shape
    shape = n, halo.up + h + halo.bottom, halo.left + w + halo.right, c
    strides = tuple(4 * int(np.prod(shape[axis + 1 :])) for axis in range(4))
    place = module.shared(int(np.prod(shape)))
    for offset, part in _borders(shape, strides, halo):
        module.fill_at(place.after(offset), part, strides)
    inside = halo.up * strides[1] + halo.left * strides[2]
    emit_pointwise(module, (place.after(inside), strides), [(module.place(buffer.array), buffer.nhwc.strides)],
                   buffer.nhwc.shape, lambda b, x: x, "copy")  # fmt: skip
    return StoredImage(place, shape, strides)


def emit_copy(module: Module, source: np.ndarray, target: np.ndarray) -> None:
    """target[...] = source, both of one shape with any strides."""
    emit_pointwise(
        module, (module.place(target), target.strides), [(module.place(source), source.strides)], target.shape,
        lambda b, x: x, "copy",
    )  # fmt: skip


@emits(Join)
def join(module: Module, kernel: Join, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Copies of those inputs that do not lie in the output already."""
    start = 0
    for buffer in inputs:
        stop = start + buffer.array.shape[kernel.axis]
        part = outputs[0].array[(slice(None),) * kernel.axis + (slice(start, stop),)]
        start = stop
        if part.__array_interface__["data"] != buffer.array.__array_interface__["data"]:
            emit_copy(module, buffer.array, part)
    return True


@emits(ReshapeKernel)
def reshape(module: Module, kernel: ReshapeKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """One copy, where one of the arrays can be seen in the other's shape."""
    source, target = inputs[0].array, outputs[0].array
    as_source, as_target = reshaped(target, source.shape), reshaped(source, target.shape)
    if as_source is not None:
        emit_copy(module, source, as_source)
    elif as_target is not None:
        emit_copy(module, as_target, target)
    else:
        return False
    return True


@emits(Shuffle)
def shuffle(module: Module, kernel: Shuffle, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """A copy between views with the groups apart."""
    source, target = inputs[0].array, outputs[0].array
    n, channels, *rest = source.shape
    dealt = reshaped(target, (n, channels // kernel.groups, kernel.groups, *rest))
    grouped = reshaped(source, (n, kernel.groups, channels // kernel.groups, *rest))
    if dealt is None or grouped is None:
        return False
    emit_copy(module, grouped.swapaxes(1, 2), dealt)
    return True


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
