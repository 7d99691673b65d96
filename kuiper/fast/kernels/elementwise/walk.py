"""Arrays of any strides, as one-pass functions like them: in the order of memory, with few axes, in tiles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kuiper.fast.kernels.base.calls import Index, spans
from kuiper.fast.kernels.base.workspace import Workspace

TILE = 1 << 16
"""Elements of a tile: with two or three arrays of scratch it stays in the cache of one core."""


def walk(target: np.ndarray, *sources: np.ndarray) -> list[np.ndarray]:
    """Views of the target and of the sources, broadcast to it, all with the same new axes.

    The axes come in the order in which the target's lie in memory, axes of length 1 are left out, and two axes become
    one where every array allows it: elementwise functions do not see the difference, but their inner loops get long.

    >>> image = np.zeros((1, 2, 2, 3), np.float32).transpose(0, 3, 1, 2)
    >>> [x.shape for x in walk(image, image)], [x.strides for x in walk(image, np.zeros((3, 1, 1)))]
    ([(12,), (12,)], [(12, 4), (0, 8)])
    """
    arrays = [target, *(np.broadcast_to(source, target.shape) for source in sources)]
    axes = [axis for axis, extent in enumerate(target.shape) if extent != 1]
    axes.sort(key=lambda axis: -abs(target.strides[axis]))
    shape: list[int] = []
    strides: list[tuple[int, ...]] = []
    for axis in axes:
        extent, steps = target.shape[axis], tuple(x.strides[axis] for x in arrays)
        if shape and all(outer == step * extent for outer, step in zip(strides[-1], steps)):
            shape[-1] *= extent
            strides[-1] = steps
        else:
            shape.append(extent)
            strides.append(steps)
    return [as_strided(x, shape, [steps[i] for steps in strides], writeable=x is target) for i, x in enumerate(arrays)]


def tiles(shape: Sequence[int], parts: int) -> Iterator[Index]:
    """Indices that cut an array of `shape` into `parts` blocks or somewhat more, along its first axes.

    >>> list(tiles((2, 5), 3))[:2]
    [(slice(0, 1, None), slice(0, 3, None)), (slice(0, 1, None), slice(3, 5, None))]
    """
    if not shape or parts <= 1:
        yield (...,)
    elif shape[0] >= parts:
        yield from ((slice(*span),) for span in spans(shape[0], parts))
    else:
        for i in range(shape[0]):
            yield from ((slice(i, i + 1), *rest) for rest in tiles(shape[1:], -(-parts // shape[0])))


def thread_tiles(shape: Sequence[int], space: Workspace, nanoseconds: float, tile: int = TILE) -> list[list[Index]]:
    """For each thread its tiles of an array of `shape`, where one element is `nanoseconds` of work."""
    size = math.prod(shape)
    if not size:
        return [[]]
    threads = space.threads_for(size * nanoseconds)
    parts = list(tiles(shape, threads * -(-size // (tile * threads))))
    return [parts[start:stop] for start, stop in spans(len(parts), threads)]
